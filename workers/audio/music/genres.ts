import type { Random } from './random.ts';

/** Genres: pace, harmony, rhythm and instruments. */
export const INSTRUMENTS = [
  'piano',
  'electric piano',
  'guitar',
  'harp',
  'strings',
  'pad',
  'flute',
  'bells',
  'marimba',
  'organ',
  'synth lead',
  'bass',
  'synth bass',
] as const;

export type Instrument = (typeof INSTRUMENTS)[number];

/** The sixteenths of a bar on which a drum sounds: `x` loud, `o` soft, `.` silent. */
export interface DrumPattern {
  kick: string;
  snare: string;
  hat: string;
}

interface Genre {
  name: string;
  words: RegExp;
  tempo: [number, number];
  mode: 'major' | 'minor';
  /** Roman numerals of four bars, by mode. */
  progressions: { major: readonly string[]; minor: readonly string[] };
  chords: Instrument;
  melody: Instrument;
  bass: Instrument;
  arpeggio: Instrument | null;
  drums: DrumPattern | null;
  /** Delay of the second eighth as a share of a beat: 0 is straight, 1/6 full swing. */
  swing: number;
  beatsPerBar: 3 | 4;
  /** Notes of a melody, 0 to 1. */
  density: number;
}

const POP = { major: ['I V VIm IV', 'I VIm IV V', 'VIm IV I V'], minor: ['Im bVI bIII bVII', 'Im IVm bVI V'] };

const SOFT = { major: ['Imaj7 VIm7 IVmaj7 V7', 'IVmaj7 IIIm7 IIm7 Imaj7'], minor: ['Im7 IVm7 bVII7 bIIImaj7'] };

const JAZZ = { major: ['IIm7 V7 Imaj7 VIm7', 'Imaj7 VIm7 IIm7 V7'], minor: ['Im7 IVm7 V7 Im7', 'Im7 bVImaj7 V7 Im7'] };

const OPEN = { major: ['I IV I V', 'I IIIm IV I'], minor: ['Im bVII bVI bVII', 'Im bIII bVII IVm'] };

const BLUES = { major: ['I7 IV7 I7 V7'], minor: ['Im7 IVm7 Im7 V7'] };

const BACKBEAT: DrumPattern = { kick: 'x.......x.o.....', snare: '....x.......x...', hat: 'x.o.x.o.x.o.x.o.' };

const LAZY: DrumPattern = { kick: 'x.........x.....', snare: '....o.......o..o', hat: 'o.o.o.o.o.o.o.o.' };

const HOUSE: DrumPattern = { kick: 'x...x...x...x...', snare: '....x.......x...', hat: '..x...x...x...x.' };

const TRAP: DrumPattern = { kick: 'x.....x...x.....', snare: '........x.......', hat: 'x.x.x.xxx.x.x.xx' };

const BRUSHES: DrumPattern = { kick: 'o.......o.......', snare: '....o.......o...', hat: 'x...x.o.x...x.o.' };

const MARCH: DrumPattern = { kick: 'x.......x.......', snare: '....o..o....x.oo', hat: '................' };

const WALTZ: DrumPattern = { kick: 'x...........', snare: '....o...o...', hat: 'o...o...o...' };

/** The first genre whose words occur in the prompt wins; the last is the default. */
const GENRES: readonly Genre[] = [
  genre('lo-fi', /\blo-?fi\b|\bchill ?hop\b|study beat/i, [70, 86], 'minor', SOFT, 'electric piano', 'bells', LAZY, {
    swing: 0.12,
    density: 0.4,
  }),
  genre(
    'ambient',
    /ambient|drone|meditat|atmospher|soundscape|sleep|relax/i,
    [60, 76],
    'major',
    OPEN,
    'pad',
    'bells',
    null,
    {
      arpeggio: 'harp',
      density: 0.25,
    },
  ),
  genre('jazz', /\bjazz|bebop|bossa|swing\b/i, [100, 140], 'major', JAZZ, 'piano', 'flute', BRUSHES, { swing: 0.16 }),
  genre('blues', /\bblues/i, [80, 110], 'major', BLUES, 'organ', 'guitar', BACKBEAT, { swing: 0.16 }),
  genre('waltz', /waltz|ballroom|3\/4/i, [90, 120], 'major', POP, 'strings', 'piano', WALTZ, { beatsPerBar: 3 }),
  genre(
    'house',
    /\bhouse\b|techno|trance|\bedm\b|\bdance|club|rave|disco/i,
    [120, 128],
    'minor',
    POP,
    'pad',
    'synth lead',
    HOUSE,
    {
      bass: 'synth bass',
      arpeggio: 'synth lead',
    },
  ),
  genre('hip hop', /hip.?hop|\btrap\b|\brap\b|boom.?bap/i, [82, 96], 'minor', SOFT, 'electric piano', 'bells', TRAP, {
    bass: 'synth bass',
    density: 0.4,
  }),
  genre('rock', /\brock\b|punk|metal|grunge/i, [110, 140], 'minor', POP, 'guitar', 'synth lead', BACKBEAT, {}),
  genre(
    'synthwave',
    /synth ?wave|retro|80s|eighties|electro|chiptune|8-bit/i,
    [96, 118],
    'minor',
    POP,
    'pad',
    'synth lead',
    BACKBEAT,
    {
      bass: 'synth bass',
      arpeggio: 'synth lead',
    },
  ),
  genre('folk', /folk|acoustic|country|campfire|ballad/i, [86, 112], 'major', OPEN, 'guitar', 'flute', null, {
    arpeggio: 'guitar',
  }),
  genre(
    'cinematic',
    /cinemat|epic|orchestr|film|trailer|soundtrack|score|heroic/i,
    [76, 104],
    'minor',
    POP,
    'strings',
    'flute',
    MARCH,
    {
      arpeggio: 'harp',
    },
  ),
  genre(
    'classical',
    /classical|baroque|sonata|chamber|symphon|minuet/i,
    [84, 116],
    'major',
    OPEN,
    'strings',
    'piano',
    null,
    {
      arpeggio: 'piano',
    },
  ),
  genre('pop', /(?:)/, [96, 116], 'major', POP, 'piano', 'synth lead', BACKBEAT, { arpeggio: 'guitar' }),
];

function genre(
  name: string,
  words: RegExp,
  tempo: [number, number],
  mode: Genre['mode'],
  progressions: Genre['progressions'],
  chords: Instrument,
  melody: Instrument,
  drums: DrumPattern | null,
  rest: Partial<Genre>,
): Genre {
  const common = { bass: 'bass', arpeggio: null, swing: 0, beatsPerBar: 4, density: 0.55 } as const;
  return { name, words, tempo, mode, progressions, chords, melody, drums, ...common, ...rest };
}

interface Mood {
  name: string;
  words: RegExp;
  mode: Genre['mode'] | null;
  /** 0 is the slow end of the genre's tempo range, 1 the fast end. */
  pace: number;
  /** Factor on the number of notes. */
  density: number;
}

const MOODS: readonly Mood[] = [
  { name: 'sad', words: /\bsad|melanchol|lonel|sorrow|grief|mourn|tear/i, mode: 'minor', pace: 0.1, density: 0.8 },
  {
    name: 'dark',
    words: /\bdark|ominous|tense|scary|horror|sinister|brooding|suspense/i,
    mode: 'minor',
    pace: 0.4,
    density: 0.8,
  },
  {
    name: 'calm',
    words: /calm|peace|gentle|soft|quiet|sooth|serene|relax|slow|tender/i,
    mode: null,
    pace: 0.1,
    density: 0.7,
  },
  { name: 'dreamy', words: /dream|float|ethereal|space|nostalg|night/i, mode: null, pace: 0.3, density: 0.7 },
  {
    name: 'energetic',
    words: /energ|fast|driv|intense|power|workout|upbeat|quick/i,
    mode: null,
    pace: 1,
    density: 1.3,
  },
  { name: 'triumphant', words: /epic|triumph|hero|victor|glor|majest/i, mode: null, pace: 0.7, density: 1.1 },
  {
    name: 'happy',
    words: /happy|joy|cheer|bright|playful|sunny|fun|uplift|warm/i,
    mode: 'major',
    pace: 0.7,
    density: 1.1,
  },
  { name: 'balanced', words: /(?:)/, mode: null, pace: 0.5, density: 1 },
];

/** Prompt words that select an instrument. */
const INSTRUMENT_WORDS: readonly (readonly [RegExp, Instrument])[] = [
  [/electric piano|rhodes|\bkeys\b/i, 'electric piano'],
  [/synth bass|sub.?bass|808/i, 'synth bass'],
  [/\bpiano/i, 'piano'],
  [/guitar|ukulele|banjo/i, 'guitar'],
  [/\bharp\b/i, 'harp'],
  [/string|violin|cello|viola|orchestra/i, 'strings'],
  [/\bpads?\b|choir/i, 'pad'],
  [/flute|whistle|clarinet|\bsax|oboe|trumpet|horn/i, 'flute'],
  [/bells?\b|celesta|music box|glockenspiel/i, 'bells'],
  [/marimba|xylophone|kalimba|vibraphone/i, 'marimba'],
  [/\borgan/i, 'organ'],
  [/synth(?!wave| wave| bass)|\blead\b/i, 'synth lead'],
];

/** The prompt as parameters of the composer. */
export interface Style {
  genre: Genre;
  mood: string;
  tonic: string;
  mode: 'major' | 'minor';
  tempo: number;
  chords: Instrument;
  melody: Instrument;
  bass: Instrument;
  arpeggio: Instrument | null;
  hasDrums: boolean;
  density: number;
}

const TONICS = ['C', 'D', 'Eb', 'F', 'G', 'A', 'Bb'] as const;

const KEY = /\b([A-G])\s*(#|♯|b|♭|-?\s?sharp|-?\s?flat)?\s*[- ]?(major|minor|maj|min)\b/i;

const NO_DRUMS = /\b(?:no|without)\s+(?:any\s+)?(?:drums?|percussion|beats?)\b|drumless/i;

const DRUMS = /drum|percussion|\bbeats?\b/i;

/** Instruments that can sustain or strum several notes; they play the chords. */
const CHORDAL: readonly Instrument[] = ['piano', 'electric piano', 'guitar', 'strings', 'pad', 'organ', 'harp'];

export function styleOf(prompt: string, tempo: number | null, random: Random): Style {
  const genre = GENRES.find(({ words }) => words.test(prompt)) as Genre;
  const mood = MOODS.find(({ words }) => words.test(prompt)) as (typeof MOODS)[number];
  const key = keyOf(prompt);
  const [slow, fast] = genre.tempo;
  const chosenTempo = Math.round(slow + (fast - slow) * Math.min(1, mood.pace * 0.8 + random.next() * 0.2));
  const named = INSTRUMENT_WORDS.filter(([words]) => words.test(prompt)).map(([, instrument]) => instrument);
  const bass = named.includes('synth bass') ? 'synth bass' : genre.bass;
  const voices = named.filter((instrument) => instrument !== 'synth bass');
  const chords = voices.find((instrument) => CHORDAL.includes(instrument)) ?? genre.chords;
  const melody = voices.find((instrument) => instrument !== chords) ?? (voices.length > 0 ? chords : genre.melody);
  const third = voices.find((instrument) => instrument !== chords && instrument !== melody);
  return {
    genre,
    mood: mood.name,
    tonic: key?.tonic ?? random.pick(TONICS),
    mode: key?.mode ?? mood.mode ?? genre.mode,
    tempo: tempo ?? chosenTempo,
    chords,
    melody,
    bass,
    arpeggio: third ?? genre.arpeggio,
    hasDrums: !NO_DRUMS.test(prompt) && (genre.drums !== null || DRUMS.test(prompt)),
    density: Math.min(1, genre.density * mood.density),
  };
}

function keyOf(prompt: string): { tonic: string; mode: 'major' | 'minor' } | null {
  const match = KEY.exec(prompt);
  if (match === null) return null;
  const [, letter = 'C', sign = '', mode = ''] = match;
  const accidental = /#|♯|sharp/i.test(sign) ? '#' : /b|♭|flat/i.test(sign) ? 'b' : '';
  return { tonic: letter.toUpperCase() + accidental, mode: /^min/i.test(mode) ? 'minor' : 'major' };
}
