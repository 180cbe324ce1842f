import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { QuarryError } from '../../src-server/platform/errors.ts';
import type { TaskFunction } from '../../src-server/platform/pool/worker-pool.ts';
import { say } from '../../src-server/platform/text/say.ts';
import type { Reading } from '../../src-server/platform/text/spoken-english.ts';
import { wholeSlice } from '../../src-server/platform/text/strings.ts';
import { splitUnspacedRun } from '../../src-server/platform/text/subtitle-lines.ts';
import { toSrt, toVtt } from './captions.ts';
import { findChapters } from './chapters.ts';
import { finishSound } from './finish-sound.ts';
import { PAUSE, type Utterance } from './flite.ts';
import { openLive } from './live-speech.ts';
import { withBackground } from './mix.ts';
import { resampleSound } from './resample.ts';
import { fadeEnds, type Sound } from './sound.ts';
import { type OpenSpeakers, openSpeakers } from './speakers.ts';
import type { Passage, RenderSpeechInput, RenderSpeechOutput } from './tasks.ts';
import { type SpokenText, spokenTexts } from './utterances.ts';
import { type SpokenWord, soundingWords, wordTimes } from './word-times.ts';

/** Silence between utterances, in addition to the synthesiser's own. */
const GAP_SECONDS = 0.12;

/** Silence at a change of speakers. */
const TURN_SECONDS = 0.35;

const FADE_SECONDS = 0.02;

/** Characters of the omitted text that the result quotes: enough to find the place. */
const OMITTED_CHARS_SHOWN = 200;

const FULL_SCALE = 32_768;

/** Engines change their pace by this much at most; the rest is refused by the schema. */
const SPEED_MIN = 0.25;

const SPEED_MAX = 4;

/** A clip that may end anywhere ends with the sentence that fills this share of it. */
const CLIP_SHARE = 2 / 3;

/** Share of speaking in the work; the rest is normalisation and encoding. */
const SPEAKING_PERCENT = 70;

/** Speaks a text to its end or to the ceiling, which falls on the end of a sentence where possible. */
export const renderSpeech: TaskFunction<'render-speech'> = async (input, context) => {
  const speakers = openSpeakers(context);
  const lines = planSpokenLines(input);
  const live = input.live === undefined ? null : await openLive(input.live, input, (part) => context.part(part));
  const reportSpeakingProgress = (percent: number) => {
    context.progress(percent * SPEAKING_PERCENT, 'speaking', say`Speaking the text`);
    context.signal.throwIfAborted();
  };
  const reportHeardPart = (part: Part) => live?.add(part.startSeconds, (sampleRate) => partSamples(part, sampleRate));
  const spoken = await speakUpTo(speakers, lines, input, {
    report: reportSpeakingProgress,
    heard: reportHeardPart,
  }).finally(() => speakers.close());
  const silent = spoken.filter(({ seconds }) => seconds === 0).length;
  if (spoken.length === silent) throw nothingToSpeak();
  live?.end();
  const alone = joinSpeechParts(spoken);
  const checkSpeechCancellation = () => context.signal.throwIfAborted();
  const { background, seed, maxSeconds } = input;
  const { sound, music } =
    background === null
      ? { sound: alone, music: null }
      : withBackground(alone, background, { seed, maxSeconds, pause: checkSpeechCancellation });
  const written = spoken.map(({ text, startSeconds }) => ({ text: writtenOf({ text }), startSeconds }));
  const chapters = findChapters(input.source, written);
  context.progress(SPEAKING_PERCENT, 'levelling', say`Normalising and encoding`);
  const finished = await finishSound(sound, {
    folder: input.outputFolder,
    name: input.fileName,
    goal: input.goal,
    title: input.title,
    tempo: null,
    chapters,
    pause: checkSpeechCancellation,
  });
  if (input.includeCaptions) await writeCaptions(input, spoken);
  const rest = lines.slice(spoken.length).map(writtenOf).join(' ');
  return {
    ...finished,
    omitted: rest === '' ? null : { characters: rest.length, text: wholeSlice(rest, 0, OMITTED_CHARS_SHOWN) },
    music,
    chapters,
    unspokenRuns: lines.reduce((sum, { text }) => sum + text.leftOut, 0) + silent,
    wordsTimed: spoken.every(({ utterance }) => utterance.phones !== null),
  } satisfies RenderSpeechOutput;
};

function writtenOf({ text }: Pick<Line, 'text'>): string {
  return text.words.map(({ written }) => written).join(' ');
}

export function nothingToSpeak(): QuarryError {
  return new QuarryError(
    'unsupported_media',
    say`The prompt has no text that this voice can speak. Change the prompt or choose another voice.`,
  );
}

/** An utterance of a passage, and the silence before it. */
export interface Line {
  text: SpokenText;
  passage: Passage;
  pauseSeconds: number;
}

export function planSpokenLines({
  passages,
  speakers,
  reading,
}: Pick<RenderSpeechInput, 'passages' | 'speakers' | 'reading'>): Line[] {
  const lines: Line[] = [];
  let pause = 0;
  let before: number | null = null;
  for (const passage of passages) {
    const speaker = speakers[passage.speaker];
    if (speaker === undefined) throw new Error(`The script has no speaker ${passage.speaker}.`);
    pause += passage.pauseSeconds;
    for (const text of spokenTexts(passage.text, speaker, reading)) {
      const turn = before === null ? 0 : before === passage.speaker ? GAP_SECONDS : TURN_SECONDS;
      lines.push({ text, passage, pauseSeconds: Math.max(turn, pause) });
      pause = 0;
      before = passage.speaker;
    }
  }
  return lines;
}

/** Speaks one line in its manner: pace, loudness and pitch. */
export async function speakLine(
  speakers: OpenSpeakers,
  { text, passage }: Line,
  input: Pick<RenderSpeechInput, 'speakers'>,
): Promise<Utterance> {
  const speaker = input.speakers[passage.speaker];
  if (speaker === undefined) throw new Error(`The script has no speaker ${passage.speaker}.`);
  // A text spoken slower and played faster is higher, at the same length.
  const shift = 2 ** (passage.semitones / 12);
  const pace = Math.min(SPEED_MAX, Math.max(SPEED_MIN, passage.speed / shift));
  const utterance = await speakers.speak(speaker, text.spoken, pace);
  if (shift === 1 && passage.gainDb === 0) return utterance;
  const gain = 10 ** (passage.gainDb / 20);
  const samples = resampleSound(Float32Array.from(utterance.samples), 1 / shift);
  return {
    sampleRate: utterance.sampleRate,
    samples: Int16Array.from(samples, (sample) => Math.max(-FULL_SCALE, Math.min(FULL_SCALE - 1, sample * gain))),
    phones: utterance.phones?.map(({ name, end }) => ({ name, end: end / shift })) ?? null,
  };
}

interface Part {
  text: SpokenText;
  /** Its number in the script. */
  speaker: number;
  utterance: Utterance;
  startSeconds: number;
  /** Seconds of it that are used. */
  seconds: number;
}

async function speakUpTo(
  speakers: OpenSpeakers,
  lines: readonly Line[],
  input: RenderSpeechInput,
  { report, heard }: { report(share: number): void; heard(part: Part): void },
): Promise<Part[]> {
  const parts: Part[] = [];
  let seconds = 0;
  for (const [index, line] of lines.entries()) {
    if (input.endsAnywhere && seconds > input.maxSeconds * CLIP_SHARE) break;
    report(Math.max(index / lines.length, seconds / input.maxSeconds));
    const { text } = line;
    const { speaker } = line.passage;
    const utterance = await speakLine(speakers, line, input);
    const length = utterance.samples.length / utterance.sampleRate;
    // A voice is silent for a script it does not know; the text after it is still spoken.
    if (length === 0 || Number.isNaN(length)) {
      parts.push({ text, speaker, utterance, startSeconds: seconds, seconds: 0 });
      continue;
    }
    const startSeconds = seconds + line.pauseSeconds;
    const room = input.maxSeconds - startSeconds;
    if (length > room && seconds > 0 && !input.endsAnywhere) break;
    const used = length <= room ? length : input.endsAnywhere ? room : lastPhoneEnd(utterance, room);
    if (used <= 0) break;
    const part = { text, speaker, utterance, startSeconds, seconds: used };
    parts.push(part);
    heard(part);
    seconds = startSeconds + used;
    if (used < length) break;
  }
  return parts;
}

/** A sentence that alone exceeds the ceiling ends at its last pause within it, else at the end of a phone. */
function lastPhoneEnd({ phones }: Utterance, room: number): number {
  if (phones === null) return room;
  const within = phones.filter(({ end }) => end <= room);
  const pause = within.slice(1).findLast(({ name }) => name === PAUSE);
  return (pause ?? within.at(-1))?.end ?? room;
}

/** At the highest sample rate of the parts. */
function joinSpeechParts(parts: readonly Part[]): Sound {
  const last = parts.at(-1);
  const total = last === undefined ? 0 : last.startSeconds + last.seconds;
  const sampleRate = parts.reduce(
    (rate, { utterance, seconds }) => Math.max(rate, seconds > 0 ? utterance.sampleRate : 0),
    0,
  );
  const channel = new Float32Array(Math.floor(total * sampleRate));
  for (const part of parts) {
    if (part.seconds === 0) continue;
    const samples = partSamples(part, sampleRate);
    const start = Math.round(part.startSeconds * sampleRate);
    channel.set(samples.subarray(0, Math.max(0, channel.length - start)), start);
  }
  return { channels: [channel], sampleRate };
}

function partSamples({ utterance, seconds }: Part, sampleRate: number): Float32Array {
  const count = Math.min(utterance.samples.length, Math.floor(seconds * utterance.sampleRate));
  const own = Float32Array.from(utterance.samples.subarray(0, count), (sample) => sample / FULL_SCALE);
  const samples = resampleSound(own, sampleRate / utterance.sampleRate);
  fadeEnds({ channels: [samples], sampleRate }, FADE_SECONDS, FADE_SECONDS);
  return samples;
}

async function writeCaptions(input: RenderSpeechInput, parts: readonly Part[]): Promise<void> {
  const words: SpokenWord[] = [];
  for (const { text, speaker: number, utterance, startSeconds, seconds } of parts) {
    const speaker = input.speakerNames?.[number] ?? undefined;
    const { phones, samples, sampleRate } = utterance;
    const times =
      phones === null ? estimatedWordTimes(text.words, samples, sampleRate) : await wordTimes(text.words, phones);
    for (const word of times) {
      if (word.start >= seconds) break;
      const end = Math.min(word.end, seconds);
      words.push({ ...word, speaker, start: startSeconds + word.start, end: startSeconds + end });
    }
  }
  await writeFile(join(input.outputFolder, `${input.fileName}.vtt`), toVtt(words));
  await writeFile(join(input.outputFolder, `${input.fileName}.srt`), toSrt(words));
}

/** Length of the frames whose energy separates sound from silence. */
const FRAME_SECONDS = 0.02;

/** A frame below this share of the loudest is silence. */
const SILENCE_SHARE = 0.02;

/** Constant part of a word's duration, in letters. */
const WORD_EXTRA_LETTERS = 1;

/**
 * Estimates word times for engines that report none: the sounding time is divided in proportion to word length, and
 * pauses within the utterance belong to no word.
 */
export function estimatedWordTimes(
  readings: readonly Reading[],
  samples: Int16Array,
  sampleRate: number,
): SpokenWord[] {
  const words = soundingWords(readings).flatMap(({ written }) => splitUnspacedRun(written));
  const weights = words.map((word) => [...word.text].length + WORD_EXTRA_LETTERS);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const sounding = soundingFrames(samples, sampleRate);
  const timeAtSoundingShare = (share: number) => {
    const index = Math.min(sounding.length - 1, Math.round(share * (sounding.length - 1)));
    return (sounding[Math.max(0, index)] ?? 0) * FRAME_SECONDS;
  };
  let before = 0;
  return words.map((word, index) => {
    const start = timeAtSoundingShare(before / total);
    before += weights[index] ?? 0;
    const end = Math.max(start + FRAME_SECONDS, timeAtSoundingShare(before / total));
    return { ...word, start, end, endsUtterance: index === words.length - 1 };
  });
}

/** Indexes of the frames that are not silent, in order. */
function soundingFrames(samples: Int16Array, sampleRate: number): number[] {
  const length = Math.max(1, Math.round(FRAME_SECONDS * sampleRate));
  const energies: number[] = [];
  for (let from = 0; from < samples.length; from += length) {
    let energy = 0;
    for (const sample of samples.subarray(from, from + length)) energy += sample * sample;
    energies.push(Math.sqrt(energy / length));
  }
  const loudest = energies.reduce((most, energy) => Math.max(most, energy), 0);
  return energies.flatMap((energy, frame) => (energy > loudest * SILENCE_SHARE ? [frame] : []));
}
