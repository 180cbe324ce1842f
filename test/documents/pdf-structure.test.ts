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

describe('markers', () => {
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
