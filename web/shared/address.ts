import { kept } from "./keep";

/** What an address names after its `#`. */
interface Address {
  readonly named: URLSearchParams;
  /** It brought a token, which is kept now. */
  readonly hadToken: boolean;
}

/** Reads the address, and takes the token out of it before anyone can see or share it. */
export function readAddress(): Address {
  const named = new URLSearchParams(location.hash.slice(1));
  const token = named.get("token");
  if (token === null) return { named, hadToken: false };
  kept.set("token", token);
  named.delete("token");
  history.replaceState(null, "", `${location.pathname}${named.size === 0 ? "" : `#${named.toString()}`}`);
  return { named, hadToken: true };
}
