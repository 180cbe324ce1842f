import { displayedLatex } from '../displayed-latex.ts';
import type { NewBlock } from '../document-builder.ts';
import { signedLatex, signedText } from '../inline-marks.ts';
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
import { OrgInline } from './org-inline.ts';

const ITEM = /^([-+]|\d{1,4}[.)]|[A-Za-z][.)])(?:\s+|$)/;

const STARRED_ITEM = /^\s+(\*)\s+/;

const KEYWORD = /^\s*#\+([\w-]+)(?:\[[^\]]*\])?:(?:\s+(.*))?$/;

const BEGIN = /^\s*#\+begin_(\S+)(?:\s+(.*))?$/i;

const NOTE = /^\[fn:([\w-]+)\](?:\s+|$)/;

const ENVIRONMENT = /^\s*\\begin\{([A-Za-z]+\*?)\}/;

const COMMENT = /^\s*#(?:\s|$)/;

export function readOrg(source: readonly string[], out: MarkupBuilder): void {
  const lines = source.map((line) => line.replaceAll('\t', '        ').trimEnd());
  const abbreviations = new Map<string, string>();
  const notes = new Set<string>();
  for (const line of lines) {
    const [, name, address] = /^#\+LINK:\s+(\S+)\s+(\S+)/i.exec(line) ?? [];
    if (name !== undefined && address !== undefined) abbreviations.set(name, address);
    const note = NOTE.exec(line)?.[1];
    if (note !== undefined) notes.add(note);
  }
  const inline = new OrgInline(out, abbreviations, notes);
  new OrgReader(inline, out, lines, OUTERMOST).readOrgBlocks();
}

class OrgReader {
  readonly #inline: OrgInline;
  readonly #out: MarkupBuilder;
  readonly #lines: readonly string[];
  readonly #place: Place;
  #lead: BlockLead | null;
  #at = 0;
  #count = 0;
  #itemKind = '';
  /** Up to this line, no drawer ends. */
  #undrawn = 0;
  /** Lines up to which formulas with an end do not have it. */
  readonly #unclosed = new Map<string, number>();
  /** Names of blocks that do not end. */
  readonly #open = new Set<string>();

  constructor(
    inline: OrgInline,
    out: MarkupBuilder,
    lines: readonly string[],
    place: Place,
    lead: BlockLead | null = null,
  ) {
    this.#inline = inline;
    this.#out = out;
    this.#lines = lines;
    this.#place = place;
    this.#lead = lead;
  }

  readOrgBlocks(): void {
    while (this.#at < this.#lines.length) {
      this.#out.checkMarkup();
      const line = this.#orgLine();
      if (line === '') this.#at += 1;
      else if (!this.#readOrgBlock(line)) this.#readOrgParagraph();
    }
    if (this.#lead !== null) this.#addOrgText('');
  }

  #orgLine(offset = 0): string {
    return this.#lines[this.#at + offset] ?? '';
  }

  #writtenLine(text: string): string {
    return this.#inline.readOrgInline(text);
  }

  /** A label that no text follows stays as a text of its own. */
  #endLead(): void {
    if ((this.#lead?.label ?? '') !== '') this.#addOrgText('');
    this.#lead = null;
  }

  #addOrgBlock(block: NewBlock): true {
    this.#endLead();
    this.#out.addMarkupBlock(block, this.#place);
    return true;
  }

  #addOrgText(text: string): void {
    this.#out.addMarkupText(text, this.#place, this.#lead);
    this.#lead = null;
  }

  #readNested(lines: readonly string[], place: Place, lead: BlockLead | null = null): true {
    this.#endLead();
    if (place.depth < PLACES_MAX) new OrgReader(this.#inline, this.#out, lines, place, lead).readOrgBlocks();
    else for (const text of linesToParagraphs(lines)) this.#out.addMarkupText(this.#writtenLine(text), place, lead);
    return true;
  }

  #passOrgLine(): true {
    this.#at += 1;
    return true;
  }

  /** What begins a block of its own, also directly below a paragraph. */
  #readOrgBlock(line: string): boolean {
    const [, stars = '', title = ''] = this.#place.depth === 0 ? (/^(\*+)\s+(\S.*)$/.exec(line) ?? []) : [];
    if (stars !== '') return this.#addOrgHeading(stars.length, title);
    const [, begun, argument = ''] = BEGIN.exec(line) ?? [];
    if (begun !== undefined) return this.#readOrgFence(begun.toLowerCase(), argument);
    const [, keyword, value = ''] = KEYWORD.exec(line) ?? [];
    if (keyword !== undefined) return this.#readKeyword(keyword.toLowerCase(), value);
    if (COMMENT.test(line) || /^\s*#\+\w/.test(line)) return this.#passOrgLine();
    if (/^\s*:[\w-]+:$/.test(line)) return this.#readDrawer(line);
    if (/^\s*\|/.test(line)) return this.#readOrgTable();
    if (/^\s*:(?: |$)/.test(line)) return this.#readFixedWidth();
    if (/^-{5,}$/.test(line)) {
      this.#out.setRuleBefore();
      return this.#passOrgLine();
    }
    if (NOTE.test(line)) return this.#readOrgNote(line);
    const environment = ENVIRONMENT.exec(line)?.[1];
    if (environment !== undefined && this.#readEnvironment(environment)) return true;
    if (/^\s*(?:\\\[|\$\$)/.test(line) && this.#readDisplayedFormula(line)) return true;
    return this.#readOrgItem(line);
  }

  #addOrgHeading(level: number, text: string): true {
    this.#out.addMarkupHeading(level, this.#writtenLine(text), this.#place);
    this.#count = 0;
    return this.#passOrgLine();
  }

  #readKeyword(keyword: string, value: string): true {
    if (keyword === 'title' && value !== '') {
      this.#out.addMarkupHeading(1, this.#writtenLine(value), this.#place);
    } else if (keyword === 'caption') this.#addOrgBlock({ kind: 'caption', text: this.#writtenLine(value) });
    else if (keyword === 'author') this.#out.author ??= value;
    return this.#passOrgLine();
  }

  /** Lines up to the end of the block that the current line begins; null without an end. */
  #takeOrgFence(name: string): string[] | null {
    const end = `#+end_${name}`;
    for (let at = this.#at + 1; at < this.#lines.length; at += 1) {
      if ((this.#lines[at] ?? '').trim().toLowerCase() !== end) continue;
      const lines = this.#lines.slice(this.#at + 1, at);
      this.#at = at + 1;
      return lines;
    }
    return null;
  }

  #readOrgFence(name: string, argument: string): true {
    if (this.#open.has(name) || this.#open.size > UNENDED_MAX) return this.#passOrgLine();
    const lines = this.#takeOrgFence(name);
    if (lines === null) {
      this.#open.add(name);
      return this.#passOrgLine();
    }
    if (name === 'comment') return true;
    if (/^(?:src|example|export)$/.test(name)) {
      const code: NewBlock = { kind: 'code', text: dedentLines(lines).map(withoutComma).join('\n') };
      const language = name === 'example' ? '' : (argument.split(/\s/)[0] ?? '');
      if (/^[A-Za-z][\w+#.-]{0,39}$/.test(language)) code.language = language.toLowerCase();
      return this.#addOrgBlock(code);
    }
    const inner = dedentLines(lines);
    if (name === 'verse') {
      const text = inner.map((line) => this.#writtenLine(line)).join('\v');
      this.#endLead();
      this.#out.addMarkupBlock({ kind: 'paragraph', text }, quotedPlace(this.#place));
      return true;
    }
    if (name === 'quote') return this.#readNested(inner, quotedPlace(this.#place));
    if (!isAdmonition(name)) return this.#readNested(inner, innerPlace(this.#place));
    this.#endLead();
    return this.#readNested(inner, this.#out.openAdmonition(name, name.toUpperCase(), this.#place));
  }

  /** Properties and logs are for programs; the lines of other drawers are text. */
  #readDrawer(line: string): true {
    const isData = /^\s*:(?:PROPERTIES|LOGBOOK):$/i.test(line);
    this.#at += 1;
    if (!isData || this.#at < this.#undrawn) return true;
    let end = this.#at;
    while (end < this.#lines.length && !/^(?:\s*:END:$|\*+\s)/i.test(this.#lines[end] ?? '')) end += 1;
    if (/^\s*:END:$/i.test(this.#lines[end] ?? '')) this.#at = end + 1;
    else this.#undrawn = end;
    return true;
  }

  #readOrgTable(): true {
    const rows: string[][] = [];
    while (/^\s*\|/.test(this.#orgLine())) {
      const line = this.#orgLine().trim();
      if (!/^\|[-+|]*$/.test(line)) {
        const cells = line.replace(/^\||\|$/g, '').split('|');
        rows.push(cells.map((cell) => this.#writtenLine(cell.trim())));
      }
      this.#at += 1;
    }
    return rows.length === 0 ? true : this.#addOrgBlock({ kind: 'table', rows: squareRows(rows) });
  }

  #readFixedWidth(): true {
    const lines: string[] = [];
    while (/^\s*:(?: |$)/.test(this.#orgLine())) {
      lines.push(this.#orgLine().replace(/^\s*: ?/, ''));
      this.#at += 1;
    }
    return this.#addOrgBlock({ kind: 'code', text: lines.join('\n') });
  }

  #readOrgNote(line: string): true {
    const [head = '', marker = ''] = NOTE.exec(line) ?? [];
    const lines = [line.slice(head.length)];
    this.#at += 1;
    // Two empty lines, a heading or another note end it.
    while (this.#at < this.#lines.length && !/^(?:\*+\s|\[fn:)/.test(this.#orgLine())) {
      if (this.#orgLine() === '' && this.#orgLine(1) === '') break;
      if (!COMMENT.test(this.#orgLine())) lines.push(this.#orgLine());
      this.#at += 1;
    }
    const text = linesToParagraphs(lines).map((one) => this.#writtenLine(one));
    return this.#addOrgBlock({ kind: 'note', marker, text: text.join('\v') });
  }

  /** Lines with one formula, up to its end, behind which there is no text; null without one before an empty line. */
  #takeFormulaLines(end: string): string[] | null {
    if (this.#at < (this.#unclosed.get(end) ?? 0)) return null;
    const lines: string[] = [];
    for (let at = this.#at; at < this.#lines.length; at += 1) {
      const line = (this.#lines[at] ?? '').trim();
      const found = line.indexOf(end, at === this.#at ? 2 : 0);
      if (line !== '' && found === -1) lines.push(line);
      else if (line === '' || found + end.length < line.length) break;
      else {
        this.#at = at + 1;
        return [...lines, line];
      }
    }
    this.#unclosed.set(end, this.#at + lines.length);
    return null;
  }

  #readEnvironment(name: string): boolean {
    const lines = this.#takeFormulaLines(`\\end{${name}}`);
    if (lines !== null) this.#addOrgText(signedLatex(displayedLatex(lines.join('\n')), true));
    return lines !== null;
  }

  /** A formula that has its lines for itself. */
  #readDisplayedFormula(line: string): boolean {
    const lines = this.#takeFormulaLines(line.trim().startsWith('$$') ? '$$' : '\\]');
    if (lines !== null) this.#addOrgText(signedLatex(lines.join('\n').slice(2, -2), true));
    return lines !== null;
  }

  #readOrgItem(line: string): boolean {
    const indent = line.search(/\S/);
    const own = line.slice(indent);
    const [head, mark = ''] = ITEM.exec(own) ?? STARRED_ITEM.exec(line) ?? [];
    if (head === undefined) {
      this.#count = 0;
      return false;
    }
    const width = head.trimStart().length;
    const first = own.slice(width);
    this.#at += 1;
    const start = this.#at;
    while (this.#at < this.#lines.length) {
      const next = this.#orgLine();
      if (next !== '' && next.search(/\S/) <= indent) break;
      if (next === '' && this.#orgLine(1) === '') break;
      this.#at += 1;
    }
    const more = dedentLines(this.#lines.slice(start, this.#at));
    const [counter = '', stated] = /^\[@(\d+)\]\s*/.exec(first) ?? [];
    const kind = mark.replace(/[\dA-Za-z]+/, '1');
    if (kind !== this.#itemKind) this.#count = 0;
    this.#itemKind = kind;
    this.#count = stated === undefined ? this.#count + 1 : Number(stated);
    const [box = '', state] = /^\[([ xX-])\]\s+(?=\S)/.exec(first.slice(counter.length)) ?? [];
    const isTask = state !== undefined && state !== '-';
    const label = isTask ? signedTaskBox(state !== ' ') : '';
    const text = first.slice(counter.length + (isTask ? box.length : 0));
    const [, term, definition = ''] = /^(.{1,300}?)\s+::(?:\s+(.*)|$)/.exec(text) ?? [];
    const place = itemPlace(this.#place);
    const lead = { marker: /[A-Za-z]/.test(mark) ? mark : itemMarker(mark === '*' ? '-' : mark, this.#count), label };
    if (term === undefined) return this.#readNested([text, ...more], place, lead);
    lead.label += `${signedText('strong', this.#writtenLine(term))}: `;
    return this.#readNested(trimLines([definition, ...more]), place, lead);
  }

  #readOrgParagraph(): void {
    const lines = [this.#orgLine().trim()];
    this.#at += 1;
    while (this.#at < this.#lines.length && !this.#endsOrgText(this.#orgLine())) {
      lines.push(this.#orgLine().trim());
      this.#at += 1;
    }
    this.#addOrgText(
      this.#writtenLine(
        lines
          .map((line) => (line.endsWith('\\\\') ? `${line}\n` : `${line} `))
          .join('')
          .trim(),
      ),
    );
  }

  #endsOrgText(line: string): boolean {
    if (line === '' || COMMENT.test(line) || NOTE.test(line)) return true;
    if (this.#place.depth === 0 && /^\*+\s/.test(line)) return true;
    return /^\s*(?:[-+]\s|\d{1,4}[.)]\s|\||#\+|:[\w-]+:$|: |\\begin\{|\\\[\s*$)/.test(line) || STARRED_ITEM.test(line);
  }
}

/** Blocks without an end, each of which is searched for. */
const UNENDED_MAX = 20;

/** Org writes a comma before what would begin a heading or setting in a block. */
function withoutComma(line: string): string {
  return line.replace(/^(\s*),(?=\*|#\+|,)/, '$1');
}
