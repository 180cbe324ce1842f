import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { QuarryError } from '../../src-server/platform/errors.ts';
import type { TaskFunction } from '../../src-server/platform/pool/worker-pool.ts';
import { speakable, tidied } from '../../src-server/platform/text/spoken-english.ts';
import { wholeSlice } from '../../src-server/platform/text/strings.ts';
import { piecesOf } from '../../src-server/platform/text/subtitle-lines.ts';
import { toSrt, toVtt } from './captions.ts';
import { chaptersOf } from './chapters.ts';
import { finishSound } from './finish-sound.ts';
import { PAUSE, type Utterance } from './flite.ts';
import { withBackground } from './mix.ts';
import { fadeEnds, type Sound } from './sound.ts';
import { type OpenSpeaker, openSpeaker } from './speakers.ts';
import type { RenderSpeechInput, RenderSpeechOutput } from './tasks.ts';
import { type SpokenWord, utterancesOf, wordsOf, wordTimes } from './word-times.ts';

/** Silence between utterances, in addition to the synthesiser's own. */
const GAP_SECONDS = 0.12;

const FADE_SECONDS = 0.02;

/** Characters of the omitted text that the result quotes: enough to find the place. */
const OMITTED_CHARS_SHOWN = 200;

const FULL_SCALE = 32_768;

/** Share of speaking in the work; the rest is normalisation and encoding. */
const SPEAKING_PERCENT = 70;

/** Speaks a text to its end or to the ceiling, which falls on the end of a sentence where possible. */
export const renderSpeech: TaskFunction<'render-speech'> = async (input, context) => {
  const { text, leftOut } = input.speaker.engine === 'flite' ? speakable(input.text) : tidied(input.text);
  const utterances = utterancesOf(text);
  const speaker = await openSpeaker(input.speaker, context);
  const spoken = await speakUpTo(speaker, utterances, input, (percent) => {
    context.progress(percent * SPEAKING_PERCENT, 'speaking', 'Speaking the text');
    context.signal.throwIfAborted();
  }).finally(() => speaker.close());
  const silent = spoken.parts.filter(({ seconds }) => seconds === 0).length;
  if (spoken.parts.length === silent) {
    throw new QuarryError(
      'unsupported_media',
      'The prompt has no text that this voice can speak. Change the prompt or choose another voice.',
    );
  }
  const alone = joined(spoken);
  const pause = () => context.signal.throwIfAborted();
  const { background, seed, maxSeconds } = input;
  const { sound, music } =
    background === null
      ? { sound: alone, music: null }
      : withBackground(alone, background, { seed, maxSeconds, pause });
  const chapters = chaptersOf(input.text, spoken.parts);
  context.progress(SPEAKING_PERCENT, 'levelling', 'Normalising and encoding');
  const finished = await finishSound(sound, {
    folder: input.outputFolder,
    name: input.fileName,
    goal: input.goal,
    title: input.title,
    tempo: null,
    chapters,
    pause,
  });
  if (input.includeCaptions) await writeCaptions(input, spoken);
  const rest = utterances.slice(spoken.parts.length).join(' ');
  return {
    ...finished,
    omitted: rest === '' ? null : { characters: rest.length, text: wholeSlice(rest, 0, OMITTED_CHARS_SHOWN) },
    music,
    chapters,
    unspokenRuns: leftOut + silent,
    wordsTimed: spoken.parts.every(({ utterance }) => utterance.phones !== null),
  } satisfies RenderSpeechOutput;
};

interface Part {
  text: string;
  utterance: Utterance;
  startSeconds: number;
  /** Seconds of it that are used. */
  seconds: number;
}

interface Spoken {
  parts: Part[];
  sampleRate: number;
}

async function speakUpTo(
  speaker: OpenSpeaker,
  utterances: readonly string[],
  input: RenderSpeechInput,
  report: (share: number) => void,
): Promise<Spoken> {
  const parts: Part[] = [];
  let sampleRate = 0;
  let seconds = 0;
  for (const [index, text] of utterances.entries()) {
    report(Math.max(index / utterances.length, seconds / input.maxSeconds));
    const utterance = await speaker.speak(text);
    if (sampleRate !== 0 && utterance.sampleRate !== sampleRate) throw anotherRate();
    sampleRate = utterance.sampleRate;
    const length = utterance.samples.length / sampleRate;
    // A voice is silent for a script it does not know; the text after it is still spoken.
    if (length === 0) {
      parts.push({ text, utterance, startSeconds: seconds, seconds: 0 });
      continue;
    }
    const startSeconds = seconds === 0 ? 0 : seconds + GAP_SECONDS;
    const room = input.maxSeconds - startSeconds;
    if (length > room && seconds > 0 && !input.endsAnywhere) break;
    const used = length <= room ? length : input.endsAnywhere ? room : lastPhoneEnd(utterance, room);
    if (used <= 0) break;
    parts.push({ text, utterance, startSeconds, seconds: used });
    seconds = startSeconds + used;
    if (used < length) break;
  }
  return { parts, sampleRate };
}

/** A sentence that alone exceeds the ceiling ends at its last pause within it, else at the end of a phone. */
function lastPhoneEnd({ phones }: Utterance, room: number): number {
  if (phones === null) return room;
  const within = phones.filter(({ end }) => end <= room);
  const pause = within.slice(1).findLast(({ name }) => name === PAUSE);
  return (pause ?? within.at(-1))?.end ?? room;
}

function joined({ parts, sampleRate }: Spoken): Sound {
  const last = parts.at(-1);
  const total = last === undefined ? 0 : last.startSeconds + last.seconds;
  const channel = new Float32Array(Math.floor(total * sampleRate));
  for (const { utterance, startSeconds, seconds } of parts) {
    const count = Math.min(utterance.samples.length, Math.floor(seconds * sampleRate));
    const samples = Float32Array.from(utterance.samples.subarray(0, count), (sample) => sample / FULL_SCALE);
    const piece = { channels: [samples], sampleRate };
    fadeEnds(piece, FADE_SECONDS, FADE_SECONDS);
    const start = Math.round(startSeconds * sampleRate);
    channel.set(samples.subarray(0, Math.max(0, channel.length - start)), start);
  }
  return { channels: [channel], sampleRate };
}

function anotherRate(): QuarryError {
  const message = 'The speech server changes its sample rate between sentences. Choose another model on that server.';
  return new QuarryError('engine_failed', message);
}

async function writeCaptions(input: RenderSpeechInput, { parts }: Spoken): Promise<void> {
  const words: SpokenWord[] = [];
  for (const { text, utterance, startSeconds, seconds } of parts) {
    const { phones, samples, sampleRate } = utterance;
    const times = phones === null ? estimatedWordTimes(text, samples, sampleRate) : await wordTimes(text, phones);
    for (const word of times) {
      if (word.start >= seconds) break;
      const end = Math.min(word.end, seconds);
      words.push({ ...word, start: startSeconds + word.start, end: startSeconds + end });
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
export function estimatedWordTimes(text: string, samples: Int16Array, sampleRate: number): SpokenWord[] {
  const words = wordsOf(text).flatMap(piecesOf);
  const weights = words.map((word) => [...word.text].length + WORD_EXTRA_LETTERS);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const sounding = soundingFrames(samples, sampleRate);
  const timeOf = (share: number) => {
    const index = Math.min(sounding.length - 1, Math.round(share * (sounding.length - 1)));
    return (sounding[Math.max(0, index)] ?? 0) * FRAME_SECONDS;
  };
  let before = 0;
  return words.map((word, index) => {
    const start = timeOf(before / total);
    before += weights[index] ?? 0;
    const end = Math.max(start + FRAME_SECONDS, timeOf(before / total));
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
