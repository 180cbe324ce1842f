/**
 * Starts third-party programs with an allow-listed environment, a memory limit, and a lifetime bound to this process.
 *
 * Lifetime: the programs also end when this process is killed. Windows does this by itself. On Linux, `setpriv` (part
 * of util-linux in every distribution) requests the parent-death signal and then replaces itself with the program.
 * Elsewhere, or without `setpriv`, an orphaned program ends when its work is done.
 *
 * Memory: on Linux the shell sets RLIMIT_DATA and replaces itself with the program. The limit counts writable memory,
 * so the address space that V8 reserves does not count, and children inherit it. macOS and Windows offer no such limit
 * from outside a process.
 */
import { type ChildProcess, execFile, execFileSync, type SpawnOptions, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { promisify } from 'node:util';
import { KIB, SECOND_MS } from '../units.ts';
import { childEnvironment } from './child-environment.ts';

/** A lower limit already in force remains. The program and its arguments are `"$@"`: the shell does not parse them. */
const LIMIT_SCRIPT =
  'limit=$1; shift; ulimit -d "$limit" 2>/dev/null || [ "$(ulimit -H -d)" != unlimited ] || exit 126; exec "$@"';
const ASK = ['--pdeathsig', 'KILL'];
const PROBE_LIMIT_MS = 20 * SECOND_MS;

let asks: Promise<boolean> | null = null;

export interface BoundOptions extends Omit<SpawnOptions, 'env' | 'shell'> {
  /** Writable bytes for the program and each of its children. Only enforced on Linux. */
  memoryBytesMax: number;
}

/**
 * Like `spawn`: start errors arrive as the `error` event or as the exit code. The program runs at a lower priority than
 * the thread that answers requests.
 */
export async function spawnBound(path: string, args: readonly string[], options: BoundOptions): Promise<ChildProcess> {
  asks ??= canAsk();
  const child = spawnLimited((await asks) ? ['setpriv', ...ASK, '--', path, ...args] : [path, ...args], options);
  if (child.pid !== undefined) standBack(child.pid);
  return child;
}

/** Starts a program with the allowed environment and the memory limit. */
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

/**
 * Limits the writable bytes of this process, for programs of the server: Electron starts them without a shell. Only
 * enforced on Linux, where `prlimit` is part of util-linux. PATH may name other folders only.
 */
export function limitOwnMemory(bytesMax: number): void {
  if (process.platform !== 'linux') return;
  // A lower limit already in force remains.
  const [, hardLimit] = /^Max data size +\S+ +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  if (hardLimit !== undefined && Number(hardLimit) <= bytesMax) return;
  const env = { ...childEnvironment(), PATH: `${process.env.PATH}:/usr/bin:/bin` };
  execFileSync('prlimit', ['--pid', String(process.pid), `--data=${bytesMax}`], { env, stdio: 'ignore' });
}

/** Lowers the priority of a process. */
export function standBack(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has exited, or the system does not allow the change. It then keeps the normal priority.
  }
}

/**
 * Lowers the priority of the calling thread. Only Linux has priorities per thread. Elsewhere this would slow down the
 * whole process, so it does nothing.
 */
export function standBackThread(): void {
  if (process.platform === 'linux') standBack(0);
}

/** BusyBox and other small systems have a `setpriv` without this option. */
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
