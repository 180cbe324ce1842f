import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMediaReader } from '../../src-server/features/media/media-reader.ts';
import { createSoundPeaks } from '../../src-server/features/media/waveform.ts';
import { forkChildPrograms } from '../../src-server/platform/rpc/child-process.ts';
import { type MediaMaker, openMediaMaker } from '../harness/make-media.ts';

const WORKER_ENTRY = new URL('../../workers/entry.ts', import.meta.url);
const LARGE_BYTES = 25_000_000;
const signal = new AbortController().signal;

let maker: MediaMaker;
let peaksOf: ReturnType<typeof createSoundPeaks>;

beforeAll(async () => {
  maker = await openMediaMaker();
  peaksOf = createSoundPeaks(createMediaReader(forkChildPrograms(WORKER_ENTRY)));
});

afterAll(() => maker[Symbol.asyncDispose]());

/** A file whose first half is silent and whose second is a tone. */
async function halfSilent(name: string, seconds: number, rate: number): Promise<string> {
  const tone = `sine=frequency=300:duration=${seconds}:sample_rate=${rate},volume='gte(t,${seconds / 2})':eval=frame`;
  await maker.make(name, ['-f', 'lavfi', '-i', tone]);
  return join(maker.folder, name);
}

test('the shape of a recording of more than 20 MB is silence where it is silent, and whole where it is loud', async () => {
  const path = await halfSilent('large.wav', 280, 48_000);
  expect((await maker.make('copy.wav', ['-i', path, '-c', 'copy'])).length).toBeGreaterThan(LARGE_BYTES);
  const { peaks } = await peaksOf(path, signal);
  expect(peaks.length).toBeGreaterThan(390);
  expect(peaks.length).toBeLessThanOrEqual(400);
  const middle = Math.round(peaks.length / 2);
  expect(Math.max(...peaks.slice(0, middle - 2))).toBe(0);
  expect(Math.min(...peaks.slice(middle + 2, -1))).toBeGreaterThan(0.9);
  expect(Math.max(...peaks)).toBe(1);
});

test('of several sound tracks it is the shape of the one that is heard', async () => {
  const tracks = ['sine=duration=2', 'anullsrc=duration=2'].flatMap((source) => ['-f', 'lavfi', '-i', source]);
  const marks = ['-metadata:s:a:0', 'language=ger', '-metadata:s:a:1', 'language=eng'];
  const isDefault = ['-disposition:a:0', '0', '-disposition:a:1', 'default'];
  await maker.make('two.mka', [...tracks, '-map', '0', '-map', '1', ...marks, ...isDefault, '-c:a', 'flac', '-t', '2']);
  const loudest = async (language?: string) => {
    return Math.max(...(await peaksOf(join(maker.folder, 'two.mka'), signal, { language })).peaks);
  };
  expect([await loudest(), await loudest('de'), await loudest('en')]).toEqual([0, 1, 0]);
});

test('sound that begins late is late in the shape too', async () => {
  const pictures = ['-f', 'lavfi', '-i', 'color=size=64x64:duration=4'];
  const late = ['-itsoffset', '2', '-f', 'lavfi', '-i', 'sine=duration=2'];
  await maker.make('late.mkv', [...pictures, ...late, '-c:v', 'mpeg4', '-c:a', 'flac']);
  const { peaks } = await peaksOf(join(maker.folder, 'late.mkv'), signal);
  const middle = Math.round(peaks.length / 2);
  expect(Math.max(...peaks.slice(0, middle - 10))).toBe(0);
  expect(Math.min(...peaks.slice(middle + 10, -10))).toBeGreaterThan(0.5);
});

test('the shape is as long as the pictures where the sound ends before them, and late in a transport stream too', async () => {
  const pictures = [
    '-f',
    'lavfi',
    '-i',
    'color=size=64x64:duration=8',
    '-itsoffset',
    '3',
    '-f',
    'lavfi',
    '-i',
    'sine=duration=2',
  ];
  await maker.make('between.ts', [...pictures, '-c:v', 'mpeg2video', '-c:a', 'mp2']);
  const { peaks } = await peaksOf(join(maker.folder, 'between.ts'), signal);
  const loud = peaks.flatMap((peak, index) => (peak > 0.5 ? [(index / peaks.length) * 8] : []));
  expect(loud[0]).toBeCloseTo(3, 0);
  expect(loud.at(-1)).toBeCloseTo(5, 0);
});

test('a recording of a moment, and one that does not say how long it is, have a shape too', async () => {
  expect((await peaksOf(await halfSilent('short.wav', 0.1, 8000), signal)).peaks.length).toBeGreaterThan(10);
  const raw = await maker.make('raw.aac', ['-f', 'lavfi', '-i', 'sine=duration=3', '-c:a', 'aac', '-f', 'adts']);
  expect(raw.length).toBeGreaterThan(0);
  const { peaks } = await peaksOf(join(maker.folder, 'raw.aac'), signal);
  expect(peaks.length).toBeGreaterThan(0);
  expect(peaks.length).toBeLessThanOrEqual(400);
});

test('what has no sound, is broken, or is not waited for any more is said, and the next is measured all the same', async () => {
  await maker.make('mute.mp4', ['-f', 'lavfi', '-i', 'color=size=64x64:duration=1']);
  const broken = join(maker.folder, 'broken.mp4');
  await writeFile(broken, 'no video at all');
  const gone = AbortSignal.abort(new Error('Nobody waits.'));
  const good = await halfSilent('good.wav', 1, 8000);
  const asked = [
    peaksOf(join(maker.folder, 'mute.mp4'), signal),
    peaksOf(broken, signal),
    peaksOf(good, gone),
    peaksOf(good, signal),
  ];
  const [mute, damaged, left, fine] = await Promise.allSettled(asked);
  expect(mute).toMatchObject({ reason: { code: 'unsupported_media' } });
  expect(damaged).toMatchObject({ reason: { code: 'corrupt_input' } });
  expect(left).toMatchObject({ reason: { message: 'Nobody waits.' } });
  expect(fine).toMatchObject({ status: 'fulfilled' });
});
