import type { NewBlock } from '../document-builder.ts';
import { ParagraphFlow } from '../paragraph-flow.ts';
import { markComment } from '../revision-marks.ts';
import { symbolOfField } from '../symbol-fonts.ts';
import { blockLines } from '../table-text.ts';
import { TextRecorder } from '../text-recorder.ts';
import { readDttm } from '../word-dates.ts';
import type { RtfReader } from './rtf-reader.ts';
import { FOOTER_WORDS, HEADER_WORDS, isMathProperty, SKIPPED_DESTINATIONS, STARRED_TEXT } from './rtf-words.ts';
import { type RtfState, resetCharacters } from './state.ts';

/** Knows what the groups of an RTF document are for, by their first words, and keeps what stands beside the text. */
export class RtfDestinations {
  readonly #reader: RtfReader;
  readonly #anchors = new TextRecorder();
  readonly #anchorTexts = new Map<string, string>();
  readonly #furniture = { header: new Set<string>(), footer: new Set<string>() };
  readonly #endnotes: NewBlock[] = [];
  #notes = 0;
  #commentAuthor = '';
  #commentRef = '';
  #commentDate = '';
  title = '';
  author = '';
  /** The note that is open stands at the document's end. */
  isEndnote = false;

  constructor(reader: RtfReader) {
    this.#reader = reader;
  }

  /** Whether the word says what the group is for; the group is then set up for it. */
  open(word: string, state: RtfState): boolean {
    const isField = word === 'fldinst' && state.use === 'text';
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

  /** Text of the body, for the comments that span it. */
  see(text: string): void {
    this.#anchors.see(text);
  }

  /** What comes behind the text: endnotes and footers. */
  trailing(): NewBlock[] {
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
        this.#reader.capture(state, (text) => {
          this.title = text;
        });
        return true;
      case 'author':
        this.#reader.capture(state, (text) => {
          this.author = text;
        });
        return true;
      case 'revtbl':
        this.#reader.capture(state, (text) => this.#reader.tables.setAuthors(text));
        return true;
      default:
        return false;
    }
  }

  #openText(word: string, state: RtfState): boolean {
    if (state.use !== 'text') return false;
    if (HEADER_WORDS.has(word) || FOOTER_WORDS.has(word)) {
      const place = HEADER_WORDS.has(word) ? 'header' : 'footer';
      this.#collect(state, (text) => this.#addFurniture(place, text));
      return true;
    }
    switch (word) {
      case 'listtext':
      case 'pntext': {
        const { flow } = state;
        this.#reader.capture(state, (text) => flow.setMarker(text));
        return true;
      }
      case 'footnote':
        this.#openNote(state);
        return true;
      case 'fldinst':
        this.#reader.capture(state, (text) => this.#reader.write(symbolOfField(text)));
        return true;
      case 'shptxt':
      case 'dptxbxtext': {
        const outer = state.flow;
        const flow = new ParagraphFlow(this.#reader.builder, (block) => outer.addAfter(block));
        this.#enter(state, flow, () => undefined);
        return true;
      }
      default:
        return false;
    }
  }

  #openComment(word: string, state: RtfState): boolean {
    switch (word) {
      case 'atrfstart':
        this.#reader.capture(state, (id) => this.#anchors.begin(id));
        return true;
      case 'atrfend':
        this.#reader.capture(state, (id) => void this.#anchorTexts.set(id, this.#anchors.end(id) ?? ''));
        return true;
      case 'atnauthor':
        this.#reader.capture(state, (text) => {
          this.#commentAuthor = text;
        });
        return true;
      case 'atnref':
        this.#reader.capture(state, (text) => {
          this.#commentRef = text;
        });
        return true;
      case 'atndate':
        this.#reader.capture(state, (text) => {
          this.#commentDate = text;
        });
        return true;
      case 'annotation': {
        const outer = state.flow;
        this.#collect(state, (text) => this.#addComment(outer, text));
        return true;
      }
      default:
        return false;
    }
  }

  #addComment(outer: ParagraphFlow, text: string): void {
    const author = this.#commentAuthor === '' ? null : this.#commentAuthor;
    const anchor = this.#anchorTexts.get(this.#commentRef) ?? null;
    const { builder } = this.#reader;
    builder.addComment({ author, date: readDttm(Number(this.#commentDate)), text, anchor });
    outer.writeMark(markComment(author, text));
    this.#commentAuthor = '';
    this.#commentRef = '';
    this.#commentDate = '';
  }

  #openNote(state: RtfState): void {
    const outer = state.flow;
    this.#notes += 1;
    const marker = String(this.#notes);
    outer.write(`[${marker}]`);
    this.isEndnote = false;
    this.#collect(state, (text) => {
      const block: NewBlock = { kind: 'note', marker, text };
      if (this.isEndnote) this.#endnotes.push(block);
      else outer.addAfter(block);
      this.isEndnote = false;
    });
  }

  /** Text of the group becomes lines instead of blocks of the document. */
  #collect(state: RtfState, done: (text: string) => void): void {
    const lines: string[] = [];
    const flow = new ParagraphFlow(this.#reader.builder, (block) => void lines.push(blockLines(block)));
    this.#enter(state, flow, () => done(lines.join('\n').trim()));
  }

  #enter(state: RtfState, flow: ParagraphFlow, done: () => void): void {
    resetCharacters(state, state.font);
    state.use = 'text';
    state.flow = flow;
    state.isInTable = false;
    state.style = null;
    state.outlineLevel = null;
    state.onClose = () => {
      flow.end(this.#reader.shape());
      done();
    };
  }

  /** A page number alone says nothing about the document, and each text is there once. */
  #addFurniture(place: 'header' | 'footer', text: string): void {
    if (!/\p{L}/u.test(text) || this.#furniture[place].has(text)) return;
    this.#furniture[place].add(text);
    if (place === 'header') this.#reader.add({ kind: 'page-furniture', place, text });
  }
}
