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
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { SECOND_MS } from '../units.ts';
import { type BoundOptions, spawnBound, spawnLimited } from './bound-process.ts';
import { childEnvironment } from './child-environment.ts';

const GUARD = [
  ...['--pdeathsig', 'ALRM', '--', 'nice', '-n', String(constants.priority.PRIORITY_BELOW_NORMAL)],
  // No time of its own: the one who starts it has a limit.
  ...['timeout', '--signal=KILL', '0'],
];
const PROBE_LIMIT_MS = 20 * SECOND_MS;

export interface BoundGroup {
  /** The first of the group. Errors of starting come as its `error` event, or as its exit code. */
  child: ChildProcess;
  /** Ends all of them at once; those that are left when the first has ended by itself too. */
  end(): void;
}

let guards: Promise<boolean> | null = null;

/** The environment, the memory and the priority are those of `spawnBound`. */
export async function spawnBoundGroup(
  path: string,
  args: readonly string[],
  options: BoundOptions,
): Promise<BoundGroup> {
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
