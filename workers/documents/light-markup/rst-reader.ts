import { byName } from '../../../src-server/platform/records.ts';
import { say } from '../../../src-server/platform/text/say.ts';
import type { CellSpan } from '../blocks.ts';
import { displayedLatex } from '../displayed-latex.ts';
import type { NewBlock } from '../document-builder.ts';
import { signedLatex, signedText } from '../inline-marks.ts';
import { ExpansionBudget } from './inline-scanner.ts';
import {
  type BlockLead,
  dedentLines,
  innerPlace,
  isAdmonition,
  itemMarker,
  itemPlace,
  linesToParagraphs,
  type MarkupBuilder,
  OUTERMOST,
  PLACES_MAX,
  type Place,
  quotedPlace,
  signedTaskBox,
  squareRows,
  trimLines,
} from './markup-builder.ts';
import { RstInline } from './rst-inline.ts';
import { isUnderline, RstNames } from './rst-names.ts';
import { csvTableRows, gridTableRows, listTableRows, simpleTableRows, spannedGridTable } from './rst-tables.ts';

const ITEM = /^([-*+•‣⁃]|\(?(?:\d{1,4}|[A-Za-z]|[ivxlcIVXLC]{2,6}|#)[.)])(?:\s+|$)/;

const FIELD = /^:((?:[^:\\\s]|\\.)(?:[^:\\]|\\.|:(?! |$|`)){0,300}):(?:\s+|$)/;

const OPTION =
  /^(?:-[A-Za-z]|--[A-Za-z][\w-]*|\/[A-Z])(?:[ =]<?[\w.-]+>?)?(?:, (?:--?[\w-]+)(?:[ =]<?[\w.-]+>?)?)*(?: {2,}|$)/;

const SIMPLE_RULE = /^=+(?: +=+)+$/;

/** Lines in which the last rule of a table is looked for. */
const TABLE_LINES_MAX = 2000;

const CODE =
  /^(?:code|code-block|sourcecode|parsed-literal|literalblock|prompt|ipython|testcode|testoutput|doctest|raw)$/;

/** Lists of other files. */
const OTHER_FILES = /^(?:include|literalinclude)$/;

/** Descriptions of what a program defines. */
const DESCRIPTION = new RegExp(
  '^(?:[a-z]+:)?(?:function|(?:class|static)?method|class|attribute|property|data|exception|module|option|envvar|' +
    'macro|type|struct|member|var|enum|enumerator|directive|role|confval|setting|program|decorator|signature)$',
);

const VERSIONS: Readonly<Record<string, string>> = byName({
  deprecated: 'Deprecated since version',
  versionadded: 'Added in version',
  versionchanged: 'Changed in version',
  versionremoved: 'Removed in version',
});

/** What the readers of one document share. */
class RstContext {
  readonly out: MarkupBuilder;
  readonly names: RstNames;
  readonly inline: RstInline;
  /** Styles of underlines in the order of their first use; an overline makes a style of its own. */
  readonly styles: string[] = [];
  /** Language of literal blocks. */
  language = '';

  constructor(out: MarkupBuilder, lines: readonly string[]) {
    this.out = out;
    this.names = new RstNames(lines);
    this.inline = new RstInline(out, this.names, new ExpansionBudget(lines));
  }
}

export function readRst(source: readonly string[], out: MarkupBuilder): void {
  const lines = source.map((line) => (line.includes('\t') ? expandTabs(line) : line).trimEnd());
  new RstReader(new RstContext(out, lines), lines, OUTERMOST).readRstBlocks();
}

function expandTabs(line: string): string {
  return line.replace(/^[ \t]+/, (space) => space.replace(/ {0,7}\t/g, ' '.repeat(8)));
}

/** Reads lines that have one indent. */
class RstReader {
  readonly #context: RstContext;
  readonly #lines: readonly string[];
  readonly #place: Place;
  #lead: BlockLead | null;
  #at = 0;
  #count = 0;
  #itemKind = '';

  constructor(context: RstContext, lines: readonly string[], place: Place, lead: BlockLead | null = null) {
    this.#context = context;
    this.#lines = lines;
    this.#place = place;
    this.#lead = lead;
  }

  readRstBlocks(): void {
    while (this.#at < this.#lines.length) {
      this.#context.out.checkMarkup();
      const line = this.#rstLine();
      if (line === '') this.#at += 1;
      else if (line.startsWith(' ')) this.#readInner(this.#takeIndented(0), quotedPlace(this.#place));
      else if (!this.#readStructure(line)) this.#readRstParagraph();
    }
    if (this.#lead !== null) this.#addRstText('');
  }

  #rstLine(offset = 0): string {
    return this.#lines[this.#at + offset] ?? '';
  }

  #written(text: string): string {
    return this.#context.inline.readRstInline(text);
  }

  /** A label that no text follows stays as a text of its own. */
  #endLead(): void {
    if ((this.#lead?.label ?? '') !== '') this.#addRstText('');
    this.#lead = null;
  }

  #addRstBlock(block: NewBlock): true {
    this.#endLead();
    this.#context.out.addMarkupBlock(block, this.#place);
    return true;
  }

  #addRstText(text: string): void {
    this.#context.out.addMarkupText(text, this.#place, this.#lead);
    this.#lead = null;
  }

  #readInner(lines: readonly string[], place: Place, lead: BlockLead | null = null): void {
    this.#endLead();
    if (place.depth < PLACES_MAX) new RstReader(this.#context, lines, place, lead).readRstBlocks();
    else for (const text of linesToParagraphs(lines)) this.#context.out.addMarkupText(this.#written(text), place, lead);
  }

  /** Indented lines from an offset on, without their common indent. */
  #takeIndented(lead: number): string[] {
    this.#at += lead;
    const start = this.#at;
    while (this.#at < this.#lines.length && /^(?: |$)/.test(this.#rstLine())) this.#at += 1;
    return dedentLines(trimLines(this.#lines.slice(start, this.#at)));
  }

  #readStructure(line: string): boolean {
    const next = this.#rstLine(1);
    if (isUnderline(line) && next !== '' && this.#rstLine(2) === line) {
      return this.#addRstHeading(`over ${line[0]}`, next.trim(), 3);
    }
    if (isUnderline(line) && line.length >= 4 && next === '') {
      this.#context.out.setRuleBefore();
      this.#at += 1;
      return true;
    }
    if (/^\+[-=+]+\+$/.test(line) || SIMPLE_RULE.test(line)) return this.#readRstTable();
    const isTitle = isUnderline(next) && (next.length >= line.length || next.length >= 4);
    if (isTitle && !line.startsWith('.. ')) return this.#addRstHeading(next[0] ?? '', line, 2);
    if (/^\.\.(?: |$)/.test(line)) return this.#readExplicit(line);
    if (/^__ \S/.test(line)) {
      this.#at += 1;
      return true;
    }
    if (line.startsWith('>>> ')) return this.#readDoctest();
    if (/^\|(?: |$)/.test(line)) return this.#readVerse();
    return this.#readRstItem(line) || this.#readFields(line) || this.#readOptions(line);
  }

  #addRstHeading(style: string, text: string, lines: number): true {
    const { styles, out } = this.#context;
    if (!styles.includes(style)) styles.push(style);
    out.addMarkupHeading(styles.indexOf(style) + 1, this.#written(text), this.#place);
    this.#lead = null;
    this.#at += lines;
    return true;
  }

  #readRstTable(): true {
    const start = this.#at;
    const isGrid = this.#rstLine().startsWith('+');
    this.#at += isGrid ? this.#linesToEmpty() : this.#linesOfSimpleTable();
    const lines = this.#lines.slice(start, this.#at);
    const rows = isGrid ? gridTableRows(lines) : simpleTableRows(lines);
    const spanned = isGrid && rows === null ? spannedGridTable(lines) : null;
    return this.#addRows(spanned?.rows ?? rows, lines, spanned?.spans);
  }

  #linesToEmpty(): number {
    let count = 1;
    while (this.#rstLine(count) !== '') count += 1;
    return count;
  }

  /** A simple table may have empty lines; it ends with a rule before one. */
  #linesOfSimpleTable(): number {
    const end = Math.min(this.#lines.length - this.#at, TABLE_LINES_MAX);
    for (let count = 1; count < end; count += 1) {
      if (SIMPLE_RULE.test(this.#rstLine(count)) && this.#rstLine(count + 1) === '') return count + 1;
    }
    return this.#linesToEmpty();
  }

  /** A table, or as code the lines of one whose text crosses its columns. */
  #addRows(rows: string[][] | null, lines: readonly string[], spans: CellSpan[] = []): true {
    if (rows === null || rows.length === 0) return this.#addRstBlock({ kind: 'code', text: lines.join('\n') });
    const cells = squareRows(rows).map((row) => row.map((cell) => this.#written(cell)));
    const block: NewBlock = { kind: 'table', rows: cells };
    if (spans.length > 0) block.spans = spans;
    return this.#addRstBlock(block);
  }

  #readDoctest(): true {
    const start = this.#at;
    while (this.#rstLine() !== '') this.#at += 1;
    const text = this.#lines.slice(start, this.#at).join('\n');
    return this.#addRstBlock({ kind: 'code', text, language: 'python' });
  }

  /** Lines that keep their ends. */
  #readVerse(): true {
    const lines: string[] = [];
    while (/^(?:\|(?: |$)| )/.test(this.#rstLine())) {
      const line = this.#rstLine();
      if (line.startsWith('|')) lines.push(line.slice(1).trim());
      else lines.push(`${lines.pop() ?? ''} ${line.trim()}`);
      this.#at += 1;
    }
    this.#addRstText(lines.map((line) => this.#written(line)).join('\v'));
    return true;
  }

  #readRstItem(line: string): boolean {
    const [head = '', mark = ''] = ITEM.exec(line) ?? [];
    if (mark === '') {
      this.#count = 0;
      return false;
    }
    // A sentence may begin with a letter or number and a period.
    const next = this.#rstLine(1);
    const isList = next === '' || next.startsWith(' ') || ITEM.test(next);
    if (!isList && !/^[-*+•]/.test(mark)) return false;
    const width = head.length;
    const first = line.slice(width);
    this.#at += 1;
    const more = this.#takeItemLines(width);
    this.#count = this.#nextCount(mark);
    const lead = { marker: itemMarker(mark, this.#count), label: this.#taskLabel(first) };
    const own = lead.label === '' ? first : first.slice(4);
    this.#readInner([own, ...more], itemPlace(this.#place), lead);
    return true;
  }

  /** The number of an item; another kind of marks begins another list. */
  #nextCount(mark: string): number {
    const kind = mark.replace(/[\dA-Za-z#]+/, '1');
    const isFirst = this.#count === 0 || kind !== this.#itemKind;
    this.#itemKind = kind;
    const stated = /^\(?(\d+)/.exec(mark)?.[1];
    if (!isFirst) return this.#count + 1;
    return stated === undefined ? 1 : Number(stated);
  }

  #taskLabel(text: string): string {
    const box = /^\[([ xX])\] \S/.exec(text)?.[1];
    return box === undefined ? '' : signedTaskBox(box !== ' ');
  }

  /** Lines of an item, which are indented as its text; less where a source is careless. */
  #takeItemLines(width: number): string[] {
    const start = this.#at;
    while (this.#at < this.#lines.length && /^(?: |$)/.test(this.#rstLine())) this.#at += 1;
    const lines = this.#lines.slice(start, this.#at);
    while (lines.at(-1) === '') lines.pop();
    return lines.map((line) => line.slice(Math.min(width, Math.max(0, line.search(/\S/)))));
  }

  /** Fields whose bodies are one paragraph are the lines of one block. */
  #readFields(line: string): boolean {
    if (!FIELD.test(line)) return false;
    const lines: string[] = [];
    const flush = () => {
      if (lines.length > 0) this.#addRstText(lines.join('\v'));
      lines.length = 0;
    };
    for (let found = FIELD.exec(this.#rstLine()); found !== null; found = FIELD.exec(this.#rstLine())) {
      const first = this.#rstLine().slice(found[0].length);
      this.#at += 1;
      const body = trimLines([first, ...this.#takeIndented(0)]);
      const label = `${this.#written(found[1] ?? '')}:`;
      if (body.some((one) => one === '' || ITEM.test(one) || one.startsWith('..')) && body.length > 1) {
        flush();
        this.#readInner(body, innerPlace(this.#place), { label: `${label} ` });
      } else lines.push(`${label} ${this.#written(body.map((one) => one.trim()).join(' '))}`.trim());
    }
    flush();
    return true;
  }

  /** Options of a command, each with its description. */
  #readOptions(line: string): boolean {
    if (!OPTION.test(line)) return false;
    for (let found = OPTION.exec(this.#rstLine()); found !== null; found = OPTION.exec(this.#rstLine())) {
      const first = this.#rstLine().slice(found[0].length);
      this.#at += 1;
      const body = trimLines([first, ...this.#takeIndented(0)]);
      const option = signedText('code', found[0].trim());
      this.#readInner(body, innerPlace(this.#place), { label: `${option} ` });
    }
    return true;
  }

  #readRstParagraph(): void {
    const start = this.#at;
    this.#at += 1;
    while (/^[^ ]/.test(this.#rstLine())) {
      if (this.#lines[this.#at - 1]?.endsWith('::') === true) break;
      this.#at += 1;
    }
    const isTerm = this.#at === start + 1 && this.#rstLine().startsWith(' ') && !this.#rstLine(-1).endsWith('::');
    if (isTerm) {
      this.#readDefinition(this.#rstLine(-1));
      return;
    }
    // Lines that a careless source indents go on.
    while (/^ /.test(this.#rstLine()) && this.#lines[this.#at - 1]?.endsWith('::') !== true) this.#at += 1;
    const text = this.#lines
      .slice(start, this.#at)
      .map((line) => line.trim())
      .join(' ');
    if (text.endsWith('::')) this.#readLiteral(text);
    else this.#addRstText(this.#written(text));
  }

  #readDefinition(line: string): void {
    const label = this.#lead?.label ?? '';
    if (this.#lead?.marker === undefined) {
      this.#addRstBlock({ kind: 'paragraph', isTerm: true, text: label + this.#written(line) });
    } else this.#addRstText(this.#written(line));
    this.#readInner(this.#takeIndented(0), innerPlace(this.#place));
  }

  /** A text that ends with `::` introduces a literal block. */
  #readLiteral(text: string): void {
    const shown = text === '::' ? '' : / ::$/.test(text) ? text.slice(0, -2).trimEnd() : text.slice(0, -1);
    if (shown !== '') this.#addRstText(this.#written(shown));
    while (this.#rstLine() === '' && this.#at < this.#lines.length) this.#at += 1;
    const quote = /^[!-/:-@[-`{-~]/.exec(this.#rstLine())?.[0];
    let lines: string[];
    if (quote === undefined || /^\.\. /.test(this.#rstLine())) lines = this.#takeIndented(0);
    else {
      const start = this.#at;
      while (this.#rstLine().startsWith(quote)) this.#at += 1;
      lines = this.#lines.slice(start, this.#at);
    }
    if (lines.length > 0) this.#addRstCode(lines.join('\n'), this.#context.language);
  }

  #addRstCode(text: string, language: string): true {
    const code: NewBlock = { kind: 'code', text };
    if (language !== '' && /^[\w+#.-]{1,40}$/.test(language)) code.language = language;
    return this.#addRstBlock(code);
  }

  /** What begins with two periods: a directive, a note, a definition of a name, a comment. */
  #readExplicit(line: string): true {
    const [, name, argument = ''] = /^\.\. +(?:\|[^|]+\| +)?([A-Za-z][\w:.+-]*?) ?::(?: +(.*))?$/.exec(line) ?? [];
    if (line.startsWith('.. |') || /^\.\. +_/.test(line)) {
      this.#takeIndented(1);
      return true;
    }
    if (name !== undefined) {
      const hasOptions = this.#rstLine(1) !== '';
      return this.#readDirective(name, argument, splitOptions(this.#takeIndented(1), hasOptions));
    }
    const [head = '', label] = /^\.\. +\[(\d+|#[\w.:-]*|\*|[A-Za-z][\w.:+-]*)\](?= |$)/.exec(line) ?? [];
    if (label !== undefined) {
      const lines = [line.slice(head.length).trim(), ...this.#takeIndented(1)];
      const marker = this.#context.names.noteMarker(label, 'definition') ?? label;
      const text = linesToParagraphs(lines).map((one) => this.#written(one));
      return this.#addRstBlock({ kind: 'note', marker, text: text.join('\v') });
    }
    // An empty comment ends before an empty line.
    if (line === '..' && this.#rstLine(1) === '') this.#at += 1;
    else this.#takeIndented(1);
    return true;
  }

  #readDirective(name: string, argument: string, { body, isApart, options }: DirectiveContent): true {
    const short = name.replace(/^rst:/, '').toLowerCase();
    if (CODE.test(short)) return this.#readCode(argument, body, options.get('caption'));
    if (short === 'math') return this.#readMath([argument, ...body]);
    // The text on the line of the name goes on directly below it.
    const following = isApart ? ['', ...body] : body;
    if (isAdmonition(short)) return this.#readAdmonition(short, argument, following);
    if (short === 'highlight' || short === 'code-block-default') this.#context.language = argument;
    if (/^(?:image|figure)$/.test(short)) return this.#readPicture(argument, body, options.get('alt'));
    if (OTHER_FILES.test(short) || (short === 'csv-table' && body.length === 0)) {
      this.#context.out.addMarkupWarning(say`Content of another file was not read: ${argument}.`);
      return true;
    }
    if (/^(?:list-table|csv-table|table)$/.test(short))
      return this.#readTableDirective(short, argument, body, options.get('header'));
    if (short === 'toctree') return this.#readContents(body);
    if (/^(?:title|contents|index|highlight|default-role|role|meta|currentmodule|sectnum)$/.test(short)) return true;
    return this.#readOtherDirective(short, argument, body, following);
  }

  #readOtherDirective(name: string, argument: string, body: readonly string[], following: readonly string[]): true {
    const version = VERSIONS[name];
    if (version !== undefined) {
      const [number = '', ...text] = argument.split(' ');
      const lead = { label: `${version} ${number}${text.length + body.length === 0 ? '.' : ': '}` };
      this.#readInner([text.join(' '), ...following], innerPlace(this.#place), lead);
    } else if (DESCRIPTION.test(name)) {
      this.#addRstBlock({ kind: 'paragraph', isTerm: true, text: signedText('code', argument) });
      this.#readInner(body, innerPlace(this.#place));
    } else if (/^(?:epigraph|highlights|pull-quote)$/.test(name)) {
      this.#readInner(trimLines([argument, ...following]), quotedPlace(this.#place));
    } else if (/^(?:topic|sidebar|rubric|centered|dropdown|tab-item|tab)$/.test(name) && argument !== '') {
      this.#addRstText(signedText('strong', this.#written(argument)));
      this.#readInner(body, innerPlace(this.#place));
    } else if (name === 'only' || name === 'ifconfig') this.#readInner(body, innerPlace(this.#place));
    else this.#readInner(trimLines([argument, '', ...body]), innerPlace(this.#place));
    return true;
  }

  #readCode(argument: string, body: readonly string[], caption: string | undefined): true {
    if (caption !== undefined && caption !== '') this.#addRstBlock({ kind: 'caption', text: this.#written(caption) });
    if (body.length > 0) this.#addRstCode(body.join('\n'), argument.trim().toLowerCase());
    return true;
  }

  #readMath(lines: readonly string[]): true {
    const parts: string[][] = [[]];
    for (const line of lines) {
      if (line.trim() === '') parts.push([]);
      else parts.at(-1)?.push(line);
    }
    for (const part of parts.filter((one) => one.length > 0)) {
      const latex = part.join('\n');
      this.#addRstText(signedLatex(alignedLatex(latex), true));
    }
    return true;
  }

  #readAdmonition(name: string, argument: string, body: readonly string[]): true {
    this.#endLead();
    const isTitled = name === 'admonition' || (name === 'todo' && body.length > 0 && argument !== '');
    const label = name === 'seealso' ? 'See also' : name.slice(0, 1).toUpperCase() + name.slice(1);
    const title = isTitled && argument !== '' ? this.#written(argument) : label;
    const place = this.#context.out.openAdmonition(name, title, this.#place);
    this.#readInner(isTitled ? body : trimLines([argument, ...body]), place);
    return true;
  }

  #readPicture(url: string, body: readonly string[], alt: string | undefined): true {
    this.#endLead();
    if (alt !== undefined) this.#context.out.addMarkupPicture(alt, url, this.#place);
    const [caption, ...legend] = linesToParagraphs(body);
    if (caption !== undefined) this.#addRstBlock({ kind: 'caption', text: this.#written(caption) });
    for (const text of legend) this.#addRstText(this.#written(text));
    return true;
  }

  #readTableDirective(name: string, title: string, body: readonly string[], header: string | undefined): true {
    if (title !== '') this.#addRstBlock({ kind: 'caption', text: this.#written(title) });
    if (name === 'table') {
      this.#readInner(body, innerPlace(this.#place));
      return true;
    }
    const rows =
      name === 'list-table' ? listTableRows(body) : csvTableRows(header === undefined ? body : [header, ...body]);
    if (rows !== null) return this.#addRows(rows, body);
    this.#readInner(body, innerPlace(this.#place));
    return true;
  }

  /** Other files of the project, as a list. */
  #readContents(body: readonly string[]): true {
    this.#endLead();
    for (const line of body.map((one) => one.trim()).filter((one) => one !== '')) {
      const [, title = line, path = line] = /^(.*\S)\s+<(.+)>$/.exec(line) ?? [];
      const { out } = this.#context;
      out.addMarkupText(out.signedLink(path, title) ?? line, itemPlace(this.#place), { marker: '•' });
    }
    return true;
  }
}

interface DirectiveContent {
  body: string[];
  /** Whether an empty line stands before the body. */
  isApart: boolean;
  options: ReadonlyMap<string, string>;
}

/** The options of a directive, whose values may go on in indented lines, and its body. */
function splitOptions(content: readonly string[], hasOptions: boolean): DirectiveContent {
  const options = new Map<string, string>();
  let at = 0;
  for (let last = ''; hasOptions && at < content.length; at += 1) {
    const line = content[at] ?? '';
    const [head = '', name] = /^:([\w-]+):(?: +|$)/.exec(line) ?? [];
    if (name !== undefined) last = name;
    else if (last === '' || !line.startsWith(' ')) break;
    options.set(last, `${options.get(last) ?? ''} ${line.slice(head.length).trim()}`.trim());
  }
  return { body: trimLines(content.slice(at)), isApart: !hasOptions || content[at] === '', options };
}

/** A formula whose lines the directive aligns, in the environment that this needs. */
function alignedLatex(latex: string): string {
  const outside = latex.replace(/\\begin\{(\w+\*?)\}[\s\S]*?\\end\{\1\}/g, '');
  const isAligned = /\\\\|(?<!\\)&/.test(outside);
  return isAligned ? `\\begin{aligned}\n${latex}\n\\end{aligned}` : displayedLatex(latex.trim());
}
