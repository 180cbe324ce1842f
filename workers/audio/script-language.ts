import { detectAll } from 'tinyld';
import { detectLanguage } from '../documents/language.ts';

/** Words that English texts have and texts of other languages have not. */
const ENGLISH = new Set(
  (
    "the and are were this that you your with from have would hello yes it it's i'm they she our please " +
    'welcome thank thanks what not today when who how which there their about been could should into'
  ).split(' '),
);

const ENGLISH_SHARE = 0.1;

/** Fewer words without an English one say nothing. */
const WORDS_MIN = 3;

/** By tinyld, from 0 to 1: certain, and likely when nothing else comes near. */
const CERTAIN = 0.5;

const LIKELY = 0.1;

const DISTANCE = 2;

/** Languages that prompts are in; tinyld also finds rare ones in names and fragments. */
const COMMON = new Set(
  'en de fr es it pt nl sv da nb no fi pl cs sk hu ro tr ru uk bg el ar he hi zh ja ko vi id ca hr sl et lv lt'.split(
    ' ',
  ),
);

/** ISO 639-1 code of a text to speak; null without enough evidence. Few words must be clear to count. */
export function languageToSpeak(text: string): string | null {
  const words = text.toLowerCase().match(/\p{L}+(?:['’]\p{L}+)?/gu) ?? [];
  const english = words.filter((word) => ENGLISH.has(word.replace('’', "'"))).length;
  if (english > 0 && english >= words.length * ENGLISH_SHARE) return 'en';
  const { language } = detectLanguage({ text });
  if (language !== null) return COMMON.has(language) ? language : null;
  if (words.length < WORDS_MIN) return null;
  const [best, next] = detectAll(text).filter(({ lang }) => COMMON.has(lang));
  if (best === undefined) return null;
  const isClear = best.accuracy >= LIKELY && best.accuracy >= DISTANCE * (next?.accuracy ?? 0);
  return best.accuracy >= CERTAIN || isClear ? best.lang : null;
}
