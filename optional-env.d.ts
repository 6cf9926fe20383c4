/** Bindings and variables that a deployment may have beside what the plain wrangler.toml declares. */
interface Env {
  /** Set to "1" by `npm start` alone: switches on what is for development only. */
  readonly TALARIA_LOCAL?: string;
  /** Files of messages; without it they stand in the session's own SQLite. */
  readonly MEDIA?: R2Bucket;
  /** Workers AI: answers when no other model is set. */
  readonly AI?: { run(model: string, input: Record<string, unknown>): Promise<unknown> };
}
