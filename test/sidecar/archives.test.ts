import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SidecarProcess, isolationModes, startSidecar } from "./sidecar-process.ts";

interface Entry {
  readonly name: string;
  readonly type?: string;
  readonly content?: string;
  readonly link?: string;
  readonly prefix?: string;
}

describe.each(isolationModes)("archives of a sidecar %s", (mode) => {
  let sidecar: SidecarProcess;
  let count = 0;
  beforeAll(async () => {
    sidecar = await startSidecar({ mode, env: { SIDECAR_UPLOAD_MB: "4" } });
  });
  afterAll(async () => sidecar.close());

  function session() {
    const key = `archive-${(count += 1)}`;
    return {
      key,
      put: async (body: Uint8Array<ArrayBuffer>, query = "", type = "application/x-tar") =>
        sidecar.call(`/v1/files/archive${query}`, {
          method: "PUT",
          body,
          session: key,
          headers: { "content-type": type },
        }),
      sh: async (shell: string) => (await sidecar.exec({ shell }, { session: key })).stdout,
    };
  }

  it.each([
    ["", "application/x-tar"],
    ["&gzip=1", "application/gzip"],
  ])("carry a folder from one session to another (%s)", async (query, type) => {
    const [from, to] = [session(), session()];
    const long = "long/".repeat(30);
    await from.sh(
      `mkdir -p src/${long}; echo deep > src/${long}file; echo x > src/run; chmod 755 src/run; ln -s run src/link; ln src/run src/same; echo ü > src/ümläut`,
    );
    const packed = await sidecar.fetch(`/v1/files/archive?path=src${query}`, { session: from.key });
    expect(packed.headers.get("content-type")).toBe(type);
    const { status, body } = await to.put(new Uint8Array(await packed.arrayBuffer()), "?path=copy", type);
    expect([status, body]).toEqual([201, { entries: expect.any(Number) }]);
    const look = "find . -printf '%P %y %l\\n' | sort; cat run ümläut; stat -c %a run";
    expect(await to.sh(`cd copy; ${look}`)).toBe(await from.sh(`cd src; ${look}`));
  });

  it.each<[string, Entry[]]>([
    ["a name that leads out", [{ name: "../evil", content: "x" }]],
    ["a name that leads out below", [{ name: "a/../../evil", content: "x" }]],
    ["an absolute name", [{ name: "/tmp/evil", content: "x" }]],
    ["a name that leads out by its prefix", [{ name: "evil", prefix: "..", content: "x" }]],
    [
      "a long name that leads out",
      [
        { name: "././@LongLink", type: "L", content: "../evil\0" },
        { name: "fine", content: "x" },
      ],
    ],
    [
      "a pax name that leads out",
      [
        { name: "pax", type: "x", content: "16 path=../evil\n" },
        { name: "fine", content: "x" },
      ],
    ],
    ["a link that leads out", [{ name: "l", type: "2", link: "../../evil" }]],
    [
      "an absolute link",
      [
        { name: "l", type: "2", link: "/etc" },
        { name: "l/evil", content: "x" },
      ],
    ],
    ["a hard link that leads out", [{ name: "l", type: "1", link: "../../evil" }]],
    ["a device", [{ name: "zero", type: "3" }]],
    ["a pipe", [{ name: "pipe", type: "6" }]],
  ])("with %s are refused whole", async (_what, entries) => {
    const { put, sh } = session();
    const answer = await put(tar([{ name: "good", content: "good" }, ...entries]));
    expect(answer).toMatchObject({ status: 422, body: { code: "archive_unsafe" } });
    expect(await sh("ls -A; ls .. | grep evil")).toBe("");
  });

  it("do not go through links that are there already", async () => {
    const { put, sh } = session();
    await sh("ln -s $HOME out; ln -s $HOME/written file");
    expect(
      (
        await put(
          tar([
            { name: "good", content: "x" },
            { name: "out/evil", content: "x" },
          ]),
        )
      ).status,
    ).toBe(403);
    expect(await sh("ls $HOME; ls good")).toBe("");
    expect((await put(tar([{ name: "file", content: "mine" }]))).status).toBe(201);
    expect(await sh("ls $HOME; cat file")).toBe("mine");
  });

  it("do not make a way out of links that only lead out together", async () => {
    const { put, sh } = session();
    const entries = [
      { name: "s", type: "2", link: "." },
      { name: "s/s/s/l", type: "2", link: "../../x" },
      { name: "l/evil", content: "x" },
    ];
    expect((await put(tar(entries))).status).toBe(422);
    expect(await sh("[ -e l ] || [ -L l ] || echo none")).toBe("none\n");
  });

  it.each<[string, Uint8Array<ArrayBuffer>, string]>([
    ["no archive", Buffer.from("hello ".repeat(200)), "application/x-tar"],
    ["cut off", tar([{ name: "a", content: "x".repeat(5000) }]).subarray(0, 2000), "application/x-tar"],
    ["of a wrong checksum", tar([{ name: "a", content: "x" }]).fill(7, 0, 3), "application/x-tar"],
    ["no gzip", Buffer.from("hello"), "application/gzip"],
    ["cut off in gzip", gzipSync(tar([{ name: "a", content: "x" }])).subarray(0, 40), "application/gzip"],
    ["of a size that is none", tar([{ name: "a" }], "zzzzzzzzzzz\0"), "application/x-tar"],
  ])("that are %s are refused", async (_what, body, type) => {
    expect(await session().put(body, "", type)).toMatchObject({ status: 422, body: { code: "archive_invalid" } });
  });

  it("that unpack to more than is taken are refused before they fill the disk", async () => {
    const bomb = gzipSync(Buffer.alloc(40 * 1024 ** 2));
    expect(bomb.length).toBeLessThan(100_000);
    expect(await session().put(bomb, "", "application/gzip")).toMatchObject({
      status: 413,
      body: { code: "body_too_large" },
    });
  });

  it("of nothing are nothing", async () => {
    expect(await session().put(tar([]))).toMatchObject({ status: 201, body: { entries: 0 } });
  });
});

function tar(entries: readonly Entry[], size?: string): Buffer<ArrayBuffer> {
  const blocks = entries.flatMap(({ name, type = "0", content = "", link = "", prefix = "" }) => {
    const header = Buffer.alloc(512);
    const body = Buffer.from(content);
    header.write(name, 0);
    header.write("0000644\0", 100);
    header.write(size ?? `${body.length.toString(8).padStart(11, "0")}\0`, 124);
    header.write("        ", 148);
    header.write(type, 156);
    header.write(link, 157);
    header.write("ustar\u000000", 257);
    header.write(prefix, 345);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
    return [header, body, Buffer.alloc((512 - (body.length % 512)) % 512)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}
