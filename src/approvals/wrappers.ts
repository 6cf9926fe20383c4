import type { Call } from "./call";

/** A program that does nothing but run another, which its arguments are. */
interface Wrapper {
  /** Options that take the next argument, with blanks between them. */
  readonly values?: string;
  /** Options that take the next two. */
  readonly pairs?: string;
  /** Operands before the program. */
  readonly operands?: number;
  /** Words that must come first, such as `run` of `uv run`. */
  readonly verbs?: string;
  /** Variables may be set before the program. */
  readonly setsVariables?: true;
  /** With one of these it does something else. */
  readonly unless?: string;
  /** The program stands behind `--` only. */
  readonly needsDashes?: true;
}

const SUDO = "-u -g -h -p -C -r -t -T -U -D -R --user --group --host --prompt --chdir --chroot --role --type";
const DOCKER_RUN =
  "-a -c -e -h -l -m -p -u -v -w --add-host --attach --cap-add --cap-drop --cpus --device --dns --entrypoint --env --env-file " +
  "--expose --gpus --group-add --hostname --ip --ipc --label --link --log-driver --log-opt --memory --mount --name --net " +
  "--network --pid --platform --publish --pull --restart --runtime --security-opt --shm-size --tmpfs --ulimit --user " +
  "--userns --volume --volumes-from --workdir";

const WRAPPERS: Readonly<Record<string, Wrapper | readonly Wrapper[]>> = {
  sudo: { values: SUDO, setsVariables: true, unless: "-l -v -k -K -V -e --list --validate --edit" },
  doas: { values: "-u -C" },
  pkexec: { values: "--user" },
  run0: { values: "-u --user --unit" },
  gosu: { operands: 1 },
  "su-exec": { operands: 1 },
  runuser: { values: "-u -g -G --user", unless: "-c --command -l --login" },
  setpriv: { values: "--reuid --regid --groups" },
  env: { values: "-u -C --unset --chdir", setsVariables: true, unless: "-S --split-string" },
  nice: { values: "-n --adjustment" },
  ionice: { values: "-c -n --class --classdata", unless: "-p" },
  chrt: { operands: 1, unless: "-p" },
  taskset: { operands: 1, unless: "-p" },
  numactl: { values: "-C -N -m" },
  nohup: {},
  setsid: {},
  exec: { values: "-a" },
  command: { unless: "-v -V" },
  builtin: {},
  noglob: {},
  nocorrect: {},
  time: { values: "-f -o --format --output" },
  timeout: { values: "-s -k --signal --kill-after", operands: 1 },
  gtimeout: { values: "-s -k --signal --kill-after", operands: 1 },
  stdbuf: { values: "-i -o -e" },
  unbuffer: {},
  rlwrap: {},
  caffeinate: { values: "-t -w" },
  chronic: {},
  ifne: {},
  setarch: { operands: 1 },
  faketime: { operands: 1 },
  strace: { values: "-e -o -p -s -u -E -P", setsVariables: true, unless: "-p" },
  ltrace: { values: "-e -o -p -s -u", unless: "-p" },
  valgrind: {},
  perf: { verbs: "stat|record|trace", values: "-e -o -F" },
  catchsegv: {},
  firejail: {},
  fakeroot: {},
  eatmydata: {},
  proxychains: { values: "-f" },
  proxychains4: { values: "-f" },
  torsocks: {},
  torify: {},
  tsocks: {},
  chroot: { operands: 1, values: "--userspec --groups" },
  proot: { values: "-r -b -m -w -R -S -q -k --rootfs --bind --cwd" },
  bwrap: {
    values: "--dev --proc --tmpfs --dir --chdir --hostname --unsetenv --uid --gid --cap-add --cap-drop --remount-ro",
    pairs: "--bind --ro-bind --dev-bind --bind-try --ro-bind-try --dev-bind-try --symlink --setenv --file --bind-data",
  },
  unshare: { values: "-R -w" },
  nsenter: { values: "-t -S -G --target" },
  // as BSD and macOS have it
  script: { operands: 1, values: "-t -T -F", unless: "-c --command" },
  flock: { operands: 1, values: "-w -E --timeout", unless: "-c --command -u" },
  "systemd-run": { values: "-p -u --unit --property --uid --gid --on-calendar --on-active", unless: "--help" },
  "systemd-inhibit": { values: "--what --who --why --mode" },
  cpulimit: { values: "-l -p -e --limit" },
  "dbus-run-session": {},
  "xvfb-run": { values: "-n -s -e -f" },
  busybox: {},
  toybox: {},
  tmux: {
    verbs: "new|new-session|neww|new-window|splitw|split-window|run|run-shell|respawn-pane|respawnp",
    values: "-L -S -f -s -n -c -t -x -y -l -p -F -e",
  },
  watch: { values: "-n -d --interval" },
  xargs: { values: "-I -i -L -n -P -s -a -d -E --replace --max-lines --max-args --max-procs --arg-file --delimiter" },
  parallel: { values: "-j --jobs -a -I --delay --timeout --colsep -N --joblog" },
  entr: {},
  npx: { values: "-p --package", unless: "-c --call" },
  bunx: {},
  pnpx: {},
  uvx: { values: "--from --with --python" },
  pipx: { verbs: "run" },
  npm: { verbs: "exec|x", unless: "-c --call" },
  pnpm: { verbs: "exec|dlx" },
  yarn: { verbs: "exec|dlx" },
  bun: { verbs: "x" },
  uv: { verbs: "run", values: "--with --python -p --project --directory" },
  poetry: { verbs: "run" },
  pdm: { verbs: "run" },
  hatch: { verbs: "run" },
  rye: { verbs: "run" },
  pipenv: { verbs: "run" },
  bundle: { verbs: "exec" },
  rbenv: { verbs: "exec" },
  pyenv: { verbs: "exec" },
  asdf: { verbs: "exec" },
  mise: [{ verbs: "exec|x", needsDashes: true }],
  direnv: { verbs: "exec", operands: 1 },
  dotenv: { values: "-e -f", needsDashes: true },
  dotenvx: { verbs: "run", needsDashes: true },
  doppler: { verbs: "run", needsDashes: true },
  op: { verbs: "run", needsDashes: true },
  "aws-vault": { verbs: "exec", needsDashes: true },
  conda: { verbs: "run", values: "-n -p --name --prefix" },
  mamba: { verbs: "run", values: "-n -p --name --prefix" },
  "cross-env": { setsVariables: true },
  ssh: {
    operands: 1,
    values: "-b -c -D -E -e -F -I -i -J -L -l -m -o -O -p -Q -R -S -W -w -B",
  },
  sshpass: { values: "-p -f -e" },
  autossh: { operands: 1, values: "-M -p -i -l -o -L -R -D -F" },
  docker: dockerWrappers(),
  podman: dockerWrappers(),
  nerdctl: dockerWrappers(),
  "docker-compose": [{ verbs: "exec|run", operands: 1, values: "-e -u -w --user --workdir --index --env" }],
  kubectl: { verbs: "exec", needsDashes: true },
  oc: { verbs: "exec", needsDashes: true },
  lxc: { verbs: "exec", needsDashes: true },
  incus: { verbs: "exec", needsDashes: true },
  machinectl: { verbs: "shell", operands: 1 },
  "distrobox-enter": { needsDashes: true },
  toolbox: { verbs: "run", values: "-c --container" },
  "flatpak-spawn": {},
  wsl: { values: "-d -u --distribution --user --cd" },
  adb: { verbs: "shell" },
  heroku: { verbs: "run", values: "-a --app" },
  salt: { operands: 2 },
};

function dockerWrappers(): readonly Wrapper[] {
  return [
    { verbs: "exec", operands: 1, values: DOCKER_RUN },
    { verbs: "run", operands: 1, values: DOCKER_RUN },
    { verbs: "container exec|run", operands: 1, values: DOCKER_RUN },
    { verbs: "compose exec|run", operands: 1, values: DOCKER_RUN },
  ];
}

/** Where the program inside of a call begins, as an index of its arguments; undefined when there is none. */
export function findWrapped(call: Call): { readonly start: number; readonly variables: readonly string[] } | undefined {
  const wrapper = Object.hasOwn(WRAPPERS, call.program) ? WRAPPERS[call.program] : undefined;
  if (wrapper === undefined) return undefined;
  const choices: readonly Wrapper[] = "length" in wrapper ? wrapper : [wrapper];
  for (const choice of choices) {
    const found = findInside(call.args, choice);
    if (found !== undefined) return found;
  }
  return undefined;
}

function findInside(
  args: readonly string[],
  { values = "", pairs = "", operands = 0, verbs = "", unless = "", setsVariables, needsDashes }: Wrapper,
): { readonly start: number; readonly variables: readonly string[] } | undefined {
  const takesValue = new Set(values.split(" "));
  const takesTwo = new Set(pairs.split(" "));
  const stops = new Set(unless.split(" "));
  const expected = verbs === "" ? [] : verbs.split(" ");
  const variables: string[] = [];
  const dashes = needsDashes === true ? args.indexOf("--") : -1;
  let left = operands;
  let verb = 0;
  let at = 0;
  let isOver = false;
  for (; at < args.length; at += 1) {
    const arg = args[at] ?? "";
    if (!isOver && arg === "--") {
      isOver = true;
      if (dashes === at && verb === expected.length) return { start: at + 1, variables };
    } else if (!isOver && arg.startsWith("-")) {
      if (stops.has(arg.split("=", 1)[0] ?? arg)) return undefined;
      if (takesTwo.has(arg)) at += 2;
      else if (takesNext(arg, takesValue)) at += 1;
    } else if (verb < expected.length) {
      if (!(expected[verb] ?? "").split("|").includes(arg)) return undefined;
      verb += 1;
    } else if (setsVariables === true && /^[A-Za-z_][A-Za-z_0-9]*=/.test(arg)) variables.push(arg);
    else if (left > 0) left -= 1;
    else if (dashes === -1 && needsDashes !== true) break;
  }
  return at < args.length && left === 0 && verb === expected.length ? { start: at, variables } : undefined;
}

function takesNext(arg: string, takesValue: ReadonlySet<string>): boolean {
  if (takesValue.has(arg)) return true;
  if (arg.startsWith("--")) return false;
  // `-nu root`: the last letter of several takes the value
  const letters = arg.slice(1);
  const first = Array.from(letters).findIndex((letter) => takesValue.has(`-${letter}`));
  return first !== -1 && first === letters.length - 1;
}
