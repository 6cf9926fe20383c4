import { DurableObject } from "cloudflare:workers";
export class Profile extends DurableObject<Env> {}
