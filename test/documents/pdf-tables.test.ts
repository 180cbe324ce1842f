/** Tables of PDFs as people have them: without rules, with rules in part, with columns of values inside one cell. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Block } from '../../workers/documents/blocks.ts';
import { openPdfBed } from './pdf-bed.ts';
import { box, rule, text, writePdf } from './pdf-writer.ts';

let bed: Awaited<ReturnType<typeof openPdfBed>>;
beforeAll(async () => {
  bed = await openPdfBed();
});
afterAll(() => bed.close());

type PlacedText = readonly [left: number, top: number, text: string];

const page = (placed: readonly PlacedText[]) => placed.map(([left, top, cell]) => text(left, top, [cell])).join('\n');
const inRows = (lefts: readonly number[], top: number, pitch: number, rows: readonly (readonly string[])[]) =>
  rows.flatMap((row, y) =>
    row.flatMap((cell, x): PlacedText[] => (cell === '' ? [] : [[lefts[x] ?? 0, top + y * pitch, cell]])),
  );
const blocksOf = async (content: string, more: object = {}): Promise<Block[]> =>
  (await bed.extract(writePdf({ pages: [content], ...more }))).document.blocks;
const tablesOf = (blocks: Block[]) => blocks.flatMap((block) => (block.kind === 'table' ? [block] : []));
const rowsOf = (blocks: Block[]) => tablesOf(blocks).map(({ rows }) => rows);

const ARRESTS = [
  ['Robbery . . . . . . . . . .', '102.1', '25.5', '76.6'],
  ['Arson . . . . . . . . . . . .', '9.8', '4.3', '5.5'],
  ['Murder and', '', '', ''],
  ['manslaughter . . . . . .', '10.0', '0.9', '9.1'],
  ['Fraud . . . . . . . . . . . .', '173.7', '5.1', '168.5'],
];

describe('tables without rules', () => {
  test('leaders before columns of values are no contents, a label over two lines is one, a head over columns spans', async () => {
    const content = page([
      [235, 100, 'Persons in thousands'],
      [220, 114, 'Total'],
      [280, 114, 'Under 18'],
      [350, 114, 'Others'],
      ...inRows([60, 220, 280, 350], 128, 14, ARRESTS),
    ]);
    const [table] = tablesOf(await blocksOf(content));
    expect(table?.rows).toEqual([
      ['', 'Persons in thousands', '', 'Others'],
      ['', 'Total', 'Under 18', ''],
      ['Robbery', '102.1', '25.5', '76.6'],
      ['Arson', '9.8', '4.3', '5.5'],
      ['Murder and manslaughter', '10.0', '0.9', '9.1'],
      ['Fraud', '173.7', '5.1', '168.5'],
    ]);
    expect(table?.spans).toEqual([
      { row: 0, column: 1, rows: 1, columns: 2 },
      { row: 0, column: 3, rows: 2, columns: 1 },
    ]);
  });

  test('a title in larger letters is none of the head', async () => {
    const content = page([
      [220, 124, 'Total'],
      [280, 124, 'Under 18'],
      [350, 124, 'Others'],
      ...inRows([60, 220, 280, 350], 138, 14, ARRESTS),
    ]);
    const blocks = await blocksOf(`${text(230, 105, ['Arrests in May'], 15)}\n${content}`);
    expect(blocks[0]).toMatchObject({ text: 'Arrests in May' });
    expect(rowsOf(blocks)[0]?.[0]).toEqual(['', 'Total', 'Under 18', 'Others']);
  });

  test('rows with few of the cells keep each in its column', async () => {
    const rows = [
      ['Code', 'Place', 'Planned', 'Counted', 'State'],
      ['S-1', 'A-12', '450', '', ''],
      ['', 'B-07', '', '289', ''],
      ['S-2', '', '780', '778', 'OK'],
      ['S-3', 'D-22', '', '156', 'LATE'],
    ];
    expect(rowsOf(await blocksOf(page(inRows([60, 130, 200, 280, 360], 100, 16, rows))))).toEqual([rows]);
  });

  test('a head below a heading begins another table, also with one row below it', async () => {
    const first = [
      ['Month', 'Shows', 'Gross', 'Net'],
      ['May', '48', '12,500', '11,250'],
      ['June', '40', '10,000', '9,100'],
    ];
    const second = [
      ['Start', 'End', 'Tickets', 'Sum'],
      ['12/20', '12/31', '48', '850'],
    ];
    const lefts = [60, 160, 240, 330];
    const content = [
      ...inRows(lefts, 100, 14, first),
      [60, 156, 'Summary of the year'] as const,
      ...inRows(lefts, 172, 14, second),
    ];
    expect(rowsOf(await blocksOf(page(content)))).toEqual([first, second]);
  });

  test('heads in the middle of as many columns each span them, the label of the first column is as high as the head', async () => {
    const lefts = [60, 180, 230, 280, 330, 380, 430];
    const content = page([
      [202, 100, 'Total'],
      [302, 100, 'Male'],
      [396, 100, 'Female'],
      [60, 114, 'Offense'],
      ...inRows(lefts, 114, 14, [['', 'All', 'Young', 'All', 'Young', 'All', 'Young']]),
      ...inRows(lefts, 128, 14, [
        ['Arson', '9.8', '4.3', '8.1', '3.7', '1.7', '0.6'],
        ['Fraud', '73.7', '5.1', '98.4', '3.3', '75.3', '1.8'],
        ['Theft', '80.1', '58.1', '60.8', '40.5', '47.3', '11.6'],
        ['Robbery', '10.1', '25.5', '90.0', '22.9', '12.1', '2.5'],
      ]),
    ]);
    const [table] = tablesOf(await blocksOf(content));
    expect(table?.rows.slice(0, 3)).toEqual([
      ['Offense', 'Total', '', 'Male', '', 'Female', ''],
      ['', 'All', 'Young', 'All', 'Young', 'All', 'Young'],
      ['Arson', '9.8', '4.3', '8.1', '3.7', '1.7', '0.6'],
    ]);
    const wide = [1, 3, 5].map((column) => ({ row: 0, column, rows: 1, columns: 2 }));
    expect(table?.spans).toEqual(expect.arrayContaining([{ row: 0, column: 0, rows: 2, columns: 1 }, ...wide]));
    expect(table?.spans).toHaveLength(4);
  });

  test('a rule ends the head, and a subheading below it is a row', async () => {
    const rules = [96, 126, 196].map((y) => rule(56, y, 400, y));
    const lefts = [60, 180, 260, 340];
    const content = page([
      ...inRows(lefts, 98, 13, [
        ['', 'Any', 'Modern', 'Not'],
        ['Group', 'method', 'method', 'using'],
      ]),
      [60, 130, 'Wealth index'],
      ...inRows(lefts, 144, 13, [
        ['Lowest', '64.5', '48.6', '35.5'],
        ['Second', '68.5', '50.4', '31.5'],
        ['Middle', '75.5', '52.8', '24.5'],
      ]),
    ]);
    expect(rowsOf(await blocksOf(`${rules.join('\n')}\n${content}`))[0]?.slice(0, 3)).toEqual([
      ['Group', 'Any method', 'Modern method', 'Not using'],
      ['Wealth index', '', '', ''],
      ['Lowest', '64.5', '48.6', '35.5'],
    ]);
  });

  test('a head of years above one row of values is a table', async () => {
    const rows = [
      ['Years', '1990', '1992', '1993', '1994'],
      ['Coffee', '0.323', '0.272', '0.265', '0.290'],
    ];
    expect(rowsOf(await blocksOf(page(inRows([60, 160, 220, 280, 340], 100, 16, rows))))).toEqual([rows]);
  });

  test('values in the middle of the height of a label of two lines are in its row', async () => {
    const content = page([
      ...inRows([60, 220, 280, 340], 100, 16, [
        ['Substance', 'Air', 'Water', 'Land'],
        ['Methane', '100', '20', '5'],
        ['Chlorine and inorganic', '', '', ''],
      ]),
      [60, 144, '(as chloride)'],
      ...inRows([0, 220, 280, 340], 138, 16, [['', '10', '7', '4']]),
      ...inRows([60, 220, 280, 340], 160, 16, [
        ['Halons', '1', '3', '9'],
        ['Ammonia', '11', '8', '2'],
      ]),
    ]);
    expect(rowsOf(await blocksOf(content))[0]).toContainEqual(['Chlorine and inorganic (as chloride)', '10', '7', '4']);
  });

  test('amounts that almost touch each other are divided where the other rows have their columns', async () => {
    const rows = [
      ['Interest', '1,908,387', '2,484,015', '2,426,572', '2,378,802'],
      ['Redemptions', '2,470,288', '1,879,676', '3,213,987', '2,551,132'],
      ['Lease payments', '145,336', '174,523', '309,612', '228,846'],
      ['Escrow', '53,562', '11,703', '9,113', '3,050'],
    ];
    const lefts = [60, 182, 247, 312, 377];
    // One text over all columns, as MuPDF reads amounts whose gap is that of a space.
    const total = '(5,958,159)  (9,373,743)  (6,251,297)  (8,720,034)';
    const content = page([...inRows(lefts, 100, 14, rows), [60, 156, 'Total'], [175, 156, total], [60, 182, 'Note']]);
    expect(rowsOf(await blocksOf(content))).toEqual([[...rows, ['Total', ...total.split('  ')]]]);
  });

  test('a sign of currency close to the amount before it belongs to the one after it', async () => {
    const rows = [
      ['Sales', '19,953,000', '19,023,168', '21,075,748'],
      ['Property', '10,020,247', '14,597,317', '16,505,365'],
      ['Licences', '1,901,983', '1,885,648', '1,973,765'],
    ];
    const lefts = [60, 186, 256, 326];
    const content = page([
      ...[176, 240.5, 310.5].map((left): PlacedText => [left, 100, '$']),
      ...inRows(lefts, 100, 14, rows),
    ]);
    const [sales = [], ...others] = rows;
    const signed = sales.map((cell, at) => (at === 0 ? cell : `$ ${cell}`));
    expect(rowsOf(await blocksOf(content))).toEqual([[signed, ...others]]);
  });

  test('texts with several spaces between values are their cells', async () => {
    const content = page([
      ...inRows([60, 180, 230], 100, 14, [
        ['126.77', '0.8', '1.6         2.3         9.7'],
        ['125.03', '0.6', '0.9         1.1         9.1'],
        ['118.61', '0.6', '1.1         1.6         5.5'],
      ]),
    ]);
    expect(rowsOf(await blocksOf(content))).toEqual([
      [
        ['126.77', '0.8', '1.6', '2.3', '9.7'],
        ['125.03', '0.6', '0.9', '1.1', '9.1'],
        ['118.61', '0.6', '1.1', '1.6', '5.5'],
      ],
    ]);
  });

  test('a label goes on below more to the right, a head over all columns is one, and a subheading below it a row', async () => {
    const lefts = [60, 200, 260, 320, 380];
    const content = page([
      [276, 86, 'Fiscal Year'],
      ...inRows(lefts, 100, 14, [['', '2013', '2012', '2011', '2010']]),
      [266, 114, '(in thousands)'],
      [60, 128, 'Revenues:'],
      ...inRows(lefts, 142, 14, [['Taxes', '7,032', '6,512', '6,190', '5,611']]),
      [60, 156, 'Unrestricted Federal and'],
      [68, 170, 'State aid'],
      ...inRows(lefts, 170, 14, [['', '170', '194', '208', '(17)']]),
      ...inRows(lefts, 184, 14, [
        ['Charges', '2,571', '2,538', '2,344', '2,538'],
        ['Other', '4,059', '5,152', '4,720', '4,569'],
      ]),
    ]);
    const [table] = tablesOf(await blocksOf(content));
    expect(table?.rows.slice(0, 6)).toEqual([
      ['', 'Fiscal Year', '', '', ''],
      ['', '2013', '2012', '2011', '2010'],
      ['', '(in thousands)', '', '', ''],
      ['Revenues:', '', '', '', ''],
      ['Taxes', '7,032', '6,512', '6,190', '5,611'],
      ['Unrestricted Federal and State aid', '170', '194', '208', '(17)'],
    ]);
    const wide = [0, 2].map((row) => ({ row, column: 1, rows: 1, columns: 4 }));
    expect(table?.spans).toEqual(wide);
  });

  test('a head over two columns of which each row has one keeps them apart', async () => {
    const entries = [
      ['2 Jan', 'Opening balance', '', '', '1,204.33'],
      ['3 Jan', 'Card payment', '23.10', '', '1,181.23'],
      ['7 Jan', 'Rent', '650.00', '', '531.23'],
      ['15 Jan', 'Salary', '', '2,100.00', '2,631.23'],
    ];
    const content = page([
      [255, 100, 'Amount in the month'],
      ...inRows([60, 120, 250, 320, 400], 100, 14, [
        ['Date', 'Text', '', '', 'Balance'],
        ['', '', 'Debit', 'Credit', ''],
        ...entries,
      ]),
    ]);
    const [table] = tablesOf(await blocksOf(content));
    expect(table?.rows).toEqual([
      ['Date', 'Text', 'Amount in the month', '', 'Balance'],
      ['', '', 'Debit', 'Credit', ''],
      ...entries,
    ]);
    expect(table?.spans).toContainEqual({ row: 0, column: 2, rows: 1, columns: 2 });
  });

  test('values in the middle of texts of one to three lines begin a row each, heads beside them too', async () => {
    const content = page([
      [255, 91, 'Amount'],
      ...inRows([60, 120, 390], 100, 1, [['Date', 'Text', 'Balance']]),
      ...inRows([250, 320], 109, 1, [['Debit', 'Credit']]),
      [60, 130, '2 Jan'],
      [120, 130, 'Opening balance'],
      [390, 130, '1,204.33'],
      [60, 157, '3 Jan'],
      [120, 150, 'Card payment to'],
      [120, 164, 'Fish and Sons'],
      [250, 157, '23.10'],
      [390, 157, '1,181.23'],
      [60, 191, '7 Jan'],
      [120, 184, 'Salary of the'],
      [120, 198, 'month before'],
      [320, 191, '2,100.00'],
      [390, 191, '3,281.23'],
      [60, 232, '9 Jan'],
      [120, 218, 'Standing order'],
      [120, 232, 'for the rent of'],
      [120, 246, 'January'],
      [250, 232, '650.00'],
      [390, 232, '2,631.23'],
    ]);
    const [table] = tablesOf(await blocksOf(content));
    expect(table?.rows).toEqual([
      ['Date', 'Text', 'Amount', '', 'Balance'],
      ['', '', 'Debit', 'Credit', ''],
      ['2 Jan', 'Opening balance', '', '', '1,204.33'],
      ['3 Jan', 'Card payment to Fish and Sons', '23.10', '', '1,181.23'],
      ['7 Jan', 'Salary of the month before', '', '2,100.00', '3,281.23'],
      ['9 Jan', 'Standing order for the rent of January', '650.00', '', '2,631.23'],
    ]);
  });

  test('letters in brackets and n.a. in brackets stand for values', async () => {
    const rows = [
      ['State', '2011', '2012'],
      ['Ohio', '(NA)', '9.5'],
      ['Utah', '(D)', '12.1'],
      ['Iowa', '7.4', '(n.a.)'],
    ];
    const content = page([...inRows([60, 160, 230], 100, 16, rows), [60, 190, 'A note below all of them.']]);
    expect(rowsOf(await blocksOf(content))).toEqual([rows]);
  });

  test('sections of a table with a wide gap between them are one table', async () => {
    const rows = [
      ['2007', '2008', '2009', '2010'],
      ['21,227', '20,060', '18,472', '16,582'],
      ['19,691', '20,362', '20,714', '20,377'],
      ['1,917', '2,024', '1,948', '1,943'],
    ];
    const section = [
      ['4,602', '975', '(14,722)', '1,213'],
      ['-', '-', '-', '(5,331)'],
    ];
    const lefts = [60, 150, 240, 330];
    const content = page([...inRows(lefts, 100, 14, rows), ...inRows(lefts, 196, 14, section)]);
    expect(rowsOf(await blocksOf(content))).toEqual([[...rows, ...section]]);
  });

  test('the number of a page beside a table is not a column of it', async () => {
    const rows = Array.from({ length: 8 }, (_, at) => [`Region ${at}`, `${at}.25`, `${at + 3}.75`]);
    const content = page([[20, 148, '54'], ...inRows([100, 200, 280], 100, 16, rows)]);
    expect(rowsOf(await blocksOf(content))).toEqual([rows]);
  });

  test('numbers at the axes of charts, and sections with their numbers, are no tables', async () => {
    const axes = ['400', '300', '200', '100', '0'].map((number) => [number, number]);
    expect(rowsOf(await blocksOf(page(inRows([60, 320], 100, 20, axes))))).toEqual([]);
    const sections = [
      ['2.2', 'Crankshaft'],
      ['2.2.1', 'Check of the size'],
      ['2.3', 'Crankcase'],
      ['2.3.1', 'Strength'],
    ];
    expect(rowsOf(await blocksOf(page(inRows([60, 110], 100, 30, sections))))).toEqual([]);
  });
});

describe('tables turned on the page', () => {
  const rows = [
    ['Port', '2023', '2024', '2025'],
    ['Kiel', '9.5', '9.6', '9.8'],
    ['Bari', '12.0', '12.1', '12.3'],
    ['Cork', '7.4', '7.5', '7.5'],
  ];
  const lefts = [60, 160, 230, 300];

  test.each([
    ['up', '0 1 -1 0 792 0 cm'],
    ['down', '0 -1 1 0 -180 792 cm'],
  ])('a table whose text runs %s is read along its text, with and without rules', async (_way, matrix) => {
    const framed = [280, 298, 316, 334, 352].map((y) => rule(56, y, 350, y));
    const sides = [56, 150, 220, 290, 350].map((x) => rule(x, 280, x, 352));
    const content = [page(inRows(lefts, 100, 16, rows)), ...framed, ...sides, page(inRows(lefts, 283, 18, rows))];
    expect(rowsOf(await blocksOf(`q ${matrix}\n${content.join('\n')}\nQ`))).toEqual([rows, rows]);
  });
});

describe('tables with rules in part', () => {
  const grid = (xs: readonly number[], ys: readonly number[]) => [
    ...ys.map((y) => rule(xs[0] ?? 0, y, xs.at(-1) ?? 0, y)),
    ...xs.map((x) => rule(x, ys[0] ?? 0, x, ys.at(-1) ?? 0)),
  ];

  test('columns of values inside one column of rules are columns, heads over them span', async () => {
    const rules = grid([60, 200, 400], [100, 120, 140, 160, 180, 200]);
    const rows = [
      ['Indicators', 'Whole', 'Rural'],
      ['Injuries', '1.9', '2.1'],
      ['Acute illness', '4.5', '5.6'],
      ['Chronic illness', '5.1', '4.1'],
    ];
    const content = [
      [215, 103, 'Survey of the year in all districts'] as const,
      ...inRows([64, 215, 330], 123, 20, rows),
    ];
    const [table] = tablesOf(await blocksOf(`${rules.join('\n')}\n${page(content)}`));
    expect(table?.rows).toEqual([['', 'Survey of the year in all districts', ''], ...rows]);
    expect(table?.spans).toEqual([{ row: 0, column: 1, rows: 1, columns: 2 }]);
  });

  test('rows of values inside one row of rules are rows, beside a cell over all of them', async () => {
    const rules = [...grid([60, 120, 220, 320, 420], [100, 120, 180, 240]), ...[138].map((y) => rule(120, y, 420, y))];
    const content = [
      ...inRows([64, 124, 224, 324], 103, 20, [['No.', 'Kind', 'Holdings', 'Area']]),
      [64, 122, '1'] as const,
      [124, 122, 'Marginal'] as const,
      ...inRows([0, 124, 224, 324], 140, 13, [
        ['', 'I', '39053', '12142'],
        ['', 'UI', '7429', '2088'],
        ['', 'T', '46484', '14230'],
      ]),
      ...inRows([64, 124, 224, 324], 183, 20, [['2', 'Small', '20341', '16685']]),
    ];
    const [rows] = rowsOf(await blocksOf(`${rules.join('\n')}\n${page(content)}`));
    expect(rows).toEqual([
      ['No.', 'Kind', 'Holdings', 'Area'],
      ['1', 'Marginal', '', ''],
      ['', 'I', '39053', '12142'],
      ['', 'UI', '7429', '2088'],
      ['', 'T', '46484', '14230'],
      ['2', 'Small', '20341', '16685'],
    ]);
  });

  test('rows of a bill in one cell of rules are rows, each with its amount', async () => {
    const rows = [
      ['Parts', '', '99,999'],
      ['Body labor', '150', '300'],
      ['Paint labor', '150', '225'],
      ['Supplies', '', ''],
      ['Other charges', '', '15'],
      ['Subtotal', '', '100,629'],
      ['Sales tax', '10.20%', '10,264'],
    ];
    const content = [
      ...grid([56, 200, 280, 360], [96, 114, 224]),
      page([...inRows([60, 210, 300], 99, 18, [['', 'Rate', 'Cost']]), ...inRows([60, 210, 300], 118, 14, rows)]),
    ].join('\n');
    const [table] = tablesOf(await blocksOf(content));
    expect(table?.rows).toEqual([['', 'Rate', 'Cost'], ...rows]);
  });

  test.each([
    ['the middle', 7],
    ['the first', 0],
  ])('rows of a bill between two rules begin where their values are, in %s line of a text', async (_where, down) => {
    const rules = [120, 184, 224, 244].map((y) => rule(60, y, 460, y));
    const content = [
      ...inRows([60, 100, 250, 320, 400], 103, 1, [['No.', 'Work', 'Hours', 'Price', 'Amount']]),
      ...inRows([60, 250, 320, 400], 124 + down, 1, [['1', '1', '420.00', '420.00']]),
      [100, 124, 'Service of the motor'] as const,
      [100, 138, 'Filter and eight litres of oil'] as const,
      ...inRows([60, 100, 250, 320, 400], 168, 1, [['2', 'Paint', '12.5', '18.40', '230.00']]),
      ...inRows([320, 400], 188, 18, [
        ['Sum', '650.00'],
        ['Tax', '123.50'],
      ]),
      ...inRows([320, 400], 228, 1, [['Total', '773.50']]),
    ];
    const [read] = rowsOf(await blocksOf(`${rules.join('\n')}\n${page(content)}`));
    expect(read?.slice(0, 3)).toEqual([
      ['No.', 'Work', 'Hours', 'Price', 'Amount'],
      ['1', 'Service of the motor Filter and eight litres of oil', '1', '420.00', '420.00'],
      ['2', 'Paint', '12.5', '18.40', '230.00'],
    ]);
  });

  test('a head above the first rule is the head, and values below a ruled head are its body', async () => {
    const head = ['Company', 'Mat.', 'Yield', 'Income'];
    const body = [
      ['Kruger', '1.9', '56.4', '846'],
      ['Stine', '1.7', '55.3', '830'],
      ['Hefty', '2.1', '53.7', '806'],
    ];
    const xs = [60, 150, 220, 290, 360];
    const lefts = [64, 154, 224, 294];
    const above = [...grid(xs, [120, 140, 160, 180]), page(inRows(lefts, 105, 18, [head, ...body]))];
    const below = [...grid(xs, [300, 320]), page(inRows(lefts, 303, 18, [head, ...body]))];
    expect(rowsOf(await blocksOf([...above, ...below].join('\n')))).toEqual([
      [head, ...body],
      [head, ...body],
    ]);
  });

  test('where each row has its rules, lines of words are one cell, also with a background of their own', async () => {
    const xs = [60, 160, 260, 360];
    const rules = grid(xs, [100, 132, 150, 168, 186, 204, 222]);
    const shades = xs
      .slice(0, 3)
      .flatMap((x) => [box(x, 100, 100, 32, 0.8), box(x + 5, 101, 90, 15, 0.8), box(x + 5, 116, 90, 15, 0.8)]);
    const rows = Array.from({ length: 5 }, (_, at) => [`Land ${at}`, `${at}.5`, `${at + 1}.5`]);
    const content = [
      ...inRows([68, 168, 268], 102, 14, [
        ['Name of', 'to air', 'to water'],
        ['the land', 'a year', 'a year'],
      ]),
      ...inRows([68, 168, 268], 135, 18, rows),
    ];
    expect(rowsOf(await blocksOf([...shades, ...rules, page(content)].join('\n')))).toEqual([
      [['Name of the land', 'to air a year', 'to water a year'], ...rows],
    ]);
  });

  test('the pieces of a rule before a text are no bullet', async () => {
    const pieces = Array.from({ length: 10 }, (_, at) => box(60, 100 + at * 2.5, 1.5, 2.5));
    const [block] = await blocksOf([...pieces, page([[66, 105, 'Chronic fatigue']])].join('\n'));
    expect(block).toMatchObject({ kind: 'paragraph', text: 'Chronic fatigue' });
  });

  test('a form that frames some of its fields is read row by row', async () => {
    const rules = [
      ...[100, 120, 226, 246].map((y) => rule(60, y, 420, y)),
      ...[60, 420].map((x) => rule(x, 100, x, 246)),
      ...[140, 240, 320].map((x) => rule(x, 206, x, 226)),
      rule(60, 206, 140, 206),
      rule(240, 206, 320, 206),
    ];
    const rows = [
      ['Name', 'Gina Example', 'Year', '2022'],
      ['Claim', 'SF-1008', 'Make', 'Testa'],
      ['Phone', '555 0100', 'Colour', 'White'],
      ['Distance', '9,800', 'Doors', '4'],
      ['', '', 'Seats', '5'],
      ['Order', 'RO-2022', 'By', 'E. Turner'],
    ];
    const content = [
      [64, 103, 'Customer'] as const,
      ...inRows([64, 144, 244, 324], 123, 17.2, rows),
      [64, 229, 'Note'] as const,
    ];
    const [read] = rowsOf(await blocksOf(`${rules.join('\n')}\n${page(content)}`));
    expect(read?.filter((row) => row.filter((cell) => cell !== '').length > 1)).toEqual(rows);
  });

  test('the last row between rules across has a cell of many lines', async () => {
    const content = [
      ...[96, 118, 140, 162, 260].map((y) => rule(56, y, 400, y)),
      page([
        ...inRows([60, 180, 260], 100, 22, [
          ['Animal', 'Action', 'Result'],
          ['Cat', 'says', 'meow'],
          ['Dog', 'says', 'bow-wow'],
          ['Fox', 'says', 'one line of'],
        ]),
        [60, 136, 'or wolf'],
        ...['its long song,', 'another line', 'of that song,', 'and the last', 'line of all'].map(
          (line, at): PlacedText => [260, 180 + at * 14, line],
        ),
      ]),
    ].join('\n');
    const [table] = tablesOf(await blocksOf(content));
    expect(table?.rows.at(-1)?.slice(0, 2)).toEqual(['Fox', 'says']);
    expect(table?.rows.at(-1)?.[2]?.replace(/\s+/gu, ' ')).toBe(
      'one line of its long song, another line of that song, and the last line of all',
    );
  });

  test('a chart with lines at the numbers of its axis is no table', async () => {
    const ticks = ['0%', '20%', '40%', '60%', '80%', '100%'];
    const rules = grid([60, 120, 180, 240, 300, 360], [100, 150, 200, 250]);
    const content = [
      ...inRows([80, 200, 320], 120, 50, [
        ['30.5', '49.0', '20.4'],
        ['29.7', '48.6', '21.7'],
      ]),
      ...ticks.map((tick, at) => [62 + at * 58, 236, tick] as const),
    ];
    const tables = rowsOf(await blocksOf(`${rules.join('\n')}\n${page(content)}`));
    expect(tables.flat(2)).not.toContain('100%');
  });

  test('a word that reaches over a rule stays whole', async () => {
    const rows = ['Kiel', 'Bari', 'Cork', 'Vigo', 'Oban', 'Nice', 'Split', 'Gent', 'Pula', 'Faro'].map((port, at) => [
      port,
      `${at + 3}`,
    ]);
    const rules = grid(
      [60, 140, 260],
      Array.from({ length: rows.length + 2 }, (_, at) => 100 + at * 20),
    );
    const content = [[64, 103, 'Places of sterilization'] as const, ...inRows([64, 144], 123, 20, rows)];
    const [read] = rowsOf(await blocksOf(`${rules.join('\n')}\n${page(content)}`));
    expect(read).toEqual([['Places of sterilization', ''], ...rows]);
  });

  test('a caption in the frame of a table is a caption, amounts that almost touch are in their columns', async () => {
    const rows = [
      ['Kiel', '2,241,609', '107,549', '23,000'],
      ['Bari', '8,185,079', '3,008,077', '3,525,558'],
      ['Vigo', '1,743,501', '84,185', '10,250'],
    ];
    const rules = [100, 120, 140, 160, 180, 200, 220].map((y) => rule(60, y, 380, y));
    for (const x of [60, 380]) rules.push(rule(x, 100, x, 220));
    for (const x of [140, 220, 296]) rules.push(rule(x, 120, x, 200));
    const content = [
      [64, 103, 'Table: 5 Outlay of the ports in thousands, all of which the towns had to pay'] as const,
      ...inRows([64, 144, 224, 300], 123, 20, [['Port', 'Quays', 'Cranes', 'Boats'], ...rows]),
      [64, 203, 'Cork'] as const,
      [144, 203, '26,328,400'] as const,
      [246, 203, '6,922,900 12,664,000'] as const,
    ];
    const blocks = await blocksOf(`${rules.join('\n')}\n${page(content)}`);
    expect(blocks[0]).toMatchObject({ kind: 'caption', text: expect.stringMatching(/^Table: 5 Outlay/) });
    expect(rowsOf(blocks)).toEqual([
      [['Port', 'Quays', 'Cranes', 'Boats'], ...rows, ['Cork', '26,328,400', '6,922,900', '12,664,000']],
    ]);
  });

  test('the bullets of lists in thick frames are no column', async () => {
    const items = ['First of the pilots', 'Second of the boats', 'Third of the cranes', 'Fourth of the quays'];
    const thick = (x: number, y: number, toX: number, toY: number) => rule(x, y, toX, toY).replace('0.5 w', '5 w');
    const rules = [121.5, 149.4, 177.4].map((y) => thick(69.4, y, 507, y));
    for (const x of [72, 504]) rules.push(thick(x, 118.7, x, 180));
    const content = items.flatMap((item, at): PlacedText[] => [
      [77.5, 124.5 + at * 13.9, '\x95'],
      [95.5, 123.5 + at * 13.9, item],
    ]);
    const blocks = await blocksOf(`${rules.join('\n')}\n${page(content)}`);
    expect(blocks.map((block) => 'text' in block && [block.kind, block.text])).toEqual(
      items.map((item) => ['list-item', item]),
    );
  });

  test('merged cells are merged in docling.json and in Markdown', async () => {
    const rules = [
      ...[100, 140, 160, 180].map((y) => rule(60, y, 420, y)),
      rule(180, 120, 420, 120),
      ...[60, 180, 420].map((x) => rule(x, 100, x, 180)),
      rule(300, 120, 300, 180),
    ];
    const content = [
      [64, 113, 'Port'] as const,
      [270, 103, 'Tons in May'] as const,
      ...inRows([0, 184, 304], 123, 20, [['', 'Salt', 'Timber']]),
      ...inRows([64, 184, 304], 143, 20, [
        ['Kiel', '12', '30'],
        ['Bari', '7', '25'],
      ]),
    ];
    const pdf = writePdf({ pages: [`${rules.join('\n')}\n${page(content)}`] });
    const { filesFolder } = await bed.extract(pdf);
    const docling = JSON.parse(await readFile(join(filesFolder, 'docling.json'), 'utf8')) as {
      tables: { data: { table_cells: { text: string; row_span: number; col_span: number }[] } }[];
    };
    const merged = docling.tables[0]?.data.table_cells.filter((cell) => cell.row_span * cell.col_span > 1);
    expect(merged?.map((cell) => [cell.text, cell.row_span, cell.col_span])).toEqual([
      ['Port', 2, 1],
      ['Tons in May', 1, 2],
    ]);
    const markdown = await readFile(join(filesFolder, 'document.md'), 'utf8');
    expect(markdown).toContain('<th rowspan="2">Port</th><th colspan="2">Tons in May</th>');
  });
});
