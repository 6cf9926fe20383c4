import { expect, it } from "vitest";
import { meterJavaScript } from "../../scripts/meter-javascript.ts";

interface Metered {
  readonly meter: { left: number };
  readonly run: (argument?: unknown) => unknown;
}

function metered(source: string): Promise<Metered> {
  const module = meterJavaScript(`export ${source}`);
  return import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(module)}`) as Promise<Metered>;
}

it("ends every kind of loop and recursion", async () => {
  const endless = [
    "function run() { while (true); }",
    "function run() { for (;;) { } }",
    "function run() { do ; while (true) }",
    "function run() { for (const x of (function* () { while (true) yield 1; })()); }",
    "const run = () => (() => run())()",
    "function run() { const a = [1]; a.forEach(function add(x) { a.push(x); a.slice(-1).forEach(add); }); }",
  ];
  for (const source of endless) {
    const { meter, run } = await metered(source);
    meter.left = 1000;
    expect(() => run(), source).toThrow("computed for too long");
  }
});

it("counts built-ins by the length of what they walk", async () => {
  const { meter, run } = await metered("const run = (text) => text.split(',').join(';')");
  meter.left = 1e9;
  run("a,".repeat(500_000));
  expect(1e9 - meter.left).toBeGreaterThan(20_000);
});

it("leaves what a module does as it is", async () => {
  const { run } = await metered(`function run(x) {
    const maybe = x?.list?.map((n) => n * 2).join("-").split("-");
    const [first, ...rest] = [...(x?.list ?? []), 9];
    const none = undefined?.name.split(",").length;
    let sum = 0; for (const n of rest) sum += n; for (const k in { a: 1 }) sum += k.length;
    if (sum) for (let i = 0; i < 2; i++) sum++; else sum = -1;
    class A { constructor(v) { this.v = v; } get twice() { return this.v * 2; } }
    class B extends A { constructor(v) { super(v); } text() { return super.twice.toString().concat("!"); } }
    return { maybe, first, sum, none, text: new B(4).text(), object: (() => ({ a: 1 }))(), lazy: ((a, b = () => a) => b())(7) };
  }`);
  expect(run({ list: [1, 2, 3] })).toEqual({
    maybe: ["2", "4", "6"],
    first: 1,
    sum: 17,
    none: undefined,
    text: "8!",
    object: { a: 1 },
    lazy: 7,
  });
  expect(run(undefined)).toMatchObject({ maybe: undefined, first: 9, sum: 3 });
});
