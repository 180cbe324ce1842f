/**
 * Starts programs of others: with an allow-listed environment, a bound on their memory, and so that they end with this
 * process.
 *
 * Their end: also when this process is killed and cannot tell anybody. Windows ends them by itself. Linux does for
 * those that ask: `setpriv`, which every distribution's util-linux brings, asks and then becomes the program, so no
 * process stands between. Elsewhere, and where it is missing, a program that is left alone ends with its work.
 *
 * Their memory: on Linux the shell sets RLIMIT_DATA and becomes the program. The limit counts what a program can write
 * to, so the address space that V8 reserves does not count, and the program's own children inherit it. macOS and
 * Windows know no such limit for a process that does not set it itself.
 */
import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { promisify } from 'node:util';
import { KIB, SECOND_MS } from '../units.ts';
import { childEnvironment } from './child-environment.ts';

/** A lower limit that is in force already stays. The program and its arguments are `"$@"`: the shell parses neither. */
const LIMIT_SCRIPT =
  'limit=$1; shift; ulimit -d "$limit" 2>/dev/null || [ "$(ulimit -H -d)" != unlimited ] || exit 126; exec "$@"';
const ASK = ['--pdeathsig', 'KILL'];
const PROBE_LIMIT_MS = 20 * SECOND_MS;

let asks: Promise<boolean> | null = null;

export interface BoundOptions extends Omit<SpawnOptions, 'env' | 'shell'> {
  /** Bytes that the program, and each one that it starts, can write to. Linux alone keeps the bound. */
  memoryBytesMax: number;
}

/**
 * Like `spawn`: errors of starting come as the process's `error` event, or as its exit code. The program has a lower
 * priority than the thread that answers requests.
 */
export async function spawnBound(path: string, args: readonly string[], options: BoundOptions): Promise<ChildProcess> {
  asks ??= canAsk();
  const child = spawnLimited((await asks) ? ['setpriv', ...ASK, '--', path, ...args] : [path, ...args], options);
  if (child.pid !== undefined) standBack(child.pid);
  return child;
}

/** Starts a program with the environment and the memory that it may have. */
export function spawnLimited(
  command: readonly [path: string, ...args: string[]],
  { memoryBytesMax, ...options }: BoundOptions,
): ChildProcess {
  const own = { ...options, env: childEnvironment() };
  const [path, ...args] = command;
  if (process.platform !== 'linux') return spawn(path, args, own);
  const limitKib = String(Math.floor(memoryBytesMax / KIB));
  return spawn('/bin/sh', ['-c', LIMIT_SCRIPT, 'sh', limitKib, ...command], own);
}

/** Gives a process less of the machine where others want it. */
export function standBack(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has ended already, or the system does not let anybody: then it is as fast as the others.
  }
}

/**
 * The same for the thread that calls. Linux alone knows a priority of single threads; elsewhere this would slow the
 * whole process down, so that nothing is done.
 */
export function standBackThread(): void {
  if (process.platform === 'linux') standBack(0);
}

/** Smaller systems have a `setpriv` that does not know how. */
async function canAsk(): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  try {
    await promisify(execFile)('setpriv', [...ASK, '--', 'true'], { timeout: PROBE_LIMIT_MS, env: childEnvironment() });
    return true;
  } catch {
    // Not installed, or without the option.
    return false;
  }
}
