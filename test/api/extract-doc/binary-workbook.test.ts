import { utils, write } from '@e965/xlsx';
import { strToU8, zipSync } from 'fflate';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { readDocument } from '../../harness/read-document.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

function workbook(bookType: 'xlsb' | 'xlsx' | 'biff8' | 'ods'): Buffer {
  const book = utils.book_new();
  const sheet = utils.aoa_to_sheet([
    ['Port', 'Depth', ''],
    ['', 'low', 'high'],
    ['Kiel', 9.5, 12],
    ['Bari', true, 'no chart'],
  ]);
  sheet['!merges'] = [utils.decode_range('B1:C1'), utils.decode_range('A1:A2')];
  utils.book_append_sheet(book, sheet, 'Harbours');
  utils.book_append_sheet(book, utils.aoa_to_sheet([['Second']]), 'Next');
  return write(book, { type: 'buffer', bookType }) as Buffer;
}

test.each(['xlsb', 'xlsx', 'biff8', 'ods'] as const)('%s: cells, sheets and merged cells', async (type) => {
  const { status, markdown, warnings, result } = await readDocument(appliance, workbook(type), 'book');
  expect(status).toBe('completed');
  expect(markdown).toContain('<th rowspan="2">Port</th><th colspan="2">Depth</th>');
  expect(markdown).toContain('<td>Kiel</td><td>9.5</td><td>12</td>');
  expect(markdown).toContain('# Next\n\nSecond');
  expect(warnings).toEqual([]);
  expect(result.account).toMatchObject({ unit: 'cells', unexplained: 0 });
});

test('a binary workbook without sheets is refused as damaged', async () => {
  const broken = zipSync({ 'xl/workbook.bin': strToU8('x'), '[Content_Types].xml': strToU8('<Types/>') });
  const { error } = await readDocument(appliance, broken, 'book.xlsb');
  expect(error).toMatchObject({ code: 'corrupt_input' });
});
