import { piecesOf } from '../media/caption-lines.ts';
import { wordsOf } from './speech-text.ts';
import type { SpokenWord } from './word-times.ts';

/** Frames of this length are told apart by their energy. */
const FRAME_SECONDS = 0.02;
/** A frame this far below the loudest is silence. */
const SILENCE_SHARE = 0.02;
/** What a word takes beyond its letters, in letters. */
const WORD_EXTRA_LETTERS = 1;

/**
 * When the words of an utterance probably sound, for engines that do not tell: what sounds at all is shared out by the
 * length of the words, and pauses within the utterance belong to no word.
 */
export function estimatedWordTimes(text: string, samples: Int16Array, sampleRate: number): SpokenWord[] {
  const words = wordsOf(text).flatMap(piecesOf);
  const weights = words.map((word) => [...word.text].length + WORD_EXTRA_LETTERS);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const sounding = soundingFrames(samples, sampleRate);
  const timeOf = (share: number) => {
    const index = Math.min(sounding.length - 1, Math.round(share * (sounding.length - 1)));
    return (sounding[Math.max(0, index)] ?? 0) * FRAME_SECONDS;
  };
  let before = 0;
  return words.map((word, index) => {
    const start = timeOf(before / total);
    before += weights[index] ?? 0;
    const end = Math.max(start + FRAME_SECONDS, timeOf(before / total));
    return { ...word, start, end, endsUtterance: index === words.length - 1 };
  });
}

/** Numbers of the frames that are not silent, in order. */
function soundingFrames(samples: Int16Array, sampleRate: number): number[] {
  const length = Math.max(1, Math.round(FRAME_SECONDS * sampleRate));
  const energies: number[] = [];
  for (let from = 0; from < samples.length; from += length) {
    let energy = 0;
    for (const sample of samples.subarray(from, from + length)) energy += sample * sample;
    energies.push(Math.sqrt(energy / length));
  }
  const loudest = energies.reduce((most, energy) => Math.max(most, energy), 0);
  return energies.flatMap((energy, frame) => (energy > loudest * SILENCE_SHARE ? [frame] : []));
}
