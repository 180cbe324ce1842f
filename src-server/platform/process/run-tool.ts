/**
 * Runs a tool on foreign bytes. The threats are files that make it run for ever, print without end or fill the memory,
 * and files that take it over. Every run has a deadline and a bound on its memory, its output is cut, it gets no
 * variable that is not allow-listed, and a cancel ends it at once, as does the end of the server. Arguments are a list
 * that no shell parses.
 */

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { GIB, SECOND_MS } from '../units.ts';
import { type BoundOptions, spawnBound, spawnLimited } from './bound-process.ts';
import { childEnvironment } from './child-environment.ts';

const CAUSE_CHARS = 4000;

/** The reason of a failure is at the end of what it prints. */
const SAID_CHARS = 64_000;

/** The largest pictures that are decoded take 1.4 GB; a compiler takes 0.5 GB. */
const MEMORY_BYTES_MAX = 2 * GIB;

interface ToolRun {
  path: string;
  args: readonly string[];
  signal: AbortSignal;
  timeLimitMs: number;
  /** It starts other programs, which end with it. */
  startsOthers?: boolean;
  /** Whole lines of its standard output. */
  onLine?(line: string): void;
  /** Of a longer line of its standard output only the end is kept; 64,000 where it is not said. */
  lineCharsMax?: number;
  /** Whole lines of its standard error. */
  onErrorLine?(line: string): void;
}

interface ToolOutcome {
  /** Null where it was ended from outside. */
  code: number | null;
  /** The end of its standard error. */
  said: string;
  timedOut: boolean;
}

/** Resolves once the process is gone. Errors: the signal's reason, and those of starting it. */
export async function runTool(run: ToolRun): Promise<ToolOutcome> {
  run.signal.throwIfAborted();
  const { child, end } = await start(run);
  let said = '';
  let timedOut = false;
  const outLines = lineReader(run.lineCharsMax ?? SAID_CHARS, (line) => run.onLine?.(line));
  const errorLines = lineReader(SAID_CHARS, (line) => run.onErrorLine?.(line));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-SAID_CHARS);
    errorLines.read(text);
  });
  child.stdout?.setEncoding('utf8').on('data', outLines.read);
  const limit = setTimeout(() => {
    timedOut = true;
    end();
  }, run.timeLimitMs);
  run.signal.addEventListener('abort', end, { once: true });
  // Cancelled while it was being started.
  if (run.signal.aborted) end();
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on('error', reject);
      child.once('close', (status) => resolve(status));
    });
    run.signal.throwIfAborted();
    outLines.end();
    errorLines.end();
    return { code, said, timedOut };
  } finally {
    clearTimeout(limit);
    run.signal.removeEventListener('abort', end);
  }
}

/** What a tool prints on both outputs, to learn which one it is. Errors: those of starting it, and a failed run. */
export async function askTool(path: string, args: readonly string[], timeLimitMs: number): Promise<string> {
  const lines: string[] = [];
  const signal = new AbortController().signal;
  const onLine = (line: string) => lines.push(line);
  const { code, said, timedOut } = await runTool({ path, args, signal, timeLimitMs, startsOthers: true, onLine });
  if (timedOut) throw new Error('It did not answer in time.');
  if (code !== 0) throw new Error(`It ended with ${code}. ${said.slice(-CAUSE_CHARS)}`);
  return [...lines, said].join('\n');
}

async function start({ path, args, startsOthers }: ToolRun): Promise<BoundGroup> {
  const memoryBytesMax = MEMORY_BYTES_MAX;
  const options: BoundOptions = { stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true, memoryBytesMax };
  if (startsOthers !== true) {
    const child = await spawnBound(path, args, options);
    return { child, end: () => void child.kill('SIGKILL') };
  }
  const group = await spawnBoundGroup(path, args, options);
  // Whom it left behind would work for nobody.
  group.child.once('exit', group.end);
  return group;
}

/** Takes text in any portions and gives whole lines; of one that is too long only its last part is kept. */
function lineReader(charsMax: number, onLine: (line: string) => void): { read(text: string): void; end(): void } {
  let rest = '';
  const read = (text: string) => {
    // What is kept is not looked through again: a line of megabytes comes in hundreds of portions.
    const [first = '', ...others] = text.split('\n');
    const lines = [rest + first, ...others];
    const last = lines.pop() ?? '';
    rest = last.length > charsMax ? last.slice(-charsMax) : last;
    for (const line of lines) onLine(line);
  };
  // A last line may have no end.
  const end = () => void (rest !== '' && onLine(rest));
  return { read, end };
}

/**
 * Starts programs that start others in their turn: a downloader that calls ffmpeg, a bundle that unpacks itself and
 * runs what it unpacked, make. Such a program gets a process group, which is ended as a whole.
 *
 * That it also ends with this process, however that is ended, Linux does: the death signal of the kernel reaches only
 * the program that asked for it, not those that this one starts, so `timeout` of the GNU tools stands between. It gets
 * the signal of its own alarm, takes its time to be up, and kills its group, itself included. On macOS, and where the
 * tools are others, such a program goes on by itself until it is done or misses this process. Windows ends the program
 * with this process, but not what that has started.
 */

const GUARD = [
  ...['--pdeathsig', 'ALRM', '--', 'nice', '-n', String(constants.priority.PRIORITY_BELOW_NORMAL)],
  // No time of its own: the one who starts it has a limit.
  ...['timeout', '--signal=KILL', '0'],
];

const PROBE_LIMIT_MS = 20 * SECOND_MS;

interface BoundGroup {
  /** The first of the group. Errors of starting come as its `error` event, or as its exit code. */
  child: ChildProcess;
  /** Ends all of them at once; those that are left when the first has ended by itself too. */
  end(): void;
}

let guards: Promise<boolean> | null = null;

/** The environment, the memory and the priority are those of `spawnBound`. */
async function spawnBoundGroup(path: string, args: readonly string[], options: BoundOptions): Promise<BoundGroup> {
  // Windows has no groups, and would give it a window of its own.
  const grouped = { ...options, detached: process.platform !== 'win32' };
  guards ??= canGuard();
  const child = (await guards)
    ? spawnLimited(['setpriv', ...GUARD, path, ...args], grouped)
    : await spawnBound(path, args, grouped);
  return { child, end: () => endGroup(child) };
}

function endGroup(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  if (process.platform === 'win32') {
    // It goes by who started whom, so it needs the first to be there still.
    const args = ['/PID', String(pid), '/T', '/F'];
    if (child.exitCode === null) execFile('taskkill', args, { env: childEnvironment() }, () => child.kill('SIGKILL'));
    return;
  }
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // None of them is left.
  }
}

/**
 * Tried out, because other systems have tools of the same names that would die of the alarm and leave the rest alone:
 * once the program inside has answered, the alarm must come out as a kill.
 */
async function canGuard(): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  const options = { detached: true, timeout: PROBE_LIMIT_MS, env: childEnvironment() };
  const child = spawn('setpriv', [...GUARD, 'cat'], options);
  child.stderr.resume();
  // Where it cannot be started, or has ended already.
  child.stdin.on('error', () => undefined);
  child.stdin.write('.');
  child.stdout.once('data', () => child.kill('SIGALRM'));
  try {
    const [, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    return signal === 'SIGKILL';
  } catch {
    // Not installed.
    return false;
  } finally {
    endGroup(child);
  }
}
