/** Reads a description of music: what the composer takes from it, and what it cannot. */

import genreData from '../../../resources/music/genres.json' with { type: 'json' };
import instrumentData from '../../../resources/music/instruments.json' with { type: 'json' };
import WORDS from '../../../resources/music/words.json' with { type: 'json' };
import type { Genre, Instrument, Meter, MusicBrief } from '../../../workers/audio/tasks.ts';
import { itemAt } from '../../platform/item-at.ts';
import { ownData } from '../../platform/own-json.ts';
import { byName } from '../../platform/records.ts';
import { type Said, say } from '../../platform/text/say.ts';
import { anyPhrasePattern, joinWordsWithAnd, lazyValue, PromptWords, takeLength } from './prompt-words.ts';

export const TEMPO_MIN = 20;

export const TEMPO_MAX = 300;

const GENRES = ownData<readonly Genre[]>(genreData.genres);

const PROGRESSIONS = ownData<Readonly<Record<string, Record<string, string[]>>>>(genreData.progressions);

const INSTRUMENTS = ownData<readonly Instrument[]>(instrumentData);

const DEFAULT_GENRE = 'pop';

/** Words of genres, longest first: `deep house` comes before `house`. */
const genreWords = lazyValue(() => byLength(GENRES));

/** Words that decide only where no genre is named: a "jazz ballad" is jazz. */
const genreHints = lazyValue(() => byLength(GENRES.map((genre) => ({ genre, words: genre.hints }))));

const instrumentWords = lazyValue(() => byLength(INSTRUMENTS));

function byLength<Item extends { words: string[] }>(items: readonly Item[]): { pattern: RegExp; item: Item }[] {
  const all = items.flatMap((item) => item.words.map((word) => ({ word, item })));
  all.sort((one, other) => other.word.length - one.word.length);
  return all.map(({ word, item }) => ({ pattern: anyPhrasePattern([word]), item }));
}

const withoutInstrument = lazyValue(() =>
  instrumentWords().map(({ pattern, item }) => ({
    pattern: new RegExp(`\\b(?:no|without|minus)\\s+(?:any\\s+|the\\s+|an?\\s+)?(${pattern.source})`, 'iu'),
    item,
  })),
);

interface Mood {
  name: string;
  words: RegExp;
  mode: 'major' | 'minor' | null;
  /** 0 is the slow end of the genre's tempo range, 1 the fast end. */
  pace: number;
  /** Factor on the number of notes. */
  density: number;
  /** Loudness of the playing. */
  strength: number;
}

const musicMood = (
  name: string,
  stems: string,
  mode: Mood['mode'],
  pace: number,
  density: number,
  strength: number,
) => ({
  name,
  mode,
  pace,
  density,
  strength,
  words: new RegExp(`(?<![\\p{L}])(?:${stems})\\p{L}*`, 'iu'),
});

const MOODS: readonly Mood[] = [
  musicMood(
    'sad',
    'sad|melanchol|lonel|sorrow|grie[fv]|mourn|tear|somber|sombre|heartbr|wistful|bitter',
    'minor',
    0.1,
    0.8,
    0.7,
  ),
  musicMood(
    'dark',
    'dark|ominous|tens[ei]|scar[ye]|horror|sinister|brooding|suspens|eerie|haunt|evil|gloom|creepy|spooky',
    'minor',
    0.4,
    0.8,
    0.85,
  ),
  musicMood(
    'calm',
    'calm|peace|gentl|soft|quiet|sooth|serene|relax|tender|delicate|mellow|chill|intimate|slow',
    null,
    0.1,
    0.75,
    0.65,
  ),
  musicMood('dreamy', 'dream|float|ethereal|space|nostalg|night|hypnotic|myster|magic', null, 0.3, 0.75, 0.75),
  musicMood('triumphant', 'epic|triumph|hero|victor|glor|majest|grand|noble|anthem', null, 0.7, 1.1, 1),
  musicMood(
    'energetic',
    'energ|driv|intens|power|workout|upbeat|fast|quick|aggressi|hard|furious|frantic|wild|angry',
    null,
    1,
    1.3,
    1,
  ),
  musicMood(
    'happy',
    'happy|joy|cheer|bright|playful|sunny|fun(?![kK])|uplift|warm|optimis|carefree|romantic|sweet|hopeful',
    'major',
    0.7,
    1.1,
    0.9,
  ),
];

const BALANCED: Mood = { ...musicMood('balanced', '$^', null, 0.5, 1, 0.85) };

/** Tempo terms in beats per minute, as metronomes give them. */
const TEMPO_TERMS: Readonly<Record<string, number>> = byName({
  prestissimo: 200,
  presto: 184,
  vivacissimo: 172,
  vivace: 160,
  allegretto: 116,
  allegro: 132,
  moderato: 112,
  andantino: 88,
  andante: 80,
  adagietto: 72,
  adagio: 68,
  larghetto: 62,
  largo: 50,
  lento: 52,
  grave: 40,
});

const meterOf = (name: string, beats: number, stepsPerBeat = 4): Meter => ({ name, beats, stepsPerBeat });

/** The beat of a compound meter is the dotted quarter. */
const METERS: Readonly<Record<string, Meter>> = byName({
  '2/4': meterOf('2/4', 2),
  '3/4': meterOf('3/4', 3),
  '4/4': meterOf('4/4', 4),
  '5/4': meterOf('5/4', 5),
  '7/8': meterOf('7/8', 3.5),
  '7/4': meterOf('7/4', 7),
  '5/8': meterOf('5/8', 2.5),
  '10/8': meterOf('10/8', 5),
  '11/8': meterOf('11/8', 5.5),
  '13/8': meterOf('13/8', 6.5),
  '6/8': meterOf('6/8', 2, 6),
  '9/8': meterOf('9/8', 3, 6),
  '12/8': meterOf('12/8', 4, 6),
});

/** Names of church modes: the third decides which progressions they can use. */
const CHURCH_MODES: Readonly<Record<string, { third: 'major' | 'minor'; progressions: string[] }>> = byName({
  dorian: { third: 'minor', progressions: ['Im IV Im IV', 'Im IIm IV Im'] },
  phrygian: { third: 'minor', progressions: ['Im bII Im bVIIm', 'Im bII bIII bII'] },
  lydian: { third: 'major', progressions: ['I II I V', 'I II VIIm I'] },
  mixolydian: { third: 'major', progressions: ['I bVII I bVII', 'I bVII IV I'] },
  aeolian: { third: 'minor', progressions: ['Im bVI bVII Im', 'Im IVm Vm Im'] },
  ionian: { third: 'major', progressions: ['I IV V I'] },
});

const SECTION_NAMES: Readonly<Record<string, string>> = byName({ A: 'A', B: 'B', C: 'C', D: 'D' });

export interface ReadMusic {
  brief: MusicBrief;
  warnings: Said[];
  /** Text without what the composer took. */
  words: PromptWords;
}

/** @param tempo the request's own, which precedes the prompt's */
export function readMusic(prompt: string, tempo: number | null): ReadMusic {
  const words = new PromptWords(prompt);
  const warnings: Said[] = [];
  takeLength(words);
  nameChanges(words, warnings);
  const meter = readMeter(words, warnings);
  const key = readKey(words, warnings);
  const genres = readGenres(words, warnings);
  const genre = genres ?? (GENRES.find(({ name }) => name === DEFAULT_GENRE) as Genre);
  const bpm = readTempo(words, warnings, tempo);
  const paces = words.takeAll(
    /\b(?:(very|extremely|super)\s+)?(slow|fast)(?:er|ly|-paced|-tempo| tempo| paced)?\b|\b(up|down|mid)[- ]?tempo\b/i,
  );
  const pace = paces[0] ?? null;
  if (new Set(paces.map(([, , speed, direction]) => (speed ?? direction)?.toLowerCase())).size > 1) {
    warnings.push(say`The prompt names several paces; “${pace?.[0].trim() ?? ''}” was used.`);
  }
  const form = readSectionForm(words);
  const band = readInstruments(words, warnings, genre, genres !== null);
  const found = MOODS.filter(({ words: pattern }) => pattern.test(prompt));
  nameOtherMoods(
    found.filter(({ words: pattern }) => pattern.test(words.remainingText)),
    warnings,
  );
  for (const { words: pattern } of MOODS) words.takeAll(new RegExp(pattern.source, 'iu'));
  const feeling = found[0] ?? BALANCED;
  refuseVoices(words, warnings);
  const fadesOut = words.takeFirstMatch(/\b(?:fad(?:e|es|ing)[- ]?out)\b/i) !== null;
  const mode = key?.mode ?? feeling.mode ?? genre.mode;
  const brief: MusicBrief = {
    genre,
    progressions: progressionsOf(genre, mode),
    mood: feeling.name,
    tonic: key?.tonic ?? null,
    mode,
    tempo: rangeOf(genre, bpm, pace, feeling.pace),
    meter: meter ?? (METERS[genre.meter] as Meter),
    ...band,
    form,
    fadesOut,
    density: Math.min(1, genre.density * feeling.density),
    strength: feeling.strength,
  };
  return { brief, warnings, words };
}

/** What pieces do not do, and how a prompt asks for it. */
const CHANGES: readonly (readonly [what: string, words: RegExp])[] = [
  [
    'tempo',
    new RegExp(
      '\\b(?:accelerando|ritardando|rallentando|stringendo|rubato|tempo changes?|chang(?:es|ing) tempo|' +
        'speed(?:s|ing)? up|slow(?:s|ing)? down|(?:gets?|getting|growing|becoming) (?:ever )?(?:faster|slower)|' +
        'starts? (?:slow|fast)|starting (?:slow|fast)|from \\d{2,3} to (?=\\d{2,3}\\s?bpm))\\b',
      'i',
    ),
  ],
  [
    'key',
    /\b(?:modulat(?:es|ing|ion)|key changes?|chang(?:es|ing) keys?|(?:up|down) a (?:half|whole)[ -](?:step|tone))\b/i,
  ],
  ['meter', /\b(?:chang(?:es|ing)|shifting|mixed|alternating) (?:met(?:re|er)s?|time signatures?)\b/i],
];

/** A piece keeps its tempo, its key and its meter. */
function nameChanges(words: PromptWords, warnings: Said[]): void {
  for (const [what, pattern] of CHANGES) {
    const [found] = words.takeAll(pattern);
    if (found !== undefined) warnings.push(say`The ${what} stays the same throughout, without “${found[0].trim()}”.`);
  }
}

/** Moods whose paces are this far apart contradict each other; 0 to 1. */
const PACES_APART = 0.6;

/** @param moods of the words that decide nothing else, the one that is used first */
function nameOtherMoods([used, ...others]: readonly Mood[], warnings: Said[]): void {
  if (used === undefined) return;
  const unmet = others.filter(({ mode, pace }) => {
    const differs = mode !== null && used.mode !== null && mode !== used.mode;
    return differs || Math.abs(pace - used.pace) >= PACES_APART;
  });
  if (unmet.length === 0) return;
  const names = unmet.map(({ name }) => name);
  warnings.push(say`The prompt names several moods; ${used.name} was used, without ${joinWordsWithAnd(names)}.`);
}

/** Names what nothing took. Called once the scene has taken its words, too. */
export function nameUnused(words: PromptWords, warnings: Said[]): void {
  const unused = words.unusedWords();
  if (unused.length > 0) warnings.push(say`Words of the prompt that changed nothing: ${joinWordsWithAnd(unused)}.`);
}

function readMeter(words: PromptWords, warnings: Said[]): Meter | null {
  const found = words.takeAll(/\b(\d{1,2})\s?\/\s?(2|4|8|16)\b(?:\s+(?:time|meter|metre))?/i);
  const known = found.map(([, beats, unit]) => METERS[`${beats}/${unit}`]);
  for (const [index, [text]] of found.entries()) {
    if (known[index] === undefined)
      warnings.push(say`The meter ${text.trim()} is not available: ${Object.keys(METERS).join(', ')}.`);
  }
  const meters = known.filter((meter) => meter !== undefined);
  const [first, second] = meters;
  if (first !== undefined && second !== undefined && first !== second) {
    warnings.push(say`The prompt names several meters; ${first.name} was used.`);
  }
  if (first !== undefined) return first;
  if (words.takeFirstMatch(/\bodd (?:met(?:re|er)s?|time(?: signatures?)?)\b/i) !== null) return METERS['7/8'] ?? null;
  if (words.takeFirstMatch(/\b(?:triple (?:time|meter|metre)|in three)\b/i) !== null) return METERS['3/4'] ?? null;
  if (/\bwaltz/i.test(words.remainingText)) return METERS['3/4'] ?? null;
  return null;
}

const ACCIDENTAL = '(?:\\s?(#|♯|b(?![a-z])|♭)|[\\s-](sharp|flat))?';

const MODES =
  '(harmonic minor|natural minor|melodic minor|[Mm]ajor|[Mm]inor|maj|min|[Dd]orian|[Pp]hrygian|[Ll]ydian|' +
  '[Mm]ixolydian|[Aa]eolian|[Ii]onian)\\b';

const IN_KEY = '\\b(?:in|key of|key:?)\\s+(?:the key of\\s+)?';

const KEYS = [
  // "in D minor", "Bb major", "F sharp dorian". A small letter needs "in" or "key of": "a minor setback" is no key.
  new RegExp(`${IN_KEY}([A-Ga-g])${ACCIDENTAL}[\\s-]*${MODES}`),
  new RegExp(`\\b([A-G])${ACCIDENTAL}[\\s-]*${MODES}`),
  new RegExp(`${IN_KEY}([A-G])(#|♯|b|♭)?(?:())(m)\\b`),
  new RegExp(`${IN_KEY}([A-G])${ACCIDENTAL}()(?![\\w'-])`),
];

function readKey(words: PromptWords, warnings: Said[]): { tonic: string; mode: string | null } | null {
  const found = KEYS.flatMap((pattern) => words.takeAll(pattern));
  const keys = found.map(([, letter = 'C', sign = '', name = '', mode = '']) => {
    const accidental = /#|♯|sharp/.test(sign + name) ? '#' : /b|♭|flat/.test(sign + name) ? 'b' : '';
    return { tonic: letter.toUpperCase() + accidental, mode: modeOf(mode.toLowerCase()) };
  });
  const [first, ...others] = keys;
  if (first === undefined) return null;
  if (others.some(({ tonic, mode }) => tonic !== first.tonic || mode !== first.mode)) {
    warnings.push(say`The prompt names several keys; ${[first.tonic, first.mode].filter(Boolean).join(' ')} was used.`);
  }
  return first;
}

function modeOf(word: string): string | null {
  if (word === '') return null;
  if (/^maj/.test(word)) return 'major';
  if (word === 'm' || /min/.test(word)) return 'minor';
  return word;
}

function progressionsOf(genre: Genre, mode: string): string[] {
  const church = CHURCH_MODES[mode];
  if (church !== undefined && !(mode === 'mixolydian' && genre.harmony === 'modal')) {
    return genre.harmony === 'andalusian'
      ? (PROGRESSIONS.andalusian?.minor ?? church.progressions)
      : church.progressions;
  }
  const book = PROGRESSIONS[genre.harmony] ?? {};
  return book[church?.third ?? mode] ?? book.major ?? ['I IV V I'];
}

function readGenres(words: PromptWords, warnings: Said[]): Genre | null {
  const genres: Genre[] = [];
  for (const { pattern, item } of genreWords()) {
    const taken = words.takeAll(pattern);
    if (taken.length > 0 && !genres.includes(item)) genres.push(item);
  }
  // A fugue or a waltz is a form that another genre's instruments may play.
  const [first, ...others] = genres;
  const hinted = genreHints()
    .filter(({ pattern }) => words.takeAll(pattern).length > 0)
    .map(({ item }) => item.genre);
  if (first === undefined) return hinted[0] ?? null;
  if (others.length > 0) {
    const names = others.map(({ name }) => name);
    warnings.push(say`The prompt names several genres; ${first.name} was used, without ${joinWordsWithAnd(names)}.`);
  }
  return first;
}

/** "drum and bass 174", "174 techno": a number alone, but no year, machine, opus or count. */
const BARE_NUMBER = new RegExp(
  '(?<!\\b(?:op|opus|no|nr|number|tr|roland|mono|the)\\.?\\s?)\\b(?!(?:808|909|303|606|707|101|106|420)\\b)' +
    "(\\d{2,3})\\b(?![\\d'’]|s\\b|\\s*(?:hz|khz|bars?|years?|seconds?|minutes?|-?bit|%|instruments|voices|parts|" +
    'players|pieces|measures|notes|strings?))',
  'i',
);

const TEMPO_PATTERNS = [
  /\b(\d+(?:\.\d+)?)\s*-?(?:bpm|beats per minute|beats a minute)\b/i,
  /\b(?:bpm|tempo)\s*(?:of|is|:|=|at|around)?\s*(\d+(?:\.\d+)?)\b/i,
  /[♩𝅘𝅥]\s*=\s*(\d+(?:\.\d+)?)\b/u,
  /(?:\bat|@)\s*(\d{2,3}(?:\.\d+)?)\b(?!\s*(?:hz|khz|seconds?|secs?|s\b|minutes?|%|am\b|pm\b|o'clock|kbps|bars?))/i,
  BARE_NUMBER,
];

function readTempo(words: PromptWords, warnings: Said[], requested: number | null): number | null {
  const numbers = TEMPO_PATTERNS.flatMap((pattern) => words.takeAll(pattern)).map(([, value]) => Number(value));
  const terms = words
    .takeAll(anyPhrasePattern(Object.keys(TEMPO_TERMS)))
    .map(([term]) => TEMPO_TERMS[term.toLowerCase().trim()] ?? 100);
  const possible = numbers.filter((value) => value >= TEMPO_MIN && value <= TEMPO_MAX);
  for (const value of numbers.filter((number) => !possible.includes(number))) {
    warnings.push(say`A tempo of ${value} is not possible: give ${TEMPO_MIN} to ${TEMPO_MAX} beats per minute.`);
  }
  const named = [...new Set(possible.length > 0 ? possible : terms)];
  const chosen = requested ?? named[0] ?? null;
  const others = named.filter((value) => value !== chosen);
  if (others.length > 0) {
    warnings.push(
      say`The tempo is ${chosen ?? ''} bpm; the prompt also names ${joinWordsWithAnd(others.map(String))}.`,
    );
  }
  return chosen;
}

/** Pace words go beyond the range of the genre, which "slow techno" asks for. */
const PACE_STEP = 0.15;

function rangeOf(genre: Genre, bpm: number | null, pace: RegExpExecArray | null, share: number): [number, number] {
  if (bpm !== null) return [bpm, bpm];
  const [low, high] = genre.tempo;
  const [, very, speed = '', direction = ''] = pace ?? [];
  const step = PACE_STEP * (very === undefined ? 1 : 2);
  if (/slow/i.test(speed) || /down/i.test(direction)) return [low * (1 - step), low];
  if (/fast/i.test(speed) || /up/i.test(direction)) return [high, high * (1 + step)];
  const width = high - low;
  return [low + width * share * 0.8, low + width * (share * 0.8 + 0.2)];
}

function readSectionForm(words: PromptWords): string[] | null {
  const letters = words.takeFirstMatch(/\b([ABCD]{2,12})\b(?:\s+form)?/);
  if (letters !== null && /A/.test(letters[1] ?? ''))
    return [...(letters[1] ?? '')].map((one) => SECTION_NAMES[one] ?? one);
  const named = words
    .takeAll(/\b(verse|chorus|bridge|break|drop|build(?:-?up)?)s?\b/i)
    .map(([, name = '']) => name.toLowerCase());
  return named.length >= 2 ? named : null;
}

const NO_DRUMS = /\b(?:no|without|minus)\s+(?:any\s+|the\s+)?(?:drums?|percussion|beats?)\b|\b(?:drumless|beatless)\b/i;

const NO_PART = /\b(?:no|without|minus)\s+(?:any\s+|the\s+)?(bass|melody|lead|chords?|pads?)\b/i;

const drumWords = lazyValue(() => anyPhrasePattern(WORDS.drums));

type Band = Pick<MusicBrief, 'chords' | 'melody' | 'bass' | 'arpeggio' | 'hasDrums'>;

/** @param isNamed whether the prompt names the genre; otherwise named instruments play alone */
function readInstruments(words: PromptWords, warnings: Said[], genre: Genre, isNamed: boolean): Band {
  const noDrums = words.takeFirstMatch(NO_DRUMS) !== null;
  const without = words.takeAll(NO_PART).map(([, part = '']) => part.toLowerCase());
  const excluded = excludedInstruments(words);
  const drums = words.takeAll(drumWords()).length > 0;
  const solo = words.takeFirstMatch(/\b(?:solo|unaccompanied|alone|just|only)\b/i) !== null;
  const named: { item: Instrument; at: number }[] = [];
  for (const { pattern, item } of instrumentWords()) {
    for (const { index } of words.takeAll(pattern)) named.push({ item, at: index });
  }
  named.sort((one, other) => one.at - other.at);
  const wanted = [...new Set(named.map(({ item }) => item))];
  const items = wanted.filter((item) => !excluded.has(item));
  const both = wanted.filter((item) => excluded.has(item)).map(({ name }) => name);
  if (noDrums && drums) both.push('drums');
  for (const name of both) warnings.push(say`The prompt asks for music with and without ${name}; there is none.`);
  const ofRole = (role: Instrument['role']) => items.find((item) => item.role === role);
  const includedInstrument = (name: string | null) =>
    INSTRUMENTS.find((item) => item.name === name && !excluded.has(item)) ?? null;
  const only = items[0];
  if ((solo || genre.texture === 'fugue') && only !== undefined && items.length === 1) {
    const bass = only.role === 'chords' ? only : null;
    return {
      chords: only.role === 'chords' ? only : null,
      melody: only,
      bass,
      arpeggio: null,
      hasDrums: drums && !noDrums,
    };
  }
  const voices = items.filter((item) => item.role !== 'bass');
  const chords = ofRole('chords') ?? includedInstrument(genre.chords);
  const melody =
    voices.find((item) => item !== chords) ??
    (voices.length > 0 ? itemAt(voices, 0) : includedInstrument(genre.melody));
  const plain = !isNamed && items.length > 0;
  const third = voices.find((item) => item !== chords && item !== melody);
  return {
    chords: without.some((part) => /chord|pad/.test(part)) ? null : chords,
    melody: without.some((part) => /melody|lead/.test(part)) ? null : melody,
    bass: without.includes('bass') ? null : (ofRole('bass') ?? includedInstrument(genre.bass)),
    arpeggio: third ?? (plain ? null : includedInstrument(genre.arpeggio)),
    hasDrums: !noDrums && (drums || (genre.drums !== null && !plain)),
  };
}

/** Of "no piano", "without the strings". "No guitar" excludes every guitar. */
function excludedInstruments(words: PromptWords): ReadonlySet<Instrument> {
  const excluded = withoutInstrument().flatMap(({ pattern, item }) =>
    words.takeAll(pattern).flatMap(([, word = '']) => [item, ...INSTRUMENTS.filter(({ name }) => isA(name, word))]),
  );
  return new Set(excluded);
}

function isA(name: string, word: string): boolean {
  return ` ${name}`.endsWith(` ${word.toLowerCase().replace(/s$/, '')}`);
}

function refuseVoices(words: PromptWords, warnings: Said[]): void {
  const found = words.takeAll(/\b(?:vocals?|lyrics?|sing(?:s|ing|er|ers)?|sung|rapper|rapping|vocalist)\b/i);
  if (found.length === 0 || /\b(?:no|without)\s*¤/.test(words.remainingText)) return;
  warnings.push(say`Nobody sings: the piece is instrumental.`);
}
