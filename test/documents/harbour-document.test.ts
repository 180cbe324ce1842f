import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { DocumentParser } from '../../workers/documents/blocks.ts';
import { parseDoc } from '../../workers/documents/doc/parse-doc.ts';
import { parseOdt } from '../../workers/documents/odt/parse-odt.ts';
import { parseRtf } from '../../workers/documents/rtf/parse-rtf.ts';
import { outline, parseOptions } from './parse-options.ts';

const FORMATS: readonly [name: string, parse: DocumentParser][] = [
  ['doc', parseDoc],
  ['odt', parseOdt],
  ['fodt', parseOdt],
  ['rtf', parseRtf],
];

function fixture(format: string): Buffer {
  return readFileSync(new URL(`../fixtures/documents/harbour/harbour.${format}`, import.meta.url));
}

/** Where a text box stands differs: binary Word files keep boxes behind the text. Endnotes keep their own sign in ODF. */
function expected(format: string, body: string): string[] {
  const isOpen = format.endsWith('odt');
  const endnote = isOpen ? 'i' : '2';
  const box = ['paragraph Boxed notice.'];
  return [
    'page-furniture Harbour office',
    'h1 Arrivals',
    body.replace('[e]', `[${endnote}]`),
    'COMMENTED',
    '1. Crew',
    '  1.1. Captain',
    '  1.2. Mate',
    '2. Cargo',
    'paragraph Beside the box.',
    ...(format === 'doc' ? [] : box),
    'table [["Ship","Hour"],["Solveig","14:05"]]',
    'caption Table 1: ships of the day',
    'paragraph Second page: žluťoučký кораблик 港.',
    ...(format === 'doc' ? box : []),
    'note 1 Measured at the pier.',
    `note ${endnote} From the northwest.`,
    'page-furniture Kept by the harbour master',
  ];
}

describe.each(FORMATS)('one document as .%s', (format, parse) => {
  test('gives its text in order, with tracked changes accepted and comments and hidden text left out', async () => {
    const document = await parse(fixture(format), parseOptions());
    const lines = expected(format, 'paragraph The fast ferry met rain[1] and wind[e].');
    lines[3] = 'paragraph A late arrival was noted.';
    expect(outline(document)).toEqual(lines);
    expect(document).toMatchObject({ revisions: 'accepted', comments: [], changes: [], warnings: [] });
    expect(document).toMatchObject({ title: 'Harbour log', author: 'Mira Holt', pages: 2 });
  });

  test('keeps deletions, insertions and comments, marked, with author and date when they are asked for', async () => {
    const document = await parse(fixture(format), parseOptions({ includeComments: true }));
    const lines = expected(format, 'paragraph The {+fast +}ferry met[-heavy-] rain[1] and wind[e].');
    lines[3] = 'paragraph A late arrival [Comment by Petra: Check the time.] was noted.';
    const spaced = outline(document).map((line) => line.replace('met[- heavy-]', 'met[-heavy-]'));
    expect(spaced).toEqual(lines);
    expect(document.revisions).toBe('marked');
    expect(document.changes.map(({ date, ...change }) => ({ ...change, date: date?.slice(0, 16) }))).toEqual([
      { kind: 'insertion', author: 'Ines', text: 'fast', date: '2024-05-06T07:08' },
      { kind: 'deletion', author: 'Jonas', text: 'heavy', date: '2024-06-07T08:09' },
    ]);
    expect(document.comments).toHaveLength(1);
    expect(document.comments[0]).toMatchObject({ author: 'Petra', text: 'Check the time.', anchor: 'late arrival' });
    expect(document.comments[0]?.date).toMatch(/^2024-07-08T09:10/);
  });

  test('counts pages at page breaks', async () => {
    const { blocks } = await parse(fixture(format), parseOptions());
    const pageOf = (start: string) => blocks.find((block) => 'text' in block && block.text.startsWith(start))?.page;
    expect([pageOf('Arrivals'), pageOf('Table 1'), pageOf('Second page')]).toEqual([1, 1, 2]);
  });

  test('stops with the reason of its signal when it is cancelled', async () => {
    const reason = new Error('cancelled');
    const options = parseOptions({ signal: AbortSignal.abort(reason) });
    await expect(parse(fixture(format), options)).rejects.toBe(reason);
  });
});

test('a long document hears of its cancellation while it is read', async () => {
  const controller = new AbortController();
  const reason = new Error('cancelled');
  const progress = () => controller.abort(reason);
  const bytes = Buffer.from(`{\\rtf1 ${'{\\b word}\\par '.repeat(20_000)}}`);
  await expect(parseRtf(bytes, parseOptions({ signal: controller.signal, progress }))).rejects.toBe(reason);
});
