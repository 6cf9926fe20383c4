/** An address as a number: 32 bits or 128. */
export interface IpAddress {
  readonly version: 4 | 6;
  readonly value: bigint;
}

/** A block of addresses: those that share its first `bits`. */
export interface IpBlock extends IpAddress {
  readonly bits: number;
}

/**
 * Reads an address as a resolver or a parsed URL writes it: dotted decimal, or IPv6 with or without a zone. Short,
 * octal and hexadecimal IPv4 are no addresses here: the URL parser has already made them dotted.
 */
export function parseIp(text: string): IpAddress | undefined {
  const [address = ""] = text.split("%", 1);
  const value = address.includes(":") ? ipv6Value(address) : ipv4Value(address);
  return value === undefined ? undefined : { version: address.includes(":") ? 6 : 4, value };
}

/** Reads `10.0.0.0/8` or `fe80::/10`. @throws RangeError for what is no block */
export function parseIpBlock(text: string): IpBlock {
  const [address = "", bits] = text.split("/");
  const parsed = parseIp(address);
  if (parsed === undefined) throw new RangeError(`${text} is no block of addresses.`);
  return { ...parsed, bits: bits === undefined ? widthOf(parsed) : Number(bits) };
}

export function isInBlock(address: IpAddress, block: IpBlock): boolean {
  const shift = BigInt(widthOf(block) - block.bits);
  return address.version === block.version && address.value >> shift === block.value >> shift;
}

function widthOf({ version }: IpAddress): number {
  return version === 4 ? 32 : 128;
}

function ipv4Value(text: string): bigint | undefined {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255))
    return undefined;
  return parts.reduce((value, part) => (value << 8n) | BigInt(part), 0n);
}

function ipv6Value(text: string): bigint | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const [head, tail] = [groupsOf(halves[0] ?? ""), groupsOf(halves[1] ?? "")];
  if (head === undefined || tail === undefined) return undefined;
  const missing = 8 - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined;
  return [...head, ...Array<bigint>(missing).fill(0n), ...tail].reduce((value, group) => (value << 16n) | group, 0n);
}

/** The 16-bit groups of one side of `::`; a dotted end counts as two. */
function groupsOf(text: string): bigint[] | undefined {
  if (text === "") return [];
  const groups: bigint[] = [];
  const parts = text.split(":");
  for (const [index, part] of parts.entries()) {
    const dotted = index === parts.length - 1 && part.includes(".") ? ipv4Value(part) : undefined;
    if (dotted !== undefined) groups.push(dotted >> 16n, dotted & 0xffffn);
    else if (/^[0-9a-f]{1,4}$/i.test(part)) groups.push(BigInt(`0x${part}`));
    else return undefined;
  }
  return groups;
}
