import type { ProcessLog, ProcessRecord, ProcessStart, Processes } from "#src/domain/process";
import { decodeUtf8, utf8 } from "#src/lib/encoding";

/** Background processes in memory, of which the test says what they do. */
export interface FakeProcesses extends Processes {
  readonly started: readonly (ProcessStart & { readonly command: string })[];
  /** What each process was given, as `id text`, `<end>` for the end of input. */
  readonly inputs: string[];
  print(id: string, text: string): void;
  end(id: string, exitCode: number): void;
  /** Called with every input. */
  onInput: (id: string, text: string) => void;
  /** Called before every input, with its key; may throw. */
  beforeInput: (key: string) => void;
  onStart: (id: string) => void;
}

/** A host of processes that begins with none. They are numbered p1, p2... */
export function fakeProcesses(): FakeProcesses {
  const started: (ProcessStart & { readonly command: string })[] = [];
  const records = new Map<string, ProcessRecord>();
  const logs = new Map<string, string>();
  const keys = new Set<string>();
  const find = (id: string): ProcessRecord => {
    const record = records.get(id);
    if (record === undefined) throw new TypeError(`no process ${id}`);
    const log = logs.get(id) ?? "";
    return { ...record, tail: log.slice(-4096), logBytes: utf8(log).length };
  };
  const fake: FakeProcesses = {
    started,
    inputs: [],
    onInput: () => undefined,
    beforeInput: () => undefined,
    onStart: () => undefined,
    print: (id, text) => void logs.set(id, (logs.get(id) ?? "") + text),
    end: (id, exitCode) => void records.set(id, { ...find(id), status: "exited", exitCode, endedAt: 5000 }),
    async start(command, options) {
      const before = started.findIndex(({ key }) => key === options.key);
      if (before !== -1) return find(`p${before + 1}`);
      const id = `p${started.push({ ...options, command })}`;
      records.set(id, { id, command, status: "running", startedAt: 1000, tail: "", logBytes: 0 });
      fake.onStart(id);
      return find(id);
    },
    list: async () => [...records.keys()].map(find),
    find: async (_, id) => find(id),
    async log(_, id, { offset, limit }): Promise<ProcessLog> {
      const bytes = utf8(logs.get(id) ?? "");
      const part = bytes.subarray(offset, offset + limit);
      const nextOffset = offset + part.length;
      const isEnd = find(id).status !== "running" && nextOffset === bytes.length;
      return { offset, nextOffset, droppedBytes: 0, text: decodeUtf8(part), isEnd };
    },
    wait: async (_, id) => find(id),
    async kill(_, id) {
      fake.end(id, 143);
      return find(id);
    },
    async write(_, id, { text, closes, key }) {
      fake.beforeInput(key);
      if (keys.has(key)) return;
      keys.add(key);
      fake.inputs.push(`${id} ${text}${closes ? "<end>" : ""}`);
      fake.onInput(id, text);
    },
  };
  return fake;
}
