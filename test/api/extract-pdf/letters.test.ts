import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Job } from '../../../src-server/features/jobs/schema.ts';
import type { SourceAccount } from '../../../src-server/platform/source-account.ts';
import { box, FIRST_EXTRA, rule, text, writePdf } from '../../documents/pdf-writer.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { fileForm } from '../../harness/jobs.ts';

/** Every letter of a PDF is delivered, or counted with the reason why it is not. */
let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

const fixture = (name: string) => readFile(new URL(`../../fixtures/documents/cases/${name}`, import.meta.url));

interface DoclingCell {
  text: string;
  start_row_offset_idx: number;
  start_col_offset_idx: number;
}

interface Docling {
  tables: { data: { num_rows: number; num_cols: number; table_cells: DoclingCell[] } }[];
  texts: { text: string }[];
}

async function read(pdf: Uint8Array) {
  const init = { method: 'POST', body: fileForm(pdf, 'letters.pdf', {}), headers: { prefer: 'wait=60' } };
  const job = (await (await appliance.owner('/v1/extract/pdf', init)).json()) as Job;
  expect(job).toMatchObject({ jobType: 'extract/pdf', status: 'completed' });
  const result = job.result as { account: SourceAccount; warnings: string[]; files: { name: string; url: string }[] };
  const url = result.files.find(({ name }) => name === 'docling.json')?.url ?? '';
  const docling = (await (await appliance.owner(new URL(url).pathname)).json()) as Docling;
  const account = result.account;
  expect(account.unit).toBe('letters');
  const leftOut = account.leftOut.reduce((sum, { count }) => sum + count, 0);
  expect(account.delivered + leftOut + account.unexplained).toBe(account.source);
  return {
    tables: docling.tables.map(({ data }) => rowsOf(data)),
    texts: docling.texts.map(({ text }) => text),
    account,
    warnings: result.warnings,
  };
}

function rowsOf({ num_rows, num_cols, table_cells }: Docling['tables'][number]['data']): string[][] {
  const rows = Array.from({ length: num_rows }, () => Array.from({ length: num_cols }, () => ''));
  for (const { text, start_row_offset_idx: row, start_col_offset_idx: column } of table_cells) {
    (rows[row] as string[])[column] = text;
  }
  return rows;
}

/** A result with all letters. */
const WHOLE = { warnings: [], account: { unexplained: 0, leftOut: [] } };

const CENSUS = [
  ['Group', '2005', '2010'],
  ['Age', 'Number', 'Percent'],
  ['All ages', '291,099', '100.0'],
  ['Men', '141,000', '48.4'],
  ['Women', '150,099', '51.6'],
];

/** Cells in columns of 90 points and rows of `height` points, from the given place. */
function cells(rows: readonly (readonly string[])[], top: number, height = 16): string[] {
  return rows.flatMap((row, y) => row.map((cell, x) => text(64 + x * 90, top + 2 + y * height, [cell], 9)));
}

describe('tables in POST /extract/pdf', () => {
  test('keep a body whose rules cut it into rows lower than its text', async () => {
    const { tables, ...rest } = await read(await fixture('table-body-lost.pdf'));
    expect(rest).toMatchObject(WHOLE);
    const [rows] = tables;
    expect(rows).toHaveLength(10);
    expect(rows?.[2]).toEqual(['All ages', '291,099', '100.0']);
    expect(rows?.at(-1)).toEqual(['Women', '150,099', '51.6']);
  });

  test.each([4, 5, 6.5])('keep cells over grid rows of %d points', async (step) => {
    const height = 16;
    const [top, bottom] = [100, 100 + CENSUS.length * height];
    const dividers: string[] = [];
    for (let y = top; y < bottom; y += step) {
      for (const x of [60, 150, 240, 330]) dividers.push(rule(x, y, x, Math.min(bottom, y + step)));
      // Short strokes beside the table divide the grid, but none of its cells.
      dividers.push(rule(330, y, 336, y));
    }
    const across = [top, top + 2 * height, bottom].map((y) => rule(60, y, 330, y));
    const { tables, ...rest } = await read(
      writePdf({ pages: [[...dividers, ...across, ...cells(CENSUS, top, height)].join('\n')] }),
    );
    expect(rest).toMatchObject(WHOLE);
    expect(tables.flat(2).join(' ')).toContain('All ages 291,099 100.0');
  });

  test('divide rows without rules between the columns of their neighbours', async () => {
    const { tables, ...rest } = await read(await fixture('striped-framed-table.pdf'));
    expect(rest).toMatchObject(WHOLE);
    expect(tables).toEqual([
      [
        ['District totals', '2007', '2008', '2009'],
        ['Matters received', '426', '365', '285'],
        ['Defendants charged', '290', '259', '235'],
        ['Cases charged', '217', '197', '173'],
        ['Defendants sentenced', '287', '242', '223'],
        ['No prison term', '148', '107', '126'],
        ['1-12 months', '52', '48', '35'],
      ],
    ]);
  });

  test('divide framed stripes of grey, of which some cells are empty', async () => {
    const rows = [
      ['Port', 'Depth', 'Quays', 'Cranes'],
      ['Kiel', '9.5', '', '4'],
      ['Bari', '', '7', '2'],
      ['Cork', '7.4', '3', ''],
      ['Vigo', '11.2', '9', '5'],
    ];
    const stripes = [0, 2, 4].flatMap((y) => [0, 1, 2, 3].map((x) => box(60 + x * 90, 100 + y * 16, 90, 16, 0.8)));
    const frame = [rule(60, 100, 420, 100), rule(60, 180, 420, 180), rule(60, 100, 60, 180), rule(420, 100, 420, 180)];
    const { tables, ...rest } = await read(
      writePdf({ pages: [[...stripes, ...frame, ...cells(rows, 100)].join('\n')] }),
    );
    expect(rest).toMatchObject(WHOLE);
    expect(tables).toEqual([rows]);
  });

  test('read a form with sections as rows of labels and values', async () => {
    const { tables, ...rest } = await read(await fixture('estimate.pdf'));
    expect(rest).toMatchObject(WHOLE);
    const rows = tables.flat().map((row) => row.filter((cell) => cell !== ''));
    expect(rows).toEqual([
      ['Customer', 'Vehicle'],
      ['Name', 'Gina Example', 'Year', '2022'],
      ['Claim', 'SF-1008', 'Make', 'Testa'],
      ['Policy', 'POL-555', 'Model', 'Roadster'],
      ['Phone', '555 0100', 'Colour', 'White'],
      ['Totals'],
      ['Hours', 'Rate', 'Cost'],
      ['Parts', '2,100'],
      ['Body labour', '2', '150', '300'],
      ['Paint labour', '1.5', '150', '225'],
      ['Mechanical labour', '-', '-', '-'],
      ['Supplies', '90'],
      ['Other charges', '15'],
      ['Subtotal', '2,730'],
      ['Sales tax', '10.20%', '278.46'],
      ['GRAND TOTAL', '3,008.46'],
    ]);
  });
});

describe('pages that repeat others in POST /extract/pdf', () => {
  const statement = (rows: readonly string[][], left = 60) =>
    rows.flatMap((row, y) => row.map((cell, x) => text(left + x * 180, 80 + y * 18, [cell]))).join('\n');

  test('keep the equal rows of two statements', async () => {
    const { tables, ...rest } = await read(await fixture('two-statements.pdf'));
    expect(rest).toMatchObject(WHOLE);
    expect(tables).toEqual([
      [
        ['Item', 'Amount'],
        ['Rent', '800.00'],
        ['Power', '60.00'],
        ['Fee', '5.00'],
      ],
      [
        ['Item', 'Amount'],
        ['Rent', '800.00'],
        ['Power', '60.00'],
        ['Refund', '12.00'],
      ],
    ]);
  });

  test('keep both of two copies, with and without a head', async () => {
    const rows = [
      ['Rent', '800.00'],
      ['Power', '60.00'],
      ['Fee', '5.00'],
    ];
    for (const table of [rows, [['Item', 'Amount'], ...rows]]) {
      const page = statement(table);
      const { tables, ...rest } = await read(writePdf({ pages: [page, page] }));
      expect(rest).toMatchObject(WHOLE);
      expect(tables).toEqual([table, table]);
    }
  });

  test('keep the equal first rows of a table over two pages, and print its head once', async () => {
    const month = (name: string) =>
      Array.from({ length: 34 }, (_, day) => [day < 3 ? 'Rent' : `${name} ${day}`, `${day}.50`]);
    const head = ['Item', 'Amount'];
    const pages = [statement([head, ...month('May')]), statement([head, ...month('June')])];
    const { tables, account, warnings } = await read(writePdf({ pages }));
    expect(tables).toEqual([[head, ...month('May'), ...month('June')]]);
    expect(warnings).toEqual([]);
    expect(account).toMatchObject({
      unexplained: 0,
      leftOut: [{ reason: 'repeated-header-or-footer', count: 10, where: 'page 2', sample: 'Item Amount' }],
    });
  });

  test('keep a text above a table that has words of its head', async () => {
    const rows = Array.from({ length: 34 }, (_, day) => [`Day ${day}`, `${day}.50`]);
    const pages = [statement([['Total', 'Amount'], ...rows]), `${text(60, 50, ['Total'])}\n${statement(rows)}`];
    const { texts, ...rest } = await read(writePdf({ pages }));
    expect(rest).toMatchObject(WHOLE);
    expect(texts).toContain('Total');
  });

  test('keep headers whose numbers are not the page numbers, and count the others', async () => {
    const body = (page: number) => text(60, 200, ['Goods of the month', `were sent on day ${page * 3}.`]);
    const pages = [1041, 2077, 3112].map((invoice, index) =>
      [
        text(60, 30, [`Invoice ${invoice}`]),
        text(400, 30, [`Due ${invoice * 3}.00`]),
        text(60, 750, ['Harbour Supplies Ltd']),
        text(400, 750, [`Page ${index + 1} of 3`]),
        body(index),
      ].join('\n'),
    );
    const { texts, account, warnings } = await read(writePdf({ pages }));
    const all = texts;
    for (const kept of ['Invoice 1041', 'Invoice 2077', 'Invoice 3112', 'Due 9336.00']) expect(all).toContain(kept);
    expect(warnings).toEqual([]);
    expect(account.unexplained).toBe(0);
    expect(account.leftOut).toEqual([
      { reason: 'repeated-header-or-footer', count: 36, where: 'pages 2–3', sample: 'Harbour Supplies Ltd' },
      { reason: 'repeated-header-or-footer', count: 24, where: 'pages 1–3', sample: 'Page 1 of 3' },
    ]);
  });
});

describe('overprinted text in POST /extract/pdf', () => {
  test('is delivered once if it is drawn twice to look bold', async () => {
    const { texts, account, warnings } = await read(await fixture('fakebold.pdf'));
    expect(texts).toEqual(['Invoice total', 'Plain line follows here.']);
    expect(warnings).toEqual([]);
    expect(account).toMatchObject({
      source: 44,
      unexplained: 0,
      leftOut: [{ reason: 'overprinted-copy', count: 12, where: 'page 1', sample: 'Invoice total' }],
    });
  });

  test('is delivered once if it is drawn four times as a shadow, before other text', async () => {
    const drawn = [0, 0.3, 0.6, 0.9].map((off) => text(60 + off, 100 + off, ['Annual report 2024', 'of the port'], 14));
    const { texts, account } = await read(writePdf({ pages: [[...drawn, text(60, 300, ['Text below.'])].join('\n')] }));
    expect(texts.join(' ')).toBe('Annual report 2024 of the port Text below.');
    expect(account).toMatchObject({ unexplained: 0, leftOut: [{ reason: 'overprinted-copy', count: 75 }] });
  });

  test('is whole if first only its bold letters are drawn', async () => {
    const pages = [
      `${text(60, 100, ['Grand'])}\n${text(60.3, 100, ['Grand total: 42.00'])}\n${text(60, 130, ['llama www'])}`,
    ];
    const { texts, account } = await read(writePdf({ pages }));
    expect(texts).toEqual(['Grand total: 42.00', 'llama www']);
    expect(account).toMatchObject({ unexplained: 0, leftOut: [{ reason: 'overprinted-copy', count: 5 }] });
  });

  test('leaves equal words beside and below each other alone', async () => {
    const pages = [
      [text(60, 100, ['12 12 12', '12 12 12']), text(300, 100, ['nnn'], 9), text(315.5, 100, ['nnn'], 9)].join('\n'),
    ];
    const { tables, texts, account } = await read(writePdf({ pages }));
    expect([...tables.flat(2), ...texts].join(' ').match(/\w/g)).toHaveLength(18);
    expect(account).toMatchObject({ source: 18, leftOut: [], unexplained: 0 });
  });
});

test('text on a layer that is off is counted as hidden in POST /extract/pdf', async () => {
  const pages = [`${text(60, 100, ['Shown to all.'])}\n/OC /Draft BDC\n${text(60, 130, ['Draft remark'])}\nEMC`];
  const resources = `/Properties << /Draft ${FIRST_EXTRA} 0 R >>`;
  const catalogue = `/OCProperties << /OCGs [${FIRST_EXTRA} 0 R] /D << /OFF [${FIRST_EXTRA} 0 R] >> >>`;
  const extra = ['<< /Type /OCG /Name (Draft) >>'];
  const { texts, account, warnings } = await read(writePdf({ pages, resources, catalogue, extra }));
  expect(texts).toEqual(['Shown to all.']);
  expect(warnings).toEqual([]);
  expect(account).toMatchObject({
    source: 21,
    unexplained: 0,
    leftOut: [{ reason: 'hidden', count: 11, where: 'page 1', sample: 'Draft remark' }],
  });
});

describe('text that does not run across in POST /extract/pdf', () => {
  const DEPTHS = [
    ['Port', '2023', '2024', '2025'],
    ['Kiel', '9.5', '9.6', '9.8'],
    ['Bari', '12.0', '12.1', '12.3'],
    ['Cork', '7.4', '7.5', '7.5'],
  ];
  /** A table in the given direction, with or without rules. */
  const turnedTable = (matrix: string, isRuled: boolean) => {
    const top = DEPTHS.flatMap((row, y) => row.map((cell, x) => text(104 + x * 90, 302 + y * 20, [cell], 9)));
    const rules = [0, 1, 2, 3, 4].flatMap((at) => [
      rule(100, 300 + at * 20, 460, 300 + at * 20),
      rule(100 + at * 90, 300, 100 + at * 90, 380),
    ]);
    return `q ${matrix} cm\n${[...(isRuled ? rules : []), ...top].join('\n')}\nQ`;
  };

  test('reads a turned table by its rows', async () => {
    const { tables, ...rest } = await read(await fixture('turned-table.pdf'));
    expect(rest).toMatchObject(WHOLE);
    expect(tables).toEqual([[...DEPTHS, ['Vigo', '11.2', '11.0', '11.4']]]);
  });

  test.each([
    ['up, with rules', '0 1 -1 0 700 0', true],
    ['up, without rules', '0 1 -1 0 700 0', false],
    ['down, with rules', '0 -1 1 0 0 700', true],
    ['down, without rules', '0 -1 1 0 0 700', false],
  ])('reads a table that runs %s', async (_, matrix, isRuled) => {
    const { tables, ...rest } = await read(writePdf({ pages: [turnedTable(matrix, isRuled)] }));
    expect(rest).toMatchObject(WHOLE);
    expect(tables).toEqual([DEPTHS]);
  });

  test('warns of a page with text of both directions', async () => {
    const prose = Array.from({ length: 8 }, (_, line) => `Line ${line} says what the table beside it holds in words.`);
    const many = Array.from({ length: 8 }, (_, row) =>
      text(100, 300 + row * 14, [`Depth of basin ${row} in metres`], 9),
    );
    const page = `${text(60, 60, prose)}\nq 0 1 -1 0 700 0 cm\n${many.join('\n')}\nQ`;
    const { account, warnings } = await read(writePdf({ pages: [text(60, 60, prose), page] }));
    expect(account.unexplained).toBe(0);
    expect(warnings).toEqual([
      'Page 2 has text that runs up or down beside text that runs across; its order may be wrong.',
    ]);
  });

  test('reads Latin words and ligatures in a line of Arabic', async () => {
    const { texts, ...rest } = await read(await fixture('arabic-latin-line.pdf'));
    expect(rest).toMatchObject(WHOLE);
    expect(texts).toEqual([
      'تعتبر البرمجة بلغة R و Python من الأدوات القوية',
      'تحسين الإنتاجية وحل المشكلات خلال العمل',
      'علاوة على ذلك، لا شيء',
    ]);
  });

  test('reads numbers with signs and hyphens in lines of Arabic and Hebrew', async () => {
    const { texts, ...rest } = await read(await fixture('right-to-left-numbers.pdf'));
    expect(rest).toMatchObject(WHOLE);
    const lines = [
      'اشتريت 3 أقلام من متجر Amazon بسعر 12.50 دولار.',
      'يستخدم المهندسون لغة Python و لغة C++ في العمل.',
      'رقم الهاتف هو 0123-456-789 والبريد info@example.com فقط.',
      'الإنتاجية في عام 2025 بلغت 45% من الهدف (أي 1,234 طنا).',
      'קניתי 3 ספרים בחנות Amazon במחיר 12.50 דולר.',
      'המהנדסים משתמשים בשפת Python ובשפת C++ בעבודה.',
      'מספר הטלפון הוא 0123-456-789 והדואר info@example.com בלבד.',
      'בשנת 2025 היו 45% מהיעד (כלומר 1,234 טון).',
      'התאריך 12/05/2026 והשעה 14:30 נקבעו לפגישה עם Dr. Smith.',
      'النسخة رقم 2.0.1 من برنامج LibreOffice Writer متاحة الآن.',
    ];
    for (const line of lines) expect(texts.join(' ')).toContain(line);
  });
});

describe('widely spaced lines in POST /extract/pdf', () => {
  const spaced = (lines: readonly string[], pitch: number, left = 72) =>
    lines.map((line, at) => text(at === 0 ? left : 72, 60 + at * pitch, [line], 12)).join('\n');
  const SENTENCES = [
    'The committee examined the request in three meetings and heard the',
    'owner of the quay, the pilots and two neighbours. It found that the',
    'works would not narrow the fairway and that the noise at night would',
    'remain below the limit which the town had set in its last decision,',
    'and that the permit should be granted.',
  ];

  test('are paragraphs', async () => {
    const { texts, ...rest } = await read(await fixture('double-spaced.pdf'));
    expect(rest).toMatchObject(WHOLE);
    expect(texts).toHaveLength(2);
    expect(texts[0]).toMatch(/^The committee .* permit be granted\.$/);
  });

  test.each([25, 28, 32])('%d points apart are one paragraph', async (pitch) => {
    const { texts } = await read(writePdf({ pages: [spaced(SENTENCES, pitch, 96)] }));
    expect(texts).toEqual([SENTENCES.join(' ')]);
  });

  test('that are entries of a list stay apart', async () => {
    const entries = ['Rope', 'Two anchors of forty kilograms', 'Flags', 'A chart of the northern basin', 'Lamp oil'];
    const { texts } = await read(writePdf({ pages: [spaced(entries, 28)] }));
    expect(texts).toEqual(entries);
  });
});
