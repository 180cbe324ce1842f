/** The account of a recording: where its seconds went, what is doubtful, and what a warning names. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accountSeconds } from '../../src-server/features/media/source-seconds.ts';
import type { SourceAccount } from '../../src-server/platform/source-account.ts';
import type { Appliance } from '../harness/appliance.ts';
import { type MediaMaker, openMediaMaker } from '../harness/make-media.ts';
import { CLIPS, startWithSpeech, type TranscriptJob, transcribed } from '../harness/speech.ts';

const FOX = 'The quick red fox jumps over the old bird.';

let appliance: Appliance;
let maker: MediaMaker;
beforeAll(async () => {
  [appliance, maker] = await Promise.all([startWithSpeech(), openMediaMaker()]);
});
afterAll(async () => {
  await appliance.close();
  await maker[Symbol.asyncDispose]();
});

/** Plucked chords of three notes. */
const CHORDS = [
  ...['0.2*exp(-1.5*mod(t,1))*sin(2*PI*t*110*pow(2,floor(mod(t,4))/6))', '0.2*exp(-3*mod(t,0.5))*sin(2*PI*t*330)'],
  '0.2*exp(-3*mod(t,0.5))*sin(2*PI*t*440*pow(2,floor(mod(2*t,3))/4))',
].join('+');
const music = (seconds: number) => ['-f', 'lavfi', '-i', `aevalsrc='${CHORDS}':d=${seconds}:s=16000`];
const clip = (name: string) => ['-i', join(CLIPS, `${name}.wav`)];

type Result = NonNullable<TranscriptJob['result']>;

async function read(name: string, args: readonly string[], options: object = {}): Promise<Result> {
  const job = await transcribed(appliance, await maker.make(name, args), name, options);
  expect(job.error, JSON.stringify(job.error)).toBeUndefined();
  return job.result as Result;
}

function sumOf({ delivered, leftOut, unexplained }: SourceAccount): number {
  return delivered + leftOut.reduce((sum, { count }) => sum + count, 0) + unexplained;
}

test('music before a talk is no speech: it is named, and nothing is invented in it', async () => {
  const parts = [...music(12), ...clip('02-fox'), ...music(12), ...clip('01-meeting')];
  const filter = '[1]adelay=1000,apad=pad_dur=6[t];[3]adelay=1000[m];[0][t][2][m]concat=n=4:v=0:a=1';
  const { account, segments, warnings, media } = await read('intro.wav', [...parts, '-filter_complex', filter]);
  expect(segments.map(({ text }) => text)).toEqual([FOX, 'The meeting starts on Wednesday at four.']);
  expect(warnings).toEqual([expect.stringMatching(/not transcribed: 0:00–0:12, 0:2[123]–0:3[45]\.$/)]);
  expect(account).toMatchObject({ unit: 'seconds', unexplained: 0 });
  const { source, delivered, leftOut } = account as SourceAccount;
  expect(source).toBeCloseTo(media.durationSeconds, 1);
  expect(sumOf(account as SourceAccount)).toBeCloseTo(source, 1);
  expect(Math.abs(delivered - 5.3)).toBeLessThan(1);
  const secondsOf = (reason: string) =>
    leftOut.reduce((sum, entry) => sum + (entry.reason === reason ? entry.count : 0), 0);
  expect(Math.abs(secondsOf('no-speech-recognised') - 24)).toBeLessThan(1.5);
  expect(secondsOf('silence')).toBeGreaterThan(5);
});

test('a sentence that is said eight times is written eight times', async () => {
  const filter = `${Array.from({ length: 8 }, (_, index) => `[${index}]apad=pad_dur=1.2[a${index}]`).join(';')};${Array.from(
    { length: 8 },
    (_, index) => `[a${index}]`,
  ).join('')}concat=n=8:v=0:a=1`;
  const inputs = Array.from({ length: 8 }, () => clip('02-fox')).flat();
  const { segments, warnings, doubts } = await read('eight.wav', [...inputs, '-filter_complex', filter]);
  expect(segments.length).toBe(8);
  expect([warnings, doubts]).toEqual([[], undefined]);
});

test('where the first track is music, the warning names the one with the speech', async () => {
  const tracks = [...music(4), ...clip('02-fox'), '-map', '0', '-map', '1', '-c:a', 'flac'];
  const { segments, warnings } = await read('two.mkv', tracks);
  expect(segments).toEqual([]);
  expect(warnings).toContainEqual(expect.stringMatching(/track 1 of 2\. The speech is in track 2: choose it/));
  const { segments: right } = await read('two.mkv', tracks, { audioTrack: 2 });
  expect(right.map(({ text }) => text)).toEqual([FOX]);
});

test('quiet speech after loud is found', async () => {
  const filter = '[1]volume=-30dB[q];[0][q]concat=n=2:v=0:a=1';
  const { segments } = await read('quiet.wav', [...clip('01-meeting'), ...clip('02-fox'), '-filter_complex', filter]);
  expect(segments).toHaveLength(2);
});

describe('an account of seconds', () => {
  const span = (start: number, end: number) => ({ start, end });
  const nothing = { words: [], speech: [], sounds: [], damaged: [], missing: [], overLimit: [], isByModel: true };

  test('counts each second once, with the reason that explains most', () => {
    const { account, warnings } = accountSeconds({
      ...nothing,
      seconds: 60,
      words: [span(1, 5), span(4, 8)],
      speech: [span(0.8, 8.3), span(20, 24)],
      sounds: [span(0, 9), span(18, 45)],
      damaged: [span(30, 32)],
      missing: [span(50, 60)],
    });
    expect(sumOf(account)).toBeCloseTo(60, 3);
    expect(account).toMatchObject({ source: 60, delivered: 7.5, unexplained: 10 });
    expect(account.leftOut).toContainEqual({ reason: 'damaged', count: 2, where: '0:30–0:32' });
    expect(warnings).toEqual([
      'Speech was found, but no words were recognised in it: 0:20–0:24.',
      'Sound without speech, such as music, was not transcribed: 0:32–0:45.',
    ]);
  });

  test('has a bounded number of entries that lose no second', () => {
    const many = Array.from({ length: 5000 }, (_, index) => span(index * 8, index * 8 + 3 + (index % 3)));
    const { account } = accountSeconds({ ...nothing, seconds: 40_000, sounds: many });
    expect(account.leftOut.length).toBeLessThanOrEqual(200);
    expect(sumOf(account)).toBeCloseTo(40_000, 1);
  });
});

describe('a WAV with a wrong size is read to its end', () => {
  const DATA = 'data';
  const chunk = (name: string, content: Buffer) => {
    const header = Buffer.alloc(8);
    header.write(name, 'latin1');
    header.writeUInt32LE(content.length, 4);
    return Buffer.concat([header, content]);
  };
  const resize = (wav: Buffer, bytes: number) => wav.writeUInt32LE(bytes, wav.indexOf(DATA) + 4);

  test.each([
    ['which states a little of its sound', (wav: Buffer) => resize(wav, 1000)],
    ['which states most of its sound', (wav: Buffer) => resize(wav, 120_000)],
    ['which states no size', (wav: Buffer) => resize(wav, 0)],
    ['of a program that writes to a pipe', (wav: Buffer) => wav.fill(0xff, 4, 8) && resize(wav, 0xffff_ffff)],
    ['of such a program, which states half of it', (wav: Buffer) => resize(wav, 0x7fff_ffff)],
    ['whose whole size is 0', (wav: Buffer) => wav.fill(0, 4, 8) && resize(wav, 0)],
  ])('%s', async (_, spoil) => {
    const whole = Buffer.from(await maker.make('report.wav', [...clip('03-report'), '-c:a', 'pcm_s16le']));
    const right = await transcribed(appliance, whole, 'report.wav', {});
    spoil(whole);
    const job = await transcribed(appliance, whole, 'report.wav', {});
    const { account, segments, warnings } = job.result as Result;
    expect(account?.source).toBeCloseTo(5.9, 0);
    expect(account?.unexplained).toBe(0);
    expect(warnings).toEqual([]);
    expect(segments.map(({ text }) => text)).toEqual(right.result?.segments.map(({ text }) => text));
  });

  test('and what follows its sound is no sound', async () => {
    const whole = Buffer.from(await maker.make('report.wav', [...clip('03-report'), '-c:a', 'pcm_s16le']));
    const right = await transcribed(appliance, whole, 'report.wav', {});
    const tagged = Buffer.concat([
      whole,
      chunk('LIST', Buffer.alloc(40_000, 'picture ')),
      chunk('id3 ', Buffer.alloc(900)),
    ]);
    for (const bytes of [tagged, Buffer.concat([whole, Buffer.alloc(50_000)])]) {
      const { account, warnings } = (await transcribed(appliance, bytes, 'report.wav', {})).result as Result;
      expect(account).toEqual(right.result?.account);
      expect(warnings).toEqual([]);
    }
  });
});
