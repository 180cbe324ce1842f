/**
 * The main content of pages, against human truth: `QUARRY_BENCH_ARTICLES=<folder>` holds `ground-truth.json` and
 * `html/<id>.html.gz` in the shape of the public article-extraction benchmark. `QUARRY_BENCH_MANUALS=<folder>[:…]`
 * holds pages of manuals that mark no main content (default: those of the Debian package git-doc), of which every word
 * outside navigation should be kept. `QUARRY_BENCH_EVALDATA=<folder>` holds `evaldata.json`, `eval` and `cache` as in
 * the tests of the public repository adbar/trafilatura: texts that each page's content has and has not, and the authors
 * of 538 pages. Pages whose file name has a SHA-256 that begins with 0–7 may be tuned on; the others judge. A part without its folder is not measured,
 * and fails. Readability alone runs
 * beside ours. The benchmark's truth has no headline, so the heading that repeats the title is not compared.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Parser } from 'htmlparser2';
import { UNWATCHED } from '../test/harness/task-context.ts';
import type { Block } from '../workers/documents/blocks.ts';
import { decodeHtml } from '../workers/documents/html/parse-html.ts';
import { readArticle, readContent } from '../workers/pages/main-content.ts';
import { nameKey } from '../workers/pages/page-authors.ts';
import { readRegionBlocks } from '../workers/pages/read-region.ts';
import { mean, scoresOf, wordsKept } from './content-score.ts';
import { expectTarget, measured, printTable } from './figures.ts';

const F1_MIN = 0.95;
const EVALUATION_MIN = 0.92;
const KEPT_MIN = 0.98;
const RIGHT_AUTHORS_MIN = 350;
const WRONG_AUTHORS_MAX = 10;
const URL = 'https://manual.example/';
const articles = process.env.QUARRY_BENCH_ARTICLES ?? '';
const manuals = (process.env.QUARRY_BENCH_MANUALS ?? '/usr/share/doc/git/html').split(':');
/** Navigation, by the names that git's, Sphinx's and DocBook's pages give it. */
const NAVIGATION = /(?:^|\s)(?:navheader|navfooter|sphinxsidebar|related|footer)(?:\s|$)/;
const NAVIGATION_TAGS = new Set(['head', 'script', 'style', 'nav', 'footer', 'aside', 'form']);

interface Article {
  truth: string;
  found: string;
  readability: string;
  mark: string;
}

function textOf(blocks: readonly Block[]): string {
  return blocks.map((block) => (block.kind === 'table' ? block.rows.flat().join(' ') : block.text)).join('\n');
}

function letters(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}

function withoutTitle(blocks: readonly Block[], title: string): Block[] {
  const isTitle = (block: Block) => block.kind === 'heading' && letters(title).includes(letters(block.text));
  const at = blocks.findIndex(isTitle);
  return blocks.filter((_, place) => place !== at);
}

async function readArticles(folder: string): Promise<Article[]> {
  const truths = JSON.parse(readFileSync(join(folder, 'ground-truth.json'), 'utf8')) as Record<
    string,
    { articleBody: string; url: string }
  >;
  const pages: Article[] = [];
  for (const id of Object.keys(truths).sort()) {
    const { articleBody: truth = '', url = '' } = truths[id] ?? {};
    const html = decodeHtml(gunzipSync(readFileSync(join(folder, 'html', `${id}.html.gz`))), 'utf-8').text;
    const { scan, blocks } = await readContent(html, url, UNWATCHED);
    const alone = await readArticle(html);
    const ofReadability = alone === null ? [] : readRegionBlocks(alone, null, { url, context: UNWATCHED }).blocks;
    const title = scan.title ?? '';
    const found = textOf(withoutTitle(blocks, title));
    pages.push({ truth, found, readability: textOf(ofReadability), mark: scan.mainTag ?? 'nothing' });
  }
  return pages;
}

function report(pages: readonly Article[]): void {
  const halves = (rest: number) => pages.filter((_, at) => at % 2 === rest);
  const groups: [string, readonly Article[]][] = [
    ['all', pages],
    ['tuned on', halves(0)],
    ['held out', halves(1)],
    ...['main', 'article', 'nothing'].map((mark): [string, readonly Article[]] => [
      `marks ${mark}`,
      pages.filter((page) => page.mark === mark),
    ]),
  ];
  const rows = groups.filter(([, group]) => group.length > 0);
  printTable(
    rows.map(([name, group]) => {
      const { f1, precision, recall } = scoresOf(group);
      const alone = scoresOf(group.map(({ truth, readability }) => ({ truth, found: readability })));
      const shown = { F1: f1.toFixed(3), precision: precision.toFixed(3), recall: recall.toFixed(3) };
      return { articles: name, pages: String(group.length), ...shown, 'Readability alone': alone.f1.toFixed(3) };
    }),
  );
  expectTarget(`F1 of articles at least ${F1_MIN}`, scoresOf(pages).f1 >= F1_MIN);
  expectTarget(`F1 of the half held out at least ${F1_MIN}`, scoresOf(halves(1)).f1 >= F1_MIN);
}

/** The text of a page outside its navigation. */
function wordsOf(html: string): string {
  const pieces: string[] = [];
  let depth = 0;
  let skipped = 0;
  const parser = new Parser({
    onopentag(tag, attributes) {
      depth += 1;
      const isSkipped = NAVIGATION_TAGS.has(tag) || NAVIGATION.test(attributes.class ?? '');
      if (skipped === 0 && (isSkipped || attributes.id === 'footer')) skipped = depth;
      if (/^(?:p|div|h[1-6]|li|d[dtl]|t[dr]|pre|br)$/.test(tag)) pieces.push(' ');
    },
    ontext(text) {
      if (skipped === 0) pieces.push(text);
    },
    onclosetag() {
      if (skipped === depth) skipped = 0;
      depth -= 1;
    },
  });
  parser.end(html);
  return pieces.join('');
}

async function readManual(folder: string): Promise<void> {
  const kept: number[] = [];
  for (const name of readdirSync(folder).sort()) {
    if (!name.endsWith('.html')) continue;
    const html = decodeHtml(readFileSync(join(folder, name))).text;
    const { scan, blocks } = await readContent(html, `${URL}${name}`, UNWATCHED);
    if (scan.mainTag === null) kept.push(wordsKept(wordsOf(html), textOf(blocks)));
  }
  const low = kept.filter((share) => share < 0.7).length;
  process.stdout.write(`${folder}: ${kept.length} pages, ${mean(kept).toFixed(4)} of the words, ${low} under 0.7\n`);
  expectTarget(`at least ${KEPT_MIN} of the words of ${folder}`, kept.length > 0 && mean(kept) >= KEPT_MIN);
}

interface Evaluated {
  /** Texts that were found and should be, that should not be, and that are missing. */
  found: number;
  extra: number;
  missing: number;
  isTuned: boolean;
  authors: Judgement | null;
}

const JUDGEMENTS = ['right', 'near', 'none', 'wrong'] as const;

type Judgement = (typeof JUDGEMENTS)[number];

/** All authors and no other, some of them, nothing, or only others; null where the truth has none. */
function judgeAuthors(truth: string | string[] | undefined, found: string | null): Judgement | null {
  const expected = [truth ?? '']
    .flat()
    .flatMap((names) => names.replace(/^von /i, '').split(/\s*;\s*|,\s+| (?:und|and|y|&) /))
    .map(nameKey)
    .filter((name) => name !== '');
  if (expected.length === 0) return null;
  if (found === null) return 'none';
  const given = found.split(', ').map(nameKey);
  if (expected.length === given.length && expected.every((name) => given.includes(name))) return 'right';
  const isNear = expected.some((name) => given.some((one) => one.includes(name) || name.includes(one)));
  return isNear ? 'near' : 'wrong';
}

/** The counts of trafilatura's own evaluation: texts compared with their white space folded. */
async function readEvaluation(folder: string): Promise<Evaluated[]> {
  const pages = JSON.parse(readFileSync(join(folder, 'evaldata.json'), 'utf8')) as Record<
    string,
    { file: string; with: string[]; without: string[]; author?: string | string[] }
  >;
  const read: Evaluated[] = [];
  for (const [url, { file, with: wanted, without, author }] of Object.entries(pages)) {
    const path = ['cache', 'eval'].map((name) => join(folder, name, file)).find(existsSync);
    if (path === undefined) throw new Error(`${folder} has no page ${file}.`);
    const { blocks, scan } = await readContent(decodeHtml(readFileSync(path)).text, url, UNWATCHED);
    const text = withFoldedSpace(textOf(blocks));
    const isIn = (part: string) => text.includes(withFoldedSpace(part));
    const found = wanted.filter(isIn).length;
    const isTuned = /^[0-7]/.test(createHash('sha256').update(file).digest('hex'));
    const authors = judgeAuthors(author, scan.facts.author);
    read.push({ found, extra: without.filter(isIn).length, missing: wanted.length - found, isTuned, authors });
  }
  return read;
}

function withFoldedSpace(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function reportEvaluation(pages: readonly Evaluated[]): void {
  const halves = [true, false].map((isTuned) => pages.filter((page) => page.isTuned === isTuned));
  const rows = [...halves, pages].map((group, at) => {
    const sumOf = (key: 'found' | 'extra' | 'missing') => group.reduce((sum, page) => sum + page[key], 0);
    const [found, extra, missing] = [sumOf('found'), sumOf('extra'), sumOf('missing')];
    const f1 = (2 * found) / (2 * found + extra + missing);
    const shown = { precision: (found / (found + extra)).toFixed(3), recall: (found / (found + missing)).toFixed(3) };
    return {
      pages: String(group.length),
      half: ['tuned on', 'judging', 'both'][at] ?? '',
      F1: f1.toFixed(3),
      ...shown,
    };
  });
  printTable(rows);
  const countOf = (group: readonly Evaluated[], kind: Judgement) =>
    group.filter(({ authors }) => authors === kind).length;
  printTable(
    [...halves, pages].map((group, at) => ({
      authors: ['tuned on', 'judging', 'both'][at] ?? '',
      ...Object.fromEntries(JUDGEMENTS.map((kind) => [kind, String(countOf(group, kind))])),
    })),
  );
  expectTarget(`at least ${RIGHT_AUTHORS_MIN} authors right`, countOf(pages, 'right') >= RIGHT_AUTHORS_MIN);
  expectTarget(`at most ${WRONG_AUTHORS_MAX} wrong`, countOf(pages, 'wrong') <= WRONG_AUTHORS_MAX);
  expectTarget(`F1 of the judging half at least ${EVALUATION_MIN}`, Number(rows[1]?.F1) >= EVALUATION_MIN);
}

const evaluation = process.env.QUARRY_BENCH_EVALDATA ?? '';
if (existsSync(evaluation)) reportEvaluation(await readEvaluation(evaluation));
else expectTarget('evaluation pages are measured: QUARRY_BENCH_EVALDATA names no folder', false);
if (existsSync(articles)) {
  const { value: pages, cpuSeconds } = await measured(() => readArticles(articles));
  report(pages);
  process.stdout.write(`both readings: ${((cpuSeconds / pages.length) * 1000).toFixed(1)} ms of CPU a page\n`);
} else expectTarget('articles are measured: QUARRY_BENCH_ARTICLES names no folder', false);
for (const folder of manuals) {
  if (existsSync(folder)) await readManual(folder);
  else expectTarget(`${folder} exists`, false);
}
