import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { wordDocument } from '../harness/documents.ts';
import { fileForm, finished } from '../harness/jobs.ts';
import { until } from '../harness/until.ts';

const HOSTILE_WORKER = new URL('../platform/pool/hostile-worker.ts', import.meta.url);
const BACK_OFF_MS = 60_000;
const DOCUMENT = wordDocument(['The text of a document.']);

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance({ workerEntry: HOSTILE_WORKER, threads: 2 });
});
afterAll(() => appliance.close());

async function send(fileName: string): Promise<string> {
  const headers = { prefer: 'wait=0' };
  const answer = await appliance.owner('/v1/extract/doc', {
    method: 'POST',
    body: fileForm(DOCUMENT, fileName),
    headers,
  });
  expect(answer.status).toBe(202);
  return ((await answer.json()) as { jobId: string }).jobId;
}

describe('a document that', () => {
  test.each([
    ['ends its thread', 'exit.docx', 'engine_failed', 3],
    ['throws where nobody catches', 'uncaught.docx', 'engine_failed', 3],
    ['fills the heap', 'heap.docx', 'out_of_memory', 1],
  ])('%s fails its own job with a clear error, and the others are done', async (_what, fileName, code, attempts) => {
    const hostile = await send(fileName);
    const others = await Promise.all(Array.from({ length: 6 }, () => send('good.docx')));
    for (const jobId of others) expect((await finished(appliance.owner, jobId)).status).toBe('completed');
    await until(async () => {
      const answer = await appliance.owner(`/v1/jobs/${hostile}`);
      const { status } = (await answer.json()) as { status: string };
      // Not while it runs, which takes a slow machine so many looks that they came to days.
      if (status === 'queued') appliance.clock.advance(BACK_OFF_MS);
      return status === 'failed';
    });
    const job = await finished(appliance.owner, hostile);
    expect(job.error).toMatchObject({ code, attempts });
    expect(JSON.stringify(job)).not.toMatch(/secret|\/home|node_modules/);
    expect((await finished(appliance.owner, await send('good.docx'))).status).toBe('completed');
  });

  test('keeps its thread from listening can be cancelled, and its thread works again', async () => {
    const stuck = await Promise.all([send('deaf.docx'), send('deaf.docx')]);
    await until(async () => {
      const overview = (await (await appliance.owner('/admin/overview')).json()) as { pool: { busy: number } };
      return overview.pool.busy === 2;
    });
    expect((await fetch(`${appliance.url}/health`)).status).toBe(200);
    for (const jobId of stuck) {
      expect((await appliance.owner(`/v1/jobs/${jobId}`, { method: 'DELETE' })).status).toBe(204);
      expect((await finished(appliance.owner, jobId)).error).toMatchObject({ code: 'cancelled' });
    }
    expect((await finished(appliance.owner, await send('good.docx'))).status).toBe('completed');
  });
});
