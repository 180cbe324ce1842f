import { MINUTE_MS } from '../units.ts';
import type { StartChildProgram } from './child-process.ts';

const CHECK_LIMIT_MS = 2 * MINUTE_MS;

/** Whether a native engine loads on this machine: tried in its own process, which may die of it. */
export async function engineRuns(start: StartChildProgram, name: 'speech' | 'text-model'): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const program = start(name, {
    onMessage: (message) => resolve((message as { kind: string }).kind === 'able'),
    onEnd: () => resolve(false),
  });
  const limit = setTimeout(() => resolve(false), CHECK_LIMIT_MS);
  program.send({ kind: 'check' });
  return promise.finally(() => {
    clearTimeout(limit);
    program.end();
  });
}
