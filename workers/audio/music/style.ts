import { GENRES, type Genre, INSTRUMENT_WORDS, type Instrument, MOODS } from './genres.ts';
import type { Random } from './random.ts';

/** What a prompt asks of the composer. */
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
/** Chords are played by what can hold or strum several notes. */
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
