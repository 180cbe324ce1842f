/**
 * LaTeX sources: sections, paragraphs, lists, tables, captions, notes and code. Formulas stay as they are written.
 * Nothing is executed except the replacement of commands that the source defines; arguments of unknown ones are text.
 */

import { omitUndefined } from '../../../src-server/platform/omit-undefined.ts';
import { say } from '../../../src-server/platform/text/say.ts';
import type { DocumentParser } from '../blocks.ts';
import { DocumentBuilder, type NewBlock } from '../document-builder.ts';
import { BULLET } from '../list-markers.ts';
import { decodeTextFile } from '../parse-text.ts';
import { ACCENTS, DROPPED, SYMBOLS } from './characters.ts';
import { expandDefinitions } from './expand-definitions.ts';
import { splitFalseBranches } from './false-branches.ts';
import { TexScanner } from './scanner.ts';

const LEVELS: Readonly<Record<string, number>> = {
  part: 1,
  chapter: 1,
  section: 1,
  subsection: 2,
  subsubsection: 3,
  paragraph: 4,
  subparagraph: 5,
};

const CODE = /^(?:verbatim|Verbatim|lstlisting|minted|alltt)\*?$/;

const FORMULA = /^(?:equation|align|alignat|gather|multline|eqnarray|displaymath|math|flalign)\*?$/;

const TABLE = /^(?:tabular|tabularx|tabulary|longtable)\*?$/;

const DRAWING = /^(?:tikzpicture|picture|pgfpicture|pspicture|comment|filecontents)\*?$/;

/** Environments with a size, and text inside. */
const BOX = /^(?:minipage|multicols|wrapfigure|adjustbox|parbox)\*?$/;

const LIST = /^(?:itemize|enumerate|description|compactitem|compactenum)\*?$/;

/** Options of environments that are no titles: places of floats, sizes, keys. */
const SETTINGS = /^[!htbpHcrlsT\d.,\s]*$|=|\\(?:text|line|column)width/;

/** Lines of tables and their spacing. */
const TABLE_RULES = /\\(?:hline|toprule|midrule|bottomrule|endhead|endfirsthead|endfoot|endlastfoot)\b/g;

const PART_RULES = /\\c(?:line|midrule)\b[^\s{]*\{[^}]*\}/g;

/** Comments to the end of their line, behind an even number of backslashes. */
const COMMENTS = /((?<!\\)(?:\\\\)*)%[^\n]*\n?[ \t]*/g;

const INLINE_DEPTH_MAX = 20;

/** Errors: `source_too_large`, `unsupported_media`. */
export const parseTex: DocumentParser = async (bytes, options) => {
  const builder = new DocumentBuilder(options);
  const { kept } = splitFalseBranches(decodeTextFile(bytes, options.language, builder).replace(/\r\n?/g, '\n'));
  const reader = new TexReader(expandDefinitions(kept), builder);
  reader.readTexDocument();
  return builder.buildNormalizedDocument({ format: 'tex', title: reader.title, author: reader.author });
};

interface List {
  isNumbered: boolean;
  count: number;
}

class TexReader {
  title: string | null = null;
  author: string | null = null;
  readonly #scanner: TexScanner;
  readonly #builder: DocumentBuilder;
  readonly #lists: List[] = [];
  /** Added to the levels of sections below chapters. */
  readonly #levelShift: number;
  #text = '';
  /** Shown below the title. */
  #date = '';
  /** Marker of the open list item. */
  #marker: string | null = null;
  #notes = 0;
  /** Text before the document begins is set-up. */
  #isBody: boolean;

  constructor(source: string, builder: DocumentBuilder) {
    this.#scanner = new TexScanner(source);
    this.#builder = builder;
    this.#levelShift = /\\chapter\b/.test(source) ? 1 : 0;
    this.#isBody = !source.includes('\\begin{document}');
  }

  readTexDocument(): void {
    const scanner = this.#scanner;
    while (!scanner.isTexSourceConsumed) {
      this.#builder.checkCancellation();
      const formula = takeFormula(scanner);
      if (formula !== null) this.#addFormula(formula);
      else if (scanner.takeMatch(/%[^\n]*\n?[ \t]*/y) !== null) continue;
      else if (scanner.takeMatch(/\n[ \t]*\n\s*/y) !== null) this.#flushTexParagraph();
      else if (scanner.takeMatch(/\\(?=[A-Za-z@])/y) !== null) this.#readTexCommand(scanner.takeName());
      else this.#text += takeInline(scanner);
    }
    this.#flushTexParagraph();
  }

  #readTexCommand(name: string): void {
    const plain = name.replace('*', '');
    const level = LEVELS[plain];
    if (plain === 'begin') this.#beginTexEnvironment(this.#scanner.takeGroup() ?? '');
    else if (plain === 'end') this.#endTexEnvironment(this.#scanner.takeGroup() ?? '');
    else if (plain === 'title' || plain === 'author') this[plain] ??= this.#readTexArgument();
    else if (level !== undefined) this.#addTexHeading(plain, level);
    else if (plain === 'item' || plain === 'bibitem') this.#addTexListItem(plain);
    else if (plain === 'caption') this.#addTexBlock({ kind: 'caption', text: this.#readTexArgument() });
    else if (plain === 'footnote') this.#addTexNote();
    else if (plain === 'date') this.#date = this.#readTexArgument();
    else if (plain === 'maketitle') this.#addTexBlock({ kind: 'paragraph', text: this.#date });
    else if (plain === 'par' || plain === 'tableofcontents') this.#flushTexParagraph();
    else if (plain === 'input' || plain === 'include') {
      this.#builder.addWarning(say`The source includes ${this.#readTexArgument()}, which is another file.`);
    } else this.#text += commandText(plain, this.#scanner, 0);
  }

  #readTexArgument(): string {
    this.#scanner.takeOption();
    return inlineText(this.#scanner.takeGroup() ?? '', 0);
  }

  #addTexHeading(name: string, level: number): void {
    const text = this.#readTexArgument();
    const shift = name === 'part' || name === 'chapter' ? 0 : this.#levelShift;
    this.#addTexBlock({ kind: 'heading', level: level + shift, text });
  }

  #addTexListItem(name: string): void {
    this.#flushTexParagraph();
    const label = this.#scanner.takeOption();
    const list = this.#lists.at(-1);
    if (list !== undefined) list.count += 1;
    if (name === 'bibitem') this.#marker = `[${this.#scanner.takeGroup() ?? ''}]`;
    else if (label !== null) this.#marker = inlineText(label, 0);
    else this.#marker = list?.isNumbered === true ? `${list.count}.` : BULLET;
  }

  #addTexNote(): void {
    this.#notes += 1;
    const marker = String(this.#notes);
    this.#text += `[${marker}]`;
    if (this.#isBody) this.#builder.addDocumentBlock({ kind: 'note', marker, text: this.#readTexArgument() });
  }

  #beginTexEnvironment(name: string): void {
    const scanner = this.#scanner;
    this.#flushTexParagraph();
    if (name === 'document') this.#isBody = true;
    else if (LIST.test(name)) {
      scanner.takeOption();
      this.#lists.push({ isNumbered: name.includes('enum'), count: 0 });
    } else if (CODE.test(name)) this.#addTexCode(name);
    else if (FORMULA.test(name)) {
      const source = scanner.takeUntil(`\\end{${name}}`);
      if (source !== null) this.#addTexFormula(`\\begin{${name}}${source}\\end{${name}}`);
    } else if (TABLE.test(name)) this.#addTexTable(name);
    else if (DRAWING.test(name)) {
      if (scanner.takeUntil(`\\end{${name}}`) !== null && name !== 'comment')
        this.#builder.addWarning(say`Drawings are not read.`);
    } else if (name === 'abstract')
      this.#addTexBlock({ kind: 'heading', level: 1 + this.#levelShift, text: 'Abstract' });
    else if (name === 'thebibliography') {
      scanner.takeGroup();
      this.#addTexBlock({ kind: 'heading', level: 1 + this.#levelShift, text: 'References' });
      this.#lists.push({ isNumbered: false, count: 0 });
    } else if (BOX.test(name)) takeBox(scanner);
    else {
      const option = scanner.takeOption();
      if (option !== null && !SETTINGS.test(option)) this.#text = `(${inlineText(option, 0)}) `;
    }
  }

  #endTexEnvironment(name: string): void {
    this.#flushTexParagraph();
    if (LIST.test(name) || name === 'thebibliography') {
      this.#lists.pop();
      this.#marker = null;
    }
    if (name === 'document') this.#isBody = false;
  }

  #addTexCode(name: string): void {
    const option = this.#scanner.takeOption();
    const group = name.startsWith('minted') ? this.#scanner.takeGroup() : null;
    const language = (group ?? /language=\{?([\w+#]+)/.exec(option ?? '')?.[1])?.toLowerCase();
    const caption = /caption=(?:\{([^{}]*)\}|([^,{}]+))/.exec(option ?? '');
    if (caption !== null) this.#addTexBlock({ kind: 'caption', text: inlineText(caption[1] ?? caption[2] ?? '', 0) });
    const text = this.#scanner.takeUntil(`\\end{${name}}`);
    if (text !== null) this.#addTexBlock({ kind: 'code', text, ...omitUndefined({ language }) });
  }

  #addTexTable(name: string): void {
    const scanner = this.#scanner;
    scanner.takeOption();
    // The width, then the columns.
    if (!/^(?:tabular|longtable)$/.test(name)) scanner.takeGroup();
    scanner.takeGroup();
    const source = scanner.takeUntil(`\\end{${name}}`);
    if (source === null) return;
    const rows = source
      .replace(COMMENTS, '$1')
      .replace(TABLE_RULES, '')
      .replace(PART_RULES, '')
      .split(/\\\\(?:\[[^\]]*\])?|\\tabularnewline\b/)
      .map((row) => row.split(/(?<!\\)&/).flatMap(texTableCells))
      .filter((row) => row.some((cell) => cell !== ''));
    if (rows.length > 0) this.#addTexBlock({ kind: 'table', rows });
  }

  #addFormula({ source, isDisplayed }: Formula): void {
    if (isDisplayed) this.#addTexFormula(source);
    else this.#text += source;
  }

  #addTexFormula(text: string): void {
    this.#addTexBlock({ kind: 'code', text, language: 'latex' });
  }

  /** Adds a block after the text before it. */
  #addTexBlock(block: NewBlock): void {
    this.#flushTexParagraph();
    if (this.#isBody) this.#builder.addDocumentBlock(block);
  }

  #flushTexParagraph(): void {
    const text = finishTexText(this.#text);
    this.#text = '';
    if (text === '' || !this.#isBody) return;
    const marker = this.#marker;
    this.#marker = null;
    const depth = Math.max(0, this.#lists.length - 1);
    if (marker === null) this.#builder.addDocumentBlock({ kind: 'paragraph', text });
    else this.#builder.addDocumentBlock({ kind: 'list-item', depth, marker, text });
  }
}

/** Columns of one cell. */
const SPAN_MAX = 100;

/** The text of a cell, and empty cells for the further columns that it spans. */
function texTableCells(source: string): string[] {
  const span = Number(/^\s*\\multicolumn\s*\{\s*(\d{1,3})\s*\}/.exec(source)?.[1] ?? 1);
  return [inlineText(source, 0), ...Array<string>(Math.max(0, Math.min(span, SPAN_MAX) - 1)).fill('')];
}

interface Formula {
  source: string;
  isDisplayed: boolean;
}

/** A formula with its marks, as written. */
function takeFormula(scanner: TexScanner): Formula | null {
  const before = scanner.at;
  const mark = scanner.takeMatch(/\$\$|\$|\\\[|\\\(/y);
  if (mark === null) return null;
  const end = { '\\[': '\\]', '\\(': '\\)' }[mark] ?? mark;
  const body = scanner.takeUntil(end);
  if (body === null) {
    scanner.at = before + mark.length;
    return { source: mark, isDisplayed: false };
  }
  const isDisplayed = mark === '$$' || mark === '\\[';
  const sign = isDisplayed ? '$$' : '$';
  return { source: `${sign}${body}${sign}`, isDisplayed };
}

/** Text, an escaped character, or a brace, which has no text. */
function takeInline(scanner: TexScanner): string {
  const text = scanner.takeText();
  if (text !== '') return typographicText(text);
  const character = scanner.takeTexCharacter();
  if (character === '\\') return commandText(scanner.takeName(), scanner, 0);
  if (character === '\n' || character === '~') return ' ';
  return character === '{' || character === '}' ? '' : character;
}

/** The text of an argument: commands without structure, groups, formulas as written. */
function inlineText(source: string, depth: number): string {
  if (depth > INLINE_DEPTH_MAX) return source;
  const scanner = new TexScanner(source);
  let text = '';
  while (!scanner.isTexSourceConsumed) {
    if (scanner.takeMatch(/%[^\n]*\n?[ \t]*/y) !== null) continue;
    const formula = takeFormula(scanner);
    if (formula !== null) text += formula.source;
    else if (scanner.takeMatch(/\\(?=[A-Za-z@])/y) !== null)
      text += commandText(scanner.takeName(), scanner, depth + 1);
    else text += takeInline(scanner);
  }
  return finishTexText(text);
}

/** The text of a command; arguments of unknown commands follow as text. */
function commandText(name: string, scanner: TexScanner, depth: number): string {
  const accent = ACCENTS[name];
  if (accent !== undefined) return accentedLetter(accent, scanner);
  const symbol = SYMBOLS[name];
  if (symbol !== undefined) {
    // A space after a command ends its name.
    scanner.takeMatch(/[ \t]+|\{\}/y);
    return symbol;
  }
  const dropped = DROPPED[name.replace('*', '')];
  if (dropped !== undefined) {
    for (let count = 0; count < dropped; count += 1) {
      scanner.takeOption();
      if (scanner.takeGroup() === null) scanner.takeMatch(/\s*\\[A-Za-z@]+/y);
      scanner.takeOption();
    }
    return '';
  }
  if (name === 'href') {
    scanner.takeGroup();
    return '';
  }
  if (name === 'and') return ', ';
  if (name === 'begin' || name === 'end') {
    if (BOX.test(scanner.takeGroup() ?? '') && name === 'begin') takeBox(scanner);
    return '';
  }
  if (/^(?:[a-z]*cite[a-z]*|[a-z]*ref|Cref)$/i.test(name)) {
    scanner.takeOption();
    scanner.takeOption();
    return `[${scanner.takeGroup() ?? ''}]`;
  }
  if (name === 'url' || name === 'path') return scanner.takeGroup() ?? '';
  if (name === 'verb') return scanner.takeUntil(scanner.takeTexCharacter()) ?? '';
  if (name === 'footnote') return ` (${inlineText(scanner.takeGroup() ?? '', depth + 1)})`;
  if (name === '\\') return '\v';
  if (/^[A-Za-z@]/.test(name)) {
    // Brackets after a space are text.
    if (scanner.takeMatch(/(?=\[)/y) !== null) scanner.takeOption();
    // A space after a command ends its name.
    scanner.takeMatch(/[ \t]+(?!\n)/y);
    return '';
  }
  return { ',': ' ', ';': ' ', ':': ' ', ' ': ' ', '!': '', '-': '', '/': '', '\n': ' ' }[name] ?? name;
}

/** Skips the position and the size of a box. */
function takeBox(scanner: TexScanner): void {
  while (scanner.takeOption() !== null);
  scanner.takeGroup();
}

function accentedLetter(accent: string, scanner: TexScanner): string {
  scanner.takeMatch(/[ \t]+/y);
  const group = scanner.takeGroup();
  const letter = group === null ? (scanner.takeMatch(/\\[ij]\b ?|[^\\{}\s]/y) ?? '') : group;
  // Accents are written over i and j without their dots.
  const plain = letter.replace(/\\([ij])\b ?/, '$1');
  return `${plain.slice(0, 1)}${plain === '' ? '' : accent}${plain.slice(1)}`.normalize('NFC');
}

function typographicText(text: string): string {
  return text
    .replaceAll('---', '—')
    .replaceAll('--', '–')
    .replaceAll('``', '“')
    .replaceAll("''", '”')
    .replaceAll('`', '‘');
}

function finishTexText(text: string): string {
  return text
    .replace(/[ \t\n]+/g, ' ')
    .replace(/ ?\v ?/g, '\v')
    .replaceAll(' ,', ',')
    .trim();
}
