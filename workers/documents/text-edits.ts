/** Edits of a text: what a correction changes, and where places of the text are afterwards. */

import { diffArrays } from 'diff';
import { itemAt } from '../../src-server/platform/item-at.ts';

/** Replaces the UTF-16 code units `from` to `to` by a text. */
export interface TextEdit {
  from: number;
  to: number;
  by: string;
}

/** A correction that changes more replaces the whole range between its first and last change. */
const CHANGES_MAX = 2000;

const TOKEN = /[\p{L}\p{N}\p{M}]+|\s+|[^\p{L}\p{N}\p{M}\s]/gu;

/** The edits that turn one text into another, ascending, by whole words and marks. None only inserts. */
export function editsBetween(before: string, after: string): TextEdit[] {
  if (before === after) return [];
  const [old, now] = [before.match(TOKEN) ?? [], after.match(TOKEN) ?? []];
  const changes = diffArrays(old, now, { maxEditLength: CHANGES_MAX });
  if (changes === undefined) return [widenInsertion(wholeEdit(before, after), before)];
  const edits: TextEdit[] = [];
  let place = 0;
  let open: TextEdit | null = null;
  for (const { value, added, removed } of changes) {
    const text = value.join('');
    if (!added && !removed) {
      place += text.length;
      open = null;
      continue;
    }
    if (open === null) {
      open = { from: place, to: place, by: '' };
      edits.push(open);
    }
    if (added) open.by += text;
    else {
      place += text.length;
      open.to = place;
    }
  }
  return edits.map((edit) => widenInsertion(edit, before));
}

/** An insertion as the replacement of a neighbouring character, which says to which side it belongs. */
function widenInsertion(edit: TextEdit, text: string): TextEdit {
  const { from, to, by } = edit;
  if (from < to || text === '') return edit;
  const [before = '', after = ''] = [text[from - 1], text[from]];
  const isLeft = after === '' || (before.trim() !== '' && after.trim() === '');
  return isLeft ? { from: from - 1, to, by: before + by } : { from, to: to + 1, by: by + after };
}

/** One edit from the first to the last character that differ. */
function wholeEdit(before: string, after: string): TextEdit {
  const most = Math.min(before.length, after.length);
  let from = 0;
  while (from < most && before[from] === after[from]) from += 1;
  let same = 0;
  while (same < most - from && before[before.length - 1 - same] === after[after.length - 1 - same]) same += 1;
  return { from, to: before.length - same, by: after.slice(from, after.length - same) };
}

/** Applies edits that are ascending and do not overlap. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  const pieces: string[] = [];
  let place = 0;
  for (const { from, to, by } of edits) {
    pieces.push(text.slice(place, from), by);
    place = to;
  }
  pieces.push(text.slice(place));
  return pieces.join('');
}

/** Ascending edits without overlaps. Of two that overlap, the later in the list stays. */
export function withoutOverlaps(edits: readonly TextEdit[]): TextEdit[] {
  const kept: TextEdit[] = [];
  for (const edit of edits) {
    let [low, high] = [0, kept.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (itemAt(kept, middle).to <= edit.from) low = middle + 1;
      else high = middle;
    }
    let end = low;
    while (end < kept.length && itemAt(kept, end).from < edit.to) end += 1;
    kept.splice(low, end - low, edit);
  }
  return kept;
}

/** Moves places of a text to those of the edited one. */
export class EditedPlaces {
  readonly #edits: readonly TextEdit[];
  /** Characters that the edits before each one add. */
  readonly #shifts: number[] = [0];

  constructor(edits: readonly TextEdit[]) {
    this.#edits = edits;
    for (const { from, to, by } of edits) this.#shifts.push((this.#shifts.at(-1) ?? 0) + by.length - (to - from));
  }

  /** A place within replaced text moves to the end of the replacement. */
  movedPlace(place: number): number {
    let [low, high] = [0, this.#edits.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (itemAt(this.#edits, middle).to <= place) low = middle + 1;
      else high = middle;
    }
    const shift = this.#shifts[low] ?? 0;
    const open = this.#edits[low];
    return open === undefined || open.from >= place ? place + shift : open.from + shift + open.by.length;
  }
}
