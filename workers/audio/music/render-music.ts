import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { itemAt } from '../../../src-server/platform/item-at.ts';
import type { TaskFunction } from '../../../src-server/platform/pool/worker-pool.ts';
import { say } from '../../../src-server/platform/text/say.ts';
import { encodeWave } from '../encode.ts';
import { finishSound } from '../finish-sound.ts';
import { mixScene } from '../scenes/render-scene.ts';
import { fadeEnds, type Sound } from '../sound.ts';
import { type Band, builtInBand, type NoteSound } from './band.ts';
import { composePiece } from './compose.ts';
import { midiOf } from './midi.ts';
import { addReverb } from './reverb.ts';
import type { Drum, Part, Piece } from './score.ts';
import { soundFontBand } from './sound-font-band.ts';

/** Share of playing in the work; the rest is normalisation and encoding. */
const PLAYING_PERCENT = 50;

/** Sounds under a piece are this much below it. */
const SCENE_GAIN = 0.28;

/** Composes and plays: the same brief and seed give the same bytes. */
export const renderMusic: TaskFunction<'render-music'> = async (input, context) => {
  const piece = composePiece(input);
  const { sampleRate, soundFontPath, outputFolder, fileName } = input;
  const band = soundFontPath === null ? builtInBand(sampleRate) : await soundFontBand(soundFontPath, sampleRate);
  const { sound, stems } = playPiece(piece, band, {
    sampleRate,
    seconds: Math.min(input.renderSeconds, input.durationSeconds),
    complete: input.renderSeconds >= input.durationSeconds,
    stems: input.stems,
    progress: (share) => {
      context.progress(share * PLAYING_PERCENT, 'playing', say`Playing the piece`);
      context.signal.throwIfAborted();
    },
  });
  mixScene(sound, input.scene, { seed: input.seed, gain: SCENE_GAIN });
  const otherFiles = await writeStems(stems, outputFolder, fileName);
  if (input.midi) {
    await writeFile(join(outputFolder, `${fileName}.mid`), midiOf(piece, input.title));
    otherFiles.push(`${fileName}.mid`);
  }
  context.progress(PLAYING_PERCENT, 'levelling', say`Normalising and encoding`);
  const finished = await finishSound(sound, {
    folder: outputFolder,
    name: fileName,
    goal: input.goal,
    title: input.title,
    tempo: piece.tempo,
    pause: () => context.signal.throwIfAborted(),
  });
  return { ...finished, music: piece.facts, otherFiles, warnings: [] };
};

/** Stems keep their balance: all are scaled by the same factor, below full scale. */
async function writeStems(
  stems: readonly (readonly [string, Sound])[],
  folder: string,
  name: string,
): Promise<string[]> {
  let peak = 0;
  for (const [, { channels }] of stems) {
    for (const channel of channels) for (const sample of channel) peak = Math.max(peak, Math.abs(sample));
  }
  const scale = 0.89 / Math.max(peak, 0.001);
  const names: string[] = [];
  for (const [part, { channels, sampleRate }] of stems) {
    const scaled = channels.map((channel) => channel.map((sample) => sample * scale));
    const file = `${name}-${part}.wav`;
    await writeFile(join(folder, file), encodeWave({ channels: scaled, sampleRate }).bytes);
    names.push(file);
  }
  return names;
}

/** Notes between two progress reports. */
const NOTES_PER_STEP = 64;

/** The piece fades to silence over its last seconds, so that ringing notes are not cut. */
const FADE_OUT_SECONDS = 1.2;

/** A fade that the prompt asks for takes this share of the piece. */
const LONG_FADE_SHARE = 0.2;

const PREVIEW_FADE_SECONDS = 0.4;

/** Stereo position: left -1, right 1. */
const PLACES: Readonly<Record<Part, number>> = { chords: -0.25, melody: 0.15, bass: 0, arpeggio: 0.55 };

const REVERB: Readonly<Record<Part, number>> = { chords: 0.3, melody: 0.35, bass: 0.02, arpeggio: 0.35 };

const DRUM_PLACES: Partial<Record<Drum, number>> = {
  snare: 0.05,
  hat: -0.35,
  open: -0.3,
  ride: 0.4,
  tom: 0.25,
  shaker: 0.5,
  crash: 0.4,
};

const DRUM_REVERB = 0.06;

interface PlayHow {
  sampleRate: number;
  /** Exact length of the sound. */
  seconds: number;
  /** True if the piece ends there; false if it is cut. */
  complete: boolean;
  /** Whether to return each part by itself, too. */
  stems: boolean;
  /** 0 to 1; may throw to stop. */
  progress(share: number): void;
}

interface Played {
  sound: Sound;
  stems: [string, Sound][];
}

/** Plays a score. Each note starts on its sample, so the tempo stays exact over any length. */
export function playPiece(piece: Piece, band: Band, how: PlayHow): Played {
  const { sampleRate, seconds, progress } = how;
  const length = Math.round(seconds * sampleRate);
  const mixes = new Map<string, Mix>();
  const mixOf = (name: string) => {
    const mix = mixes.get(how.stems ? name : 'all') ?? new Mix(length);
    mixes.set(how.stems ? name : 'all', mix);
    return mix;
  };
  const beatSamples = (60 * sampleRate) / piece.tempo;
  for (const [index, note] of piece.notes.entries()) {
    if (index % NOTES_PER_STEP === 0) progress(index / piece.notes.length);
    const start = Math.round(note.startBeat * beatSamples);
    if (start >= length) continue;
    const sound = band.note(note, (note.beats * 60) / piece.tempo);
    mixOf(note.part).mixNoteSound(sound, start, band.gainOf(note), PLACES[note.part], REVERB[note.part]);
  }
  for (const hit of piece.hits) {
    const start = Math.round(hit.startBeat * beatSamples);
    if (start >= length) continue;
    const gain = hit.velocity * band.drumGain(hit.drum);
    mixOf('drums').mixNoteSound(band.drum(hit), start, gain, DRUM_PLACES[hit.drum] ?? 0, DRUM_REVERB);
  }
  progress(1);
  const fade = !how.complete ? PREVIEW_FADE_SECONDS : piece.fadesOut ? seconds * LONG_FADE_SHARE : FADE_OUT_SECONDS;
  const stems = [...mixes].map(([name, mix]): [string, Sound] => [name, finishMix(mix, sampleRate, fade)]);
  const first = stems[0]?.[1] ?? { channels: [new Float32Array(length), new Float32Array(length)], sampleRate };
  if (!how.stems) return { sound: first, stems: [] };
  return {
    sound: sumOf(
      stems.map(([, sound]) => sound),
      length,
      sampleRate,
    ),
    stems,
  };
}

function finishMix(mix: Mix, sampleRate: number, fade: number): Sound {
  const sound = { channels: [mix.left, mix.right], sampleRate };
  addReverb(sound, mix.send);
  fadeEnds(sound, 0, fade);
  return sound;
}

function sumOf(sounds: readonly Sound[], length: number, sampleRate: number): Sound {
  const channels = [new Float32Array(length), new Float32Array(length)];
  for (const sound of sounds) {
    for (const [side, channel] of channels.entries()) {
      const other = itemAt(sound.channels, side);
      for (let index = 0; index < length; index += 1) {
        channel[index] = (channel[index] ?? 0) + (other[index] ?? 0);
      }
    }
  }
  return { channels, sampleRate };
}

class Mix {
  readonly left: Float32Array;
  readonly right: Float32Array;
  readonly send: Float32Array;

  constructor(length: number) {
    this.left = new Float32Array(length);
    this.right = new Float32Array(length);
    this.send = new Float32Array(length);
  }

  mixNoteSound([one, other = one]: NoteSound, start: number, gain: number, place: number, reverb: number): void {
    const { left, right, send } = this;
    const angle = ((place + 1) * Math.PI) / 4;
    const toLeft = gain * Math.cos(angle);
    const toRight = gain * Math.sin(angle);
    const toSend = (gain * reverb) / 2;
    const count = Math.min(one.length, left.length - start);
    for (let index = 0; index < count; index += 1) {
      const first = one[index] ?? 0;
      const second = other[index] ?? 0;
      const at = start + index;
      left[at] = (left[at] ?? 0) + first * toLeft;
      right[at] = (right[at] ?? 0) + second * toRight;
      send[at] = (send[at] ?? 0) + (first + second) * toSend;
    }
  }
}
