import { type IpAddress, type IpBlock, isInBlock, parseIp, parseIpBlock } from "./ip-address";

/** What kind of network an address belongs to: `public` alone may be called. */
export type AddressClass =
  | "public"
  | "loopback"
  | "this-network"
  | "private"
  | "cgnat"
  | "link-local-metadata"
  | "link-local"
  | "azure-wireserver"
  | "documentation"
  | "benchmark"
  | "multicast"
  | "broadcast"
  | "reserved"
  | "unspecified"
  | "ipv4-mapped"
  | "ipv4-compatible"
  | "nat64"
  | "nat64-local"
  | "6to4"
  | "teredo"
  | "isatap"
  | "ula-metadata"
  | "ula"
  | "site-local";

/**
 * Blocks that are not public, the narrower one first.
 * Source: https://www.iana.org/assignments/iana-ipv4-special-registry, .../iana-ipv6-special-registry; 168.63.129.16:
 * https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16
 */
const BLOCKS: readonly (readonly [IpBlock, AddressClass])[] = (
  [
    ["0.0.0.0/8", "this-network"],
    ["10.0.0.0/8", "private"],
    ["100.64.0.0/10", "cgnat"],
    ["127.0.0.0/8", "loopback"],
    ["169.254.169.254", "link-local-metadata"],
    ["169.254.170.2", "link-local-metadata"],
    ["169.254.170.23", "link-local-metadata"],
    ["169.254.0.0/16", "link-local"],
    ["172.16.0.0/12", "private"],
    ["192.0.0.0/24", "reserved"],
    ["192.0.2.0/24", "documentation"],
    ["192.88.99.0/24", "reserved"],
    ["192.168.0.0/16", "private"],
    ["198.18.0.0/15", "benchmark"],
    ["198.51.100.0/24", "documentation"],
    ["203.0.113.0/24", "documentation"],
    ["168.63.129.16", "azure-wireserver"],
    ["224.0.0.0/4", "multicast"],
    ["255.255.255.255", "broadcast"],
    ["240.0.0.0/4", "reserved"],
    ["::", "unspecified"],
    ["::1", "loopback"],
    ["::ffff:0:0/96", "ipv4-mapped"],
    ["::/96", "ipv4-compatible"],
    ["64:ff9b::/96", "nat64"],
    ["64:ff9b:1::/48", "nat64-local"],
    ["2001::/32", "teredo"],
    ["2001:2::/48", "benchmark"],
    ["2001::/23", "reserved"],
    ["2001:db8::/32", "documentation"],
    ["3fff::/20", "documentation"],
    ["2002::/16", "6to4"],
    ["fd00:ec2::254", "ula-metadata"],
    ["fc00::/7", "ula"],
    ["fe80::/10", "link-local"],
    ["fec0::/10", "site-local"],
    ["ff00::/8", "multicast"],
  ] as const
).map(([block, name]) => [parseIpBlock(block), name]);

/** All of IPv6 that is handed out for use between networks; everything else is refused without being named. */
const GLOBAL_UNICAST = parseIpBlock("2000::/3");

/** SIIT's translated addresses, which no class of their own names. */
const TRANSLATED = parseIpBlock("::ffff:0:0:0/96");

/** Where clouds keep credentials: no setting opens these. 100.100.100.200 is Alibaba's. */
const METADATA: readonly IpBlock[] = ["169.254.0.0/16", "100.100.100.200", "168.63.129.16", "fd00:ec2::254"].map(
  parseIpBlock,
);

/** The class of an address; undefined when the text is none. */
export function judgeAddress(text: string): AddressClass | undefined {
  const address = parseIp(text);
  return address === undefined ? undefined : classOf(address);
}

/** Whether an address leads to a cloud's metadata service, also through a tunnel or a translation. */
export function isMetadataAddress(text: string): boolean {
  const address = parseIp(text);
  if (address === undefined) return false;
  return [address, ...embeddedIn(address)].some((each) => METADATA.some((block) => isInBlock(each, block)));
}

/** Whether an IPv4-mapped address (`::ffff:a.b.c.d`) stands for a public one. */
export function isMappedPublic(text: string): boolean {
  const address = parseIp(text);
  if (address === undefined || classOf(address) !== "ipv4-mapped") return false;
  return classOf(lowIpv4(address)) === "public";
}

function classOf(address: IpAddress): AddressClass {
  const found = BLOCKS.find(([block]) => isInBlock(address, block));
  if (found !== undefined) return found[1];
  if (address.version === 4) return "public";
  if (!isInBlock(address, GLOBAL_UNICAST)) return "reserved";
  return isIsatap(address) && classOf(lowIpv4(address)) !== "public" ? "isatap" : "public";
}

/** Source: https://www.rfc-editor.org/rfc/rfc5214#section-6.1 */
function isIsatap({ version, value }: IpAddress): boolean {
  const marker = (value >> 32n) & 0xffff_ffffn;
  return version === 6 && (marker === 0x0000_5efen || marker === 0x0200_5efen);
}

function lowIpv4({ value }: IpAddress): IpAddress {
  return { version: 4, value: value & 0xffff_ffffn };
}

/** Where an address of a class hides the IPv4 address that it is carried to: how far from its right end. */
const EMBEDDED_AT: Partial<Record<AddressClass, bigint>> = {
  "ipv4-mapped": 0n,
  "ipv4-compatible": 0n,
  nat64: 0n,
  "nat64-local": 0n,
  isatap: 0n,
  "6to4": 80n,
  teredo: 0n,
};

/** IPv4 addresses that an IPv6 address may be carried to. */
function embeddedIn(address: IpAddress): readonly IpAddress[] {
  if (address.version === 4) return [];
  if (isInBlock(address, TRANSLATED)) return [lowIpv4(address)];
  const found = classOf(address);
  const at = EMBEDDED_AT[found];
  if (at === undefined) return [];
  const carried = lowIpv4({ version: 6, value: address.value >> at });
  // Teredo stores it with every bit turned. Source: https://www.rfc-editor.org/rfc/rfc4380#section-4
  return [found === "teredo" ? { version: 4, value: carried.value ^ 0xffff_ffffn } : carried];
}
