/** Which blocks of a page are quoted: those in quotations and in admonitions, one within another. */

import type { NewBlock } from '../document-builder.ts';
import { type CalloutKind, calloutKind, isCalloutTitle } from './callouts.ts';

const MAX_DEPTH = 10;

type Attributes = Readonly<Record<string, string>>;

export class Quotations {
  /** Depths of the open quoting elements. */
  readonly #open: number[] = [];
  /** The kind of an admonition without a block so far. */
  #callout: CalloutKind | null = null;
  #calloutDepth = 0;
  #titleDepth = 0;
  #hasTitle = false;

  /** Whether an admonition has begun and has no text: a table there is layout. */
  get isAtCalloutStart(): boolean {
    return this.#callout !== null;
  }

  openQuotation(tag: string, attributes: Attributes, depth: number): void {
    if (attributes.class === undefined && tag !== 'blockquote' && tag !== 'summary') return;
    const kind = attributes.class === undefined ? null : calloutKind(tag, attributes);
    if (tag === 'blockquote' || kind !== null) this.#open.push(depth);
    if (kind !== null) {
      this.#callout = kind;
      this.#calloutDepth = depth;
      this.#hasTitle = false;
    } else if (this.#callout !== null && isCalloutTitle(tag, attributes)) {
      this.#hasTitle = true;
      this.#titleDepth = depth;
    }
  }

  closeQuotation(depth: number): void {
    if (this.#open.at(-1) === depth) this.#open.pop();
    if (this.#callout !== null && this.#calloutDepth >= depth) this.#callout = null;
    if (this.#titleDepth === depth) this.#titleDepth = 0;
  }

  /** States the quotation that a new block is in. */
  quoteBlock(block: NewBlock): void {
    const quotes = Math.min(this.#open.length, MAX_DEPTH);
    if (quotes === 0 || block.kind === 'comment' || block.kind === 'page-furniture') return;
    block.isQuoted = true;
    if (quotes > 1) block.quoteDepth = quotes;
    if (this.#callout === null) return;
    block.callout = this.#callout;
    this.#callout = null;
    if (this.#titleDepth > 0 && this.#hasTitle) block.hasCalloutTitle = true;
  }
}
