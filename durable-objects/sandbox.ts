import { DurableObject } from "cloudflare:workers";
export class Sandbox extends DurableObject<Env> {}
