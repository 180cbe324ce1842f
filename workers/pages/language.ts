/** Stop words, which keywords leave out. */

import { byName } from '../../src-server/platform/records.ts';

const SMALL_WORDS: Readonly<Record<string, string>> = byName({
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
});

const smallWords = new Set(Object.values(SMALL_WORDS).flatMap((words) => words.split(' ')));

/** Whether it is a stop word of any language above. */
export function isSmallWord(word: string): boolean {
  return smallWords.has(word);
}
