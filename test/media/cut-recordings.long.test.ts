import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Appliance } from '../harness/appliance.ts';
import { type MediaMaker, openMediaMaker, picturesAnd } from '../harness/make-media.ts';
import { seededRandom } from '../harness/seeded-random.ts';
import { CLIPS, startWithSpeech, transcribed } from '../harness/speech.ts';

/** The first 24 seconds of a long recording. */
const LONG_PATH = join(CLIPS, '08-long.mp3');
const LENGTH_SECONDS = 24;
const FIRST = ['-t', String(LENGTH_SECONDS)];
const X264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];
const video = [...picturesAnd(LONG_PATH), ...FIRST, ...X264];
const sound = ['-i', LONG_PATH, ...FIRST];

let appliance: Appliance;
let maker: MediaMaker;
beforeAll(async () => {
  [appliance, maker] = await Promise.all([startWithSpeech(), openMediaMaker()]);
});
afterAll(async () => {
  await appliance.close();
  await maker[Symbol.asyncDispose]();
});

const cut = (whole: Buffer, share: number) => whole.subarray(0, Math.floor(whole.length * share));

/** Noise in place of a tenth of the file. */
function withHole(whole: Buffer): Buffer {
  const random = seededRandom(7);
  const holed = Buffer.from(whole);
  const end = Math.floor(whole.length * 0.6);
  for (let at = Math.floor(whole.length * 0.5); at < end; at += 1) holed[at] = Math.floor(random() * 256);
  return holed;
}

const FORMATS = [
  ['MP4', 'a.mp4', [...video, '-c:a', 'aac', '-movflags', '+faststart']],
  ['Matroska', 'a.mkv', [...video, '-c:a', 'libvorbis']],
  ['AVI', 'a.avi', [...video.slice(0, -6), '-c:v', 'mpeg4', '-c:a', 'libmp3lame']],
  ['FLV', 'a.flv', [...video, '-c:a', 'aac', '-ar', '44100']],
  ['MP3', 'a.mp3', [...sound, '-c:a', 'libmp3lame']],
  ['WAV', 'a.wav', sound],
  ['WAV in stereo', 'stereo.wav', [...sound, '-ac', '2']],
  ['FLAC', 'a.flac', sound],
] as const;

describe('a whole recording is covered from its beginning to its end, without a warning', () => {
  test.for(FORMATS)('%s', async ([, name, args]) => {
    const { error, result } = await transcribed(appliance, await maker.make(name, args), name);
    expect(error, JSON.stringify(error)).toBeUndefined();
    expect(result?.warnings).toEqual([]);
    expect(result?.covered.startSeconds).toBeLessThan(0.3);
    expect(Math.abs((result?.covered.endSeconds ?? 0) - LENGTH_SECONDS)).toBeLessThan(0.5);
    expect(Math.abs((result?.covered.durationSeconds ?? 0) - LENGTH_SECONDS)).toBeLessThan(0.5);
  });

  test('sound that begins later than the pictures is covered from there', async () => {
    const late = ['-f', 'lavfi', '-i', 'testsrc=size=160x90:rate=10:duration=9', '-itsoffset', '5'];
    const fox = ['-i', join(CLIPS, '02-fox.wav'), ...X264, '-c:a', 'aac'];
    const { result } = await transcribed(appliance, await maker.make('late.mkv', [...late, ...fox]), 'late.mkv');
    expect(result?.warnings).toEqual([]);
    expect(result?.covered.startSeconds).toBeCloseTo(5, 0);
    expect(result?.covered.endSeconds).toBeCloseTo(8.5, 0);
    expect(result?.covered.durationSeconds).toBeCloseTo(3.5, 0);
  });

  test('a WAV of a program that wrote into a pipe, and so did not know its length', async () => {
    const whole = await readFile(join(CLIPS, '02-fox.wav'));
    const piped = Buffer.from(whole);
    piped.writeUInt32LE(0xffff_ffff, 4);
    piped.writeUInt32LE(0xffff_ffff, 40);
    const { error, result } = await transcribed(appliance, piped, 'piped.wav');
    expect(error, JSON.stringify(error)).toBeUndefined();
    expect(result).toMatchObject({ segments: [{}], warnings: [] });
  });
});

describe('a recording that was cut says how long it should be and where it ends', () => {
  test.for(FORMATS)('%s', async ([, name, args]) => {
    const job = await transcribed(appliance, cut(await maker.make(name, args), 0.45), name);
    expect(job.error, JSON.stringify(job.error)).toBeUndefined();
    const { covered, media, segments, warnings } = job.result as NonNullable<typeof job.result>;
    expect(segments.length).toBeGreaterThan(1);
    expect(Math.abs(media.durationSeconds - LENGTH_SECONDS)).toBeLessThan(1);
    expect(covered.endSeconds).toBeGreaterThan(7);
    expect(covered.endSeconds).toBeLessThan(15);
    const [, states, ends] = /states a length of (\d+\.\d) s, but ends at (\d+\.\d) s/.exec(warnings.join(' ')) ?? [];
    expect(Math.abs(Number(states) - LENGTH_SECONDS), warnings.join(' ')).toBeLessThan(1);
    expect(Math.abs(Number(ends) - covered.endSeconds), warnings.join(' ')).toBeLessThan(0.3);
    expect(warnings.join(' ')).not.toMatch(/0x|\/|quarry/);
  });

  test('a cut MP4 without sound, of which the pictures are read', async () => {
    const slides = ['-f', 'lavfi', '-i', 'testsrc=size=160x90:rate=10:duration=40', ...X264, '-g', '20'];
    const whole = await maker.make('mute.mp4', [...slides, '-movflags', '+faststart']);
    const options = { captureFrames: true, frameIntervalSeconds: 5 };
    const { error, result } = await transcribed(appliance, cut(whole, 0.5), 'mute.mp4', options);
    expect(error, JSON.stringify(error)).toBeUndefined();
    expect(result?.covered).toMatchObject({ startSeconds: 0, endSeconds: expect.closeTo(20, -1) });
    expect(result?.warnings).toContainEqual(expect.stringMatching(/states a length of 40\.0 s, but ends at [12]\d/));
  });
});

describe('a hole in the middle of a recording is counted', () => {
  test.for([
    ['a.mp4', /Pieces of sound that are damaged and could not be decoded: \d+\./],
    ['a.mkv', /Damaged places in the structure of the file: \d+\./],
    ['a.mp3', /states a length of 2[34]\.\d s, but ends at 2[12]\.\d s/],
    ['a.avi', /states a length of 2[34]\.\d s, but ends at 2[12]\.\d s/],
    ['a.flac', /Within the recording [123]\.\d s of sound are missing/],
  ] as const)('%s', async ([name, warning]) => {
    const [, , args] = FORMATS.find(([, file]) => file === name) ?? FORMATS[0];
    const { error, result } = await transcribed(appliance, withHole(await maker.make(name, args)), name);
    expect(error, JSON.stringify(error)).toBeUndefined();
    expect(result?.warnings).toContainEqual(expect.stringMatching(warning));
    expect(result?.covered.durationSeconds).toBeLessThan(LENGTH_SECONDS - 1);
    expect(result?.warnings.join(' ')).not.toMatch(/0x|\/|quarry/);
  });

  test('also where pictures are read: those that could not be decoded', async () => {
    const [, , args] = FORMATS[0];
    const options = { captureFrames: true, frameIntervalSeconds: 1 };
    const holed = withHole(await maker.make('a.mp4', args));
    const { error, result } = await transcribed(appliance, holed, 'a.mp4', options);
    expect(error, JSON.stringify(error)).toBeUndefined();
    expect(result?.warnings).toContainEqual(expect.stringMatching(/^Pictures that are damaged .*: \d+\.$/));
  });
});
