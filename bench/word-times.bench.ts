/**
 * How far estimated times of words are off, for models that time no words. flite speaks the sentences and states when
 * each sound ends; the estimate gets the sentence with its true beginning and end, and the stretches that loudness finds.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { LoudnessTrack } from '../workers/media/find-speech.ts';
import { withEstimatedWords } from '../workers/media/speech-times.ts';
import { expectTarget, percentile, printTable } from './figures.ts';

const run = promisify(execFile);
const VOICES = ['slt', 'awb', 'kal16', 'rms'];
const WAV_HEADER_BYTES = 44;
const MEAN_MAX_SECONDS = 0.15;
const SENTENCES = [
  'The committee met on Thursday to discuss the budget for the coming year.',
  'Several members asked about the cost of the new building.',
  'Nobody had an answer, but the engineer promised a report before winter.',
  'Please turn on the light in the hall and close the door behind you.',
  'In the afternoon, after a long walk along the harbour, we visited the museum.',
  'Her argument was simple, elegant and completely wrong.',
  'I think that we should wait until the results of the second experiment are known.',
  'Yes, of course, the ferry leaves at seven and comes back at nine.',
];

const folder = await mkdtemp(join(tmpdir(), 'quarry bench '));

/** The sounds of a text, and when each ends. */
async function spoken(voice: string, text: string, path: string): Promise<{ sound: string; end: number }[]> {
  const { stdout } = await run('flite', ['-voice', voice, '-psdur', '-t', text, path]);
  return [...stdout.matchAll(/(\S+):([\d.]+)/g)].map(([, sound = '', end]) => ({ sound, end: Number(end) }));
}

const counts = new Map<string, number>();

/** How many sounds the voice gives a word. */
async function soundsOf(voice: string, word: string): Promise<number> {
  const key = `${voice} ${word}`;
  const sounds = counts.get(key) ?? (await spoken(voice, word, 'none')).filter(({ sound }) => sound !== 'pau').length;
  counts.set(key, sounds);
  return sounds;
}

/** True times of the words; null where the voice says a word otherwise in the sentence than alone. */
async function truthOf(voice: string, text: string, path: string) {
  const sounds = (await spoken(voice, text, path)).map(({ sound, end }, index, all) => {
    return { sound, start: all[index - 1]?.end ?? 0, end };
  });
  const said = sounds.filter(({ sound }) => sound !== 'pau');
  const words: { start: number; end: number }[] = [];
  let at = 0;
  for (const word of text.split(' ')) {
    const own = said.slice(at, at + (await soundsOf(voice, word)));
    at += own.length;
    words.push({ start: own[0]?.start ?? Number.NaN, end: own.at(-1)?.end ?? Number.NaN });
  }
  return at === said.length && words.every(({ end }) => !Number.isNaN(end)) ? words : null;
}

async function speechIn(path: string): Promise<[number, number][]> {
  const bytes = await readFile(path);
  const sampleRate = bytes.readUInt32LE(24);
  const track = new LoudnessTrack(sampleRate);
  track.addSoundPortion(new Int16Array(new Uint8Array(bytes.subarray(WAV_HEADER_BYTES)).buffer));
  return track.soundingRanges().map(([from, to]) => [from / sampleRate, to / sampleRate]);
}

const starts: Record<'estimated' | 'even', number[]> = { estimated: [], even: [] };
let sentences = 0;
try {
  for (const voice of VOICES) {
    for (const [index, text] of SENTENCES.entries()) {
      const path = join(folder, `${voice}-${index}.wav`);
      const truth = await truthOf(voice, text, path);
      if (truth === null) continue;
      sentences += 1;
      const [start, end] = [truth[0]?.start ?? 0, truth.at(-1)?.end ?? 0];
      const { words = [] } = withEstimatedWords({ start, end, text }, await speechIn(path));
      for (const [place, word] of truth.entries()) {
        starts.estimated.push(Math.abs((words[place]?.start ?? Number.NaN) - word.start));
        starts.even.push(Math.abs(start + ((end - start) * place) / truth.length - word.start));
      }
    }
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
const mean = (all: readonly number[]) => all.reduce((sum, one) => sum + one, 0) / all.length;
printTable(
  Object.entries(starts).map(([how, errors]) => ({
    'times of words': how,
    sentences,
    words: errors.length,
    'mean error, s': mean(errors),
    'p50, s': percentile(errors, 0.5),
    'p95, s': percentile(errors, 0.95),
    'at most, s': Math.max(...errors),
  })),
);
expectTarget(
  `estimated words begin ${MEAN_MAX_SECONDS} s from the truth on average at most`,
  mean(starts.estimated) <= MEAN_MAX_SECONDS,
);
