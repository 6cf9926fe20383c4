import { DurableObject } from "cloudflare:workers";
export class Pairing extends DurableObject<Env> {}
