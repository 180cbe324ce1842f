/**
 * Runs a media tool on foreign bytes. The threats are files that make it run for ever or talk without end: every run
 * has a deadline, its words are cut, a cancel ends it at once, and so does the server's own end. Arguments are a list;
 * no shell is ever used.
 */
import type { SpawnOptions } from 'node:child_process';
import { type BoundGroup, spawnBoundGroup } from '../../lib/bound-group.ts';
import { spawnBound } from '../../lib/bound-process.ts';

/** The end of what it said is where the reason stands. */
const SAID_CHARS = 64_000;

export interface ToolRun {
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

export interface ToolOutcome {
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
  const hearErrorLines = lineReader(SAID_CHARS, (line) => run.onErrorLine?.(line));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-SAID_CHARS);
    hearErrorLines(text);
  });
  child.stdout?.setEncoding('utf8').on(
    'data',
    lineReader(run.lineCharsMax ?? SAID_CHARS, (line) => run.onLine?.(line)),
  );
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
    return { code, said, timedOut };
  } finally {
    clearTimeout(limit);
    run.signal.removeEventListener('abort', end);
  }
}

async function start({ path, args, startsOthers }: ToolRun): Promise<BoundGroup> {
  const options: SpawnOptions = { stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true };
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
function lineReader(charsMax: number, onLine: (line: string) => void): (text: string) => void {
  let rest = '';
  return (text) => {
    // What is kept is not looked through again: a line of megabytes comes in hundreds of portions.
    const [first = '', ...others] = text.split('\n');
    const lines = [rest + first, ...others];
    const last = lines.pop() ?? '';
    rest = last.length > charsMax ? last.slice(-charsMax) : last;
    for (const line of lines) onLine(line);
  };
}
