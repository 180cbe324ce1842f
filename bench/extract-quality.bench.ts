/**
 * How much of what others read in a document is read here too: `extract-quality.bench.ts [folder…]`. Each .docx, .odt,
 * .rtf, .html and .md is held against pandoc (`--track-changes=accept -t plain`), each .pdf against pdftotext. Without
 * a folder, documents of every feature and of 300 pages are made first: with pandoc, as PDFs of our own, and, where
 * there is Chromium, as PDFs that it prints. A PDF's time is that of the whole engine, recognition included. Words are compared as runs of
 * letters and digits without regard to case; order is measured on the words that occur once on both sides.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { type FileKind, kindOfName } from '../src-server/platform/files/kinds.ts';
import { CHROMIUM_ARGS, chromiumFile } from '../test/harness/chromium.ts';
import { UNWATCHED } from '../test/harness/task-context.ts';
import { PARSERS } from '../workers/documents/extract-document.ts';
import { PartBudget } from '../workers/documents/parts.ts';
import { SourceLedger } from '../workers/documents/source-ledger.ts';
import { writePlainText } from '../workers/documents/write-text.ts';
import { expectTarget } from './figures.ts';
import { bookPdf, columnsPdf } from './pdf-inputs.ts';
import { openPdfSubject, type PdfSubject } from './pdf-subject.ts';

/** Kinds that the peers read too. */
const KINDS: readonly (FileKind | null)[] = ['docx', 'odt', 'rtf', 'html', 'markdown', 'pdf'];
const MAX_OUTPUT_BYTES = 512 * 1024 * 1024;
const LONG_CHAPTERS = 300;
const BOOK_PAGES = 100;
const COLUMNS_PAGES = 20;
/** Share of the peer's words that every format must reach in the mean. */
const FOUND_MIN: Readonly<Record<string, number>> = { '.docx': 0.99, '.pdf': 0.97 };
const LISTED = 10;
const PANDOC = 'pandoc';

interface Score {
  path: string;
  found: number;
  order: number;
  seconds: number;
  peerSeconds: number;
}

async function measure(path: string, pdfs: PdfSubject): Promise<Score | { path: string; failure: string }> {
  const kind = kindOfName(path) as FileKind;
  const started = performance.now();
  const reference = readWithPeer(path, kind);
  const peerSeconds = (performance.now() - started) / 1000;
  const begun = performance.now();
  let text: string;
  try {
    text = kind === 'pdf' ? readFileSync((await pdfs.extract(path)).textPath, 'utf8') : await readHere(path, kind);
  } catch (error) {
    return { path, failure: `${(error as Error).message}${reference === null ? ' (the peer fails too)' : ''}` };
  }
  const seconds = (performance.now() - begun) / 1000;
  if (reference === null) return { path, failure: 'read here, but the peer fails' };
  return { path, seconds, peerSeconds, ...compare(wordsOf(reference), wordsOf(text)) };
}

async function readHere(path: string, kind: FileKind): Promise<string> {
  const parse = await PARSERS[kind]?.();
  if (parse === undefined) throw new Error(`no parser for ${kind}`);
  const document = await parse(readFileSync(path), {
    fileName: path,
    language: null,
    includeComments: false,
    ledger: new SourceLedger(),
    signal: new AbortController().signal,
    progress() {},
    ...{ pictures: null, task: UNWATCHED, budget: new PartBudget(), depth: 0, parserOf: async () => null },
  });
  return writePlainText(document).text;
}

function readWithPeer(path: string, kind: FileKind): string | null {
  const [command, args] =
    kind === 'pdf'
      ? ['pdftotext', ['-q', path, '-']]
      : [PANDOC, ['--track-changes=accept', '--wrap=none', '-t', 'plain', path]];
  try {
    return execFileSync(command as string, args as string[], {
      encoding: 'utf8',
      maxBuffer: MAX_OUTPUT_BYTES,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return null;
  }
}

function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .replaceAll('\u00ad', '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

function compare(reference: string[], words: string[]): { found: number; order: number } {
  const counts = countOf(words);
  const expected = countOf(reference);
  let found = 0;
  for (const [word, count] of expected) found += Math.min(count, counts.get(word) ?? 0);
  const places = new Map(words.map((word, index) => [word, index]));
  const once = reference.filter((word) => expected.get(word) === 1 && counts.get(word) === 1);
  const kept = longestIncreasing(once.map((word) => places.get(word) ?? 0));
  return {
    found: reference.length === 0 ? 1 : found / reference.length,
    order: once.length === 0 ? 1 : kept / once.length,
  };
}

function countOf(words: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** Length of the longest increasing subsequence, by patience sorting. */
function longestIncreasing(values: number[]): number {
  const tops: number[] = [];
  for (const value of values) {
    let low = 0;
    let high = tops.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((tops[middle] as number) < value) low = middle + 1;
      else high = middle;
    }
    tops[low] = value;
  }
  return tops.length;
}

function makeCorpus(folder: string): void {
  const chapter = (index: number) => `
# Chapter ${index} of things

Paragraph ${index} with *emphasis*, **weight** and a [link](https://example.org/${index}). It says word${index} once.[^n${index}]
${'The quick brown fox jumps over the lazy dog while the committee considers its report. '.repeat(12)}

1. First of ${index}
2. Second
    a. Nested alpha${index}

- bullet beta${index}

| Name | Value | Note |
|------|-------|------|
| row${index} | ${index * 7} | gamma${index} |
| other | ${index * 11} | delta${index} |

Unicode: größer, 中文字符, русский текст, العربية.

[^n${index}]: Note number ${index} with epsilon${index}.
`;
  const short = chapter(1);
  const long = Array.from({ length: LONG_CHAPTERS }, (_, index) => chapter(index + 1)).join('\n');
  for (const [name, markdown] of Object.entries({ short, long })) {
    for (const ending of ['docx', 'odt', 'rtf', 'html']) {
      execFileSync(PANDOC, ['-s', '--metadata', `title=A ${name} one`, '-o', join(folder, `${name}.${ending}`)], {
        input: markdown,
      });
    }
    writeFileSync(join(folder, `${name}.md`), markdown);
  }
  writeFileSync(join(folder, 'book.pdf'), bookPdf(BOOK_PAGES));
  writeFileSync(join(folder, 'columns.pdf'), columnsPdf(COLUMNS_PAGES));
  for (const name of ['short', 'long']) printWithBrowser(folder, name);
}

/** Without a header and footer, which are kept once and not once a page. */
function printWithBrowser(folder: string, name: string): void {
  const chromium = chromiumFile();
  if (chromium === null) return;
  const pdf = `--print-to-pdf=${join(folder, `${name}.pdf`)}`;
  const args = [
    '--headless',
    '--no-pdf-header-footer',
    `--user-data-dir=${join(folder, 'browser')}`,
    pdf,
    join(folder, `${name}.html`),
  ];
  execFileSync(chromium, [...CHROMIUM_ARGS, ...args], { stdio: 'ignore' });
  rmSync(join(folder, 'browser'), { recursive: true, force: true });
}

function filesIn(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesIn(join(path, name)))
    .filter((file) => KINDS.includes(kindOfName(file)));
}

function report(scores: Score[], failures: { path: string; failure: string }[]): void {
  const share = (value: number) => value.toFixed(4);
  for (const ending of new Set(scores.map((score) => extname(score.path)))) {
    const group = scores.filter((score) => extname(score.path) === ending);
    const sum = (pick: (score: Score) => number) => group.reduce((total, score) => total + pick(score), 0);
    process.stdout.write(
      `${ending}: ${group.length} files, words found ${share(sum((one) => one.found) / group.length)}, ` +
        `order kept ${share(sum((one) => one.order) / group.length)}, ` +
        `${sum((one) => one.seconds).toFixed(2)} s here, ${sum((one) => one.peerSeconds).toFixed(2)} s by the peer\n`,
    );
    const least = FOUND_MIN[ending];
    const found = sum((one) => one.found) / group.length;
    if (least !== undefined) expectTarget(`${ending}: at least ${least} of the peer's words`, found >= least);
  }
  for (const score of scores.sort((a, b) => a.found - b.found).slice(0, LISTED)) {
    const { found, order, seconds, peerSeconds, path } = score;
    const times = `${(seconds * 1000).toFixed(1)} ms, peer ${(peerSeconds * 1000).toFixed(1)} ms`;
    process.stdout.write(`  ${share(found)} ${share(order)} ${times} ${path}\n`);
  }
  for (const { path, failure } of failures) process.stdout.write(`  failed: ${path}: ${failure}\n`);
}

const folder = mkdtempSync(join(tmpdir(), 'extract-quality-'));
const pdfs = openPdfSubject(join(folder, 'jobs'));
try {
  const asked = process.argv.slice(2);
  if (asked.length === 0) {
    mkdirSync(join(folder, 'made'));
    makeCorpus(join(folder, 'made'));
  }
  const results = [];
  for (const path of (asked.length === 0 ? [join(folder, 'made')] : asked).flatMap(filesIn)) {
    results.push(await measure(path, pdfs));
  }
  report(
    results.filter((result) => 'found' in result),
    results.filter((result) => 'failure' in result),
  );
} finally {
  await pdfs.close();
  rmSync(folder, { recursive: true, force: true });
}
