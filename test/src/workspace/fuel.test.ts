import { expect, it } from "vitest";
import { createFuel } from "#src/workspace/fuel";

it("counts what the meter counts while a command has it", () => {
  const meter = { left: 1e12 };
  const fuel = createFuel(meter, 100);
  fuel.take();
  meter.left -= 60;
  expect(fuel.giveBack()).toBe(false);
  fuel.take();
  meter.left -= 41;
  expect(fuel.giveBack()).toBe(true);
});

it("leaves the meter without a limit when no command runs", () => {
  const meter = { left: 0 };
  const fuel = createFuel(meter, 10);
  fuel.take();
  meter.left = -5;
  fuel.giveBack();
  expect(meter.left).toBeGreaterThan(1e12);
});

it("keeps apart what two commands spend that take turns", () => {
  const meter = { left: 0 };
  const one = createFuel(meter, 100);
  const other = createFuel(meter, 1000);
  one.take();
  meter.left -= 30;
  other.take();
  expect(meter.left).toBe(1000);
  meter.left -= 500;
  one.take();
  expect(meter.left).toBe(70);
  expect(other.giveBack()).toBe(false);
  expect(meter.left).toBe(70);
  expect(one.giveBack()).toBe(false);
});

it("charges for bytes", () => {
  const meter = { left: 0 };
  const fuel = createFuel(meter, 1000);
  fuel.take();
  fuel.spendBytes(8001);
  expect(fuel.giveBack()).toBe(true);
});

it("waits only after much was computed", async () => {
  const meter = { left: 0 };
  const fuel = createFuel(meter, 10_000_000);
  fuel.take();
  let passed = false;
  setTimeout(() => (passed = true), 0);
  await fuel.breathe();
  expect(passed).toBe(false);
  meter.left -= 3_000_000;
  await fuel.breathe();
  expect(passed).toBe(true);
  expect(meter.left).toBe(7_000_000);
  fuel.giveBack();
});
