import { QuarryError } from '../../../src-server/platform/errors.ts';
import { decodePage } from '../../../src-server/platform/text/decode-text.ts';
import { say } from '../../../src-server/platform/text/say.ts';
import type { DocumentParser } from '../blocks.ts';
import { DocumentBuilder, type NewBlock } from '../document-builder.ts';
import { closeSign, type InlineValues, openSign } from '../inline-marks.ts';
import { ParagraphFlow, type ParagraphShape } from '../paragraph-flow.ts';
import { raisedText } from '../raised-text.ts';
import { markComment } from '../revisions.ts';
import { blockLines, CodeJoiner, readDttm, symbolBytes, symbolText, TextRecorder } from '../word-processing.ts';
import { RtfFields } from './fields.ts';
import { type RtfHandler, scanRtf } from './scan.ts';
import {
  applyProperty,
  CHARACTER_WORDS,
  FOOTER_WORDS,
  firstState,
  HEADER_WORDS,
  isMathProperty,
  type RtfState,
  resetCharacters,
  SKIPPED_DESTINATIONS,
  STARRED_TEXT,
} from './state.ts';
import { RtfTables } from './tables.ts';

/** Bytes searched for the opening of a document: some programs put a mark or white space before it. */
const START_BYTES = 64;

/**
 * Rich Text documents. A truncated file is read as far as it goes, with a warning; without any text it is
 * `corrupt_input`.
 */
export const parseRtf: DocumentParser = async (bytes, options) => {
  const damaged = say`The document is damaged: save it again and send the new file.`;
  const builder = new DocumentBuilder(options);
  const facts = readRtf(bytes, builder);
  if (facts === null) throw new QuarryError('corrupt_input', damaged);
  const document = builder.buildNormalizedDocument({ format: 'rtf', ...facts });
  if (document.warnings.length > 0 && document.blocks.length === 0) throw new QuarryError('corrupt_input', damaged);
  return document;
};

/** Adds the blocks of a document; null if the bytes are no RTF. */
export function readRtf(
  bytes: Buffer,
  builder: DocumentBuilder,
): { title: string; author: string; statedPages: number } | null {
  const start = bytes.subarray(0, START_BYTES).indexOf('{\\rtf', 0, 'latin1');
  if (start === -1) return null;
  const reader = new RtfReader(builder, builder.useInlineSigns());
  scanRtf(bytes.subarray(start), reader);
  return { ...reader.endRtfDocument(), statedPages: reader.statedPages };
}

const MAX_DEPTH = 1000;

/** Bound on captured text: an author, a title, a list marker. */
const MAX_CAPTURED_CHARACTERS = 100_000;

const ANSI_PAGE = 1252;

/** In one row. */
const MAX_CELLS = 1000;

/** Follows the groups of an RTF document and sends text to its flow. */
export class RtfReader implements RtfHandler {
  readonly builder: DocumentBuilder;
  readonly tables = new RtfTables();
  readonly body: ParagraphFlow;
  statedPages = 1;
  /** Pieces of visible text so far. */
  written = 0;
  readonly #code: CodeJoiner;
  readonly #destinations: RtfDestinations;
  readonly #stack: RtfState[] = [];
  #state: RtfState;
  #page = ANSI_PAGE;
  #defaultFont: number | null = null;
  #bytes: number[] = [];
  #fallbackLeft = 0;
  #isSectionPending = false;
  #styleIndex = 0;
  /** Right edges of the cells in the current row; not used for nested tables. */
  #edges: number[] = [];

  constructor(builder: DocumentBuilder, inline: InlineValues) {
    this.builder = builder;
    this.#code = new CodeJoiner(builder);
    this.body = new ParagraphFlow(builder, (block, page) => this.#code.add(block, page));
    this.#state = firstState(this.body);
    this.#destinations = new RtfDestinations(this, inline);
  }

  get groupDepth(): number {
    return this.#stack.length;
  }

  open(): void {
    this.builder.checkCancellation();
    this.#flushRtfBytes();
    if (this.#stack.length >= MAX_DEPTH) {
      throw new QuarryError('source_too_large', say`The document nests its groups too deeply.`);
    }
    const outer = this.#state;
    this.#stack.push(outer);
    this.#state = { ...outer, onClose: null, isAtStart: true, isStarred: false };
    if (outer.use === 'styles') this.#openStyle();
    // The first of two variants is for readers without Unicode.
    if (outer.use === 'variants') this.#state.use = 'skip';
  }

  close(): void {
    this.#flushRtfBytes();
    const outer = this.#stack.pop();
    if (outer === undefined) return;
    const { onClose } = this.#state;
    this.#state = outer;
    onClose?.();
  }

  word(name: string, parameter: number | null): void {
    this.builder.checkCancellation();
    this.#flushRtfBytes();
    const state = this.#state;
    const isFirst = state.isAtStart;
    state.isAtStart = false;
    if (isFirst && name === 'ud' && this.#stack.at(-1)?.use === 'variants') {
      state.use = 'text';
      return;
    }
    if (state.use === 'skip') return;
    if (isFirst && this.#destinations.openDestination(name, state)) return;
    if (state.use === 'fonts') this.#readFont(name, parameter);
    else if (state.use === 'style') this.#readStyle(name, parameter);
    else this.#applyControlWord(name, parameter, state);
  }

  symbol(character: string): void {
    // These may be the second byte of a double-byte character.
    if (character === '{' || character === '}' || character === '\\') {
      this.byte(character.charCodeAt(0));
      return;
    }
    this.#flushRtfBytes();
    if (character === '*') {
      this.#state.isStarred = true;
      return;
    }
    this.#state.isAtStart = false;
    if (character === '~') this.#emitRtfText('\u00a0');
    else if (character === '_') this.#emitRtfText('-');
    else if (character === '\n' || character === '\r') this.word('par', null);
    else if (character === '\t') this.#emitRtfText('\t');
  }

  byte(value: number): void {
    if (this.#state.use === 'skip') return;
    this.#state.isAtStart = false;
    if (this.#fallbackLeft > 0) this.#fallbackLeft -= 1;
    else this.#bytes.push(value);
  }

  /** Captures the text of a group outside the document's text; `done` receives it when the group closes. */
  captureGroupText(state: RtfState, done: (text: string) => void): void {
    const capture = { text: '' };
    state.use = 'capture';
    state.capture = capture;
    state.onClose = () => done(capture.text.trim());
  }

  /** The shape of the paragraph that ends here. */
  currentParagraphShape(): ParagraphShape {
    const state = this.#state;
    return {
      headingLevel: this.tables.rtfHeadingLevel(state.style, state.outlineLevel),
      isTitle: this.tables.isRtfTitleStyle(state.style),
      role: this.tables.rtfStyleRole(state.style),
      tableDepth: state.isInTable ? state.tableDepth : null,
      listLevel: state.listLevel,
      leftIndent: state.leftIndent,
      firstIndent: state.firstIndent,
    };
  }

  /** Ends the document; adds endnotes and footers. */
  endRtfDocument(): { title: string; author: string } {
    this.#flushRtfBytes();
    if (this.#stack.length > 0)
      this.builder.addWarning(say`The file is truncated; only the part before its end was read.`);
    while (this.#stack.length > 0) this.close();
    this.body.endParagraphFlow(this.currentParagraphShape());
    for (const block of this.#destinations.trailingRtfBlocks()) this.addRtfBlock(block);
    this.#code.flushJoinedCode();
    return { title: this.#destinations.title, author: this.#destinations.author };
  }

  writeRtfText(text: string): void {
    this.#emitRtfText(text);
  }

  addRtfBlock(block: NewBlock): void {
    this.#code.add(block, this.builder.page);
  }

  #applyControlWord(name: string, parameter: number | null, state: RtfState): void {
    const character = CHARACTER_WORDS.get(name);
    if (name === 'u') this.#emitUnicode(parameter ?? 0, state);
    else if (character !== undefined) this.#emitRtfText(character);
    else if (name === 'plain') resetCharacters(state, this.#defaultFont);
    else if (!applyProperty(state, name, parameter)) {
      if (state.use === 'text') this.#applyStructureWord(name, parameter ?? 0, state);
      this.#applyDocumentWord(name, parameter ?? 0, state);
    }
  }

  #applyStructureWord(name: string, value: number, state: RtfState): void {
    const { flow } = state;
    switch (name) {
      case 'par':
        // A deleted paragraph mark joins the paragraph to the next.
        if (state.isDropCap || (state.isDeleted && !this.builder.includeComments)) return;
        flow.endFlowParagraph(this.currentParagraphShape());
        return;
      case 'sect':
        flow.endFlowParagraph(this.currentParagraphShape());
        this.#isSectionPending = true;
        return;
      case 'cell':
      case 'nestcell':
        flow.endFlowCell(this.currentParagraphShape(), name === 'nestcell');
        return;
      case 'row':
      case 'nestrow':
        flow.endFlowRow(state.tableDepth, name === 'nestrow', this.#edges);
        return;
      case 'trowd':
        if (state.tableDepth === 1) this.#edges = [];
        return;
      case 'cellx':
        if (state.tableDepth === 1 && this.#edges.length < MAX_CELLS) this.#edges.push(value);
        return;
      case 'page':
      case 'softpage':
      case 'pagebb':
        if (flow === this.body && flow.hasBegun) this.builder.page += 1;
        return;
      default:
        return;
    }
  }

  #applyDocumentWord(name: string, value: number, state: RtfState): void {
    switch (name) {
      case 'ansicpg':
        this.#page = value > 0 ? value : ANSI_PAGE;
        return;
      case 'mac':
        this.#page = 10000;
        return;
      case 'pc':
        this.#page = 437;
        return;
      case 'pca':
        this.#page = 850;
        return;
      case 'deff':
        this.#defaultFont = value;
        state.font = value;
        return;
      case 'nofpages':
        this.statedPages = Math.max(1, value);
        return;
      case 'sbknone':
      case 'sbkcol':
        this.#isSectionPending = false;
        return;
      case 'ftnalt':
        this.#destinations.isEndnote = true;
        return;
      default:
        this.#destinations.fields.readFormWord(name, value);
    }
  }

  #emitUnicode(value: number, state: RtfState): void {
    const code = value & 0xffff;
    this.#fallbackLeft = state.fallbackBytes;
    // Symbol fonts use private-use characters.
    if (code >= 0xf020 && code <= 0xf0ff) this.#emitRtfText(symbolText(this.tables.fontName(state.font), code), false);
    else this.#emitRtfText(String.fromCharCode(code), false);
  }

  #emitRtfText(text: string, endsFallback = true): void {
    if (endsFallback) this.#fallbackLeft = 0;
    const state = this.#state;
    if (state.use === 'capture' || state.use === 'style') {
      const { capture } = state;
      if (capture !== null && capture.text.length < MAX_CAPTURED_CHARACTERS) capture.text += text;
      return;
    }
    if (state.use === 'fonts') this.tables.nameFont(state.font, text);
    if (state.use !== 'text') return;
    if (state.isHidden) {
      this.builder.sourceLedger.recordLeftOutText({ reason: 'hidden', where: '', text });
      return;
    }
    if (this.#isSectionPending && state.flow === this.body) {
      this.#isSectionPending = false;
      if (this.body.hasBegun) this.builder.page += 1;
    }
    if (text.trim() !== '') this.written += 1;
    state.flow.writeFlowText(
      state.isRaised ? raisedText(text) : text,
      this.tables.trackedRevision(state),
      state.flow === this.body ? state.emphasis : 0,
    );
    if (state.flow === this.body) this.#destinations.recordCommentAnchor(text);
  }

  #flushRtfBytes(): void {
    if (this.#bytes.length === 0) return;
    const bytes = Uint8Array.from(this.#bytes);
    this.#bytes = [];
    const { font } = this.#state;
    const text = decodePage(bytes, this.tables.fontCodePage(font) ?? this.#page);
    this.#emitRtfText(this.tables.isSymbol(font) ? symbolBytes(this.tables.fontName(font), bytes, text) : text);
  }

  #readFont(name: string, parameter: number | null): void {
    const state = this.#state;
    if (name === 'f') state.font = parameter ?? 0;
    else if (name === 'fcharset' && state.font !== null) this.tables.setCharset(state.font, parameter ?? 0);
    else if (name === 'cpg' && state.font !== null) this.tables.setPage(state.font, parameter ?? 0);
  }

  #openStyle(): void {
    const state = this.#state;
    this.#styleIndex = 0;
    state.outlineLevel = null;
    this.captureGroupText(state, () => undefined);
    const { capture } = state;
    state.use = 'style';
    state.isAtStart = false;
    state.onClose = () => {
      const name = capture?.text ?? '';
      this.tables.addStyle(this.#styleIndex, { name, outlineLevel: state.outlineLevel });
    };
  }

  #readStyle(name: string, parameter: number | null): void {
    if (name === 's') this.#styleIndex = parameter ?? 0;
    // Character, table and section styles have their own numbering and must not shadow paragraph styles.
    else if (name === 'cs' || name === 'ts' || name === 'ds') this.#styleIndex = -1;
    else if (name === 'outlinelevel') this.#state.outlineLevel = parameter ?? 0;
  }
}

/** Detects the purpose of a group by its first words and collects content outside the text. */
export class RtfDestinations {
  readonly #reader: RtfReader;
  readonly #anchors = new TextRecorder();
  readonly #anchorTexts = new Map<string, string>();
  readonly #furniture = { header: new Set<string>(), footer: new Set<string>() };
  readonly #endnotes: NewBlock[] = [];
  readonly fields: RtfFields;
  #notes = 0;
  #commentAuthor = '';
  #commentRef = '';
  #commentDate = '';
  title = '';
  author = '';
  /** True if the open note is an endnote. */
  isEndnote = false;

  constructor(reader: RtfReader, inline: InlineValues) {
    this.#reader = reader;
    this.fields = new RtfFields(reader, inline);
  }

  /** Prepares the group if the word states its purpose; returns whether it does. */
  openDestination(word: string, state: RtfState): boolean {
    const isField = word === 'fldinst' && state.use === 'text';
    if (this.fields.openFieldGroup(word, state)) return true;
    if ((SKIPPED_DESTINATIONS.has(word) && !isField) || isMathProperty(word)) {
      state.use = 'skip';
      return true;
    }
    if (this.#openTable(word, state) || this.#openText(word, state) || this.#openComment(word, state)) return true;
    if (state.isStarred && !STARRED_TEXT.has(word)) {
      state.use = 'skip';
      return true;
    }
    return false;
  }

  /** Adds body text to the open comment ranges. */
  recordCommentAnchor(text: string): void {
    this.#anchors.recordText(text);
  }

  /** Blocks after the text: endnotes and footers. */
  trailingRtfBlocks(): NewBlock[] {
    const footers = [...this.#furniture.footer].map((text): NewBlock => {
      return { kind: 'page-furniture', place: 'footer', text };
    });
    return [...this.#endnotes, ...footers];
  }

  #openTable(word: string, state: RtfState): boolean {
    switch (word) {
      case 'fonttbl':
        state.use = 'fonts';
        return true;
      case 'stylesheet':
        state.use = 'styles';
        return true;
      case 'upr':
        state.use = 'variants';
        return true;
      case 'info':
        state.use = 'inert';
        return true;
      case 'title':
        this.#reader.captureGroupText(state, (text) => {
          this.title = text;
        });
        return true;
      case 'author':
        this.#reader.captureGroupText(state, (text) => {
          this.author = text;
        });
        return true;
      case 'revtbl':
        this.#reader.captureGroupText(state, (text) => this.#reader.tables.setAuthors(text));
        return true;
      default:
        return false;
    }
  }

  #openText(word: string, state: RtfState): boolean {
    if (state.use !== 'text') return false;
    if (HEADER_WORDS.has(word) || FOOTER_WORDS.has(word)) {
      const place = HEADER_WORDS.has(word) ? 'header' : 'footer';
      this.#collectGroupLines(state, (text) => this.#addRtfFurniture(place, text));
      return true;
    }
    switch (word) {
      case 'listtext':
      case 'pntext': {
        const { flow } = state;
        this.#reader.captureGroupText(state, (text) => flow.setMarker(text));
        return true;
      }
      case 'footnote':
        this.#openNote(state);
        return true;
      case 'shptxt':
      case 'dptxbxtext': {
        const outer = state.flow;
        const flow = new ParagraphFlow(this.#reader.builder, (block) => outer.addAfter(block));
        this.#enterRtfFlow(state, flow, () => undefined);
        return true;
      }
      default:
        return false;
    }
  }

  #openComment(word: string, state: RtfState): boolean {
    switch (word) {
      case 'atrfstart':
        this.#reader.captureGroupText(state, (id) => this.#anchors.beginRecording(id));
        return true;
      case 'atrfend':
        this.#reader.captureGroupText(
          state,
          (id) => void this.#anchorTexts.set(id, this.#anchors.endRecording(id) ?? ''),
        );
        return true;
      case 'atnauthor':
        this.#reader.captureGroupText(state, (text) => {
          this.#commentAuthor = text;
        });
        return true;
      case 'atnref':
        this.#reader.captureGroupText(state, (text) => {
          this.#commentRef = text;
        });
        return true;
      case 'atndate':
        this.#reader.captureGroupText(state, (text) => {
          this.#commentDate = text;
        });
        return true;
      case 'annotation': {
        const outer = state.flow;
        this.#collectGroupLines(state, (text) => this.#addRtfComment(outer, text));
        return true;
      }
      default:
        return false;
    }
  }

  #addRtfComment(outer: ParagraphFlow, text: string): void {
    const author = this.#commentAuthor === '' ? null : this.#commentAuthor;
    const anchor = this.#anchorTexts.get(this.#commentRef) ?? null;
    const { builder } = this.#reader;
    builder.addDocumentComment({ author, date: readDttm(Number(this.#commentDate)), text, anchor });
    outer.writeMark(markComment(author, text));
    this.#commentAuthor = '';
    this.#commentRef = '';
    this.#commentDate = '';
  }

  #openNote(state: RtfState): void {
    const outer = state.flow;
    this.#notes += 1;
    const marker = String(this.#notes);
    outer.writeFlowSign(openSign('footnote'));
    outer.writeFlowText(`[${marker}]`);
    outer.writeFlowSign(closeSign('footnote'));
    this.isEndnote = false;
    this.#collectGroupLines(state, (text) => {
      const block: NewBlock = { kind: 'note', marker, text };
      if (this.isEndnote) this.#endnotes.push(block);
      else outer.addAfter(block);
      this.isEndnote = false;
    });
  }

  /** Collects the group's text as lines instead of blocks of the document. */
  #collectGroupLines(state: RtfState, done: (text: string) => void): void {
    const lines: string[] = [];
    const flow = new ParagraphFlow(this.#reader.builder, (block) => void lines.push(blockLines(block)));
    this.#enterRtfFlow(state, flow, () => done(lines.join('\n').trim()));
  }

  #enterRtfFlow(state: RtfState, flow: ParagraphFlow, done: () => void): void {
    resetCharacters(state, state.font);
    state.use = 'text';
    state.flow = flow;
    state.isInTable = false;
    state.style = null;
    state.outlineLevel = null;
    state.onClose = () => {
      flow.endParagraphFlow(this.#reader.currentParagraphShape());
      done();
    };
  }

  /** Adds a text once; skips page numbers. */
  #addRtfFurniture(place: 'header' | 'footer', text: string): void {
    if (!/\p{L}/u.test(text) || this.#furniture[place].has(text)) return;
    this.#furniture[place].add(text);
    if (place === 'header') this.#reader.addRtfBlock({ kind: 'page-furniture', place, text });
  }
}
