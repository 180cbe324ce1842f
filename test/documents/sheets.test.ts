import { readdirSync, readFileSync } from 'node:fs';
import { utils, write } from '@e965/xlsx';
import { describe, expect, test, vi } from 'vitest';
import type { DocumentParser } from '../../workers/documents/blocks.ts';
import { parseCsv } from '../../workers/documents/csv/parse-csv.ts';
import { PARSERS } from '../../workers/documents/extract-document.ts';
import { parseOds } from '../../workers/documents/ods/parse-ods.ts';
import { parseXls } from '../../workers/documents/xls/parse-xls.ts';
import { parseXlsx } from '../../workers/documents/xlsx/parse-xlsx.ts';
import { seededRandom } from '../harness/seeded-random.ts';
import { zipTexts } from '../harness/zip-texts.ts';
import { outline, parseOptions } from './parse-options.ts';

const OFFICE = new URL('../fixtures/documents/office/', import.meta.url);
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const DOCUMENT = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006/relationships';

interface Parts {
  /** Rows of each sheet, by its name. */
  sheets: Record<string, string>;
  strings?: string;
  styles?: string;
  others?: Record<string, string>;
}

/** A workbook with its sheets, written as Excel does. */
function xlsx({ sheets, strings = '', styles = '', others = {} }: Parts): Buffer {
  const names = Object.keys(sheets);
  const listed = names.map((name, at) => `<sheet name="${name}" sheetId="${at + 1}" r:id="r${at}"/>`);
  const targets = names.map((_, at) => {
    return `<Relationship Id="r${at}" Type="${DOCUMENT}/worksheet" Target="/xl/worksheets/sheet${at}.xml"/>`;
  });
  const parts: Record<string, string> = {
    '_rels/.rels': `<Relationships xmlns="${PACKAGE}"><Relationship Id="a" Type="${DOCUMENT}/officeDocument"
      Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${DOCUMENT}"><sheets>${listed.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${PACKAGE}">${targets.join('')}</Relationships>`,
    'xl/sharedStrings.xml': `<sst xmlns="${MAIN}">${strings}</sst>`,
    'xl/styles.xml': `<styleSheet xmlns="${MAIN}">${styles}</styleSheet>`,
    ...others,
  };
  for (const [at, name] of names.entries()) {
    parts[`xl/worksheets/sheet${at}.xml`] =
      `<worksheet xmlns="${MAIN}"><sheetData>${sheets[name]}</sheetData></worksheet>`;
  }
  return Buffer.from(zipTexts(parts));
}

const cell = (content: string, attributes = '') => `<c ${attributes}>${content}</c>`;
const rowOf = (...cells: string[]) => `<row>${cells.join('')}</row>`;

async function codeOf(parse: DocumentParser, bytes: Buffer): Promise<string> {
  return parse(bytes, parseOptions()).then(
    () => 'read',
    (error: { code?: string }) => error.code ?? String(error),
  );
}

describe('a workbook', () => {
  test.each([
    ['xlsx', parseXlsx],
    ['xls', parseXls],
    ['ods', parseOds],
    ['fods', parseOds],
  ])('as .%s shows each visible sheet as people see it', async (ending, parse) => {
    const document = await parse(readFileSync(new URL(`harvest.${ending}`, OFFICE)), parseOptions());
    // LibreOffice wrote the rounded text itself; the value in the flat file was typed with its text.
    const riesling = ending === 'fods' ? '1,215.92 €' : '1,215.93 €';
    const rows = [
      ['Date', 'Block', 'Grape', 'Weight (kg)', 'Price', 'Value', 'Share'],
      ['2024-09-03', 'Block A', 'Pinot Noir', '1,250.0', '0.98 €', '1,225.00 €', '34.1%'],
      ['2024-09-05', 'Block B', 'Chardonnay', '980.0', '1.10 €', '1,078.00 €', '26.8%'],
      ['2024-09-11', 'Block C', 'Riesling', '1,430.5', '0.85 €', riesling, '39.1%'],
      ['Total', '', '', '3,660.5', '', '', ''],
    ];
    expect(outline(document)).toEqual([
      'h1 Harvest',
      'paragraph Harvest 2024',
      `table ${JSON.stringify(rows)}`,
      'h1 Notes',
      'paragraph Weights are net of bins.',
      expect.stringMatching(/^paragraph Prices are in euros/),
    ]);
    expect(document.blocks.map(({ page }) => page)).toEqual([1, 1, 1, 2, 2, 2]);
    expect(document).toMatchObject({ title: 'Harvest report', author: 'Ida Moss', pages: 2, revisions: 'none' });
    expect(document.warnings).toEqual(['Hidden sheets are not read: "Rates".']);
  });

  test('shows dates, errors, truth values and the runs of a text; a formula without a value is said', async () => {
    const styles = `<numFmts><numFmt numFmtId="164" formatCode="0.00&quot; t&quot;;[Red]-0.00"/></numFmts>
      <cellStyleXfs><xf numFmtId="9"/></cellStyleXfs><cellXfs><xf/><xf numFmtId="14"/><xf numFmtId="164"/></cellXfs>`;
    const strings = '<si><r><t>two </t></r><r><t>runs_x000D_</t></r><rPh><t>guide</t></rPh></si>';
    const shown = rowOf(
      cell('<v>45000</v>', 's="1"'),
      cell('<v>-2.5</v>', 's="2"'),
      cell('<v>0</v>', 't="s"'),
      cell('<v>1</v>', 't="b"'),
      cell('<v>#N/A</v>', 't="e"'),
      cell('<f>A1*2</f>'),
      cell('<is><t>typed</t></is>', 't="inlineStr" r="H1"'),
    );
    const document = await parseXlsx(xlsx({ sheets: { One: shown }, strings, styles }), parseOptions());
    expect(outline(document)).toEqual(['h1 One', 'table [["2023-03-15","-2.50","two runs","TRUE","#N/A","typed"]]']);
    expect(document.warnings).toEqual([expect.stringMatching(/^1 formula has no stored value\./)]);
  });

  test('keeps comments on request, with author and cell', async () => {
    const others = {
      'xl/worksheets/_rels/sheet0.xml.rels': `<Relationships xmlns="${PACKAGE}"><Relationship Id="c"
        Type="${DOCUMENT}/comments" Target="../comments1.xml"/></Relationships>`,
      'xl/comments1.xml': `<comments xmlns="${MAIN}"><authors><author>Ida</author></authors><commentList>
        <comment ref="A1" authorId="0"><text><r><t>Check this.</t></r></text></comment></commentList></comments>`,
    };
    const bytes = xlsx({ sheets: { One: rowOf(cell('<v>1</v>')) }, others });
    const marked = await parseXlsx(bytes, parseOptions({ includeComments: true }));
    expect(marked.comments).toEqual([{ author: 'Ida', date: null, text: 'Check this.', anchor: 'A1' }]);
    expect(outline(await parseXlsx(bytes, parseOptions()))).toEqual(['h1 One', 'paragraph 1']);
  });

  test.each([
    ['of Excel', ''],
    ['of a program that prefixes all names', 'x:'],
  ])('%s that is too large is read to a bound, and says what is left out', async (_what, prefix) => {
    const plain = rowOf(cell('<v>0</v>', 't="s"'), cell('<v>1</v>')).repeat(2000);
    const rows = prefix === '' ? plain : `<x:x xmlns:x="${MAIN}">${plain.replace(/<(\/?)/g, '<$1x:')}</x:x>`;
    const bytes = xlsx({ sheets: { One: rows, Two: rows }, strings: `<si><t>${'long '.repeat(2000)}</t></si>` });
    const { warnings, blocks } = await parseXlsx(bytes, parseOptions());
    expect(blocks.map(({ kind }) => kind)).toEqual(['heading', 'table']);
    expect(warnings).toEqual([
      'The sheet "One" is read to row 1,500; 500 later rows are left out. Split the file into parts.',
      'The workbook is too large, so these sheets are left out: "Two". Split it.',
    ]);
  });

  test('with repeat counts in the millions is read at its bounds', async () => {
    const text = readFileSync(new URL('harvest.fods', OFFICE), 'utf8');
    const repeat = 'table:number-columns-repeated="1000000"';
    const repeated = text.replace(/<table:table-cell office:value-type="string"><text:p>Grape/, (start) =>
      start.replace('<table:table-cell', `<table:table-cell ${repeat}`),
    );
    const { blocks } = await parseOds(Buffer.from(repeated), parseOptions());
    const table = blocks.find((block) => block.kind === 'table');
    expect(table?.kind === 'table' && (table.rows[0]?.length ?? 0)).toBeLessThan(600);
  });

  test('that is damaged, encrypted or hostile ends with an error of the closed list', async () => {
    const nested = xlsx({ sheets: { One: '<row>'.repeat(600) } });
    expect(await codeOf(parseXlsx, nested)).toBe('source_too_large');
    const wide = rowOf(...Array.from({ length: 20 }, (_, at) => cell('<v>1</v>', `r="${'ABCDEFGHIJ'[at % 10]}${at}"`)));
    expect(await codeOf(parseXlsx, xlsx({ sheets: { One: wide } }))).toBe('read');
    const typed = xlsx({ sheets: { One: '' }, others: { 'xl/workbook.xml': '<!DOCTYPE x><workbook/>' } });
    expect(await codeOf(parseXlsx, typed)).toBe('corrupt_input');
    // The record after the first one names the password's algorithm.
    const locked = readFileSync(new URL('harvest.xls', OFFICE));
    const start = locked.indexOf(Buffer.from('0908100000060500', 'hex'));
    locked.writeUInt16LE(0x2f, start + 20);
    expect(await codeOf(parseXls, locked)).toBe('encrypted_input');
    const lines = vi.spyOn(console, 'error');
    locked.writeUInt16LE(0x1800, start + 20);
    expect(await codeOf(parseXls, locked)).toBe('read');
    expect(lines).not.toHaveBeenCalled();
    lines.mockRestore();
    const allowed = ['read', 'corrupt_input', 'unsupported_media', 'encrypted_input', 'source_too_large'];
    const random = seededRandom(7);
    const answers = new Set<string>();
    for (const name of readdirSync(OFFICE).filter((file) => /\.(xls|fods)$/.test(file))) {
      const sound = readFileSync(new URL(name, OFFICE));
      for (let round = 0; round < 40; round += 1) {
        const bytes = Buffer.from(sound);
        for (let count = 0; count < 20; count += 1) bytes[Math.floor(random() * bytes.length)] = random() * 256;
        answers.add(await codeOf(name.endsWith('xls') ? parseXls : parseOds, bytes));
      }
    }
    expect([...answers].filter((answer) => !allowed.includes(answer))).toEqual([]);
  });
});

describe('separated values', () => {
  const read = async (text: string | Buffer, options = {}) =>
    outline(await parseCsv(Buffer.from(text as string), parseOptions(options)));

  test.each([
    [
      'commas and quotes',
      'a,b\n"1,5","say ""so"""\n',
      [
        ['a', 'b'],
        ['1,5', 'say "so"'],
      ],
    ],
    [
      'semicolons',
      'name;price\nOats;1,20\nRye;0,95\n',
      [
        ['name', 'price'],
        ['Oats', '1,20'],
        ['Rye', '0,95'],
      ],
    ],
    [
      'tabs',
      'a\tb\n1\t2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a named delimiter',
      'sep=|\na|b,c\n1|2,3\n',
      [
        ['a', 'b,c'],
        ['1', '2,3'],
      ],
    ],
    [
      'empty lines and short rows',
      'a,b,c\n\n1\n\n2,3\n',
      [
        ['a', 'b', 'c'],
        ['1', '', ''],
        ['2', '3', ''],
      ],
    ],
  ])('%s become one table', async (_what, text, rows) => {
    expect(await read(text)).toEqual([`table ${JSON.stringify(rows)}`]);
  });

  test('are decoded: UTF-16 of Excel, and a code page by the language', async () => {
    expect(await read(Buffer.from('\ufeffname\tcity\nZoë\tKöln\n', 'utf16le'))).toEqual([
      'table [["name","city"],["Zoë","Köln"]]',
    ]);
    const windows = Buffer.from('jm\xe9no,m\xecsto\nJi\xf8\xed,Brno\n', 'latin1');
    expect(await read(windows, { language: 'cs' })).toEqual(['table [["jméno","město"],["Jiří","Brno"]]']);
  });

  test('with a quote that does not end are read, and say so', async () => {
    const { warnings } = await parseCsv(Buffer.from('a,b\n1,"two\n3,4\n'), parseOptions());
    expect(warnings).toEqual([expect.stringMatching(/does not end/)]);
  });
});

test('every office format has its parser', () => {
  expect(Object.keys(PARSERS)).toEqual(expect.arrayContaining(['csv', 'odp', 'ods', 'pptx', 'xls', 'xlsx']));
});

test('a workbook leaves no number format behind for the next one', async () => {
  const sheet = utils.aoa_to_sheet([
    ['Price', 'Share'],
    [1.5, 2],
  ]);
  sheet.A2.z = '"Fee "0';
  const bytes = write({ SheetNames: ['S'], Sheets: { S: sheet } }, { type: 'buffer', bookType: 'biff8' });
  // As bytes: a search in UTF-16 sees even places only.
  const own = bytes.indexOf(Buffer.from('"Fee "0', 'utf16le')) - 5;
  const before = outline(await parseXls(bytes, parseOptions()));
  // The format takes the number of the general one, and is none that a program knows.
  const number = bytes.readUInt16LE(own);
  bytes.writeUInt16LE(0, own);
  bytes.write('\u0100"Fee"0', own + 5, 'utf16le');
  await parseXls(bytes, parseOptions());
  const plain = xlsx({ sheets: { One: rowOf(cell('<v>0.25</v>')) } });
  expect(outline(await parseXlsx(plain, parseOptions()))).toEqual(['h1 One', 'paragraph 0.25']);
  bytes.writeUInt16LE(number, own);
  bytes.write('"Fee "0', own + 5, 'utf16le');
  expect(outline(await parseXls(bytes, parseOptions()))).toEqual(before);
});
