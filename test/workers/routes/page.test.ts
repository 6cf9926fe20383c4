import { expect, it } from "vitest";
import { request } from "../../support/doors";

it("serves the page to anyone, and lets it talk to nobody but us", async () => {
  const response = await request("/");
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
  expect(await (await request("/")).text()).not.toMatch(/world-(?:key|token|secret|admin|signing|generic)/);
});
