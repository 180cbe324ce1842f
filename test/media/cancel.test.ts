/** A cancelled job ends at once in whatever stage it is, and so does everything that it had started. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest';
import { canBuildWhisperCli } from '../../src-server/features/media/whisper-cli.ts';
import { descendantsOf, isAtWork } from '../harness/child-processes.ts';
import { HELD_STAGES, type HeldStage, openStudio, type Studio, started } from '../harness/held-stages.ts';
import { finished } from '../harness/jobs.ts';
import { until } from '../harness/until.ts';

const LINUX_ONLY = 'Linux alone tells which processes there are.';

let studio: Studio;
beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio[Symbol.asyncDispose]());

async function read(path: string): Promise<unknown> {
  return (await studio.appliance.owner(path)).json();
}

describe('work that is cancelled leaves no process, no connection and no busy thread behind while', () => {
  /** Where a connection, a process and a thread are held. */
  const short = ['a file is fetched that drips a byte at a time', 'the sound is read', 'the detector looks for speech'];
  const stages = HELD_STAGES.map((held) => [held.title, held] as const);
  test.for(stages.filter(([title]) => short.includes(title)))('%s', ([, held], { skip }) => endsAtOnce(held, skip));
  test.for(stages.filter(([title]) => !short.includes(title)))('%s', { tags: ['long'] }, ([, held], { skip }) =>
    endsAtOnce(held, skip),
  );

  async function endsAtOnce(held: HeldStage, skip: TestContext['skip']): Promise<void> {
    skip(process.platform !== 'linux', LINUX_ONLY);
    const { appliance } = studio;
    const answer = await held.begin(studio);
    expect(answer.status, await answer.clone().text()).toBe(202);
    const { jobId } = (await answer.json()) as { jobId: string };
    await until(async () => {
      const { progress, error } = (await read(`/v1/jobs/${jobId}`)) as { progress: Progress; error?: unknown };
      expect(error, JSON.stringify(error)).toBeUndefined();
      // What holds the stage comes first: progress is written down a moment later.
      return held.isThere(studio, progress.message) && progress.stage === held.stage;
    });
    const running = descendantsOf(appliance.pid);
    expect((await appliance.owner(`/v1/jobs/${jobId}`, { method: 'DELETE' })).status).toBe(204);
    const job = await finished(appliance.owner, jobId);
    expect(job).toMatchObject({ status: 'failed', error: { code: 'cancelled' } });
    await until(() => !running.some(isAtWork) && descendantsOf(appliance.pid).length === 0);
    await until(() => studio.dripping() === 0);
    await until(async () => ((await read('/admin/overview')) as { pool: { busy: number } }).pool.busy === 0);
  }

  test('whisper-cli is built with compilers', { tags: ['long'] }, async ({ skip }) => {
    skip(process.platform !== 'linux', LINUX_ONLY);
    skip(!(await canBuildWhisperCli()), 'There is no compiler here.');
    const { appliance } = studio;
    const media = '/admin/media/whisper-cli';
    expect((await appliance.owner(`${media}/install?from=source`, { method: 'POST' })).status).toBe(202);
    // make and its compiler.
    await until(() => started(studio, 'ggml.o').length > 1);
    expect((await appliance.owner(`${media}/cancel`, { method: 'POST' })).status).toBe(204);
    await until(() => descendantsOf(appliance.pid).length === 0);
    expect(await read(`${media}/progress`)).toMatchObject({ status: 'cancelled' });
    // What is built is for the next attempt.
    expect(await readdir(join(appliance.dataDir, 'tools/whisper.cpp'))).toEqual(['whisper-build']);
  });
});

interface Progress {
  stage: string;
  message: string;
}
