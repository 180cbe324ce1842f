import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSoundEncoder, type EncodeSound } from '../../src-server/features/media/encode-sound.ts';
import { createMediaReader } from '../../src-server/features/media/media-reader.ts';
import { forkChildPrograms } from '../../src-server/platform/rpc/child-process.ts';
import { encodeWave } from '../../workers/audio/encode.ts';
import type { SoundFormat } from '../../workers/media/tasks.ts';
import { readWave, soundFolder } from '../harness/sounds.ts';

const run = promisify(execFile);
const WORKER_ENTRY = new URL('../../workers/entry.ts', import.meta.url);
const signal = new AbortController().signal;
const SECONDS = 3;
const TAGS = { title: 'Tide & moon', artist: 'Quarry' };

let folder: string;
let encode: EncodeSound;

beforeAll(async () => {
  folder = await soundFolder();
  encode = createSoundEncoder(createMediaReader(forkChildPrograms(WORKER_ENTRY)));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function tone(name: string, sampleRate: number, channels: number): Promise<string> {
  const channel = Float32Array.from({ length: SECONDS * sampleRate }, (_, at) => {
    return 0.5 * Math.sin((2 * Math.PI * 440 * at) / sampleRate);
  });
  const path = join(folder, name);
  await writeFile(path, encodeWave({ channels: Array.from({ length: channels }, () => channel), sampleRate }).bytes);
  return path;
}

async function made(format: SoundFormat, path: string, chapters: { title: string; startSeconds: number }[] = []) {
  const targetPath = join(folder, `made.${format}`);
  const listed = chapters.map((chapter) => ({ ...chapter, endSeconds: null }));
  const bytes = await encode({ path, targetPath, format, tags: TAGS, chapters: listed }, signal);
  const show = [
    '-show_entries',
    'format=format_name,duration:format_tags:stream=codec_name,channels:stream_tags',
    '-show_chapters',
  ];
  const { stdout } = await run('ffprobe', ['-v', 'error', ...show, '-of', 'json', targetPath]);
  return { bytes, targetPath, facts: JSON.parse(stdout) };
}

describe('an encoded sound', () => {
  test.each([
    ['opus', 22_050, 1, 'opus'],
    ['opus', 44_100, 2, 'opus'],
    ['flac', 16_000, 1, 'flac'],
    ['flac', 44_100, 2, 'flac'],
    ['aac', 22_050, 1, 'aac'],
    ['m4b', 48_000, 2, 'aac'],
  ] as const)('%s of %s Hz with %s channels plays as the tone it was', async (format, rate, channels, codec) => {
    const { bytes, targetPath, facts } = await made(format, await tone('tone.wav', rate, channels));
    expect((await readFile(targetPath)).length).toBe(bytes);
    expect(facts.streams[0]).toMatchObject({ codec_name: codec, channels });
    const back = join(folder, 'back.wav');
    const plain = ['-map_metadata', '-1', '-fflags', '+bitexact', '-c:a', 'pcm_s16le'];
    await run('ffmpeg', ['-v', 'error', '-y', '-i', targetPath, ...plain, back]);
    const { samples, sampleRate, seconds } = await readWave(back);
    expect(Math.abs(seconds - SECONDS)).toBeLessThan(0.1);
    const middle = samples.subarray(sampleRate, 2 * sampleRate);
    const crossings = middle.reduce((sum, sample, at) => sum + (sample >= 0 && (middle[at - 1] ?? 0) < 0 ? 1 : 0), 0);
    expect(Math.abs(crossings - 440)).toBeLessThanOrEqual(1);
    const rms = Math.sqrt(middle.reduce((sum, sample) => sum + sample * sample, 0) / middle.length);
    expect(rms).toBeCloseTo(0.5 / Math.SQRT2, 1);
  });

  test('has its title, and the same bytes each time', async () => {
    const path = await tone('tone.wav', 44_100, 2);
    for (const format of ['opus', 'flac', 'm4b'] as const) {
      const first = await made(format, path);
      const before = await readFile(first.targetPath);
      expect(JSON.stringify(first.facts)).toContain(TAGS.title);
      expect((await readFile((await made(format, path)).targetPath)).equals(before)).toBe(true);
    }
  });

  test('has chapters in .m4b, those that begin within it', async () => {
    const chapters = [
      { title: 'One', startSeconds: 0 },
      { title: `Zwei ${'ü'.repeat(200)}`, startSeconds: 1.25 },
      { title: 'Beyond the end', startSeconds: 9 },
    ];
    const { facts, targetPath } = await made('m4b', await tone('tone.wav', 22_050, 1), chapters);
    expect(facts.chapters.map(({ start_time }: { start_time: string }) => Number(start_time))).toEqual([0, 1.25]);
    expect(facts.chapters[1].tags.title).toMatch(/^Zwei ü{100,}$/);
    expect((await readFile(targetPath)).toString('latin1', 4, 12)).toBe('ftypM4B ');
  });

  test('of a file that is no sound fails with the format in the message', async () => {
    const path = join(folder, 'no.wav');
    await writeFile(path, 'This is no sound.');
    await expect(made('opus', path)).rejects.toMatchObject({ code: 'engine_failed', message: /as opus/ });
  });
});
