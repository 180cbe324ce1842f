/** Calls and interviews with one person on each channel, or on each track. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Appliance } from '../harness/appliance.ts';
import { type MediaMaker, openMediaMaker } from '../harness/make-media.ts';
import { CLIPS, clips, startWithSpeech, type TranscriptJob, transcribed, wordErrorRate } from '../harness/speech.ts';

/** What one person says, and when. */
const LEFT = [
  ['01-meeting.wav', 0.5],
  ['06-class.wav', 15],
] as const;
const RIGHT = [
  ['02-fox.wav', 7.5],
  ['03-report.wav', 24],
] as const;
const SECONDS = 31;

let appliance: Appliance;
let maker: MediaMaker;
beforeAll(async () => {
  [appliance, maker] = await Promise.all([startWithSpeech(), openMediaMaker()]);
});
afterAll(async () => {
  await appliance.close();
  await maker[Symbol.asyncDispose]();
});

type Said = readonly (readonly [file: string, at: number])[];

/** One channel for each person; the filter `mix` makes the recording of them. */
async function recorded(name: string, people: readonly Said[], mix: string, args: readonly string[] = []) {
  const inputs = people.flat().flatMap(([file]) => ['-i', join(CLIPS, file)]);
  let input = 0;
  const voices = people.map((said, person) => {
    const parts = said.map(([, at]) => `[${input++}]adelay=${at * 1000}:all=1[p${input}]`);
    const all = said.map((_, index) => `[p${input - said.length + index + 1}]`).join('');
    return `${parts.join(';')};${all}amix=inputs=${said.length}:normalize=0,apad=whole_dur=${SECONDS},aformat=channel_layouts=mono[v${person}]`;
  });
  return maker.make(name, [...inputs, '-filter_complex', `${voices.join(';')};${mix}`, '-ar', '16000', ...args]);
}

async function textOf(said: Said): Promise<string> {
  const truth = await clips();
  return said.map(([file]) => truth.find((clip) => clip.file === file)?.text).join(' ');
}

function heardOf({ result }: TranscriptJob, speaker: string): string {
  return (result?.segments ?? []).flatMap((one) => (one.speaker === speaker ? [one.text] : [])).join(' ');
}

async function expectBoth(
  job: TranscriptJob,
  [left, right] = ['Left', 'Right'],
  said: readonly Said[] = [LEFT, RIGHT],
): Promise<void> {
  expect(job.error, JSON.stringify(job.error)).toBeUndefined();
  for (const [person, name] of [left ?? '', right ?? ''].entries()) {
    const heard = heardOf(job, name);
    expect(wordErrorRate(await textOf(said[person] ?? []), heard), `${name}: ${heard}`).toBe(0);
  }
  const starts = job.result?.segments.map(({ start }) => start) ?? [];
  expect(starts).toEqual(starts.toSorted((one, other) => one - other));
  expect(job.result?.segments.every(({ speaker }) => speaker === left || speaker === right)).toBe(true);
  expect(job.result?.speakers?.map(({ name }) => name).toSorted()).toEqual([left, right].toSorted());
}

const STEREO = '[v0][v1]join=inputs=2:channel_layout=stereo';
/** Each microphone hears the other, softer and later, and some noise. */
const ROOM = [
  '[v0]asplit[a][a2];[v1]asplit[b][b2]',
  '[a2]volume=-15dB,adelay=6:all=1[ao];[b2]volume=-15dB,adelay=6:all=1[bo]',
  `anoisesrc=a=0.0003:d=${SECONDS}:r=16000:seed=1,asplit[n][m]`,
  '[a][bo][n]amix=inputs=3:normalize=0:duration=first[l];[b][ao][m]amix=inputs=3:normalize=0:duration=first[r]',
].join(';');

test.for([
  ['a call', STEREO],
  ['a call with one side far softer', `[v1]volume=-22dB[q];[v0][q]join=inputs=2:channel_layout=stereo`],
  ['a call in which each microphone hears the other', `${ROOM};[l][r]join=inputs=2:channel_layout=stereo`],
  ['the same with a softer guest', `${ROOM};[r]volume=-12dB[q];[l][q]join=inputs=2:channel_layout=stereo`],
  [
    'a call with hum on one side and an offset on the other',
    `aevalsrc=0.1*sin(2*PI*50*t)|0.05:d=${SECONDS}:s=16000[h];[v0][v1]join=inputs=2:channel_layout=stereo[c];[c][h]amix=inputs=2:normalize=0`,
  ],
] as const)('%s is read channel by channel without being asked', async ([name, mix]) => {
  const job = await transcribed(appliance, await recorded(`${name}.flac`, [LEFT, RIGHT], mix), `${name}.flac`);
  await expectBoth(job);
  expect(job.result?.warnings).toEqual([expect.stringMatching(/^The channels hold different people.*Left, Right/)]);
  expect(job.result?.media).toMatchObject({
    channels: [
      { name: 'Left', track: 1, channel: 1 },
      { name: 'Right', track: 1, channel: 2 },
    ],
  });
  const chunks = job.result?.chunks.map(({ text }) => text).join(' ') ?? '';
  for (const { text } of job.result?.segments ?? []) expect(chunks).toContain(text);
  const vtt = await (await appliance.owner(new URL(job.result?.captions.vtt.url ?? '').pathname)).text();
  expect(vtt).toContain('<v Left>');
  expect(vtt).toContain('<v Right>');
  const words = job.result?.segments.flatMap((segment) => segment.words ?? []) ?? [];
  expect(words.length).toBeGreaterThan(0);
  expect(words.every(({ start, end }) => start >= 0 && end <= SECONDS)).toBe(true);
});

/** Plucked chords, with notes that move from side to side. */
const MUSIC = ['220', '277'].map((note) => `0.3*exp(-3*mod(t,0.5))*sin(2*PI*t*${note})+0.1*sin(2*PI*t*110)`).join('|');

test('a podcast that begins with music on both channels', async () => {
  const mix = `${STEREO}[c];aevalsrc='${MUSIC}':d=20:s=16000[m];[m][c]concat=n=2:v=0:a=1`;
  const job = await transcribed(appliance, await recorded('podcast.flac', [LEFT, RIGHT], mix), 'podcast.flac');
  await expectBoth(job);
  expect(job.result?.segments[0]?.start).toBeGreaterThan(20);
  expect(job.result?.warnings[0]).toMatch(/^The channels hold different people/);
});

test('stereo music with a voice in the middle is no call', async () => {
  const mix = `[v0]pan=stereo|c0=c0|c1=c0[c];[v1]anullsink;aevalsrc='${MUSIC}':d=${SECONDS}:s=16000,volume=0.2[m];`;
  const sound = await recorded('song.flac', [LEFT, RIGHT], `${mix}[c][m]amix=inputs=2:normalize=0`);
  const job = await transcribed(appliance, sound, 'song.flac');
  expect(job.result?.warnings.join(' ')).not.toContain('different people');
  expect(job.result?.segments.some(({ speaker }) => speaker !== undefined)).toBe(false);
});

test('people who speak at once are told apart when it is asked for', async () => {
  const others = RIGHT.map(([file], index) => [file, LEFT[index]?.[1] ?? 0] as const);
  const sound = await recorded('at-once.flac', [LEFT, others], STEREO);
  const job = await transcribed(appliance, sound, 'at-once.flac', { channels: 'separate' });
  await expectBoth(job, ['Left', 'Right'], [LEFT, others]);
});

test('tracks of a recorder are people, by their titles', async () => {
  const titles = ['-metadata:s:a:0', 'title=Anna', '-metadata:s:a:1', 'title=Ben'];
  const tracks = ['-map', '[a]', '-map', '[b]', ...titles, '-c:a', 'flac'];
  const sound = await recorded('tracks.mkv', [LEFT, RIGHT], '[v0]anull[a];[v1]anull[b]', tracks);
  const job = await transcribed(appliance, sound, 'tracks.mkv');
  await expectBoth(job, ['Anna', 'Ben']);
  expect(job.result?.media).toMatchObject({
    channels: [
      { track: 1, channel: null },
      { track: 2, channel: null },
    ],
  });
});

test('channels that are mixed when asked to be, and when they hold the same', async () => {
  const call = await recorded('call.flac', [LEFT, RIGHT], STEREO);
  const mixed = await transcribed(appliance, call, 'call.flac', { channels: 'mixed' });
  expect(mixed.result?.segments.some(({ speaker }) => speaker !== undefined)).toBe(false);
  expect(mixed.result?.warnings).toEqual([]);
  const same = await recorded(
    'same.flac',
    [LEFT, RIGHT],
    '[v0][v1]amix=inputs=2:normalize=0,pan=stereo|c0=c0|c1=0.6*c0',
  );
  const alike = await transcribed(appliance, same, 'same.flac', { channels: 'separate' });
  expect(alike.result?.warnings).toEqual([expect.stringContaining('same sound')]);
  const said = [...LEFT, ...RIGHT].toSorted(([, one], [, other]) => one - other);
  const heard = alike.result?.segments.map(({ text }) => text).join(' ') ?? '';
  expect(wordErrorRate(await textOf(said), heard), heard).toBe(0);
  const usual = await transcribed(appliance, same, 'same.flac');
  expect(usual.result?.warnings).toEqual([]);
});

test('channels without a person of their own are left out, and named', async () => {
  const quiet = await recorded(
    'quiet.flac',
    [LEFT, RIGHT],
    '[v1]volume=-70dB[q];[v0][q]join=inputs=2:channel_layout=stereo',
  );
  const alone = await transcribed(appliance, quiet, 'quiet.flac', { channels: 'separate' });
  expect(alone.result?.warnings).toEqual([expect.stringMatching(/^Nearly silent, and left out: Right/)]);
  expect(wordErrorRate(await textOf(LEFT), heardOf(alone, 'Left'))).toBe(0);
  const mono = await recorded('mono.flac', [LEFT], '[v0]anull');
  const one = await transcribed(appliance, mono, 'mono.flac', { channels: 'separate' });
  expect(one.result?.warnings).toEqual([expect.stringContaining('one channel')]);
});

/** A WAV file without places for its channels, each of which is one of a stereo sound, or silent. */
async function withChannels(sources: readonly (0 | 1 | null)[]): Promise<Buffer> {
  const stereo = await recorded('both.raw', [LEFT, RIGHT], STEREO, ['-f', 's16le']);
  const frames = Math.floor(stereo.length / 4);
  const header = Buffer.alloc(44);
  const block = sources.length * 2;
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + frames * block, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(sources.length, 22);
  header.writeUInt32LE(16_000, 24);
  header.writeUInt32LE(16_000 * block, 28);
  header.writeUInt16LE(block, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(frames * block, 40);
  const samples = new Int16Array(frames * sources.length);
  const both = new Int16Array(new Uint8Array(stereo).buffer);
  for (const [channel, source] of sources.entries()) {
    if (source === null) continue;
    for (let frame = 0; frame < frames; frame += 1) {
      samples[frame * sources.length + channel] = both[frame * 2 + source] ?? 0;
    }
  }
  // The server closed the connection while this thread was busy: that is noticed before the next request.
  await new Promise((resolve) => setTimeout(resolve, 100));
  return Buffer.concat([header, Buffer.from(samples.buffer)]);
}

test('a recorder with more channels than people', async () => {
  const sound = await withChannels([null, 0, null, null, 1, null]);
  const job = await transcribed(appliance, sound, 'six.wav', { channels: 'separate' });
  await expectBoth(job, ['Channel 2', 'Channel 5']);
  expect(job.result?.warnings.join(' ')).toContain('Channel 1, Channel 3, Channel 4, Channel 6');
  await expectBoth(await transcribed(appliance, await withChannels([0, null, 1]), 'three.wav'), [
    'Channel 1',
    'Channel 3',
  ]);
});

test('64 channels are read, mixed or apart', async () => {
  const sound = await withChannels(Array.from({ length: 64 }, (_, channel) => (channel % 2 === 0 ? 0 : 1)));
  const mixed = await transcribed(appliance, sound, 'many.wav');
  expect(mixed.error, JSON.stringify(mixed.error)).toBeUndefined();
  expect(mixed.result?.segments.length).toBeGreaterThan(0);
  const apart = await transcribed(appliance, sound, 'many.wav', { channels: 'separate' });
  expect(apart.result?.warnings.join(' ')).toContain('same sound');
});

test('of two tracks the one with the speech is named', async () => {
  const music = '0.2*exp(-3*mod(t,0.5))*sin(2*PI*t*330)+0.1*sin(2*PI*t*110)';
  const mix = `aevalsrc='${music}':d=${SECONDS}:s=16000[m];[v0]anull[s]`;
  const languages = ['-metadata:s:a:0', 'language=deu', '-metadata:s:a:1', 'language=eng'];
  const sound = await recorded('two.mkv', [LEFT], mix, ['-map', '[m]', '-map', '[s]', ...languages, '-c:a', 'flac']);
  const job = await transcribed(appliance, sound, 'two.mkv');
  expect(job.result?.warnings.join(' ')).toContain('The speech is in track 2: choose it with audioTrack.');
});
