import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { HOOK_EVENTS } from "#src/domain/hook-event";
import { codeOf, json, operate, type Problem, request } from "../../support/doors";
import {
  RECEIVER,
  type ShownHook,
  addHooksByApi,
  answerHooks,
  approveByApi,
  clearHooks,
  deployPlugin,
  hooksByApi,
} from "../../support/hooks-world";
import { until } from "../../support/until";
import { type World, openWorld } from "../../support/world";
import { configure, openSession } from "../../durable-objects/session-driver";

let world: World;

beforeEach(async () => {
  world = openWorld();
  await clearHooks();
});
afterEach(async () => {
  await clearHooks();
  vi.restoreAllMocks();
});

const GUARD = { event: "tool.pre", type: "http", url: RECEIVER, id: "guard" };

it("opens to the operator's token alone", async () => {
  const routes: readonly (readonly [string, string])[] = [
    ["GET", ""],
    ["POST", ""],
    ["POST", "/validate"],
    ["GET", "/guard"],
    ["PUT", "/guard"],
    ["DELETE", "/guard"],
    ["POST", "/guard/test"],
    ["POST", "/test"],
    ["POST", "/guard/enable"],
    ["POST", "/guard/reset-circuit"],
    ["POST", "/guard/rotate-secret"],
    ["GET", "/approvals"],
    ["POST", "/approvals"],
    ["DELETE", "/approvals"],
    ["GET", "/master"],
    ["PUT", "/master"],
    ["GET", "/doctor"],
    ["GET", "/status"],
    ["GET", "/events"],
    ["GET", "/deliveries"],
    ["POST", "/deliveries/x/replay"],
    ["GET", "/audit"],
    ["GET", "/log"],
    ["GET", "/modules"],
    ["POST", "/modules"],
    ["GET", "/modules/x"],
    ["DELETE", "/modules/x"],
  ];
  for (const [method, path] of routes)
    for (const headers of [{}, { authorization: "Bearer world-api-key" }, { authorization: "Bearer " }]) {
      const response = await request(`/api/hooks${path}`, { method, headers });
      expect([path, ...(await codeOf(response))]).toEqual([path, 401, "signature_invalid"]);
    }
});

it("approves no hook whose name leads now to a public address and now to a private one", async () => {
  const [hook] = await addHooksByApi([GUARD]);
  let looks = 0;
  world.answer = (call) => {
    if (!call.startsWith("cloudflare-dns")) return undefined;
    const data = looks++ < 2 ? "93.184.216.34" : "10.0.0.7";
    return Response.json({ Status: 0, Answer: [{ name: "receiver.watch.dev", type: 1, TTL: 60, data }] });
  };
  const { event, target, digest } = hook ?? { event: "", target: "", digest: "" };
  const refused = await operate("POST", "/api/hooks/approvals", { event, target, config_sha256: digest });
  expect(await codeOf(refused)).toEqual([409, "address_refused"]);
  expect((await hooksByApi())[0]?.status).toBe("not_approved");
});

it.each([
  [["*"], true],
  [["https://*.watch.dev/*"], true],
  [["https://elsewhere.dev/*"], false],
  [[], false],
])("holds addresses to the list %j of those that are allowed", async (allowed, isTaken) => {
  await configure({ "hook_policy.allowed_urls": allowed });
  const { valid } = await json<{ valid: boolean }>(operate("POST", "/api/hooks/validate", { native: [GUARD] }));
  expect(valid).toBe(isTaken);
  const local = { ...GUARD, url: "https://169.254.169.254/" };
  expect(await json(operate("POST", "/api/hooks/validate", { native: [local] }))).toMatchObject({ valid: false });
  await configure({ "hook_policy.allowed_urls": null });
});

it("adds hooks of any system, each by itself, and tells ids, digests, secrets and warnings", async () => {
  const response = await operate("POST", "/api/hooks", {
    native: {
      hooks: [GUARD, { event: "turn.end", type: "http", url: RECEIVER }, { event: "tool.pree", url: RECEIVER }],
    },
  });
  expect(response.status).toBe(201);
  const { hooks, warnings } = await response.json<{ hooks: ShownHook[]; warnings: object[] }>();
  expect(hooks).toMatchObject([
    { id: "guard", event: "tool.pre", target: `POST ${RECEIVER}`, status: "not_approved" },
    { event: "turn.end", status: "not_approved" },
  ]);
  for (const { digest, secret } of hooks) {
    expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(secret).toMatch(/^whsec_/);
  }
  expect(warnings).toMatchObject([{ code: "hook.unknown_event" }]);
  expect(await hooksByApi()).toHaveLength(2);
  expect(JSON.stringify(await hooksByApi())).not.toContain("whsec_");
});

it("takes a settings.json of Claude Code and a map of Hermes unchanged", async () => {
  const claude = await addHooksByApi({
    hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "http", url: RECEIVER }] }] },
  });
  const hermes = await addHooksByApi({ hooks: { pre_tool_call: [{ command: "~/guard.sh", matcher: "terminal" }] } });
  expect([...claude, ...hermes]).toMatchObject([
    { dialect: "claude", event: "PreToolUse", events: ["tool.pre"] },
    { dialect: "hermes", event: "pre_tool_call", target: "~/guard.sh" },
  ]);
});

it.each([
  [{}, "native"],
  [{ native: "text" }, "native"],
  [{ native: null }, "native"],
  [{ native: [], dialect: "klingon" }, "dialect"],
  [{ native: [], dialect: "__proto__" }, "dialect"],
  [{ native: [{ event: "nothing.such", url: RECEIVER }] }, "native"],
  [{ native: [{ event: "tool.pre" }] }, "native"],
  [{ native: [] }, "native"],
])("refuses %j, naming the field, and keeps nothing", async (body, field) => {
  const response = await operate("POST", "/api/hooks", body);
  expect(response.status).toBe(400);
  expect((await response.json<Problem>()).detail).toMatch(new RegExp(`^${field}:`));
  expect(await hooksByApi()).toEqual([]);
});

it("reads hooks as if they were added, and keeps nothing", async () => {
  const good = await json<{ valid: boolean; hooks: ShownHook[] }>(
    operate("POST", "/api/hooks/validate", { native: [GUARD] }),
  );
  expect(good).toMatchObject({ valid: true, hooks: [{ id: "guard" }], warnings: [] });
  expect(JSON.stringify(good)).not.toContain("whsec_");
  const local = { ...GUARD, url: "https://169.254.169.254/" };
  const bad = await json<object>(operate("POST", "/api/hooks/validate", { native: [local] }));
  expect(bad).toMatchObject({ valid: false, warnings: [{ code: "hook.ssrf_blocked" }] });
  const none = await json<object>(
    operate("POST", "/api/hooks/validate", { native: [{ event: "tool.pr", url: RECEIVER }] }),
  );
  expect(none).toMatchObject({ valid: false, hooks: [], warnings: [{ code: "hook.unknown_event" }] });
  expect(await hooksByApi()).toEqual([]);
});

it("reads a HOOK.yaml as it stands, and says in which unit time-outs are", async () => {
  const gateway = { dialect: "hermes-gateway", native: { name: "logger", events: ["agent:start"] } };
  const declared = await json<{ hooks: object[]; warnings: object[] }>(operate("POST", "/api/hooks/validate", gateway));
  expect(declared.hooks).toMatchObject([{ event: "agent:start", target: "module logger" }]);
  expect(declared.warnings).toEqual([]);
  const slow = await json<{ warnings: { message: string }[] }>(
    operate("POST", "/api/hooks/validate", { native: [{ ...GUARD, timeout: 5000 }] }),
  );
  expect(slow.warnings[0]?.message).toBe("its timeout of 5000 s was cut to 120 s (it counts seconds)");
});

it("approves what was shown, and nothing else", async () => {
  const [hook] = await addHooksByApi([GUARD]);
  const body = { event: "tool.pre", target: RECEIVER, config_sha256: hook?.digest };
  const wrong = await operate("POST", "/api/hooks/approvals", { ...body, config_sha256: "0".repeat(64) });
  expect(await codeOf(wrong)).toEqual([409, "digest_mismatch"]);
  const nothing = await operate("POST", "/api/hooks/approvals", { ...body, config_sha256: undefined });
  expect(await codeOf(nothing)).toEqual([400, "bad_request"]);
  const other = await operate("POST", "/api/hooks/approvals", { ...body, target: "https://other.watch.dev/" });
  expect(await codeOf(other)).toEqual([404, "hook_not_found"]);
  expect(await hooksByApi()).toMatchObject([{ status: "not_approved" }]);
  expect((await operate("POST", "/api/hooks/approvals", body)).status).toBe(201);
  expect(await hooksByApi()).toMatchObject([{ status: "active" }]);
  const { approvals } = await json<{ approvals: object[] }>(operate("GET", "/api/hooks/approvals"));
  expect(approvals).toMatchObject([
    { event: "tool.pre", digest: hook?.digest, approvedBy: { principal: "operator", surface: "api", method: "ui" } },
  ]);
  expect((await operate("DELETE", `/api/hooks/approvals?target=${encodeURIComponent(RECEIVER)}`)).status).toBe(200);
  expect(await hooksByApi()).toMatchObject([{ status: "not_approved" }]);
  expect(await codeOf(await operate("DELETE", "/api/hooks/approvals", { target: RECEIVER }))).toEqual([
    404,
    "hook_not_found",
  ]);
});

it("needs a new approval for a hook that was changed, and keeps that of one that was saved as it was", async () => {
  await approveByApi(await addHooksByApi([GUARD]));
  expect((await operate("PUT", "/api/hooks/guard", { native: [GUARD] })).status).toBe(200);
  expect(await hooksByApi()).toMatchObject([{ id: "guard", status: "active" }]);
  const changed = { ...GUARD, matcher: { tool: "terminal" } };
  expect((await operate("PUT", "/api/hooks/guard", { native: [changed] })).status).toBe(200);
  expect(await hooksByApi()).toMatchObject([{ id: "guard", status: "changed_since_approval" }]);
});

it("removes a hook alone, and says when there is none", async () => {
  await addHooksByApi([GUARD, { ...GUARD, id: "other", event: "stop" }]);
  expect(await json(operate("DELETE", "/api/hooks/guard"))).toEqual({ removed: ["guard"] });
  expect((await hooksByApi()).map(({ id }) => id)).toEqual(["other"]);
  for (const [method, path] of [
    ["DELETE", "/guard"],
    ["GET", "/guard"],
    ["PUT", "/guard"],
    ["POST", "/guard/test"],
    ["POST", "/guard/enable"],
    ["POST", "/guard/disable"],
    ["POST", "/guard/reset-circuit"],
    ["POST", "/guard/rotate-secret"],
    ["GET", "/doctor?id=guard"],
  ]) {
    const body = method === "PUT" ? { native: [GUARD] } : method === "POST" ? {} : undefined;
    const response = await operate(method ?? "", `/api/hooks${path}`, body);
    expect([path, ...(await codeOf(response))]).toEqual([path, 404, "hook_not_found"]);
  }
});

it("changes no hook that came with the deployment, but switches it off and on", async () => {
  deployPlugin("probe", (ctx) => ctx.registerHook("tool.pre", () => undefined));
  const [hook] = await hooksByApi();
  const path = `/api/hooks/${encodeURIComponent(hook?.id ?? "")}`;
  expect(await codeOf(await operate("DELETE", path))).toEqual([409, "hook_not_editable"]);
  expect((await operate("POST", `${path}/disable`)).status).toBe(200);
  expect(await hooksByApi()).toMatchObject([{ status: "disabled" }]);
  expect((await operate("POST", `${path}/enable`)).status).toBe(200);
  expect(await hooksByApi()).toMatchObject([{ status: "active" }]);
});

it("refuses an id that another hook has", async () => {
  await addHooksByApi([GUARD]);
  const response = await operate("POST", "/api/hooks", { native: [{ ...GUARD, event: "stop" }] });
  expect(await codeOf(response)).toEqual([409, "hook_id_taken"]);
});

it("changes nothing for a client that has seen another version", async () => {
  await addHooksByApi([GUARD]);
  const seen = (await operate("GET", "/api/hooks")).headers.get("etag") ?? "";
  expect(seen).toMatch(/^"\d+"$/);
  const first = await operate("PUT", "/api/hooks/master", { on: false }, { "if-match": seen });
  expect(first.status).toBe(200);
  const stale = await operate("POST", "/api/hooks/guard/disable", undefined, { "if-match": seen });
  expect(await codeOf(stale)).toEqual([412, "version_mismatch"]);
  const next = await operate("POST", "/api/hooks/guard/disable", undefined, {
    "if-match": first.headers.get("etag") ?? "",
  });
  expect(next.status).toBe(200);
  const nonsense = await operate("DELETE", "/api/hooks/guard", undefined, { "if-match": "yesterday" });
  expect(await codeOf(nonsense)).toEqual([412, "version_mismatch"]);
  expect((await operate("PUT", "/api/hooks/master", { on: true }, { "if-match": "*" })).status).toBe(200);
});

it("switches all hooks off and on", async () => {
  await approveByApi(await addHooksByApi([GUARD]));
  expect(await json(operate("PUT", "/api/hooks/master", { on: false }))).toEqual({ on: false });
  expect(await hooksByApi()).toMatchObject([{ status: "approved_master_off" }]);
  expect(await json(operate("GET", "/api/hooks/master"))).toEqual({ on: false });
  expect(await codeOf(await operate("PUT", "/api/hooks/master", { on: "yes" }))).toEqual([400, "bad_request"]);
  expect(await json(operate("PUT", "/api/hooks/master", { on: true }))).toEqual({ on: true });
});

it("gives a hook a new secret once, and signs with the old one too for a day", async () => {
  answerHooks(world, () => new Response(null, { status: 204 }));
  const [hook] = await addHooksByApi([GUARD]);
  await approveByApi(hook === undefined ? [] : [hook]);
  const { secret } = await json<{ secret: string }>(operate("POST", "/api/hooks/guard/rotate-secret"));
  expect(secret).toMatch(/^whsec_/);
  expect(secret).not.toBe(hook?.secret);
  await operate("POST", "/api/hooks/guard/test", {});
  const signatures = vi
    .mocked(fetch)
    .mock.calls.flatMap(([, init]) => new Headers(init?.headers).get("webhook-signature") ?? []);
  expect(signatures.map((signature) => signature.split(" ").length)).toEqual([2]);
  expect(await hooksByApi()).toMatchObject([{ status: "active" }]);
  await addHooksByApi({ hooks: { Stop: [{ hooks: [{ type: "http", url: RECEIVER, id: "plain" }] }] } });
  const unsigned = (await hooksByApi()).find(({ event }) => event === "Stop");
  const response = await operate("POST", `/api/hooks/${unsigned?.id}/rotate-secret`);
  expect(await codeOf(response)).toEqual([409, "hook_unsigned"]);
});

it("shows all of a hook, and no secret that was written into its headers", async () => {
  await addHooksByApi([
    {
      ...GUARD,
      headers: { authorization: "Bearer written-out", "x-key": "${secret:HOOK_KEY}" },
      allowedSecrets: ["HOOK_KEY"],
    },
  ]);
  const response = await operate("GET", "/api/hooks/guard");
  const text = await response.text();
  expect(text).not.toContain("written-out");
  expect(text).not.toContain("whsec_");
  expect(JSON.parse(text)).toMatchObject({
    id: "guard",
    status: "not_approved",
    approvals: [],
    definition: { target: { type: "http", headers: { authorization: "…", "x-key": "${secret:HOOK_KEY}" } } },
  });
});

it("counts hooks, calls and what is owed", async () => {
  answerHooks(world, () => new Response("no", { status: 500 }));
  await approveByApi(await addHooksByApi([GUARD]));
  const status = await json<object>(operate("GET", "/api/hooks/status"));
  expect(status).toMatchObject({
    enabled: true,
    hooks: { active: 1 },
    open_circuits: [],
    quarantined: [],
    deliveries: { owed: expect.any(Number) as number, dead: expect.any(Number) as number },
  });
  expect((await operate("POST", "/api/hooks/guard/reset-circuit")).status).toBe(200);
  expect(await json<object>(operate("GET", "/api/hooks/log?limit=5"))).toMatchObject({ runs: expect.any(Array) as [] });
  expect(await codeOf(await operate("GET", "/api/hooks/log?limit=x"))).toEqual([400, "bad_request"]);
});

it("leaves a receiver alone that failed too often, whatever changes beside it, until somebody says otherwise", async () => {
  let calls = 0;
  answerHooks(world, () => {
    calls += 1;
    return new Response("no", { status: 500 });
  });
  await approveByApi(await addHooksByApi([{ event: "model.pre", type: "http", url: RECEIVER, id: "guard" }]));
  const session = openSession(world, 88_101);
  const say = async (n: number): Promise<void> => {
    await session.say(`say ${n}`);
    await session.shown(n);
  };
  const open = async () => (await json<{ open_circuits: string[] }>(operate("GET", "/api/hooks/status"))).open_circuits;
  for (let n = 1; n <= 6; n++) await say(n);
  expect(calls).toBe(5);
  await until(async () => expect(await open()).toEqual(["guard"]));

  await addHooksByApi([{ event: "tool.pre", type: "http", url: RECEIVER, id: "other" }]);
  await say(7);
  expect(calls).toBe(5);
  expect(await open()).toEqual(["guard"]);

  await operate("POST", "/api/hooks/guard/reset-circuit");
  expect(await open()).toEqual([]);
  await say(8);
  expect(calls).toBe(6);
});

it("lists every event with the names that other systems have for it", async () => {
  const { events } = await json<{ events: { name: string; names: object }[] }>(operate("GET", "/api/hooks/events"));
  expect(events.map(({ name }) => name)).toEqual(Object.keys(HOOK_EVENTS));
  expect(events.find(({ name }) => name === "tool.pre")?.names).toMatchObject({ claude: ["PreToolUse"] });
});

it("keeps a log of every change with who made it", async () => {
  await approveByApi(await addHooksByApi([GUARD]));
  await operate("POST", "/api/hooks/guard/disable");
  const { audit } = await json<{ audit: object[] }>(operate("GET", "/api/hooks/audit?limit=3"));
  expect(audit).toMatchObject([
    { action: "disable", principal: "operator", surface: "api" },
    { action: "approve", target: `POST ${RECEIVER}` },
    { action: "config_change", note: "added" },
  ]);
});

it("lists deliveries, and says when there is none to try again", async () => {
  expect(await json<object>(operate("GET", "/api/hooks/deliveries"))).toMatchObject({
    deliveries: expect.any(Array) as [],
  });
  for (const id of ["nothing", "main:web:dm:none#1", "other:web:dm:none#1"])
    expect(await codeOf(await operate("POST", `/api/hooks/deliveries/${encodeURIComponent(id)}/replay`))).toEqual([
      404,
      "not_found",
    ]);
  expect(await codeOf(await operate("GET", "/api/hooks/deliveries?session=x"))).toEqual([400, "bad_request"]);
});

it("tells the world which keys verify what we sign, and nothing else", async () => {
  const response = await request("/.well-known/agent-hooks.json");
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ signature: "standard-webhooks", schemes: ["v1"], keys: [] });
});

it("lets no request that says it comes from a hook change anything, whatever token it has", async () => {
  const [hook] = await addHooksByApi([GUARD]);
  for (const headers of [
    { "x-agent-hook-depth": "1" },
    { "x-agent-hook-depth": "99999" },
    { "x-agent-hook-depth": "nonsense" },
    { "x-agent-hook-hook-id": "guard" },
  ]) {
    const approval = { event: "tool.pre", target: RECEIVER, config_sha256: hook?.digest };
    expect(await codeOf(await operate("POST", "/api/hooks/approvals", approval, headers))).toEqual([403, "forbidden"]);
    expect(await codeOf(await operate("PUT", "/api/hooks/master", { on: false }, headers))).toEqual([403, "forbidden"]);
    expect((await operate("GET", "/api/hooks", undefined, headers)).status).toBe(200);
  }
  expect(await hooksByApi()).toMatchObject([{ status: "not_approved" }]);
});
