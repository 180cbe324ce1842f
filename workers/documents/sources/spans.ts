interface Span {
  text: string;
  /** What begins the span; null for the text between two. */
  opener: string | null;
}

/**
 * The spans of a text from an opener to its end, and the text between them, in order. An opener without an end begins
 * none. Each end that is missing is searched once, so the time is linear.
 */
export function* delimitedSpans(
  text: string,
  opener: RegExp,
  endOf: (opener: RegExpExecArray) => string | null,
): Generator<Span> {
  const pattern = new RegExp(opener);
  const missing = new Set<string>();
  let at = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const end = endOf(match);
    if (end === null || missing.has(end)) continue;
    const found = text.indexOf(end, pattern.lastIndex);
    if (found === -1) {
      missing.add(end);
      continue;
    }
    yield { text: text.slice(at, match.index), opener: null };
    at = found + end.length;
    yield { text: text.slice(match.index, at), opener: match[0] };
    pattern.lastIndex = at;
  }
  yield { text: text.slice(at), opener: null };
}
