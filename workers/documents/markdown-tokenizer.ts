/**
 * Threat: marks of emphasis that nothing closes. From each of them marked looks through all that follows in the
 * paragraph, and again inside of what it finds: 20 kB of `*a_` took half a minute.
 */
import { Tokenizer, type Tokens } from 'marked';

/** Characters in which an emphasis must end: nobody sets whole pages in italics by hand. */
const REACH_CHARS = 2000;
/** Characters looked through for each of the text, and for any text; beyond it marks stand as they are written. */
const WORK_PER_CHARACTER = 100;
const WORK_ALWAYS = 1_000_000;

/** Reads emphasis and struck text as long as all of it together takes no more time than a text of that length may. */
export class BoundedTokenizer extends Tokenizer {
  #workLeft: number;

  constructor(textLength: number) {
    super();
    this.#workLeft = WORK_ALWAYS + textLength * WORK_PER_CHARACTER;
  }

  override emStrong(src: string, masked: string, before?: string): Tokens.Em | Tokens.Strong | undefined {
    if (!MARKS.has(src[0] ?? '') || !this.#mayLook(src)) return undefined;
    return super.emStrong(src.slice(0, REACH_CHARS), within(masked, src.length), before);
  }

  override del(src: string, masked: string, before?: string): Tokens.Del | undefined {
    if (src[0] !== STRIKE || !this.#mayLook(src)) return undefined;
    return super.del(src.slice(0, REACH_CHARS), within(masked, src.length), before);
  }

  /** Looks for the at sign of a mail address through all that one may hold, also from every mark inside of a word. */
  override inlineText(src: string): Tokens.Text | undefined {
    return super.inlineText(src.slice(0, REACH_CHARS));
  }

  override url(src: string): Tokens.Link | undefined {
    return super.url(src.slice(0, REACH_CHARS));
  }

  #mayLook(src: string): boolean {
    this.#workLeft -= Math.min(src.length, REACH_CHARS);
    return this.#workLeft >= 0;
  }
}

const MARKS = new Set(['*', '_']);
const STRIKE = '~';

/** The part of the masked text that is looked through: it ends as the text does. */
function within(masked: string, length: number): string {
  const start = masked.length - length;
  return masked.slice(start, start + REACH_CHARS);
}
