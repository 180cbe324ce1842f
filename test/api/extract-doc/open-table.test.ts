import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Job } from '../../../src-server/features/jobs/schema.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { fileForm } from '../../harness/jobs.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

const sound = readFileSync(new URL('../../fixtures/documents/harbour/harbour.doc', import.meta.url));
const wide = (text: string) => Buffer.from(text, 'utf16le');
/** The table of the document: two rows of two cells, each closed by a mark, and a mark for the end of each row. */
const TABLE = 'Ship\x07Hour\x07\x07Solveig\x0714:05\x07\x07';

/** The document with other marks in its table, as damaged or careless writers leave them. */
function withTable(marks: string): Buffer {
  const bytes = Buffer.from(sound);
  const at = bytes.indexOf(wide(TABLE));
  expect(at).toBeGreaterThan(0);
  expect(marks).toHaveLength(TABLE.length);
  wide(marks).copy(bytes, at);
  return bytes;
}

async function textOf(file: Buffer, name: string): Promise<string> {
  const init = { method: 'POST', body: fileForm(file, name), headers: { prefer: 'wait=60' } };
  const job = (await (await appliance.owner('/v1/extract/doc', init)).json()) as Job;
  expect(job).toMatchObject({ jobType: 'extract/doc', status: 'completed' });
  const { chunks } = job.result as { chunks: { text: string }[] };
  return chunks.map((chunk) => chunk.text).join('\n');
}

test.each([
  ['no cell and no row ends', 'Ship\rHour\r\rSolveig\r14:05\r\r'],
  ['the last cell does not end', 'Ship\x07Hour\x07\x07Solveig\x0714:05\r\r'],
  ['no cell of the second row ends', 'Ship\x07Hour\x07\x07Solveig\r14:05\r\r'],
])('POST /extract/doc keeps the text of a .doc table in which %s', async (_what, marks) => {
  const text = await textOf(withTable(marks), 'harbour.doc');
  const places = ['Beside the box', 'Ship', 'Hour', 'Solveig', '14:05', 'Table 1: ships'].map((word) =>
    text.indexOf(word),
  );
  expect(places).not.toContain(-1);
  expect(places).toEqual([...places].sort((a, b) => a - b));
});

test('POST /extract/doc keeps the text of an .rtf table whose inner table does not end', async () => {
  const rtf = String.raw`{\rtf1\ansi Before\par \trowd\cellx4000 \pard\intbl\itap2 Inner\par \pard\intbl\itap1 Outer\cell\row \pard After\par}`;
  const text = await textOf(Buffer.from(rtf, 'latin1'), 'nested.rtf');
  for (const word of ['Before', 'Inner', 'Outer', 'After']) expect(text).toContain(word);
});
