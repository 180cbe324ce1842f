import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Appliance } from '../harness/appliance.ts';
import { type MediaMaker, openMediaMaker } from '../harness/make-media.ts';
import { CLIPS, startWithSpeech, transcribed } from '../harness/speech.ts';

const SLIDES = ['Harbour plan', 'Budget for spring', 'Thank you all'];
const SECONDS_EACH = 4;

let appliance: Appliance;
let maker: MediaMaker;
beforeAll(async () => {
  [appliance, maker] = await Promise.all([startWithSpeech(), openMediaMaker()]);
});
afterAll(async () => {
  await appliance.close();
  await maker[Symbol.asyncDispose]();
});

/** Black words on white, one slide after the other. */
function slides(secondsEach = SECONDS_EACH): string[] {
  const draw = SLIDES.map((text, index) => {
    const shown = `enable='between(t,${index * secondsEach},${(index + 1) * secondsEach - 0.01})'`;
    return `drawtext=text='${text}':fontsize=56:x=60:y=${80 + index * 60}:${shown}`;
  });
  return [
    '-f',
    'lavfi',
    '-i',
    `color=white:size=640x360:rate=5:duration=${SLIDES.length * secondsEach},${draw.join(',')}`,
  ];
}
const X264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];
const options = { captureFrames: true, frameIntervalSeconds: 1 };

/** As some recorders write it: what an MP4 says of itself, its cover included, before its tracks. */
function withUserDataFirst(mp4: Buffer): Buffer {
  const boxes = boxesOf(mp4);
  const moov = boxes.findIndex((box) => nameOf(box) === 'moov');
  const whole = boxes[moov] ?? Buffer.alloc(0);
  const inside = boxesOf(whole.subarray(8)).toSorted((one, other) => rank(one) - rank(other));
  return Buffer.concat(boxes.with(moov, Buffer.concat([whole.subarray(0, 8), ...inside])));
}
const nameOf = (box: Buffer) => box.toString('latin1', 4, 8);
const rank = (box: Buffer) => ['mvhd', 'udta'].indexOf(nameOf(box)) >>> 0;

function boxesOf(bytes: Buffer): Buffer[] {
  const boxes: Buffer[] = [];
  for (let place = 0; place < bytes.length; place += boxes.at(-1)?.length || bytes.length) {
    boxes.push(bytes.subarray(place, place + bytes.readUInt32BE(place)));
  }
  return boxes;
}

describe('captureFrames', () => {
  test('reads each slide once, with the second it appears at, beside what is said', async () => {
    const talk = await maker.make('talk.mp4', [...slides(), '-i', join(CLIPS, '02-fox.wav'), ...X264, '-c:a', 'aac']);
    const job = await transcribed(appliance, talk, 'talk.mp4', options);
    expect(job.error).toBeUndefined();
    expect(job.result?.frames?.map(({ text }) => text)).toEqual(SLIDES);
    expect(job.result?.frames?.map(({ seconds }) => Math.round(seconds))).toEqual([0, 4, 8]);
    expect(job.result?.chunks.map(({ kind, text }) => [kind, text])).toEqual([
      ['text', 'The quick red fox jumps over the old bird.'],
      ...SLIDES.map((text) => ['frame-text', text]),
    ]);
    const image = await appliance.anonymous(new URL(job.result?.frames?.[0]?.image.url ?? '').pathname);
    expect(image.headers.get('content-type')).toBe('image/jpeg');
    expect(Buffer.from(await image.arrayBuffer()).readUInt16BE(0)).toBe(0xffd8);
  });

  test.for([
    ['close together', 'often.mp4', '10', [0, 10, 20]],
    ['far apart, all pictures being decoded instead', 'seldom.mp4', '1000', [0, 10, 20]],
  ] as const)('at a long interval is as exact where key frames lie %s', async ([, name, every, seconds]) => {
    const bytes = await maker.make(name, [...slides(10), ...X264, '-g', every, '-sc_threshold', '0']);
    const job = await transcribed(appliance, bytes, name, { captureFrames: true, frameIntervalSeconds: 10 });
    expect(job.error, JSON.stringify(job.error)).toBeUndefined();
    expect(job.result?.frames?.map((frame) => frame.seconds)).toEqual(seconds);
    expect(job.result?.frames?.map(({ text }) => text)).toEqual(SLIDES);
  });

  test('is of the video, where its cover stands before it', async () => {
    const cover = ['-f', 'lavfi', '-i', 'color=black:size=640x360:rate=1:duration=1'];
    const covered = await maker.make('covered.mp4', [
      ...[...slides(), ...cover, '-map', '0', '-map', '1', ...X264, '-c:v:1', 'mjpeg', '-pix_fmt:v:1', 'yuvj420p'],
      ...['-frames:v:1', '1', '-disposition:v:1', 'attached_pic'],
    ]);
    const job = await transcribed(appliance, withUserDataFirst(covered), 'covered.mp4', options);
    expect(job.error, JSON.stringify(job.error)).toBeUndefined();
    expect(job.result?.frames?.map(({ text }) => text)).toEqual(SLIDES);
  });

  test('reads a video without sound, and says that there was none', async () => {
    const job = await transcribed(appliance, await maker.make('mute.mp4', [...slides(), ...X264]), 'mute.mp4', options);
    expect(job).toMatchObject({ status: 'completed', result: { segments: [], transcript: { model: null, words: 0 } } });
    expect(job.result?.frames?.length).toBe(SLIDES.length);
    expect(job.result?.warnings.join(' ')).toContain('no sound');
  });

  test('of a file that has sound alone is a warning, and the words are kept', async () => {
    const sound = await maker.make('fox.mp3', ['-i', join(CLIPS, '02-fox.wav'), '-c:a', 'libmp3lame']);
    const job = await transcribed(appliance, sound, 'fox.mp3', options);
    expect(job).toMatchObject({ status: 'completed', result: { segments: [{}] } });
    expect(job.result?.warnings.join(' ')).toContain('no pictures');
  });

  test('of pictures that are broken keeps the words, with a warning', async () => {
    const talk = await maker.make('good.mkv', [
      ...slides(),
      '-i',
      join(CLIPS, '02-fox.wav'),
      ...X264,
      '-c:a',
      'pcm_s16le',
    ]);
    // A codec number that nobody knows: the sound stays readable, the pictures do not.
    const broken = Buffer.from(talk.toString('latin1').replace('V_MPEG4/ISO/AVC', 'V_MPEG4/ISO/AVQ'), 'latin1');
    const job = await transcribed(appliance, broken, 'broken.mkv', options);
    expect(job).toMatchObject({
      status: 'completed',
      result: { segments: [{ text: 'The quick red fox jumps over the old bird.' }] },
    });
    expect(job.result?.warnings.length).toBeGreaterThan(0);
  });
});
