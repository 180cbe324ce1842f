/** Text as a voice can say it: cleaned, cut into utterances, and into the words that captions show. */
import { wholeSlice } from '../../src-server/lib/whole-slice.ts';

/** An utterance longer than this is cut at a comma, or at a blank: the synthesiser's memory grows with its length. */
const UTTERANCE_CHARS_MAX = 280;
const SPOKEN = /[\p{L}\p{N}]/u;
/** Letters of scripts that an English voice has no sounds for. */
const UNSPOKEN_LETTERS = /[^\p{Script=Latin}\p{P}\p{S}\p{N}\p{M}\p{Z}]+\p{P}*/gu;
/** After these a full stop ends no sentence. */
const ABBREVIATION = /(?:^|\s)(?:Mr|Mrs|Ms|Dr|Prof|St|Sr|Jr|No|vs|etc|e\.g|i\.e)\.$/i;

export interface SpeakableText {
  text: string;
  /** Runs of letters that were left out, since the voice has no sounds for their script. */
  leftOut: number;
}

/** Control characters become blanks, accents go, letters of other scripts are left out and counted. */
export function speakable(prompt: string): SpeakableText {
  const plain = prompt
    .replace(/\p{Cc}|\p{Cf}/gu, ' ')
    .replace(/ß/g, 'ss')
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[‘’]/g, "'")
    .replace(/[“”«»]/g, '"')
    .replace(/[–—]/g, ', ')
    .replace(/…/g, '.');
  const leftOut = [...plain.matchAll(UNSPOKEN_LETTERS)].length;
  const text = plain
    .replace(UNSPOKEN_LETTERS, ' ')
    .replace(/[^\x20-\x7e]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return { text, leftOut };
}

/** For voices of any language: control characters become blanks, and nothing is left out. */
export function tidied(prompt: string): SpeakableText {
  const text = prompt.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  return { text, leftOut: 0 };
}

/** Sentences in order, long ones in parts; pieces without anything to say are passed over. */
export function utterancesOf(text: string): string[] {
  const sentences: string[] = [];
  for (const { segment } of new Intl.Segmenter('en', { granularity: 'sentence' }).segment(text)) {
    const last = sentences.length - 1;
    const before = sentences[last];
    if (before !== undefined && ABBREVIATION.test(before.trim())) sentences[last] = before + segment;
    else sentences.push(segment);
  }
  return sentences.flatMap((sentence) => parts(sentence.trim())).filter((part) => SPOKEN.test(part));
}

function parts(sentence: string): string[] {
  const found: string[] = [];
  let rest = sentence;
  while (rest.length > UTTERANCE_CHARS_MAX) {
    const head = wholeSlice(rest, 0, UTTERANCE_CHARS_MAX);
    const comma = Math.max(head.lastIndexOf(', '), head.lastIndexOf('; '), head.lastIndexOf(': '));
    const blank = head.lastIndexOf(' ');
    const cut = comma > UTTERANCE_CHARS_MAX / 3 ? comma + 1 : blank > 0 ? blank : head.length;
    found.push(rest.slice(0, cut));
    rest = rest.slice(cut).trim();
  }
  return [...found, rest];
}

/** What captions show as words: blanks set them apart, and what has no sound goes with the word before it. */
export function wordsOf(utterance: string): string[] {
  const words: string[] = [];
  for (const token of utterance.split(' ')) {
    const last = words.length - 1;
    if (SPOKEN.test(token) || last < 0) words.push(token);
    else words[last] = `${words[last]} ${token}`;
  }
  return words.filter((word) => SPOKEN.test(word));
}
