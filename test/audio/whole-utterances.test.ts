import { expect, test } from 'vitest';
import { labelOf } from '../../src-server/features/jobs/submit.ts';
import { utterancesOf } from '../../workers/audio/word-times.ts';

/** One character of two code units at every odd place. */
const TEXT = `a${'\u{20000}'.repeat(2000)}`;

test('no character is cut in two, neither in what is spoken nor in what a job is called', () => {
  const utterances = utterancesOf(TEXT);
  expect(utterances.join('')).toBe(TEXT);
  expect(utterances.filter((utterance) => !utterance.isWellFormed() || utterance.length > 280)).toEqual([]);
  const label = labelOf({ request: { prompt: TEXT }, upload: null });
  expect(label.isWellFormed()).toBe(true);
  expect(label).toHaveLength(199);
});

test('a sentence of any length is cut', () => {
  expect(utterancesOf('x'.repeat(5_000_000)).length).toBe(Math.ceil(5_000_000 / 280));
});

test('a text of abbreviations alone is spoken, however long it is', () => {
  expect(utterancesOf('Mr. '.repeat(250_000)).join(' ')).toHaveLength(999_999);
});
