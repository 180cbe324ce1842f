/** Charts of Excel 97 to 2003. */
import { utils, write } from '@e965/xlsx';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CompoundFile } from '../../../workers/documents/doc/word-file.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { compoundFile } from '../../harness/compound-file.ts';
import { readDocument } from '../../harness/read-document.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

function record(type: number, ...parts: (number | string | Buffer)[]): Buffer {
  const data = Buffer.concat(parts.map(bytesOf));
  const head = Buffer.alloc(4);
  head.writeUInt16LE(type, 0);
  head.writeUInt16LE(data.length, 2);
  return Buffer.concat([head, data]);
}

/** Numbers take two bytes, texts one byte a character after a byte that says so. */
function bytesOf(part: number | string | Buffer): Buffer {
  if (Buffer.isBuffer(part)) return part;
  if (typeof part === 'string') return Buffer.from(`\0${part}`, 'latin1');
  return Buffer.from([part & 0xff, part >> 8]);
}

const text = (own: string) => record(0x100d, 0, Buffer.from([own.length]), own);
const value = (point: number, series: number, number: number) => {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(number);
  return record(0x203, point, series, 0, bytes);
};
const label = (point: number, series: number, own: string) => record(0x204, point, series, 0, own.length, own);

/** A series with its name, and the format of its values. */
const series = (name: string, format: number) => [
  record(0x1003),
  record(0x1033),
  record(0x1051, Buffer.from([1, 1]), 0, format, 0),
  text(name),
  record(0x1034),
];

test('a chart is its titles and a table of the values that the file stores', async () => {
  const chart = Buffer.concat([
    record(0x809, 0x600, 0x20, 0, 0, 0, 0, 0, 0),
    record(0x1033),
    ...series('Boats', 0),
    ...series('Share', 10),
    text('Harbours'),
    record(0x1034),
    record(0x1065, 1),
    value(0, 0, 12),
    value(0, 1, 0.25),
    value(1, 0, 7),
    value(1, 1, Number.NaN),
    record(0x1065, 2),
    label(0, 0, 'Arden'),
    label(1, 0, 'Brill'),
    record(0x0a),
  ]);
  const sheet = utils.aoa_to_sheet([
    ['Port', 'Boats'],
    ['Arden', 12],
  ]);
  const book = write({ SheetNames: ['S'], Sheets: { S: sheet } }, { type: 'buffer', bookType: 'biff8' });
  const stream = new CompoundFile(book).readNamedStream('Workbook') ?? Buffer.alloc(0);
  const whole = Buffer.concat([stream.subarray(0, -4), chart, stream.subarray(-4)]);
  const { markdown, warnings, result } = await readDocument(appliance, compoundFile({ '/Workbook': whole }), 'a.xls');
  expect(markdown).toBe(
    `# S\n\n| Port | Boats |\n| --- | --- |\n| Arden | 12 |\n\nHarbours\n\n|  | Boats | Share |\n| --- | --- | --- |
| Arden | 12 | 25.00% |\n| Brill | 7 |  |\n`,
  );
  expect(warnings).toEqual([]);
  expect(result.account).toMatchObject({ unit: 'cells', source: 4, delivered: 4, unexplained: 0 });
});
