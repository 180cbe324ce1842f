import { omitUndefined } from '../../../src-server/platform/omit-undefined.ts';
import type { LeftOutReason } from '../../../src-server/platform/source-account.ts';
import type { InlineMark } from '../blocks.ts';
import type { DocumentBuilder, NewBlock } from '../document-builder.ts';
import { BULLET, formatNumber } from '../list-markers.ts';
import { DEEP_FORMULA, MathmlWriter } from '../math.ts';
import { raisedMarker, raisedText } from '../raised-text.ts';
import { CODE_CONTROL, languageLabel, withoutLineNumbers } from './code-text.ts';
import {
  type Drawing,
  HIDDEN_FORMULA,
  isDisplayed,
  isDrawing,
  isTexScript,
  picturedTex,
  statedTex,
} from './drawn-formulas.ts';
import { Footnotes, isBackLink, markerLength } from './footnotes.ts';
import { type AddressOf, InlineMarks } from './inline.ts';
import { Quotations } from './quotations.ts';
import { HtmlTables, type MarkedText, movedMark } from './tables.ts';
import { TabLabels } from './tabs.ts';
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

const BESIDE_CODE = new RegExp(
  '(?:^|\\s)(?:lineno|linenos|ttc|ln|lnt|line-?numbers?|linenumber|react-syntax-highlighter-line-number|' +
    'hljs-ln-n(?:umbers)?)(?:\\s|$)',
);

/** A cell of line numbers beside one of code: Pygments, Rouge, Hexo. */
const NUMBERS_CELL = /(?:^|\s)(?:linenos|rouge-gutter|gutter|line-?numbers?)(?:\s|$)/;

/** Chroma gives both cells the same class. */
const NUMBERS_TABLE = /(?:^|\s)lntable(?:\s|$)/;

/** A formula beside its number, in tables of LaTeXML. */
const FORMULA_TABLE = /(?:^|\s)(?:ltx_equation|ltx_equationgroup|ltx_eqn_table|disp-formula)(?:\s|$)/;

/** Shiki encloses each line of code, some sites without line ends between. */
const CODE_LINE = /(?:^|\s)line(?:\s|$)/;

/** Beside code, outside its `pre`: VitePress's name of the language and its line numbers, Microsoft Learn's bar. */
const AROUND_CODE = /^(?:lang|line-numbers-wrapper|codeHeader)$/;

const COPY_TAGS = new Set(['copy-code', 'clipboard-copy']);

const COPY_CLASS = /(?:^|[\s_-])(?:copy|clipboard|copybtn)(?:$|[\s_-])/i;

/** Links from a footnote back to its mark. */
const BACK_LINK = /(?:^|\s)(?:footnote-back(?:ref|link)?|data-footnote-backref|fn-backref|reversefootnote)(?:\s|$)/;

/** Classes for the visual copy after a formula: of KaTeX, of MathJax before it draws. */
const DRAWN_COPY = new Set(['katex-html', 'MathJax_Preview']);

/** Longer footnotes are sections of the page. */
const MAX_NOTE_CHARS = 10_000;

/** Blocks that end a footnote. */
const ENDS_NOTE = new Set(['table', 'section', 'article', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6']);

/** Elements that can be a footnote. */
const NOTE_TAGS = new Set(['li', 'p', 'div', 'dd', 'aside', 'span', 'td', 'small', 'section']);

/** Players and frames that show no content of the page. */
const NO_FRAME =
  /googletagmanager|doubleclick|googlesyndication|recaptcha|\/ads?[/.]|adserver|facebook\.com\/plugins|disqus/i;

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
  /** Their depths. */
  readonly #contextDepths: number[] = [];
  readonly #lists: List[] = [];
  readonly #tables: HtmlTables;
  #text = '';
  /** Whether the text so far ends a line; reading its end would flatten the string each time. */
  #endsLine = false;
  /** Whether a break was read last, but white space. */
  #endsBreak = false;
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
  /** Depth of the open elements. */
  #depth = 0;
  readonly #tabs = new TabLabels();
  readonly #quotations = new Quotations();
  readonly #footnotes = new Footnotes();
  /** The open footnote, and the depth of its element. */
  #note: { marker: string; depth: number } | null = null;
  #isAfterRule = false;
  #drawing: Drawing | null = null;
  /** The drawing that ended last, while only its TeX may follow. */
  #drawn: Drawing | null = null;
  /** The TeX of the open script; null outside one. */
  #tex: string | null = null;
  /** Elements inside the open code. */
  #codeElements = 0;
  /** The skipped element is a player, whose sources may follow. */
  #isInPlayer = false;
  #isInNoscript = false;
  /** Text of the open button, until it shows that it is text of the page; null outside one. */
  #button: string | null = null;
  /** Whether the text so far is white space; looking at its end or start would flatten the string each time. */
  #isBlank = true;

  constructor(builder: DocumentBuilder, leaveOut: LeaveOut, addressOf: AddressOf | null = null) {
    this.#builder = builder;
    this.#leaveOut = leaveOut;
    this.#tables = new HtmlTables((block) => builder.addDocumentBlock(this.#placedBlock(block)));
    this.#inline = addressOf === null ? null : new InlineMarks(addressOf);
  }

  openHtmlTag(tag: string, attributes: Readonly<Record<string, string>>): void {
    const kinds = tags.kindsOf(tag);
    const isVoid = (kinds & tags.VOID) !== 0;
    if (!isVoid) this.#depth += 1;
    if (this.#skippedDepth > 0) {
      if (!isVoid) this.#skippedDepth += 1;
      else if (this.#isInPlayer && tag === 'source') this.#addPlayer(attributes.src, '');
      else if (this.#isInNoscript && tag === 'img') this.#inline?.addMissedImage(attributes, this.#text.length);
      return;
    }
    if (this.#openFormula(tag, kinds, attributes)) return;
    this.#readHeadFacts(tag, attributes);
    if (this.#isSkipped(tag, kinds, attributes)) return;
    if (this.#codeDepth > 0) this.#codeElements += 1;
    if (this.#codeDepth > 0 && tag === 'span' && CODE_LINE.test(attributes.class ?? '')) this.#endPart('div');
    if (tag === 'sup') this.#raised += 1;
    this.#openPageParts(tag, isVoid, attributes);
    if (tag === 'br') this.#breakLine();
    if ((kinds & tags.BLOCK) !== 0) {
      this.#writeButton();
      this.#endPart(tag);
      if (tag === 'hr' && !this.#tables.isInCell && this.#note === null) this.#isAfterRule = true;
      if (isVoid) return;
      this.#context.push(tag);
      this.#contextDepths.push(this.#depth);
      this.#beginHtmlElement(tag, kinds, attributes);
    }
    this.#openNote(tag, attributes);
    if (!isVoid) this.#quotations.openQuotation(tag, attributes, this.#depth);
    this.#openInline(tag, kinds, attributes);
  }

  /** Two breaks end a paragraph. */
  #breakLine(): void {
    const isParagraph = this.#inline !== null && this.#codeDepth === 0 && !this.#tables.isInCell && this.#note === null;
    const inner = isParagraph && this.#endsBreak ? this.#context.at(-1) : undefined;
    if (inner !== undefined && tags.headingTagLevel(inner) === null && !isCaption(inner)) this.#flushHtmlText();
    else this.#writeHtmlText(this.#codeDepth > 0 ? '\n' : '\v');
    this.#endsBreak = isParagraph;
  }

  /** Tabs, buttons and links to footnotes. */
  #openPageParts(tag: string, isVoid: boolean, attributes: Readonly<Record<string, string>>): void {
    if (this.#inline === null || isVoid) return;
    if (this.#tabs.isPanelElement(attributes, this.#depth)) this.#openPanel(attributes);
    this.#tabs.openTabElement(tag, attributes, this.#depth);
    if (tag === 'sup') this.#footnotes.raiseNoteLink();
    // Buttons and labels stand in a row, without white space between.
    if (tag !== 'button' && tag !== 'label') return;
    this.#writeHtmlText(' ');
    if (tag === 'button' && !this.#tabs.isInTab && this.#codeDepth === 0) this.#button = '';
  }

  #openInline(tag: string, kinds: number, attributes: Readonly<Record<string, string>>): void {
    if (this.#inline === null) return;
    if (tag === 'input' && attributes.type === 'checkbox' && this.#marker !== null && this.#isBlank) {
      this.#isDone = attributes.checked !== undefined;
    }
    if (CODE_FRAMES.has(tag)) this.#inline.readLanguage(tag, attributes);
    if ((kinds & tags.INLINE) === 0 || this.#codeDepth > 0) {
      if (tag === 'source') this.#inline.readPictureSource(attributes);
      return;
    }
    const tex = tag === 'img' ? picturedTex(attributes) : null;
    // Wikipedia shows the picture beside the MathML.
    const isCopy = tex !== null && this.#text !== '' && this.#mathEnd === this.#text.length;
    if (isCopy) this.#leaveOut('overprinted-copy', tex);
    else if (tex !== null) this.#writeFormula({ text: tex, latex: tex });
    else this.#inline.openInlineMark(tag, attributes, this.#text.length);
    if (tag === 'a') this.#footnotes.openNoteLink(attributes, this.#text.length, this.#raised > 0);
  }

  /** Whether the element, with all inside, is none of the text. */
  #isSkipped(tag: string, kinds: number, attributes: Readonly<Record<string, string>>): boolean {
    if ((kinds & tags.VOID) !== 0) return false;
    if ((kinds & tags.SKIPPED) !== 0) {
      this.#openPlayer(tag, attributes);
      this.#isInNoscript = tag === 'noscript';
      this.#skipHtmlElement(tags.skippedReason(tag));
    } else if (tags.isHiddenElement(attributes) && !this.#isOpenable(tag, attributes)) this.#skipHtmlElement('hidden');
    else if (this.#codeDepth > 0 && isBesideCode(attributes)) {
      // Hugo writes the numbers as a cell of their own, which only its first number tells.
      if (this.#isBlank && this.#context.includes('pre')) this.#tables.takeFirstCellAsLayout();
      this.#skipHtmlElement('navigation');
    } else if (this.#inline !== null && (isPageControl(tag, attributes) || this.#isBackLink(tag, attributes)))
      this.#skipHtmlElement('navigation');
    else if ((kinds & tags.CELL) !== 0 && NUMBERS_CELL.test(attributes.class ?? '')) {
      this.#endPart(tag);
      // The code beside the numbers is a block of its own.
      this.#tables.takeAsLayout();
      this.#skipHtmlElement('navigation');
    } else return false;
    return true;
  }

  /** Whether a hidden element is part of the text: a page, a panel, a footnote that opens on a click, a formula. */
  #isOpenable(tag: string, attributes: Readonly<Record<string, string>>): boolean {
    if (tag === 'body' || tag === 'html') return true;
    if (this.#inline === null) return false;
    return (
      this.#tabs.isPanelElement(attributes, this.#depth) ||
      this.#footnotes.noteOfElement(attributes) !== null ||
      HIDDEN_FORMULA.test(attributes.class ?? '')
    );
  }

  addHtmlText(text: string): void {
    if (this.#tex !== null) {
      this.#tex += text;
      return;
    }
    if (this.#skippedDepth > 0) {
      if (this.#skippedReason !== null) this.#leaveOut(this.#skippedReason, text);
      return;
    }
    if (this.#tabs.isInTab) {
      this.#tabs.addTabText(text);
      return;
    }
    if (this.#endsBreak && text.trim() !== '') this.#endsBreak = false;
    if (this.#drawn?.isDisplay === true && text.trim() !== '') this.#endDisplay();
    if (this.#isFragment && this.#fragmentAt === this.#context.length - 1 && text.trim() === '') return;
    if (this.#titleText !== null) this.#titleText += text;
    else if (this.#math !== null) {
      if (this.#math.isInNotation) this.#leaveOut('hidden', text);
      this.#math.addMathText(text);
    }
    // A source line end is a space; intended breaks are \v until the text is flushed.
    else if (this.#button !== null) this.#button += text.replace(WHITE_SPACE, ' ');
    else if (this.#raised > 0 && this.#codeDepth === 0) this.#writeHtmlText(raisedText(text.replace(WHITE_SPACE, ' ')));
    else this.#writeHtmlText(this.#codeDepth > 0 || hasSingleSpaces(text) ? text : text.replace(WHITE_SPACE, ' '));
    this.#footnotes.addNoteLinkText(text);
  }

  closeHtmlTag(tag: string): void {
    const kinds = tags.kindsOf(tag);
    this.#closeElement(tag, kinds);
    if ((kinds & tags.VOID) !== 0) return;
    if (this.#note?.depth === this.#depth) this.#endNote();
    this.#quotations.closeQuotation(this.#depth);
    this.#tabs.closeTabElement(this.#depth);
    this.#depth -= 1;
  }

  #closeElement(tag: string, kinds: number): void {
    if (this.#skippedDepth > 0) {
      if ((kinds & tags.VOID) === 0) this.#skippedDepth -= 1;
      if (this.#skippedDepth === 0) this.#isInPlayer = false;
      return;
    }
    if (this.#closeFormula(tag, kinds)) return;
    if (tag === 'sup') this.#raised = Math.max(0, this.#raised - 1);
    if ((kinds & tags.INLINE) !== 0) this.#inline?.closeInlineMark(tag, this.#text.length);
    if (tag === 'a') this.#closeNoteLink();
    if (tag === 'button') this.#closeButton();
    if ((kinds & (tags.BLOCK | tags.VOID)) !== tags.BLOCK) return;
    const at = this.#context.lastIndexOf(tag);
    if (at !== -1 && at === this.#fragmentAt) this.#closeFragment();
    else this.#endPart(tag);
    if (at !== -1) {
      this.#context.splice(at, 1);
      this.#contextDepths.splice(at, 1);
    }
    this.#finishHtmlElement(tag, kinds);
  }

  finishHtmlWalk(): HtmlFacts {
    if (this.#math !== null) this.#endMath();
    this.#flushHtmlText();
    this.#addWaitingLabels();
    while (this.#tables.areOpen) this.#tables.closeHtmlTable();
    this.#addLastImages();
    return this.#facts;
  }

  #skipHtmlElement(reason: LeftOutReason | null): void {
    this.#skippedDepth = 1;
    this.#skippedReason = reason;
  }

  /** Whether the tag belongs to a formula. A tag that formulas cannot contain ends an unclosed one. */
  #openFormula(tag: string, kinds: number, attributes: Readonly<Record<string, string>>): boolean {
    if (this.#drawing === null && this.#inline !== null && this.#codeDepth === 0) {
      if (isTexScript(tag, attributes)) {
        this.#tex = '';
        return true;
      }
      if (this.#drawn?.isDisplay === true) this.#endDisplay();
      this.#drawn = null;
      if (isDrawing(tag, attributes) && !tags.isHiddenElement(attributes)) {
        const isDisplay = isDisplayed(tag, attributes);
        if (isDisplay) this.#endPart(tag);
        const start = this.#text.length;
        const tex = statedTex(attributes);
        this.#drawing = { depth: this.#depth, start, end: start, isDisplay, hasFormula: false, tex };
        return true;
      }
    }
    return this.#openMath(tag, kinds, attributes) || this.#drawing !== null;
  }

  #openMath(tag: string, kinds: number, attributes: Readonly<Record<string, string>>): boolean {
    if (this.#math !== null && (kinds & (tags.BLOCK | tags.CODE)) !== 0) this.#endMath();
    else if (this.#math !== null) {
      const isVoid = (kinds & tags.VOID) !== 0;
      if (!isVoid && (kinds & tags.SKIPPED) !== 0 && tag !== 'annotation')
        this.#skipHtmlElement(tags.skippedReason(tag));
      else if (!isVoid && tags.isHiddenElement(attributes)) this.#skipHtmlElement('hidden');
      else if (!isVoid) this.#math.openMathElement(tag, (name) => attributes[name] ?? null);
      return true;
    }
    const { class: classes = '' } = attributes;
    const isCopy = classes === 'MathJax_Preview' || (this.#text !== '' && this.#mathEnd === this.#text.length);
    if (DRAWN_COPY.has(classes) && isCopy) {
      this.#skipHtmlElement('overprinted-copy');
      return true;
    }
    if (tag !== 'math' || this.#codeDepth > 0 || tags.isHiddenElement(attributes)) return false;
    this.#math = new MathmlWriter();
    if (this.#drawing !== null) this.#dropDrawing(this.#drawing);
    return true;
  }

  /** The formula replaces its drawing. */
  #dropDrawing(drawing: Drawing): void {
    drawing.hasFormula = true;
    if (this.#text.length === drawing.start) return;
    const drawn = this.#text.slice(drawing.start);
    if (drawn.trim() !== '') this.#leaveOut('overprinted-copy', drawn);
    this.#text = this.#text.slice(0, drawing.start);
    this.#isBlank = this.#text.trim() === '';
  }

  /** Whether the tag ended inside a formula, or its drawing or TeX. */
  #closeFormula(tag: string, kinds: number): boolean {
    if (this.#tex !== null) {
      this.#endTex(this.#tex);
      return true;
    }
    if (this.#math !== null && (kinds & tags.VOID) === 0) {
      if (tag === 'math') this.#endMath();
      else this.#math.closeMathElement();
      return true;
    }
    if (this.#drawing === null) return false;
    if (this.#drawing.depth === this.#depth && (kinds & tags.VOID) === 0) {
      const { start, tex, hasFormula } = this.#drawing;
      this.#drawn = { ...this.#drawing, end: this.#text.length };
      if (tex !== null && !hasFormula) this.#inline?.addFormula(tex, start, this.#text.length);
      this.#drawing = null;
      this.#mathEnd = this.#text.length;
    }
    return true;
  }

  /** The TeX names the formula of the drawing before it, or is the formula. */
  #endTex(tex: string): void {
    const latex = tex.replace(/^\s*%\s*<!\[CDATA\[|%\s*\]\]>\s*$/g, '').trim();
    this.#tex = null;
    const drawn = this.#drawn;
    if (drawn !== null && drawn.end > drawn.start && drawn.end === this.#text.length) {
      if (drawn.hasFormula) this.#inline?.restateFormula(latex);
      else this.#inline?.addFormula(latex, drawn.start, drawn.end);
    } else this.#writeFormula({ text: latex, latex });
    if (drawn?.isDisplay === true) this.#endDisplay();
  }

  /** A formula on its own lines is a block. */
  #endDisplay(): void {
    this.#drawn = null;
    this.#endPart('div');
  }

  #endMath(): void {
    if (this.#math?.isDeep === true) this.#builder.addWarning(DEEP_FORMULA);
    this.#writeFormula(this.#math?.finishMathFormula() ?? { text: '', latex: '' });
    this.#math = null;
  }

  #writeFormula({ text, latex }: { text: string; latex: string }): void {
    const start = this.#text.length;
    this.#writeHtmlText(text);
    this.#inline?.addFormula(latex, start, this.#text.length);
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
    if (tag === 'table') this.#openTable(attributes);
    if (tag === 'tr') this.#tables.openHtmlRow();
    if ((kinds & tags.CELL) !== 0) this.#tables.openHtmlCell(attributes);
  }

  #openTable({ class: classes = '' }: Readonly<Record<string, string>>): void {
    this.#tables.openHtmlTable();
    const isLayout = NUMBERS_TABLE.test(classes) || FORMULA_TABLE.test(classes) || this.#quotations.isAtCalloutStart;
    if (isLayout) this.#tables.takeAsLayout();
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

  /** In code, a block tag ends a line; in a footnote, a paragraph; elsewhere it ends the text. */
  #endPart(tag: string): void {
    const isInNote = this.#note !== null && this.#codeDepth === 0 && !ENDS_NOTE.has(tag);
    if (isInNote && this.#text.length <= MAX_NOTE_CHARS && (tags.kindsOf(tag) & tags.CODE) === 0) {
      if (!this.#isBlank && !this.#endsBreak) this.#writeHtmlText('\v');
      this.#endsBreak = true;
    } else if (this.#codeDepth === 0 || (tag !== 'div' && tag !== 'p')) {
      this.#flushHtmlText();
      if (isInNote || ENDS_NOTE.has(tag)) this.#note = null;
    } else if (this.#text !== '' && !this.#endsLine) this.#writeHtmlText('\n');
  }

  /** A footnote begins with an element or an anchor to which a link before it leads. */
  #openNote(tag: string, attributes: Readonly<Record<string, string>>): void {
    if (this.#inline === null || this.#codeDepth > 0 || this.#tables.isInCell) return;
    const isAnchor = tag === 'a';
    if (!isAnchor && !NOTE_TAGS.has(tag)) return;
    const marker = this.#footnotes.noteOfElement(attributes);
    if (marker === null || (isAnchor && this.#note?.marker === marker)) return;
    if (isAnchor) this.#beginNoteHere(marker);
    else {
      this.#flushHtmlText();
      this.#note = { marker, depth: this.#depth };
    }
  }

  /** A footnote begins in the midst of an element, and ends with it, or where the next one begins. */
  #beginNoteHere(marker: string): void {
    if (!this.#isBlank && this.#note === null && !this.#endsBreak) return;
    this.#flushHtmlText();
    this.#note = { marker, depth: this.#contextDepths.at(-1) ?? 1 };
  }

  #endNote(): void {
    this.#flushHtmlText();
    this.#note = null;
  }

  /** Whether a link leads back from the open footnote, or from one that begins with it. */
  #isBackLink(tag: string, attributes: Readonly<Record<string, string>>): boolean {
    if (tag !== 'a' || !isBackLink(attributes)) return false;
    if (this.#note !== null && !this.#isBlank) return true;
    const marker = this.#footnotes.noteOfBackLink(attributes);
    if (marker !== null && marker !== this.#note?.marker && this.#isBlank) this.#beginNoteHere(marker);
    return this.#note !== null;
  }

  #closeNoteLink(): void {
    const found = this.#footnotes.closeNoteLink();
    if (found === null) return;
    this.#text = this.#text.slice(0, found.start) + raisedMarker(this.#text.slice(found.start));
    this.#inline?.addFootnote(found.marker, found.start, this.#text.length);
  }

  /** A button that serves the reader's hand is no text. */
  #closeButton(): void {
    const label = this.#button ?? '';
    if (!CODE_CONTROL.test(label.trim())) this.#writeButton();
    else this.#leaveOut('navigation', label);
    this.#button = null;
  }

  #writeButton(): void {
    const label = this.#button;
    this.#button = null;
    if (label !== null) this.#writeHtmlText(label);
  }

  #openPanel(attributes: Readonly<Record<string, string>>): void {
    this.#flushHtmlText();
    const label = this.#tabs.openTabPanel(attributes, this.#depth);
    this.#addTabLabel(label);
  }

  /** Labels whose panels the page does not have. */
  #addWaitingLabels(): void {
    for (const label of this.#tabs.takeWaitingLabels()) this.#addTabLabel(label);
  }

  #addTabLabel(text: string): void {
    if (text === '') return;
    const marks: InlineMark[] = [{ kind: 'strong', start: 0, end: text.length }];
    this.#builder.addDocumentBlock(
      this.#placedBlock({ kind: 'paragraph', text, marks, isTab: true, ...this.#inListItem() }),
    );
  }

  /** Pictures after the last block stand at its end. */
  #addLastImages(): void {
    const images = this.#inline?.takeImages();
    const last = this.#builder.blocks.at(-1);
    if (images === undefined || last === undefined || last.kind === 'table') return;
    if (last.kind === 'code' || last.kind === 'comment' || last.kind === 'page-furniture') return;
    const at = last.text.length;
    const marks = images.map(
      ({ url, alt, isFrame }): InlineMark => ({
        kind: isFrame === true ? 'frame' : 'image',
        start: at,
        end: at,
        url,
        alt,
      }),
    );
    last.marks = [...(last.marks ?? []), ...marks];
  }

  /** Notes the address of a video or a frame. */
  #openPlayer(tag: string, attributes: Readonly<Record<string, string>>): void {
    if (tag !== 'iframe' && tag !== 'video' && tag !== 'audio') return;
    if (tags.isHiddenElement(attributes) || attributes.width === '1' || attributes.height === '0') return;
    this.#isInPlayer = tag !== 'iframe';
    const { title = '', 'aria-label': label = title } = attributes;
    this.#addPlayer(attributes.src ?? attributes['data-src'], label);
  }

  #addPlayer(address: string | undefined, title: string): void {
    if (address === undefined || NO_FRAME.test(address)) return;
    this.#isInPlayer = false;
    this.#inline?.addFrame(address, title, this.#text.length);
  }

  #writeHtmlText(text: string): void {
    if (text === '') return;
    this.#text += text;
    if (this.#isBlank && text.trim() !== '') this.#isBlank = false;
    this.#endsLine = text.endsWith('\n');
  }

  /** Ends the text so far and adds it as a block of the open context. */
  #flushHtmlText(): void {
    const text = this.#text;
    this.#text = '';
    this.#isBlank = true;
    if (text.trim() === '') {
      if (text !== '' || this.#inline?.hasNoMarks === false) this.#inline?.passOverBlankText();
      return;
    }
    this.#addWaitingLabels();
    if (this.#tables.isInCell && !this.#context.includes('caption')) this.#tables.addCellText(this.#cellText(text));
    else this.#builder.addDocumentBlock(this.#placedBlock(this.#htmlBlockOf(text)));
  }

  #cellText(text: string): MarkedText {
    const marks = this.#inline?.takeInlineMarks(text.length) ?? NO_MARKS;
    const marker = this.#marker;
    this.#marker = null;
    if (marker === null) return { text, marks };
    const shown = `${marker} ${text.trimStart()}`;
    return { text: shown, marks: marks.map((mark) => movedMark(mark, shown.length - text.length)) };
  }

  /** The block with the pictures before it, and its quotation. */
  #placedBlock(block: NewBlock): NewBlock {
    if (block.kind === 'comment' || block.kind === 'page-furniture') return block;
    const images = this.#inline?.takeImages();
    if (images !== undefined) block.images = images;
    if (this.#inline === null) return block;
    this.#quotations.quoteBlock(block);
    if (this.#isAfterRule && block.kind !== 'note') block.afterRule = true;
    this.#isAfterRule = false;
    return block;
  }

  #htmlBlockOf(text: string): NewBlock {
    if (this.#codeDepth > 0) return this.#codeBlockOf(text);
    if (this.#note !== null) return this.#noteBlockOf(text, this.#note.marker);
    const block = this.#textBlockOf(text);
    const marks = this.#inline?.takeInlineMarks(text.length, block.kind === 'caption') ?? NO_MARKS;
    if (marks.length > 0) block.marks = marks;
    return block;
  }

  #codeBlockOf(text: string): NewBlock {
    const numbered = this.#codeElements >= 3 ? withoutLineNumbers(text) : null;
    this.#codeElements = 0;
    if (numbered !== null) this.#leaveOut('navigation', numbered.numbers);
    const labelled = this.#inline === null ? null : this.#takeCodeLabels();
    const language = this.#inline?.takeLanguage() ?? labelled ?? undefined;
    const place = this.#inListItem();
    return { kind: 'code', text: numbered?.code ?? text, ...omitUndefined({ language }), ...place };
  }

  /** Takes the bar of a code block, which names its language, out of the blocks before it. */
  #takeCodeLabels(): string | null {
    let language: string | null = null;
    const { blocks } = this.#builder;
    for (let last = blocks.at(-1); last?.kind === 'paragraph' && last.isTab !== true; last = blocks.at(-1)) {
      const named = languageLabel(last.text);
      if (named === null && !CODE_CONTROL.test(last.text)) break;
      if (named !== null && language !== null) break;
      language = named ?? language;
      this.#leaveOut('navigation', last.text);
      blocks.pop();
    }
    return language;
  }

  /** A footnote, without its own marker: each line is a paragraph. */
  #noteBlockOf(raw: string, marker: string): NewBlock {
    const text = raw.replace(/[\v\s]+$/, '');
    const length = markerLength(text, marker);
    if (length > 0) this.#leaveOut('navigation', text.slice(0, length));
    this.#marker = null;
    const marks = (this.#inline?.takeInlineMarks(text.length) ?? NO_MARKS)
      .map((mark) => ({ ...mark, start: Math.max(0, mark.start - length), end: Math.max(0, mark.end - length) }))
      .filter(({ kind, start, end }) => end > start || kind === 'image' || kind === 'frame');
    return { kind: 'note', marker, text: text.slice(length), ...(marks.length > 0 && { marks }) };
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
      return { kind: 'paragraph', text, ...(inner === 'li' && this.#inListItem()) };
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

/** Numbers of lines, by their class or because nobody may select them. */
function isBesideCode({ class: classes = '', style = '' }: Readonly<Record<string, string>>): boolean {
  return BESIDE_CODE.test(classes) || /user-select:\s*none/.test(style);
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
