/** What is decoded for recognition has its times on the clock of players: the delays of codecs are taken out. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decodeSound } from '../../workers/media/decode-sound.ts';
import { type MediaMaker, openMediaMaker } from '../harness/make-media.ts';

const run = promisify(execFile);

const RATE = 16_000;

const SECONDS = 10;

/** A click of 3 ms in the middle of each second. */
const CLICKS = [
  '-f',
  'lavfi',
  '-i',
  `aevalsrc='0.8*sin(2*PI*1000*t)*between(mod(t,1),0.5,0.503)':s=44100:d=${SECONDS}`,
];

const TRUE_MS = 501.5;

let maker: MediaMaker;
beforeAll(async () => {
  maker = await openMediaMaker();
});
afterAll(() => maker[Symbol.asyncDispose]());

/** How late the clicks of a second are, in milliseconds. */
function lateness(bytes: Buffer, second: number): number {
  let [energy, weighted] = [0, 0];
  for (let at = Math.round((second + 0.3) * RATE); at < (second + 0.7) * RATE; at += 1) {
    const power = bytes.readInt16LE(at * 2) ** 2;
    energy += power;
    weighted += power * at;
  }
  return (weighted / energy / RATE - second) * 1000 - TRUE_MS;
}

async function heardIn(name: string): Promise<Buffer> {
  const [path, targetPath] = [join(maker.folder, name), join(maker.folder, `${name}.pcm`)];
  const place = { path, range: null, trackNumber: 1, mostSeconds: 60, clockRunsOn: false };
  await decodeSound({ ...place, targetPath, sampleRate: RATE, isFiltered: true }, () => undefined);
  return readFile(targetPath);
}

const played = async (name: string): Promise<Buffer> => {
  // By the times of the file, as players do.
  const clock = ['-af', 'aresample=async=1:first_pts=0', '-ac', '1', '-ar', String(RATE)];
  const args = ['-v', 'error', '-i', join(maker.folder, name), ...clock, '-f', 's16le', '-'];
  const { stdout } = await run('ffmpeg', args, { encoding: 'buffer', maxBuffer: 10_000_000 });
  return stdout;
};

test.for([
  ['clicks.wav', []],
  ['clicks.flac', []],
  ['clicks.m4a', ['-c:a', 'aac']],
  ['clicks.mp3', ['-c:a', 'libmp3lame']],
  ['clicks.mp4', ['-c:a', 'libmp3lame']],
  ['clicks.opus', ['-c:a', 'libopus']],
  ['clicks.webm', ['-c:a', 'libopus']],
  ['clicks.ogg', ['-c:a', 'libvorbis']],
] as const)('%s states its delay: what is heard is where it was recorded', async ([name, args]) => {
  await maker.make(name, [...CLICKS, ...args]);
  const heard = await heardIn(name);
  for (const second of [0, SECONDS - 1]) expect(Math.abs(lateness(heard, second))).toBeLessThan(2);
});

test.for([
  ['clicks.aac', ['-c:a', 'aac']],
  ['without-header.mp3', ['-c:a', 'libmp3lame', '-write_xing', '0']],
  ['clicks.mkv', ['-c:a', 'aac']],
  ['clicks.ts', ['-c:a', 'aac']],
  ['clicks.wma', ['-c:a', 'wmav2']],
] as const)('%s states none: what is heard is where players play it', async ([name, args]) => {
  await maker.make(name, [...CLICKS, ...args]);
  const [heard, there] = await Promise.all([heardIn(name), played(name)]);
  for (const second of [0, SECONDS - 2]) {
    expect(Math.abs(lateness(heard, second) - lateness(there, second))).toBeLessThan(20);
  }
});
