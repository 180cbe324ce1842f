/** What recognisers write that nobody said: names of noises, and sentences that they fall into over and over. */
import type { TranscriptSegment } from '../../src-server/contract/index.ts';

/** [BLANK_AUDIO], (applause), *music*, ♪. */
const NO_SPEECH = /^(?:[[(*♪][^\])*♪]*[\])*♪]|[♪\s.…-]+)$/u;
/** The same sentence so often in a row is the recogniser's, not the speaker's. */
const REPEATS_MAX = 4;
/** Within a sentence: so many times the same words. */
const LOOP_TIMES = 5;
const LOOP_WORDS_MAX = 8;

/** Segments that can be trusted, in the order of time. `dropped` counts those that cannot. */
export function cleanSegments(segments: readonly TranscriptSegment[]): {
  segments: TranscriptSegment[];
  dropped: number;
} {
  const kept: TranscriptSegment[] = [];
  let dropped = 0;
  let repeats = 0;
  const inOrder = [...segments].sort((a, b) => a.start - b.start);
  for (const segment of inOrder) {
    const text = segment.text.replace(/\s+/g, ' ').trim();
    if (text === '' || NO_SPEECH.test(text)) continue;
    const last = kept.at(-1);
    repeats = last !== undefined && last.text === text ? repeats + 1 : 0;
    if (repeats >= REPEATS_MAX) {
      dropped += 1;
      continue;
    }
    const unlooped = withoutLoops(text);
    if (unlooped !== text) dropped += 1;
    kept.push({ ...segment, end: Math.max(segment.start, segment.end), text: unlooped });
  }
  return { segments: kept, dropped };
}

/** A phrase that is said many times on end is said once. */
function withoutLoops(text: string): string {
  const words = text.split(' ');
  for (let length = 1; length <= LOOP_WORDS_MAX; length += 1) {
    for (let start = 0; start + length * LOOP_TIMES <= words.length; start += 1) {
      let times = 1;
      while (isSame(words, start, start + times * length, length)) times += 1;
      if (times >= LOOP_TIMES) {
        return withoutLoops([...words.slice(0, start + length), ...words.slice(start + times * length)].join(' '));
      }
    }
  }
  return text;
}

function isSame(words: readonly string[], a: number, b: number, length: number): boolean {
  if (b + length > words.length) return false;
  for (let offset = 0; offset < length; offset += 1) if (words[a + offset] !== words[b + offset]) return false;
  return true;
}
