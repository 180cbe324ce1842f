/**
 * How PDFs without tags are read, against their source: `pdf-truth.bench.ts [folder…]`. A folder holds PDFs, each with
 * `name.truth.json` (see pdf-truth-documents.ts) or `name.truth.txt` beside it. Without a folder, documents are printed
 * and typeset first. Beside it, what pdftotext reads.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { NormalizedDocument } from '../workers/documents/blocks.ts';
import { expectTarget, printTable } from './figures.ts';
import { openPdfSubject, type PdfSubject } from './pdf-subject.ts';
import { makeTruth, readTruth, type TruthDocument } from './pdf-truth-documents.ts';

const ORDER_MIN = 0.99;
const FOUND_MIN = 0.99;
const ENDING = '.pdf';

/** What is read of a PDF; a peer gives text only. */
interface Reading {
  text: string;
  document: NormalizedDocument | null;
}

/** A share from 0 to 1; null where the truth has nothing to measure. */
type Metric = (truth: TruthDocument, read: Reading) => number | null;

/** Columns of the table. */
const METRICS: Readonly<Record<string, Metric>> = {
  recall: (truth, { text }) => matched(wordsOf(textOf(truth)), wordsOf(text)) / wordsOf(textOf(truth)).length,
  precision: (truth, { text }) => matched(wordsOf(textOf(truth)), wordsOf(text)) / Math.max(1, wordsOf(text).length),
  order: (truth, { text }) => orderOf(wordsOf(textOf(truth, ['note'])), wordsOf(text)),
};

interface Score {
  path: string;
  own: Record<string, number | null>;
  peer: Record<string, number | null>;
}

async function measure(path: string, subject: PdfSubject): Promise<Score> {
  const truth = truthOf(path) as TruthDocument;
  const { textPath } = await subject.extract(path);
  const text = readFileSync(textPath, 'utf8');
  const document = JSON.parse(readFileSync(join(dirname(textPath), 'document.json'), 'utf8')) as NormalizedDocument;
  const peer = execFileSync('pdftotext', ['-q', path, '-'], { encoding: 'utf8', maxBuffer: 2 ** 29 });
  return { path, own: metricsOf(truth, { text, document }), peer: metricsOf(truth, { text: peer, document: null }) };
}

function metricsOf(truth: TruthDocument, read: Reading): Record<string, number | null> {
  return Object.fromEntries(Object.entries(METRICS).map(([name, metric]) => [name, metric(truth, read)]));
}

function truthOf(path: string): TruthDocument | null {
  const stem = path.slice(0, -ENDING.length);
  if (existsSync(`${stem}.truth.json`)) return readTruth(`${stem}.truth.json`);
  if (!existsSync(`${stem}.truth.txt`)) return null;
  return { blocks: [{ kind: 'paragraph', text: readFileSync(`${stem}.truth.txt`, 'utf8') }] };
}

function textOf({ blocks }: TruthDocument, without: readonly string[] = []): string {
  const kept = blocks.filter(({ kind }) => !without.includes(kind));
  return kept.map((block) => (block.kind === 'table' ? block.rows.flat().join(' ') : block.text)).join('\n');
}

function wordsOf(text: string): string[] {
  const plain = text.normalize('NFKC').replaceAll('\u00ad', '').toLowerCase();
  return plain.match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Words that both have, counted as often as the rarer side has them. */
function matched(truth: readonly string[], read: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const word of read) counts.set(word, (counts.get(word) ?? 0) + 1);
  let found = 0;
  for (const word of truth) {
    const left = counts.get(word) ?? 0;
    if (left > 0) found += 1;
    counts.set(word, left - 1);
  }
  return found;
}

/** The longest common subsequence of words, as a share of those that both have. */
function orderOf(truth: readonly string[], read: readonly string[]): number {
  const places = new Map<string, number[]>();
  for (const [index, word] of read.entries()) places.set(word, [index, ...(places.get(word) ?? [])]);
  const tops: number[] = [];
  for (const word of truth) {
    for (const place of places.get(word) ?? []) {
      let low = 0;
      let high = tops.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((tops[middle] as number) < place) low = middle + 1;
        else high = middle;
      }
      tops[low] = place;
    }
  }
  return tops.length / Math.max(1, matched(truth, read));
}

function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return entries.filter((name) => name.endsWith(ENDING)).map((name) => join(folder, name));
}

function report(scores: readonly Score[]): void {
  const shown = (value: number | null | undefined) => (value == null ? '' : value.toFixed(4));
  const row = (name: string, own: Score['own'], peer: Score['peer']) => {
    const cells = Object.keys(METRICS).flatMap((metric) => [
      [metric, shown(own[metric])],
      [`${metric}, pdftotext`, shown(peer[metric])],
    ]);
    return { file: name, ...(Object.fromEntries(cells) as Record<string, string>) };
  };
  const mean = (side: 'own' | 'peer') =>
    Object.fromEntries(Object.keys(METRICS).map((metric) => [metric, meanOf(scores.map((one) => one[side][metric]))]));
  const rows = scores.map(({ path, own, peer }) => row(basename(path), own, peer));
  printTable([...rows, row('mean', mean('own'), mean('peer'))]);
  expectTarget(`order at least ${ORDER_MIN} in the mean`, (mean('own').order ?? 0) >= ORDER_MIN);
  expectTarget(`at least ${FOUND_MIN} of the words found`, (mean('own').recall ?? 0) >= FOUND_MIN);
}

function meanOf(values: readonly (number | null | undefined)[]): number | null {
  const known = values.filter((value) => value != null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}

const folder = mkdtempSync(join(tmpdir(), 'pdf-truth-'));
const subject = openPdfSubject(join(folder, 'jobs'));
try {
  let folders = process.argv.slice(2);
  if (folders.length === 0) {
    folders = [join(folder, 'made')];
    mkdirSync(join(folder, 'made'));
    await makeTruth(join(folder, 'made'));
  }
  const scores: Score[] = [];
  for (const path of folders.flatMap(filesIn)) {
    if (truthOf(path) !== null) scores.push(await measure(path, subject));
  }
  report(scores);
} finally {
  await subject.close();
  rmSync(folder, { recursive: true, force: true });
}
