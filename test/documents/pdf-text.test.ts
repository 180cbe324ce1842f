import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Block } from '../../workers/documents/blocks.ts';
import { openPdfBed } from './pdf-bed.ts';
import { FIRST_EXTRA, text, writePdf } from './pdf-writer.ts';

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
