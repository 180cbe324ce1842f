/** Decides whether a prompt asks for speech, music or a soundscape. */

import WORDS from '../../../resources/music/words.json' with { type: 'json' };
import { isSpeechMarkup } from '../../platform/text/speech-text.ts';
import { descriptionInEnglish } from './foreign-description.ts';
import { ofWords, PromptWords, TAKEN, takeLength } from './prompt-words.ts';
import { anyScene, anyStrictScene, namesScene, withoutSounds } from './sound-scene.ts';

export type KindOfAudio = 'speech' | 'music' | 'soundscape';

/** Words that mean music even inside a sentence. */
const MUSIC_WORD = ofWords(WORDS.music);

/** Words that mean music in a description, and often something else in a sentence. */
const MAYBE_MUSIC_WORD = ofWords(WORDS.maybeMusic);

/** Words that mean music even beside a sound: "ocean drone". */
const FIRM_MUSIC = new RegExp(`\\b(?:${WORDS.firmMusic.join('|')})\\b`, 'i');

const KEY = /\b(?:in\s+)?[A-G](?:\s?(?:#|♯|♭|b|sharp|flat))?\s+(?:major|minor)\b/;

const MAKE = '(?:make|create|compose|generate|produce|give|play|write|record|render)';

/** Asks for something to be made; the rest is the description. */
const ASKING = new RegExp(
  [
    '^\\s*(?:(?:hi|hello|hey)[,!.]?\\s+)?(?:please\\s+)?(?:(?:can|could|would) (?:you|i)(?: please)? |',
    "(?:i|we)(?:'d| would)? (?:like|want|need|love)(?: to (?:have|hear|get))? |let'?s (?:have|hear|make) |",
    `let me hear |(?=${MAKE}\\b))(?:${MAKE}\\s+)?(?:me\\s+|us\\s+)?`,
  ].join(''),
  'i',
);

const SOUND_OF = new RegExp(`\\b(?:${WORDS.soundOf.join('|')})`, 'i');

/** Finite verbs and the people who act. */
const PEOPLE = ofWords(WORDS.people);

const VERBS = ofWords(WORDS.verbs);

/** Verbs of sounds in the present tense: "wind howls through the trees" describes, unless it is a whole sentence. */
const SOUNDING = ofWords(WORDS.sounding);

/** Past participles that describe: "muffled rain", "detuned piano". Others are verbs. */
const PAST = new RegExp(
  `(?<![\\p{L}])(\\p{L}+)\\s+(\\p{L}{2,}ed)(?![\\p{L}])(?!\\s+(?:${WORDS.played.join('|')}))`,
  'giu',
);

const JOINS_ADJECTIVE = new RegExp(`^(?:${WORDS.joinsAdjective.join('|')})$`, 'iu');

/** Quotation marks before a first word. */
const QUOTE = '["“”„«»‘‹¿¡(—\\s-]';

/** Small words of other languages that English does not have: descriptions are English, so these are text to read. */
const FOREIGN_WORD = ofWords(WORDS.foreign);

/** Verbs, persons and questions of other languages: no description has them, in whatever language. */
const FOREIGN_CLAUSE = ofWords(WORDS.foreignClause);

/** "l'heure", "j'aime"; not "L'Oréal". English abbreviates with other letters. */
const ELISION = /(?<![\p{L}'])(?:[JjLl]|[Qq]u|[Dd]ell|[Nn]ell|[Ss]ull)'(?=\p{Ll})/gu;

/** In a sentence only: names of English texts begin like this too, such as "Le Mans". */
const FOREIGN_ARTICLE = new RegExp(
  [
    '(?<!\\p{L})(?:[Ll]es?|[Ll]a|[Ee]l|[Ll][ao]s|[Ii]l|[Ll]o|[Dd]u|[Dd]es|[Dd]e)\\s+(?=\\p{Ll})',
    '(?<!\\p{L})(?:[Dd]er|[Dd]ie)\\s+(?=\\p{Lu})',
  ].join('|'),
  'gu',
);

/** A text that begins with an article is a sentence or a title, with or without a full stop. */
const FIRST_ARTICLE = new RegExp(
  `^${QUOTE}*(?:(?:Les?|La|El|L[ao]s|Il|Gli|Une?|De|Het)\\s+(?=\\p{Ll})|(?:Der|Die|Das|Eine?)\\s+(?=\\p{Lu}))` +
    '(?!mus[iy]|sons?\\s|bruit|sonido|ruido|suono|rumore|geluid)(?!\\S+$)',
  'u',
);

const ENGLISH_WORD = ofWords('the|a|an|of|in|on|with|and|at|from|over|to|by|near|through|for|under|into'.split('|'));

/** Asks in English for something to hear. */
const ENGLISH_ASKED = /\b(?:music|songs?|soundtrack|theme|beats?|tune|melody|jingle|sounds?|noises?|ambience)\b/i;

const SENTENCE_END = /[.!?…]["”')]*(?:\s|$)/g;

/** A longer prompt is text to read aloud, whatever its subject. */
export const DESCRIPTION_CHARS_MAX = 600;

interface Request {
  prompt: string;
  voice?: string | undefined;
  voices?: Readonly<Record<string, string>> | undefined;
}

/** Asks for words to be said: `say: …`, `read this aloud: …`, `a man says "…"`. */
const SAYING = new RegExp(
  `^\\s*(?:(?:please|can you|could you)\\s+)?(?:(?:${WORDS.saying.join('|')})(?![\\p{L}])[^:"“„«]{0,40}[:"“„«]` +
    `|an? (?:[\\p{L}]+ ){1,3}(?:${WORDS.sayingNow.join('|')})[^:"“„«]{0,20}[:"“„«])`,
  'iu',
);

/** A line of a script: a name in capitals and a colon. */
const SCRIPT_LINE = /^\s*\p{Lu}[\p{Lu} .'-]{1,30}:\s/mu;

/**
 * A voice means speech. Without one the prompt alone decides, never `tempo`. An ambiguous prompt is spoken, but a
 * description of sounds never is.
 */
export function audioKindOf({ prompt, voice, voices }: Request): KindOfAudio {
  if (voice !== undefined || voices !== undefined || isSpeechMarkup(prompt)) return 'speech';
  if (prompt.length > DESCRIPTION_CHARS_MAX) return 'speech';
  const straight = prompt.normalize('NFKC').replace(/[’‘]/g, "'").trim();
  if (SAYING.test(straight) || SCRIPT_LINE.test(straight)) return 'speech';
  const translated = descriptionInEnglish(straight);
  if (translated === null && isForeign(straight)) return 'speech';
  return kindOfEnglish(translated ?? straight);
}

function kindOfEnglish(straight: string): KindOfAudio {
  const asked = straight.replace(ASKING, '');
  const asks = asked.length < straight.length;
  // "Do you like music?" is said, unless it asks for something to be made.
  if (!asks && /\?["”')]*$/.test(straight)) return 'speech';
  const plain = withoutSounds(asked.replace(/\bbinaural beats?\b/gi, 'binaural'));
  const musical = countPromptMatches(plain, MUSIC_WORD) + (KEY.test(plain) ? 1 : 0);
  const maybe = countPromptMatches(plain, MAYBE_MUSIC_WORD);
  const story = narrativeOf(asked, straight);
  const wantsSound = SOUND_OF.test(asked);
  const isDescription = story.score === 0;
  const isShout = isExclaimed(straight);
  if (
    isMusic({ musical, maybe, asks, isDescription, isShout }, story.score) &&
    !isMoreSound(asked, plain, musical, wantsSound)
  )
    return 'music';
  const isAsked = isDescription || (asks && story.score <= 2) || (story.score <= 1 && !/[.!?]["”')]*$/.test(straight));
  if (wantsSound && isAsked) return 'soundscape';
  if (isShout || COMMAND.test(straight) || TITLE.test(straight)) return 'speech';
  const isTold = story.verbs > 0 || story.people > 0 || story.isSentence;
  if (!namesScene(asked)) return !isTold && isDescribed(asked) ? 'soundscape' : 'speech';
  if (isDescription && isMostlySound(asked) && isKnown(asked, straight)) return 'soundscape';
  return !isTold && story.sounding > 0 && isKnown(asked, straight) ? 'soundscape' : 'speech';
}

/** "Close the door": somebody is told to. */
const COMMAND = new RegExp(`^(?:please )?(?:${WORDS.commands.join('|')}) (?:the|a|an|your|my|this|that|me|it)\\b`, 'i');

/** Of texts: "A short history of trains", "How to fix a tap". */
const TITLE = new RegExp(
  `^(?:how|why|what|when|where|who)\\b|(?<![\\p{L}])(?:${WORDS.textNouns.join('|')})s?(?![\\p{L}])`,
  'iu',
);

/** Sounds that happen: "an old projector running", "a squeaky swing". */
const HAPPENING = ofWords(WORDS.soundingNow);

const NEUTRAL = new Set(WORDS.neutral);

/** A thing that makes a sound, though no known one: "a basketball game", "an abacus being used". */
function isDescribed(text: string): boolean {
  const words = text.match(/[\p{L}\p{N}']+/gu) ?? [];
  if (/[.!?…:;"”“]/.test(text) || words.length > DESCRIBED_WORDS_MAX) return false;
  const isPhrase = /^(?:an?|some|several)\s+\p{Ll}/u.test(text) && words.length > 2 && !/ \p{Lu}/u.test(text);
  return isPhrase || (/^(?:An?\s+)?\p{Ll}/u.test(text) && countPromptMatches(text, HAPPENING) > 0);
}

const DESCRIBED_WORDS_MAX = 12;

/** Whether the words are mostly those of sounds and of what surrounds them; of a sentence, all but a few. */
function isKnown(described: string, whole: string): boolean {
  const text = withoutLength(described);
  const words =
    text
      .toLowerCase()
      .replace(new RegExp(anyScene().source, 'giu'), ' ¤ ')
      .match(/[\p{L}\p{N}'-]+|¤/gu) ?? [];
  const names = new Set(
    (/[.!?]/.test(text) ? [] : (text.match(/\p{Lu}[\p{L}]+/gu) ?? [])).map((name) => name.toLowerCase()),
  );
  const meaning = words.filter((word) => !isSmallWord(word) && !names.has(word));
  const known = meaning.filter((word) => word === '¤' || isNeutral(word) || isSoundingWord(word)).length;
  const strict = new RegExp(anyStrictScene().source, 'iu').test(text) || SOUND_OF.test(text);
  const isPhrase = strict || /^(?:an?|some|several|two|three|many)\s/i.test(text);
  const isTitle = /^\p{Lu}/u.test(whole) && countPromptMatches(text, HAPPENING) === 0;
  const needed = /[.!?…]["”')]*$/.test(whole) ? SENTENCE_SHARE : isPhrase && !isTitle ? PHRASE_SHARE : WEAK_SHARE;
  return known >= meaning.length * needed;
}

/** A stated length is no part of what is described. */
function withoutLength(text: string): string {
  const words = new PromptWords(text);
  takeLength(words);
  return words.remainingText.replaceAll(TAKEN, ' ').trim();
}

/** Share of known words that a description needs. */
const PHRASE_SHARE = 0.5;
const WEAK_SHARE = 0.75;
const SENTENCE_SHARE = 0.8;

const isNeutral = (word: string) => NEUTRAL.has(word) || NEUTRAL.has(word.replace(/(?:e?s|er)$/, ''));

const SMALL = new Set(WORDS.small);

const isSmallWord = (word: string) => SMALL.has(word);

const isSoundingWord = (word: string) =>
  [SOUNDING, HAPPENING].some((pattern) => new RegExp(`^(?:${pattern.source})$`, 'iu').test(word)) ||
  /(?:ly|ing)$/.test(word);

/** Words such as "train" and "piano" name sounds in English, and occur in sentences of many languages. */
function isForeign(text: string): boolean {
  const isSentence = /[.!?…]["”')]*$/.test(text) && /^["“'¿¡]?\p{Lu}/u.test(text);
  const articles = isSentence ? countPromptMatches(text, FOREIGN_ARTICLE) : Number(FIRST_ARTICLE.test(text));
  const clauses = countPromptMatches(text, FOREIGN_CLAUSE) + countPromptMatches(text, ELISION);
  const english = countPromptMatches(text, ENGLISH_WORD) + Number(ENGLISH_ASKED.test(text));
  return countPromptMatches(text, FOREIGN_WORD) + articles + 2 * clauses > english;
}

interface Musical {
  musical: number;
  maybe: number;
  asks: boolean;
  isDescription: boolean;
  isShout: boolean;
}

function isMusic({ musical, maybe, asks, isDescription, isShout }: Musical, story: number): boolean {
  if (isDescription || asks) return musical > 0 || (maybe > 0 && story <= 1 && !isShout);
  return musical > 0 && musical + maybe / 2 >= story;
}

/** "The sound of church bells" or "a street with a distant trumpet and no music". */
function isMoreSound(text: string, plain: string, musical: number, wantsSound: boolean): boolean {
  if (/\bno music\b|\bwithout (?:any )?music\b/i.test(text)) return true;
  return (
    musical === 0 && (wantsSound || anyScene().test(text)) && namesScene(text, !wantsSound) && !FIRM_MUSIC.test(plain)
  );
}

interface Narrative {
  score: number;
  verbs: number;
  people: number;
  sounding: number;
  isSentence: boolean;
}

function narrativeOf(spoken: string, whole: string): Narrative {
  const text = withoutSounds(spoken).replace(AROUND_YOU, '$1 an ear').replace(GOING_ON, '$1');
  const people = countPromptMatches(text, PEOPLE);
  const verbs = countPromptMatches(text, VERBS) + pastVerbs(text);
  const ends = (whole.match(SENTENCE_END) ?? []).length;
  const extra = Math.max(0, ends - 1);
  const sounding = countPromptMatches(spoken.replace(GOING_ON, '$1'), SOUNDING);
  const isSentence = /[.!?]["”']?$/.test(whole) && /^["“'\p{Lu}]/u.test(whole) && (sounding > 0 || verbs > 0);
  const quoted = /["“][^"”]+[.!?,]["”]/.test(text) ? 2 : 0;
  const told = isSentence && sounding > 0 ? 1 : 0;
  return { score: people + verbs + extra + quoted + told, verbs, people, sounding, isSentence };
}

/** A place that a listener has: "flying around your ear". */
const AROUND_YOU = /\b(around|in|near|past|behind|over|outside|by|at|to|above) (?:your|my) \p{L}+/giu;

/** What goes on is described, not told, unless it is a whole sentence. */
const GOING_ON = new RegExp(`\\b(?:is|are)\\s+((?:${WORDS.soundingNow.join('|')})(?![\\p{L}])(?![^]*[.!?]))`, 'giu');

function pastVerbs(text: string): number {
  return [...text.matchAll(PAST)].filter(([, before = '']) => !JOINS_ADJECTIVE.test(before)).length;
}

/** "Fire!" is a shout. */
function isExclaimed(text: string): boolean {
  return /!\s*$/.test(text) || /\?\s*$/.test(text);
}

/** Names in the middle of a text are those of people and places. */
function isMostlySound(text: string): boolean {
  const words = text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
  const names = (text.match(/(?<=[\p{Ll},] )\p{Lu}\p{Ll}+/gu) ?? []).length;
  return names * 2 < words;
}

function countPromptMatches(text: string, pattern: RegExp): number {
  return new Set((text.match(pattern) ?? []).map((word) => word.toLowerCase())).size;
}
