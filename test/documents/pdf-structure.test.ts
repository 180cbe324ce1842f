/** Titles, lists and footnotes of PDFs without tags, by their places, fonts and counts. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Block } from '../../workers/documents/blocks.ts';
import { openPdfBed } from './pdf-bed.ts';
import { text, writePdf } from './pdf-writer.ts';

type Bed = Awaited<ReturnType<typeof openPdfBed>>;

let bed: Bed;

beforeAll(async () => {
  bed = await openPdfBed();
});

afterAll(() => bed.close());

async function blocksOf(...contents: string[]): Promise<Block[]> {
  const { document } = await bed.extract(writePdf({ pages: contents }));
  return document.blocks;
}

function shown(blocks: readonly Block[], kind: Block['kind']): string[] {
  return blocks.flatMap((block) => {
    if (block.kind !== kind) return [];
    if (block.kind === 'list-item' || block.kind === 'note') return [`${block.marker} ${block.text}`];
    return block.kind === 'table' ? [] : [block.text];
  });
}

const PROSE = [
  'Gauges were read every hour at both ends of the basin, and the readings',
  'were corrected for the pressure of the air as usual in such a campaign,',
  'which went on until the gates of the lock were closed for the winter.',
];

/** Paragraphs of prose and lines of their own, from the top. */
function column(parts: readonly (string | readonly string[])[], font = 'F1'): string {
  let top = 60;
  return parts
    .map((part) => {
      const lines = typeof part === 'string' ? [part] : [...part];
      const drawn = text(72, top, lines, 11, font);
      top += lines.length * 13.75 + 16;
      return drawn;
    })
    .join('\n');
}

describe('titles', () => {
  test('of numbers in the font of the text, each followed by text of its own', async () => {
    const blocks = await blocksOf(
      column(['1. Purpose of the survey', PROSE, '2. Instruments', PROSE, '3. Findings', PROSE, PROSE]),
    );
    expect(shown(blocks, 'heading')).toEqual(['1. Purpose of the survey', '2. Instruments', '3. Findings']);
    expect(shown(blocks, 'list-item')).toEqual([]);
  });

  test('in great letters beside a small label', async () => {
    const chapter = [text(40, 60, ['Chapter 1.'], 7), text(110, 52, ['Winter tides of the north'], 24)].join('\n');
    const below = text(72, 120, PROSE, 11);
    expect(shown(await blocksOf([chapter, below].join('\n')), 'heading')).toEqual(['Winter tides of the north']);
  });

  test('in bold over small print on a page of a longer text', async () => {
    const prose = column([PROSE, PROSE, PROSE, PROSE, PROSE]);
    const flyer = [
      text(72, 60, ['We keep the lock open'], 10, 'F2'),
      text(72, 76, PROSE, 7.5),
      text(72, 130, ['What we do for ships'], 10, 'F2'),
      text(72, 146, PROSE, 7.5),
    ];
    const blocks = await blocksOf(prose, flyer.join('\n'), prose);
    expect(shown(blocks, 'heading')).toEqual(['We keep the lock open', 'What we do for ships']);
  });

  test('of decimal numbers, but no entries of a table of contents', async () => {
    const blocks = await blocksOf(
      column(['1.1 Gauges ........................ 2', '1.2 Tides ........................ 3', PROSE]),
      column(['1.1 Gauges', PROSE, '1.2 Tides', PROSE]),
    );
    expect(shown(blocks, 'heading')).toEqual(['1.1 Gauges', '1.2 Tides']);
  });

  test('no list whose items follow each other', async () => {
    const blocks = await blocksOf(column([PROSE, '1. Open the gate', '2. Read the gauge', '3. Close the gate', PROSE]));
    expect(shown(blocks, 'heading')).toEqual([]);
    expect(shown(blocks, 'list-item')).toEqual(['1. Open the gate', '2. Read the gauge', '3. Close the gate']);
  });

  test('no captions, page numbers in Roman digits, or bold ends of sentences', async () => {
    const bold = (top: number, line: string) => text(72, top, [line], 11, 'F2');
    const page = [
      column([PROSE, PROSE, PROSE]),
      bold(300, 'Table 4: Depths of the basin'),
      bold(330, 'for the harbours of the north, 2007'),
      bold(360, 'Results'),
      text(72, 380, PROSE),
      bold(700, 'iii'),
    ].join('\n');
    expect(shown(await blocksOf(page), 'heading')).toEqual(['Results']);
  });

  test('over two lines, whose first had no room for the next word', async () => {
    const title = text(72, 60, ['Measures of depth and of the tides in harbours of the northern coast and'], 11, 'F2');
    const rest = text(90, 78, ['Cognitive Abilities'], 11, 'F2');
    const blocks = await blocksOf([title, rest, text(72, 110, [...PROSE, ...PROSE])].join('\n'));
    expect(shown(blocks, 'heading')).toEqual([
      'Measures of depth and of the tides in harbours of the northern coast and Cognitive Abilities',
    ]);
  });
});

describe('titles of the kinds that reports have', () => {
  test('in a large font over several lines, however far down the words would have gone', async () => {
    const page = [
      text(150, 60, ['A survey of the tides in the', 'harbours of the north'], 20),
      text(72, 130, [...PROSE, ...PROSE, ...PROSE]),
    ].join('\n');
    expect(shown(await blocksOf(page), 'heading')).toEqual(['A survey of the tides in the harbours of the north']);
  });

  test('in bold over two lines, directly above their text', async () => {
    const page = [
      text(72, 60, ['2.1 Measures of depth that were taken along the northern coast, and of', 'the tides'], 11, 'F2'),
      text(72, 87.5, PROSE),
      text(72, 160, ['2.2 Instruments'], 11, 'F2'),
      text(72, 173.75, PROSE),
    ].join('\n');
    expect(shown(await blocksOf(page), 'heading')).toEqual([
      '2.1 Measures of depth that were taken along the northern coast, and of the tides',
      '2.2 Instruments',
    ]);
  });

  test('whose number stands in a box that is drawn after them', async () => {
    const page = [
      text(100, 60, ['Results'], 14, 'F2'),
      text(72, 60, ['3'], 14, 'F2'),
      text(72, 90, [...PROSE, ...PROSE]),
    ].join('\n');
    expect(shown(await blocksOf(page), 'heading')).toEqual(['3 Results']);
  });

  test('in capitals, or of one line between paragraphs of text', async () => {
    const capitals = column(['SCOPE OF WORK', PROSE, 'PAYMENT', PROSE, PROSE]);
    expect(shown(await blocksOf(capitals), 'heading')).toEqual(['SCOPE OF WORK', 'PAYMENT']);
    const plain = column([PROSE, 'Methods used in the field', PROSE, 'What the gauges showed', PROSE, PROSE]);
    expect(shown(await blocksOf(plain), 'heading')).toEqual(['Methods used in the field', 'What the gauges showed']);
    const single = column([PROSE, 'Methods used in the field', PROSE, PROSE]);
    expect(shown(await blocksOf(single), 'heading')).toEqual([]);
  });

  test('of known sections without numbers, and none of the list of contents', async () => {
    const blocks = await blocksOf(
      column(['Contents', '1 Overview ........................ 2', '2 Gauges ........................ 3', PROSE]),
      column([
        'Abstract',
        PROSE,
        PROSE,
        'Acknowledgements',
        PROSE,
        'References',
        '[1] A. Author, Depths. Coast, 2020.',
      ]),
    );
    expect(shown(blocks, 'heading')).toEqual(['Contents', 'Abstract', 'Acknowledgements', 'References']);
    expect(shown(blocks, 'list-item')).toEqual([]);
  });

  test('with numbers of several parts, but no items of a list with such numbers', async () => {
    const blocks = await blocksOf(
      column([
        PROSE,
        '2.1. Open the gate',
        '2.2. Read the gauge',
        '2.2.1. Note the time',
        '2.3. Close the gate',
        PROSE,
      ]),
    );
    expect(shown(blocks, 'heading')).toEqual([]);
    expect(shown(blocks, 'list-item')).toHaveLength(4);
  });
});

describe('paragraphs', () => {
  test('begin at an indented line after a line that ends near the edge', async () => {
    const end = 'the end of a paragraph, whose last line is nearly as long as the others.';
    const page = [text(72, 60, [...PROSE, end]), text(83, 115, PROSE.slice(0, 1)), text(72, 128.75, PROSE.slice(1))];
    const blocks = await blocksOf(page.join('\n'));
    expect(shown(blocks, 'paragraph')).toEqual([[...PROSE, end].join(' '), PROSE.join(' ')]);
  });

  test('end an item whose last line had room, if they begin left of its text', async () => {
    const page = [
      text(72, 60, PROSE),
      text(90, 101.25, ['1. Open the gate', '2. Read the gauge']),
      text(72, 128.75, ['Then the gauges were read again, as on every other day of the campaign,']),
      text(72, 142.5, PROSE),
    ];
    const blocks = await blocksOf(page.join('\n'));
    expect(shown(blocks, 'list-item')).toEqual(['1. Open the gate', '2. Read the gauge']);
  });
});

describe('markers', () => {
  test('of nested lists with one item each, in Roman capitals and of several parts', async () => {
    const lines: [number, string][] = [
      [72, '1) Open the gate'],
      [90, 'a) with the crank'],
      [108, 'i) slowly'],
      [108, 'ii) to the end'],
      [72, '2) Read the gauge'],
      [90, '2.1. at high water'],
      [72, 'I. Winter'],
      [72, 'II. Summer'],
    ];
    const page = lines.map(([left, line], at) => text(left, 60 + at * 13.75, [line])).join('\n');
    const blocks = await blocksOf(page);
    expect(shown(blocks, 'list-item')).toEqual(lines.map(([, line]) => line));
    const depths = blocks.flatMap((block) => (block.kind === 'list-item' ? [block.depth] : []));
    expect(depths).toEqual([0, 1, 2, 2, 0, 1, 0, 0]);
  });

  test('apart from their text are no column of a table', async () => {
    const page = ['the gate', 'the gauge', 'the crank']
      .flatMap((line, at) => [text(72, 60 + at * 20, ['•']), text(108, 60 + at * 20, [line])])
      .join('\n')
      .replaceAll('•', '\\225');
    expect(shown(await blocksOf(page), 'list-item')).toEqual(['• the gate', '• the gauge', '• the crank']);
  });

  test('of no list: signs between words that wrap, and dashes around a name', async () => {
    const page = [
      text(72, 60, ['Keywords: depth \xb7 tides \xb7 harbours \xb7 gauges', '\xb7 charts of the coast']),
      text(72, 120, ['- Harriet Miller -']),
      text(72, 160, PROSE),
    ].join('\n');
    expect(shown(await blocksOf(page), 'list-item')).toEqual([]);
  });

  test('of no list: initials, days, a number of a page, a reference', async () => {
    const blocks = await blocksOf(
      column([
        'J. Smith',
        PROSE,
        '12. March was the last day of the campaign, and the gauges were taken home.',
        'K. Miller, Depths of harbours and their charts, Coastal Press, 2020, and a second volume.',
        '- 41 -',
      ]),
    );
    expect(shown(blocks, 'list-item')).toEqual([]);
  });

  test('that count in letters and Roman digits', async () => {
    const blocks = await blocksOf(column([PROSE, '(a) the gate', '(b) the gauge', 'ii. the second', 'iii. the third']));
    expect(shown(blocks, 'list-item')).toEqual(['(a) the gate', '(b) the gauge', 'ii. the second', 'iii. the third']);
  });
});

/** A line of text with a small number above its baseline. */
function marked(
  left: number,
  top: number,
  [before, mark, after]: readonly [string, string, string],
  size = 11,
): string {
  const small = size * 0.6;
  return `BT /F1 ${size} Tf ${left} ${792 - top - size} Td (${before}) Tj /F1 ${small} Tf ${size * 0.35} Ts
(${mark}) Tj 0 Ts /F1 ${size} Tf (${after}) Tj ET`;
}

describe('footnotes', () => {
  test('are tied to their marks and keep all their lines', async () => {
    const page = [
      text(72, 60, [...PROSE, ...PROSE]),
      marked(72, 160, ['The lock was closed in winter', '7', ', as in every year before it.']),
      marked(72, 690, ['', '7', ' See the minutes of the harbour board, which were printed in'], 8),
      text(72, 700, ['a volume of their own.'], 8),
      text(300, 750, ['12']),
    ].join('\n');
    const { document, filesFolder } = await bed.extract(writePdf({ pages: [page] }));
    expect(shown(document.blocks, 'note')).toEqual([
      '7 See the minutes of the harbour board, which were printed in a volume of their own.',
    ]);
    const markdown = await readFile(`${filesFolder}/document.md`, 'utf8');
    expect(markdown).toContain('closed in winter[^7], as in every year');
    expect(markdown).toContain('[^7]: See the minutes');
  });

  test('are no items, and references in small print are no footnotes', async () => {
    const page = [
      text(72, 60, [...PROSE, ...PROSE, ...PROSE, ...PROSE]),
      text(72, 480, ['References'], 11, 'F2'),
      text(72, 500, ['[1] A. Author, Depths. 2020.'], 8),
      text(72, 520, ['[2] B. Writer, Tides. 2021.'], 8),
    ].join('\n');
    const blocks = await blocksOf(page);
    expect(shown(blocks, 'note')).toEqual([]);
    expect(shown(blocks, 'list-item')).toEqual([]);
    expect(shown(blocks, 'paragraph')).toContain('[1] A. Author, Depths. 2020.');
  });
});
