/** Bold and italic words within paragraphs, which stand out from the text around them. */

import type { InlineMark } from '../blocks.ts';
import { nearestPlace } from './linked-text.ts';
import type { PageLine } from './page-content.ts';

/** Largest share of a paragraph's letters that stands out from it; beyond it is its own font. */
const STRESSED_SHARE_MAX = 0.5;

const WORD_SIGN = /[\p{L}\p{M}\p{N}]/u;

const LETTER = /\p{L}/gu;

/** Between words that are stressed as one. */
const JOINT = /^(?:\s*|[-\u2010/])$/;

/** The marks of a paragraph whose lines are joined; `taken` are places of formulas, which have fonts of their own. */
export function stressMarks(
  { text, starts }: { text: string; starts: readonly number[] },
  lines: readonly PageLine[],
  taken: readonly InlineMark[],
): InlineMark[] {
  return (['strong', 'emphasis'] as const).flatMap((kind) => {
    const places = lines.flatMap(({ stress = [] }, index) =>
      stress
        .filter((words) => words.kind === kind)
        .map((words) => ({ ...words, from: (starts[index] ?? 0) + words.at })),
    );
    const marks: InlineMark[] = [];
    for (const { text: words, from } of places) {
      const place = placeOf(text, words, from);
      if (place === null) continue;
      const last = marks.at(-1);
      if (last !== undefined && JOINT.test(text.slice(last.end, place.start))) last.end = Math.max(last.end, place.end);
      else if (place.start >= (last?.end ?? 0)) marks.push({ kind, ...place });
    }
    const kept = marks.filter((mark) => isWholeWords(text, mark) && !taken.some((one) => overlaps(one, mark)));
    const stressed = kept.reduce((sum, mark) => sum + lettersIn(text.slice(mark.start, mark.end)), 0);
    return stressed > STRESSED_SHARE_MAX * lettersIn(text) ? [] : kept;
  });
}

/** Words at the end of a line may have lost their hyphen. */
function placeOf(text: string, words: string, from: number): { start: number; end: number } | null {
  for (const own of [words, words.replace(/[-\u00ad\u2010]$/, '')]) {
    const start = nearestPlace(text, own, from);
    if (start !== null) return { start, end: start + own.length };
  }
  return null;
}

/** An initial or a part of a word that looks otherwise is no emphasis. */
function isWholeWords(text: string, { start, end }: InlineMark): boolean {
  const divides = (at: number) => WORD_SIGN.test(text[at - 1] ?? '') && WORD_SIGN.test(text[at] ?? '');
  return !divides(start) && !divides(end);
}

function overlaps(one: InlineMark, other: InlineMark): boolean {
  return one.start < other.end && other.start < one.end;
}

function lettersIn(text: string): number {
  return text.match(LETTER)?.length ?? 0;
}
