/**
 * PDFs with known text for the benchmarks: documents of seeded words, printed by Chromium without tags and typeset by
 * pdflatex, in one, two and three columns, with code, footnotes, sidebars, lists and tables. Beside each `name.pdf` is
 * `name.truth.json`, a TruthDocument.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { CHROMIUM_ARGS, chromiumFile } from '../test/harness/chromium.ts';

/** Blocks in reading order. */
export interface TruthDocument {
  blocks: TruthBlock[];
}

export type TruthBlock =
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'paragraph'; text: string }
  | { kind: 'list-item'; depth: number; marker: string; text: string }
  /** Lines are separated by `\n`. */
  | { kind: 'code'; text: string }
  /** Lines of a cell are joined with spaces. */
  | { kind: 'table'; rows: string[][] }
  /** Text beside the page's text: its place is that of its source. */
  | { kind: 'aside'; text: string }
  /** Printed at the foot of a page: its place does not count. */
  | { kind: 'note'; text: string };

const WORDS =
  `harbour answer morning council report season water number letter evening company question society window history
measure garden business country machine general public minute picture nation example family moment surface thought
distance pressure river lantern copper island meadow winter signal engine carpet velvet thunder basket circle dragon
feather glacier hammer journey kitchen ladder mirror needle orchard pepper quarrel ribbon saddle temple umbrella valley
wagon yellow zephyr anchor bottle candle desert ember forest gravel helmet insect jungle kettle lemon marble nickel
oyster pillow quiver rocket silver timber urchin vessel walnut bishop cradle dinner effort fabric giant hollow ivory
jacket kernel legend mantle nephew object parcel radius sample tender unison vacant wisdom across beyond during enough
further slowly nearly always seldom often twice under above within without towards between against among because
although whether despite unless until while where`.split(/\s+/);

const CODE_WORDS = 'count total index value list name parse write read open close send next item table cell'.split(' ');

/** A source of numbers from 0 to 1 that is the same in every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

class Writer {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = seeded(seed);
  }

  integer(from: number, to: number): number {
    return from + Math.floor(this.#random() * (to - from + 1));
  }

  words(count: number): string {
    return Array.from({ length: count }, () => this.#pick(WORDS)).join(' ');
  }

  title(count: number): string {
    return capital(this.words(count));
  }

  paragraph(sentences: number): string {
    return Array.from({ length: sentences }, () => `${capital(this.words(this.integer(7, 16)))}.`).join(' ');
  }

  code(lines: number): string {
    return Array.from({ length: lines }, (_, index) => {
      const [left, right] = [this.#pick(CODE_WORDS), this.#pick(CODE_WORDS)];
      const number = this.integer(10, 999);
      return index % 3 === 1 ? `  if (${left} > ${number}) return ${right};` : `${left} = ${right}(${number});`;
    }).join('\n');
  }

  table(rows: number, columns: number): string[][] {
    const row = () => Array.from({ length: columns }, (_, column) => (column === 0 ? this.title(1) : this.words(1)));
    const head = Array.from({ length: columns }, () => this.title(1));
    return [
      head,
      ...Array.from({ length: rows }, () =>
        row().map((cell, index) => (index === 1 ? `${this.integer(1, 999)}` : cell)),
      ),
    ];
  }

  #pick<Value>(values: readonly Value[]): Value {
    return values[Math.floor(this.#random() * values.length)] as Value;
  }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

interface Contents {
  sections: number;
  code?: true;
  lists?: true;
  tables?: true;
  asides?: true;
  notes?: true;
}

function documentOf(seed: number, contents: Contents): TruthDocument {
  const writer = new Writer(seed);
  const blocks: TruthBlock[] = [{ kind: 'heading', level: 1, text: writer.title(4) }];
  const paragraph = (sentences: number) => blocks.push({ kind: 'paragraph', text: writer.paragraph(sentences) });
  for (let section = 0; section < contents.sections; section += 1) {
    blocks.push({ kind: 'heading', level: 2, text: writer.title(3) });
    paragraph(4);
    if (contents.notes && section % 2 === 0) blocks.push({ kind: 'note', text: writer.paragraph(1) });
    if (contents.asides && section % 2 === 0) blocks.push({ kind: 'aside', text: writer.paragraph(2) });
    paragraph(5);
    if (contents.code) blocks.push({ kind: 'code', text: writer.code(writer.integer(3, 7)) });
    paragraph(3);
    if (contents.lists) blocks.push(...listOf(writer, section % 2 === 0));
    if (contents.tables) blocks.push({ kind: 'table', rows: writer.table(4, 3) });
    blocks.push({ kind: 'heading', level: 3, text: writer.title(2) });
    paragraph(6);
  }
  return { blocks };
}

function listOf(writer: Writer, isNumbered: boolean): TruthBlock[] {
  return Array.from({ length: 4 }, (_, index) => ({
    kind: 'list-item',
    depth: 0,
    marker: isNumbered ? `${index + 1}.` : '•',
    text: `${writer.title(writer.integer(4, 18))}.`,
  }));
}

const EVERYTHING: Contents = { sections: 6, code: true, lists: true, tables: true };

/** Name of a layout → its style sheet and what it holds. */
const PRINTED: Readonly<Record<string, { style: string; contents: Contents }>> = {
  'one-column': { style: '', contents: { sections: 8 } },
  'one-column-code': { style: 'pre { background: #eee; padding: 8px; overflow-x: auto }', contents: EVERYTHING },
  'one-column-placed-code': {
    style: 'pre { position: relative; border: 1px solid #888; padding: 6px } table { position: relative }',
    contents: EVERYTHING,
  },
  'one-column-opaque': { style: 'pre, ul { opacity: 0.9 } h2 { position: relative }', contents: EVERYTHING },
  'one-column-sidebars': {
    style: 'aside { float: right; width: 35%; margin: 0 0 8px 16px; padding: 8px; background: #f4f4f4 }',
    contents: { sections: 8, asides: true, code: true },
  },
  'one-column-left-sidebars': {
    style: 'aside { float: left; width: 30%; margin: 0 16px 8px 0; border: 1px solid; padding: 6px }',
    contents: { sections: 8, asides: true },
  },
  'one-column-side-notes': {
    style: 'body { padding-right: 34% } aside { position: absolute; right: 20mm; width: 26%; font-size: 9pt }',
    contents: { sections: 8, asides: true, lists: true },
  },
  'one-column-boxes': {
    style:
      'pre, ul, ol { display: inline-block; vertical-align: top; width: 90% } p { position: relative; z-index: 1 }',
    contents: EVERYTHING,
  },
  'two-columns-sidebars': {
    style: 'body { columns: 2; font-size: 10pt } aside { float: right; width: 45%; border: 1px solid; margin: 4px }',
    contents: { sections: 10, asides: true, code: true },
  },
  'two-columns': { style: 'body { columns: 2; column-gap: 24px }', contents: { sections: 8 } },
  'two-columns-code': {
    style: 'body { columns: 2; column-gap: 24px } pre { overflow: auto; background: #eee } h1 { column-span: all }',
    contents: { sections: 10, code: true, lists: true },
  },
  'three-columns': { style: 'body { columns: 3; column-gap: 20px }', contents: { sections: 9 } },
  'three-columns-code': {
    style: 'body { columns: 3; column-gap: 20px } pre { position: relative } h1 { column-span: all }',
    contents: { sections: 9, code: true, lists: true },
  },
};

/** Name → LaTeX class options, text around the body, and what it holds. */
const TYPESET: Readonly<Record<string, { options: string; begin?: string; end?: string; contents: Contents }>> = {
  'latex-one-column': { options: '11pt', contents: { ...EVERYTHING, notes: true } },
  'latex-two-columns': { options: '10pt,twocolumn', contents: { sections: 12, notes: true, code: true, lists: true } },
  'latex-paper': {
    options: '10pt,twocolumn',
    begin: '\\title{Signals of the Harbour}\\author{A. Writer}\\date{}\\maketitle',
    contents: { sections: 10, notes: true, lists: true, tables: true },
  },
  'latex-three-columns': {
    options: '10pt',
    begin: '\\begin{multicols}{3}\\raggedcolumns',
    end: '\\end{multicols}',
    contents: { sections: 10, lists: true },
  },
  'latex-margin-notes': { options: '11pt', contents: { sections: 8, asides: true, code: true } },
};

/** Writes the documents into `folder`; those whose program is missing are left out. */
export async function makeTruth(folder: string): Promise<void> {
  const file = chromiumFile();
  if (file !== null) await print(folder, file);
  if (hasLatex()) for (const name of Object.keys(TYPESET)) typeset(folder, name);
}

async function print(folder: string, executablePath: string): Promise<void> {
  const browser = await chromium.launch({ executablePath, args: [...CHROMIUM_ARGS] });
  try {
    const page = await browser.newPage();
    for (const [index, [name, { style, contents }]] of Object.entries(PRINTED).entries()) {
      const truth = documentOf(index + 1, contents);
      await page.setContent(htmlOf(truth, style));
      await page.pdf({ path: join(folder, `${name}.pdf`), format: 'A4', tagged: false, printBackground: true });
      keepTruth(folder, name, truth);
    }
  } finally {
    await browser.close();
  }
}

function htmlOf({ blocks }: TruthDocument, style: string): string {
  const base = `body { font: 11pt/1.4 serif; margin: 20mm } table { border-collapse: collapse }
td, th { border: 1px solid; padding: 2px 6px } h1, h2, h3 { break-after: avoid }`;
  const head = `<meta charset="utf-8"><style>@page { margin: 0 } ${base} ${style}</style>`;
  return `<!doctype html><html lang="en"><head>${head}</head><body>${htmlBlocks(blocks)}</body></html>`;
}

function htmlBlocks(blocks: readonly TruthBlock[]): string {
  let html = '';
  let list: string | null = null;
  for (const block of blocks) {
    const wanted = block.kind === 'list-item' ? (block.marker === '•' ? 'ul' : 'ol') : null;
    if (wanted !== list) html += `${list === null ? '' : `</${list}>`}${wanted === null ? '' : `<${wanted}>`}`;
    list = wanted;
    html += htmlOfBlock(block);
  }
  return list === null ? html : `${html}</${list}>`;
}

function htmlOfBlock(block: TruthBlock): string {
  if (block.kind === 'table') {
    const rows = block.rows.map((row, index) => {
      const tag = index === 0 ? 'th' : 'td';
      return `<tr>${row.map((cell) => `<${tag}>${escaped(cell)}</${tag}>`).join('')}</tr>`;
    });
    return `<table>${rows.join('')}</table>`;
  }
  const tags = { paragraph: 'p', 'list-item': 'li', code: 'pre', aside: 'aside', note: 'small' };
  const tag = block.kind === 'heading' ? `h${block.level}` : tags[block.kind];
  return `<${tag}>${escaped(block.text)}</${tag}>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

function hasLatex(): boolean {
  try {
    execFileSync('pdflatex', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function typeset(folder: string, name: string): void {
  const layout = TYPESET[name];
  if (layout === undefined) return;
  const truth = documentOf(100 + name.length, layout.contents);
  const body = truth.blocks.map((block, index) =>
    latexOfBlock(block, truth.blocks[index - 1], truth.blocks[index + 1]),
  );
  const file = join(folder, `${name}.tex`);
  writeFileSync(
    file,
    `\\documentclass[${layout.options}]{article}\\usepackage{multicol}\\setcounter{secnumdepth}{0}\\begin{document}
${layout.begin ?? ''}\n${body.join('\n')}\n${layout.end ?? ''}\n\\end{document}`,
  );
  execFileSync('pdflatex', ['-interaction=batchmode', '-output-directory', folder, file], { stdio: 'ignore' });
  keepTruth(folder, name, truth);
}

function latexOfBlock(block: TruthBlock, before: TruthBlock | undefined, after: TruthBlock | undefined): string {
  switch (block.kind) {
    case 'heading':
      return `\\${['section', 'section', 'subsection', 'subsubsection'][block.level]}{${block.text}}`;
    case 'code':
      return `\\begin{verbatim}\n${block.text}\n\\end{verbatim}`;
    case 'table': {
      const rows = block.rows.map((row) => `${row.join(' & ')} \\\\ \\hline`);
      return `\n\\begin{tabular}{|${'l|'.repeat(block.rows[0]?.length ?? 1)}}\\hline\n${rows.join('\n')}\n\\end{tabular}\n`;
    }
    case 'list-item': {
      const environment = block.marker === '•' ? 'itemize' : 'enumerate';
      const begin = before?.kind === 'list-item' ? '' : `\\begin{${environment}}\n`;
      return `${begin}\\item ${block.text}${after?.kind === 'list-item' ? '' : `\n\\end{${environment}}`}`;
    }
    case 'note':
      return `\\footnote{${block.text}}`;
    case 'aside':
      return `\\marginpar{\\raggedright ${block.text}}`;
    default:
      // A note or margin note belongs to the paragraph before it.
      return `${before?.kind === 'note' || before?.kind === 'aside' ? '' : '\n'}${block.text}`;
  }
}

function keepTruth(folder: string, name: string, truth: TruthDocument): void {
  writeFileSync(join(folder, `${name}.truth.json`), JSON.stringify(truth));
}

export function readTruth(path: string): TruthDocument {
  return JSON.parse(readFileSync(path, 'utf8')) as TruthDocument;
}
