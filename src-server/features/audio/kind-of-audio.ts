/** Decides whether a prompt asks for speech, music or a soundscape. */

import WORDS from '../../../resources/music/words.json' with { type: 'json' };
import { isSpeechMarkup } from '../../platform/text/speech-text.ts';
import { ofWords } from './prompt-words.ts';
import { anyScene, namesScene } from './sound-scene.ts';

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

/**
 * A voice means speech. Without one the prompt alone decides, never `tempo`. An ambiguous prompt is spoken, but a
 * description of sounds never is.
 */
export function audioKindOf({ prompt, voice, voices }: Request): KindOfAudio {
  if (voice !== undefined || voices !== undefined || isSpeechMarkup(prompt)) return 'speech';
  if (prompt.length > DESCRIPTION_CHARS_MAX) return 'speech';
  const straight = prompt.normalize('NFKC').replace(/[’‘]/g, "'").trim();
  if (isForeign(straight)) return 'speech';
  const asked = straight.replace(ASKING, '');
  const asks = asked.length < straight.length;
  const plain = asked.replace(/\bbinaural beats?\b/gi, 'binaural');
  const musical = countPromptMatches(plain, MUSIC_WORD) + (KEY.test(plain) ? 1 : 0);
  const maybe = countPromptMatches(plain, MAYBE_MUSIC_WORD);
  const story = narrativeOf(asked, straight);
  const wantsSound = SOUND_OF.test(asked);
  const isDescription = story.score === 0;
  const isShout = isExclaimed(straight);
  if (
    isMusic({ musical, maybe, asks, isDescription, isShout }, story.score) &&
    !isMoreSound(asked, musical, wantsSound)
  )
    return 'music';
  const scene = namesScene(asked);
  if (wantsSound && (isDescription || (asks && story.score <= 2))) return 'soundscape';
  if (!scene) return 'speech';
  if (isDescription && !isShout && isMostlySound(asked)) return 'soundscape';
  return story.verbs === 0 && story.people === 0 && story.sounding > 0 && !story.isSentence ? 'soundscape' : 'speech';
}

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
function isMoreSound(text: string, musical: number, wantsSound: boolean): boolean {
  if (/\bno music\b|\bwithout (?:any )?music\b/i.test(text)) return true;
  return musical === 0 && (wantsSound || anyScene().test(text)) && namesScene(text) && !FIRM_MUSIC.test(text);
}

interface Narrative {
  score: number;
  verbs: number;
  people: number;
  sounding: number;
  isSentence: boolean;
}

function narrativeOf(text: string, whole: string): Narrative {
  const people = countPromptMatches(text, PEOPLE);
  const verbs = countPromptMatches(text, VERBS) + pastVerbs(text);
  const ends = (whole.match(SENTENCE_END) ?? []).length;
  const extra = Math.max(0, ends - 1);
  const sounding = countPromptMatches(text, SOUNDING);
  const isSentence = /[.!?]["”']?$/.test(whole) && /^["“'\p{Lu}]/u.test(whole) && (sounding > 0 || verbs > 0);
  const quoted = /["“][^"”]+[.!?,]["”]/.test(text) ? 2 : 0;
  const told = isSentence && sounding > 0 ? 1 : 0;
  return { score: people + verbs + extra + quoted + told, verbs, people, sounding, isSentence };
}

function pastVerbs(text: string): number {
  return [...text.matchAll(PAST)].filter(([, before = '']) => !JOINS_ADJECTIVE.test(before)).length;
}

/** "Fire!" is a shout. */
function isExclaimed(text: string): boolean {
  return /!\s*$/.test(text) || /\?\s*$/.test(text);
}

/** A line that names a sound in passing, such as a title or a list of words, is text. */
const WORDS_PER_SOUND = 9;

/** A place alone says less: "city", "café", "forest". */
const PLACES = ofWords(WORDS.places);

const WORDS_PER_PLACE = 5;

function isMostlySound(text: string): boolean {
  const words = text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
  const scenes = [...text.matchAll(new RegExp(anyScene().source, 'giu'))].length;
  const names = (text.match(/(?<=[\p{Ll},] )\p{Lu}\p{Ll}+/gu) ?? []).length;
  const places = Math.min(scenes, countPromptMatches(text, PLACES));
  const room = (scenes - places) * WORDS_PER_SOUND + places * WORDS_PER_PLACE;
  return scenes > 0 && words <= room && names * 2 < words;
}

function countPromptMatches(text: string, pattern: RegExp): number {
  return new Set((text.match(pattern) ?? []).map((word) => word.toLowerCase())).size;
}
