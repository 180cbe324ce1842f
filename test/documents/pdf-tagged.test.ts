import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPdfBed } from './pdf-bed.ts';
import { FIRST_EXTRA, rule, text, writePdf } from './pdf-writer.ts';

let bed: Awaited<ReturnType<typeof openPdfBed>>;
beforeAll(async () => {
  bed = await openPdfBed();
});
afterAll(() => bed.close());

/** An element of the tag tree: its role, and its children or the text it stands for, with its place if it matters. */
type Element = [role: string, content: Element[] | string, at?: [left: number, top: number]];

/**
 * A page whose text, line below line in one size, is told apart by its tags alone. No tag names the decoration, nor
 * what is written `before` all text that has one; the frames of cells that hold elements are drawn first, as browsers do.
 */
function taggedPdf(elements: Element[], decoration = '', before = ''): Buffer {
  // The root of the tree comes first; what it says is known last.
  const objects: string[] = [''];
  const leaves: number[] = [];
  const frames: string[] = [];
  const content: string[] = [];
  const add = ([role, inner, at]: Element, parent: number): number => {
    const number = FIRST_EXTRA + objects.push('') - 1;
    let kids: string;
    if (typeof inner === 'string') {
      const id = leaves.push(number) - 1;
      content.push(`/${role} <</MCID ${id}>> BDC\n${text(at?.[0] ?? 60, at?.[1] ?? 60 + id * 16, [inner])}\nEMC`);
      kids = `/Pg 1000 0 R /K ${id}`;
    } else {
      const frame = role === 'TD' ? leaves.push(number) - 1 : null;
      if (frame !== null) frames.push(`/TD <</MCID ${frame}>> BDC\n50 50 100 100 re S\nEMC`);
      const own = frame === null ? '/K [' : `/Pg 1000 0 R /K [${frame} `;
      kids = `${own}${inner.map((element) => `${add(element, number)} 0 R`).join(' ')}]`;
    }
    objects[number - FIRST_EXTRA] = `<< /Type /StructElem /S /${role} /P ${parent} 0 R ${kids} >>`;
    return number;
  };
  const document = add(['Document', elements], FIRST_EXTRA);
  const parents = `<< /Nums [0 [${leaves.map((leaf) => `${leaf} 0 R`).join(' ')}]] >>`;
  objects[0] = `<< /Type /StructTreeRoot /K [${document} 0 R] /ParentTree ${parents} >>`;
  return writePdf({
    pages: [[...frames, before, ...content, decoration].join('\n')],
    extra: objects,
    catalogue: `/MarkInfo << /Marked true >> /StructTreeRoot ${FIRST_EXTRA} 0 R`,
    pageEntries: '/StructParents 0',
  });
}

const row = (role: string, cells: string[]): Element => ['TR', cells.map((cell): Element => [role, cell])];

test('what the tags of a document say goes before what it looks like', async () => {
  const { document } = await bed.extract(
    taggedPdf([
      ['H2', 'A heading that looks like text'],
      ['P', 'The body of the document follows its heading and is long enough to be most of it.'],
      ['P', 'A second paragraph stands right below the first, in the very same type.'],
      ['Table', [row('TH', ['Name', 'Count']), row('TD', ['Apples', '12']), row('TD', ['Pears', '7'])]],
      [
        'L',
        [
          ['LI', 'one point'],
          ['LI', 'another point'],
          ['L', [['LI', 'a point below it']]],
        ],
      ],
      ['Caption', 'A picture of the harbour'],
      ['Code', 'let x = 1;'],
      ['Note', '1 Seen on a rainy day.'],
    ]),
  );
  expect(document.blocks).toMatchObject([
    { kind: 'heading', level: 2, text: 'A heading that looks like text' },
    { kind: 'paragraph', text: expect.stringMatching(/^The body/) },
    { kind: 'paragraph', text: expect.stringMatching(/^A second/) },
    {
      kind: 'table',
      rows: [
        ['Name', 'Count'],
        ['Apples', '12'],
        ['Pears', '7'],
      ],
    },
    { kind: 'list-item', depth: 0, text: 'one point' },
    { kind: 'list-item', depth: 0, text: 'another point' },
    { kind: 'list-item', depth: 1, text: 'a point below it' },
    { kind: 'caption', text: 'A picture of the harbour' },
    { kind: 'code', text: 'let x = 1;' },
    { kind: 'note', marker: '1', text: 'Seen on a rainy day.' },
  ]);
});

test('text that tags cut inside of a word or a line is whole again', async () => {
  const { document } = await bed.extract(
    taggedPdf([
      [
        'P',
        [
          ['Span', 'H', [60, 100]],
          ['Span', '2', [67.94, 100]],
          ['Span', 'O is', [74.06, 100]],
          ['Span', 'water', [97, 100]],
        ],
      ],
      [
        'P',
        [
          ['Span', 'Call ', [60, 120]],
          ['Code', 'run()', [82, 120]],
          ['Span', ', twice.', [105.2, 120]],
        ],
      ],
      [
        'Code',
        [
          ['Span', 'def', [60, 140]],
          ['Span', ' f():', [78.4, 140]],
          ['Span', '    ', [60, 154]],
          ['Span', 'pass', [72.2, 154]],
        ],
      ],
      [
        'Table',
        [
          row('TH', ['Option', 'Meaning']),
          [
            'TR',
            [
              ['TD', [['Code', '-a']]],
              ['TD', 'all of it'],
            ],
          ],
        ],
      ],
    ]),
  );
  expect(document.blocks).toMatchObject([
    { kind: 'paragraph', text: 'H2O is water' },
    { kind: 'paragraph', text: 'Call run(), twice.' },
    { kind: 'code', text: 'def f():\n    pass' },
    {
      kind: 'table',
      rows: [
        ['Option', 'Meaning'],
        ['-a', 'all of it'],
      ],
    },
  ]);
});

test('cells beside and below those that span columns or rows are put where they stand', async () => {
  const at = (left: number, top: number, cell: string): Element => ['TD', cell, [left, top]];
  const table: Element[] = [
    ['TR', [at(60, 100, 'Name'), at(160, 100, 'Amount'), at(260, 100, 'Note')]],
    ['TR', [at(60, 128, 'Pears'), at(160, 120, '4'), at(260, 120, 'green')]],
    ['TR', [at(160, 140, '5'), at(260, 140, 'yellow')]],
    ['TR', [at(60, 160, 'All of them'), at(260, 160, 'sold')]],
  ];
  const { document } = await bed.extract(taggedPdf([['Table', table]]));
  expect(document.blocks[0]).toHaveProperty('rows', [
    ['Name', 'Amount', 'Note'],
    ['Pears', '4', 'green'],
    ['', '5', 'yellow'],
    ['All of them', '', 'sold'],
  ]);
});

test('a table of one row is layout, and its text is text', async () => {
  const { document } = await bed.extract(
    taggedPdf([['Table', [row('TD', ['Left of the page', 'Right of the page'])]]]),
  );
  expect(document.blocks.some((block) => block.kind === 'table')).toBe(false);
  expect(document.blocks.map((block) => ('text' in block ? block.text : '')).join(' ')).toContain('Right of the page');
});

test('tags that call everything a heading are not believed', async () => {
  const sentences = Array.from(
    { length: 12 },
    (_, index) => `Sentence ${index} of a text that is all tagged as heading.`,
  );
  const { document } = await bed.extract(taggedPdf(sentences.map((sentence): Element => ['H1', sentence])));
  expect(document.blocks.some((block) => block.kind === 'heading')).toBe(false);
});

test('what a browser prints at the edges of the page is not taken into the last cell of a table', async () => {
  const decoration = [
    text(24, 15, ['11/21/26, 5:53 PM'], 8),
    text(280, 15, ['Prices'], 8),
    text(24, 767, ['file:///prices.html'], 8),
    text(575, 767, ['1/1'], 8),
  ];
  const table: Element = [
    'Table',
    [row('TH', ['Name', 'Count']), row('TD', ['Apples', '12']), row('TD', ['Pears', '7'])],
  ];
  const { document } = await bed.extract(taggedPdf([['H1', 'Prices of the shop'], table], decoration.join('\n')));
  expect(document.blocks.find((block) => block.kind === 'table')).toMatchObject({
    rows: [
      ['Name', 'Count'],
      ['Apples', '12'],
      ['Pears', '7'],
    ],
  });
  const furniture = document.blocks.filter((block) => block.kind === 'page-furniture');
  expect(furniture.map(({ place, text: said }) => [place, said])).toEqual([
    ['header', '11/21/26, 5:53 PM'],
    ['header', 'Prices'],
    ['footer', 'file:///prices.html'],
  ]);
});

test('what goes on from the page before, without a tag, stands before the text and not in the last cell', async () => {
  const cell = (said: string, left: number, top: number): Element => ['TD', [['NonStruct', said, [left, top]]]];
  const rows = [1, 2, 3].map(
    (index): Element => [
      'TR',
      [cell(`Pier ${index}`, 60, 200 + index * 20), cell(`${index} m`, 200, 200 + index * 20)],
    ],
  );
  const before = [text(60, 40, ['the end of a sentence that began above.']), text(60, 80, ['A paragraph.'])].join('\n');
  const { document } = await bed.extract(
    taggedPdf(
      [
        ['Table', rows],
        ['P', [['NonStruct', 'After the table.', [60, 400]]]],
      ],
      '',
      before,
    ),
  );
  expect(document.blocks).toMatchObject([
    { kind: 'paragraph', text: 'the end of a sentence that began above.' },
    { kind: 'paragraph', text: 'A paragraph.' },
    {
      kind: 'table',
      rows: [
        ['Pier 1', '1 m'],
        ['Pier 2', '2 m'],
        ['Pier 3', '3 m'],
      ],
    },
    { kind: 'paragraph', text: 'After the table.' },
  ]);
});

test('a paragraph that reaches the edge of the page keeps its last lines', async () => {
  const lines = Array.from({ length: 46 }, (_, index): Element => ['P', `Line ${index} of a page that is full.`]);
  const { document } = await bed.extract(taggedPdf(lines));
  expect(document.blocks.filter((block) => block.kind === 'paragraph')).toHaveLength(lines.length);
});

test('numbered titles that are tagged as items of lists are headings, and items with no text below are not', async () => {
  const body = 'The gauges were read every hour at both ends of the basin, and corrected as usual.';
  const { document } = await bed.extract(
    taggedPdf([
      ['L', [['LI', '1. Purpose of the survey']]],
      ['P', body],
      ['L', [['LI', '2. Instruments']]],
      ['P', body],
      [
        'L',
        [
          ['LI', '1. open the gate'],
          ['LI', '2. read the gauge'],
          ['LI', '3. close the gate'],
        ],
      ],
      ['P', body],
    ]),
  );
  const shown = document.blocks.flatMap((block) => ('text' in block ? [`${block.kind} ${block.text}`] : []));
  expect(shown).toEqual([
    'heading 1. Purpose of the survey',
    `paragraph ${body}`,
    'heading 2. Instruments',
    `paragraph ${body}`,
    'list-item open the gate',
    'list-item read the gauge',
    'list-item close the gate',
    `paragraph ${body}`,
  ]);
});

test('the rules of a table whose cells are tagged as paragraphs make it a table', async () => {
  const cells = [
    ['Region', 'Capital'],
    ['North', 'Harbour'],
    ['South', 'Market'],
  ];
  const elements = cells.flatMap((texts, y) =>
    texts.map((cell, x): Element => ['P', cell, [70 + x * 100, 103 + y * 20]]),
  );
  const rules = [
    ...[100, 120, 140, 160].map((y) => rule(60, y, 260, y)),
    ...[60, 160, 260].map((x) => rule(x, 100, x, 160)),
  ];
  const { document } = await bed.extract(taggedPdf(elements, '', `/P <</MCID 0>> BDC\n${rules.join('\n')}\nEMC`));
  expect(document.blocks).toMatchObject([{ kind: 'table', rows: cells }]);
});

test('cells of a tagged table stand where they are on the page, beside empty ones that no tag names', async () => {
  const lefts = [60, 120, 250, 320, 400];
  const rows = [
    ['Date', 'Text', 'Amount in the month', '', 'Balance'],
    ['', '', 'Debit', 'Credit', ''],
    ['2 Jan', 'Opening', '', '', '1,204.33'],
    ['3 Jan', 'Payment', '23.10', '', '1,181.23'],
    ['7 Jan', 'Salary', '', '2,100.00', '3,281.23'],
  ];
  const table = rows.map((cells, at): Element => {
    const placed = cells.flatMap((cell, column): Element[] =>
      cell === '' ? [] : [[at < 2 ? 'TH' : 'TD', [['P', cell, [lefts[column] ?? 0, 100 + at * 16]]]]],
    );
    return ['TR', placed];
  });
  const { document } = await bed.extract(
    taggedPdf([
      ['P', 'The account of January.', [60, 60]],
      ['Table', table],
    ]),
  );
  const [read] = document.blocks.flatMap((block) => (block.kind === 'table' ? [block] : []));
  expect(read?.rows).toEqual(rows);
  expect(read?.spans).toEqual([{ row: 0, column: 2, rows: 1, columns: 2 }]);
});
