import { type ChildProcess, spawn } from 'node:child_process';
import type { CrashTask } from './crash-child.ts';

const CHILD = new URL('crash-child.ts', import.meta.url).pathname;

/** Starts a process that does the task. `signal`: what ended it, or what it said when nothing did. */
export function startChild(task: CrashTask): {
  process: ChildProcess;
  signal: Promise<NodeJS.Signals | string | null>;
} {
  const child = spawn(process.execPath, [CHILD, JSON.stringify(task)], { stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (part: Buffer) => {
    errors += part.toString();
  });
  const signal = new Promise<NodeJS.Signals | string | null>((resolve) => {
    child.once('exit', (code, signalName) => resolve(signalName ?? `ended with ${code}: ${errors}`));
  });
  return { process: child, signal };
}
