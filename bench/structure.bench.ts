/**
 * Structure of untagged PDFs against truth: `structure.bench.ts [--keep folder]`. Prints documents of known structure
 * with Chromium and pdflatex, and compares cells, list items, code blocks and headings.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { chromium } from 'playwright-core';
import { CHROMIUM_ARGS, chromiumFile } from '../test/harness/chromium.ts';
import type { Block, NormalizedDocument } from '../workers/documents/blocks.ts';
import { openPdfSubject, type PdfSubject } from './pdf-subject.ts';
import {
  HTML_STYLES,
  LATEX_STYLES,
  spreadRows,
  type TruthBlock,
  toHtml,
  toLatex,
  truthDocument,
} from './structure-inputs.ts';

const LATEX = 'pdflatex';

const ROW_OFFSET_MAX = 2;

interface Count {
  truth: number;
  found: number;
  right: number;
}

type Measure = 'cells' | 'items' | 'itemDepths' | 'code' | 'headings' | 'headingLevels';

type Score = Record<Measure, Count>;

function compare(truth: readonly TruthBlock[], blocks: readonly Block[]): Score {
  const key = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
  const items = truth.flatMap((block) => (block.kind === 'list' ? block.items : []));
  const ownItems = blocks.filter((block) => block.kind === 'list-item');
  const headings = truth.filter((block) => block.kind === 'heading');
  const ownHeadings = blocks.filter((block) => block.kind === 'heading');
  const heading = (text: string) => key(text.replace(/^[\d.]+\s/, ''));
  return {
    cells: compareTables(
      truth.flatMap((block) => (block.kind === 'table' ? [spreadRows(block.rows)] : [])),
      blocks.flatMap((block) => (block.kind === 'table' ? [block.rows] : [])),
      key,
    ),
    items: count(
      items.map(({ text }) => key(text)),
      ownItems.map(({ text }) => key(text)),
    ),
    itemDepths: count(
      items.map(({ text, depth }) => `${depth} ${key(text)}`),
      ownItems.map(({ text, depth }) => `${depth} ${key(text)}`),
    ),
    code: count(
      truth.flatMap((block) => (block.kind === 'code' ? [block.lines.join('\n')] : [])),
      blocks.flatMap((block) => (block.kind === 'code' ? [block.text] : [])),
    ),
    headings: count(
      headings.map(({ text }) => heading(text)),
      ownHeadings.map(({ text }) => heading(text)),
    ),
    headingLevels: count(
      headings.map(({ text, level }) => `${level} ${heading(text)}`),
      ownHeadings.map(({ text, level }) => `${level} ${heading(text)}`),
    ),
  };
}

/** Items found on both sides, each once. */
function count(truth: readonly string[], found: readonly string[]): Count {
  const left = [...truth];
  let right = 0;
  for (const one of found) {
    const at = left.indexOf(one);
    if (at < 0) continue;
    left.splice(at, 1);
    right += 1;
  }
  return { truth: truth.length, found: found.length, right };
}

/** Cells with text at their row and column; each table is compared with the most similar one. */
function compareTables(truth: string[][][], found: string[][][], key: (text: string) => string): Count {
  const filled = (rows: string[][]) => rows.flat().filter((cell) => key(cell) !== '').length;
  const rest = [...found];
  let right = 0;
  for (const table of truth) {
    let best = { at: -1, right: 0 };
    for (const [at, other] of rest.entries()) {
      const same = sameCells(table, other, key);
      if (same > best.right) best = { at, right: same };
    }
    if (best.at >= 0) rest.splice(best.at, 1);
    right += best.right;
  }
  const sum = (tables: string[][][]) => tables.reduce((total, rows) => total + filled(rows), 0);
  return { truth: sum(truth), found: sum(found), right };
}

function sameCells(truth: string[][], found: string[][], key: (text: string) => string): number {
  let best = 0;
  for (let offset = -ROW_OFFSET_MAX; offset <= ROW_OFFSET_MAX; offset += 1) {
    let same = 0;
    for (const [y, row] of truth.entries()) {
      for (const [x, cell] of row.entries()) {
        const other = found[y + offset]?.[x];
        if (key(cell) !== '' && other !== undefined && key(other) === key(cell)) same += 1;
      }
    }
    best = Math.max(best, same);
  }
  return best;
}

interface Sample {
  name: string;
  path: string;
  truth: TruthBlock[];
}

async function printWithChromium(folder: string): Promise<Sample[]> {
  const executablePath = chromiumFile();
  if (executablePath === null) throw new Error('Install chromium to print the documents.');
  const browser = await chromium.launch({ executablePath, args: [...CHROMIUM_ARGS] });
  const samples: Sample[] = [];
  for (const [index, [name, style]] of Object.entries(HTML_STYLES).entries()) {
    const page = await browser.newPage();
    const truth = truthDocument(index + 1);
    const path = join(folder, `html-${name}.pdf`);
    await page.setContent(toHtml(truth, style));
    await page.pdf({
      path,
      tagged: false,
      printBackground: true,
      format: 'A4',
      margin: { top: '20mm', bottom: '20mm', left: '20mm', right: '20mm' },
    });
    await page.close();
    samples.push({ name: `html ${name}`, path, truth });
  }
  await browser.close();
  return samples;
}

function printWithLatex(folder: string): Sample[] {
  return Object.keys(LATEX_STYLES).map((name, index) => {
    const truth = truthDocument(index + 20);
    const source = join(folder, `latex-${name}.tex`);
    writeFileSync(source, toLatex(truth, name));
    // Twice, because the first run measures the columns of long tables.
    for (let run = 0; run < 2; run += 1) {
      execFileSync(LATEX, ['-interaction=batchmode', '-output-directory', folder, source], { stdio: 'ignore' });
    }
    return { name: `latex ${name}`, path: source.replace(/tex$/, 'pdf'), truth };
  });
}

function f1({ truth, found, right }: Count): string {
  return truth + found === 0 ? '-' : ((2 * right) / (truth + found)).toFixed(3);
}

const MEASURES: readonly Measure[] = ['cells', 'items', 'itemDepths', 'code', 'headings', 'headingLevels'];

async function measure(samples: readonly Sample[], subject: PdfSubject): Promise<void> {
  const total = new Map<Measure, Count>(MEASURES.map((name) => [name, { truth: 0, found: 0, right: 0 }]));
  print(['document', ...MEASURES]);
  for (const { name, path, truth } of samples) {
    const { textPath } = await subject.extract(path);
    const document = JSON.parse(readFileSync(join(dirname(textPath), 'document.json'), 'utf8')) as NormalizedDocument;
    const score = compare(truth, document.blocks);
    if (keptFolder !== undefined) writeFileSync(`${path}.json`, JSON.stringify({ truth, document }, null, 1));
    for (const one of MEASURES) {
      const sum = total.get(one) as Count;
      for (const side of ['truth', 'found', 'right'] as const) sum[side] += score[one][side];
    }
    print([name, ...MEASURES.map((one) => f1(score[one]))]);
  }
  print(['all', ...MEASURES.map((one) => f1(total.get(one) as Count))]);
}

function print(cells: readonly string[]): void {
  process.stdout.write(`${cells.map((cell) => cell.padEnd(16)).join('')}\n`);
}

const [flag, keptFolder] = process.argv.slice(2);
const folder = keptFolder ?? mkdtempSync(join(tmpdir(), 'quarry bench '));
if (flag !== undefined && (flag !== '--keep' || keptFolder === undefined)) throw new Error('Use --keep <folder>.');
mkdirSync(folder, { recursive: true });
const work = mkdtempSync(join(tmpdir(), 'quarry bench '));
const subject = openPdfSubject(work);
try {
  await measure([...(await printWithChromium(folder)), ...printWithLatex(folder)], subject);
} finally {
  await subject.close();
  rmSync(work, { recursive: true, force: true });
  if (keptFolder === undefined) rmSync(folder, { recursive: true, force: true });
}
