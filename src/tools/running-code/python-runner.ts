/**
 * The program that runs a script on the workspace's machine. It writes lines that begin with the record separator and
 * are JSON: `out` is what the script printed, `call` asks for a tool, `end` is the last. Each call waits for a line on
 * its standard input, `{"n": ..., "content": ..., "is_error": ...}`; others that come are passed by.
 */
const RUNNER = String.raw`
import codecs, json, os, sys, threading, traceback, types

_wire = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
_answers = os.fdopen(os.dup(0), "r", encoding="utf-8")
_wire_lock, _call_lock, _number = threading.Lock(), threading.Lock(), 0

def _send(message):
    with _wire_lock:
        _wire.write("\x1e" + json.dumps(message) + "\n")
        _wire.flush()

# what the script, and what it starts, prints goes through a pipe of our own
_read, _write = os.pipe()
for _fd in (1, 2):
    os.dup2(_write, _fd)
os.close(_write)
_null = os.open(os.devnull, os.O_RDWR)
os.dup2(_null, 0)
sys.stdin = open(0, "r", closefd=False)
sys.stdout = os.fdopen(1, "w", buffering=1, encoding="utf-8", errors="replace", closefd=False)
sys.stderr = os.fdopen(2, "w", buffering=1, encoding="utf-8", errors="replace", closefd=False)

_ROOM = 50000

def _pump():
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    room, tail, dropped = _ROOM, "", 0
    while True:
        data = os.read(_read, 65536)
        text = decoder.decode(data, not data)
        head, rest = text[:room], text[room:]
        room -= len(head)
        if head:
            _send({"t": "out", "text": head})
        tail += rest
        dropped += max(0, len(tail) - _ROOM)
        tail = tail[-_ROOM:]
        if not data:
            break
    if tail:
        note = "\n[%d characters left out]\n" % dropped if dropped else ""
        _send({"t": "out", "text": note + tail})

_pumping = threading.Thread(target=_pump, daemon=True)
_pumping.start()

ToolError = type("ToolError", (Exception,), {})

def _call(name, args):
    global _number
    args = {key: value for key, value in args.items() if value is not None}
    request = json.dumps(args)
    if len(request) > 400000:
        raise ToolError("The arguments are larger than 400000 characters.")
    with _call_lock:
        _number += 1
        sys.stdout.flush()
        _send({"t": "call", "n": _number, "name": name, "args": args})
        for line in _answers:
            answer = json.loads(line)
            if answer.get("n") == _number:
                break
        else:
            raise ToolError("Nobody answers any more.")
    if answer.get("is_error"):
        raise ToolError(answer["content"])
    try:
        value = json.loads(answer["content"])
        return value if isinstance(value, dict) else answer["content"]
    except ValueError:
        return answer["content"]

def read_file(path, offset=None, limit=None):
    return _call("read_file", {"path": path, "offset": offset, "limit": limit})

def write_file(path, content):
    return _call("write_file", {"path": path, "content": content})

def search_files(pattern, **options):
    return _call("search_files", {"pattern": pattern, **options})

def patch(path=None, old_string=None, new_string=None, **options):
    return _call("patch", {"path": path, "old_string": old_string, "new_string": new_string, **options})

def terminal(command, timeout=None, workdir=None):
    return _call("terminal", {"command": command, "timeout": timeout, "workdir": workdir})

_tools = types.ModuleType("hermes_tools")
for _each in (read_file, write_file, search_files, patch, terminal, ToolError):
    setattr(_tools, _each.__name__, _each)
sys.modules["hermes_tools"] = _tools
sys.argv = ["script.py"]
sys.path[0] = os.getcwd()

_code = 0
try:
    exec(compile(_SCRIPT, "script.py", "exec"), {**vars(_tools), "__name__": "__main__"})
except SystemExit as stop:
    _code = stop.code if isinstance(stop.code, int) else 0 if stop.code is None else 1
    if isinstance(stop.code, str):
        print(stop.code, file=sys.stderr)
except BaseException:
    _code = 1
    _kind, _error, _trace = sys.exc_info()
    # where the script was; this runner is of no interest
    _frames = [frame for frame in traceback.extract_tb(_trace) if frame.filename != __file__]
    if _frames:
        sys.stderr.write("Traceback (most recent call last):\n" + "".join(traceback.format_list(_frames)))
    sys.stderr.write("".join(traceback.format_exception_only(_kind, _error)))
for _stream in (sys.stdout, sys.stderr):
    try:
        _stream.flush()
    except Exception:
        pass
for _fd in (1, 2):
    os.dup2(_null, _fd)
# what the script left running may hold the pipe
_pumping.join(1)
_send({"t": "end", "code": _code & 255})
os._exit(_code & 255)
`;

/** A Python program that runs a script with the agent's tools. */
export function pythonProgram(script: string): string {
  // JSON of well-formed text is a literal that Python reads too
  return `_SCRIPT = ${JSON.stringify(script.toWellFormed())}\n${RUNNER}`;
}

/** Something that a running script says. */
export type RunnerMessage =
  | { readonly t: "out"; readonly text: string }
  | {
      readonly t: "call";
      readonly n: number;
      readonly name: string;
      readonly args: Readonly<Record<string, unknown>>;
    }
  | { readonly t: "end"; readonly code: number };

const MARK = "\u001E";

/** What lines of the runner's output say; a line that is none of its own is something that got past it. */
export function readRunnerLine(line: string): RunnerMessage | undefined {
  if (line === "") return undefined;
  if (!line.startsWith(MARK)) return { t: "out", text: `${line}\n` };
  try {
    return JSON.parse(line.slice(1)) as RunnerMessage; // written by the program above
  } catch {
    return undefined; // the rest of a line whose beginning is no longer kept
  }
}

/** What a call of the script is answered with. */
export function answerLine(number: number, { content, isError }: { content: string; isError?: boolean }): string {
  return `${JSON.stringify({ n: number, content: content.toWellFormed(), is_error: isError === true })}\n`;
}
