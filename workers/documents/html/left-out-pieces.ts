import type { LeftOutReason } from '../../../src-server/platform/source-account.ts';
import { BLOCK, isTextless, kindsOf } from './tags.ts';

/** A text that a reader leaves out, in pieces. */
export interface LeftOutTextPieces {
  reason: LeftOutReason;
  pieces: readonly string[];
}

/** Collects the text that a reader leaves out of a page, by reason. It hears of every tag. */
export class LeftOutPieces {
  readonly #pieces = new Map<LeftOutReason, string[]>();
  #depth = 0;
  /** Depth of the tag whose text is not shown; 0 outside one. */
  #silent = 0;

  openLeftOutTag(tag: string): void {
    this.#depth += 1;
    if (this.#silent === 0 && isTextless(tag)) this.#silent = this.#depth;
    this.#endLine(tag);
  }

  closeLeftOutTag(tag: string): void {
    if (this.#silent === this.#depth) this.#silent = 0;
    this.#depth -= 1;
    this.#endLine(tag);
  }

  addLeftOutPiece(reason: LeftOutReason, text: string): void {
    if (this.#silent > 0) return;
    const pieces = this.#pieces.get(reason);
    if (pieces === undefined) this.#pieces.set(reason, [text]);
    else pieces.push(text);
  }

  listLeftOutTexts(): LeftOutTextPieces[] {
    return Array.from(this.#pieces, ([reason, pieces]) => ({ reason, pieces }));
  }

  #endLine(tag: string): void {
    if (this.#pieces.size === 0 || (kindsOf(tag) & BLOCK) === 0) return;
    for (const pieces of this.#pieces.values()) if (pieces.at(-1) !== '\n') pieces.push('\n');
  }
}
