import { expect, it } from "vitest";
import { request } from "../../support/doors";

it.each(["/", "/hooks"])("serves %s to anyone, and lets it talk to nobody but us", async (path) => {
  const response = await request(path);
  expect(response.status).toBe(200);
  expect(await response.text()).toMatch(/^<!doctype html>/i);
  const policy = response.headers.get("content-security-policy") ?? "";
  for (const rule of [
    "default-src 'none'",
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ])
    expect(policy).toContain(rule);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "content-type": "text/html; charset=utf-8",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-cache",
  });
});

it("lets a page run its own script and style by their hashes, and nothing that came as text", async () => {
  for (const path of ["/", "/hooks"]) {
    const response = await request(path);
    const html = await response.text();
    const policy = response.headers.get("content-security-policy") ?? "";
    for (const tag of ["script", "style"]) {
      const [, text = ""] = new RegExp(`<${tag}[^>]*>([^]*?)</${tag}>`).exec(html) ?? [];
      const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
      expect(policy).toContain(`${tag}-src 'sha256-${btoa(String.fromCharCode(...new Uint8Array(hash)))}'`);
    }
    expect(policy).not.toContain("unsafe");
    expect(policy).toContain("require-trusted-types-for 'script'");
  }
});

it("answers HEAD with the same headers and no body", async () => {
  const [get, head] = [await request("/"), await request("/", { method: "HEAD" })];
  await get.arrayBuffer();
  expect([head.status, head.headers.get("content-security-policy")]).toEqual([
    200,
    get.headers.get("content-security-policy"),
  ]);
  expect((await head.arrayBuffer()).byteLength).toBe(0);
});

it("holds no secret", async () => {
  for (const path of ["/", "/hooks"])
    expect(await (await request(path)).text()).not.toMatch(/world-(?:key|token|secret|admin|signing|generic)/);
});
