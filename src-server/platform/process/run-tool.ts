/**
 * Runs a tool on foreign bytes. Threats: files that make it run forever, print without end, fill the memory, or take it
 * over. Each run has a limit of CPU time and memory, its output is truncated, its environment is allow-listed, and it
 * ends on cancel and with the server. No shell parses the arguments.
 */

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { GIB, SECOND_MS } from '../units.ts';
import { type BoundOptions, spawnBound, spawnLimited } from './bound-process.ts';
import { childEnvironment } from './child-environment.ts';
import { cpuMsOfGroup, cpuMsOfProcess } from './cpu-time.ts';
import { type LimitReached, limitPhrase, limitWork } from './work-limit.ts';

const CAUSE_CHARS = 4000;

/** The reason of a failure is at the end of the output. */
const SAID_CHARS = 64_000;

/** The largest accepted frames take 1.4 GB to decode. A compiler takes 0.5 GB. */
const MEMORY_BYTES_MAX = 2 * GIB;

interface ToolRun {
  path: string;
  args: readonly string[];
  /** Folder in which it runs. */
  cwd?: string;
  signal: AbortSignal;
  /** CPU time of the tool and its children. */
  timeLimitMs: number;
  /** The tool starts other programs, which end with it. */
  startsOthers?: boolean;
  /** Called with whole lines of standard output. */
  onLine?(line: string): void;
  /** Keeps only the end of longer lines of standard output. Default: 64,000. */
  lineCharsMax?: number;
  /** Called with whole lines of standard error. */
  onErrorLine?(line: string): void;
}

interface ToolOutcome {
  /** Null when it was killed. */
  code: number | null;
  /** The end of its standard error. */
  said: string;
  /** The limit that ended it; null when none did. */
  ended: LimitReached | null;
}

/** Starts a program of the owner that serves until it is ended. It reads no foreign bytes from this process. */
export function startService(path: string, args: readonly string[]): ChildProcess {
  return spawn(path, [...args], { env: childEnvironment(), stdio: 'ignore' });
}

/** Resolves when the process has exited. Errors: the signal's reason, and start errors. */
export async function runTool(run: ToolRun): Promise<ToolOutcome> {
  run.signal.throwIfAborted();
  const { child, end } = await startToolGroup(run);
  let said = '';
  let ended: LimitReached | null = null;
  const outLines = lineReader(run.lineCharsMax ?? SAID_CHARS, (line) => run.onLine?.(line));
  const errorLines = lineReader(SAID_CHARS, (line) => run.onErrorLine?.(line));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-SAID_CHARS);
    errorLines.read(text);
  });
  child.stdout?.setEncoding('utf8').on('data', outLines.read);
  const onLimit = (reached: LimitReached) => {
    ended = reached;
    end();
  };
  const limit = limitWork({ cpuLimitMs: run.timeLimitMs, cpuMs: () => cpuMsOf(child, run), onLimit });
  run.signal.addEventListener('abort', end, { once: true });
  // Cancelled during the start.
  if (run.signal.aborted) end();
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on('error', reject);
      child.once('close', (status) => resolve(status));
    });
    run.signal.throwIfAborted();
    outLines.end();
    errorLines.end();
    return { code, said, ended };
  } finally {
    limit.end();
    run.signal.removeEventListener('abort', end);
  }
}

/** Runs a tool for its version and returns both outputs. Errors: start errors, and a failed run. */
export async function askTool(path: string, args: readonly string[], timeLimitMs: number): Promise<string> {
  const lines: string[] = [];
  const signal = new AbortController().signal;
  const onLine = (line: string) => lines.push(line);
  const { code, said, ended } = await runTool({ path, args, signal, timeLimitMs, startsOthers: true, onLine });
  if (ended !== null) throw new Error(`The program was stopped: ${limitPhrase(ended)}.`);
  if (code !== 0) throw new Error(`The program exited with code ${code}. ${said.slice(-CAUSE_CHARS)}`);
  return [...lines, said].join('\n');
}

function cpuMsOf({ pid }: ChildProcess, { startsOthers }: ToolRun): number | null {
  if (pid === undefined) return null;
  return startsOthers === true ? cpuMsOfGroup(pid) : cpuMsOfProcess(pid);
}

async function startToolGroup({ path, args, cwd, startsOthers }: ToolRun): Promise<BoundGroup> {
  const memoryBytesMax = MEMORY_BYTES_MAX;
  const shared: BoundOptions = { stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true, memoryBytesMax };
  const options = cwd === undefined ? shared : { ...shared, cwd };
  if (startsOthers !== true) {
    const child = await spawnBound(path, args, options);
    return { child, end: () => void child.kill('SIGKILL') };
  }
  const group = await spawnBoundGroup(path, args, options);
  // Also end the children that it left behind.
  group.child.once('exit', group.end);
  return group;
}

/** Splits text portions into lines. Of an oversized line only the end is kept. */
function lineReader(charsMax: number, onLine: (line: string) => void): { read(text: string): void; end(): void } {
  let rest = '';
  const readTextPortion = (text: string) => {
    // Kept text is not searched again: a line of megabytes arrives in hundreds of portions.
    const [first = '', ...others] = text.split('\n');
    const lines = [rest + first, ...others];
    const last = lines.pop() ?? '';
    rest = last.length > charsMax ? last.slice(-charsMax) : last;
    for (const line of lines) onLine(line);
  };
  // The last line may have no line end.
  const flushLastLine = () => void (rest !== '' && onLine(rest));
  return { read: readTextPortion, end: flushLastLine };
}

// Starts programs that start others: a downloader that runs ffmpeg, a self-extracting bundle, make. Such a program gets
// its own process group, which is ended as a whole.
//
// On Linux the group also ends with this process. The kernel's death signal reaches only the program that requested it,
// not its children, so GNU `timeout` is the group's first process: it receives the signal as its own alarm and kills
// its group, itself included. On macOS, and with other versions of `timeout`, an orphaned group runs until it is done
// or fails to write to this process. Windows ends the program with this process, but not the program's children.

const GUARD = [
  ...['--pdeathsig', 'ALRM', '--', 'nice', '-n', String(constants.priority.PRIORITY_BELOW_NORMAL)],
  // No time limit here: the caller has one.
  ...['timeout', '--signal=KILL', '0'],
];

const PROBE_LIMIT_MS = 20 * SECOND_MS;

interface BoundGroup {
  /** The first process of the group. Start errors arrive as its `error` event or as its exit code. */
  child: ChildProcess;
  /** Ends the whole group, and what remains of it after the first process has exited. */
  end(): void;
}

let guards: Promise<boolean> | null = null;

/** Environment, memory and priority are those of `spawnBound`. */
async function spawnBoundGroup(path: string, args: readonly string[], options: BoundOptions): Promise<BoundGroup> {
  // Windows has no process groups. There `detached` would open a console window.
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
    // taskkill follows parent ids, so the first process must still exist.
    const args = ['/PID', String(pid), '/T', '/F'];
    if (child.exitCode === null) execFile('taskkill', args, { env: childEnvironment() }, () => child.kill('SIGKILL'));
    return;
  }
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has already exited.
  }
}

/**
 * Tests `timeout` once: other implementations would die of the alarm and leave the group running. After the inner
 * program has answered, the alarm must arrive as a kill.
 */
async function canGuard(): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  const child = spawn('setpriv', [...GUARD, 'cat'], { detached: true, env: childEnvironment() });
  // Not the option `timeout`: its timer outlives a program that could not be started, and holds up the exit.
  const limit = setTimeout(() => endGroup(child), PROBE_LIMIT_MS);
  child.stderr.resume();
  // The program could not be started, or has already exited.
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
    clearTimeout(limit);
    endGroup(child);
  }
}
