import type { ReactNode } from 'react';

/** Finds words as they stand, in capitals or not. */
export function patternOf(words: string): RegExp {
  return new RegExp(`(${words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')})`, 'gi');
}

/** The text with every match marked. */
export function marked(text: string, words: string): ReactNode {
  if (words === '') return text;
  return text.split(patternOf(words)).map((part, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity but their place.
    index % 2 === 1 ? <mark key={index}>{part}</mark> : part,
  );
}
