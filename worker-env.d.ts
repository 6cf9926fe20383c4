// Generated from wrangler.toml by `npm run types`.
interface __BaseEnv_Env {
  MEDIA?: R2Bucket;
  LOADER?: WorkerLoader;
  AI?: Ai;
  CF_VERSION_METADATA: WorkerVersionMetadata;
  SESSIONS: DurableObjectNamespace<import("./workers/gateway").ChatSession>;
  PROFILES: DurableObjectNamespace<import("./workers/gateway").Profile>;
  SANDBOXES: DurableObjectNamespace<import("./workers/gateway").Sandbox>;
  PAIRINGS: DurableObjectNamespace<import("./workers/gateway").Pairing>;
}
declare namespace Cloudflare {
  interface GlobalProps {
    mainModule: typeof import("./workers/gateway");
    durableNamespaces: "ChatSession" | "Profile" | "Sandbox" | "Pairing";
  }
  interface PaidEnv {
    MEDIA: R2Bucket;
    LOADER: WorkerLoader;
    AI: Ai;
    CF_VERSION_METADATA: WorkerVersionMetadata;
    SESSIONS: DurableObjectNamespace<import("./workers/gateway").ChatSession>;
    PROFILES: DurableObjectNamespace<import("./workers/gateway").Profile>;
    SANDBOXES: DurableObjectNamespace<import("./workers/gateway").Sandbox>;
    PAIRINGS: DurableObjectNamespace<import("./workers/gateway").Pairing>;
  }
  interface Env extends __BaseEnv_Env {}
}
interface Env extends __BaseEnv_Env {}
declare module "*.yaml" {
  const value: string;
  export default value;
}
declare module "*.bin" {
  const value: ArrayBuffer;
  export default value;
}
declare module "*.wasm" {
  const value: WebAssembly.Module;
  export default value;
}
declare module "*.wasm?module" {
  const value: WebAssembly.Module;
  export default value;
}
