import { omitUndefined } from '../../../src-server/platform/omit-undefined.ts';
import type { LeftOutReason } from '../../../src-server/platform/source-account.ts';
import type { InlineMark } from '../blocks.ts';
import type { DocumentBuilder, NewBlock } from '../document-builder.ts';
import { BULLET, formatNumber } from '../list-markers.ts';
import { MathmlWriter } from '../math.ts';
import { raisedText } from '../word-processing.ts';
import { type AddressOf, InlineMarks } from './inline.ts';
import { HtmlTables, type MarkedText, movedMark } from './tables.ts';
import * as tags from './tags.ts';

/** Metadata of a page. */
export interface HtmlFacts {
  title: string | null;
  author: string | null;
  language: string | null;
}

const WHITE_SPACE = /[\n\r\v\f\t ]+/g;

/** White space other than a space. */
const BREAKS = /[\t-\r]/;

/** Doxygen shows code as nested `div`s, one per line, with line numbers and tooltips between them. */
const FRAGMENT = /(?:^|\s)fragment(?:\s|$)/;

const FRAGMENT_LINE = /(?:^|\s)line(?:\s|$)/;

const BESIDE_CODE = /(?:^|\s)(?:lineno|linenos|ttc|ln|lnt|line-?numbers?|linenumber|hljs-ln-n)(?:\s|$)/;

/** A cell of line numbers beside one of code: Pygments, Rouge, Hexo. */
const NUMBERS_CELL = /(?:^|\s)(?:linenos|rouge-gutter|gutter|line-?numbers?)(?:\s|$)/;

/** Chroma gives both cells the same class. */
const NUMBERS_TABLE = /(?:^|\s)lntable(?:\s|$)/;

/** Shiki encloses each line of code, some sites without line ends between. */
const CODE_LINE = /(?:^|\s)line(?:\s|$)/;

/** Beside code, outside its `pre`: VitePress's name of the language and its line numbers, Microsoft Learn's bar. */
const AROUND_CODE = /^(?:lang|line-numbers-wrapper|codeHeader)$/;

const COPY_TAGS = new Set(['copy-code', 'clipboard-copy']);

const COPY_CLASS = /(?:^|[\s_-])(?:copy|clipboard|copybtn)(?:$|[\s_-])/i;

/** Links from a footnote back to its mark. */
const BACK_LINK = /(?:^|\s)(?:footnote-back(?:ref|link)?|data-footnote-backref|fn-backref|reversefootnote)(?:\s|$)/;

/** KaTeX's class for the visual copy after a formula. */
const DRAWN_FORMULA = 'katex-html';

/** Tags whose class may state the language of the code inside. */
const CODE_FRAMES = new Set(['pre', 'code', 'div', 'figure']);

const NO_MARKS: InlineMark[] = [];

type TextBlock = Extract<NewBlock, { marks?: InlineMark[] }>;

/** Receives text that is left out, in pieces. */
export type LeaveOut = (reason: LeftOutReason, text: string) => void;

interface List {
  /** Null for bullets, else the number of the next item. */
  next: number | null;
  form: string;
}

/** Turns parser events into blocks. Keeps a stack of open tags, never a tree. */
export class HtmlWalker {
  readonly #builder: DocumentBuilder;
  readonly #facts: HtmlFacts = { title: null, author: null, language: null };
  /** Open tags that change the meaning of text. */
  readonly #context: string[] = [];
  readonly #lists: List[] = [];
  readonly #tables: HtmlTables;
  #text = '';
  /** Whether the text so far ends a line; reading its end would flatten the string each time. */
  #endsLine = false;
  /** Marker of a list item without text so far. */
  #marker: string | null = null;
  /** Whether the box of this item is ticked; null without one. */
  #isDone: boolean | null = null;
  #codeDepth = 0;
  /** Open tags that make text superscript. */
  #raised = 0;
  /** Position in the context of a possible code fragment, and whether it is one. */
  #fragmentAt: number | null = null;
  #isFragment = false;
  #titleText: string | null = null;
  /** Depth below the skipped element; 0 outside one. */
  #skippedDepth = 0;
  /** Why the skipped element is left out; null if it has no text of the page. */
  #skippedReason: LeftOutReason | null = null;
  /** The open formula. */
  #math: MathmlWriter | null = null;
  /** Offset at which the last formula ended: some pages repeat it as visual markup. */
  #mathEnd = 0;
  /** Links, code, emphasis and pictures; null if only text is wanted. */
  readonly #inline: InlineMarks | null;
  readonly #leaveOut: LeaveOut;

  constructor(builder: DocumentBuilder, leaveOut: LeaveOut, addressOf: AddressOf | null = null) {
    this.#builder = builder;
    this.#leaveOut = leaveOut;
    this.#tables = new HtmlTables((block) => builder.addDocumentBlock(this.#withImages(block)));
    this.#inline = addressOf === null ? null : new InlineMarks(addressOf);
  }

  openHtmlTag(tag: string, attributes: Readonly<Record<string, string>>): void {
    const kinds = tags.kindsOf(tag);
    const isVoid = (kinds & tags.VOID) !== 0;
    if (this.#skippedDepth > 0) {
      if (!isVoid) this.#skippedDepth += 1;
      return;
    }
    if (this.#openMath(tag, kinds, attributes)) return;
    this.#readHeadFacts(tag, attributes);
    if (!isVoid && (kinds & tags.SKIPPED) !== 0) {
      this.#skipHtmlElement(tags.skippedReason(tag));
      return;
    }
    if (!isVoid && tags.isHiddenElement(attributes) && tag !== 'body' && tag !== 'html') {
      this.#skipHtmlElement('hidden');
      return;
    }
    if (this.#codeDepth > 0 && !isVoid && BESIDE_CODE.test(attributes.class ?? '')) {
      this.#skipHtmlElement('navigation');
      return;
    }
    if (this.#inline !== null && !isVoid && isPageControl(tag, attributes)) {
      this.#skipHtmlElement('navigation');
      return;
    }
    if ((kinds & tags.CELL) !== 0 && NUMBERS_CELL.test(attributes.class ?? '')) {
      this.#endPart(tag);
      // The code beside the numbers is a block of its own.
      this.#tables.takeAsLayout();
      this.#skipHtmlElement('navigation');
      return;
    }
    if (this.#codeDepth > 0 && tag === 'span' && CODE_LINE.test(attributes.class ?? '')) this.#endPart('div');
    if (tag === 'sup') this.#raised += 1;
    // Tabs are buttons or labels in a row, without white space between.
    if (this.#inline !== null && (tag === 'button' || tag === 'label')) this.#writeHtmlText(' ');
    if (tag === 'br') this.#writeHtmlText(this.#codeDepth > 0 ? '\n' : '\v');
    if ((kinds & tags.BLOCK) !== 0) {
      this.#endPart(tag);
      if (isVoid) return;
      this.#context.push(tag);
      this.#beginHtmlElement(tag, kinds, attributes);
    }
    if (this.#inline === null) return;
    if (tag === 'input' && attributes.type === 'checkbox' && this.#marker !== null && this.#text.trim() === '') {
      this.#isDone = attributes.checked !== undefined;
    }
    const hasLanguage = attributes.class !== undefined || attributes['data-language'] !== undefined;
    if (hasLanguage && CODE_FRAMES.has(tag)) this.#inline.readLanguage(attributes);
    if ((kinds & tags.INLINE) !== 0 && this.#codeDepth === 0)
      this.#inline.openInlineMark(tag, attributes, this.#text.length);
  }

  addHtmlText(text: string): void {
    if (this.#skippedDepth > 0) {
      if (this.#skippedReason !== null) this.#leaveOut(this.#skippedReason, text);
      return;
    }
    if (this.#isFragment && this.#fragmentAt === this.#context.length - 1 && text.trim() === '') return;
    if (this.#titleText !== null) this.#titleText += text;
    else if (this.#math !== null) this.#math.addMathText(text);
    // A source line end is a space; intended breaks are \v until the text is flushed.
    else if (this.#raised > 0 && this.#codeDepth === 0) this.#writeHtmlText(raisedText(text.replace(WHITE_SPACE, ' ')));
    else this.#writeHtmlText(this.#codeDepth > 0 || hasSingleSpaces(text) ? text : text.replace(WHITE_SPACE, ' '));
  }

  closeHtmlTag(tag: string): void {
    const kinds = tags.kindsOf(tag);
    if (this.#skippedDepth > 0) {
      if ((kinds & tags.VOID) === 0) this.#skippedDepth -= 1;
      return;
    }
    if (this.#math !== null && (kinds & tags.VOID) === 0) {
      if (tag === 'math') this.#endMath();
      else this.#math.closeMathElement();
      return;
    }
    if (tag === 'sup') this.#raised = Math.max(0, this.#raised - 1);
    if ((kinds & tags.INLINE) !== 0) this.#inline?.closeInlineMark(tag, this.#text.length);
    if ((kinds & (tags.BLOCK | tags.VOID)) !== tags.BLOCK) return;
    const at = this.#context.lastIndexOf(tag);
    if (at !== -1 && at === this.#fragmentAt) this.#closeFragment();
    else this.#endPart(tag);
    if (at !== -1) this.#context.splice(at, 1);
    this.#finishHtmlElement(tag, kinds);
  }

  finishHtmlWalk(): HtmlFacts {
    if (this.#math !== null) this.#endMath();
    this.#flushHtmlText();
    while (this.#tables.areOpen) this.#tables.closeHtmlTable();
    return this.#facts;
  }

  #skipHtmlElement(reason: LeftOutReason | null): void {
    this.#skippedDepth = 1;
    this.#skippedReason = reason;
  }

  /** Whether the tag belongs to a formula. A tag that formulas cannot contain ends an unclosed one. */
  #openMath(tag: string, kinds: number, attributes: Readonly<Record<string, string>>): boolean {
    if (this.#math !== null && (kinds & (tags.BLOCK | tags.CODE)) !== 0) this.#endMath();
    else if (this.#math !== null) {
      const isVoid = (kinds & tags.VOID) !== 0;
      if (!isVoid && (kinds & tags.SKIPPED) !== 0) this.#skipHtmlElement(tags.skippedReason(tag));
      else if (!isVoid && tags.isHiddenElement(attributes)) this.#skipHtmlElement('hidden');
      else if (!isVoid) this.#math.openMathElement(tag, (name) => attributes[name] ?? null);
      return true;
    }
    if (attributes.class === DRAWN_FORMULA && this.#text !== '' && this.#mathEnd === this.#text.length) {
      this.#skipHtmlElement('overprinted-copy');
      return true;
    }
    if (tag === 'math' && this.#codeDepth === 0 && !tags.isHiddenElement(attributes)) this.#math = new MathmlWriter();
    return this.#math !== null;
  }

  #endMath(): void {
    const { text, latex } = this.#math?.finishMathFormula() ?? { text: '', latex: '' };
    const start = this.#text.length;
    this.#writeHtmlText(text);
    this.#inline?.addFormula(latex, start, this.#text.length);
    this.#math = null;
    this.#mathEnd = this.#text.length;
  }

  #readHeadFacts(tag: string, attributes: Readonly<Record<string, string>>): void {
    if (tag === 'html') this.#facts.language ??= attributes.lang ?? attributes['xml:lang'] ?? null;
    if (tag !== 'meta') return;
    const name = (attributes.name ?? attributes.property ?? '').toLowerCase();
    if (name === 'author' || name === 'dc.creator' || name === 'article:author') {
      this.#facts.author ??= attributes.content ?? null;
    }
  }

  #beginHtmlElement(tag: string, kinds: number, attributes: Readonly<Record<string, string>>): void {
    if (tag === 'title' && this.#facts.title === null) this.#titleText = '';
    if ((kinds & tags.CODE) !== 0) this.#codeDepth += 1;
    if (tag === 'div' && attributes.class !== undefined) this.#readFragment(attributes.class);
    if ((kinds & tags.LIST) !== 0) {
      const start = Number.parseInt(attributes.start ?? '1', 10);
      const isOrdered = tag === 'ol';
      const next = Number.isSafeInteger(start) ? start : 1;
      this.#lists.push({ next: isOrdered ? next : null, form: attributes.type ?? '1' });
    }
    if (tag === 'li') {
      this.#marker = this.#nextMarker(attributes.value);
      this.#isDone = null;
    }
    if (tag === 'table') this.#tables.openHtmlTable();
    if (tag === 'table' && NUMBERS_TABLE.test(attributes.class ?? '')) this.#tables.takeAsLayout();
    if (tag === 'tr') this.#tables.openHtmlRow();
    if ((kinds & tags.CELL) !== 0) this.#tables.openHtmlCell(attributes);
  }

  #finishHtmlElement(tag: string, kinds: number): void {
    if (tag === 'title' && this.#titleText !== null) {
      this.#facts.title = this.#titleText;
      this.#titleText = null;
    }
    if ((kinds & tags.CODE) !== 0) this.#codeDepth = Math.max(0, this.#codeDepth - 1);
    if ((kinds & tags.LIST) !== 0) this.#lists.pop();
    if (tag === 'li') this.#marker = null;
    if ((kinds & tags.CELL) !== 0) this.#tables.closeHtmlCell();
    if (tag === 'table') this.#tables.closeHtmlTable();
  }

  #readFragment(classes: string): void {
    const at = this.#context.length - 1;
    if (this.#fragmentAt === null) this.#fragmentAt = FRAGMENT.test(classes) ? at : null;
    else if (!this.#isFragment && at === this.#fragmentAt + 1 && FRAGMENT_LINE.test(classes)) {
      this.#isFragment = true;
      this.#codeDepth += 1;
    }
  }

  #closeFragment(): void {
    this.#flushHtmlText();
    if (this.#isFragment) this.#codeDepth = Math.max(0, this.#codeDepth - 1);
    this.#fragmentAt = null;
    this.#isFragment = false;
  }

  #nextMarker(value: string | undefined): string {
    const list = this.#lists.at(-1);
    if (list === undefined || list.next === null) return BULLET;
    const asked = Number.parseInt(value ?? '', 10);
    const number = Number.isSafeInteger(asked) ? asked : list.next;
    list.next = number + 1;
    return `${formatNumber(number, list.form)}.`;
  }

  /** In code, a block tag ends a line; elsewhere it ends the text. */
  #endPart(tag: string): void {
    if (this.#codeDepth === 0 || (tag !== 'div' && tag !== 'p')) this.#flushHtmlText();
    else if (this.#text !== '' && !this.#endsLine) this.#writeHtmlText('\n');
  }

  #writeHtmlText(text: string): void {
    if (text === '') return;
    this.#text += text;
    this.#endsLine = text.endsWith('\n');
  }

  /** Ends the text so far and adds it as a block of the open context. */
  #flushHtmlText(): void {
    const text = this.#text;
    this.#text = '';
    if (text.trim() === '') {
      if (text !== '' || this.#inline?.hasNoMarks === false) this.#inline?.passOverBlankText();
      return;
    }
    if (this.#tables.isInCell && !this.#context.includes('caption')) this.#tables.addCellText(this.#cellText(text));
    else this.#builder.addDocumentBlock(this.#withImages(this.#htmlBlockOf(text)));
  }

  #cellText(text: string): MarkedText {
    const marks = this.#inline?.takeInlineMarks(text.length) ?? NO_MARKS;
    const marker = this.#marker;
    this.#marker = null;
    if (marker === null) return { text, marks };
    const shown = `${marker} ${text.trimStart()}`;
    return { text: shown, marks: marks.map((mark) => movedMark(mark, shown.length - text.length)) };
  }

  #withImages(block: NewBlock): NewBlock {
    const images = this.#inline?.takeImages();
    if (images !== undefined && block.kind !== 'comment' && block.kind !== 'page-furniture') block.images = images;
    return block;
  }

  #htmlBlockOf(text: string): NewBlock {
    if (this.#codeDepth > 0) {
      const language = this.#inline?.takeLanguage();
      const place = this.#inListItem();
      return { kind: 'code', text, ...omitUndefined({ language }), ...place };
    }
    const block = this.#textBlockOf(text);
    const marks = this.#inline?.takeInlineMarks(text.length) ?? NO_MARKS;
    if (marks.length > 0) block.marks = marks;
    return block;
  }

  /** The place of a block inside a list item that has begun. */
  #inListItem(): { inList?: number } {
    const isInside = this.#inline !== null && this.#marker === null && this.#context.includes('li');
    return isInside ? { inList: Math.max(0, this.#lists.length - 1) } : {};
  }

  #textBlockOf(text: string): TextBlock {
    const inner = this.#context.findLast((tag) => tag === 'li' || tags.headingTagLevel(tag) !== null || isCaption(tag));
    const level = inner === undefined ? null : tags.headingTagLevel(inner);
    if (level !== null) return { kind: 'heading', level, text };
    if (inner !== undefined && isCaption(inner)) return { kind: 'caption', text };
    const marker = this.#marker;
    // Later blocks of an item are not items themselves.
    if (inner !== 'li' || marker === null) {
      if (this.#inline === null) return { kind: 'paragraph', text };
      if (this.#context.at(-1) === 'dt') return { kind: 'paragraph', text, isTerm: true };
      const isQuoted = this.#context.includes('blockquote');
      const place = inner === 'li' ? this.#inListItem() : {};
      return { kind: 'paragraph', text, ...omitUndefined({ isQuoted: isQuoted || undefined }), ...place };
    }
    this.#marker = null;
    const isDone = this.#isDone ?? undefined;
    this.#isDone = null;
    return {
      kind: 'list-item',
      depth: Math.max(0, this.#lists.length - 1),
      marker,
      text,
      ...omitUndefined({ isDone }),
    };
  }
}

/** Whether single spaces between words are the only white space. */
function hasSingleSpaces(text: string): boolean {
  return !BREAKS.test(text) && !text.includes('  ');
}

function isCaption(tag: string): boolean {
  return tags.CAPTION_TAGS.has(tag);
}

/** Whether an element of a page serves its reader's hand and is no text: copy buttons, ways back from footnotes. */
function isPageControl(tag: string, attributes: Readonly<Record<string, string>>): boolean {
  const { class: classes = '', title = '', 'aria-label': label = '' } = attributes;
  if (tag === 'button')
    return COPY_CLASS.test(classes) || /^copy\b/i.test(label) || /^copy\b/i.test(title) || hasCopy(attributes);
  if (tag === 'a')
    return BACK_LINK.test(classes) || attributes.role === 'doc-backlink' || 'data-footnote-backref' in attributes;
  return COPY_TAGS.has(tag) || ((tag === 'span' || tag === 'div') && AROUND_CODE.test(classes));
}

/** A button that holds the code that it copies. */
function hasCopy(attributes: Readonly<Record<string, string>>): boolean {
  return 'data-code' in attributes || 'data-clipboard-text' in attributes || 'data-clipboard-target' in attributes;
}
