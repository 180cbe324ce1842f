import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Job } from '../../../src-server/features/jobs/schema.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { fileForm } from '../../harness/jobs.ts';

/** A Markdown file survives itself: emphasis, links, code, quotes, footnotes, task marks and formulas are kept. */
let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

async function roundTrip(source: string | Uint8Array): Promise<string> {
  const body = fileForm(Buffer.from(source), 'notes.md', {});
  const init = { method: 'POST', body, headers: { prefer: 'wait=60' } };
  const job = (await (await appliance.owner('/v1/extract/doc', init)).json()) as Job;
  expect(job).toMatchObject({ status: 'completed', result: { warnings: [], account: { unexplained: 0 } } });
  return (await appliance.owner(`/v1/jobs/${job.jobId}/files/document.md`)).text();
}

test('the notes keep all that Markdown is for', async () => {
  const source = await readFile(new URL('../../fixtures/documents/cases/notes.md', import.meta.url), 'utf8');
  const written = await roundTrip(source);
  for (const kept of [
    '# Notes on flow',
    String.raw`The mean is $\bar{x}=\frac{1}{n}\sum_{i=1}^{n} x_i$ and see [the manual](https://port.example.com/m) or **act now**.`,
    '$$ E = mc^2 $$',
    '> A quoted remark.',
    '- [x] done\n- [ ] open',
    '| 1 | **2** |',
    'Call `read_file(a_b)` with snake',
    'Term[^1].',
    '[^1]: The note.',
    '```mermaid\ngraph TD; A-->B\n```',
  ]) {
    expect(written).toContain(kept);
  }
});

test.each([
  ['emphasis inside links and words', 'See [the *old* book](https://a.example/b) and **bold *both* bold**.'],
  ['code with a language and code in a list', '- item with `a|b`\n\n```ts\nconst x = 1;\n```'],
  ['a quotation of two paragraphs', '> One.\n\n> Two with **weight**.'],
  ['a formula beside prices', 'Between $5 and $6 lies $x^2 + y_i$ exactly.'],
  ['a table with marks', '| Name | Value |\n| --- | --- |\n| *a* | [b](https://a.example/) |'],
  ['tasks below tasks', '- [x] one\n  - [ ] two'],
])('%s', async (_, source) => {
  const written = await roundTrip(source);
  expect(await roundTrip(written)).toBe(written);
  expect(written.replaceAll('\\', '').trim()).toBe(source);
});

test('signs that close nothing stay literal, and cost little', async () => {
  const hostile = '$a '.repeat(50_000);
  expect((await roundTrip(`${hostile}\n\n$$ never closed`)).length).toBeGreaterThan(150_000);
});
