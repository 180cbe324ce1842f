/**
 * File format for the drafts of a batch of pages. First come the data by which pages are compared, for all pages,
 * because one pass reads only these; then the texts, which are copied into the outputs. Numbers have the byte order of
 * the processor: only processes on the same machine read the file.
 */

import { KIB } from '../../src-server/platform/units.ts';
import type { DraftFacts, NewDraft } from './page-draft.ts';
import { BatchReader, ByteWriter } from './page-files.ts';
import type { WordList } from './page-words.ts';
import type { PageLink } from './scan-page.ts';
import type { BlockPrints } from './site-survey.ts';

/** Numbers before a page's own data: its id and the lengths of the parts. */
const HEAD_INTS = 9;

const INT_BYTES = Int32Array.BYTES_PER_ELEMENT;

/** Bytes read together with the length of the comparison data: in most batches all of it. */
const FIRST_READ_BYTES = 64 * KIB;

/** Serialises the drafts of a batch. */
export class DraftWriter {
  readonly #heads = new ByteWriter();
  readonly #texts = new ByteWriter();
  readonly #pieces = new ByteWriter();

  constructor() {
    this.clear();
  }

  add({ id, prints, own, words, facts, links, ...texts }: NewDraft): void {
    // The strings come first, because their byte lengths are not known before.
    this.#pieces.clear();
    const factBytes = this.#pieces.text(JSON.stringify(facts));
    const linkBytes = this.#pieces.text(JSON.stringify(links));
    this.#pieces.align();
    const textBytes = this.#texts.text(texts.texts);
    const guardrailBytes = this.#texts.text(texts.guardrails);
    let chunkBytes = 0;
    for (const line of texts.chunkLines) chunkBytes += this.#texts.text(line);
    const { hashes, marks } = prints;
    const head = [id, hashes.length, words.hashes.length, words.letters.length, factBytes, linkBytes];
    this.#heads.view(Int32Array.of(...head, textBytes, guardrailBytes, chunkBytes));
    for (const view of [hashes, marks, own, words.hashes, words.counts, words.compared, words.lengths, words.letters]) {
      this.#heads.view(view);
    }
    this.#heads.bytes(this.#pieces.written);
  }

  clear(): void {
    this.#heads.clear();
    this.#texts.clear();
    // Reserves the offset of the texts, which `written` fills in.
    this.#heads.view(new Int32Array(1));
  }

  /** The batch's bytes, in two pieces. */
  written(): [Buffer, Buffer] {
    const heads = this.#heads.written;
    heads.writeInt32LE(heads.length, 0);
    return [heads, this.#texts.written];
  }
}

/** A draft as views of memory, valid until the next read. */
export interface Draft {
  id: number;
  prints: BlockPrints;
  own: Uint8Array;
  words: WordList;
  facts(): DraftFacts;
  links(): PageLink[];
  /** As in NewDraft; empty if only the comparison data was read. */
  texts: Buffer;
  guardrails: Buffer;
  chunkLines: Buffer;
}

/** Reads the drafts of batches in sequence into the same memory. */
export class DraftReader {
  readonly #batches: BatchReader;

  /** `path` of a batch file. */
  constructor(path: string) {
    this.#batches = new BatchReader(path);
  }

  /** The comparison data of a batch's pages, and with `whole` their texts. Null if the batch has no drafts. */
  read(batch: number, whole: boolean): Draft[] | null {
    const wanted = whole ? Number.POSITIVE_INFINITY : FIRST_READ_BYTES;
    let bytes = this.#batches.read(batch, wanted);
    if (bytes === null) return null;
    const headBytes = bytes.readInt32LE(0);
    if (headBytes > bytes.length) bytes = this.#batches.read(batch, headBytes) ?? bytes;
    return draftsIn(bytes.subarray(0, headBytes), bytes.subarray(headBytes));
  }

  close(): void {
    this.#batches.close();
  }
}

/** The drafts in the two pieces of a batch; the second may be missing. */
export function draftsIn(heads: Buffer, texts: Buffer): Draft[] {
  const drafts: Draft[] = [];
  const head = new Cursor(heads, INT_BYTES);
  const text = new Cursor(texts, 0);
  while (head.at < heads.length) drafts.push(draftAt(head, text));
  return drafts;
}

function draftAt(head: Cursor, text: Cursor): Draft {
  const ints = head.ints(HEAD_INTS);
  const lengthAt = (index: number) => ints[index] ?? 0;
  const [blocks, words] = [lengthAt(1), lengthAt(2)];
  const prints = { hashes: head.ints(blocks), marks: head.padded(blocks) };
  const own = head.padded(blocks);
  const ofWords = { hashes: head.ints(words), counts: head.ints(words) };
  const flags = { compared: head.padded(words), lengths: head.padded(words) };
  const letters = head.units(lengthAt(3));
  const facts = head.bytes(lengthAt(4));
  const links = head.bytes(lengthAt(5));
  head.align();
  return {
    id: lengthAt(0),
    prints,
    own,
    words: { ...ofWords, ...flags, letters },
    facts: () => JSON.parse(facts.toString('utf8')) as DraftFacts,
    links: () => JSON.parse(links.toString('utf8')) as PageLink[],
    texts: text.bytes(lengthAt(6)),
    guardrails: text.bytes(lengthAt(7)),
    chunkLines: text.bytes(lengthAt(8)),
  };
}

/** Reads values from a buffer in sequence, with the alignment of DraftWriter. */
class Cursor {
  at: number;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  ints(length: number): Int32Array {
    const ints = new Int32Array(this.#bytes.buffer, this.#bytes.byteOffset + this.at, length);
    this.at += length * INT_BYTES;
    return ints;
  }

  units(length: number): Uint16Array {
    const units = new Uint16Array(this.#bytes.buffer, this.#bytes.byteOffset + this.at, length);
    this.at += length * Uint16Array.BYTES_PER_ELEMENT;
    this.align();
    return units;
  }

  padded(length: number): Buffer {
    const bytes = this.bytes(length);
    this.align();
    return bytes;
  }

  bytes(length: number): Buffer {
    this.at += length;
    return this.#bytes.subarray(this.at - length, this.at);
  }

  align(): void {
    this.at += -this.at & 3;
  }
}
