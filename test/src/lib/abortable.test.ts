import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { abortable, wait } from "#src/lib/abortable";

const never = new Promise<never>(() => undefined);

it("gives what the promise gives", async () => {
  const { signal } = new AbortController();
  expect(await abortable(Promise.resolve("x"), signal)).toBe("x");
  await expect(abortable(Promise.reject(new TypeError("no")), signal)).rejects.toThrow("no");
});

it("ends with the signal's reason although the promise does not hear of it", async () => {
  const control = new AbortController();
  const ended = expect(abortable(never, control.signal)).rejects.toBe("stop");
  control.abort("stop");
  await ended;
});

it("swallows the failure of a promise that nobody waits for any more", async () => {
  const control = new AbortController();
  const late = Promise.withResolvers<never>();
  const ended = expect(abortable(late.promise, control.signal)).rejects.toBe("stop");
  control.abort("stop");
  await ended;
  late.reject(new TypeError("late"));
  await Promise.resolve();
});

it("swallows the failure of a promise that nobody waits for from the beginning", async () => {
  const late = Promise.withResolvers<never>();
  await expect(abortable(late.promise, AbortSignal.abort("stop"))).rejects.toBe("stop");
  late.reject(new TypeError("late"));
  await Promise.resolve();
});

it("leaves no listener on a signal that outlives it", async () => {
  const { signal } = new AbortController();
  const added = vi.spyOn(signal, "addEventListener");
  const removed = vi.spyOn(signal, "removeEventListener");
  await abortable(Promise.resolve(1), signal);
  expect(added).toHaveBeenCalledOnce();
  expect(removed.mock.calls[0]?.[1]).toBe(added.mock.calls[0]?.[1]);
});

describe("a wait", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("takes its time", async () => {
    let isOver = false;
    const waited = wait(100, new AbortController().signal).then(() => (isOver = true));
    await vi.advanceTimersByTimeAsync(99);
    expect(isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await waited;
  });

  it("ends with the signal and leaves no timer", async () => {
    const control = new AbortController();
    const ended = expect(wait(100, control.signal)).rejects.toBe("stop");
    control.abort("stop");
    await ended;
    expect(vi.getTimerCount()).toBe(0);
  });

  it("does not begin after the signal", async () => {
    await expect(wait(100, AbortSignal.abort("stop"))).rejects.toBe("stop");
    expect(vi.getTimerCount()).toBe(0);
  });
});
