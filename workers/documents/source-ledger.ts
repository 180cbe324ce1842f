import type { SourceAccount } from '../../src-server/platform/source-account.ts';
import type { Said } from '../../src-server/platform/text/say.ts';
import type { LeftOutText, SourceText } from './letter-account.ts';

export interface ReadSheet {
  name: string;
  /** The page of its blocks; null if it is not read. */
  page: number | null;
  /** Why cells may be missing. */
  reason: 'hidden' | 'over-limit' | null;
  /** Cells with a value that their format does not show. */
  hiddenCells: number;
  /** Cells whose text is not in the file. */
  lostCells: number;
  /** Of its charts, in the tables of the result. */
  drawnCells: number;
}

/**
 * What a parser found in its source on a path of its own, close to the bytes: all text that the result owes, and what
 * it leaves out. The blocks are compared with it when the document is finished.
 */
export class SourceLedger {
  /** The sheets of a workbook in its order, as the parser reads them. */
  readonly sheets: ReadSheet[] = [];
  /** The account of the cells of each workbook. */
  readonly cells: SourceAccount[] = [];
  readonly warnings: Said[] = [];
  /** Numbers of the files inside that have no counter of letters. */
  readonly uncounted = new Set<number>();
  readonly source: SourceText[] = [];
  readonly optional: string[] = [];
  readonly beside: string[] = [];
  readonly leftOut: LeftOutText[] = [];
  readonly #prefix: string;

  constructor(prefix = '') {
    this.#prefix = prefix;
  }

  /** Text that the result owes, in source order; paragraphs and cells are separated by `\n`. */
  addOwedText(place: string, text: string): void {
    this.source.push({ place: this.#prefixedPlace(place), text });
  }

  /** Text of the source that the result may hold but does not owe, as a picture's description. */
  mayHold(text: string): void {
    this.optional.push(text);
  }

  /** Text that the result holds outside its blocks, as values of a header that become metadata. */
  holdsBeside(text: string): void {
    this.beside.push(text);
  }

  /** A part of the source, also given to `add`, that is not in the result. */
  recordLeftOutText(entry: LeftOutText): void {
    if (entry.text.trim() === '' && entry.sample === undefined) return;
    this.leftOut.push({ ...entry, where: this.#prefixedPlace(entry.where) });
  }

  /** The ledger of a file inside the source. Nothing of it counts before `take`. */
  openPartLedger(name: string): SourceLedger {
    return new SourceLedger(this.#prefixedPlace(name));
  }

  /** `number` is the running number of the file. */
  takePartLedger(part: SourceLedger, number: number): void {
    if (part.source.length === 0) this.uncounted.add(number);
    this.addAll(part);
  }

  /** Adds all that another ledger has received. */
  addAll(part: SourceLedger): void {
    for (const one of part.source) this.source.push(one);
    for (const one of part.optional) this.optional.push(one);
    for (const one of part.beside) this.beside.push(one);
    for (const one of part.leftOut) this.leftOut.push(one);
    this.cells.push(...part.cells);
    this.warnings.push(...part.warnings);
    for (const number of part.uncounted) this.uncounted.add(number);
  }

  #prefixedPlace(place: string): string {
    if (this.#prefix === '') return place;
    return place === '' ? this.#prefix : `${this.#prefix}, ${place}`;
  }
}
