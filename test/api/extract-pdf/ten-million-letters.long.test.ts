/** A page with ten million letters: bounded memory, bounded work, and an answer that says what happened. */
import { readFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApplianceProcess, startApplianceProcess } from '../../harness/appliance-process.ts';
import { fileForm, finished } from '../../harness/jobs.ts';

const LINES = 140_000;

const MEGABYTES_MAX = 2000;

/** Of the processor, in ticks of 10 ms. The job takes a tenth. */
const TICKS_MAX = 12_000;

let server: ApplianceProcess;
beforeAll(async () => {
  server = await startApplianceProcess();
});
afterAll(() => server[Symbol.asyncDispose]());

/** A page whose lines of 72 letters differ and lie within it. */
function crowdedPdf(): Buffer {
  const lines = Array.from({ length: LINES }, (_, line) => {
    const place = `1 0 0 1 ${10 + (Math.floor(line / 8000) % 18) * 30} ${(810 - (line % 8000) / 10).toFixed(2)} Tm`;
    return `${place} (${line} tide turns at noon and the herring boats leave the old harbour for the sea ${line * 7}) Tj`;
  });
  const content = deflateSync(`BT /F1 1 Tf 1 TL\n${lines.join('\n')}\nET`);
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 820]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>',
    `<</Length ${content.length}/Filter/FlateDecode>>stream\n${content.toString('latin1')}\nendstream`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
  ].map((object, index) => `${index + 1} 0 obj\n${object}\nendobj\n`);
  return Buffer.from(`%PDF-1.4\n${objects.join('')}trailer<</Size 6/Root 1 0 R>>\n%%EOF`, 'latin1');
}

test.skipIf(process.platform !== 'linux')(
  'a page of a PDF with ten million letters ends with what it did',
  async () => {
    const body = fileForm(crowdedPdf(), 'crowded.pdf');
    const answer = await server.owner('/v1/extract/pdf', { method: 'POST', body });
    expect(answer.status).toBe(202);
    const job = await finished(server.owner, ((await answer.json()) as { jobId: string }).jobId);
    if (job.status === 'completed') expect(job.result).toMatchObject({ account: { unexplained: 0 } });
    else {
      expect(['out_of_memory', 'source_too_large', 'timeout']).toContain(job.error?.code);
      expect(job.error?.message).toMatch(/page|PDF/);
    }
    const of = (name: string) => readFileSync(`/proc/${server.pid}/${name}`, 'utf8');
    expect(Number(/VmHWM:\s+(\d+) kB/.exec(of('status'))?.[1]) / 1024).toBeLessThan(MEGABYTES_MAX);
    const [, , , , , , , , , , , user = '0', system = '0'] = of('stat').split(') ')[1]?.split(' ') ?? [];
    expect(Number(user) + Number(system)).toBeLessThan(TICKS_MAX);
    expect((await server.owner('/v1/jobs')).status).toBe(200);
  },
);
