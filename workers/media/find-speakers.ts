/** Diarization: who speaks when. */

import { mkdir, stat } from 'node:fs/promises';
import { itemAt } from '../../src-server/platform/item-at.ts';
import type { TaskContext } from '../../src-server/platform/pool/worker-pool.ts';
import { say } from '../../src-server/platform/text/say.ts';
import { clusterVoices, type VoicePrint, voiceprintCosine } from './cluster-voices.ts';
import { readFinishedPart, writePart } from './parts.ts';
import { startSpeechChild } from './sherpa.ts';
import type { FindSpeakersInput, FindSpeakersOutput, Likeness, SampleRange, SpeakerTurn } from './tasks.ts';
import type { WindowVoice } from './voices.ts';

const SAMPLE_BYTES = 2;

/** The window of the segmentation models. Of longer sound the engine keeps everything in memory. */
const WINDOW_SECONDS = 10;

/** Each moment is in four windows. The engine itself takes ten, and embeds each of them. */
const HOP_SECONDS = 2.5;

/** Windows per child process and per file of results: the engine does not give all of its memory back. */
const BATCH_WINDOWS = 200;

/**
 * Finds who speaks when. Memory does not grow with the windows of the engine: they are segmented one by one, and only
 * their voices are kept. Errors: `engine_failed` if the child process died, and the signal's reason; in both cases no
 * child is left.
 */
export async function findSpeakers(input: FindSpeakersInput, context: TaskContext): Promise<FindSpeakersOutput> {
  const startedAt = performance.now();
  await mkdir(input.partsFolder, { recursive: true });
  const { size } = await stat(input.pcmPath);
  const samples = Math.floor(size / SAMPLE_BYTES);
  const windows = windowsOf(samples, input.sampleRate, input.speech);
  const { heard, isWhole } = await listenToAll(windows, input, context);
  return {
    ...speakerTurns(heard, { samples, sampleRate: input.sampleRate, count: input.count }),
    tookSeconds: isWhole ? (performance.now() - startedAt) / 1000 : null,
  };
}

/** Windows with speech; the last one ends with the sound. */
function windowsOf(samples: number, sampleRate: number, speech: readonly SampleRange[]): SampleRange[] {
  const [length, hop] = [WINDOW_SECONDS * sampleRate, HOP_SECONDS * sampleRate];
  const windows: SampleRange[] = [];
  let next = 0;
  for (let from = 0; from === 0 || from + length - hop < samples; from += hop) {
    const start = Math.max(0, Math.min(from, samples - length));
    const window: SampleRange = [start, Math.min(samples, start + length)];
    while (next < speech.length && itemAt(speech, next)[1] <= window[0]) next += 1;
    const first = speech[next];
    if (first !== undefined && first[0] < window[1]) windows.push(window);
  }
  return windows;
}

/** The voices of a window, in samples of the file. */
interface HeardWindow {
  window: SampleRange;
  voices: WindowVoice[];
}

async function listenToAll(windows: readonly SampleRange[], input: FindSpeakersInput, context: TaskContext) {
  const heard: HeardWindow[] = [];
  let isWhole = true;
  for (let first = 0; first < windows.length; first += BATCH_WINDOWS) {
    const batch = windows.slice(first, first + BATCH_WINDOWS);
    const index = first / BATCH_WINDOWS;
    let voices = await readFinishedPart<WindowVoice[][]>(input.partsFolder, index);
    if (voices === null) {
      voices = await listenTo(batch, input, context, (done) => {
        const percent = ((first + done) / windows.length) * 100;
        context.progress(percent, 'finding-speakers', say`Finding who speaks when`);
      });
      await writePart(input.partsFolder, index, voices);
    } else isWhole = false;
    heard.push(...batch.map((window, place) => ({ window, voices: voices[place] ?? [] })));
  }
  return { heard, isWhole };
}

async function listenTo(
  windows: readonly SampleRange[],
  { model, pcmPath, sampleRate, threads }: FindSpeakersInput,
  context: TaskContext,
  onDone: (count: number) => void,
): Promise<WindowVoice[][]> {
  const child = startSpeechChild(context, MESSAGE);
  try {
    await child.remote.loadSpeakers({ model, threads });
    const found: WindowVoice[][] = [];
    for (const [from, to] of windows) {
      const voices = await child.remote.voices({ pcmPath, sampleRate, pieces: [[from, to]] });
      found.push(
        voices.map((voice) => ({ ...voice, ranges: voice.ranges.map((range) => shiftSampleRange(range, from)) })),
      );
      onDone(found.length);
    }
    return found;
  } finally {
    child.end();
  }
}

const MESSAGE = say`The speaker model stopped unexpectedly. Try again, or install another one on the Models page.`;

function shiftSampleRange([from, to]: SampleRange, by: number): SampleRange {
  return [from + by, to + by];
}

/** Cosine from which two groups of prints are one speaker, where a recording does not show it. */
const THRESHOLD_DEFAULT = 0.55;

/** Windows this many apart share half of their sound. */
const SHARED_WINDOWS = 2;

/** Fewer pairs show nothing. */
const PAIRS_MIN = 3;

/** What voices of different speakers lack to the ones of one speaker, where no two speak in one window. */
const DIFFERENCE_DEFAULT = 0.5;

/** Prints from less sound are too unsure to found a speaker; they join the nearest one. */
const FOUNDING_SECONDS = 1.5;

/** Speakers with less speech than this are taken for others. */
const SPEAKER_SECONDS_MIN = 2;

/** In long recordings, groups with less than this share of the speech are noises more often than speakers. */
const RARE_SHARE = 0.002;

/** The timeline takes a byte per speaker and frame. Voices beyond these, the rarest, are taken for others. */
const SPEAKERS_MAX = 50;

/** A shorter share of the speech founds no speaker where the number is given. */
const SPEAKER_SHARE_MIN = 0.02;

interface Print extends VoicePrint {
  ranges: SampleRange[];
}

interface Recording {
  samples: number;
  sampleRate: number;
  count: number | null;
}

function speakerTurns(heard: readonly HeardWindow[], recording: Recording): Omit<FindSpeakersOutput, 'tookSeconds'> {
  const founding = heard.flatMap(({ voices }) => printsOf(voices, FOUNDING_SECONDS));
  const used = founding.length === 0 ? heard.flatMap(({ voices }) => printsOf(voices, 0)) : founding;
  const perSecond = WINDOW_SECONDS / HOP_SECONDS;
  const total = used.reduce((sum, { seconds }) => sum + seconds, 0);
  const rare = Math.max(SPEAKER_SECONDS_MIN * perSecond, total * RARE_SHARE);
  const least = Math.min(rare, total / 4);
  const likeness = likenessIn(heard, recording.sampleRate);
  // Of one window the segmentation alone knows better than a guess.
  const threshold = heard.length === 1 ? 1 : (likeness?.possible ?? THRESHOLD_DEFAULT);
  const directions = clusterVoices(used, {
    threshold,
    count: recording.count,
    leastSeconds: recording.count === null ? least : Math.min(least, total * SPEAKER_SHARE_MIN),
  }).slice(0, SPEAKERS_MAX);
  const timeline = new SpeakerTimeline(recording, directions.length);
  for (const { window, voices } of heard)
    timeline.addSpeakerVotes(window, voices, assignWindowSpeakers(voices, directions));
  return { turns: timeline.listSpeakerTurns(), voices: directions.map((direction) => [...direction]), likeness };
}

/**
 * How alike voices are with this model and sound: cosines differ much between embedding models. Voices at the same
 * time in two windows are one speaker, voices in one window are different ones; the threshold is half way between. Null
 * where the recording does not show it.
 */
function likenessIn(heard: readonly HeardWindow[], sampleRate: number): Likeness | null {
  const [same, different]: [number[], number[]] = [[], []];
  for (const [index, { voices }] of heard.entries()) {
    const prints = printsOf(voices, FOUNDING_SECONDS);
    for (const [place, one] of prints.entries()) {
      different.push(...prints.slice(place + 1).map((other) => voiceprintCosine(one.vector, other.vector)));
    }
    // Windows that share half of their sound.
    for (const other of printsOf(heard[index + SHARED_WINDOWS]?.voices ?? [], FOUNDING_SECONDS)) {
      const shared = prints.filter((one) => samplesShared(one.ranges, other.ranges) >= FOUNDING_SECONDS * sampleRate);
      same.push(...shared.map((one) => voiceprintCosine(one.vector, other.vector)));
    }
  }
  if (same.length < PAIRS_MIN) return null;
  const high = medianValue(same);
  const low = different.length < PAIRS_MIN ? high - DIFFERENCE_DEFAULT : medianValue(different);
  const possible = (high + low) / 2;
  return { possible, sure: (possible + high) / 2 };
}

function printsOf(voices: readonly WindowVoice[], secondsMin: number): Print[] {
  return voices.flatMap(({ vector, seconds, ranges }) => {
    return vector === null || seconds < secondsMin ? [] : [{ vector: Float32Array.from(vector), seconds, ranges }];
  });
}

/**
 * The speaker of each voice of a window, by its print; -1 where it has none. Voices that speak at once are different
 * speakers, so the clearest one chooses first.
 */
function assignWindowSpeakers(voices: readonly WindowVoice[], directions: readonly Float32Array[]): number[] {
  const choices = voices.flatMap(({ vector }, voice) => {
    if (vector === null) return [];
    const print = Float32Array.from(vector);
    return directions.map((direction, speaker) => ({ voice, speaker, cosine: voiceprintCosine(print, direction) }));
  });
  const chosen = voices.map(() => -1);
  for (const { voice, speaker } of choices.sort((one, other) => other.cosine - one.cosine)) {
    if (chosen[voice] !== -1) continue;
    const clashes = voices.some((other, index) => {
      return chosen[index] === speaker && samplesShared(other.ranges, itemAt(voices, voice).ranges) > 0;
    });
    if (!clashes) chosen[voice] = speaker;
  }
  return chosen;
}

function samplesShared(some: readonly SampleRange[], others: readonly SampleRange[]): number {
  const shared = some.flatMap(([from, to]) => others.map(([start, end]) => Math.min(to, end) - Math.max(from, start)));
  return shared.reduce((sum, samples) => sum + Math.max(0, samples), 0);
}

function medianValue(values: number[]): number {
  return values.sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

const FRAME_SECONDS = 0.02;

/** The segmentation knows the middle of a window better than its edges. */
const EDGE_SECONDS = 1.5;

const EDGE_WEIGHT = 1;

const MIDDLE_WEIGHT = 4;

/** Below one half: of windows that disagree, more than half must hear a voice. */
const COUNT_ROUNDING = 0.45;

/** Pauses of one speaker that are shorter do not end a turn. */
const PAUSE_SECONDS = 0.3;

const TURN_SECONDS_MIN = 0.2;

/** Weighs what the windows say about each moment. Memory: a byte per frame and speaker. */
class SpeakerTimeline {
  readonly #frames: number;
  readonly #frameSamples: number;
  readonly #votes: Uint8Array[];
  /** Weight of the windows, and of the voices in them, over each frame. */
  readonly #windows: Uint8Array;
  readonly #voices: Uint8Array;

  constructor({ samples, sampleRate }: Recording, speakers: number) {
    this.#frameSamples = Math.round(FRAME_SECONDS * sampleRate);
    this.#frames = Math.ceil(samples / this.#frameSamples);
    this.#votes = Array.from({ length: speakers }, () => new Uint8Array(this.#frames));
    this.#windows = new Uint8Array(this.#frames);
    this.#voices = new Uint8Array(this.#frames);
  }

  addSpeakerVotes([from, to]: SampleRange, voices: readonly WindowVoice[], speakers: readonly number[]): void {
    const edge = Math.round(EDGE_SECONDS / FRAME_SECONDS);
    const [first, last] = [this.#frameOf(from), this.#frameOf(to)];
    const weightAt = (frame: number) => {
      const isEdge = (frame - first < edge && first > 0) || (last - frame < edge && last < this.#frames - 1);
      return isEdge ? EDGE_WEIGHT : MIDDLE_WEIGHT;
    };
    for (let frame = first; frame < last; frame += 1)
      this.#windows[frame] = (this.#windows[frame] ?? 0) + weightAt(frame);
    for (const [index, { ranges }] of voices.entries()) {
      const votes = this.#votes[speakers[index] ?? -1];
      if (votes === undefined) continue;
      for (const [start, end] of ranges) {
        for (let frame = this.#frameOf(start); frame < this.#frameOf(end); frame += 1) {
          votes[frame] = (votes[frame] ?? 0) + weightAt(frame);
          this.#voices[frame] = (this.#voices[frame] ?? 0) + weightAt(frame);
        }
      }
    }
  }

  listSpeakerTurns(): SpeakerTurn[] {
    const runs = this.#votes.map((): SampleRange[] => []);
    for (let frame = 0; frame < this.#frames; frame += 1) {
      const weight = this.#windows[frame] ?? 0;
      const count = weight === 0 ? 0 : Math.floor((this.#voices[frame] ?? 0) / weight + COUNT_ROUNDING);
      if (count === 0) continue;
      const most = this.#votes
        .map((votes, speaker) => ({ speaker, votes: votes[frame] ?? 0 }))
        .sort((one, other) => other.votes - one.votes);
      for (const { speaker, votes } of most.slice(0, count)) {
        if (votes === 0) continue;
        const last = runs[speaker]?.at(-1);
        if (last !== undefined && frame - last[1] <= PAUSE_SECONDS / FRAME_SECONDS) last[1] = frame + 1;
        else runs[speaker]?.push([frame, frame + 1]);
      }
    }
    return runs
      .flatMap((all, speaker) =>
        all
          .filter(([from, to]) => (to - from) * FRAME_SECONDS >= TURN_SECONDS_MIN)
          .map(([from, to]) => ({ start: speakerFrameSeconds(from), end: speakerFrameSeconds(to), speaker })),
      )
      .sort((one, other) => one.start - other.start || one.speaker - other.speaker);
  }

  #frameOf(sample: number): number {
    return Math.min(this.#frames, Math.round(sample / this.#frameSamples));
  }
}

function speakerFrameSeconds(frame: number): number {
  return Math.round(frame * FRAME_SECONDS * 1000) / 1000;
}
