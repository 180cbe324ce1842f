/**
 * Pages that were laid on the scanner sideways or upside down. Tesseract's own detection wants another 10 MB of trained
 * data. But it finds lines that run down a page and reads them as well as any; only what stands on its head comes out
 * as nonsense, of which it says itself that it is unsure.
 */
import type { RecognizedText, RecognizedWord } from '../../tasks.ts';
import type { GreyImage } from './tesseract.ts';

/** What tesseract found in a picture. */
export type Reading = Pick<RecognizedText, 'text' | 'confidence' | 'lines'>;

/**
 * Mean confidence of the words from which a page was read the right way up: 94 to 97 on clean pages, 23 to 51 on the
 * same ones upside down.
 */
const SURE_CONFIDENCE = 65;

/** Whether the picture may stand on its head. Where there is no word at all, turning it brings none. */
export function isDoubtful({ confidence }: Reading): boolean {
  return confidence !== null && confidence < SURE_CONFIDENCE;
}

/** How much was read, and how surely: the right way up gives the most. */
export function worthOf({ lines }: Reading): number {
  let worth = 0;
  for (const { words } of lines) for (const { text, confidence } of words) worth += text.length * confidence ** 2;
  return worth;
}

/** The picture turned by half. */
export function upsideDown(image: GreyImage): GreyImage {
  return { ...image, samples: image.samples.slice().reverse() };
}

/**
 * Sizes and boxes as they are when the page is held the right way up. Lines that run down the picture, which `turn`
 * brought into the position it was read in, belong to a page that has its head on the right.
 */
export function held(
  reading: Reading,
  { width, height }: GreyImage,
  turn: 0 | 180,
): Reading & Pick<RecognizedText, 'width' | 'height' | 'turned'> {
  if (!runsDown(reading)) return { width, height, turned: turn, ...reading };
  const turnBox = ({ box: [left, top, right, bottom] }: RecognizedWord): RecognizedWord['box'] => [
    top,
    width - right,
    bottom,
    width - left,
  ];
  const lines = reading.lines.map((line) => ({
    ...line,
    box: turnBox(line),
    words: line.words.map((word) => ({ ...word, box: turnBox(word) })),
  }));
  return { width: height, height: width, turned: turn === 0 ? 270 : 90, ...reading, lines };
}

/** Lines of several words are wider than they are high, however few letters they have. */
function runsDown({ lines }: Reading): boolean {
  let down = 0;
  let across = 0;
  for (const { box, words } of lines) {
    if (words.length < 2) continue;
    const [left, top, right, bottom] = box;
    if (bottom - top > right - left) down += 1;
    else across += 1;
  }
  return down > across;
}
