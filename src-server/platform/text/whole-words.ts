/** Whole words around a place of a text, in the scripts that Unicode can divide. The window runs it too. */

const words = new Intl.Segmenter('en', { granularity: 'word' });

/**
 * The places of the whole words from the one at `start` to the one before `end`, in UTF-16 code units. White space at
 * the ends is left out, and no character is cut. In scripts without spaces, dictionaries of the platform decide.
 */
export function wholeWords(text: string, start: number, end: number): [from: number, to: number] {
  const chosen = text.slice(start, end);
  const first = start + (chosen.length - chosen.trimStart().length);
  const last = end - (chosen.length - chosen.trimEnd().length);
  if (first >= last) return [start, end];
  const all = words.segment(text);
  const [head, tail] = [all.containing(first), all.containing(last - 1)];
  return [head?.index ?? first, tail === undefined ? last : tail.index + tail.segment.length];
}

/** Where a text has a part: of several such places, the one next to `near`. Null without any. */
export function nearestPlace(text: string, part: string, near: number): number | null {
  const before = text.lastIndexOf(part, near);
  const after = text.indexOf(part, near);
  if (before < 0 || after < 0) return before < 0 && after < 0 ? null : Math.max(before, after);
  return near - before <= after - near ? before : after;
}
