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

/** How far a process stands back for others: 0 is as everybody, 19 as far as can be. */
export function niceOf(pid: number): number {
  return Number(
    readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')[16],
  );
}
