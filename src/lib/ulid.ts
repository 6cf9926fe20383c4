const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** A ULID: 26 characters that sort by time. Source: https://github.com/ulid/spec */
export function ulid(at: number, random: () => number): string {
  let time = "";
  for (let rest = at, digit = 0; digit < 10; digit++) {
    time = (ALPHABET[rest % 32] ?? "0") + time;
    rest = Math.floor(rest / 32);
  }
  let tail = "";
  for (let digit = 0; digit < 16; digit++) tail += ALPHABET[Math.floor(random() * 32) % 32] ?? "0";
  return time + tail;
}
