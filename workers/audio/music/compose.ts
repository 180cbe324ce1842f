import type { MusicFacts } from '../../../src-server/features/audio/schema.ts';
import { byName } from '../../../src-server/platform/records.ts';
import type { Instrument, Meter, MusicBrief } from '../tasks.ts';
import { composeFugue } from './fugue.ts';
import { chordsOf, homeOf, type PlannedChord, scaleOf, TONICS } from './harmony.ts';
import { motifOf, playMotif } from './melody.ts';
import { type Random, randomOf } from './random.ts';
import { type Drum, type Hit, inRange, type Note, type Piece, type Score } from './score.ts';

interface ComposeRequest {
  brief: MusicBrief;
  seed: string;
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

const PLAIN_DRUMS: Readonly<Record<string, string>> = byName({
  kick: 'x.......x.......',
  snare: '....x.......x...',
  hat: 'o.o.o.o.o.o.o.o.',
});

const FOUR_FOUR: Meter = { name: '4/4', beats: 4, stepsPerBeat: 4 };

const SIX_EIGHT: Meter = { name: '6/8', beats: 2, stepsPerBeat: 6 };

/** Deterministic: the same request gives the same piece, note for note. */
export function composePiece({ brief, seed, durationSeconds }: ComposeRequest): Piece {
  const random = randomOf(seed);
  const { meter, genre } = brief;
  const [slow, fast] = brief.tempo;
  const tempo = slow === fast ? slow : Math.round(slow + (fast - slow) * random.next());
  const score: Score = { brief, meter, tonic: brief.tonic ?? random.pick(TONICS), random };
  const barSeconds = (meter.beats * 60) / tempo;
  const bars = Math.max(1, Math.floor((durationSeconds - RINGING_SECONDS) / barSeconds));
  const sections = planSections(bars, brief, phraseOf(brief));
  const chords = chordsOf(score, sections);
  const notes: Note[] = [];
  const hits: Hit[] = [];
  if (genre.texture === 'fugue') notes.push(...composeFugue(score, chords));
  const motifs = new Map<string, ReturnType<typeof motifOf>>();
  for (const section of sections) {
    const inside = chords.slice(section.firstBar, section.firstBar + section.bars);
    if (genre.texture !== 'fugue') {
      notes.push(...accompanySection(score, section, inside));
      if (section.plays.melody && brief.melody !== null) {
        const motif = motifs.get(section.name) ?? motifOf(meter, brief.density, random);
        motifs.set(section.name, motif);
        notes.push(...melodyOf(score, section, inside, motif, brief.melody));
      }
    }
    if (section.plays.drums && brief.hasDrums) hits.push(...drumsOf(score, section));
  }
  if (!brief.fadesOut) addEndingNotes(score, bars, chords[0], notes, hits);
  const facts = musicFacts(score, { tempo, sections, barSeconds, notes });
  return { tempo, meter, fadesOut: brief.fadesOut, notes, hits, facts };
}

/** Bars of a phrase: that of the progression, such as the twelve of a blues. */
function phraseOf({ progressions }: MusicBrief): number {
  return progressions[0]?.split(' ').length ?? 4;
}

/** Intro, alternating verses and choruses, a bridge if there is time, and an ending; in whole phrases. */
function planSections(bars: number, brief: MusicBrief, phrase: number): Section[] {
  const plan: [string, number][] = brief.form === null ? usualForm(bars, phrase) : namedForm(bars, brief.form);
  let firstBar = 0;
  return plan.map(([name, length]) => {
    const section = { name, firstBar, bars: length, ...sectionRole(name) };
    firstBar += length;
    return section;
  });
}

function usualForm(bars: number, phrase: number): [string, number][] {
  const plan: [string, number][] = [];
  const edge = bars >= phrase + 8 ? 4 : bars >= 6 && phrase <= 4 ? 2 : 0;
  let left = bars - 2 * edge;
  if (edge > 0) plan.push(['intro', edge]);
  const order = ['verse', 'chorus', 'verse', 'chorus', 'bridge', 'chorus'];
  for (let index = 0; left > 0; index = (index + 1) % order.length) {
    const whole = left >= 4 * phrase && phrase <= 4 ? 2 * phrase : left > 1.5 * phrase ? phrase : left;
    const length = Math.min(left, whole);
    plan.push([order[index] ?? 'verse', length]);
    left -= length;
  }
  if (edge > 0) plan.push(['outro', edge]);
  return plan;
}

/** The named sections once, in equal lengths; what remains lengthens the last ones. */
function namedForm(bars: number, names: readonly string[]): [string, number][] {
  const used = names.slice(0, bars);
  const each = Math.floor(bars / used.length);
  const more = bars - each * used.length;
  return used.map((name, index) => [name, each + (index >= used.length - more ? 1 : 0)]);
}

function sectionRole(name: string): Pick<Section, 'plays' | 'strength'> {
  switch (name) {
    case 'intro':
      return { plays: { melody: false, bass: false, drums: true, arpeggio: true }, strength: 0.6 };
    case 'chorus':
    case 'drop':
      return { plays: { melody: true, bass: true, drums: true, arpeggio: true }, strength: 1 };
    case 'bridge':
    case 'break':
    case 'B':
      return { plays: { melody: true, bass: true, drums: name === 'B', arpeggio: true }, strength: 0.7 };
    case 'outro':
      return { plays: { melody: false, bass: true, drums: true, arpeggio: true }, strength: 0.65 };
    default:
      return { plays: { melody: true, bass: true, drums: true, arpeggio: false }, strength: 0.8 };
  }
}

/** Steps on which a pattern sounds, in beats of the bar. A pattern of another meter is fitted to this one. */
export function fitPatternToMeter(pattern: string, meter: Meter): { beat: number; mark: string }[] {
  const from =
    pattern.length % 16 === 0 ? FOUR_FOUR : pattern.length === 12 && meter.stepsPerBeat === 6 ? SIX_EIGHT : null;
  const own = from ?? { name: '3/4', beats: 3, stepsPerBeat: 4 };
  const steps = Math.round(meter.beats * meter.stepsPerBeat);
  const marks: { beat: number; mark: string }[] = [];
  const taken = new Set<string>();
  for (let step = 0; step < steps; step += 1) {
    const beat = Math.floor(step / meter.stepsPerBeat);
    const inBeat = step % meter.stepsPerBeat;
    // A triplet feel plays the second eighth on the last third of the beat.
    const place = meter.stepsPerBeat === own.stepsPerBeat ? inBeat : TRIPLET_PLACES.indexOf(inBeat);
    if (place < 0) continue;
    const source = (beat % own.beats) * own.stepsPerBeat + place;
    const mark = pattern[source % pattern.length] ?? '.';
    if (mark === '.' || taken.has(`${beat} ${place}`)) continue;
    taken.add(`${beat} ${place}`);
    marks.push({ beat: step / meter.stepsPerBeat, mark });
  }
  return marks;
}

/** Where the four sixteenths of a beat lie among the six steps of a compound beat. */
const TRIPLET_PLACES = [0, 2, 4, 5];

/** A swung second eighth comes late. */
function swungBeat(beat: number, { brief, meter }: Score): number {
  return meter.stepsPerBeat === 4 && Math.abs((beat % 1) - 0.5) < 0.01 ? beat + brief.genre.swing : beat;
}

/** Chords, bass and arpeggio of a section. */
function accompanySection(score: Score, section: Section, chords: readonly PlannedChord[]): Note[] {
  const { brief, meter, random } = score;
  const notes: Note[] = [];
  const comp = fitPatternToMeter(brief.genre.comp, meter);
  for (const [index, chord] of chords.entries()) {
    const bar = (section.firstBar + index) * meter.beats;
    const swell = section.strength * brief.strength * (0.92 + (0.08 * (index % 4)) / 3);
    if (brief.chords !== null) {
      for (const [strike, { beat, mark }] of comp.entries()) {
        const until = comp[strike + 1]?.beat ?? meter.beats;
        const beats = brief.genre.short ? Math.min(0.3, until - beat) : until - beat;
        const velocity = swell * (mark === 'x' ? 0.8 : 0.6) * (0.95 + random.next() * 0.1);
        const common = {
          part: 'chords' as const,
          instrument: brief.chords,
          startBeat: bar + swungBeat(beat, score),
          beats,
        };
        for (const pitch of chord.voicing) notes.push({ ...common, pitch, velocity });
      }
    }
    if (section.plays.bass && brief.bass !== null) notes.push(...bassOf(score, chord, bar, swell, brief.bass));
    if (section.plays.arpeggio && brief.arpeggio !== null) {
      notes.push(...arpeggioOf(score, chord, bar, swell, brief.arpeggio));
    }
  }
  return notes;
}

function arpeggioOf(score: Score, chord: PlannedChord, bar: number, swell: number, instrument: Instrument): Note[] {
  const { meter } = score;
  const [low = 60] = chord.voicing;
  const ladder = [...chord.voicing, low + 12].map((pitch) => inRange(pitch + 12, instrument));
  const each = meter.stepsPerBeat === 6 ? 1 / 3 : 0.5;
  return Array.from({ length: Math.floor(meter.beats / each) }, (_, index) => ({
    part: 'arpeggio' as const,
    instrument,
    startBeat: bar + swungBeat(index * each, score),
    beats: each,
    pitch: ladder[index % ladder.length] ?? 60,
    velocity: swell * (index % 2 === 0 ? 0.5 : 0.42),
  }));
}

/** Longest note of a bass, in beats. */
const BASS_BEATS_MAX = 4;

function bassOf(score: Score, chord: PlannedChord, bar: number, swell: number, instrument: Instrument): Note[] {
  const { brief, meter } = score;
  const line = fitPatternToMeter(brief.genre.bassline, meter);
  const pitches: Record<string, number> = {
    r: chord.bass,
    t: chord.bass + (chord.third ?? 4),
    f: chord.bass + (chord.fifth ?? 7),
    o: chord.bass + 12,
  };
  return line.map(({ beat, mark }, index) => {
    const until = Math.min(BASS_BEATS_MAX, (line[index + 1]?.beat ?? meter.beats) - beat);
    return {
      part: 'bass',
      instrument,
      startBeat: bar + swungBeat(beat, score),
      beats: brief.genre.short ? Math.min(0.45, until) : until,
      pitch: inRange(pitches[mark] ?? chord.bass, instrument),
      velocity: swell * (beat === 0 ? 0.9 : 0.78),
    };
  });
}

function melodyOf(
  score: Score,
  section: Section,
  chords: readonly PlannedChord[],
  motif: ReturnType<typeof motifOf>,
  instrument: Instrument,
): Note[] {
  const { meter, brief } = score;
  const [low, high] = instrument.range;
  const lift = section.name === 'chorus' || section.name === 'B' ? 4 : 0;
  const centre = Math.max(low + 9, Math.min(high - 9, 70)) + lift;
  const scale = scaleOf(score, centre);
  return playMotif({ motif, chords, scale, home: homeOf(score), meter, random: score.random }).map(
    ({ startBeat, beats, pitch, accent }) => ({
      part: 'melody' as const,
      instrument,
      startBeat: section.firstBar * meter.beats + swungBeat(startBeat, score),
      beats,
      pitch: inRange(pitch, instrument),
      velocity: section.strength * brief.strength * (accent ? 0.95 : 0.78),
    }),
  );
}

function drumsOf(score: Score, section: Section): Hit[] {
  const { brief, meter, random } = score;
  const pattern = brief.genre.drums ?? PLAIN_DRUMS;
  const hits: Hit[] = [];
  const quiet = section.name === 'intro' || section.name === 'outro';
  const last = meter.beats - 1;
  for (let bar = 0; bar < section.bars; bar += 1) {
    const first = (section.firstBar + bar) * meter.beats;
    const fills = bar === section.bars - 1 && section.bars >= 4 && !quiet;
    for (const [name, marks] of Object.entries(pattern)) {
      const drum = name as Drum;
      if (quiet && (drum === 'snare' || drum === 'clap') && section.name === 'intro') continue;
      for (const { beat, mark } of fitPatternToMeter(marks, meter)) {
        if (fills && beat >= last && drum !== 'kick' && drum !== 'hat') continue;
        const loudness = mark === 'x' ? 0.9 : 0.5;
        const level = quiet ? 0.6 : section.strength;
        const velocity = loudness * level * brief.strength * (0.9 + random.next() * 0.1);
        hits.push({ drum, startBeat: first + swungBeat(beat, score), velocity });
      }
    }
    if (fills) hits.push(...fillOf(first + last, random, brief.strength));
  }
  if (section.name === 'chorus' || section.name === 'drop') {
    hits.push({ drum: 'crash', startBeat: section.firstBar * meter.beats, velocity: 0.6 });
  }
  return hits;
}

/** Four sixteenths that lead into the next section. */
function fillOf(startBeat: number, random: Random, strength: number): Hit[] {
  const drums = random.pick<Drum[]>([
    ['snare', 'snare', 'tom', 'tom'],
    ['snare', 'tom', 'snare', 'tom'],
    ['tom', 'tom', 'snare', 'snare'],
  ]);
  return drums.map((drum, index) => ({
    drum,
    startBeat: startBeat + index / 4,
    velocity: (0.55 + index * 0.12) * strength,
  }));
}

/** The ending: the tonic rings from the first beat after the last bar. */
function addEndingNotes(
  { brief, meter }: Score,
  bars: number,
  home: PlannedChord | undefined,
  notes: Note[],
  hits: Hit[],
): void {
  if (home === undefined) return;
  const startBeat = bars * meter.beats;
  const common = { startBeat, beats: 8 };
  const instrument = brief.chords ?? brief.melody;
  if (instrument !== null) {
    for (const pitch of home.voicing) {
      notes.push({
        part: 'chords',
        instrument,
        ...common,
        pitch: inRange(pitch, instrument),
        velocity: 0.75 * brief.strength,
      });
    }
  }
  if (brief.bass !== null) {
    const pitch = inRange(home.bass, brief.bass);
    notes.push({ part: 'bass', instrument: brief.bass, ...common, pitch, velocity: 0.8 * brief.strength });
  }
  if (brief.hasDrums)
    hits.push({ drum: 'kick', startBeat, velocity: 0.8 }, { drum: 'crash', startBeat, velocity: 0.4 });
}

interface Composed {
  tempo: number;
  sections: readonly Section[];
  barSeconds: number;
  notes: readonly Note[];
}

function musicFacts({ brief, meter, tonic }: Score, { tempo, sections, barSeconds, notes }: Composed): MusicFacts {
  const instruments = [...new Set(notes.map(({ instrument }) => instrument.name))];
  if (brief.hasDrums) instruments.push('drums');
  return {
    genre: brief.genre.name,
    mood: brief.mood,
    key: `${tonic} ${brief.mode}`,
    tempo,
    timeSignature: meter.name,
    instruments,
    sections: sections.map(({ name, firstBar, bars }) => ({
      name,
      startSeconds: Math.round(firstBar * barSeconds * 1000) / 1000,
      bars,
    })),
  };
}
