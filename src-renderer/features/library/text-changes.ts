/** The differences of two texts by blocks and words. Pure, so that a worker can run it. */
import { diffArrays, diffWordsWithSpace } from 'diff';

/** A run of words: in both texts, only in the old one, or only in the new one. */
export interface Run {
  value: string;
  kind: 'same' | 'removed' | 'added';
}

export type Change =
  /** Blocks that both texts have. */
  | { kind: 'same'; blocks: readonly string[]; words: number }
  /** A block of which words differ, or that one text does not have: then its runs are null. */
  | { kind: 'change'; before: readonly Run[] | null; after: readonly Run[] | null };

export interface Changes {
  rows: readonly Change[];
  changed: number;
  wordsBefore: number;
  wordsAfter: number;
}

/** Beyond this many changed blocks, the search for the least of them takes too long. */
const EDITS_MAX = 3000;

/** Longer blocks are compared as a whole. */
const WORDS_COMPARED_MAX = 4000;

/** The least share of words of a pair; below it, one block was taken away and another one is new. */
const ALIKE_MIN = 0.3;

export function textChanges(before: string, after: string): Changes {
  const [old, young] = [blocksOf(before), blocksOf(after)];
  const parts = diffArrays(old, young, { maxEditLength: EDITS_MAX }) ?? [
    { value: old, added: false, removed: true },
    { value: young, added: true, removed: false },
  ];
  const rows: Change[] = [];
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index];
    if (part === undefined) continue;
    const next = parts[index + 1];
    if (!part.added && !part.removed) {
      rows.push({ kind: 'same', blocks: part.value, words: countWords(part.value.join(' ')) });
    } else if (part.removed && next?.added === true) {
      rows.push(...pairs(part.value, next.value));
      index += 1;
    } else for (const block of part.value) rows.push(oneSided(block, part.removed === true));
  }
  const changed = rows.filter(({ kind }) => kind === 'change').length;
  return { rows, changed, wordsBefore: countWords(before), wordsAfter: countWords(after) };
}

/** Blocks in a row that were taken away, beside those that came in their place. */
function pairs(removed: readonly string[], added: readonly string[]): Change[] {
  const rows: Change[] = [];
  let at = 0;
  for (const block of removed) {
    const found = added.findIndex((other, place) => place >= at && place < at + 4 && alike(block, other) >= ALIKE_MIN);
    if (found < 0) {
      rows.push(oneSided(block, true));
      continue;
    }
    for (const other of added.slice(at, found)) rows.push(oneSided(other, false));
    rows.push(twoSided(block, added[found] ?? ''));
    at = found + 1;
  }
  for (const other of added.slice(at)) rows.push(oneSided(other, false));
  return rows;
}

function oneSided(block: string, isOld: boolean): Change {
  const runs = [{ value: block, kind: isOld ? ('removed' as const) : ('added' as const) }];
  return { kind: 'change', before: isOld ? runs : null, after: isOld ? null : runs };
}

function twoSided(before: string, after: string): Change {
  if (countWords(before) + countWords(after) > WORDS_COMPARED_MAX) {
    return {
      kind: 'change',
      before: [{ value: before, kind: 'removed' }],
      after: [{ value: after, kind: 'added' }],
    };
  }
  const runs = diffWordsWithSpace(before, after).map(
    ({ value, added, removed }): Run => ({ value, kind: added ? 'added' : removed ? 'removed' : 'same' }),
  );
  return {
    kind: 'change',
    before: runs.filter(({ kind }) => kind !== 'added'),
    after: runs.filter(({ kind }) => kind !== 'removed'),
  };
}

/** The share of words that two blocks have in common. */
function alike(one: string, other: string): number {
  const [words, others] = [wordsOf(one), wordsOf(other)];
  const known = new Set(others);
  const common = words.filter((word) => known.has(word)).length;
  return common / Math.max(1, Math.min(words.length, others.length));
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function countWords(text: string): number {
  return text.split(/\s+/).filter((word) => word !== '').length;
}

/** Paragraphs, headings, lists and tables. */
function blocksOf(text: string): string[] {
  return text
    .split(/\n[ \t]*\n/)
    .map((block) => block.trim())
    .filter((block) => block !== '');
}
