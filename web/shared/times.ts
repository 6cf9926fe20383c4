const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "short" });

/** Seconds from this moment until then, negative for what is over. */
export function secondsUntil(at: number): number {
  return Math.round((at - Date.now()) / 1000);
}

/** "5 min. ago", "in 2 days": a distance of a minute or more in the largest unit that it fills. */
export function distanceInWords(seconds: number): string {
  const distance = Math.abs(seconds);
  if (distance >= 86_400) return relative.format(Math.round(seconds / 86_400), "day");
  if (distance >= 3600) return relative.format(Math.round(seconds / 3600), "hour");
  return relative.format(Math.round(seconds / 60), "minute");
}

/** "in 30 sec.": what is less than a minute ahead. */
export function secondsInWords(seconds: number): string {
  return relative.format(seconds, "second");
}
