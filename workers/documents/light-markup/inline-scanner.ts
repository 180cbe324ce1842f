/**
 * Reads the marks of one text in one pass. Threat: marks that nothing closes; whether one ends does not depend on where
 * it begins, so each missing end is searched once.
 */
export class InlineScanner {
  at = 0;
  readonly source: string;
  readonly #unclosed = new Set<string>();

  constructor(source: string) {
    this.source = source;
  }

  get isInlineConsumed(): boolean {
    return this.at >= this.source.length;
  }

  /** The character at an offset from this place; empty outside the text. */
  peekInline(offset = 0): string {
    return this.source[this.at + offset] ?? '';
  }

  /** What a sticky pattern finds at this place, which is consumed; null if it does not match. */
  takeInlineMatch(pattern: RegExp): RegExpExecArray | null {
    const found = this.seeInlineMatch(pattern);
    if (found !== null) this.at += found[0].length;
    return found;
  }

  /** As `takeInlineMatch`, without consuming it. */
  seeInlineMatch(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    return pattern.exec(this.source);
  }

  /** Offset of the first end from `from` on that `isEnd` accepts; -1 without one. */
  findInlineEnd(end: string, from: number, isEnd: (at: number) => boolean = () => true): number {
    if (this.#unclosed.has(end)) return -1;
    let at = this.source.indexOf(end, from);
    while (at !== -1 && !isEnd(at)) at = this.source.indexOf(end, at + 1);
    if (at === -1) this.#unclosed.add(end);
    return at;
  }
}

const LETTERS = /[\p{L}\p{N}]+/uy;

/**
 * A text whose marks are written by `takeMark`, which consumes them. Where it gives null, a word, or else a character,
 * is no mark and stays, as what matches the sticky pattern `plain`.
 */
export function writeMarks(
  text: string,
  plain: RegExp,
  takeMark: (scanner: InlineScanner, character: string) => string | null,
): string {
  const scanner = new InlineScanner(text);
  const pieces: string[] = [];
  while (!scanner.isInlineConsumed) {
    const start = scanner.at;
    const character = scanner.peekInline();
    const written = scanner.takeInlineMatch(plain)?.[0] ?? takeMark(scanner, character);
    if (written !== null) {
      pieces.push(written);
      continue;
    }
    scanner.at = start;
    const word = scanner.takeInlineMatch(LETTERS)?.[0];
    if (word === undefined) scanner.at = start + 1;
    pieces.push(word ?? character);
  }
  return pieces.join('');
}

/** Characters that names may add to a document of any length. */
const EXPANDED_ALWAYS = 200_000;

/** Bounds what names that stand for a text add to a document. */
export class ExpansionBudget {
  #left = EXPANDED_ALWAYS;

  constructor(lines: readonly string[]) {
    for (const line of lines) this.#left += line.length;
  }

  /** Whether a text may be written once more. */
  mayExpand(text: string): boolean {
    this.#left -= text.length + 1;
    return this.#left >= 0;
  }
}
