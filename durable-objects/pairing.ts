// The package's entry is CommonJS around ES modules, which no bundler here takes: its files are imported one by one.
import { createDurable } from "itty-durable/itty-durable.js";
import { proxyDurable } from "itty-durable/proxy-durable.js";
import { GatewayError } from "#src/domain/errors";
import {
  approveCode,
  type ApprovalRefusal,
  listPending,
  NO_PAIRINGS,
  PAIRING_CODE_MS,
  type PairingState,
  type PairingUser,
  type RequestRefusal,
  requestCode,
  revokePending,
} from "#src/domain/pairing";
import { sanitizeLine } from "#src/lib/sanitize-line";

/** Longest name kept beside a code, in UTF-16 units; platforms let people choose it. */
const MAX_NAME_CHARS = 100;

/** A code that waits to be approved, for the operator. */
export interface WaitingCode {
  readonly code: string;
  readonly userId: string;
  readonly userName?: string;
  /** Epoch milliseconds. */
  readonly requestedAt: number;
  readonly expiresAt: number;
}

/** The pairing codes of one platform. Every method throws GatewayError `unavailable` when they cannot be reached. */
export interface PairingStore {
  /** Gives a stranger a code: the same again while it is good. */
  request(user: PairingUser): Promise<{ readonly code: string } | { readonly reason: RequestRefusal }>;
  /** Uses a code up and resolves with its person; undefined when it is wrong, old or locked out. */
  approve(code: string): Promise<PairingUser | undefined>;
  /** Codes that wait, oldest first. */
  list(): Promise<readonly WaitingCode[]>;
  /** Takes a person's waiting code back; false when there was none. */
  revoke(userId: string): Promise<boolean>;
}

/** The object's methods as calls to it look. Texts are percent-encoded: calls travel in a header, which is ASCII. */
interface PairingCalls {
  request(userId: string, userName: string): Promise<{ readonly code: string } | { readonly reason: RequestRefusal }>;
  approve(code: string): Promise<{ readonly user: PairingUser } | { readonly reason: ApprovalRefusal }>;
  list(): Promise<readonly WaitingCode[]>;
  revoke(userId: string): Promise<{ readonly isRevoked: boolean }>;
}

/** The pending codes of one platform. A loss means asking again: who was approved stands in the profile. */
export class Pairing extends createDurable() implements PairingCalls {
  /** The one thing that is stored, whole, under one key. */
  pairing: PairingState = NO_PAIRINGS;

  async request(userId: string, userName: string) {
    const name = decodeURIComponent(userName);
    const user = { id: decodeURIComponent(userId), ...(name === "" ? {} : { name }) };
    const { state, result } = requestCode(this.pairing, user, Date.now(), randomBytes);
    await this.#save(state);
    return result;
  }

  async approve(code: string) {
    const { state, result } = approveCode(this.pairing, decodeURIComponent(code), Date.now());
    await this.#save(state);
    return result;
  }

  async list(): Promise<readonly WaitingCode[]> {
    return listPending(this.pairing, Date.now()).map(({ code, user, requestedAt }) => ({
      code,
      userId: user.id,
      ...(user.name === undefined ? {} : { userName: user.name }),
      requestedAt,
      expiresAt: requestedAt + PAIRING_CODE_MS,
    }));
  }

  async revoke(userId: string) {
    const { state, isRevoked } = revokePending(this.pairing, decodeURIComponent(userId), Date.now());
    await this.#save(state);
    return { isRevoked };
  }

  /** The answer leaves only after this is stored: a code that was shown is a code that is known. */
  async #save(state: PairingState): Promise<void> {
    this.pairing = state;
    await this.persist();
  }
}

/** Opens the pairing codes of a platform. */
export function openPairing(namespace: Env["PAIRINGS"], platform: string): PairingStore {
  // a new stub for each call: one that has failed stays broken
  const call = async <T>(work: (calls: PairingCalls) => Promise<T>): Promise<T> => {
    try {
      return await work(proxyDurable(namespace, { name: "PAIRINGS", parse: true }).get(encode(platform)));
    } catch (cause) {
      throw new GatewayError("unavailable", "The pairing codes cannot be reached.", { cause });
    }
  };
  return {
    request: async ({ id, name = "" }) =>
      call((calls) => calls.request(encode(id), encode(sanitizeLine(name).slice(0, MAX_NAME_CHARS)))),
    async approve(code) {
      const result = await call((calls) => calls.approve(encode(code.slice(0, MAX_NAME_CHARS))));
      return "user" in result ? result.user : undefined;
    },
    list: async () => call((calls) => calls.list()),
    revoke: async (userId) => (await call((calls) => calls.revoke(encode(userId)))).isRevoked,
  };
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

function randomBytes(length: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(length));
}
