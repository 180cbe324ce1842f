import type { UtilityProcess } from 'electron';

/** A hung process hears no polite signal, so it is not asked. One that is still starting is ended when it has. */
export function endNow(child: UtilityProcess): void {
  if (child.pid === undefined) child.once('spawn', () => kill(child.pid));
  else kill(child.pid);
}

function kill(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // It has just ended by itself.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
