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

test.each([
  ['Bring salt, pepper, etc. Then sit down.', 2],
  ['Dr. Smith lives on Main St. He is old.', 2],
  ['I met John Jr. We talked.', 2],
  ['It was made in the U.S. It is big.', 2],
  ['We open at 9 a.m. Please wait.', 2],
  ['We meet at 5 p.m. Monday.', 1],
  ['The U.S. Army came.', 1],
  ['J. S. Bach wrote it.', 1],
  ['St. Peter and Mrs. Hill came.', 1],
  ['See fig. A below.', 1],
  ['Read https://www.quarry.example/a/page.html?q=1&lang=en#top today.', 1],
])('“%s” has %i sentences', (text, count) => {
  expect(utterancesOf(text)).toHaveLength(count);
});
