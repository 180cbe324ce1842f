/** Foreign text on which a pattern could look from every place through all that follows. */
import { expect, test } from 'vitest';
import { cleanCode, DocumentBuilder } from '../../workers/documents/document-builder.ts';
import { readHtml } from '../../workers/documents/html/parse-html.ts';
import { DividedWords } from '../../workers/documents/pdf/divided-words.ts';
import { joinLines } from '../../workers/documents/pdf/join-lines.ts';
import type { PageLine } from '../../workers/documents/pdf/page-content.ts';
import { writeMarkdown } from '../../workers/documents/write-markdown.ts';
import { parseCaptions, readCaptions } from '../../workers/media/read-captions.ts';
import { readFeed } from '../../workers/media/read-video-page.ts';
import { mergeCaptions } from '../../workers/media/write-transcript.ts';
import { isPixel } from '../../workers/pages/scan-page.ts';
import { parseOptions } from '../documents/parse-options.ts';

/** Each takes milliseconds, on a busy machine seconds; looking on from every place takes minutes. */
const HANG_MS = 60_000;
const readPage = (html: string) => readHtml(html, new DocumentBuilder(parseOptions()));
const markdownOf = (kind: 'paragraph' | 'code', text: string) => {
  const builder = new DocumentBuilder(parseOptions());
  builder.addDocumentBlock({ kind, text });
  return writeMarkdown(builder.buildNormalizedDocument({ format: 'text' }));
};
const pdfLines = (count: number): PageLine[] =>
  Array.from({ length: count }, (_, index) => {
    const place = { left: 0, right: 100, top: index * 10, bottom: index * 10 + 9 };
    return { ...place, text: 'goes on and so on', size: 9, bold: false, tag: null, group: 0 };
  });
const spoken = (count: number, seconds: number) =>
  Array.from({ length: count }, (_, index) => ({ start: index * seconds, end: (index + 2) * seconds, text: 'x' }));
const TIMES = '00:00.000 --> 00:01.000\n';

test.for([
  [
    'captions of tags without an end',
    () => readCaptions({ body: Buffer.from(TIMES + '<'.repeat(1e6)), language: null }),
  ],
  [
    'captions of styles without an end',
    () => readCaptions({ body: Buffer.from(TIMES + '{\\'.repeat(5e5)), language: null }),
  ],
  [
    'captions of paragraphs within paragraphs without an end',
    () => readCaptions({ body: Buffer.from(`<tt>${'<p begin="1s">'.repeat(1e6)}`), language: null }),
  ],
  ['a feed of elements without an end', () => readFeed('<a>'.repeat(1e6), 'http://127.0.0.1/')],
  ['a day of speech under captions of every moment', () => mergeCaptions(spoken(1e5, 0.4), spoken(2e4, 3))],
  ['a style of widths without a height', () => isPixel({ style: ';width:0px'.repeat(1e5) })],
  ['code of a box a line, one after another', () => readPage(`<pre>${'<div>a</div>'.repeat(3e5)}`)],
  ['an address that never ends, written as Markdown', () => markdownOf('paragraph', 'www.'.repeat(1e5))],
  ['a word of a PDF without an end', () => new DividedWords([{ text: 'a'.repeat(1e6) }])],
  ['a paragraph of a PDF without an end', () => joinLines(pdfLines(1e5), new DividedWords([]))],
  ['code with a hole of spaces', () => cleanCode(`a${' '.repeat(5e5)}b`)],
] as const)('%s are read at once', { timeout: HANG_MS }, ([, read]) => {
  expect(read).not.toThrow();
});

test('a long paragraph of a PDF keeps its words whole and its pages in place', () => {
  const { text, pageBreaks } = joinLines(pdfLines(1000), new DividedWords([]), new Set([500]));
  expect(text).toBe('goes on and so on '.repeat(1000).trim());
  expect(pageBreaks).toEqual([500 * 'goes on and so on '.length]);
});

test('code is fenced, however many quotes it holds', () => {
  expect(markdownOf('code', '` ```` '.repeat(1e5))).toMatch(/^`{5}\n` ````/);
});

test('code loses the empty lines at its ends alone', () => {
  expect(cleanCode('\n  \n  if (a)\n    b;  \n\n\n  c;\n \n')).toBe('  if (a)\n    b;  \n\n\n  c;');
});

test('tags and styles of captions are left out, and signs that are none stay', () => {
  const said = (text: string) => parseCaptions(TIMES + text).segments[0]?.text;
  expect(said('<v Ann>One</v> <00:00.500><c>two</c> {\\an8}three')).toBe('One two three');
  expect(said('2 < 3 and <i>5</i> > 4')).toBe('2 < 3 and 5 > 4');
});

test('an image of one pixel is told by its style, in either order, and by no other measure', () => {
  expect(isPixel({ style: 'width: 1px; height: 0px' })).toBe(true);
  expect(isPixel({ style: 'height:1px;width:1px' })).toBe(true);
  expect(isPixel({ style: 'width:1px;line-height:1px' })).toBe(false);
  expect(isPixel({ style: 'width:10px;height:1px' })).toBe(false);
});
