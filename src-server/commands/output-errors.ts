/** Write errors of commands, as a sentence for the user. */

import { getSystemErrorMessage } from 'node:util';
import { systemCodeOf } from '../platform/errors.ts';
import { recordOf } from '../platform/records.ts';

const WRITING = new Set(['write', 'open', 'mkdir']);

/** The sentence for an output that cannot be written; null for other errors. */
export function outputProblem(error: unknown): string | null {
  const { errno, syscall, path } = recordOf(error);
  if (typeof errno !== 'number' || !WRITING.has(String(syscall))) return null;
  return `The output${typeof path === 'string' ? ` ${path}` : ''} cannot be written: ${getSystemErrorMessage(errno)}.`;
}

/** A reader that has what it wants: `| head -1`. */
export function isClosedPipe(error: unknown): boolean {
  const code = systemCodeOf(error);
  return code === 'EPIPE' || code === 'ERR_STREAM_PREMATURE_CLOSE';
}

/**
 * Prints one sentence when standard output cannot be written, such as on a full disk, and lets the process end with 1.
 */
export function watchStandardOutput(): void {
  let isLost = false;
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', (error: Error) => {
    if (isLost || isClosedPipe(error)) return;
    isLost = true;
    process.stderr.write(`${outputProblem(error) ?? error.message}\n`);
  });
  process.on('exit', () => {
    if (isLost) process.exitCode = 1;
  });
}
