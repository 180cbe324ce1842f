/**
 * How long after `DELETE /jobs/{id}` the work of a video's job is over, stage by stage: its job is `failed` with
 * `cancelled`, and no process that the server had started is left. The stages are held by the stand-ins of
 * `test/media/cancel.test.ts`. There is no peer: what it is measured by is the second that is promised.
 */
import { descendantsOf, isAtWork } from '../test/harness/child-processes.ts';
import { HELD_STAGES, type HeldStage, openStudio } from '../test/harness/held-stages.ts';
import { until } from '../test/harness/until.ts';
import { expectTarget, median, printTable } from './figures.ts';

const ROUNDS = 5;
const WAIT_MS = 120_000;
const LOOK_MS = 2;
const CANCEL_MAX_MS = 1000;

const studio = await openStudio();
const { appliance } = studio;

async function shown(jobId: string): Promise<{ status: string; progress: { stage: string; message: string } }> {
  return (await (await appliance.owner(`/v1/jobs/${jobId}`)).json()) as Awaited<ReturnType<typeof shown>>;
}

/** Milliseconds from the request until it is answered, and until nothing is left. */
async function cancelled(held: HeldStage): Promise<{ answeredMs: number; overMs: number; processes: number }> {
  const answer = await held.begin(studio);
  if (answer.status !== 202) throw new Error(`${answer.status} ${await answer.text()}`);
  const { jobId } = (await answer.json()) as { jobId: string };
  await until(async () => {
    const { status, progress } = await shown(jobId);
    if (status === 'failed') throw new Error(`${held.title}: the job failed.`);
    // What holds the stage comes first: progress is written down a moment later.
    return held.isThere(studio, progress.message) && progress.stage === held.stage;
  }, WAIT_MS);
  const started = descendantsOf(appliance.pid);
  const startedAt = performance.now();
  await appliance.owner(`/v1/jobs/${jobId}`, { method: 'DELETE' });
  const answeredMs = performance.now() - startedAt;
  while (started.some(isAtWork) || descendantsOf(appliance.pid).length > 0 || studio.dripping() > 0) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  const overMs = performance.now() - startedAt;
  if ((await shown(jobId)).status !== 'failed') throw new Error(`${held.title}: the job is not cancelled.`);
  return { answeredMs, overMs, processes: started.length };
}

try {
  const rows: Record<string, string | number>[] = [];
  let worstMs = 0;
  for (const held of HELD_STAGES) {
    const runs: Awaited<ReturnType<typeof cancelled>>[] = [];
    for (let round = 0; round < ROUNDS; round += 1) runs.push(await cancelled(held));
    const over = runs.map(({ overMs }) => overMs);
    worstMs = Math.max(worstMs, ...over);
    rows.push({
      while: held.title,
      processes: Math.max(...runs.map(({ processes }) => processes)),
      'answered, ms': median(runs.map(({ answeredMs }) => answeredMs)),
      'all gone, ms': median(over),
      'at most, ms': Math.max(...over),
    });
  }
  printTable(rows);
  expectTarget(
    `a cancelled job is over within a second at every stage (${Math.round(worstMs)} ms)`,
    worstMs <= CANCEL_MAX_MS,
  );
} finally {
  await studio[Symbol.asyncDispose]();
}
