/** The words of a language as Tesseract's trained data has them: a directed acyclic word graph (DAWG) of characters. */

import { readFileSync } from 'node:fs';

export type IsWord = (word: string) => boolean;

/** Places in the file's table of parts. */
const WORDS_PART = 19;

const CHARACTERS_PART = 21;

const PARTS_MAX = 64;

const MAGIC = 42;

const HEADER_BYTES = 10;

const EDGE_BYTES = 8;

/** Flags of an edge, above the bits of its character. */
const FLAG_BITS = 3;
const IS_LAST = 1;
const GOES_BACK = 2;
const ENDS_WORD = 4;

const WORD_CHARS_MAX = 60;

let kept: { path: string; isWord: IsWord | null } | null = null;

/** Whether a word is in the list of the trained data at `path`; null if it has none. The last list stays in memory. */
export function openWordList(path: string): IsWord | null {
  if (kept?.path !== path) kept = { path, isWord: readWordList(readFileSync(path)) };
  return kept.isWord;
}

function readWordList(data: Buffer): IsWord | null {
  const words = partOf(data, WORDS_PART);
  const characters = partOf(data, CHARACTERS_PART);
  if (words === null || characters === null || words.length < HEADER_BYTES) return null;
  const edges = words.readInt32LE(6);
  if (words.readInt16LE(0) !== MAGIC || edges < 1 || words.length < HEADER_BYTES + edges * EDGE_BYTES) return null;
  const ids = characterIds(characters.toString('utf8'));
  const graph = new WordGraph(words.subarray(HEADER_BYTES), edges, words.readInt32LE(2));
  return (word) => word.length <= WORD_CHARS_MAX && graph.hasWord([...word].map((sign) => ids.get(sign) ?? -1));
}

/** A part of the file ends where the next one begins. */
function partOf(data: Buffer, part: number): Buffer | null {
  const count = data.length < 4 ? 0 : data.readInt32LE(0);
  if (count <= part || count > PARTS_MAX || data.length < 4 + count * 8) return null;
  const starts = Array.from({ length: count }, (_, at) => Number(data.readBigInt64LE(4 + at * 8)));
  const start = starts[part] ?? -1;
  if (start < 0 || start >= data.length) return null;
  return data.subarray(start, Math.min(data.length, ...starts.filter((other) => other > start)));
}

/** The first line counts the characters; each of the next ones begins with one. */
function characterIds(text: string): Map<string, number> {
  const [, ...lines] = text.split('\n');
  return new Map(lines.map((line, id) => [line.split(' ', 1)[0] ?? '', id]));
}

class WordGraph {
  readonly #edges: Buffer;
  readonly #count: number;
  readonly #characterBits: number;

  constructor(edges: Buffer, count: number, characters: number) {
    this.#edges = edges;
    this.#count = count;
    this.#characterBits = Math.ceil(Math.log2(characters + 1));
  }

  hasWord(characters: readonly number[]): boolean {
    let node = 0;
    for (const [at, character] of characters.entries()) {
      const isLast = at === characters.length - 1;
      const edge = this.#edgeFrom(node, character, isLast);
      if (edge === null) return false;
      if (isLast) return true;
      if (edge.next === 0) return false;
      node = edge.next;
    }
    return false;
  }

  /** The edges of a node follow each other; the last one is marked. */
  #edgeFrom(node: number, character: number, endsWord: boolean): { next: number } | null {
    const flagsAt = this.#characterBits;
    const nextAt = flagsAt + FLAG_BITS;
    for (let at = node; at < this.#count; at += 1) {
      const low = this.#edges.readUInt32LE(at * EDGE_BYTES);
      const flags = (low >>> flagsAt) & 7;
      const isFound = (low & ((1 << flagsAt) - 1)) === character && (flags & GOES_BACK) === 0;
      if (isFound && (!endsWord || (flags & ENDS_WORD) !== 0)) {
        const high = this.#edges.readUInt32LE(at * EDGE_BYTES + 4);
        return { next: (low >>> nextAt) + high * 2 ** (32 - nextAt) };
      }
      if ((flags & IS_LAST) !== 0) return null;
    }
    return null;
  }
}
