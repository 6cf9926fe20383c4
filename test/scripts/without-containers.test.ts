import { expect, it } from "vitest";
import { withoutContainers } from "../../scripts/without-containers.ts";

it("leaves out the tables of containers and keeps everything else as it is written", () => {
  const toml = `name = "x" # containers
[[containers]]
class_name = "A"
[env.paid]
r2_buckets = [{ binding = "MEDIA" }]
  [[ env.paid.containers ]]
  images = { sidecar = { dockerfile = "./sidecar/Dockerfile" } }
  [env.paid.containers.constraints]
  tiers = [1]

[env.paid.limits]
cpu_ms = 1
`;
  expect(withoutContainers(toml)).toBe(`name = "x" # containers
[env.paid]
r2_buckets = [{ binding = "MEDIA" }]
[env.paid.limits]
cpu_ms = 1
`);
});
