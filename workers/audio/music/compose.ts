import type { MusicFacts } from '../../../src-server/features/audio/schema.ts';
import { type DrumPattern, INSTRUMENTS, type Instrument, type Style, styleOf } from './genres.ts';
import { chordsOf, type PlannedChord, scaleOf } from './harmony.ts';
import { type Random, randomOf } from './random.ts';

/** A note of the score. Times are in beats from the start of the piece. */
export interface Note {
  part: 'chords' | 'melody' | 'bass' | 'arpeggio';
  instrument: Instrument;
  startBeat: number;
  beats: number;
  /** MIDI number. */
  pitch: number;
  /** 0 to 1. */
  velocity: number;
}

export type Drum = 'kick' | 'snare' | 'hat' | 'crash';

interface Hit {
  drum: Drum;
  startBeat: number;
  velocity: number;
}

export interface Piece {
  tempo: number;
  notes: Note[];
  hits: Hit[];
  facts: MusicFacts;
}

interface ComposeRequest {
  prompt: string;
  tempo: number | null;
  durationSeconds: number;
}

/** A section and its instruments. */
interface Section {
  name: string;
  firstBar: number;
  bars: number;
  plays: { melody: boolean; bass: boolean; drums: boolean; arpeggio: boolean };
  /** 0 to 1. */
  strength: number;
}

/** The last chord rings for at least this long. */
const RINGING_SECONDS = 1.5;

const SIXTEENTHS_PER_BEAT = 4;

/** Deterministic: the same request gives the same piece, note for note. */
export function compose(request: ComposeRequest): Piece {
  const random = randomOf(JSON.stringify([request.prompt, request.tempo, request.durationSeconds]));
  const style = styleOf(request.prompt, request.tempo, random);
  const { beatsPerBar } = style.genre;
  const barSeconds = (beatsPerBar * 60) / style.tempo;
  const bars = Math.max(1, Math.floor((request.durationSeconds - RINGING_SECONDS) / barSeconds));
  const sections = form(bars);
  const chords = chordsOf(style, bars, sections.length, random, sectionOfBar(sections));
  const notes: Note[] = [];
  const hits: Hit[] = [];
  const motifs = new Map<string, ReturnType<typeof motifOf>>();
  for (const section of sections) {
    const inside = chords.slice(section.firstBar, section.firstBar + section.bars);
    notes.push(...accompany(style, section, inside, random));
    if (section.plays.melody) {
      const motif = motifs.get(section.name) ?? motifOf(beatsPerBar, style.density, random);
      motifs.set(section.name, motif);
      notes.push(...melodyOf(style, section, inside, motif, random));
    }
    if (section.plays.drums && style.hasDrums) hits.push(...drumsOf(style, section, random));
  }
  end(style, bars, chords[0], notes, hits);
  return { tempo: style.tempo, notes, hits, facts: factsOf(style, sections, barSeconds) };
}

function sectionOfBar(sections: readonly Section[]): (bar: number) => number {
  return (bar) => sections.findIndex(({ firstBar, bars }) => bar >= firstBar && bar < firstBar + bars);
}

/** Intro, alternating verses and choruses, a bridge if there is time, and an ending; in groups of four bars. */
function form(bars: number): Section[] {
  const plan: [string, number][] = [];
  const edge = bars >= 12 ? 4 : bars >= 6 ? 2 : 0;
  let left = bars - 2 * edge;
  if (edge > 0) plan.push(['intro', edge]);
  const order = ['verse', 'chorus', 'verse', 'chorus', 'bridge', 'chorus'];
  for (let index = 0; left > 0; index = (index + 1) % order.length) {
    const length = left >= 16 ? 8 : left > 6 ? 4 : left;
    plan.push([order[index] ?? 'verse', length]);
    left -= length;
  }
  if (edge > 0) plan.push(['outro', edge]);
  let firstBar = 0;
  return plan.map(([name, length]) => {
    const section = { name, firstBar, bars: length, ...role(name) };
    firstBar += length;
    return section;
  });
}

function role(name: string): Pick<Section, 'plays' | 'strength'> {
  switch (name) {
    case 'intro':
      return { plays: { melody: false, bass: false, drums: true, arpeggio: true }, strength: 0.6 };
    case 'chorus':
      return { plays: { melody: true, bass: true, drums: true, arpeggio: true }, strength: 1 };
    case 'bridge':
      return { plays: { melody: true, bass: true, drums: false, arpeggio: true }, strength: 0.7 };
    case 'outro':
      return { plays: { melody: false, bass: true, drums: true, arpeggio: true }, strength: 0.65 };
    default:
      return { plays: { melody: true, bass: true, drums: true, arpeggio: false }, strength: 0.8 };
  }
}

/** Chords, bass and arpeggio of a section. */
function accompany(style: Style, section: Section, chords: readonly PlannedChord[], random: Random): Note[] {
  const { beatsPerBar } = style.genre;
  const notes: Note[] = [];
  const held = style.chords === 'pad' || style.chords === 'strings' || style.chords === 'organ';
  for (const [index, chord] of chords.entries()) {
    const bar = (section.firstBar + index) * beatsPerBar;
    const starts = held ? [0] : beatsPerBar === 3 ? [0, 1, 2] : section.strength > 0.75 ? [0, 1.5, 2, 3] : [0, 2];
    for (const [strike, start] of starts.entries()) {
      const beats = (starts[strike + 1] ?? beatsPerBar) - start;
      const velocity = section.strength * (strike === 0 ? 0.8 : 0.62) * (0.95 + random.next() * 0.1);
      for (const pitch of chord.voicing) {
        notes.push({ part: 'chords', instrument: style.chords, startBeat: bar + start, beats, pitch, velocity });
      }
    }
    if (section.plays.bass) notes.push(...bassOf(style, chord, bar, section.strength));
    if (section.plays.arpeggio && style.arpeggio !== null) {
      const ladder = [...chord.voicing, (chord.voicing[0] ?? 60) + 12];
      for (let eighth = 0; eighth < beatsPerBar * 2; eighth += 1) {
        const pitch = (ladder[eighth % ladder.length] ?? 60) + 12;
        const startBeat = bar + eighth / 2 + (eighth % 2 === 1 ? style.genre.swing : 0);
        const velocity = section.strength * 0.5;
        notes.push({ part: 'arpeggio', instrument: style.arpeggio, startBeat, beats: 0.5, pitch, velocity });
      }
    }
  }
  return notes;
}

function bassOf(style: Style, chord: PlannedChord, bar: number, strength: number): Note[] {
  const { beatsPerBar, name } = style.genre;
  const walking = name === 'jazz' || name === 'blues';
  const driving = name === 'house' || name === 'rock' || name === 'synthwave';
  const fifth = chord.bass + 7 > 52 ? chord.bass - 5 : chord.bass + 7;
  const steps: [number, number, number][] = walking
    ? [0, 1, 2, 3].map((beat) => [beat, 1, [chord.bass, chord.bass + (chord.third ?? 4), fifth, chord.bass][beat] ?? 0])
    : driving
      ? Array.from({ length: beatsPerBar * 2 }, (_, eighth) => [eighth / 2, 0.5, chord.bass])
      : beatsPerBar === 3
        ? [[0, 3, chord.bass]]
        : [
            [0, 2, chord.bass],
            [2, 1.5, chord.bass],
            [3.5, 0.5, fifth],
          ];
  return steps.map(([start, beats, pitch]) => ({
    part: 'bass' as const,
    instrument: style.bass,
    startBeat: bar + start,
    beats,
    pitch,
    velocity: strength * 0.85,
  }));
}

function melodyOf(
  style: Style,
  section: Section,
  chords: readonly PlannedChord[],
  motif: ReturnType<typeof motifOf>,
  random: Random,
): Note[] {
  const { beatsPerBar, swing } = style.genre;
  const scale = scaleOf(style, section.name === 'chorus' ? 74 : 70);
  return playMotif({ motif, chords, scale, beatsPerBar, random }).map(({ startBeat, beats, pitch, accent }) => ({
    part: 'melody' as const,
    instrument: style.melody,
    startBeat: section.firstBar * beatsPerBar + startBeat + (startBeat % 1 === 0.5 ? swing : 0),
    beats,
    pitch,
    velocity: section.strength * (accent ? 0.95 : 0.75),
  }));
}

function drumsOf(style: Style, section: Section, random: Random): Hit[] {
  const { beatsPerBar, swing } = style.genre;
  const pattern: DrumPattern = style.genre.drums ?? {
    kick: 'x.......x.......',
    snare: '....o.......o...',
    hat: 'o.o.o.o.o.o.o.o.',
  };
  const hits: Hit[] = [];
  const quiet = section.name === 'intro' || section.name === 'outro';
  for (let bar = 0; bar < section.bars; bar += 1) {
    const first = (section.firstBar + bar) * beatsPerBar;
    const fills = bar === section.bars - 1 && section.bars >= 4 && !quiet;
    for (const drum of ['kick', 'snare', 'hat'] as const) {
      if (quiet && drum === 'snare') continue;
      for (let step = 0; step < beatsPerBar * SIXTEENTHS_PER_BEAT; step += 1) {
        const mark = pattern[drum][step % pattern[drum].length];
        const filled = fills && drum === 'snare' && step >= (beatsPerBar - 1) * SIXTEENTHS_PER_BEAT;
        if (mark === '.' && !filled) continue;
        const late = step % 4 === 2 ? swing : 0;
        const loudness = mark === 'x' ? 0.9 : 0.5;
        const velocity = loudness * (quiet ? 0.6 : section.strength) * (0.9 + random.next() * 0.1);
        hits.push({ drum, startBeat: first + step / SIXTEENTHS_PER_BEAT + late, velocity });
      }
    }
  }
  if (section.name === 'chorus') hits.push({ drum: 'crash', startBeat: section.firstBar * beatsPerBar, velocity: 0.6 });
  return hits;
}

/** The ending: the tonic rings from the first beat after the last bar. */
function end(style: Style, bars: number, home: PlannedChord | undefined, notes: Note[], hits: Hit[]): void {
  if (home === undefined) return;
  const startBeat = bars * style.genre.beatsPerBar;
  const common = { startBeat, beats: 8 };
  for (const pitch of home.voicing) {
    notes.push({ part: 'chords', instrument: style.chords, ...common, pitch, velocity: 0.75 });
  }
  notes.push({ part: 'bass', instrument: style.bass, ...common, pitch: home.bass, velocity: 0.8 });
  if (style.hasDrums) {
    hits.push({ drum: 'kick', startBeat, velocity: 0.8 }, { drum: 'crash', startBeat, velocity: 0.4 });
  }
}

function factsOf(style: Style, sections: readonly Section[], barSeconds: number): MusicFacts {
  const playing = new Set<string>([style.chords, style.melody, style.bass]);
  if (style.arpeggio !== null) playing.add(style.arpeggio);
  const instruments: string[] = INSTRUMENTS.filter((instrument) => playing.has(instrument));
  if (style.hasDrums) instruments.push('drums');
  return {
    genre: style.genre.name,
    mood: style.mood,
    key: `${style.tonic} ${style.mode}`,
    tempo: style.tempo,
    timeSignature: `${style.genre.beatsPerBar}/4`,
    instruments,
    sections: sections.map(({ name, firstBar, bars }) => ({
      name,
      startSeconds: Math.round(firstBar * barSeconds * 1000) / 1000,
      bars,
    })),
  };
}

/** A two-bar rhythm with its contour, which a section repeats and varies. */
interface Motif {
  steps: { startBeat: number; beats: number; move: number }[];
  beats: number;
}

interface MelodyNote {
  startBeat: number;
  beats: number;
  pitch: number;
  accent: boolean;
}

function motifOf(beatsPerBar: number, density: number, random: Random): Motif {
  const beats = beatsPerBar * 2;
  const steps: Motif['steps'] = [];
  for (let eighth = 0; eighth < beats * 2; eighth += 1) {
    const startBeat = eighth / 2;
    // A phrase rests at its end and starts on its first beat.
    if (startBeat >= beats - 1) break;
    const strong = startBeat % 2 === 0;
    const onBeat = startBeat % 1 === 0;
    if (eighth !== 0 && !random.chance(density * (strong ? 1.3 : onBeat ? 1 : 0.55))) continue;
    steps.push({ startBeat, beats: 0.5, move: random.pick([-2, -1, -1, 0, 1, 1, 2]) });
  }
  for (const [index, step] of steps.entries()) {
    const next = steps[index + 1]?.startBeat ?? beats - 0.5;
    step.beats = Math.min(2, next - step.startBeat);
  }
  return { steps, beats };
}

interface PlayMotif {
  motif: Motif;
  chords: readonly PlannedChord[];
  /** Pitches that may be used, low to high. */
  scale: readonly number[];
  beatsPerBar: number;
  random: Random;
}

/** Plays the motif over a section's chords: strong beats take chord tones, other beats step along the scale. */
function playMotif({ motif, chords, scale, beatsPerBar, random }: PlayMotif): MelodyNote[] {
  const notes: MelodyNote[] = [];
  const total = chords.length * beatsPerBar;
  let index = Math.floor(scale.length / 2);
  for (let phrase = 0; phrase * motif.beats < total; phrase += 1) {
    // Every second phrase inverts the motif and keeps its rhythm.
    const turn = phrase % 2 === 1 ? -1 : 1;
    for (const { startBeat, beats, move } of motif.steps) {
      const at = phrase * motif.beats + startBeat;
      if (at >= total) break;
      const varied = random.chance(0.15) ? random.pick([-1, 1]) : move * turn;
      index = Math.max(0, Math.min(scale.length - 1, index + varied));
      const accent = startBeat % 2 === 0;
      const chord = chords[Math.floor(at / beatsPerBar)];
      if (accent && chord !== undefined) index = nearestTone(scale, index, chord.tones);
      notes.push({ startBeat: at, beats: Math.min(beats, total - at), pitch: scale[index] ?? 72, accent });
    }
    index = Math.round((index + scale.length / 2) / 2);
  }
  return notes;
}

function nearestTone(scale: readonly number[], index: number, tones: readonly number[]): number {
  for (let distance = 0; distance < scale.length; distance += 1) {
    for (const candidate of [index - distance, index + distance]) {
      const pitch = scale[candidate];
      if (pitch !== undefined && tones.includes(pitch % 12)) return candidate;
    }
  }
  return index;
}
