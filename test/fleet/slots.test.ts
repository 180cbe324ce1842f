/** Which node gets a run, and when. */
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { brokerMissing, type FleetBed, startFleet, type Worker } from '../harness/fleet.ts';
import { finished } from '../harness/jobs.ts';
import { TINY_MODEL, TINY_MODEL_PATH } from '../harness/text-models.ts';
import { until } from '../harness/until.ts';

const missing = brokerMissing();

describe.skipIf(missing !== null)(`slots of nodes${missing === null ? '' : ` (skipped: ${missing})`}`, () => {
  let bed: FleetBed;
  let plain: Worker;
  const worker = async (name: string, gpu: string, slots: number) => {
    const models = join(bed.folder, name, 'models');
    await mkdir(models, { recursive: true });
    await copyFile(TINY_MODEL_PATH, join(models, `${TINY_MODEL}.gguf`));
    return bed.worker(name, { gpu, slots });
  };
  const node = async (name: string) => (await bed.fleet()).nodes.find((one) => one.name === name);
  const end = async (label: string, jobId: string) => {
    bed.release(label);
    expect((await finished(bed.appliance.owner, jobId)).status).toBe('completed');
  };
  beforeAll(async () => {
    bed = await startFleet();
    plain = await worker('plain', '', 1);
  });
  afterAll(() => bed[Symbol.asyncDispose]());

  test('a light job runs beside the heavy one that another heavy one waits for', async () => {
    const long = await bed.submit('long');
    await bed.begun('long');
    const next = await bed.submit('next');
    await until(async () => (await bed.job(next)).progress.message.includes('free slot'));
    const light = await bed.submit('light-one');
    expect(await bed.begun('light-one')).toBe(plain.child.pid);
    const shown = await node('plain');
    expect(shown).toMatchObject({ slots: 1, busy: 1, lightBusy: 1, lightSlots: shown?.cores });
    expect(bed.runs('next')).toEqual([]);
    await end('light-one', light);
    await end('long', long);
    await end('next', next);
  });

  test('work for a text model goes to a graphics processor first, other work to the node with most free slots', async () => {
    const fast = await worker('fast', 'Test GPU 9', 2);
    const many = await worker('many', '', 5);
    const text = await bed.submit('text', TINY_MODEL);
    expect(await bed.begun('text')).toBe(fast.child.pid);
    const other = await bed.submit('other');
    expect(await bed.begun('other')).toBe(many.child.pid);
    const second = await bed.submit('second', TINY_MODEL);
    expect(await bed.begun('second')).toBe(fast.child.pid);
    // The graphics processor is busy.
    const third = await bed.submit('third', TINY_MODEL);
    expect(await bed.begun('third')).toBe(many.child.pid);
    const jobs = { text, other, second, third };
    for (const [label, jobId] of Object.entries(jobs)) await end(label, jobId);
  });
});
