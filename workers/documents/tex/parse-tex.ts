/**
 * LaTeX sources: sections, paragraphs, lists, tables, quotations, captions, notes and code, with the marks of
 * their text. Formulas stay as they are written.
 * Nothing is executed except the replacement of commands that the source defines; arguments of unknown ones are text.
 */

import { omitUndefined } from '../../../src-server/platform/omit-undefined.ts';
import { byName } from '../../../src-server/platform/records.ts';
import { say } from '../../../src-server/platform/text/say.ts';
import type { DocumentParser } from '../blocks.ts';
import { displayedLatex, FORMULA_ENVIRONMENT } from '../displayed-latex.ts';
import { DocumentBuilder, type NewBlock } from '../document-builder.ts';
import { signedLatex, signedText, withoutInline } from '../inline-marks.ts';
import { BULLET } from '../list-markers.ts';
import { decodeTextFile } from '../parse-text.ts';
import { withoutReserved } from '../revisions.ts';
import { expandDefinitions } from './expand-definitions.ts';
import { splitFalseBranches } from './false-branches.ts';
import { TexScanner } from './scanner.ts';
import { BOX, finishTexText, type TexFormula, TexInline, takeBox, takeTexFormula } from './tex-inline.ts';
import { readTexTable } from './tex-tables.ts';
import { TexText } from './tex-text.ts';

const LEVELS: Readonly<Record<string, number>> = byName({
  part: 1,
  chapter: 1,
  section: 1,
  subsection: 2,
  subsubsection: 3,
  paragraph: 4,
  subparagraph: 5,
});

const CODE = /^(?:verbatim|Verbatim|lstlisting|minted|alltt)\*?$/;

const TABLE = /^(?:tabular|tabularx|tabulary|longtable)\*?$/;

const DRAWING = /^(?:tikzpicture|picture|pgfpicture|pspicture|comment|filecontents)\*?$/;

const LIST = /^(?:itemize|enumerate|description|compactitem|compactenum)\*?$/;

/** Options of environments that are no titles: places of floats, sizes, keys. */
const SETTINGS = /^[!htbpHcrlsT\d.,\s]*$|=|\\(?:text|line|column)width/;

const QUOTATION = /^(?:quote|quotation|displayquote|verse)\*?$/;

/** Environments that are read up to their end at once. */
const TAKEN_WHOLE = new RegExp([CODE, FORMULA_ENVIRONMENT, TABLE, DRAWING].map(({ source }) => source).join('|'));

const QUOTES_MAX = 20;

/** Depth of a list. */
const LISTS_MAX = 8;

/** Errors: `source_too_large`, `unsupported_media`. */
export const parseTex: DocumentParser = async (bytes, options) => {
  const builder = new DocumentBuilder(options);
  const { kept } = splitFalseBranches(
    withoutReserved(decodeTextFile(bytes, options.language, builder)).replace(/\r\n?/g, '\n'),
  );
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
  readonly #text = new TexText();
  readonly #inline: TexInline;
  #quotes = 0;
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
    this.#inline = new TexInline(builder.useInlineSigns(), (note) => this.#takeNote(note));
    this.#levelShift = /\\chapter\b/.test(source) ? 1 : 0;
    this.#isBody = !source.includes('\\begin{document}');
  }

  readTexDocument(): void {
    const scanner = this.#scanner;
    while (!scanner.isTexSourceConsumed) {
      this.#builder.checkCancellation();
      const formula = takeTexFormula(scanner);
      if (formula !== null) this.#putTexFormula(formula);
      else if (scanner.takeMatch(/%[^\n]*\n?[ \t]*/y) !== null) continue;
      else if (scanner.takeMatch(/\n[ \t]*\n\s*/y) !== null) this.#flushTexParagraph();
      else if (scanner.takeMatch(/\\(?=[A-Za-z@])/y) !== null) this.#readTexCommand(scanner.takeName());
      else this.#inline.putTexInline(scanner, this.#text);
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
    else if (plain === 'footnotemark' || plain === 'footnotetext') this.#putPartOfNote(plain);
    else if (plain === 'date') this.#date = this.#readTexArgument();
    else if (plain === 'maketitle') this.#addTexBlock({ kind: 'paragraph', text: this.#date });
    else if (plain === 'par' || plain === 'tableofcontents') this.#flushTexParagraph();
    else if (plain === 'input' || plain === 'include') {
      this.#builder.addWarning(say`The source includes ${this.#readTexArgument()}, which is another file.`);
    } else this.#inline.putTexCommand(plain, this.#scanner, this.#text);
  }

  #readTexArgument(): string {
    this.#scanner.takeOption();
    return this.#inline.inlineText(this.#scanner.takeGroup() ?? '');
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
    else if (label !== null) this.#marker = withoutInline(this.#inline.inlineText(label));
    else this.#marker = list?.isNumbered === true ? `${list.count}.` : BULLET;
  }

  #takeNote(source: string): string | null {
    if (!this.#isBody) return null;
    this.#notes += 1;
    const marker = String(this.#notes);
    this.#addNoteBlock(marker, source);
    return signedText('footnote', `[${marker}]`);
  }

  #addNoteBlock(marker: string, source: string): void {
    if (this.#isBody)
      this.#builder.addDocumentBlock({ kind: 'note', marker, text: this.#inline.inlineText(source, 1) });
  }

  /** The mark and the text of a note may stand apart. */
  #putPartOfNote(name: 'footnotemark' | 'footnotetext'): void {
    const stated = /^\d+$/.exec(this.#scanner.takeOption() ?? '')?.[0];
    if (name === 'footnotemark') this.#notes += 1;
    const marker = stated ?? String(this.#notes);
    if (name === 'footnotemark') this.#text.putTex(signedText('footnote', `[${marker}]`));
    else this.#addNoteBlock(marker, this.#scanner.takeGroup() ?? '');
  }

  #beginTexEnvironment(name: string): void {
    const scanner = this.#scanner;
    this.#flushTexParagraph();
    if (!TAKEN_WHOLE.test(name)) this.#text.openGroup();
    if (QUOTATION.test(name)) this.#quotes += 1;
    else if (name === 'document') this.#isBody = true;
    else if (LIST.test(name)) {
      scanner.takeOption();
      this.#lists.push({ isNumbered: name.includes('enum'), count: 0 });
    } else if (CODE.test(name)) this.#addTexCode(name);
    else if (FORMULA_ENVIRONMENT.test(name)) {
      const source = scanner.takeUntil(`\\end{${name}}`);
      if (source !== null) this.#addTexFormula(displayedLatex(`\\begin{${name}}${source}\\end{${name}}`));
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
      if (option !== null && !SETTINGS.test(option)) this.#text.putTex(`(${this.#inline.inlineText(option)}) `);
    }
  }

  #endTexEnvironment(name: string): void {
    this.#flushTexParagraph();
    if (LIST.test(name) || name === 'thebibliography') {
      this.#lists.pop();
      this.#marker = null;
    }
    if (QUOTATION.test(name)) this.#quotes = Math.max(0, this.#quotes - 1);
    if (name === 'document') this.#isBody = false;
    this.#text.closeGroup();
  }

  #addTexCode(name: string): void {
    const option = this.#scanner.takeOption();
    const group = name.startsWith('minted') ? this.#scanner.takeGroup() : null;
    const language = (group ?? /language=\{?([\w+#]+)/.exec(option ?? '')?.[1])?.toLowerCase();
    const caption = /caption=(?:\{([^{}]*)\}|([^,{}]+))/.exec(option ?? '');
    if (caption !== null)
      this.#addTexBlock({ kind: 'caption', text: this.#inline.inlineText(caption[1] ?? caption[2] ?? '') });
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
    const { caption, table, repeated } = readTexTable(source, (text) => this.#inline.inlineText(text));
    if (caption !== null) this.#addTexBlock({ kind: 'caption', text: this.#inline.inlineText(caption) });
    const where = 'tables of several pages';
    for (const text of this.#isBody ? repeated : []) {
      this.#builder.sourceLedger.recordLeftOutText({ reason: 'repeated-header-or-footer', where, text });
    }
    if (table.rows.length > 0) this.#addTexBlock(table);
  }

  #putTexFormula(formula: TexFormula | string): void {
    if (typeof formula === 'string') this.#text.putTex(formula);
    else if (formula.isDisplayed) this.#addTexFormula(formula.source);
    else this.#text.putTex(signedLatex(formula.source, false));
  }

  #addTexFormula(latex: string): void {
    this.#addTexBlock({ kind: 'paragraph', text: signedLatex(latex, true) });
  }

  /** Adds a block after the text before it. */
  #addTexBlock(block: NewBlock): void {
    this.#flushTexParagraph();
    this.#addPlacedBlock(block);
  }

  #addPlacedBlock(block: NewBlock): void {
    if (!this.#isBody) return;
    if (this.#quotes > 0 && block.kind !== 'comment' && block.kind !== 'page-furniture') {
      block.isQuoted = true;
      if (this.#quotes > 1) block.quoteDepth = Math.min(this.#quotes, QUOTES_MAX);
    }
    const isInItem = (this.#lists.at(-1)?.count ?? 0) > 0;
    if ((block.kind === 'paragraph' || block.kind === 'code') && isInItem) block.inList = this.#listDepth();
    this.#builder.addDocumentBlock(block);
  }

  #listDepth(): number {
    return Math.min(LISTS_MAX, Math.max(0, this.#lists.length - 1));
  }

  #flushTexParagraph(): void {
    const text = finishTexText(this.#text.takeTex());
    if (!this.#isBody || withoutInline(text).trim() === '') return;
    const marker = this.#marker;
    this.#marker = null;
    if (marker === null) this.#addPlacedBlock({ kind: 'paragraph', text });
    else this.#addPlacedBlock({ kind: 'list-item', depth: this.#listDepth(), marker, text });
  }
}
