import { app } from "./app";

export default app;
export { ChatSession } from "../durable-objects/chat-session";
export { ContainerEgress } from "../durable-objects/container-egress";
export { HookEgress } from "../durable-objects/hook-egress";
export { Pairing } from "../durable-objects/pairing";
export { Profile } from "../durable-objects/profile";
export { Sandbox } from "../durable-objects/sandbox";
