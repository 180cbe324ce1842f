/** Guesses a text's language: by its script if that decides, else by its most frequent short words. */

import { HashNumbers, hashText } from '../../src-server/platform/text/hash.ts';

const SAMPLE_CHARS = 5000;

const MIN_SHARE = 0.08;

const MIN_WORDS = 12;

const SCRIPTS: readonly [string, RegExp][] = [
  ['ja', /[\p{sc=Hira}\p{sc=Kana}]/gu],
  ['ko', /\p{sc=Hang}/gu],
  ['zh', /\p{sc=Han}/gu],
  ['ru', /\p{sc=Cyrl}/gu],
  ['el', /\p{sc=Grek}/gu],
  ['ar', /\p{sc=Arab}/gu],
  ['he', /\p{sc=Hebr}/gu],
  ['th', /\p{sc=Thai}/gu],
  ['hi', /\p{sc=Deva}/gu],
];

/** Share of the letters from which a script decides. Japanese needs little, because most of its letters are Chinese. */
const SCRIPT_SHARE = 0.3;

const KANA_SHARE = 0.05;

const SMALL_WORDS: Readonly<Record<string, string>> = {
  en: 'the of and to in is that for it with as are this be by from on or an at not',
  de: 'der die und das ist nicht ein eine zu den mit von auf für im des sich dem werden auch',
  fr: 'le la les des et en un une du est que pour dans qui sur au pas avec ce sont',
  es: 'el los las del que una para con por se es lo su como más al un este son',
  it: 'il di che la per una del non con sono della gli anche dei da si più al nel',
  pt: 'os que não uma para com por mais dos como ao da em são pela seu foi na do',
  nl: 'het een van en dat niet op te zijn voor met aan ook er bij als wordt deze naar',
  sv: 'och att det som en på är av för med till den inte ett om har de jag kan',
  da: 'og at det som en på er af for med til den ikke et har de kan vi der',
  pl: 'nie się na jest że do to jak po za od przez dla oraz może są ale tak',
  cs: 'se na je že to by jako pro jsou ale které nebo také při může byl podle',
  tr: 've bir bu da için ile olarak daha çok gibi olan ancak sonra kadar her ne',
};

const smallWords = new HashNumbers();

for (const words of Object.values(SMALL_WORDS)) for (const word of words.split(' ')) smallWords.add(hashText(word));

const wordSets = Object.entries(SMALL_WORDS).map(([code, words]) => [code, new Set(words.split(' '))] as const);

/** ISO 639-1 code, or null without enough evidence. */
export function guessLanguage(text: string): string | null {
  const sample = text.slice(0, SAMPLE_CHARS);
  const letters = sample.match(/\p{L}/gu)?.length ?? 0;
  if (letters === 0) return null;
  for (const [code, pattern] of SCRIPTS) {
    const share = (sample.match(pattern)?.length ?? 0) / letters;
    if (share >= (code === 'ja' ? KANA_SHARE : SCRIPT_SHARE)) return code;
  }
  const words = sample.toLowerCase().match(/\p{L}+/gu) ?? [];
  if (words.length < MIN_WORDS) return null;
  let best: string | null = null;
  let bestHits = words.length * MIN_SHARE;
  for (const [code, small] of wordSets) {
    const hits = words.reduce((sum, word) => sum + (small.has(word) ? 1 : 0), 0);
    if (hits > bestHits) [best, bestHits] = [code, hits];
  }
  return best;
}

/** Whether the hash is that of a stop word of any language above. */
export function isSmallWord(hash: number): boolean {
  return smallWords.find(hash) !== null;
}
