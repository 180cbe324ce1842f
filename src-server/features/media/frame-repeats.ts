import type { RecognizedText } from '../../../workers/tasks.ts';

/** Below it a short word may be a shape that looks like letters; the same picture gives another one next time. */
const SURE_CONFIDENCE = 70;
/** Shapes hardly ever look like so many letters: longer words of a poor picture count as well. */
const LONG_WORD = 4;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** Moving shapes beside a slide are read as a letter or two now and then; a digit always counts. */
const NOISE = /^\p{L}{1,2}$/u;
/** Letters that are noise, of those of both texts. "Option A" and "Option B" are two slides. */
const NOISE_SHARE = 0.05;

/** A picture of a video with what was read from it. */
export interface ReadFrame {
  text: Pick<RecognizedText, 'lines'>;
  /** The whole picture differs from the scene before, not only a part of it. */
  isNewScene: boolean;
}

/**
 * Leaves out pictures whose text nearly equals that of the picture kept before: each word that was read with certainty
 * in one is in the other, but for a few letters of noise. A picture without words is kept where it shows a new scene.
 */
export function withoutRepeats<Frame extends ReadFrame>(frames: readonly Frame[]): Frame[] {
  const kept: Frame[] = [];
  let before: Words | null = null;
  let sceneChanged = false;
  for (const frame of frames) {
    const words = wordsOf(frame.text);
    sceneChanged ||= frame.isNewScene;
    const isRepeat = before !== null && haveSameText(before, words);
    const hasText = words.sure.size > 0;
    if (isRepeat && (hasText || !sceneChanged)) continue;
    kept.push(frame);
    before = words;
    sceneChanged = false;
  }
  return kept;
}

/** How often each word occurs. */
type Counts = Map<string, number>;
interface Words {
  all: Counts;
  sure: Counts;
}

function wordsOf({ lines }: Pick<RecognizedText, 'lines'>): Words {
  const read = lines.flatMap((line) =>
    line.words.flatMap(({ text, confidence }) =>
      (text.normalize('NFKC').toLowerCase().match(WORD) ?? []).map((word) => ({ word, confidence })),
    ),
  );
  const sure = read.filter(({ word, confidence }) => confidence >= SURE_CONFIDENCE || word.length >= LONG_WORD);
  return { all: counted(read.map(({ word }) => word)), sure: counted(sure.map(({ word }) => word)) };
}

function counted(words: readonly string[]): Counts {
  const counts: Counts = new Map();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function haveSameText(one: Words, other: Words): boolean {
  const missing = [...missingIn(other.all, one.sure), ...missingIn(one.all, other.sure)];
  if (!missing.every((word) => NOISE.test(word))) return false;
  const letters = lettersIn(one.all) + lettersIn(other.all);
  return missing.join('').length <= letters * NOISE_SHARE;
}

function missingIn(whole: Counts, part: Counts): string[] {
  return [...part].flatMap(([word, times]) =>
    new Array<string>(Math.max(0, times - (whole.get(word) ?? 0))).fill(word),
  );
}

function lettersIn(counts: Counts): number {
  return [...counts].reduce((sum, [word, times]) => sum + word.length * times, 0);
}
