import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { getPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { CHILD_PROGRAM_FILES, forkChildPrograms } from '../../../src-server/platform/rpc/child-process.ts';

const PROGRAMS = ['embedding', 'render', 'speech', 'text-model', 'voice'] as const;
const POLL_MS = 20;

let child: ChildProcess | null = null;

afterEach(async () => {
  if (child === null || child.exitCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
});

describe('a child program', () => {
  it.each(PROGRAMS)('gives way to the threads that answer requests: %s', async (name) => {
    const own = getPriority();
    child = fork(new URL(`../../../workers/${CHILD_PROGRAM_FILES[name]}.ts`, import.meta.url), { stdio: 'ignore' });
    await once(child, 'spawn');
    const pid = child.pid ?? 0;
    // A program that never does runs into the limit of the test.
    while (child.exitCode === null && getPriority(pid) <= own) await sleep(POLL_MS);
    expect(getPriority(pid)).toBeGreaterThan(own);
  });

  it.each(PROGRAMS)('ends when whoever started it has gone: %s', async (name) => {
    child = fork(new URL(`../../../workers/${CHILD_PROGRAM_FILES[name]}.ts`, import.meta.url), { stdio: 'ignore' });
    const gone = once(child, 'exit');
    await once(child, 'spawn');
    child.disconnect();
    expect(await gone).toEqual([0, null]);
  });

  it('that the system does not start is told of as one that ended, whoever asked for it', async () => {
    // As it is thrown where there is no memory for another process: no file can be forked from such an address.
    const start = forkChildPrograms(new URL('http://127.0.0.1/entry.ts'));
    const { promise, resolve } = Promise.withResolvers<string>();
    const program = start('speech', { onMessage: () => {}, onEnd: resolve });
    program.send({ kind: 'load' });
    program.end();
    expect(await promise).toMatch(/^Could not be started\. /);
  });
});
