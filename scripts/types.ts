// `npm run types`: writes worker-env.d.ts, the Worker's environment as wrangler.toml binds it.
import { writeFileSync } from "node:fs";
import { ENV_TYPES_FILE, generateEnvTypes } from "./env-types.ts";

writeFileSync(ENV_TYPES_FILE, await generateEnvTypes());
