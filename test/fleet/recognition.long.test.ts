import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { FleetView } from '../../src-server/features/fleet/schema.ts';
import { brokerMissing, freePort } from '../harness/fleet.ts';
import { fileForm, finished } from '../harness/jobs.ts';
import { CLIPS, clips, startWithSpeech, transcribed } from '../harness/speech.ts';
import { until } from '../harness/until.ts';

const CLI = join(import.meta.dirname, '../../src-server/cli.ts');

const missing = brokerMissing();

const SCAN_BYTES = 65_536;

/** Fields that differ between two jobs of one file. */
const withoutUrls = (result: unknown) => JSON.parse(JSON.stringify(result).replace(/job_[\w-]+/g, 'job'));

test.skipIf(missing !== null)(
  `a talk and a scan are recognised by the command quarry work, as on this machine${missing === null ? '' : ` (skipped: ${missing})`}`,
  async () => {
    await using appliance = await startWithSpeech();
    const headers = { 'content-type': 'application/json' };
    const send = (path: string, method: string, body: unknown) =>
      appliance.owner(path, { method, headers, body: JSON.stringify(body) });
    const [clip] = await clips();
    const talk = await readFile(join(CLIPS, clip?.file ?? ''));
    const here = await transcribed(appliance, talk, 'talk.wav');
    // As large as a scan: bytes after the picture are ignored.
    const picture = await readFile(join(import.meta.dirname, '../fixtures/documents/images/frames.tiff'));
    const scan = Buffer.concat([picture, Buffer.alloc(SCAN_BYTES)]);
    const read = async () => {
      const form = fileForm(scan, 'frames.tiff');
      const answer = await appliance.owner('/v1/extract/doc', { method: 'POST', body: form });
      return finished(appliance.owner, ((await answer.json()) as { jobId: string }).jobId);
    };
    const scanHere = await read();
    expect(scanHere.status).toBe('completed');
    const choices = { enabled: true, localSlots: 0, port: await freePort(), brokerPort: await freePort() };
    expect((await send('/admin/fleet', 'PATCH', choices)).status).toBe(200);
    const { join: address } = (await (await send('/admin/fleet/nodes', 'POST', { name: 'tower' })).json()) as {
      join: string;
    };
    const models = ['--models-dir', join(appliance.dataDir, 'models'), '--data-dir', `${appliance.dataDir} of tower`];
    const worker = spawn(process.execPath, [CLI, 'work', '--join', address, ...models], { stdio: 'ignore' });
    try {
      await until(async () => {
        const { nodes } = (await (await appliance.owner('/admin/fleet')).json()) as FleetView;
        return nodes[0]?.status === 'online';
      });
      const placeOf = async (jobId: string) =>
        ((await (await appliance.owner(`/admin/jobs/${jobId}`)).json()) as { node: string | null }).node;
      const there = await transcribed(appliance, talk, 'talk.wav');
      expect(await placeOf(there.jobId)).toBe('tower');
      expect(there.status).toBe('completed');
      expect(withoutUrls(there.result)).toEqual(withoutUrls(here.result));
      const captions = await appliance.owner(new URL(there.result?.captions.srt.url ?? '').pathname);
      expect(await captions.text()).toContain('-->');
      const scanThere = await read();
      expect(await placeOf(scanThere.jobId)).toBe('tower');
      expect(withoutUrls(scanThere.result)).toEqual(withoutUrls(scanHere.result));
    } finally {
      worker.kill('SIGTERM');
      await new Promise((resolve) => worker.once('close', resolve));
    }
  },
);
