import { diffWordsWithSpace } from 'diff';
import { contributions as contributionsTexts } from './texts.ts';

/** A run of words: in both texts, only in the old one, or only in the new one. */
export interface Run {
  value: string;
  kind: 'same' | 'removed' | 'added';
}

/** The difference of two texts by words, in reading order. */
export function wordDiff(before: string, after: string): Run[] {
  return diffWordsWithSpace(before, after).map(({ value, added, removed }) => {
    return { value, kind: added ? 'added' : removed ? 'removed' : 'same' };
  });
}

const TITLE_CHARS = 60;

/** What a correction is about: `“brakes” should be “breaks”`. */
export function titleOfDiff(runs: readonly Run[]): string {
  const t = contributionsTexts;
  const changes: { removed: string; added: string }[] = [];
  let isOpen = false;
  for (const { value, kind } of runs) {
    // Spaces between two changed words do not separate the changes.
    if (kind === 'same' && value.trim() !== '') isOpen = false;
    if (kind === 'same') continue;
    if (!isOpen) changes.push({ removed: '', added: '' });
    isOpen = true;
    const change = changes.at(-1);
    if (change !== undefined) change[kind] = `${change[kind]} ${value.trim()}`.trim();
  }
  const [only] = changes;
  if (only === undefined || changes.length > 1) return t.changes({ count: changes.length });
  if (only.removed === '') return t.added({ words: shortTitle(only.added) });
  return only.added === ''
    ? t.removed({ words: shortTitle(only.removed) })
    : t.replaced({ before: shortTitle(only.removed), after: shortTitle(only.added) });
}

/** The start of a text, for a title. */
export function shortTitle(text: string): string {
  return text.length <= TITLE_CHARS ? text : `${text.slice(0, TITLE_CHARS).trimEnd()}…`;
}
