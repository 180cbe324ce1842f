import type { BlockLink } from '../blocks.ts';
import { MARKS } from '../marks.ts';

/** A paragraph's text as blocks carry it, and what stood in it. */
export interface FinishedText {
  text: string;
  pageBreaks: number[];
  links: BlockLink[];
}

const MARK_OR_TEXT = /[\uFDD0-\uFDEF]|[^\uFDD0-\uFDEF]+/g;
const CODE_TAB = '    ';

/** Takes the marks out of a paragraph's raw text, and brings its white space and its Unicode into one form. */
export function finishText(raw: string, urls: readonly string[], keepsSpaces: boolean): FinishedText {
  const line = keepsSpaces ? new VerbatimLine() : new SpacedLine();
  const pageBreaks: number[] = [];
  const links: BlockLink[] = [];
  let number: string | null = null;
  let open: { url: string; start: number } | null = null;
  const closeLink = () => {
    if (open !== null && open.url !== '' && line.length > open.start) links.push({ ...open, end: line.length });
    open = null;
  };
  for (const [part] of raw.matchAll(MARK_OR_TEXT)) {
    switch (part) {
      case MARKS.page:
        pageBreaks.push(line.nextStart());
        break;
      case MARKS.line:
        line.breakLine();
        break;
      case MARKS.tab:
        line.add(keepsSpaces ? CODE_TAB : ' ');
        break;
      case MARKS.linkOpen:
        closeLink();
        number = '';
        break;
      case MARKS.linkText:
        open = number === null ? null : { url: urls[Number(number)] ?? '', start: line.nextStart() };
        number = null;
        break;
      case MARKS.linkClose:
        closeLink();
        break;
      default:
        if (number === null) line.add(part.normalize('NFC'));
        else number += part;
    }
  }
  closeLink();
  const text = line.finish();
  return { text, pageBreaks: pageBreaks.map((at) => Math.min(at, text.length)), links };
}

/** Running text: one space between words, none at the ends of a line, no empty lines at either end. */
class SpacedLine {
  length = 0;
  private readonly pieces: string[] = [];
  /** White space that is written once a word follows it: a space, or line breaks. */
  private pending = '';

  add(text: string): void {
    const words = text.replace(/[ \t\r\n]+/g, ' ');
    const hasLead = words.startsWith(' ');
    const body = words.slice(hasLead ? 1 : 0, words.endsWith(' ') ? -1 : undefined);
    if (hasLead) this.addSpace();
    if (body === '') return;
    this.put(this.pending);
    this.pending = '';
    this.put(body);
    if (words.endsWith(' ')) this.addSpace();
  }

  breakLine(): void {
    if (this.length > 0) this.pending = this.pending === ' ' ? '\n' : `${this.pending}\n`;
  }

  /** Where the next word will begin. */
  nextStart(): number {
    return this.length + this.pending.length;
  }

  finish(): string {
    return this.pieces.join('');
  }

  private addSpace(): void {
    if (this.length > 0 && this.pending === '') this.pending = ' ';
  }

  private put(piece: string): void {
    this.pieces.push(piece);
    this.length += piece.length;
  }
}

/** Code: every space counts. */
class VerbatimLine {
  length = 0;
  private readonly pieces: string[] = [];

  add(text: string): void {
    this.put(text.replace(/[\r\n]+/g, ' '));
  }

  breakLine(): void {
    this.put('\n');
  }

  nextStart(): number {
    return this.length;
  }

  finish(): string {
    return this.pieces.join('').trimEnd();
  }

  private put(piece: string): void {
    this.pieces.push(piece);
    this.length += piece.length;
  }
}
