/** Recordings that are no talk, or an odd one: each ends with what could be read, and says what could not. */
import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Appliance } from '../harness/appliance.ts';
import { type MediaMaker, openMediaMaker } from '../harness/make-media.ts';
import { CLIPS, installSpeakerModel, startWithSpeech, type TranscriptJob, transcribed } from '../harness/speech.ts';
import { installVadModel } from '../harness/vad-model.ts';

const FOX = join(CLIPS, '02-fox.wav');
const CHAPTERS = 200;
const CHAPTERS_KEPT = 1000;
const CUES_KEPT = 50_000;
/** Greetings, each in its own language. */
const LANGUAGES = ['de', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'sv', 'tr', 'en'];

let appliance: Appliance;
let maker: MediaMaker;
beforeAll(async () => {
  [appliance, maker] = await Promise.all([startWithSpeech(), openMediaMaker()]);
});
afterAll(async () => {
  await appliance.close();
  await maker[Symbol.asyncDispose]();
});

async function read(
  name: string,
  args: readonly string[],
  change = (bytes: Buffer) => bytes,
  options: object = {},
): Promise<TranscriptJob> {
  const job = await transcribed(appliance, change(await maker.make(name, args)), name, options);
  expect(job.error, JSON.stringify(job.error)).toBeUndefined();
  return job;
}

test.for([
  ['two hours of silence', ['-f', 'lavfi', '-i', 'anullsrc=r=8000:cl=mono', '-t', '7200'], 7200],
  ['music alone', ['-f', 'lavfi', '-i', 'aevalsrc=0.2*sin(440*2*PI*t)+0.2*sin(554*2*PI*t):d=20'], 20],
] as const)('%s has no words, and a warning', async ([, args, seconds]) => {
  const { result } = await read('quiet.flac', args);
  expect(result).toMatchObject({ segments: [], chunks: [], warnings: ['No speech was found in the file.'] });
  expect(result?.covered.durationSeconds).toBeCloseTo(seconds, 0);
});

/** Plucked chords of three notes; the bass note changes every second, the others every half. */
const CHORDS = [
  ...['0.2*exp(-1.5*mod(t,1))*sin(2*PI*t*110*pow(2,floor(mod(t,4))/6))', '0.2*exp(-3*mod(t,0.5))*sin(2*PI*t*330)'],
  '0.2*exp(-3*mod(t,0.5))*sin(2*PI*t*440*pow(2,floor(mod(2*t,3))/4))',
].join('+');

test('music in which the recogniser invents words, as without a voice activity model, has doubts and a warning', async () => {
  await installSpeakerModel(appliance);
  await installVadModel(appliance, Buffer.from('This is no model.'));
  const args = ['-f', 'lavfi', '-i', `aevalsrc='${CHORDS}':d=30:s=16000`];
  const { result } = await read('chords.flac', args, undefined, { speakers: true });
  expect(result?.transcript.words).toBeGreaterThan(0);
  expect(result?.speakers).toEqual([]);
  expect(result?.segments.every(({ speaker }) => speaker === undefined)).toBe(true);
  expect(result?.warnings).toEqual([
    expect.stringContaining('found by loudness'),
    expect.stringMatching(/^The sound has almost no speech.*No speakers were/),
  ]);
  expect(result?.doubts?.map(({ reason, startSeconds }) => [reason, startSeconds])).toEqual(
    result?.segments.map(({ start }) => ['no-speech-evidence', start]),
  );
  await rm(join(appliance.dataDir, 'models/silero-vad.onnx'));
  const { result: silent } = await read('chords.flac', args);
  expect(silent).toMatchObject({ segments: [], warnings: ['No speech was found in the file.'] });
  const talk = ['-i', FOX, '-f', 'lavfi', '-i', `aevalsrc='0.1*(${CHORDS})':d=4:s=16000`];
  const mixed = ['-filter_complex', 'amix=normalize=0:duration=shortest,aloop=4:60000'];
  const { result: spoken } = await read('talk.flac', [...talk, ...mixed], undefined, { speakers: true });
  expect(spoken?.speakers).toHaveLength(1);
  // The small recogniser may lose one of five equal sentences, which is said.
  expect(spoken?.warnings.join(' ')).not.toMatch(/almost no speech|loudness/);
});

test('ten languages in one file are heard to the end', async () => {
  const say = promisify(execFile);
  const parts = LANGUAGES.map((language) => join(maker.folder, `${language}.wav`));
  await Promise.all(
    parts.map((path, index) => say('espeak-ng', ['-v', LANGUAGES[index] ?? '', '-w', path, 'Taxi, hotel.'])),
  );
  const inputs = parts.flatMap((path) => ['-i', path]);
  const { result } = await read('ten.wav', [...inputs, '-filter_complex', `concat=n=${parts.length}:v=0:a=1`]);
  const { covered, media } = result as NonNullable<TranscriptJob['result']>;
  expect(covered.endSeconds).toBeCloseTo(media.durationSeconds, 0);
});

test.for([
  [CHAPTERS, CHAPTERS, []],
  [CHAPTERS_KEPT + 1, CHAPTERS_KEPT, [expect.stringContaining(`first ${CHAPTERS_KEPT} chapters`)]],
] as const)('a file with %i chapters gives %i', async ([count, kept, warnings]) => {
  const chapter = (_: unknown, index: number) =>
    `[CHAPTER]\nTIMEBASE=1/1000\nSTART=${index}\nEND=${index + 1}\ntitle=Part ${index + 1}\n`;
  const facts = join(maker.folder, `${count}.txt`);
  await writeFile(facts, `;FFMETADATA1\n${Array.from({ length: count }, chapter).join('')}`);
  const { result } = await read(`${count}.mkv`, ['-i', FOX, '-i', facts, '-map_metadata', '1', '-c:a', 'flac']);
  expect(result?.file.chapters).toHaveLength(kept);
  expect(result?.file.chapters.at(-1)).toMatchObject({ title: `Part ${kept}` });
  expect(result?.warnings).toEqual(warnings);
});

test('a subtitle track with too many cues says how many were left out', async () => {
  const cues = join(maker.folder, 'many.srt');
  const stamp = (milliseconds: number) => new Date(milliseconds).toISOString().slice(11, 23).replace('.', ',');
  const cue = (_: unknown, index: number) =>
    `${index + 1}\n${stamp(index * 10)} --> ${stamp(index * 10 + 10)}\nWord ${index + 1}\n`;
  await writeFile(cues, Array.from({ length: CUES_KEPT + 2 }, cue).join('\n'));
  const { result } = await read('many.mkv', ['-i', FOX, '-i', cues, '-c:a', 'flac', '-c:s', 'srt']);
  expect(result?.file.subtitles).toMatchObject([{ cues: CUES_KEPT }]);
  expect(result?.warnings).toContain('Subtitle track 1: only the first 50000 of 50002 cues were kept.');
});

test('subtitle tracks that are empty or damaged are listed, and the words are kept', async () => {
  const cues = join(maker.folder, 'cues.srt');
  const empty = join(maker.folder, 'empty.srt');
  await writeFile(
    cues,
    '1\n00:00:00,000 --> 00:00:01,000\nGOOD WORDS\n\n2\n00:00:01,000 --> 00:00:02,000\nBADLY CODED\n',
  );
  await writeFile(empty, '1\n00:00:00,000 --> 00:00:01,000\n \n');
  const tracks = [
    '-i',
    FOX,
    '-i',
    cues,
    '-i',
    empty,
    '-map',
    '0',
    '-map',
    '1',
    '-map',
    '2',
    '-c:a',
    'flac',
    '-c:s',
    'srt',
  ];
  const { result } = await read('damaged.mkv', tracks, (bytes) => {
    bytes.fill(0xff, bytes.indexOf('BADLY'), bytes.indexOf('BADLY') + 5);
    return bytes;
  });
  expect(result?.segments[0]?.text).toContain('fox');
  expect(result?.file.subtitles).toMatchObject([{ cues: 2 }, { cues: 0, srt: null }]);
  expect(result?.warnings).toEqual([expect.stringMatching(/^Subtitle tracks without text that could be read: 2\./)]);
});
