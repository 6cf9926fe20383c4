import { Hono } from "hono";

const app = new Hono();
app.get("/health", (c) => c.json({ status: "ok" }));
export default app;
export { ChatSession } from "../durable-objects/chat-session";
export { Profile } from "../durable-objects/profile";
export { Sandbox } from "../durable-objects/sandbox";
export { Pairing } from "../durable-objects/pairing";
