/**
 * Starts programs that end with this process, also when it is killed and cannot say anything to anybody. Windows ends
 * them by itself. Linux does for those that ask: `setpriv`, which every distribution's util-linux brings, asks and then
 * becomes the program, so nothing stands between. Elsewhere, and where it is missing, a program that is left alone ends
 * with its work.
 */
import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { promisify } from 'node:util';
import { SECOND_MS } from './units.ts';

const ASK = ['--pdeathsig', 'KILL'];
const PROBE_LIMIT_MS = 20 * SECOND_MS;

let asks: Promise<boolean> | null = null;

/**
 * Like `spawn`: errors of starting come as the process's `error` event, or as its exit code. The program stands back
 * for the thread that answers requests.
 */
export async function spawnBound(path: string, args: readonly string[], options: SpawnOptions): Promise<ChildProcess> {
  asks ??= canAsk();
  const child = (await asks) ? spawn('setpriv', [...ASK, '--', path, ...args], options) : spawn(path, args, options);
  if (child.pid !== undefined) standBack(child.pid);
  return child;
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
    await promisify(execFile)('setpriv', [...ASK, '--', 'true'], { timeout: PROBE_LIMIT_MS });
    return true;
  } catch {
    // Not installed, or without the option.
    return false;
  }
}
