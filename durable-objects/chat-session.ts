import { DurableObject } from "cloudflare:workers";
export class ChatSession extends DurableObject<Env> {}
