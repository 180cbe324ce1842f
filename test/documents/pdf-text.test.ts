import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Block } from '../../workers/documents/blocks.ts';
import { Headings } from '../../workers/documents/pdf/headings.ts';
import type { PageLine } from '../../workers/documents/pdf/page-content.ts';
import { openPdfBed } from './pdf-bed.ts';
import { box, FIRST_EXTRA, rule, text, writePdf } from './pdf-writer.ts';

let bed: Awaited<ReturnType<typeof openPdfBed>>;
beforeAll(async () => {
  bed = await openPdfBed();
});
afterAll(() => bed.close());

const LEFT = [
  'The left column begins with these',
  'words and goes on for some lines so',
  'that nobody takes it for a table of',
  'cells, and ends its thought here.',
];
const RIGHT = [
  'The right column is read after that',
  'one, also when a program wrote both',
  'columns row by row over the page as',
  'old typesetting programs liked to.',
];

async function blocksOf(pages: string[], more: object = {}): Promise<Block[]> {
  return (await bed.extract(writePdf({ pages, ...more }))).document.blocks;
}
const texts = (blocks: Block[], kind: Block['kind']) =>
  blocks.flatMap((block) => (block.kind === kind && 'text' in block ? [block.text] : []));

describe('reading order', () => {
  test('columns that the file writes row by row are read one after the other', async () => {
    const rows = LEFT.map(
      (line, index) => `${text(60, 100 + index * 14, [line])}\n${text(330, 100 + index * 14, [RIGHT[index] ?? ''])}`,
    );
    const more = LEFT.map(
      (line, index) => `${text(60, 160 + index * 14, [line])}\n${text(330, 160 + index * 14, [RIGHT[index] ?? ''])}`,
    );
    const all = texts(await blocksOf([[...rows, ...more].join('\n')]), 'paragraph').join(' ');
    expect(all.indexOf('left column')).toBeLessThan(all.indexOf('right column'));
    expect(all.lastIndexOf('ends its thought')).toBeLessThan(all.indexOf('right column'));
  });

  test('lines that the file writes from the bottom up are read from the top down', async () => {
    const lines = ['Alpha line', 'Beta line', 'Gamma line', 'Delta line', 'Epsilon line', 'Zeta line'];
    const upwards = lines.map((line, index) => text(60, 100 + index * 60, [line])).reverse();
    expect(texts(await blocksOf([upwards.join('\n')]), 'paragraph')).toEqual(lines);
  });

  const PARAGRAPHS = [LEFT, RIGHT, [...LEFT].reverse(), [...RIGHT].reverse()];
  const inColumn = (left: number, blocks: readonly string[][]) =>
    blocks.map((lines, index) => text(left, 100 + index * 90, lines));
  /** Words of the blocks in their order. */
  const readAll = async (content: string[]) =>
    (await blocksOf([content.join('\n')]))
      .flatMap((block) => (block.kind === 'table' ? block.rows.flat() : 'text' in block ? [block.text] : []))
      .join(' ');

  test('blocks that a browser paints after the text are read where they are, and the rest as it is written', async () => {
    const code = ['first = open(1);', 'second = close(2);'];
    const painted = [...inColumn(60, PARAGRAPHS), text(60, 165, code, 9), text(60, 345, ['third = send(3);'], 9)];
    const expected = [...LEFT, ...code, ...RIGHT, ...[...LEFT].reverse(), 'third = send(3);', ...[...RIGHT].reverse()];
    expect(await readAll(painted)).toBe(expected.join(' '));
  });

  test('a block of the left column that is painted last, wider than its column, stays in that column', async () => {
    const wide = 'if (the.line == longer) return the.column.as.it.is.with.more;';
    const painted = [...inColumn(60, PARAGRAPHS), ...inColumn(330, PARAGRAPHS), text(60, 165, [wide])];
    const column = PARAGRAPHS.flat();
    expect(await readAll(painted)).toBe([...LEFT, wide, ...column.slice(LEFT.length), ...column].join(' '));
  });

  test('a table that is painted last keeps its rows in the text', async () => {
    const rows = [
      ['Ship', 'Tons', 'Port'],
      ['Alba', '120', 'Kiel'],
      ['Bora', '95', 'Cork'],
    ];
    const cells = rows.flatMap((row, y) => row.map((cell, x) => text(60 + x * 120, 165 + y * 14, [cell])));
    const painted = [text(60, 100, LEFT), text(60, 225, ['Next'], 14), text(60, 260, RIGHT), ...cells];
    expect(await readAll(painted)).toBe([...LEFT, ...rows.flat(), 'Next', ...RIGHT].join(' '));
  });

  test('a box beside the text is read after the text above it and before the text beside it', async () => {
    const box = text(380, 165, ['A box at the side', 'says this.'], 9);
    const short = LEFT.map((line) => line.slice(0, 30));
    expect(await readAll([box, text(60, 100, [`${LEFT[0]} ${LEFT[1]} and more`]), text(60, 165, short)])).toBe(
      [`${LEFT[0]} ${LEFT[1]} and more`, 'A box at the side', 'says this.', ...short].join(' '),
    );
  });

  test('a box in the second column that is painted first waits for the text above it', async () => {
    const box = ['A box in the second', 'column.'];
    const page = [text(330, 165, box, 9), ...inColumn(60, PARAGRAPHS), ...inColumn(330, PARAGRAPHS)];
    const column = PARAGRAPHS.flat();
    expect(await readAll(page)).toBe([...column, ...LEFT, ...box, ...column.slice(LEFT.length)].join(' '));
  });

  test('three columns of running text are no table', async () => {
    const lines = [
      'the first words of a',
      'sentence that goes on',
      'and on over all these',
      'lines of its column',
      'until its end.',
    ];
    const column = [...lines, ...lines];
    const page = [60, 230, 400].map((left) => text(left, 100, column));
    expect((await blocksOf([page.join('\n')])).map(({ kind }) => kind)).not.toContain('table');
    expect(await readAll(page)).toBe([...column, ...column, ...column].join(' '));
  });

  test('a paragraph that goes on over the end of a page stays whole and knows where its page changes', async () => {
    const blocks = await blocksOf([
      text(60, 640, ['This sentence begins on the first page and']),
      text(60, 100, ['ends on the second one.', 'More follows.']),
    ]);
    const [paragraph] = blocks;
    expect(paragraph).toMatchObject({ kind: 'paragraph', page: 1 });
    expect(texts(blocks, 'paragraph')[0]).toContain('first page and ends on the second one.');
    expect(paragraph).toHaveProperty('pageBreaks', ['This sentence begins on the first page and '.length]);
  });
});

describe('words at line ends', () => {
  test('a divided word becomes whole; a compound that the document writes with a hyphen keeps it', async () => {
    const lines = [
      'A well-known way to set text is hyphen-',
      'ation, as in this sentence about a well-',
      'known thing that every reader has seen.',
    ];
    const [paragraph] = texts(await blocksOf([text(60, 100, lines)]), 'paragraph');
    expect(paragraph).toContain('hyphenation, as');
    expect(paragraph).toContain('about a well-known thing');
  });
});

describe('structure', () => {
  test('headings are told from the body by size and by weight, in levels', async () => {
    const page = [
      text(60, 80, ['The Great Title'], 24, 'F2'),
      text(60, 130, ['A first chapter'], 16, 'F2'),
      text(60, 170, ['Body text stands under the heading and is', 'set in the size that most of the page has.']),
      text(60, 230, ['A bold run of words'], 11, 'F2'),
      text(60, 260, ['More body text stands under that one too,', 'so that it is clear what the body is here.']),
    ].join('\n');
    const headings = (await blocksOf([page])).filter((block) => block.kind === 'heading');
    expect(headings.map(({ level, text }) => [level, text])).toEqual([
      [1, 'The Great Title'],
      [2, 'A first chapter'],
      [3, 'A bold run of words'],
    ]);
  });

  test('words of one line in several fonts are one line, with spaces where there are gaps', async () => {
    const line =
      'BT /F1 11 Tf 60 680 Td (Open ) Tj /F2 11 Tf (all) Tj /F1 11 Tf (three doors, 4) Tj /F2 7 Tf 3 Ts (th) Tj ET';
    expect(texts(await blocksOf([line]), 'paragraph')).toEqual(['Open allthree doors, 4th']);
  });

  test('an underline that is drawn within a line does not divide it', async () => {
    const said = 'Each of these words';
    const line = `BT /F1 11 Tf 60 680 Td (${said} is ) Tj ET 60 677 90 0.6 re f BT /F2 11 Tf 167 680 Td (not) Tj ET`;
    const below = text(60, 113.75, ['a line of its own and goes on here.']);
    expect(texts(await blocksOf([`${line}\n${below}`]), 'paragraph')).toEqual([
      `${said} is not a line of its own and goes on here.`,
    ]);
  });

  test('a line that only begins in bold is text', async () => {
    const page = `${text(60, 100, ['Note'], 11, 'F2')}\n${text(90, 100, ['that this line goes on in plain type'])}`;
    const blocks = await blocksOf([`${page}\n${text(60, 160, ['And another paragraph of the body stands here.'])}`]);
    expect(blocks.map((block) => block.kind)).toEqual(['paragraph', 'paragraph']);
  });

  test('what the outline names is a heading of its level, whatever it looks like', async () => {
    const extra = [
      `<< /Type /Outlines /First ${FIRST_EXTRA + 1} 0 R /Last ${FIRST_EXTRA + 1} 0 R /Count 2 >>`,
      `<< /Title (Part one) /Parent ${FIRST_EXTRA} 0 R /Dest [1000 0 R /Fit] /First ${FIRST_EXTRA + 2} 0 R /Last ${FIRST_EXTRA + 2} 0 R /Count 1 >>`,
      `<< /Title (Of plain looks) /Parent ${FIRST_EXTRA + 1} 0 R /Dest [1000 0 R /Fit] >>`,
    ];
    const page = [
      text(60, 80, ['Part one']),
      text(60, 120, ['Of plain looks']),
      text(60, 160, ['The text itself.']),
    ].join('\n');
    const blocks = await blocksOf([page], { extra, catalogue: `/Outlines ${FIRST_EXTRA} 0 R` });
    expect(blocks.map((block) => [block.kind, 'level' in block ? block.level : 0])).toEqual([
      ['heading', 1],
      ['heading', 2],
      ['paragraph', 0],
    ]);
  });

  test('rows whose cells line up are a table, cell by cell', async () => {
    const rows = [
      ['Fruit', 'Amount', 'Price'],
      ['Apples', '12', '3.40'],
      ['Pears', '7', '1.20'],
      ['Cherries', '300', '14.00'],
    ];
    const page = rows
      .map((row, y) => row.map((cell, x) => text(60 + x * 150, 200 + y * 20, [cell])).join('\n'))
      .join('\n');
    const blocks = await blocksOf([
      `${text(60, 100, ['Before the table.'])}\n${page}\n${text(60, 400, ['After it.'])}`,
    ]);
    expect(blocks.map((block) => block.kind)).toEqual(['paragraph', 'table', 'paragraph']);
    expect(blocks[1]).toHaveProperty('rows', rows);
  });

  test('a table over several pages is one, with its head once, and a table of its own is another', async () => {
    const head = ['Fruit', 'Amount', 'Price'];
    const rowsFrom = (first: number, count: number) =>
      Array.from({ length: count }, (_, index) => [`Kind ${first + index}`, `${first + index} kg`, `${index}.50`]);
    const page = (top: number, rows: string[][]) =>
      rows.map((row, y) => row.map((cell, x) => text(60 + x * 150, top + y * 20, [cell])).join('\n')).join('\n');
    const other = [['Ship', 'Tons', 'Port'], ...[1, 2, 3].map((index) => [`Ship ${index}`, `${index} t`, 'Kiel'])];
    const running = text(60, 30, ['Prices of the harbour']);
    const pages = [
      `${running}\n${page(80, [head, ...rowsFrom(1, 32)])}`,
      `${running}\n${page(80, [head, ...rowsFrom(33, 31)])}`,
      `${running}\n${page(80, rowsFrom(64, 10))}`,
      `${running}\n${page(80, other)}`,
    ];
    const { document, result } = await bed.extract(writePdf({ pages }));
    const tables = document.blocks.filter((block) => block.kind === 'table');
    expect(tables.map(({ rows }) => rows)).toEqual([
      [head, ...rowsFrom(1, 32), ...rowsFrom(33, 31), ...rowsFrom(64, 10)],
      other,
    ]);
    expect(tables[0]?.rowPages?.slice(32, 34)).toEqual([1, 2]);
    expect(document.blocks.filter((block) => block.kind === 'page-furniture')).toMatchObject([
      { text: 'Prices of the harbour', page: 1 },
    ]);
    const last = result.chunks.find(({ text: said }) => said.includes('Kind 73'));
    expect(last?.text).toMatch(/^Fruit \| Amount \| Price\n/);
    expect(last?.page).toBe(2);
  });

  /** Rows 20 points apart; a cell may hang together with the next one as one piece. */
  const tableOf = (rows: readonly (readonly (readonly [left: number, cell: string])[])[]) =>
    rows.map((row, y) => row.map(([left, cell]) => text(left, 200 + y * 20, [cell])).join('\n')).join('\n');

  test('cells that stand so close that their words run together are parted at their columns', async () => {
    const page = tableOf([
      [
        [60, 'PlumtreeCount'],
        [150, 'Note'],
      ],
      [
        [60, 'Figs'],
        [108, '12'],
        [150, 'blue'],
      ],
      [
        [60, 'Plum'],
        [108, '7'],
        [150, 'red'],
      ],
      [
        [60, 'Kiwi'],
        [108, '120'],
        [150, 'green'],
      ],
      [
        [60, 'Pineapple300'],
        [150, 'green'],
      ],
    ]);
    const [table] = await blocksOf([page]);
    expect(table).toHaveProperty('rows', [
      ['Plumtree', 'Count', 'Note'],
      ['Figs', '12', 'blue'],
      ['Plum', '7', 'red'],
      ['Kiwi', '120', 'green'],
      ['Pineapple', '300', 'green'],
    ]);
  });

  test('a last row that is one piece belongs to the table it lies in step with, a line of text does not', async () => {
    const rows = [
      [
        [60, 'Apples'],
        [125, '12'],
      ],
      [
        [60, 'Pears'],
        [125, '7'],
      ],
      [
        [60, 'Plums'],
        [125, '9'],
      ],
    ] as const;
    const own = await blocksOf([tableOf([...rows, [[60, 'Sour cherries 114']]])]);
    expect(own[0]).toHaveProperty('rows', [
      ['Apples', '12'],
      ['Pears', '7'],
      ['Plums', '9'],
      ['Sour cherries', '114'],
    ]);
    const after = await blocksOf([tableOf([...rows, [[60, 'All of them were sold by noon of the same day.']]])]);
    expect(after.map(({ kind }) => kind)).toEqual(['table', 'paragraph']);
  });

  test('a last cell that goes on in more lines keeps them, and pieces far apart are cells', async () => {
    const page = [
      [
        [60, 'Alpha'],
        [130, 'A long description'],
        [280, '12'],
      ],
      [
        [60, 'Beta'],
        [130, 'Short'],
        [280, '7'],
      ],
      [
        [60, 'Delta'],
        [130, 'As short'],
        [280, '9'],
      ],
      [[60, 'Gamma           Another one that goes on        1']],
    ] as const;
    const wrapped = text(130, 273, ['in a second line']);
    const [table, ...more] = await blocksOf([`${tableOf(page)}\n${wrapped}`]);
    expect(table).toHaveProperty('rows', [
      ['Alpha', 'A long description', '12'],
      ['Beta', 'Short', '7'],
      ['Delta', 'As short', '9'],
      ['Gamma', 'Another one that goes on in a second line', '1'],
    ]);
    expect(more).toEqual([]);
  });

  test('a table in one column of a page takes nothing from the column beside it', async () => {
    const rows = [
      ['Month', 'Low', 'High'],
      ['January', '1.2', '3.4'],
      ['February', '1.1', '3.9'],
      ['March', '0.9', '4.2'],
    ];
    const lines = [...LEFT, ...RIGHT, ...LEFT];
    const cells = rows.flatMap((row, y) => row.map((cell, x) => text(330 + x * 70, 100 + y * 13.75, [cell])));
    const blocks = await blocksOf([[text(60, 100, lines), ...cells, text(330, 180, RIGHT)].join('\n')]);
    expect(blocks.map((block) => ('text' in block ? block.text : block.rows))).toEqual([
      ...texts(await blocksOf([text(60, 100, lines)]), 'paragraph'),
      rows,
      ...texts(await blocksOf([text(330, 180, RIGHT)]), 'paragraph'),
    ]);
  });

  test('two columns of running text are no table', async () => {
    const columns = `${text(60, 100, LEFT)}\n${text(330, 100, RIGHT)}`;
    expect((await blocksOf([columns])).map((block) => block.kind)).toEqual(['paragraph', 'paragraph']);
  });

  test('list items keep their markers', async () => {
    const lines = ['1. Open the box.', '2. Take it out.', '3. Close the box.'];
    const items = (await blocksOf([text(60, 100, lines)])).filter((block) => block.kind === 'list-item');
    expect(items.map(({ marker, text }) => [marker, text])).toEqual([
      ['1.', 'Open the box.'],
      ['2.', 'Take it out.'],
      ['3.', 'Close the box.'],
    ]);
  });

  test('a marker that stands apart from its item begins it', async () => {
    const items = ['Open the box.', 'Take out what is in it', 'and close it.'];
    const page = (markers: string[]) =>
      items.map((item, y) => [text(60, 100 + y * 14, [markers[y] ?? '']), text(82, 100 + y * 14, [item])].join('\n'));
    const marked = async (markers: string[]) => (await blocksOf([page(markers).join('\n')])).map(outlined);
    const outlined = (block: Block) => (block.kind === 'list-item' ? `${block.marker} ${block.text}` : block.kind);
    expect(await marked(['\x95', '\x95', ''])).toEqual(['• Open the box.', '• Take out what is in it and close it.']);
    expect(await marked(['o', 'o', ''])).toEqual(['• Open the box.', '• Take out what is in it and close it.']);
    expect(await marked(['1.', '2.', ''])).toEqual(['1. Open the box.', '2. Take out what is in it and close it.']);
  });

  test('each line of a table of contents is a text of its own, also where it lies in pieces', async () => {
    const lines = [
      [
        [60, '1 Beginnings'],
        [400, '3'],
      ],
      [
        [75, '1.1'],
        [95, 'Tides . . . . . . . . . . . .'],
        [400, '3'],
      ],
      [
        [75, '1.2'],
        [95, 'Winds and weather'],
        [220, '. . . . . . . . . . . .'],
        [400, '4'],
      ],
    ] as const;
    const page = lines.flatMap((line, y) => line.map(([left, piece]) => text(left, 100 + y * 14, [piece])));
    expect(texts(await blocksOf([page.join('\n')]), 'paragraph')).toEqual([
      '1 Beginnings 3',
      '1.1 Tides … 3',
      '1.2 Winds and weather … 4',
    ]);
  });

  test('running headers are kept once, page numbers not at all, and text between pages stays together', async () => {
    const pages = ['first', 'second', 'third', 'fourth'].map((name, index) =>
      [
        text(60, 30, ['Annual report of the society']),
        text(60, 200, [`The ${name} page says something.`]),
        text(300, 760, [`${index + 1}`]),
      ].join('\n'),
    );
    const { document, result } = await bed.extract(writePdf({ pages }));
    const furniture = document.blocks.filter((block) => block.kind === 'page-furniture');
    expect(furniture).toEqual([
      { kind: 'page-furniture', place: 'header', text: 'Annual report of the society', page: 1 },
    ]);
    expect(texts(document.blocks, 'paragraph')).toHaveLength(4);
    expect(result.chunks.some((chunk) => /^\d+$/m.test(chunk.text))).toBe(false);
  });

  test('the row of the page number is furniture, however wide the margin, also where its title comes once', async () => {
    const body = (page: number) => [
      `On page ${page} the text begins in the middle of a sentence and`,
      'goes on until the page is over without an end to it, where the',
    ];
    const pages = ['Tides', 'Winds', 'Sails', 'Ropes', 'Knots'].map((title, index) =>
      index === 0
        ? `${text(60, 160, body(1))}\n${text(300, 660, ['11'])}`
        : [text(60, 120, [String(index + 11)]), text(400, 120, [title]), text(60, 160, body(index + 1))].join('\n'),
    );
    const blocks = await blocksOf(pages);
    expect(texts(blocks, 'page-furniture')).toEqual(['Winds', 'Sails', 'Ropes', 'Knots']);
    expect(texts(blocks, 'paragraph').join(' ')).not.toMatch(/\b1[1-5]\b|Tides|Winds/);
  });

  test('letters under accents that TeX draws apart are letters with accents', async () => {
    const tex = '<< /Type /Font /Subtype /Type1 /BaseFont /ABCDEF+CMR10 /Encoding /WinAnsiEncoding >>';
    const page = text(60, 100, ['A caf\xb4e in M\xa8unchen.'], 11, 'F9');
    const read = async (font: string) =>
      texts(await blocksOf([page], { extra: [font], resources: `/Font << /F9 ${FIRST_EXTRA} 0 R >>` }), 'paragraph');
    expect(await read(tex)).toEqual(['A café in München.']);
    expect(await read(tex.replace('CMR10', 'Times'))).toEqual(['A caf´e in M¨unchen.']);
  });

  test('a line from right to left is read from the right, its numbers and Latin words from the left', async () => {
    const map = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Hebrew def
1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfrange <61> <7A> <05D0> endbfrange endcmap end end`;
    const font = `<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding /ToUnicode ${FIRST_EXTRA + 1} 0 R >>`;
    const extra = [font, `<< /Length ${map.length} >>\nstream\n${map}\nendstream`];
    // Small letters stand for those of Hebrew, written as they are drawn: from the left.
    const page = [
      text(60, 100, ['.ihg QUARRY 2.5 :fed 1,234 cba'], 11, 'F9'),
      text(60, 140, ['QUARRY SAYS cba HERE, AND IT IS SAID FROM THE LEFT.'], 11, 'F9'),
      text(60, 180, ['fed cba'], 11, 'F9'),
    ].join('\n');
    const blocks = await blocksOf([page], { extra, resources: `/Font << /F9 ${FIRST_EXTRA} 0 R >>` });
    expect(texts(blocks, 'paragraph')).toEqual([
      '\u05d0\u05d1\u05d2 1,234 \u05d3\u05d4\u05d5: QUARRY 2.5 \u05d6\u05d7\u05d8.',
      'QUARRY SAYS \u05d0\u05d1\u05d2 HERE, AND IT IS SAID FROM THE LEFT.',
      '\u05d0\u05d1\u05d2 \u05d3\u05d4\u05d5',
    ]);
  });

  test('a page that says one thing at its top, as a ticket does, keeps it', async () => {
    const pages = ['17', '18', '19', '20'].map((seat, index) =>
      [text(60, 30, [`Harbour tour, seat ${seat}`]), text(300, 760, [`Page ${index + 1} of 4`])].join('\n'),
    );
    expect(texts(await blocksOf(pages), 'paragraph')).toEqual([
      'Harbour tour, seat 17',
      'Harbour tour, seat 18',
      'Harbour tour, seat 19',
      'Harbour tour, seat 20',
    ]);
  });

  test('captions are told from text', async () => {
    const page = `${text(60, 100, ['The figure shows it.'])}\n${text(60, 300, ['Figure 3: Growth of the town.'], 9)}`;
    expect(texts(await blocksOf([page]), 'caption')).toEqual(['Figure 3: Growth of the town.']);
  });
});

describe('ruled tables', () => {
  const rulesAt = (xs: number[], ys: number[]) => [
    ...ys.map((y) => rule(xs[0] ?? 0, y, xs.at(-1) ?? 0, y)),
    ...xs.map((x) => rule(x, ys[0] ?? 0, x, ys.at(-1) ?? 0)),
  ];
  const rowsOf = (blocks: Block[]) => blocks.flatMap((block) => (block.kind === 'table' ? [block.rows] : []));

  test('cells follow from the rules: lines of a cell are joined, spans leave the covered cells empty', async () => {
    const page = [
      ...[100, 120, 180, 200, 220].map((y) => rule(y === 200 ? 160 : 60, y, 400, y)),
      ...[60, 160, 400].map((x) => rule(x, 100, x, 220)),
      ...[280].map((x) => rule(x, 120, x, 220)),
      text(64, 103, ['Kind']),
      text(230, 103, ['Place and price']),
      text(64, 123, ['Apples']),
      text(164, 123, ['from the old orch-', 'ard behind the wall', 'Second harvest']),
      text(284, 123, ['12']),
      text(64, 193, ['Pears']),
      text(164, 183, ['market']),
      text(284, 183, ['7']),
      text(164, 203, ['garden']),
      text(284, 203, ['8']),
    ];
    const [table, ...more] = await blocksOf([`${page.join('\n')}\n${text(60, 240, ['After the table.'])}`]);
    expect(table).toHaveProperty('rows', [
      ['Kind', 'Place and price', ''],
      ['Apples', 'from the old orchard behind the wall Second harvest', '12'],
      ['Pears', 'market', '7'],
      ['', 'garden', '8'],
    ]);
    expect(more.map(({ kind }) => kind)).toEqual(['paragraph']);
  });

  test('a rule divides words that a program writes as one line', async () => {
    const cells = [0, 20, 40].map((y) => text(64, 103 + y, ['Wind north sea']));
    const [rows] = rowsOf(await blocksOf([[...rulesAt([60, 90, 180], [100, 120, 140, 160]), ...cells].join('\n')]));
    expect(rows).toEqual(Array.from({ length: 3 }, () => ['Wind', 'north sea']));
  });

  test('backgrounds separate rows, and rules across alone make a table of what lines up between them', async () => {
    const row = (y: number, cells: string[]) => cells.map((cell, x) => text(64 + x * 120, y, [cell]));
    const striped = [0, 40].flatMap((y) => [0, 1, 2].map((x) => box(60 + x * 120, 100 + y, 120, 20, 0.9)));
    const rows = [
      ['Ship', 'Port', 'Tons'],
      ['Anna', 'Kiel', '12'],
      ['Berta', 'Emden', '7'],
      ['Clara', 'Husum', '9'],
    ];
    const stripes = [...striped, ...rows.flatMap((cells, y) => row(103 + y * 20, cells))];
    const across = [
      ...[300, 320, 400].map((y) => rule(60, y, 420, y)),
      ...row(303, ['Ship', 'Cargo', 'Tons']),
      ...row(323, ['Anna', 'Timber and', '12']),
      text(184, 337, ['bricks']),
      ...row(360, ['Berta', 'Salt', '7']),
    ];
    expect(rowsOf(await blocksOf([[...stripes, ...across].join('\n')]))).toEqual([
      rows,
      [
        ['Ship', 'Cargo', 'Tons'],
        ['Anna', 'Timber and bricks', '12'],
        ['Berta', 'Salt', '7'],
      ],
    ]);
  });

  test('a row that a page end divides is one row, and the head that the next page repeats comes once', async () => {
    const page = (top: number, rows: string[][]) => [
      ...rulesAt([60, 160, 400], [top, ...rows.map((_, y) => top + 20 + y * 20)]),
      ...rows.flatMap((row, y) => row.map((cell, x) => text(64 + x * 100, top + 3 + y * 20, [cell]))),
    ];
    const first = page(640, [
      ['Kind', 'Remark'],
      ['Figs', 'ripe in May'],
      ['Plums', 'sold at the market before'],
    ]);
    const second = page(60, [
      ['Kind', 'Remark'],
      ['', 'noon on most days.'],
      ['Kiwis', 'none'],
    ]);
    expect(rowsOf(await blocksOf([first.join('\n'), second.join('\n')]))).toEqual([
      [
        ['Kind', 'Remark'],
        ['Figs', 'ripe in May'],
        ['Plums', 'sold at the market before noon on most days.'],
        ['Kiwis', 'none'],
      ],
    ]);
  });

  test('a frame around text, a chart and thousands of rules are no tables', async () => {
    const frame = [...rulesAt([50, 560], [90, 160]), text(60, 100, LEFT)];
    expect((await blocksOf([frame.join('\n')])).map(({ kind }) => kind)).toEqual(['paragraph']);
    const chart = [
      ...rulesAt([60, 160, 260, 360], [300, 340, 380, 420, 460]),
      text(64, 303, ['Growth']),
      text(30, 340, ['10']),
      text(30, 380, ['5']),
    ];
    expect(rowsOf(await blocksOf([chart.join('\n')]))).toEqual([]);
    const hatched = Array.from({ length: 30_000 }, (_, index) =>
      rule(60 + (index % 400), 100, 60 + (index % 400), 300),
    );
    const blocks = await blocksOf([[...hatched, text(60, 320, ['Below the hatching.'])].join('\n')]);
    expect(texts(blocks, 'paragraph')).toEqual(['Below the hatching.']);
  });
});

describe('lists, code and headings', () => {
  test('bullets drawn as shapes begin items, nested by their indent', async () => {
    const items = [
      [80, 'Ropes'],
      [80, 'Sails, of which'],
      [110, 'one is torn'],
      [110, 'two are new'],
      [80, 'Anchors'],
    ] as const;
    const page = items.map(
      ([left, item], y) => `${box(left - 10, 105 + y * 14, 4, 4)}\n${text(left, 100 + y * 14, [item])}`,
    );
    const blocks = await blocksOf([`${page.join('\n')}\n${text(60, 200, ['Text after the list.'])}`]);
    expect(blocks.map((block) => ('depth' in block ? [block.depth, block.text] : block.kind))).toEqual([
      [0, 'Ropes'],
      [0, 'Sails, of which'],
      [1, 'one is torn'],
      [1, 'two are new'],
      [0, 'Anchors'],
      'paragraph',
    ]);
  });

  test('text in a font of equal widths is code, with its lines, indents and empty lines', async () => {
    const courier = '<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>';
    const page = [
      text(60, 100, ['The program below is read line by line.', ...LEFT]),
      text(72, 190, ['for ship in harbour:'], 10, 'F9'),
      text(96, 202.5, ['if ship.loaded:'], 10, 'F9'),
      text(72, 215, ['        sail(ship)'], 10, 'F9'),
      text(72, 240, ['print("done")'], 10, 'F9'),
      text(60, 270, RIGHT),
      text(60, 350, ['sail()'], 11, 'F9'),
      text(106, 350, ['is a function of the program.']),
    ];
    const resources = `/Font << /F1 3 0 R /F9 ${FIRST_EXTRA} 0 R >>`;
    const blocks = await blocksOf([page.join('\n')], { extra: [courier], resources });
    expect(texts(blocks, 'code')).toEqual([
      'for ship in harbour:\n    if ship.loaded:\n        sail(ship)\n\nprint("done")',
    ]);
    expect(texts(blocks, 'paragraph').at(-1)).toBe('sail() is a function of the program.');
  });

  test('a number beside its title and a title over two lines are one heading each', async () => {
    const page = [
      `${text(60, 80, ['1'], 11, 'F2')}\n${text(82, 80, ['Ships and cargo'], 11, 'F2')}`,
      text(60, 110, LEFT),
      text(60, 200, ['A title that is too long for', 'a single line of the page'], 18, 'F2'),
      text(60, 270, RIGHT),
    ];
    const blocks = await blocksOf([page.join('\n')]);
    expect(texts(blocks, 'heading')).toEqual([
      '1 Ships and cargo',
      'A title that is too long for a single line of the page',
    ]);
  });
});

test('numbers of titles of one size give their levels', async () => {
  const titles = ['1. Ships', '1.1. Sails', '1.1.1. Ropes', '2. Harbours'];
  const page = titles.map(
    (title, at) => `${text(60, 80 + at * 90, [title], 12, 'F2')}\n${text(60, 100 + at * 90, LEFT)}`,
  );
  const headings = (await blocksOf([page.join('\n')])).filter((block) => block.kind === 'heading');
  expect(headings.map(({ level, text: title }) => [level, title])).toEqual([
    [1, '1. Ships'],
    [2, '1.1. Sails'],
    [3, '1.1.1. Ropes'],
    [1, '2. Harbours'],
  ]);
});

test('a large word at the top of a scan is a logo, a title is a heading', () => {
  const line = (said: string, top: number, size: number): PageLine[] => [
    {
      text: said,
      left: 60,
      right: 300,
      top,
      bottom: top + size,
      size,
      bold: false,
      tag: null,
      group: top,
      recognized: true,
    },
  ];
  const paragraphs = [line('ACME', 30, 40), line('Report of the harbour', 60, 20), line(LEFT.join(' '), 200, 10)];
  const headings = new Headings(paragraphs, []);
  const levels = paragraphs.map((one) => headings.pdfHeadingLevel(one, one[0]?.text ?? '', 1));
  expect(levels).toEqual([null, 1, null]);
});

describe('text that a page does not show', () => {
  const shown = text(72, 92, ['The harbour report of June lists every boat']);
  const words = (left: number, height: number, line: string) => `BT /F1 12 Tf ${left} ${height} Td (${line}) Tj ET`;
  const clipped = (line: string) => `q 0 0 10 10 re W n ${words(72, 400, line)} Q`;
  const clear = { resources: '/ExtGState << /G << /ca 0 /CA 0 >> >>' };

  test.each([
    ['outside the sheet', words(900, 700, 'Slug beside the sheet'), {}, 18, 'Slug beside the sheet'],
    [
      'outside the CropBox',
      words(72, 30, 'Printer mark'),
      { pageEntries: '/CropBox [50 100 600 780]' },
      11,
      'Printer mark',
    ],
    ['clipped away', clipped('Cut away by a path'), {}, 14, 'Cut away by a path'],
    ['beyond the edge', words(560, 400, 'A line that runs off the page'), {}, 14, 'runs off the page'],
  ])('is listed as hidden: %s', async (_, content, more, count, sample) => {
    const { document, result } = await bed.extract(writePdf({ pages: [`${shown} ${content}`], ...more }));
    expect(document.blocks[0]).toMatchObject({ text: 'The harbour report of June lists every boat' });
    expect(result.account?.leftOut).toEqual([{ reason: 'hidden', where: 'page 1', count, sample }]);
    expect(result.account).toMatchObject({ unexplained: 0 });
  });

  test.each([
    ['of render mode 3', '3 Tr', {}],
    ['of render mode 7', '7 Tr', {}],
    ['white on white', '1 1 1 rg', {}],
    ['without opacity', '/G gs', clear],
  ])('is delivered where it stands on the page: %s', async (_, state, more) => {
    const content = `${shown} q ${state} ${words(72, 400, 'Words that nobody sees')} Q`;
    const { document, result } = await bed.extract(writePdf({ pages: [content], ...more }));
    expect(texts(document.blocks, 'paragraph')).toContain('Words that nobody sees');
    expect(result.account).toMatchObject({ leftOut: [], unexplained: 0 });
  });

  test('is listed beside a copy that is shown', async () => {
    const line = 'Depth four metres';
    const pages = [`${shown} ${words(72, 400, line)} ${clipped(line)}`];
    const { document, result } = await bed.extract(writePdf({ pages }));
    expect(texts(document.blocks, 'paragraph')).toContain(line);
    expect(result.account).toMatchObject({ leftOut: [{ reason: 'hidden', count: 15, sample: line }], unexplained: 0 });
  });
});

describe('what is not in the text layer', () => {
  test('metadata and the stated language are facts of the document', async () => {
    const pdf = writePdf({
      pages: [text(60, 100, ['Ein Satz.'])],
      info: '/Title (Ein Bericht) /Author (A. Muster)',
      catalogue: '/Lang (de-AT)',
    });
    const { result } = await bed.extract(pdf);
    expect(result.document).toMatchObject({
      format: 'pdf',
      title: 'Ein Bericht',
      author: 'A. Muster',
      pages: 1,
      language: 'de-AT',
    });
    expect(result.document.ocr).toBeUndefined();
  });

  test('values typed into form fields stand beside their labels', async () => {
    const field = `<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /V (Ada Lovelace) /Rect [150 680 400 700] /P 1000 0 R >>`;
    const blocks = await blocksOf([`${text(60, 95, ['Name:'])}\n${text(60, 140, ['Signed in London.'])}`], {
      extra: [field],
      catalogue: `/AcroForm << /Fields [${FIRST_EXTRA} 0 R] >>`,
      pageEntries: `/Annots [${FIRST_EXTRA} 0 R]`,
    });
    expect(texts(blocks, 'paragraph').join('\n')).toMatch(/Name:\s+Ada Lovelace\s+Signed/);
  });

  test('annotations are comments, with what they mark, only when asked for', async () => {
    const note =
      '<< /Type /Annot /Subtype /Highlight /Rect [60 670 300 700] /QuadPoints [60 692 120 692 60 676 120 676] /T (Reviewer) /Contents (Is this so?) >>';
    const pdf = writePdf({
      pages: [text(60, 101, ['Water boils at ninety degrees.'])],
      extra: [note],
      pageEntries: `/Annots [${FIRST_EXTRA} 0 R]`,
    });
    const without = await bed.extract(pdf);
    expect(without.result.comments).toBeUndefined();
    expect(without.document.blocks.some((block) => block.kind === 'comment')).toBe(false);
    const { result } = await bed.extract(pdf, { includeComments: true });
    expect(result.comments).toEqual([{ author: 'Reviewer', date: null, text: 'Is this so?', anchor: 'Water boils' }]);
  });
});

test('chunks and docling.json say where the text is, in points from the top left corner', async () => {
  const { result, filesFolder } = await bed.extract(
    writePdf({
      pages: [text(60, 100, ['The first line of the page', 'and the second.']), text(60, 200, ['Page two.'])],
    }),
  );
  const [first] = result.chunks;
  expect(first).toMatchObject({ page: 1, pageEnd: 2 });
  expect(first?.boxes).toHaveLength(2);
  expect(first?.boxes?.[0]).toMatchObject({ page: 1, left: 60 });
  expect(first?.boxes?.[0]?.top).toBeGreaterThan(85);
  expect(first?.boxes?.[0]?.bottom).toBeLessThan(135);
  const docling = JSON.parse(await readFile(join(filesFolder, 'docling.json'), 'utf8')) as {
    texts: { text: string; self_ref: string; prov: { page_no: number; bbox: object; charspan: number[] }[] }[];
  };
  expect(docling).toMatchObject({
    ...{ schema_name: 'DoclingDocument', origin: { mimetype: 'application/pdf' } },
    body: { children: [{ $ref: '#/texts/0' }, { $ref: '#/texts/1' }] },
    pages: { 1: { page_no: 1 }, 2: { page_no: 2 } },
  });
  expect(docling.texts.map(({ self_ref, prov }) => [self_ref, prov[0]?.page_no])).toEqual([
    ['#/texts/0', 1],
    ['#/texts/1', 2],
  ]);
  expect(docling.texts[0]?.prov[0]).toMatchObject({ bbox: { l: 60, coord_origin: 'TOPLEFT' } });
});

test('a long document is read over the whole pool: every page once, in order, with its true number', async () => {
  const pages = Array.from({ length: 130 }, (_, index) => text(60, 200, [`This is what sheet ${index + 1} says.`]));
  const { document, result, progress, workFolder } = await bed.extract(writePdf({ pages }));
  const found = document.blocks.map((block) => ['text' in block ? block.text : '', block.page]);
  expect(found).toEqual(pages.map((_, index) => [`This is what sheet ${index + 1} says.`, index + 1]));
  expect(result.document.pages).toBe(130);
  expect(result.files.map((file) => file.name)).toEqual([
    'document.md',
    'document.txt',
    'chunks.jsonl',
    'docling.json',
  ]);
  const percents = progress.map((shown) => shown.percent);
  expect(percents).toEqual([...percents].sort((a, b) => a - b));
  await expect(import('node:fs/promises').then((fs) => fs.access(workFolder))).rejects.toThrow('ENOENT');
});

/** A text of 11 points, and small numbers above its line that follow `10`, and stand before the rest. */
const power = (left: number, top: number, raised: string, rest: string) => [
  text(left, top, ['10']),
  text(left + 12.3, top, [raised], 7),
  text(left + 12.3 + raised.length * 3.9, top, [rest]),
];

test('raised numbers are no part of the number before them, in sentences, items and cells', async () => {
  const content = [
    ...power(60, 100, '5', ' newtons were measured at each of the beams of the quay.'),
    ...power(60, 130, '-6', ' newtons were lost on the way, as the pilots had expected.'),
    box(62, 168, 4, 4),
    ...power(74, 164, '4', ' items were counted in the harbour of the town.'),
    ...['Port', 'Kiel', 'Bari', 'Cork'].map((port, at) => text(60, 220 + at * 20, [port])),
    text(200, 220, ['Tons']),
    ...power(200, 240, '3', ''),
    ...power(200, 260, '4', ''),
    // Spelled like a raised number.
    text(200, 280, ['104']),
    text(300, 220, ['Ships']),
    ...[104, 8, 9].map((ships, at) => text(300, 240 + at * 20, [`${ships}`])),
  ];
  const blocks = await blocksOf([content.join('\n')]);
  const said = blocks.flatMap((block) => ('text' in block ? [block.text] : []));
  expect(said).toEqual([
    '10⁵ newtons were measured at each of the beams of the quay.',
    '10⁻⁶ newtons were lost on the way, as the pilots had expected.',
    '10⁴ items were counted in the harbour of the town.',
  ]);
  const [table] = blocks.flatMap((block) => (block.kind === 'table' ? [block.rows] : []));
  expect(table).toEqual([
    ['Port', 'Tons', 'Ships'],
    ['Kiel', '10³', '104'],
    ['Bari', '10⁴', '8'],
    ['Cork', '104', '9'],
  ]);
});

test('a raised number that cannot be told from another word of its cell is said', async () => {
  const content = [
    ...[100, 120, 160].map((y) => rule(60, y, 360, y)),
    ...[60, 200, 360].map((x) => rule(x, 100, x, 160)),
    text(64, 103, ['Port']),
    text(204, 103, ['Tons']),
    text(64, 124, ['Kiel']),
    ...power(204, 124, '4', ''),
    text(204, 142, ['104']),
  ];
  const { document } = await bed.extract(writePdf({ pages: [content.join('\n')] }));
  const [table] = document.blocks.flatMap((block) => (block.kind === 'table' ? [block.rows] : []));
  expect(table?.flat().join(' ')).toContain('104');
  expect(document.warnings).toEqual([
    'Raised numbers in tables of page 1 may stand on the line. Compare with the page.',
  ]);
});

test('the lines of an address stay lines, those of a narrow column are one text', async () => {
  const blocks = await blocksOf([
    [
      text(60, 100, ['Ms', 'Anna Example', '12 Long Street', 'Portville 18055']),
      text(60, 220, ['Commission for', 'Trade and Sea', 'Transport of the', 'Baltic States']),
    ].join('\n'),
  ]);
  expect(texts(blocks, 'paragraph')).toEqual([
    'Ms\nAnna Example\n12 Long Street\nPortville 18055',
    'Commission for Trade and Sea Transport of the Baltic States',
  ]);
});
