import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Job } from '../../../src-server/features/jobs/schema.ts';
import { text, writePdf } from '../../documents/pdf-writer.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { fileForm } from '../../harness/jobs.ts';

/** Section titles of papers in the font of the text: Roman numbers, letters below them, capitals. */
let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

async function readMarkdown(pdf: Uint8Array): Promise<string[]> {
  const init = { method: 'POST', body: fileForm(pdf, 'paper.pdf', {}), headers: { prefer: 'wait=60' } };
  const job = (await (await appliance.owner('/v1/extract/pdf', init)).json()) as Job;
  expect(job).toMatchObject({ status: 'completed', result: { account: { unexplained: 0 } } });
  const answer = await appliance.owner(`/v1/jobs/${job.jobId}/files/document.md`);
  return (await answer.text()).split('\n').filter((line) => /^(#|- )/.test(line));
}

const BODY = 'Gauges were read every hour at both ends of the basin and corrected for the pressure.';

const pageOf = (lines: readonly string[]) =>
  writePdf({ pages: [lines.map((line, index) => text(60, 60 + index * 28, [line], 10)).join('\n')] });

test('a conference paper has its sections, and authors are no list', async () => {
  const pdf = await readFile(new URL('../../fixtures/documents/cases/conference-paper.pdf', import.meta.url));
  expect(await readMarkdown(pdf)).toEqual([
    '# Tides in Small Harbours',
    '## I. INTRODUCTION',
    '## II. METHODS',
    '### A. Gauges and Their Places',
    '### B. Corrections',
    '## III. RESULTS',
    '## IV. CONCLUSION',
    '## REFERENCES',
  ]);
});

test('titles that are not in capitals follow their numbers', async () => {
  const lines = [
    'I. Introduction',
    BODY,
    'II. Related Work',
    BODY,
    'A. Gauges',
    BODY,
    'B. Noise',
    BODY,
    'III. End',
    BODY,
  ];
  expect((await readMarkdown(pageOf(lines))).map((line) => line.replace(/^#+ /, ''))).toEqual([
    'I. Introduction',
    'II. Related Work',
    'A. Gauges',
    'B. Noise',
    'III. End',
  ]);
});

test('a list with Roman numbers of sentences, and one number alone, are no sections', async () => {
  const list = ['I. The gauges were read.', 'II. The tides were low.', 'III. The air was heavy.'];
  expect((await readMarkdown(pageOf([BODY, ...list, BODY]))).filter((line) => line.startsWith('#'))).toEqual([]);
  const alone = await readMarkdown(pageOf([BODY, 'I. Introduction to gauges', BODY, 'III. Elsewhere', BODY]));
  expect(alone.filter((line) => line.startsWith('#'))).toEqual([]);
});
