export const ROOT: string;
export function ensureInstalled(): Promise<void>;
export function privateNode(): string;
