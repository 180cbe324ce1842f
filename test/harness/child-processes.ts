import { readdirSync, readFileSync } from 'node:fs';

/** Ids of this process's children whose command line holds the text; Linux alone tells. */
export function childrenLike(text: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return parentOf(pid) === process.pid && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text);
      } catch {
        // It ended between the two looks.
        return false;
      }
    });
}

export function parentOf(pid: number): number {
  return Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]);
}

/** Ids of all processes whose command line holds the text, whosever they are. */
export function processesLike(text: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return pid !== process.pid && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text);
      } catch {
        // It ended between the two looks.
        return false;
      }
    });
}

/** Ids of the process's children, of their children, and so on. One that is left alone by its own is nobody's here. */
export function descendantsOf(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const other of readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)) {
    try {
      parents.set(other, parentOf(other));
    } catch {
      // It ended between the two looks.
    }
  }
  const found = [pid];
  for (const parent of found) {
    for (const [child, itsParent] of parents) if (itsParent === parent) found.push(child);
  }
  return found.slice(1);
}

/** Whether the process is there and does, or could do, anything: one that waits to be buried does not count. */
export function isAtWork(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** How far a process stands back for others: 0 is as everybody, 19 as far as can be. */
export function niceOf(pid: number): number {
  return Number(
    readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')[16],
  );
}
