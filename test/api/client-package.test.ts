/** The client package of the repository, against a real server. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createQuarry, type Progress, type Quarry, QuarryError } from '../../resources/client/index.js';
import { type Appliance, startAppliance } from '../harness/appliance.ts';

const REPORT = join(import.meta.dirname, '../../resources/examples/harbour-report.docx');

let appliance: Appliance;
let quarry: Quarry;
beforeAll(async () => {
  appliance = await startAppliance();
  quarry = createQuarry({ url: `${appliance.url}/`, key: appliance.ownerToken });
});
afterAll(() => appliance.close());

async function report(options = {}): Promise<FormData> {
  const form = new FormData();
  form.set('file', new Blob([await readFile(REPORT)]), 'harbour-report.docx');
  form.set('options', JSON.stringify(options));
  return form;
}

test('an operation resolves with its result, a search with its hits', async () => {
  const result = await quarry.run('/extract/doc', await report());
  expect(JSON.stringify(result)).toContain('harbour');
  const { results } = await quarry.run('/search', { query: 'harbour', mode: 'lexical' });
  expect(results.length).toBeGreaterThan(0);
});

test('the progress is told while a job runs', async () => {
  const seen: Progress[] = [];
  const options = { onProgress: (progress: Progress) => seen.push(progress) };
  await quarry.run('/extract/doc', await report({ segmentLength: 500 }), options);
  expect(seen.at(-1)).toMatchObject({ percent: 100 });
});

test('a refusal has its code, its status and the fields', async () => {
  const refused = quarry.run('/search', { query: '' });
  await expect(refused).rejects.toBeInstanceOf(QuarryError);
  await expect(refused).rejects.toMatchObject({ code: 'invalid_request', status: 400, problem: { errors: [{}] } });
});

test('a failed job rejects with its error', async () => {
  const form = new FormData();
  form.set('file', new Blob(['PK\u0003\u0004 no more than the beginning']), 'broken.docx');
  await expect(quarry.run('/extract/doc', form)).rejects.toMatchObject({ code: expect.any(String), status: null });
  await expect(quarry.finished('job_0000000000000000000000000000')).rejects.toMatchObject({ code: 'not_found' });
});

test('every address is there with its types', async () => {
  const { data, error } = await quarry.api.GET('/jobs', { params: { query: { limit: 1 } } });
  expect(error).toBeUndefined();
  expect(data?.jobs).toHaveLength(1);
});
