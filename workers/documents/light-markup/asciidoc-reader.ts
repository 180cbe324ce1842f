import { say } from '../../../src-server/platform/text/say.ts';
import type { NewBlock } from '../document-builder.ts';
import { signedLatex, signedText, withoutInline } from '../inline-marks.ts';
import { AsciidocInline, firstAttribute } from './asciidoc-inline.ts';
import { asciidocTable, columnStyles, separatedRows, statedColumns } from './asciidoc-tables.ts';
import {
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
} from './markup-builder.ts';

const ITEM = /^\s*(-|\*{1,5}|\.{1,5}|•|\d{1,4}\.|[A-Za-z]\.|[ivxIVX]{1,6}\)|<(?:\d{1,3}|\.)>)\s+(\S.*)$/;

const TERM = /^\s*((?:[^\s:/]|:(?!:)|\/(?!\/)|\s(?=\S)){1,300}?)(:{2,4}|;;)(?:\s+(\S.*))?$/;

const FENCE = /^(?:-{4,}|\.{4,}|_{4,}|={4,}|\*{4,}|\+{4,}|\/{4,}|--|`{3,}[^\s`]*|[|,:!]={3,})$/;

const ADMONITION = /^(NOTE|TIP|IMPORTANT|WARNING|CAUTION): +(\S.*)$/;

/** Authors, and the revision. */
const HEADER_LINES_MAX = 2;

const SETTING = /^:(!?[\w-]+!?):(?:\s+(.*))?$/;

const CONDITION = /^(ifdef|ifndef|ifeval|endif)::([^[]*)\[(.*)\]$/;

/** Below titles in the old form, by level. */
const UNDERLINES = '=-~^+';

/** What attribute lists and titles say about the block that follows. */
interface Stated {
  style: string;
  /** The whole list. */
  list: string;
  positional: string[];
}

const NOTHING_STATED: Stated = { style: '', list: '', positional: [] };

export function readAsciidoc(source: readonly string[], out: MarkupBuilder): void {
  const lines = source.map((line) => line.trimEnd());
  new AsciidocReader(new AsciidocInline(out, lines), out, lines, OUTERMOST).readAsciidocBlocks();
}

class AsciidocReader {
  readonly #inline: AsciidocInline;
  readonly #out: MarkupBuilder;
  readonly #lines: readonly string[];
  /** Where the reader is, without the items of the open list. */
  readonly #place: Place;
  #at = 0;
  #stated = NOTHING_STATED;
  /** Marks of the open list and the number of their last items, from the outermost. */
  #items: { mark: string; count: number }[] = [];

  constructor(inline: AsciidocInline, out: MarkupBuilder, lines: readonly string[], place: Place) {
    this.#inline = inline;
    this.#out = out;
    this.#lines = lines;
    this.#place = place;
  }

  readAsciidocBlocks(): void {
    while (this.#at < this.#lines.length) {
      this.#out.checkMarkup();
      const line = this.#adocLine();
      if (line.trim() === '') this.#at += 1;
      else if (line === '+' && this.#items.length > 0) this.#readAttached();
      else if (!this.#readAdocBlock(line, this.#place)) this.#readListOrText(line);
    }
  }

  #adocLine(offset = 0): string {
    return this.#lines[this.#at + offset] ?? '';
  }

  #writtenText(text: string): string {
    return this.#inline.readAsciidocInline(text);
  }

  #addPlaced(block: NewBlock, place: Place): true {
    this.#stated = NOTHING_STATED;
    if (place === this.#place) this.#items = [];
    this.#out.addMarkupBlock(block, place);
    this.#addPictures(place);
    return true;
  }

  /** Of the text before. */
  #addPictures(place: Place): void {
    for (const { alt, url } of this.#inline.pictures.splice(0)) this.#out.addMarkupPicture(alt, url, place);
  }

  /** The place of what is inside the open items. */
  #listPlace(): Place {
    let place = this.#place;
    for (let count = 0; count < this.#items.length; count += 1) place = itemPlace(place);
    return place;
  }

  /** A block that a lone `+` makes part of the item before. */
  #readAttached(): void {
    const items = this.#items;
    this.#at += 1;
    while (this.#readAdocMeta(this.#adocLine())) this.#out.checkMarkup();
    this.#items = items;
    const line = this.#adocLine();
    if (line.trim() === '') return;
    if (!this.#readAdocBlock(line, this.#listPlace())) {
      if (ITEM.test(line)) this.#readListOrText(line);
      else this.#readAdocParagraph(this.#listPlace());
    }
    this.#items = items;
  }

  #readListOrText(line: string): void {
    if (this.#readAdocItem(line) || this.#readTerm(line)) return;
    this.#readAdocParagraph(/^\s/.test(line) && this.#items.length > 0 ? this.#listPlace() : this.#place);
  }

  /** Settings, titles, attribute lists, comments and conditions. */
  #readAdocMeta(line: string): boolean {
    const [, name = '', value = ''] = SETTING.exec(line) ?? [];
    const [, condition, , content = ''] = CONDITION.exec(line) ?? [];
    if (name !== '') this.#setAttribute(name, value);
    else if (condition !== undefined) {
      if (content !== '' && condition !== 'ifeval') this.#out.addMarkupText(this.#writtenText(content), this.#place);
    } else if (/^\[\[[^\]]*\]\]$/.test(line) || /^\/\/(?!\/)/.test(line) || line === '<<<' || line === 'toc::[]') {
      // Anchors and comments.
    } else if (/^\[[^\]]*\](?<!\]\])$/.test(line)) this.#stated = statedBy(line.slice(1, -1), this.#stated);
    else if (/^\.[^\s.]/.test(line)) {
      const stated = this.#stated;
      this.#addPlaced({ kind: 'caption', text: this.#writtenText(line.slice(1)) }, this.#place);
      this.#stated = stated;
    } else return false;
    this.#at += 1;
    return true;
  }

  #setAttribute(name: string, value: string): void {
    let whole = value;
    while (/ [+\\]$/.test(whole) && this.#adocLine(1) !== '') {
      whole = `${whole.slice(0, -2)} ${this.#adocLine(1).trim()}`;
      this.#at += 1;
    }
    const key = name.replaceAll('!', '').toLowerCase();
    if (name.includes('!')) this.#inline.attributes.delete(key);
    else this.#inline.attributes.set(key, whole.trim());
    if (key === 'author') this.#out.author ??= whole.trim();
  }

  #readAdocBlock(line: string, place: Place): boolean {
    if (this.#readAdocMeta(line)) return true;
    const [, marks = '', title = ''] = /^(={1,6}|#{1,6})\s+(\S.*)$/.exec(line) ?? [];
    if (marks !== '') return this.#addAdocHeading(marks.length, title, 1);
    const underline = this.#adocLine(1);
    const isUnderlined = /^([=~^+-])\1+$/.test(underline) && /^\S.*\p{L}/u.test(line) && !ITEM.test(line);
    if (isUnderlined && Math.abs(underline.length - line.length) <= 1) {
      return this.#addAdocHeading(UNDERLINES.indexOf(underline[0] ?? '') + 1, line, 2);
    }
    if (FENCE.test(line)) return this.#readFenced(line, place);
    if (/^(?:'{3,}|-{3}|\*{3})$/.test(line)) {
      this.#out.setRuleBefore();
      this.#at += 1;
      return true;
    }
    return this.#readBlockMacro(line, place) || this.#readAdmonitionText(line, place);
  }

  #addAdocHeading(level: number, title: string, lines: number): true {
    this.#items = [];
    this.#stated = NOTHING_STATED;
    const isFirst = this.#out.title === null && level === 1;
    // A title in the old form stands for the old form of marks.
    if (isFirst && lines === 2) this.#inline.attributes.set('compat-mode', '');
    this.#out.addMarkupHeading(level, this.#writtenText(title), this.#place);
    this.#at += lines;
    if (isFirst) this.#readHeader();
    return true;
  }

  /** Authors, revision and settings below the title of the document. */
  #readHeader(): void {
    const lines: string[] = [];
    for (let line = this.#adocLine(); line !== ''; line = this.#adocLine()) {
      if (!this.#readAdocMeta(line)) {
        if (lines.length === HEADER_LINES_MAX) break;
        lines.push(this.#writtenText(line));
        this.#at += 1;
      }
    }
    if (lines.length > 0) this.#addPlaced({ kind: 'paragraph', text: lines.join('\v') }, this.#place);
  }

  #readBlockMacro(line: string, place: Place): boolean {
    const [, name, target = '', list = ''] = /^(include|image|video|audio)::([^[]*)\[(.*)\]$/.exec(line) ?? [];
    if (name === undefined) return false;
    this.#at += 1;
    if (name === 'include') {
      const include = this.#inline.resolveAttributes(target);
      this.#out.addMarkupWarning(say`Content of another file was not read: ${include}.`);
    } else this.#out.addMarkupPicture(firstAttribute(list), this.#inline.resolveAttributes(target), place);
    this.#stated = NOTHING_STATED;
    return true;
  }

  #readAdmonitionText(line: string, place: Place): boolean {
    const [, label, text = ''] = ADMONITION.exec(line) ?? [];
    if (label === undefined) return false;
    const inner = this.#out.openAdmonition(label, label, place);
    this.#addPlaced({ kind: 'paragraph', text: this.#takeAdocText(text) }, inner);
    return true;
  }

  /** A text and its further lines. */
  #takeAdocText(first: string): string {
    const lines = [first];
    this.#at += 1;
    while (this.#at < this.#lines.length && !this.#endsText(this.#adocLine())) {
      if (!/^\/\/(?!\/)/.test(this.#adocLine())) lines.push(this.#adocLine().trim());
      this.#at += 1;
    }
    return this.#writtenText(joinAdocLines(lines));
  }

  #endsText(line: string): boolean {
    if (line.trim() === '' || line === '+') return true;
    if (FENCE.test(line) || /^\[[^\]]*\]$/.test(line) || CONDITION.test(line)) return true;
    return this.#items.length > 0 && (ITEM.test(line) || TERM.test(line));
  }

  #readFenced(fence: string, place: Place): true {
    const stated = this.#stated;
    this.#stated = NOTHING_STATED;
    const end = fence.startsWith('`') ? (/^`+/.exec(fence)?.[0] ?? fence) : fence;
    const start = this.#at + 1;
    this.#at = start;
    while (this.#at < this.#lines.length && this.#adocLine() !== end) this.#at += 1;
    const lines = this.#lines.slice(start, this.#at);
    this.#at += 1;
    const sign = fence[0] ?? '';
    if (sign === '/') return true;
    if (/^[|,:!]=/.test(fence)) return this.#readAdocTable(lines, stated, sign, place);
    if (/^(?:stem|latexmath|asciimath)$/.test(stated.style) && /[+.-]/.test(sign)) {
      return this.#addPlaced({ kind: 'paragraph', text: signedLatex(lines.join('\n'), true) }, place);
    }
    if (/[-.`+]/.test(sign) && fence !== '--') {
      return this.#addAdocCode(
        lines,
        stated,
        fence.startsWith('`') ? fence.replace(/`/g, '') : '',
        place,
        sign === '+',
      );
    }
    if (/^(?:source|listing)$/.test(stated.style) && fence === '--') return this.#addAdocCode(lines, stated, '', place);
    if (stated.style === 'verse') return this.#addVerse(lines, stated, place);
    const isQuote = sign === '_' || stated.style === 'quote';
    const isCallout = isAdmonition(stated.style);
    if (isCallout) this.#readWithin(lines, this.#out.openAdmonition(stated.style, stated.style.toUpperCase(), place));
    else this.#readWithin(lines, isQuote ? quotedPlace(place) : innerPlace(place));
    if (isQuote) this.#addAttribution(stated, place);
    return true;
  }

  #readWithin(lines: readonly string[], place: Place): void {
    if (place.depth < PLACES_MAX) new AsciidocReader(this.#inline, this.#out, lines, place).readAsciidocBlocks();
    else for (const text of linesToParagraphs(lines)) this.#out.addMarkupText(this.#writtenText(text), place);
  }

  /** Who is quoted, and where. */
  #addAttribution({ positional }: Stated, place: Place): void {
    const by = positional.filter((one) => one !== '').join(', ');
    if (by !== '') this.#addPlaced({ kind: 'paragraph', text: `— ${this.#writtenText(by)}` }, quotedPlace(place));
  }

  #addVerse(lines: readonly string[], stated: Stated, place: Place): true {
    const text = lines.map((line) => this.#writtenText(line)).join('\v');
    this.#addPlaced({ kind: 'paragraph', text }, quotedPlace(place));
    this.#addAttribution(stated, place);
    return true;
  }

  #addAdocCode(lines: readonly string[], stated: Stated, own: string, place: Place, isPassed = false): true {
    const isSource = stated.style === 'source' || stated.list.startsWith(',');
    const stylesLanguage = isSource ? (stated.positional[0] ?? '') : '';
    const named = /(?:^|,)\s*language=["']?([\w+#.-]+)/.exec(stated.list)?.[1];
    const general = isSource ? (this.#inline.attributes.get('source-language') ?? '') : '';
    const language = [own, named ?? '', stylesLanguage, general].find((one) => /^[\w+#.-]{1,40}$/.test(one));
    const code: NewBlock = { kind: 'code', text: lines.join('\n') };
    if (language !== undefined) code.language = language.toLowerCase();
    else if (isPassed && lines[0]?.startsWith('<') === true) code.language = 'html';
    return this.#addPlaced(code, place);
  }

  #readAdocTable(lines: readonly string[], { list }: Stated, sign: string, place: Place): true {
    const separated = separatedRows(lines, list, sign);
    const table =
      separated === null
        ? asciidocTable(lines, statedColumns(list), sign)
        : { rows: separated.map((row) => row.map((text) => ({ text, style: '' }))), spans: [] };
    const styles = columnStyles(list);
    const rows = table.rows.map((row) =>
      row.map(({ text, style }, at) => this.#writtenCell(text, style === '' ? (styles[at] ?? '') : style)),
    );
    if (rows.length === 0) return true;
    const block: NewBlock = { kind: 'table', rows };
    if (table.spans.length > 0) block.spans = table.spans;
    return this.#addPlaced(block, place);
  }

  #writtenCell(text: string, style: string): string {
    if (style === 'l' || style === 'v') return text.replaceAll('\n', '\v');
    const paragraphs = text
      .replaceAll('\\|', '|')
      .split(/\n\s*\n/)
      .map((one) => joinCellText(one));
    const written = paragraphs.map((one) => this.#writtenText(one)).join('\v');
    if (style === 's') return signedText('strong', written);
    if (style === 'e') return signedText('emphasis', written);
    return style === 'm' ? signedText('code', withoutInline(written)) : written;
  }

  #readAdocItem(line: string): boolean {
    const [, mark = '', text = ''] = ITEM.exec(line) ?? [];
    if (mark === '') return false;
    this.#stated = NOTHING_STATED;
    const kind = mark.replace(/\d+|[A-Za-z]+|(?<=<)\.(?=>)/, '1');
    const known = this.#items.findIndex((one) => one.mark === kind);
    if (known === -1) this.#items.push({ mark: kind, count: 0 });
    else this.#items.length = known + 1;
    const item = this.#items.at(-1);
    const count = (item?.count ?? 0) + 1;
    if (item !== undefined) item.count = count;
    const [, box, own = text] = /^\[([ xX*])\]\s+(\S.*)$/.exec(text) ?? [];
    const label = box === undefined ? '' : signedTaskBox(box !== ' ');
    const marker = mark.startsWith('<') ? `${mark === '<.>' ? count : mark.slice(1, -1)}.` : itemMarker(mark, count);
    const written = this.#takeAdocText(own);
    this.#out.addMarkupText(written, this.#listPlace(), { marker, label });
    this.#addPictures(this.#listPlace());
    return true;
  }

  /** A term and its definition, which may be on the lines below. */
  #readTerm(line: string): boolean {
    const [, term = '', , text] = TERM.exec(line) ?? [];
    if (term === '' || /^(?:https?|ftp|include|image)$/.test(term)) return false;
    this.#items = [];
    this.#addPlaced({ kind: 'paragraph', isTerm: true, text: this.#writtenText(term) }, this.#place);
    this.#at += 1;
    if (text !== undefined) {
      this.#at -= 1;
      this.#addPlaced({ kind: 'paragraph', text: this.#takeTermText(text) }, this.#place);
    } else if (/^\s+\S/.test(this.#adocLine()) && !ITEM.test(this.#adocLine())) this.#readAdocParagraph(this.#place);
    return true;
  }

  #takeTermText(text: string): string {
    const lines = [text];
    this.#at += 1;
    while (this.#at < this.#lines.length && !this.#endsText(this.#adocLine()) && !this.#beginsItem()) {
      lines.push(this.#adocLine().trim());
      this.#at += 1;
    }
    return this.#writtenText(joinAdocLines(lines));
  }

  #beginsItem(): boolean {
    return ITEM.test(this.#adocLine()) || TERM.test(this.#adocLine());
  }

  #readAdocParagraph(place: Place): void {
    const stated = this.#stated;
    const first = this.#adocLine();
    if (place === this.#place) this.#items = [];
    const isLiteral = /^\s/.test(first) && this.#items.length === 0 && !this.#isDefined();
    const start = this.#at;
    if (isLiteral || /^(?:source|listing|literal)$/.test(stated.style)) {
      while (this.#adocLine().trim() !== '' && !FENCE.test(this.#adocLine())) this.#at += 1;
      this.#addAdocCode(dedentLines(this.#lines.slice(start, Math.max(this.#at, start + 1))), stated, '', place);
      this.#at = Math.max(this.#at, start + 1);
    } else if (/^(?:stem|latexmath|asciimath)$/.test(stated.style)) {
      while (this.#adocLine().trim() !== '') this.#at += 1;
      const text = signedLatex(this.#lines.slice(start, this.#at).join('\n'), true);
      this.#addPlaced({ kind: 'paragraph', text }, place);
    } else if (stated.style === 'verse') {
      while (this.#adocLine().trim() !== '') this.#at += 1;
      this.#addVerse(this.#lines.slice(start, this.#at), stated, place);
    } else if (stated.style === 'quote') {
      this.#addPlaced({ kind: 'paragraph', text: this.#takeAdocText(first.trim()) }, quotedPlace(place));
      this.#addAttribution(stated, place);
    } else if (isAdmonition(stated.style)) {
      const inner = this.#out.openAdmonition(stated.style, stated.style.toUpperCase(), place);
      this.#addPlaced({ kind: 'paragraph', text: this.#takeAdocText(first.trim()) }, inner);
    } else this.#addPlaced({ kind: 'paragraph', text: this.#takeAdocText(first.trim()) }, place);
  }

  /** Whether the line before is a term, whose definition is indented. */
  #isDefined(): boolean {
    return TERM.test(this.#adocLine(-1));
  }
}

function statedBy(list: string, before: Stated): Stated {
  const parts = [...list.matchAll(/\s*("[^"]*"|[^,]*)(?:,|$)/g)].map(([, part = '']) =>
    part.trim().replace(/^"|"$/g, ''),
  );
  const [first = '', ...more] = parts;
  const style = first.replace(/[#.%].*$/, '').toLowerCase();
  if (style === '' && !list.startsWith(',')) return { ...before, list: `${before.list},${list}` };
  return { style, list, positional: more.filter((part) => !part.includes('=')) };
}

/** Lines that end with ` +` keep their end. */
function joinAdocLines(lines: readonly string[]): string {
  return lines
    .map((line, at) => (/ \+$/.test(line) ? `${line.slice(0, -2)}\v` : at === lines.length - 1 ? line : `${line} `))
    .join('');
}

function joinCellText(text: string): string {
  return text
    .replace(/\s*\n\s*(?=[-*.]+\s)/g, '\v')
    .replace(/\s*\n\s*/g, ' ')
    .trim();
}
