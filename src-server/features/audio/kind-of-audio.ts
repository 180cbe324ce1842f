/** Decides whether a prompt asks for speech, music or a soundscape. */

import { ANY_SCENE, namesScene } from './sound-scene.ts';

export type KindOfAudio = 'speech' | 'music' | 'soundscape';

/** Words that mean music even inside a sentence. */
const MUSIC =
  'music|musical|melod\\w+|song|tune|jingle|soundtrack|instrumental|riff|bassline|chords?|bpm|beats|lullaby|symphony|' +
  'sonata|nocturne|fugue|arpeggios?|underscore|waltz|jazz|techno|edm|dubstep|lo-?fi|hip.?hop|reggae|disco|baroque|' +
  'synth\\w*|chiptune|bossa|chillout|drum (?:and|n|&) bass|dnb|piano|guitars?|violins?|cello|drums?|percussion|flute|' +
  'saxophone|sax|trumpet|ukulele|rhodes|marimba|808s?|orchestra(?:l)?|cinematic score|\\d+\\s?bpm|allegro|adagio|andante|' +
  'presto|largo|lento|ambient|trance|ska|samba|tango|polka|bebop|funk|bluegrass|shanty|harpsichord|clarinet|oboe|choir|' +
  'banjo|accordion|harmonica|vibraphone|xylophone|glockenspiel|kalimba|sitar|bagpipes|ragtime|psytrance|reggaeton|' +
  'breakbeat|hardstyle|anthem|ballad|serenade|rhapsody|concerto|minuet|requiem|overture|fanfare|groove|chorale|sonatina|fiddle|jig|irish (?:reel|folk)|celtic music';

/** Words that mean music in a description, and often something else in a sentence. */
const MAYBE_MUSIC =
  'house|trap|rock|metal|punk|pop|folk|country|classical|cinematic|epic|beat|loop|score|strings|organ|harp|bells|bass|' +
  'horns?|brass|pads?|keys|swing|blues|soul|dub|jungle|garage|gospel|march|drone|dance|club|electronic|electronica|' +
  'acoustic|orchestrated|solo|duet|quartet|trio|celtic|latin|salsa|meditation|upbeat|downtempo|uptempo|chill|lounge|' +
  'industrial|experimental|minimalist|minimalism|hymn|opera|medley|theme|track|8-bit|retro|drill|indie|grunge|tempo';

const MUSIC_WORD = new RegExp(`(?<![\\p{L}])(?:${MUSIC})(?![\\p{L}])`, 'giu');

const MAYBE_MUSIC_WORD = new RegExp(`(?<![\\p{L}])(?:${MAYBE_MUSIC})(?![\\p{L}])`, 'giu');

const KEY = /\b(?:in\s+)?[A-G](?:\s?(?:#|♯|♭|b|sharp|flat))?\s+(?:major|minor)\b/;

/** Asks for something to be made; the rest is the description. */
const ASKING = new RegExp(
  "^\\s*(?:(?:hi|hello|hey)[,!.]?\\s+)?(?:please\\s+)?(?:(?:can|could|would) (?:you|i)(?: please)? |(?:i|we)(?:'d| would)? " +
    "(?:like|want|need|love)(?: to (?:have|hear|get))? |let'?s (?:have|hear|make) |let me hear |(?=(?:make|create|compose|" +
    'generate|produce|give|play|write|record|render)\\b))(?:(?:make|create|compose|generate|produce|give|play|write|' +
    'record|render)\\s+)?(?:me\\s+|us\\s+)?',
  'i',
);

const SOUND_OF =
  /\b(?:sounds? of|sound effects?|sfx|soundscape|ambien(?:ce|ces)|ambiance|noises? of|field recording|(?:white|pink|brown|red|brownian) noise|binaural|background (?:noise|sounds?)|foley|(?:\w+ )?sounds?$|sine (?:wave|tone)|\d+\s*k?hz\b)/i;

/** Finite verbs and the people who act. */
const PEOPLE =
  /(?<![\p{L}])(?:i|i'm|i've|you|your|we|we're|our|he|she|they|his|her|their|him|them|us|who|whose|my|its)(?![\p{L}])/giu;

const VERBS =
  /(?<![\p{L}])(?:was|were|is|are|am|isn't|aren't|wasn't|don't|doesn't|didn't|can't|won't|will|would|should|could|must|has|have|had|said|says|fell|came|went|saw|took|made|knew|heard|felt|stood|sat|ran|told|asked|thought|left|began|became|found|gave|kept|held|let|lay|rose|grew|broke|spoke|woke|wrote|read|met|blew|drove|drew|sang|rang|hung|shone|flew|threw|swept|falls|turns|comes|goes|leaves|opens|closes|begins|starts|ends|arrives|brings|gives|takes|makes|keeps|knows|wants|needs|loves|hello|hi|hey|goodbye|bye|dear|welcome|thank|thanks|remember|imagine|once upon a time)(?![\p{L}])/giu;

/** Verbs of sounds in the present tense: "wind howls through the trees" describes, unless it is a whole sentence. */
const SOUNDING =
  /(?<![\p{L}])(?:howls?|crash(?:es)?|crackles?|sings?|chirps?|roars?|rumbles?|rolls?|patters?|drips?|blows?|pass(?:es)?|hums?|buzz(?:es)?|rustles?|whistles?|claps|lap(?:s)?|murmurs?|echo(?:es)?|ticks?|rains|plays?|beats)(?![\p{L}])/giu;

/** Past participles that describe: "muffled rain", "detuned piano". Others are verbs. */
const PAST =
  /(?<![\p{L}])(\p{L}+)\s+(\p{L}{2,}ed)(?![\p{L}])(?!\s+(?:by|with|through|piano|guitars?|drums?|bass|vocals?|synths?|strings|beats?|chords?|pads?|kick|samples?))/giu;

const JOINS_ADJECTIVE =
  /^(?:a|an|the|and|or|with|of|some|very|quite|\p{L}+ly|soft|heavy|in|on|no|my|over|under|through|from|for|like|sad|slow|old|half|pre|well|lightly|warm|dark)$/iu;

const SENTENCE_END = /[.!?…]["”')]*(?:\s|$)/g;

/** A longer prompt is text to read aloud, whatever its subject. */
export const DESCRIPTION_CHARS_MAX = 600;

interface Request {
  prompt: string;
  voice?: string | undefined;
}

/**
 * A voice means speech. Without one the prompt alone decides, never `tempo`. An ambiguous prompt is spoken, but a
 * description of sounds never is.
 */
export function kindOf({ prompt, voice }: Request): KindOfAudio {
  if (voice !== undefined || prompt.length > DESCRIPTION_CHARS_MAX) return 'speech';
  const straight = prompt.normalize('NFKC').replace(/[’‘]/g, "'").trim();
  const asked = straight.replace(ASKING, '');
  const asks = asked.length < straight.length;
  const plain = asked.replace(/\bbinaural beats?\b/gi, 'binaural');
  const musical = count(plain, MUSIC_WORD) + (KEY.test(plain) ? 1 : 0);
  const maybe = count(plain, MAYBE_MUSIC_WORD);
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
  return (
    musical === 0 &&
    (wantsSound || ANY_SCENE.test(text)) &&
    namesScene(text) &&
    !/\b(?:beat|house|rock|trap|pop|metal|folk|electronic|classical|dub|blues|bass|strings|pads?|organ|harp|loop|track|theme|drone|cinematic|epic|acoustic|solo)\b/i.test(
      text,
    )
  );
}

interface Narrative {
  score: number;
  verbs: number;
  people: number;
  sounding: number;
  isSentence: boolean;
}

function narrativeOf(text: string, whole: string): Narrative {
  const people = count(text, PEOPLE);
  const verbs = count(text, VERBS) + pastVerbs(text);
  const ends = (whole.match(SENTENCE_END) ?? []).length;
  const extra = Math.max(0, ends - 1);
  const sounding = count(text, SOUNDING);
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
const PLACES =
  /(?<![\p{L}])(?:café|cafe|restaurant|diner|pub|bar|stadium|market|marketplace|audience|street|streets|city|urban|road|cars|train|trains|metro|tram|subway|forest|woods|woodland|meadow|beach|shore|coast|water|river|fountain|robin|bird|fan|engine|generator|clock|frog|owl|static|tone|flames|tide)(?![\p{L}])/giu;

const WORDS_PER_PLACE = 5;

function isMostlySound(text: string): boolean {
  const words = text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
  const scenes = [...text.matchAll(new RegExp(ANY_SCENE.source, 'giu'))].length;
  const names = (text.match(/(?<=[\p{Ll},] )\p{Lu}\p{Ll}+/gu) ?? []).length;
  const places = Math.min(scenes, count(text, PLACES));
  const room = (scenes - places) * WORDS_PER_SOUND + places * WORDS_PER_PLACE;
  return scenes > 0 && words <= room && names * 2 < words;
}

function count(text: string, pattern: RegExp): number {
  return new Set((text.match(pattern) ?? []).map((word) => word.toLowerCase())).size;
}
