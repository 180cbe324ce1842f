/**
 * Stems of words in languages other than English, whose endings the full-text index removes itself (Porter). All are
 * Snowball's, but Polish, which Snowball's packages lack.
 */

import { stemmer as arabic } from '@orama/stemmers/arabic';
import { stemmer as danish } from '@orama/stemmers/danish';
import { stemmer as dutch } from '@orama/stemmers/dutch';
import { stemmer as finnish } from '@orama/stemmers/finnish';
import { stemmer as french } from '@orama/stemmers/french';
import { stemmer as german } from '@orama/stemmers/german';
import { stemmer as greek } from '@orama/stemmers/greek';
import { stemmer as hungarian } from '@orama/stemmers/hungarian';
import { stemmer as italian } from '@orama/stemmers/italian';
import { stemmer as norwegian } from '@orama/stemmers/norwegian';
import { stemmer as portuguese } from '@orama/stemmers/portuguese';
import { stemmer as romanian } from '@orama/stemmers/romanian';
import { stemmer as russian } from '@orama/stemmers/russian';
import { stemmer as spanish } from '@orama/stemmers/spanish';
import { stemmer as swedish } from '@orama/stemmers/swedish';
import { stemmer as turkish } from '@orama/stemmers/turkish';
import { stemmer as ukrainian } from '@orama/stemmers/ukrainian';
import { byName } from '../../platform/records.ts';
import { foldWord } from './words.ts';

type Stemmer = (word: string) => string;

const STEMMERS: Readonly<Record<string, Stemmer>> = byName({
  ar: arabic,
  da: danish,
  de: german,
  el: greek,
  es: spanish,
  fi: finnish,
  fr: french,
  hu: hungarian,
  it: italian,
  nl: dutch,
  no: norwegian,
  pl: polish,
  pt: portuguese,
  ro: romanian,
  ru: russian,
  sv: swedish,
  tr: turkish,
  uk: ukrainian,
});

/** Other codes of the same language. */
const SAME_LANGUAGE: Readonly<Record<string, string>> = byName({ nb: 'no', nn: 'no' });

/** Languages of scripts that few languages share. */
const BY_SCRIPT: readonly [script: RegExp, languages: readonly string[]][] = [
  [/\p{sc=Cyrl}/u, ['ru', 'uk']],
  [/\p{sc=Arab}/u, ['ar']],
  [/\p{sc=Grek}/u, ['el']],
];

/** Words that texts of a language have in nearly every sentence, and others seldom. */
const TELLING_WORDS: Readonly<Record<string, string>> = byName({
  da: 'og det den af på til ikke som med der jeg havde blev også eller efter ved et',
  de: 'der die das und ist nicht ein eine mit auf für von zu den dem des sich auch wird wurde sind im bei aus nach',
  en: 'the of and to in is that for it with as was on are be by this at from or which have not an were',
  es: 'el los las y es que no una por con para del se su como más fue al está son sus pero sobre también',
  fi: 'ja on ei se että oli hän mutta myös joka kun niin sen ovat tai kuin',
  fr: 'le les et est une des du dans que pour pas qui sur au avec ce par plus sont ne aux cette été ses mais',
  hu: 'és az egy hogy nem is volt ez meg csak mint már vagy kell még',
  it: 'il lo gli e è che di un una per non con del della sono al nel anche dei le dal più alla',
  nl: 'de het een en van is dat niet op te met voor zijn aan er ook door bij naar om worden wordt deze uit',
  no: 'og det den av på til ikke som med er jeg hadde ble også eller etter ved et',
  pl: 'i w nie na się że z do jest to jak od po są przez dla oraz był która który przy ze',
  pt: 'o os as e é que não um uma do da em para com por no na dos das mais foi ao são pela também',
  ro: 'și în nu de la un o este care cu pe din pentru sunt mai prin fost',
  sv: 'och det att som på är av för med den till inte om har de ett var jag från vid också eller',
  tr: 've bir bu için ile de da çok olarak daha olan gibi ama ne kadar sonra',
});

const TELLING = new Map<string, string[]>();
for (const [language, words] of Object.entries(TELLING_WORDS)) {
  for (const word of words.split(' ')) TELLING.set(word, [...(TELLING.get(word) ?? []), language]);
}

const TELLING_CHARS_MAX = Math.max(...Array.from(TELLING.keys(), ({ length }) => length));

const LATIN_LANGUAGES = Object.keys(TELLING_WORDS).filter((language) => language !== 'en');

/** Languages of a short text that tells none. */
const LIKELY_LANGUAGES: readonly string[] = ['de', 'fr', 'es', 'it', 'pt', 'nl', 'pl'];

/** Languages that write a noun of several words as one. */
const COMPOUNDING: ReadonlySet<string> = new Set(['da', 'de', 'nl', 'no', 'sv']);

/** A language with this share of the telling words of the first one is as likely. */
const ALSO_LIKELY = 0.7;

/** So many telling words outweigh what is said of the source as a whole. */
const SURE_WORDS = 3;

const CHARS_MIN = 3;

const CHARS_MAX = 32;

export interface Stem {
  language: string;
  stem: string;
}

/**
 * The languages whose endings the Latin words of a text may have, by the telling ones among them, and by what is known
 * of its source. Empty for English.
 */
export function latinLanguagesOf(words: readonly string[], declared: string | null): readonly string[] {
  const telling = new Set<string>();
  for (const word of words) if (word.length <= TELLING_CHARS_MAX && TELLING.has(word.toLowerCase())) telling.add(word);
  const found = new Map<string, number>();
  for (const word of telling) {
    for (const language of TELLING.get(word.toLowerCase()) ?? []) found.set(language, (found.get(language) ?? 0) + 1);
  }
  const most = Math.max(0, ...found.values());
  const base = declared?.split(/[-_]/, 1)[0]?.toLowerCase() ?? '';
  const known = SAME_LANGUAGE[base] ?? base;
  if (most < SURE_WORDS && known !== '') return LATIN_LANGUAGES.includes(known) ? [known] : [];
  if (most === 0) return LIKELY_LANGUAGES;
  return [...found].flatMap(([language, words]) =>
    language !== 'en' && words >= most * ALSO_LIKELY ? [language] : [],
  );
}

export function isLatinLanguage(language: string): boolean {
  return LATIN_LANGUAGES.includes(language);
}

/** Whether a text in these languages may have nouns of several words in one. */
export function mayCompound(languages: readonly string[]): boolean {
  return languages.some((language) => COMPOUNDING.has(language));
}

/** German stem of a word, for parts of compounds. */
export function compoundPart(word: string): string {
  return foldWord(german(word.toLowerCase()));
}

/**
 * Stems of a word, as it is written and as keyboards without accents write it.
 *
 * @param latin the languages that it may be of if its letters are Latin
 */
export function stemsOf(word: string, latin: readonly string[]): Stem[] {
  const lower = word.toLowerCase();
  if (lower.length < CHARS_MIN || lower.length > CHARS_MAX || /\p{N}/u.test(lower)) return [];
  const languages = BY_SCRIPT.find(([script]) => script.test(lower))?.[1] ?? latin;
  if (languages.length === 0) return [];
  const forms = [...new Set([lower, foldWord(lower)])];
  const found = new Map<string, Stem>();
  for (const language of languages) {
    for (const form of forms) {
      const stem = foldWord(STEMMERS[language]?.(form) ?? form);
      if (stem.length > 1) found.set(`${language} ${stem}`, { language, stem });
    }
  }
  return [...found.values()];
}

/** Endings of Polish nouns, adjectives and verbs, the longest first, without accents. */
const POLISH_ENDINGS = new RegExp(
  `(?:${[
    'owaniami owaniach owanie owania owaniu iejszymi iejszych iejszego iejszej iejszy iejsza iejsze',
    'ościami ościach ością ości ość osciami osciach oscia osci osc owych owymi owego owemu owej owym owie owi',
    'ami ach iem iego iemu ych ich ymi imi ego emu ów ow om em ie ią ię ej ym im ąc ał ała ało ali ały ać eć ić yć',
    'uje ują ował a ą e ę i o u y',
  ]
    .join(' ')
    .replaceAll(' ', '|')})$`,
);

/** Consonants that a case changes: "statki" of "statek", "rzece" of "rzeka". */
const POLISH_CHANGES: readonly [RegExp, string][] = [
  [/(?<=..)ie?([bcdfghjklmnprstwz])$/, '$1'],
  [/(?<=..)[eó]([kcmnrlwp])$/, '$1'],
  [/c$/, 'k'],
  [/dz$/, 'g'],
  [/rz$/, 'r'],
  [/ł$/, 'l'],
  [/ń$/, 'n'],
  [/ś$/, 's'],
];

/** A light stemmer: one ending, then the change that it made to the end of the stem. */
function polish(word: string): string {
  const bare = word.replace(POLISH_ENDINGS, '');
  const stem = bare.length >= CHARS_MIN ? bare : word;
  return POLISH_CHANGES.reduce((changed, [from, to]) => {
    const next = changed.replace(from, to);
    return next.length >= CHARS_MIN ? next : changed;
  }, stem);
}
