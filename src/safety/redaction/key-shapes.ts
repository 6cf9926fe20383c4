import { looksRandom } from "./looks-random";

/** How the keys of a vendor look. */
export interface KeyShape {
  /** What every such key holds, for a quick look. */
  readonly has: string;
  /** A global pattern; each part has its own letters or a bound, so that it is read once. */
  readonly pattern: RegExp;
  /** A short beginning that words have too: what follows must look random. */
  readonly isCommon?: boolean;
  /** What a key must be beyond its pattern. */
  readonly accepts?: (key: string) => boolean;
}

function shape(has: string, pattern: RegExp): KeyShape {
  return { has, pattern };
}

/** A beginning that also begins words: it must not follow a letter, and random letters must follow it. */
function common(has: string, pattern: RegExp): KeyShape {
  const source = `(?<![A-Za-z0-9])${pattern.source}`;
  return { has, pattern: new RegExp(source, "g"), isCommon: true };
}

/** Beginnings with no other letters around that only keys have, and how many letters follow at least. */
function prefixes(least: number, letters: string, beginnings: string): KeyShape[] {
  return beginnings
    .split(" ")
    .map((has) => shape(has, new RegExp(`${has.replaceAll(".", "\\.")}[${letters}]{${least},}`, "g")));
}

function commonPrefixes(least: number, letters: string, beginnings: string): KeyShape[] {
  return beginnings
    .split(" ")
    .map((has) => common(has, new RegExp(`${has.replaceAll(".", "\\.")}[${letters}]{${least},}`)));
}

const WORD = "A-Za-z0-9";
const URL_SAFE = "A-Za-z0-9_-";

/** Vendors' keys by their documented beginnings. A new vendor is one word in a list here, or a row of its own. */
export const keyShapes: readonly KeyShape[] = [
  // source code hosts and registries
  ...prefixes(30, WORD, "ghp_ gho_ ghu_ ghs_ ghr_ npm_"),
  shape("ghs_", /ghs_\d{1,12}_eyJ[A-Za-z0-9_.-]{20,}/g),
  shape("github_pat_", /github_pat_[A-Za-z0-9_]{22,}/g),
  ...prefixes(16, "A-Za-z0-9_.-", "glpat- gloas- gldt- glrt- glrtr- glcbt- glptt- glft- glimt-"),
  ...prefixes(16, "A-Za-z0-9_.-", "glagent- glsoat- glffct- glwt- GR1348941"),
  ...prefixes(16, URL_SAFE, "pypi- dckr_pat_ dckr_oat_ rubygems_ CLOJARS_ sntrys_ sntryu_ snyk_"),
  ...commonPrefixes(24, WORD, "ATBB ATCTT3 oy2 AKCp cio EZAK EZTK"),
  ...prefixes(24, "A-Za-z0-9_=.-", "ATATT3"),
  // clouds
  {
    has: "AKIA",
    pattern: /(?<![A-Za-z0-9])AKIA[A-Z0-9]{12,16}(?![A-Za-z0-9])/g,
    accepts: (key) => !key.endsWith("EXAMPLE"),
  },
  { has: "ASIA", pattern: /(?<![A-Za-z0-9])ASIA[A-Z0-9]{16}(?![A-Za-z0-9])/g, accepts: (key) => /\d/.test(key) },
  shape("sha256~", /sha256~[A-Za-z0-9_-]{40,}/g),
  shape("AIza", /AIza[A-Za-z0-9_-]{30,}/g),
  shape("ya29.", /ya29\.[A-Za-z0-9_-]{20,}/g),
  shape("GOCSPX-", /GOCSPX-[A-Za-z0-9_-]{20,}/g),
  common("1//0", /1\/\/0[A-Za-z0-9_-]{24,}/),
  common("Q~", /[A-Za-z0-9_~.-]{3}[78]Q~[A-Za-z0-9_~.-]{30,40}/),
  ...prefixes(24, WORD, "dop_v1_ doo_v1_ dor_v1_ tgp_v1_"),
  ...commonPrefixes(16, WORD, "LTAI AKID SCW"),
  ...commonPrefixes(20, URL_SAFE, "nfp_ vcp_ vck_ vca_ vci_ sbp_ sb_secret_ rnd_ fo1_ cfut_ cfat_ cfk_ ngrok_"),
  ...prefixes(20, "A-Za-z0-9_=,+/.-", "pscale_tkn_ pscale_pw_ pscale_oauth_ fm2_ v1.0-"),
  ...commonPrefixes(30, "a-f0-9", "dapi"),
  ...prefixes(20, "A-Za-z0-9_.-", "hvs. hvb. hvr. dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit."),
  common("s.", /s\.(?=[A-Za-z]*\d)[A-Za-z0-9]{24}(?![A-Za-z0-9.])/),
  shape("atlasv1", /[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{40,}/g),
  ...commonPrefixes(30, "A-Za-z0-9", "pul- AGPA doppler_"),
  ...commonPrefixes(24, WORD, "aio_ napi_ ATTA AKLT cmVmdGtu gitea_ codecov_ sess- hcaik_ hcbik_ dtn_ esecret_"),
  ...commonPrefixes(24, URL_SAFE, "live_ xnd_ bu_ sm_ APP_USR- hch-v3-"),
  ...commonPrefixes(60, URL_SAFE, "mfa. IGQV"),
  common("-", /a[ks]-[A-Za-z0-9]{22}(?![A-Za-z0-9-])/),
  common("ak_", /ak_[A-Za-z0-9_-]{20,}/),
  common("BSA", /BSA[A-Za-z0-9_-]{28}(?![A-Za-z0-9_-])/),
  common("t1.", /t1\.[A-Za-z0-9_-]{30,}\.[A-Za-z0-9_-]{40,}/),
  common("npg_", /npg_[A-Za-z0-9]{12,16}(?![A-Za-z0-9])/),
  // models
  shape("sk-", /sk-(?:ant|proj|or|svcacct|admin|None|lf|live|test)-[A-Za-z0-9_-]{16,}/g),
  common("sk-", /sk-[A-Za-z0-9_-]{16,}/),
  ...commonPrefixes(30, URL_SAFE, "AQ."),
  ...prefixes(20, URL_SAFE, "pplx- xai- gsk_ nvapi- lsv2_pt_ lsv2_sk_ pcsk_ jina_ wandb_v1_ csk-"),
  shape("pk-lf-", /pk-lf-[A-Za-z0-9-]{8,}/g),
  ...commonPrefixes(
    16,
    URL_SAFE,
    "fal_ fc- hf_ api_org_ r8_ am_ tvly- exa_ retaindb_ hsk- mem0_ m0- brv_ fw_ fw- fpk_ pa- sk_",
  ),
  ...commonPrefixes(16, URL_SAFE, "tgp_ rpa_ e2b_ bb_live_ bb_test_"),
  // Zhipu and Z.ai: an id and its secret
  { has: ".", pattern: /(?<![A-Za-z0-9._-])[0-9a-f]{32}\.[A-Za-z0-9]{16}(?![A-Za-z0-9._-])/g },
  // payment
  ...prefixes(16, "A-Za-z0-9_", "sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_ pk_live_ pk_test_"),
  ...prefixes(16, URL_SAFE, "whsec_ sq0atp- sq0csp- sq0idp- FLWSECK- FLWSECK_TEST- access-production-"),
  ...prefixes(16, URL_SAFE, "access-sandbox- shippo_live_ shippo_test_ lob_live_ duffel_live_ duffel_test_"),
  // a Facebook token has no "+" and "/"; beside one it is a piece of base64
  common("EAA", /(?<![+/])EAA[A-Za-z0-9_-]{57,}(?![+/=])/),
  ...prefixes(24, "a-fA-F0-9", "shpat_ shpca_ shppa_ shpss_ shptka_"),
  ...prefixes(14, WORD, "rzp_live_ rzp_test_"),
  ...prefixes(32, URL_SAFE, "HRKU-"),
  shape("access_token$", /access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}/g),
  // messages
  shape("xox", /xox[abcdeoprs](?:\.xox[a-z])?-[A-Za-z0-9-]{10,}/g),
  shape("xapp-", /xapp-[A-Za-z0-9-]{10,}/g),
  common(":", /\d{8,10}:[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])/),
  { has: ":", pattern: /(?<=\/bot)\d{6,12}:[A-Za-z0-9_-]{20,}/g },
  { has: ":", pattern: /(?<=\bbot)\d{8,10}:[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])/g, isCommon: true },
  common(":APA91b", /[A-Za-z0-9_-]{11}:APA91b[A-Za-z0-9_-]{100,}/),
  {
    has: ".",
    pattern: /(?<![A-Za-z0-9_.-])[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{25,45}(?![A-Za-z0-9_-])/g,
  },
  common("SG.", /SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64}/),
  { has: "S", pattern: /(?<![A-Za-z0-9])SK[0-9a-f]{32}(?![A-Za-z0-9])/g },
  common("key-", /key-[0-9a-f]{32}/),
  { has: "-us", pattern: /(?<![0-9A-Za-z])[0-9a-f]{32}-us\d{1,2}(?![0-9A-Za-z])/g },
  ...prefixes(20, "A-Za-z0-9_.-", "xkeysib- xsmtpsib- mlsn. syt_ syr_ mct_"),
  ...commonPrefixes(16, "A-Za-z0-9_", "re_"),
  common("AAAAAAAA", /A{19,22}[A-Za-z0-9%]{60,}/),
  common("oauth:", /oauth:[a-z0-9]{30}/),
  // work tools
  ...prefixes(
    24,
    URL_SAFE,
    "ntn_ secret_ lin_api_ lin_oauth_ lin_wh_ figd_ figu_ figo_ PMAK- glsa_ glc_ tfp_ CFPAT- ops_eyJ",
  ),
  ...prefixes(
    24,
    URL_SAFE,
    "pat-na1- pat-eu1- CCIPAT_ CCIPRJ_ bkua_ squ_ sqp_ sqa_ tskey- NRAK- NRJS- NRII- NRAA- rdme_",
  ),
  ...prefixes(24, URL_SAFE, "pnu_ p8e- phc_ phx_ phs_ ATSTT3 dt0c01. AQVN sl. lip_ ops_").map(asCommon),
  common("pat", /pat[A-Za-z0-9]{14}\.[a-f0-9]{40,64}/),
  common("/", /[12]\/\d{12,20}\/\d{12,20}:[0-9a-f]{32}/),
  common("st.", /st\.[a-f0-9]{24}\.[a-f0-9]{32}/),
  common("0.", /0\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.[A-Za-z0-9]{20,}(?::[A-Za-z0-9+/=]{16,})?/),
  common("key", /key[A-Za-z0-9]{14}(?![A-Za-z0-9])/),
  common("sk.eyJ", /sk\.eyJ[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{10,}/),
  { has: "pk_", pattern: /(?<![A-Za-z0-9])pk_\d{4,12}_[A-Z0-9]{24,}/g, accepts: () => true },
  shape("A3-", /A3-[A-Z0-9]{6}-[A-Z0-9]{6,11}(?:-[A-Z0-9]{5}){2,4}/g),
  common("sdk-", /(?:sdk|api|mob)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/),
  // containers of keys
  shape("eyJ", /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){0,3}/g),
  shape("gAAAA", /(?<![A-Za-z0-9_-])gAAAA[A-Za-z0-9_-]{60,}={0,2}/g),
  shape("AGE-SECRET-KEY-", /AGE-SECRET-KEY-(?:PQ-)?1[0-9A-Za-z]{40,}/g),
];

function asCommon(given: KeyShape): KeyShape {
  return { ...given, isCommon: true };
}

/** True when what a pattern found is a key and not words that begin like one. */
export function isKey(found: string, shape: KeyShape): boolean {
  if (
    /(?<![A-Za-z0-9])(?:your|my|the|example|sample|placeholder|dummy)[-_]|x{8,}|\*{3,}|[-_](?:here|goes)\b/i.test(found)
  )
    return false;
  if (shape.accepts !== undefined) return shape.accepts(found);
  const body = found.slice(found.indexOf(shape.has) + shape.has.length);
  if (shape.isCommon !== true) return /[A-Z\d]/.test(body);
  return looksRandom(body) && longestRun(body) >= 8;
}

function longestRun(text: string): number {
  return Math.max(...text.split(/[^A-Za-z0-9]+/).map((run) => run.length));
}
