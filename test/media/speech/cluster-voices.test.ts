/** Voice prints grouped by speaker, where the engine's own clustering fails. */
import { expect, test } from 'vitest';
import type { TranscriptSegment } from '../../../src-server/features/media/schema.ts';
import { withSpeakers } from '../../../workers/media/assign-speakers.ts';
import { clusterVoices, type VoicePrint, voiceprintCosine } from '../../../workers/media/cluster-voices.ts';

const DIMENSIONS = 16;
/** A direction for each speaker, and prints that differ from it as those of one voice do. */
const speaker = (number: number) => Float32Array.from({ length: DIMENSIONS }, (_, at) => (at === number ? 1 : 0));
function prints(number: number, count: number): VoicePrint[] {
  return Array.from({ length: count }, (_, index) => {
    const vector = speaker(number);
    vector[4 + ((index * 7 + number) % 12)] = 0.3 + (index % 5) / 10;
    return { vector, seconds: 3 };
  });
}
const options = { threshold: 0.6, count: null, leastSeconds: 6 };
/** The speaker that each direction is nearest to. */
const nearest = (directions: readonly Float32Array[]) =>
  directions.map((direction) =>
    [0, 1, 2, 3].reduce((best, number) =>
      voiceprintCosine(direction, speaker(number)) > voiceprintCosine(direction, speaker(best)) ? number : best,
    ),
  );

test('a bad window is no speaker, also where the number is given, and no two speakers become one for it', () => {
  const bad = { vector: Float32Array.from({ length: DIMENSIONS }, (_, at) => (at === 15 ? 1 : -0.1)), seconds: 3 };
  for (const count of [null, 3]) {
    const all = [...prints(0, 20), bad, ...prints(1, 12), ...prints(2, 5)];
    expect(nearest(clusterVoices(all, { ...options, count }))).toEqual([0, 1, 2]);
  }
});

test('thousands of prints are grouped in blocks, to the same speakers', () => {
  const all = [0, 1, 2].flatMap((number) => prints(number, 1500 - number * 100));
  const mixed = all.map((_, index) => all[(index * 1009) % all.length] as VoicePrint);
  expect(nearest(clusterVoices(mixed, options))).toEqual([0, 1, 2]);
});

test('nothing heard gives no speaker; less than a speaker says gives one', () => {
  expect(clusterVoices([], { ...options, count: 3 })).toEqual([]);
  expect(nearest(clusterVoices(prints(1, 1), options))).toEqual([1]);
});

test('a segment is cut where the speaker changes, not within a sentence for a word that seems to be another’s', () => {
  const words = 'Is it cold? Yes, it is very cold.'.split(' ').map((text, index) => {
    return { text, start: index, end: index + 1 };
  });
  const segment: TranscriptSegment = { start: 0, end: 8, text: words.map(({ text }) => text).join(' '), words };
  const turns = [
    ...[{ start: 0, end: 3.2, speaker: 1 }],
    ...[
      { start: 3.2, end: 5, speaker: 0 },
      { start: 5, end: 5.9, speaker: 1 },
      { start: 5.9, end: 8, speaker: 0 },
    ],
  ];
  expect(
    withSpeakers([segment], turns).segments.map(({ speaker, text, start, end }) => ({ speaker, text, start, end })),
  ).toEqual([
    { speaker: 'Speaker 1', text: 'Is it cold?', start: 0, end: 3 },
    { speaker: 'Speaker 2', text: 'Yes, it is very cold.', start: 3, end: 8 },
  ]);
  // Words that are not those of the text have no place in it.
  const untimed = { ...segment, words: [{ text: 'other', start: 0, end: 1 }] };
  const [whole] = withSpeakers([untimed], turns).segments;
  expect(whole).toMatchObject({ speaker: 'Speaker 1', text: segment.text });
});
