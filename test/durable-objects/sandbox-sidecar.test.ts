import { afterEach, expect, it, vi } from "vitest";
import { type SidecarWorld, value, withSidecar } from "../support/sidecar-sandbox";

afterEach(() => {
  vi.restoreAllMocks();
});

it("runs a command in the sidecar, among the workspace's files, and keeps what it changed", () =>
  withSidecar("run", async ({ sidecar, exec, write, files }) => {
    await write("notes/a.txt", "from here");
    sidecar.run = (_, box) => {
      box.write("b.txt", `${box.files()["notes/a.txt"]}, and there`, { mode: 0o755 });
      return { stdout: "done\n", stderr: "warned\n", exitCode: 3, cwd: "/srv/box/work/notes" };
    };
    expect(value(await exec("make b"))).toEqual({
      exitCode: 3,
      stdout: "done\n",
      stderr: "warned\n",
      timedOut: false,
      cwd: "/srv/box/work/notes",
    });
    expect(await files()).toEqual({ "notes/a.txt": "from here", "b.txt": "from here, and there" });
  }));

it("goes on in the directory where the last command ended, and knows it by its own name", () =>
  withSidecar("cwd", async ({ sidecar, exec, write, text }) => {
    const places: string[] = [];
    sidecar.run = ({ cwd }) => {
      places.push(cwd);
      return { cwd: "/srv/box/work/sub" };
    };
    await exec("mkdir sub; cd sub");
    await exec("pwd");
    await write("f", "in sub");
    expect(places).toEqual(["/srv/box/work", "/srv/box/work/sub"]);
    expect(await text("/srv/box/work/sub/f")).toBe("in sub");
  }));

it("removes there what is removed here, and here what is removed there", () =>
  withSidecar("remove", async ({ sidecar, sandbox, exec, write, files }) => {
    await write("d/one", "1");
    await write("d/two", "2");
    await exec("true");
    await sandbox().removeFile("d/one", "removal");
    sidecar.run = (_, box) => {
      expect(box.files()).toEqual({ "d/two": "2" });
      box.remove("d");
      return {};
    };
    await exec("rm -r d");
    expect(await files()).toEqual({});
    expect(value(await sandbox().stat("d"))).toBeUndefined();
  }));

it("keeps a file in both forms when it changed on both sides, and says so", () =>
  withSidecar("conflict", async ({ sidecar, exec, write, files }) => {
    await write("f", "first");
    await exec("true");
    await write("f", "mine");
    sidecar.write("f", "theirs");
    const result = value(await exec("true"));
    expect(await files()).toEqual({ f: "mine", "f.conflict-1": "theirs" });
    expect(sidecar.files()).toEqual({ f: "mine", "f.conflict-1": "theirs" });
    expect(result.notes).toEqual(["f changed both here and on the sidecar: the sidecar's is kept as f.conflict-1."]);
    expect(value(await exec("true")).notes).toBeUndefined();
  }));

it("takes the same change on both sides for one", () =>
  withSidecar("same", async ({ sidecar, exec, write, files }) => {
    await write("f", "first");
    await exec("true");
    await write("f", "second");
    sidecar.write("f", "second");
    expect(value(await exec("true")).notes).toBeUndefined();
    expect(await files()).toEqual({ f: "second" });
  }));

it("keeps what changed on one side when the other one removed it", () =>
  withSidecar("change-against-removal", async ({ sidecar, sandbox, exec, write, files }) => {
    await write("here", "1");
    await write("there", "1");
    await exec("true");
    await write("here", "2");
    await sandbox().removeFile("there", "removal");
    sidecar.remove("here");
    sidecar.write("there", "2");
    await exec("true");
    expect(await files()).toEqual({ here: "2", there: "2" });
    expect(sidecar.files()).toEqual({ here: "2", there: "2" });
  }));

it("keeps a file beside a folder that came to its place there", () =>
  withSidecar("kinds", async ({ sidecar, exec, write, files }) => {
    await write("thing", "a file");
    await exec("true");
    await write("thing", "a changed file");
    sidecar.remove("thing");
    sidecar.write("thing/inside", "a folder now");
    const result = value(await exec("true"));
    expect(await files()).toEqual({ "thing.conflict-1": "a changed file", "thing/inside": "a folder now" });
    expect(result.notes?.[0]).toContain("thing.conflict-1");
  }));

it("follows a file that becomes a folder there, and back", () =>
  withSidecar("file-folder", async ({ sidecar, exec, write, files }) => {
    await write("x", "1");
    await exec("true");
    sidecar.remove("x");
    sidecar.write("x/y", "2");
    await exec("true");
    expect(await files()).toEqual({ "x/y": "2" });
    sidecar.remove("x");
    sidecar.write("x", "3");
    await exec("true");
    expect(await files()).toEqual({ x: "3" });
  }));

it("carries links both ways, with the workspace's name for itself", () =>
  withSidecar("links", async ({ sidecar, exec, sandbox, write, text, reborn }) => {
    await write("real", "content");
    await exec("true");
    sidecar.link("there", "/srv/box/work/real");
    await exec("true");
    expect(await text("there")).toBe("content");
    reborn({ SIDECAR_URL: "" });
    await sandbox().exec("ln -s /workspace/real here", { key: "link", timeoutMs: 5000 });
    reborn();
    const targets: (string | undefined)[] = [];
    sidecar.run = (_, box) => {
      targets.push(box.files()["here"]);
      return {};
    };
    await exec("true");
    expect(sidecar.asked).toContain("GET /v1/files/stat here");
    expect(await text("here")).toBe("content");
  }));

it("takes over a permission that changed alone", () =>
  withSidecar("mode", async ({ sidecar, exec, write, sandbox, reborn }) => {
    await write("tool.sh", "echo hi");
    await exec("true");
    const before = sidecar.files()["tool.sh"] ?? "";
    sidecar.write("tool.sh", before, { mode: 0o755, age: 60_000 });
    await exec("chmod +x tool.sh");
    reborn({ SIDECAR_URL: "" });
    const shown = value(await sandbox().exec("stat -c %a tool.sh", { key: "stat", timeoutMs: 5000 }));
    expect(shown.stdout).toBe("755\n");
  }));

it("leaves large files and folders of packages on the sidecar, and names them once", () =>
  withSidecar("left", async ({ sidecar, exec, files }) => {
    sidecar.run = (_, box) => {
      box.write("node_modules/p/index.js", "code");
      box.write("app/node_modules/q/index.js", "code");
      box.write(".git/objects/ab/cd", "object");
      box.write("big.bin", "x".repeat(11 * 1024 * 1024));
      box.write("main.js", "require('p')");
      return {};
    };
    const result = value(await exec("npm install"));
    expect(await files()).toEqual({ "main.js": "require('p')" });
    expect(result.notes).toEqual([
      "Only on the sidecar, out of reach of the file tools: .git/, app/node_modules/, big.bin (11.0 MB), node_modules/.",
    ]);
    expect(value(await exec("true")).notes).toBeUndefined();
  }));

it("sees a change that leaves size and time as they were", () =>
  withSidecar("young", async ({ sidecar, exec, files }) => {
    sidecar.run = (_, box) => {
      box.write("f", "one");
      return {};
    };
    vi.spyOn(Date, "now").mockReturnValue(1_800_000_000_000);
    await exec("first");
    sidecar.run = (_, box) => {
      box.write("f", "two");
      return {};
    };
    await exec("second");
    expect(await files()).toEqual({ f: "two" });
  }));

it("sends everything again to a sidecar that lost its disk, and removes nothing for it", () =>
  withSidecar("fresh", async ({ sidecar, exec, write, files }) => {
    await write("a", "1");
    await exec("true");
    sidecar.restart({ keepsDisk: false });
    sidecar.run = (_, box) => ({ stdout: Object.keys(box.files()).join() });
    expect(value(await exec("ls")).stdout).toBe("a");
    expect(await files()).toEqual({ a: "1" });
  }));

it("goes on with the disk of a sidecar that was started anew", () =>
  withSidecar("restart", async ({ sidecar, exec, write }) => {
    await write("a", "1");
    await exec("true");
    const mark = sidecar.mark();
    sidecar.restart({ keepsDisk: true });
    sidecar.asked.length = 0;
    await exec("true");
    expect(sidecar.mark()).toBe(mark);
    expect(sidecar.asked.filter((call) => call.startsWith("PUT"))).toEqual([]);
  }));

it("removes nothing when the disk is lost between a command and the look at its files", () =>
  withSidecar("lost-between", async ({ sidecar, exec, write, files }) => {
    await write("a", "1");
    await exec("true");
    sidecar.run = (_, box) => {
      box.restart({ keepsDisk: false });
      return { stdout: "ran\n" };
    };
    expect(value(await exec("die")).stdout).toBe("ran\n");
    expect(await files()).toEqual({ a: "1" });
    sidecar.run = (_, box) => ({ stdout: Object.keys(box.files()).join() });
    expect(value(await exec("ls")).stdout).toBe("a");
  }));

it("removes nothing when the disk is lost while its files are listed", () =>
  withSidecar("lost-listing", async ({ sidecar, exec, write, files }) => {
    await write("a", "1");
    await exec("true");
    sidecar.before = (call) => {
      if (call === "GET /v1/files/list .") sidecar.restart({ keepsDisk: false });
      return undefined;
    };
    const result = value(await exec("true"));
    expect(result.notes?.[0]).toContain("could not be fetched yet");
    expect(await files()).toEqual({ a: "1" });
  }));

it("keeps the files when the sidecar goes away, and sends what changed meanwhile", () =>
  withSidecar("switch", async ({ sidecar, exec, write, files, reborn }) => {
    await write("a", "1");
    sidecar.run = (_, box) => {
      box.write("b", "2");
      return {};
    };
    await exec("true");
    reborn({ SIDECAR_URL: "" });
    expect(value(await exec("cat a b; echo 3 > c; rm a")).stdout).toBe("12");
    reborn();
    sidecar.run = (_, box) => ({ stdout: JSON.stringify(box.files()) });
    expect(JSON.parse(value(await exec("ls")).stdout)).toEqual({ b: "2", c: "3\n" });
    expect(await files()).toEqual({ b: "2", c: "3\n" });
  }));

/** What a workspace and its sidecar look like from outside. */
async function outcome({ sidecar, files }: SidecarWorld) {
  return { here: await files(), there: sidecar.files(), ran: sidecar.ran.filter((each) => each === "work") };
}

it.each([
  ["before", true],
  ["after", false],
])("loses nothing and runs nothing twice, whichever request the object ends %s", async (when, before) => {
  for (let point = 1; !(await isThrough(point)); point++) expect(point).toBeLessThan(100);

  /** Whether a command is through before the object ends at its so manieth request. */
  async function isThrough(point: number): Promise<boolean> {
    let answered = false;
    await withSidecar(`crash-${when}-${point}`, async (world) => {
      const { sidecar, exec, write, reborn } = world;
      await write("kept", "1");
      await write("changed", "1");
      await exec("true");
      await write("changed", "mine");
      await write("new/file", "mine");
      sidecar.write("changed", "theirs");
      sidecar.run = (_, box) => {
        box.write("made", "by the command");
        box.remove("kept");
        return { stdout: "did it\n" };
      };
      let left = point;
      // the object does not live to hear of the request
      const ended = Promise.withResolvers<"ended">();
      const hang = (): Promise<never> => {
        ended.resolve("ended");
        return new Promise(() => {});
      };
      const { fetch } = sidecar;
      vi.mocked(globalThis.fetch).mockImplementation(async (input, init) => {
        const isLast = --left === 0;
        if (isLast && before) return hang();
        const response = await fetch(input as string, init);
        return isLast ? hang() : response;
      });
      const first = await Promise.race([exec("work", "the-work"), ended.promise]);
      answered = first !== "ended";
      vi.mocked(globalThis.fetch).mockImplementation((input, init) => fetch(input as string, init));
      reborn();
      expect(value(await exec("work", "the-work")).stdout).toBe("did it\n");
      await exec("true");
      const all = { changed: "mine", "changed.conflict-1": "theirs", made: "by the command", "new/file": "mine" };
      expect(await outcome(world), `ended at request ${point}`).toEqual({ here: all, there: all, ran: ["work"] });
    });
    return answered;
  }
});
