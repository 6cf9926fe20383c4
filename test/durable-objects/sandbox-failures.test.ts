import { afterEach, expect, it, vi } from "vitest";
import { value, withSidecar } from "../support/sidecar-sandbox";

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const UNKNOWN = { ok: false, code: "unconfirmed", message: expect.stringContaining("Outcome unknown") };

/** Waits between tries are over at once. */
function hurry(): void {
  const real = globalThis.setTimeout;
  vi.spyOn(globalThis, "setTimeout").mockImplementation(((work: () => void, ms = 0) =>
    real(work, ms < 10_000 ? 0 : ms)) as typeof setTimeout);
}

it("tells that nobody answers, and runs the next command when somebody does", () =>
  withSidecar("unreachable", async ({ sidecar, exec, write, text }) => {
    await write("f", "kept");
    sidecar.before = () => {
      throw new TypeError("connection refused");
    };
    expect(await exec("ls", "first")).toEqual({
      ok: false,
      code: "unavailable",
      message:
        "The sidecar at sidecar.test cannot be reached. The workspace's files are kept; commands work again when it answers.",
    });
    expect(await text("f")).toBe("kept");
    sidecar.before = () => undefined;
    sidecar.run = () => ({ stdout: "now\n" });
    expect(value(await exec("ls", "first")).stdout).toBe("now\n");
  }));

it("names the token when it is refused, and what answers when it is no sidecar", () =>
  withSidecar("refused", async ({ sidecar, exec, reborn }) => {
    reborn({ SIDECAR_TOKEN: "another" });
    expect(await exec("ls")).toMatchObject({
      code: "not_configured",
      message: expect.stringContaining("SIDECAR_TOKEN"),
    });
    reborn();
    sidecar.before = () => new Response("<h1>It works!</h1>", { status: 404 });
    expect(await exec("ls")).toMatchObject({ code: "refused", message: expect.stringContaining("is no sidecar") });
    sidecar.before = () => Response.json({ hello: "world" });
    expect(await exec("ls")).toMatchObject({ code: "refused", message: expect.stringContaining("not its protocol's") });
    sidecar.before = () => new Response("bad gateway", { status: 502 });
    expect(await exec("ls")).toMatchObject({ code: "unavailable" });
    expect(sidecar.ran).toEqual([]);
  }));

it("names the setting when there is none to reach", () =>
  withSidecar("settings", async ({ sandbox, exec, reborn }) => {
    reborn({ SIDECAR_URL: "ftp://sidecar.test" });
    expect(await exec("ls")).toMatchObject({ code: "not_configured", message: expect.stringContaining("SIDECAR_URL") });
    reborn({ SIDECAR_URL: "" });
    expect(value(await exec("echo simulated")).stdout).toBe("simulated\n");
    expect(await sandbox().exec("ls", { key: "pty", timeoutMs: 1000, isTerminal: true })).toMatchObject({
      code: "not_configured",
      message: expect.stringContaining("real shell"),
    });
  }));

it("asks again for an answer that was cut off, and does not run the command again", () =>
  withSidecar("cut-off", async ({ sidecar, exec }) => {
    hurry();
    let cuts = 2;
    sidecar.after = (call) => {
      if (call === "POST /v1/exec" && sidecar.ran.length > 0 && cuts-- > 0) throw new TypeError("connection lost");
    };
    sidecar.run = () => ({ stdout: "once\n" });
    expect(value(await exec("echo once")).stdout).toBe("once\n");
    expect(sidecar.ran).toEqual(["echo once"]);
  }));

it("tells of a command that the sidecar died with, and never runs it again", () =>
  withSidecar("died", async ({ sidecar, exec, reborn }) => {
    hurry();
    sidecar.run = () => {
      sidecar.restart({ keepsDisk: true });
      sidecar.before = (call) => {
        if (call === "POST /v1/exec") sidecar.before = () => undefined;
        return undefined;
      };
      return new Promise(() => {});
    };
    sidecar.after = (call) => {
      if (call === "POST /v1/exec" && sidecar.ran.length === 1) throw new TypeError("connection lost");
    };
    expect(await exec("rm -rf build", "the-key")).toEqual(UNKNOWN);
    sidecar.after = () => undefined;
    sidecar.run = () => ({ stdout: "next\n" });
    expect(await exec("rm -rf build", "the-key")).toEqual(UNKNOWN);
    reborn();
    expect(await exec("rm -rf build", "the-key")).toEqual(UNKNOWN);
    expect(value(await exec("echo next")).stdout).toBe("next\n");
    expect(sidecar.ran).toEqual(["rm -rf build", "echo next"]);
  }));

it("does not run again what a sidecar with a new disk has forgotten", () =>
  withSidecar("forgotten", async ({ sidecar, exec, reborn }) => {
    const given = Promise.withResolvers<void>();
    sidecar.run = () => {
      given.resolve();
      return new Promise(() => {});
    };
    void exec("deploy", "the-key");
    await given.promise;
    sidecar.restart({ keepsDisk: false });
    reborn();
    sidecar.run = () => ({});
    expect(await exec("deploy", "the-key")).toEqual(UNKNOWN);
    await exec("true");
    expect(await exec("deploy", "the-key")).toEqual(UNKNOWN);
    expect(sidecar.ran.filter((command) => command === "deploy")).toHaveLength(1);
  }));

it("takes up a command that still runs when the object comes back", () =>
  withSidecar("joined", async ({ sidecar, exec, reborn }) => {
    const work = Promise.withResolvers<{ stdout: string }>();
    const given = Promise.withResolvers<void>();
    sidecar.run = () => {
      given.resolve();
      return work.promise;
    };
    // the first life does not hear of the answer
    const { fetch } = sidecar;
    vi.mocked(globalThis.fetch).mockImplementation(async (input, init) => {
      const response = await fetch(input as string, init);
      return sidecar.ran.length === 0 ? response : new Promise(() => {});
    });
    void exec("make", "the-key");
    await given.promise;
    vi.mocked(globalThis.fetch).mockImplementation((input, init) => fetch(input as string, init));
    reborn();
    const again = exec("make", "the-key");
    work.resolve({ stdout: "made\n" });
    expect(value(await again).stdout).toBe("made\n");
    expect(sidecar.ran).toEqual(["make"]);
  }));

it("runs again a command that was refused before it began", () =>
  withSidecar("too-many", async ({ sidecar, exec, write }) => {
    await write("f", "1");
    await exec("true");
    const headers = { "content-type": "application/problem+json" };
    const body = JSON.stringify({ code: "too_many", detail: "The session runs 32 things already.", status: 429 });
    sidecar.before = (call) => (call === "POST /v1/exec" ? new Response(body, { status: 429, headers }) : undefined);
    expect(await exec("work", "k")).toMatchObject({
      code: "rate_limited",
      message: expect.stringContaining("32 things"),
    });
    sidecar.before = () => undefined;
    expect(value(await exec("work", "k")).exitCode).toBe(0);
    expect(sidecar.ran).toEqual(["true", "work"]);
  }));

it("runs a command once more where nothing ran, when the disk turns out to be new", () =>
  withSidecar("fresh-exec", async ({ sidecar, exec, write }) => {
    await write("f", "1");
    await exec("true");
    let asked = 0;
    sidecar.before = (call) => {
      // after the check of the disk and before the command
      if (call === "POST /v1/exec" && asked++ === 0) sidecar.restart({ keepsDisk: false });
      return undefined;
    };
    sidecar.run = (_, box) => ({ stdout: Object.keys(box.files()).join() });
    expect(value(await exec("ls")).stdout).toBe("f");
    expect(sidecar.ran).toEqual(["true", "ls"]);
  }));

it("ends a command that is cancelled, with all that came from it", () =>
  withSidecar("cancel", async ({ sidecar, sandbox, exec }) => {
    const given = Promise.withResolvers<void>();
    sidecar.run = async ({ killed }) => {
      given.resolve();
      await killed;
      return { exitCode: 137, stdout: "half\n" };
    };
    const running = exec("sleep 100", "c");
    await given.promise;
    await sandbox().cancel("c");
    expect(value(await running)).toMatchObject({ exitCode: 130, stdout: "half\n", stderr: "bash: interrupted\n" });
  }));

it("says that time ran out, within the longest time that the sidecar gives", () =>
  withSidecar("timeout", async ({ sidecar, sandbox }) => {
    sidecar.run = () => ({ isTimedOut: true, stdout: "half" });
    const result = value(await sandbox().exec("sleep 9", { key: "t", timeoutMs: 9_000_000 }));
    expect(result).toMatchObject({ exitCode: 124, timedOut: true, stdout: "half", cwd: "/workspace" });
  }));

it("tells what it prints while it runs, and keeps its own words to itself", () =>
  withSidecar("progress", async ({ sidecar, sandbox }) => {
    const said: string[] = [];
    let clock = 1_800_000_000_000;
    vi.spyOn(Date, "now").mockImplementation(() => (clock += 600));
    sidecar.run = ({ print }) => {
      for (let i = 0; i < 4; i++) print(`step ${i}\n`);
      return { stdout: "done\n" };
    };
    await sandbox().exec("make", { key: "p", timeoutMs: 5000 }, (text) => said.push(text));
    expect(said.at(-1)).toContain("step 0\nstep 1\n");
    expect(said.join("")).not.toContain("\u001E");
  }));

it("runs commands beside each other, and syncs one after the other", () =>
  withSidecar("beside", async ({ sidecar, exec, files }) => {
    const both = Promise.withResolvers<void>();
    sidecar.run = async ({ command }, box) => {
      if (sidecar.ran.length === 2) both.resolve();
      await both.promise;
      box.write(command, "made");
      return {};
    };
    await Promise.all([exec("one"), exec("two")]);
    expect(await files()).toEqual({ one: "made", two: "made" });
  }));

it("says where the workspace is when a command looks for it by the file tools' name", () =>
  withSidecar("path-note", async ({ sidecar, exec }) => {
    sidecar.run = () => ({ exitCode: 1, stderr: "cat: /workspace/f: No such file or directory\n" });
    expect(value(await exec("cat /workspace/f")).notes?.[0]).toContain("/srv/box/work ($WORKSPACE)");
  }));
