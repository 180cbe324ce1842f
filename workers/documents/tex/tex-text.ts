import { closeSign, type InlineKind, openSign } from '../inline-marks.ts';

/** A mark of a group in braces. `sign` opens it. */
interface GroupMark {
  kind: InlineKind;
  sign: string;
}

const PLAIN: readonly GroupMark[] = [];

/** Text whose marks end where their group in braces does, over any number of paragraphs. */
export class TexText {
  #pieces: string[] = [];
  readonly #groups: (readonly GroupMark[])[] = [];
  /** Marks whose signs stand in the text, from the outermost. */
  readonly #open: GroupMark[] = [];

  putTex(text: string): void {
    if (text !== '') this.#pieces.push(text);
  }

  openGroup(): void {
    this.#groups.push(PLAIN);
  }

  /** A mark up to the end of the innermost group. One inside another of its kind adds nothing. */
  markGroup(kind: InlineKind, sign = openSign(kind)): void {
    if (this.#open.some((mark) => mark.kind === kind)) return;
    const mark = { kind, sign };
    this.#groups.push([...(this.#groups.pop() ?? PLAIN), mark]);
    this.#open.push(mark);
    this.#pieces.push(sign);
  }

  closeGroup(): void {
    const marks = this.#groups.pop() ?? PLAIN;
    for (const mark of marks.toReversed()) {
      this.#open.splice(this.#open.indexOf(mark), 1);
      this.#pieces.push(closeSign(mark.kind));
    }
  }

  /** The text so far; marks go on in the text that follows. */
  takeTex(): string {
    const ends = this.#open.toReversed().map(({ kind }) => closeSign(kind));
    const text = this.#pieces.join('') + ends.join('');
    this.#pieces = this.#open.map(({ sign }) => sign);
    return text;
  }
}
