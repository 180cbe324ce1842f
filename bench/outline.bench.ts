/**
 * `npm run bench -- outline <folder>…`: headings and list items of PDFs against docling's truth: below the folders,
 * `groundtruth/name.json` beside `sources/name.pdf`. Texts are compared by their letters and digits. A case whose
 * name has a SHA-256 that begins with 0 to 7 is for tuning, the others judge. QUARRY_BENCH_EACH=1 lists what was missed
 * and what was too much in the cases for tuning.
 */
import { hash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Block, NormalizedDocument } from '../workers/documents/blocks.ts';
import { expectTarget, printTable } from './figures.ts';
import { openPdfSubject } from './pdf-subject.ts';

type Part = 'headings' | 'items';

/** Shares of docling's 65 headings and 97 list items that must be found. */
const FOUND_MIN: Readonly<Record<Part, number>> = { headings: 60 / 65, items: 90 / 97 };

const LABELS: Readonly<Record<string, Part>> = { title: 'headings', section_header: 'headings', list_item: 'items' };

const PARTS: readonly Part[] = ['headings', 'items'];

type Outline = Record<Part, string[]>;

interface OutlineCase {
  path: string;
  truth: Outline;
  isForTuning: boolean;
}

interface Compared {
  found: number;
  owed: number;
  read: number;
  missed: string[];
  extra: string[];
}

function findOutlineCases(folder: string): OutlineCase[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return names.flatMap((name) => {
    const path = join(folder, name);
    if (!name.endsWith('.json') || basename(dirname(path)) !== 'groundtruth') return [];
    const stem = basename(path, '.json');
    const pdf = join(dirname(dirname(path)), 'sources', stem.endsWith('.pdf') ? stem : `${stem}.pdf`);
    const { texts } = JSON.parse(readFileSync(path, 'utf8')) as { texts?: { label: string; text: string }[] };
    if (texts === undefined || !existsSync(pdf)) return [];
    const truth: Outline = { headings: [], items: [] };
    for (const { label, text } of texts) {
      const part = LABELS[label];
      if (part !== undefined) truth[part].push(text);
    }
    return [{ path: pdf, truth, isForTuning: hash('sha256', basename(pdf)) < '8' }];
  });
}

function outlineOf(blocks: readonly Block[]): Outline {
  return {
    headings: blocks.flatMap((block) => (block.kind === 'heading' ? [block.text] : [])),
    items: blocks.flatMap((block) => (block.kind === 'list-item' ? [`${block.marker} ${block.text}`] : [])),
  };
}

/**
 * The number before a text, which one side may give apart. docling writes a bullet that it cannot read as a letter, or
 * as the name of its font and glyph, as in `SM590000`.
 */
const MARKER = /^\s*[([]?(?:\d+(?:\.\d+)*|\p{L}|[ivxl]+|[A-Z]{2}\d{6})[.)\]]?\s+/iu;

/** The number of a title in a box beside it, which docling writes after the title where it is drawn after it. */
const NUMBER_AFTER = /\s\d{1,2}$/u;

function withoutNumber(text: string): string {
  return text.replace(MARKER, '').replace(NUMBER_AFTER, '');
}

function lettersOf(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
}

/** Texts on both sides, each once. */
function compareTexts(truth: readonly string[], read: readonly string[]): Compared {
  const extra = [...read];
  const missed: string[] = [];
  for (const text of truth) {
    const owed = new Set([lettersOf(text), lettersOf(withoutNumber(text))]);
    const at = extra.findIndex((one) => owed.has(lettersOf(one)) || owed.has(lettersOf(withoutNumber(one))));
    if (at < 0) missed.push(text);
    else extra.splice(at, 1);
  }
  return { found: truth.length - missed.length, owed: truth.length, read: read.length, missed, extra };
}

type Measured = { one: OutlineCase } & Record<Part, Compared>;

function countsOf(name: string, members: readonly Measured[]): Record<string, string> {
  const sum = (part: Part, of: 'found' | 'owed' | 'read') => members.reduce((all, one) => all + one[part][of], 0);
  const cells = PARTS.flatMap((part) => [
    [part, `${sum(part, 'found')} of ${sum(part, 'owed')}`],
    [`${part} read`, String(sum(part, 'read'))],
  ]);
  return { cases: name, PDFs: String(members.length), ...Object.fromEntries(cells) };
}

function report(all: readonly Measured[]): void {
  const isForTuning = ({ one }: Measured) => one.isForTuning;
  const rows = [
    countsOf('all', all),
    countsOf('for tuning', all.filter(isForTuning)),
    countsOf(
      'judging',
      all.filter((one) => !isForTuning(one)),
    ),
  ];
  printTable(rows);
  for (const part of PARTS) {
    const [found, owed] = [
      all.reduce((sum, one) => sum + one[part].found, 0),
      all.reduce((n, o) => n + o[part].owed, 0),
    ];
    const needed = Math.ceil(FOUND_MIN[part] * owed);
    expectTarget(`${part}: ${found} of ${owed} ≥ ${needed}`, found >= needed);
  }
  if (process.env.QUARRY_BENCH_EACH === undefined) return;
  for (const one of all.filter(isForTuning)) {
    for (const part of PARTS) {
      for (const text of one[part].missed) process.stdout.write(`${basename(one.one.path)} ${part} missed: ${text}\n`);
      for (const text of one[part].extra) process.stdout.write(`${basename(one.one.path)} ${part} extra: ${text}\n`);
    }
  }
}

const folder = mkdtempSync(join(tmpdir(), 'outline-'));
const subject = openPdfSubject(join(folder, 'jobs'));
try {
  const all: Measured[] = [];
  for (const one of process.argv.slice(2).flatMap(findOutlineCases)) {
    const { textPath } = await subject.extract(one.path);
    const document = JSON.parse(readFileSync(join(dirname(textPath), 'document.json'), 'utf8')) as NormalizedDocument;
    const read = outlineOf(document.blocks);
    all.push({
      one,
      headings: compareTexts(one.truth.headings, read.headings),
      items: compareTexts(one.truth.items, read.items),
    });
  }
  report(all);
} finally {
  await subject.close();
  rmSync(folder, { recursive: true, force: true });
}
