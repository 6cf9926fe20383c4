import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FileView } from "../../sidecar/protocol.ts";
import { until } from "../support/until.ts";
import { type SidecarProcess, isolationModes, startSidecar } from "./sidecar-process.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

describe.each(isolationModes)("files of a sidecar %s", (mode) => {
  let sidecar: SidecarProcess;
  let count = 0;
  beforeAll(async () => {
    sidecar = await startSidecar({ mode });
  });
  afterAll(async () => sidecar.close());

  /** A session of its own for each test. */
  function files() {
    const session = `files-${(count += 1)}`;
    const at = (route: string, path: string, more = "") => `/v1/files/${route}?path=${encodeURIComponent(path)}${more}`;
    return {
      session,
      put: async (path: string, body: string, headers = {}, more = "") =>
        sidecar.call<FileView>(at("content", path, more), { method: "PUT", body, session, headers }),
      get: async (path: string, headers = {}) => sidecar.fetch(at("content", path), { session, headers }),
      text: async (path: string) => (await sidecar.fetch(at("content", path), { session })).text(),
      stat: async (path: string, more = "") => sidecar.call<FileView>(at("stat", path, more), { session }),
      list: async (path: string, more = "") =>
        (await sidecar.call<{ entries: FileView[]; is_cut: boolean }>(at("list", path, more), { session })).body,
      post: async (route: string, json: unknown) => sidecar.call(`/v1/files/${route}`, { json, session }),
      sh: async (shell: string) => (await sidecar.exec({ shell }, { session })).stdout,
    };
  }

  it("are written whole by the file routes and seen by commands, and the other way round", async () => {
    const { put, text, sh, stat } = files();
    const written = await put("notes/todo.txt", "Grüße\n", {}, "&parents=1");
    expect(written).toMatchObject({
      status: 201,
      body: { path: "notes/todo.txt", type: "file", size: 8, sha256: sha256("Grüße\n") },
    });
    expect(await sh("cat notes/todo.txt; echo more >> notes/todo.txt; ls -A notes")).toBe("Grüße\ntodo.txt\n");
    expect(await text("notes/todo.txt")).toBe("Grüße\nmore\n");
    expect((await stat("notes/todo.txt", "&hash=1")).body.sha256).toBe(sha256("Grüße\nmore\n"));
    expect((await put("missing/x", "y")).status).toBe(404);
  });

  it("keep their mode when they are written again, or get the one that is asked for", async () => {
    const { put, sh, stat } = files();
    await put("run.sh", "#!/bin/sh\necho ran\n", {}, "&mode=755");
    expect(await sh("./run.sh")).toBe("ran\n");
    await put("run.sh", "#!/bin/sh\necho again\n");
    expect((await stat("run.sh")).body.mode).toBe(0o755);
    expect(await sh("./run.sh")).toBe("again\n");
  });

  it("are only replaced while they are what the caller believes", async () => {
    const { put, text } = files();
    expect((await put("a", "1", { "if-none-match": "*" })).status).toBe(201);
    expect((await put("a", "2", { "if-none-match": "*" })).body).toMatchObject({ code: "precondition_failed" });
    expect((await put("a", "3", { "if-match": `"${sha256("0")}"` })).status).toBe(412);
    expect((await put("b", "3", { "if-match": `"${sha256("0")}"` })).status).toBe(412);
    expect((await put("a", "4", { "if-match": `"${sha256("1")}"` })).status).toBe(201);
    expect(await text("a")).toBe("4");
    expect((await put("a", "5", { "if-match": "W/x" })).body).toMatchObject({
      code: "field_invalid",
      field: "if-match",
    });
  });

  it.each([
    ["bytes=0-3", 206, "0123", "bytes 0-3/10"],
    ["bytes=8-", 206, "89", "bytes 8-9/10"],
    ["bytes=-3", 206, "789", "bytes 7-9/10"],
    ["bytes=5-100", 206, "56789", "bytes 5-9/10"],
    ["bytes=10-", 416, undefined, null],
    ["bytes=3-1", 416, undefined, null],
    ["bytes=0-1,4-5", 416, undefined, null],
    ["lines=1-2", 416, undefined, null],
  ])("are read by the range %s with %i", async (range, status, content, header) => {
    const { put, get } = files();
    await put("digits", "0123456789");
    const response = await get("digits", { range });
    expect(response.status).toBe(status);
    expect(response.headers.get("content-range")).toBe(header);
    if (content !== undefined) expect(await response.text()).toBe(content);
  });

  it("are empty when they are empty", async () => {
    const { put, text } = files();
    await put("empty", "");
    expect(await text("empty")).toBe("");
  });

  it("are listed by name, below folders too, with hashes and to a limit", async () => {
    const { sh, list } = files();
    await sh("mkdir -p b/deep; echo x > a; echo y > b/deep/c; ln -s a link; mkfifo pipe");
    expect((await list(".")).entries.map(({ path, type }) => `${path}:${type}`)).toEqual([
      "a:file",
      "b:folder",
      "link:link",
      "pipe:other",
    ]);
    const all = await list(".", "&recursive=1&hash=1");
    expect(all.entries.map(({ path }) => path)).toEqual(["a", "b", "link", "pipe", "b/deep", "b/deep/c"]);
    expect(all.entries.find(({ path }) => path === "b/deep/c")?.sha256).toBe(sha256("y\n"));
    expect(all.entries.find(({ path }) => path === "link")).toMatchObject({ target: "a" });
    expect(await list(".", "&recursive=1&limit=3")).toMatchObject({ is_cut: true, entries: { length: 3 } });
  });

  it("are moved and removed, and folders that are full only when it is said", async () => {
    const { sh, post, stat } = files();
    await sh("mkdir -p full/deep; echo x > full/deep/x; echo y > y; ln -s full/deep link");
    expect((await post("move", { from: "y", to: "full/deep/x" })).body).toMatchObject({
      code: "file_exists",
      field: "to",
    });
    expect((await post("move", { from: "y", to: "full/z" })).status).toBe(200);
    expect((await post("move", { from: "none", to: "z" })).status).toBe(404);
    expect((await post("remove", { path: "full" })).body).toMatchObject({ code: "folder_not_empty" });
    expect((await post("remove", { path: "link", recursive: true })).status).toBe(204);
    expect((await stat("full/deep/x")).status).toBe(200);
    expect((await post("remove", { path: "full", recursive: true })).status).toBe(204);
    expect((await stat("full")).status).toBe(404);
    expect((await post("remove", { path: ".", recursive: true })).status).toBe(400);
    expect((await post("mkdir", { path: "p/q/r" })).body).toMatchObject({ path: "p/q/r", type: "folder" });
  });

  it("are patched where a text stands once, all or nothing", async () => {
    const { put, post, text } = files();
    await put("p", "one two two three\n");
    const edits = [
      { old: "one", new: "1" },
      { old: "two", new: "2", all: true },
      { old: " three", new: "" },
    ];
    expect((await post("patch", { path: "p", edits })).body).toMatchObject({ sha256: sha256("1 2 2\n") });
    const twice = await post("patch", {
      path: "p",
      edits: [
        { old: "1", new: "x" },
        { old: "2", new: "y" },
      ],
    });
    expect(twice).toMatchObject({ status: 422, body: { code: "text_not_found", field: "edits[1].old" } });
    expect(await text("p")).toBe("1 2 2\n");
    expect((await post("patch", { path: "p", edits: [{ old: "gone", new: "" }] })).body).toMatchObject({
      detail: "The old text is not in the file.",
    });
  });

  it("are found by what is in them and by their names", async () => {
    const { sh, post } = files();
    await sh(
      "mkdir -p src .git; echo 'let needle = 1' > src/a.ts; printf 'x\\nNeedle: two\\n' > src/b.md; echo needle > .git/c; echo needle > '-n'",
    );
    const found = async (json: object) =>
      (await post("search", json)).body as { matches: { path: string; line?: number; text?: string }[] };
    expect((await found({ pattern: "needle \\= ?[0-9]" })).matches).toEqual([
      { path: "src/a.ts", line: 1, text: "let needle = 1" },
    ]);
    const both = await found({ pattern: "needle", ignore_case: true, path: "src" });
    expect(both.matches.map(({ path, line }) => `${path}:${line}`)).toEqual(["src/a.ts:1", "src/b.md:2"]);
    expect((await found({ pattern: "needle", glob: "*.ts" })).matches).toHaveLength(1);
    expect((await found({ pattern: "needle = [", literal: true })).matches).toEqual([]);
    expect((await found({ pattern: "--help" })).matches).toEqual([]);
    expect(await found({ pattern: "needle", limit: 1 })).toMatchObject({ is_cut: true, matches: { length: 1 } });
    expect((await found({ kind: "name", pattern: "*.ts" })).matches).toEqual([{ path: "src/a.ts" }]);
    expect((await found({ kind: "name", pattern: "b.", literal: true })).matches).toEqual([{ path: "src/b.md" }]);
    expect((await post("search", { pattern: "a(" })).body).toMatchObject({ code: "field_invalid", field: "pattern" });
  });

  it.each([
    "../x",
    "a/../../x",
    "/etc/passwd",
    "..",
    "../../../../etc/passwd",
    "out/passwd",
    "out",
    "dangling/x",
    "loop/x",
  ])("are not looked for outside of the session's folder by %s", async (path) => {
    const { sh, post, put, get, stat } = files();
    await sh("ln -s /etc out; ln -s /nowhere dangling; ln -s loop loop; mkdir a; echo x > inside");
    const refused = [
      await put(path, "evil"),
      await post("mkdir", { path: `${path}/new` }),
      await post("move", { from: "inside", to: `${path}/moved` }),
      await post("remove", { path: `${path}/passwd` }),
      await post("patch", { path: `${path}/passwd`, edits: [{ old: "root", new: "toor" }] }),
      await post("search", { pattern: "root", path }),
      await sidecar.call("/v1/exec", { json: { argv: ["true"], cwd: path }, session: "files-cwd" }),
      { status: (await get(path)).status, body: {} },
    ];
    for (const { status } of refused) expect([400, 403, 404, 409]).toContain(status);
    if (!["out"].includes(path)) expect([403, 404]).toContain((await stat(path)).status);
    expect(await sh("cat inside; ls -A")).toBe("x\na\ndangling\ninside\nloop\nout\n");
  });

  it("are read and written through links that stay inside", async () => {
    const { sh, put, text, stat } = files();
    await sh("mkdir real; echo x > real/f; ln -s real short; ln -s real/f file");
    expect(await text("short/f")).toBe("x\n");
    expect((await put("file", "y")).status).toBe(201);
    expect(await sh("cat real/f; [ -L file ] && echo link")).toBe("ylink\n");
    expect((await stat("file")).body.type).toBe("link");
  });

  it("that are none keep nobody waiting", async () => {
    const { sh, get, put } = files();
    await sh("mkfifo pipe; mkdir folder; ln -s /dev/zero zero; ln -s pipe topipe");
    for (const path of ["pipe", "topipe", "folder"]) expect((await get(path)).status, path).toBe(409);
    expect((await get("zero")).status).toBe(403);
    for (const path of ["pipe", "folder"]) expect((await put(path, "x")).status, path).toBe(409);
  });

  it("leave nothing half when an upload breaks off", async () => {
    const { session, put, text, sh } = files();
    await put("kept", "before");
    const leaving = new AbortController();
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.alloc(100_000));
        setTimeout(() => leaving.abort(), 50);
      },
    });
    await sidecar
      .fetch("/v1/files/content?path=kept", { method: "PUT", body, session, signal: leaving.signal })
      .catch(() => {});
    expect(await text("kept")).toBe("before");
    await until(async () => expect(await sh("ls -A")).toBe("kept\n"));
  });

  it("of any name are taken", async () => {
    const { put, text, list } = files();
    const names = ["with space", "ümläut", "-rf", "a\nb", "%2e%2e", "日本語", "'quote\"", "#hash?q"];
    for (const name of names) expect((await put(name, name)).status, name).toBe(201);
    for (const name of names) expect(await text(name)).toBe(name);
    expect((await list(".")).entries).toHaveLength(names.length);
  });
});
