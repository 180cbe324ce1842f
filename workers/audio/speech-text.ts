/** Text as a voice says it: cut into utterances, and into the words that captions show. */
import { wholeSlice } from '../../src-server/platform/text/strings.ts';

/** An utterance longer than this is cut at a comma, or at a blank: the synthesiser's memory grows with its length. */
const UTTERANCE_CHARS_MAX = 280;
const SPOKEN = /[\p{L}\p{N}]/u;
const SENTENCES = new Intl.Segmenter('en', { granularity: 'sentence' });
/** After these a full stop ends no sentence. */
const ABBREVIATION = /(?:^|\s)(?:Mr|Mrs|Ms|Dr|Prof|St|Sr|Jr|No|vs|etc|e\.g|i\.e)\.$/i;
/** The number of an item, which is said with what it counts. */
const ITEM_NUMBER = /^\d{1,3}[.)]$/;

/** Sentences in order, long ones in parts, none beyond its line; what has nothing to say in it is passed over. */
export function utterancesOf(text: string): string[] {
  return text
    .split('\n')
    .flatMap(sentencesOf)
    .flatMap((sentence) => parts(sentence.trim()))
    .filter((part) => SPOKEN.test(part));
}

function sentencesOf(line: string): string[] {
  const sentences: string[] = [];
  let open = '';
  for (const { segment } of SENTENCES.segment(line)) {
    open += segment;
    // Only what came last is looked at: a sentence may be all abbreviations.
    const end = segment.trim();
    if (ABBREVIATION.test(end) || ITEM_NUMBER.test(end)) continue;
    sentences.push(open);
    open = '';
  }
  return open === '' ? sentences : [...sentences, open];
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
