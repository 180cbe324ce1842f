/** The text, the Markdown and the chunks of a page hold the same words. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Marked } from 'marked';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CrawlResult } from '../../src-server/features/crawl/schema.ts';
import { CountSketch } from '../../src-server/platform/text/hash.ts';
import { readDraftFile } from '../../workers/pages/draft-files.ts';
import { readPages } from '../../workers/pages/read-pages.ts';
import { draftsFile } from '../../workers/pages/site-parts.ts';
import { seededRandom } from '../harness/seeded-random.ts';
import { UNWATCHED } from '../harness/task-context.ts';

const PAGES = new URL('../fixtures/pages/', import.meta.url);

const STORY = '<p>The harbour office keeps a log of each tide, and the pilots read it in the morning.</p>';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'quarry words '));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface DraftTexts {
  texts: { text: string; markdown: string };
  chunks: Pick<CrawlResult['chunks'][number], 'text'>[];
}

/** The draft of one page, as a crawl of it alone makes it. */
async function draftOf(html: string): Promise<DraftTexts> {
  const soFar = { pages: new SharedArrayBuffer(4), blocks: CountSketch.memoryFor(0) };
  const facts = { contentType: 'text/html; charset=utf-8', robotsHeader: '', copyFrom: null, warnings: [] };
  const page = { id: 1, url: 'http://127.0.0.1/', body: Buffer.from(html), ...facts };
  await readPages({ pages: [page], batch: 1, batchFolder: folder, soFar }, UNWATCHED);
  const draft = readDraftFile(draftsFile(folder, 1)).get(1);
  if (draft === undefined) throw new Error('The page has no draft.');
  const { texts, chunks } = draft.lines;
  return JSON.parse(`{"texts":{${texts}},"chunks":[${chunks.toString().trim().split('\n').join(',')}]}`) as DraftTexts;
}

function wordsIn(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [word] of text.matchAll(/[\p{L}\p{N}]+/gu)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** What a reader of GFM shows. */
function shown(markdown: string): string {
  const html = new Marked({ gfm: true }).parse(markdown, { async: false });
  return html
    .replace(/<\/?(?:a|em|strong|code)\b[^>]*>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(lt|gt|amp|quot|#39);/g, (_, name: string) => ({ lt: '<', gt: '>', amp: '&', quot: '"' })[name] ?? "'");
}

/** Numbers of an ordered list are markup: GFM counts by itself. */
const NUMBERS = /^ *\d{1,9}[.)] /gm;

/** Words that one has more often than the other. */
function missing(from: Map<string, number>, of: Map<string, number>): string[] {
  return [...of].filter(([word, count]) => (from.get(word) ?? 0) < count).map(([word]) => word);
}

async function expectSameWords(html: string): Promise<void> {
  const { texts, chunks } = await draftOf(html);
  const inText = wordsIn(texts.text);
  const inChunks = wordsIn(chunks.map(({ text }) => text).join('\n'));
  expect(missing(inChunks, inText), 'words of the text that the chunks lack').toEqual([]);
  // Chunks repeat header rows, and name the language of code.
  const languages = chunks.flatMap(({ text }) => [...text.matchAll(/^ *`{3,}(\S+)/gm)].map(([, name]) => name ?? ''));
  const known = wordsIn(`${texts.text} ${languages.join(' ')}`);
  expect([...inChunks.keys()].filter((word) => !known.has(word))).toEqual([]);
  const plain = wordsIn(texts.text.replace(NUMBERS, ''));
  const inMarkdown = wordsIn(shown(texts.markdown));
  expect(missing(inMarkdown, plain), 'words of the text that the Markdown lacks').toEqual([]);
  expect(missing(wordsIn(texts.text), inMarkdown), 'words of the Markdown that the text lacks').toEqual([]);
}

describe('the text, the Markdown and the chunks hold the same words', () => {
  test.each(readdirSync(PAGES))('of %s', async (name) => {
    await expectSameWords(readFileSync(new URL(name, PAGES), 'utf8'));
  });

  test.each(Array.from({ length: 120 }, (_, seed) => seed))('of generated page %i', async (seed) => {
    await expectSameWords(new PageMaker(seed).page());
  });
});

/** Makes pages of tables with spans, empty, long and nested cells, of lists with code, and of headings. */
class PageMaker {
  readonly #random: () => number;
  #words = 0;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  page(): string {
    return `<main>${this.#several(6, () => this.#part()).join('')}</main>`;
  }

  #part(): string {
    return this.#one([
      () => this.#table(2),
      () => this.#table(2),
      () => this.#list(),
      () => STORY,
      () => `<h2>${this.#word()}</h2>`,
    ])();
  }

  #table(depth: number): string {
    const caption = this.#one(['', `<caption>${this.#word()}</caption>`]);
    const row = () => `<tr>${this.#several(5, () => this.#cell(depth)).join('')}</tr>`;
    return `<table>${caption}${this.#several(12, row).join('')}</table>`;
  }

  #cell(depth: number): string {
    const spans = ['', '', '', ' colspan="2"', ' rowspan="2"', ' rowspan="3" colspan="2"', ' rowspan="0"'];
    const tag = this.#one(['td', 'th']);
    return `<${tag}${this.#one(spans)}>${this.#inCell(depth)}</${tag}>`;
  }

  #inCell(depth: number): string {
    const [one, other] = [this.#word(), this.#word()];
    const isNested = depth > 0 && this.#random() < 0.05;
    if (isNested) return `${one}${this.#table(depth - 1)}${other}`;
    const long = () => Array.from({ length: 60 + Math.floor(this.#random() * 300) }, () => this.#word()).join(' ');
    if (this.#random() < 0.05) return long();
    return this.#one([one, one, '', '', `${one} | ${other}`, `<p>${one}</p><p>${other}<br>x</p>`]);
  }

  #list(): string {
    const tag = this.#one(['ol', 'ol type="a"', 'ol type="I"', 'ul']);
    const code = (word: string) => `<pre><code class="language-sh">${word}</code></pre>`;
    const nested = () => this.#one(['', code(this.#word()), `<p>${this.#word()}</p>`, `<ul><li>${this.#word()}</ul>`]);
    const items = this.#several(8, () => `<li>${this.#word()}${nested()}</li>`).join('');
    return `<${tag}>${items}</${tag.slice(0, 2)}>`;
  }

  #word(): string {
    this.#words += 1;
    return `w${this.#words.toString(36)}x`;
  }

  #one<Value>(values: readonly Value[]): Value {
    return values[Math.floor(this.#random() * values.length)] as Value;
  }

  #several<Value>(most: number, make: () => Value): Value[] {
    return Array.from({ length: 1 + Math.floor(this.#random() * most) }, make);
  }
}
