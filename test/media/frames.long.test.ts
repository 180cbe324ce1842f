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

const AGENDA = [
  'The meeting starts on Monday at nine',
  'Please send the new report on Thursday',
  'Welcome to the class of history',
  'Open the red door in the evening',
  'Thank you for watching the show',
];

/** Slides in one layout: the title stays, one line of small letters changes. */
function agenda(secondsEach: number, { size = '1280x720', color = 'white', rate = 5 } = {}): string {
  const lines = AGENDA.map((text, index) => {
    const shown = `enable='between(t,${index * secondsEach},${(index + 1) * secondsEach - 0.01})'`;
    return `drawtext=text='${text}':fontsize=h/36:x=w/12:y=h*0.45:${shown}`;
  });
  const duration = AGENDA.length * secondsEach;
  return [
    `color=${color}:size=${size}:rate=${rate}:duration=${duration}`,
    'drawtext=text=Agenda:fontsize=h/15:x=w/12:y=h/12',
    ...lines,
  ].join();
}
/** Soft shapes that move all the time, for a speaker in a corner of the picture. */
const SPEAKER = 'color=gray:size=8x6:rate=5,noise=alls=100:allf=t,scale=iw*10:ih*10';
const lavfi = (graph: string) => ['-f', 'lavfi', '-i', graph];
const ON_SLIDES = ['-filter_complex', '[0][1]overlay=main_w*0.7:main_h*0.6:shortest=1'];

describe('five slides in one layout, of which one line changes, are five pictures', () => {
  const whole = AGENDA.map((line) => `Agenda\n\n${line}`);
  test.for([
    ['as they are', 'layout.mp4', [...lavfi(agenda(4)), ...X264]],
    ['at a low bit rate', 'poor.mp4', [...lavfi(agenda(4, { color: '0xd0d8e0' })), ...X264, '-crf', '40', '-g', '7']],
    ['with grain in every picture', 'grain.mp4', [...lavfi(`${agenda(4)},noise=alls=20:allf=t`), ...X264]],
    [
      'beside a speaker who moves',
      'speaker.mp4',
      [...lavfi(agenda(4)), ...lavfi(`${SPEAKER},scale=320:240`), ...ON_SLIDES, ...X264],
    ],
  ] as const)('%s', async ([, name, args]) => {
    const job = await transcribed(appliance, await maker.make(name, args), name, options);
    expect(job.error, JSON.stringify(job.error)).toBeUndefined();
    expect(job.result?.frames?.map(({ text }) => text)).toEqual(whole);
    expect(job.result?.frames?.map(({ seconds }) => Math.round(seconds))).toEqual([0, 4, 8, 12, 16]);
    expect(job.result?.chunks.map(({ kind }) => kind)).toEqual(whole.map(() => 'frame-text'));
    const images = job.result?.files.filter(({ name: file }) => file.endsWith('.jpg'));
    expect(images?.length).toBe(whole.length);
  });
});

describe('pictures without text', () => {
  test('are kept where the scene changes', async () => {
    const scenes = [
      ...['black', 'gray', 'white'].flatMap((color) => lavfi(`color=${color}:size=320x180:rate=5:duration=3`)),
      ...['-filter_complex', 'concat=n=3'],
    ];
    const job = await transcribed(appliance, await maker.make('s.mp4', [...scenes, ...X264]), 's.mp4', options);
    expect(job.result?.frames?.map(({ seconds }) => seconds)).toEqual([0, 3, 6]);
  });

  test('are few where only something in the scene moves', async () => {
    const scene = lavfi(`${SPEAKER},trim=duration=12,scale=320:240,pad=1280:720:800:300:gray`);
    const job = await transcribed(appliance, await maker.make('m.mp4', [...scene, ...X264]), 'm.mp4', options);
    // Of thirteen: a shape is read as a letter now and then.
    expect(job.result?.frames?.length).toBeLessThanOrEqual(3);
  });
});

describe('a limit', () => {
  test('of pictures to be read leaves out those in which only a speaker moves, and says how many', async () => {
    const slidesBeside = lavfi(agenda(65, { size: '320x180', rate: 1 }).replaceAll('fontsize=h/36', 'fontsize=h/14'));
    const bytes = await maker.make('long.mp4', [...slidesBeside, ...lavfi(SPEAKER), ...ON_SLIDES, ...X264]);
    const job = await transcribed(appliance, bytes, 'long.mp4', options);
    expect(job.error, JSON.stringify(job.error)).toBeUndefined();
    expect(job.result?.frames?.map(({ seconds }) => seconds)).toEqual([0, 65, 130, 195, 260]);
    expect(job.result?.warnings).toContainEqual(expect.stringMatching(/^Text was read in the 300 pictures.*; \d+ /));
  });

  test('of pictures to be taken is named with the second at which it was reached', async () => {
    const bytes = await maker.make('hour.mp4', [...lavfi('color=white:size=64x36:rate=1:duration=2100'), ...X264]);
    const job = await transcribed(appliance, bytes, 'hour.mp4', options);
    expect(job.error, JSON.stringify(job.error)).toBeUndefined();
    expect(job.result?.frames?.length).toBe(1);
    expect(job.result?.warnings).toContainEqual(expect.stringMatching(/up to second 1999: 2000 is the limit/));
  });
});

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

  test('reads a rotated video as it is displayed', async () => {
    await maker.make('lying.mp4', [...slides(), '-vf', 'transpose=clock', ...X264]);
    const turn = ['-i', join(maker.folder, 'lying.mp4'), '-c', 'copy', '-metadata:s:v:0', 'rotate=90'];
    const job = await transcribed(appliance, await maker.make('turned.mp4', turn), 'turned.mp4', options);
    expect(job.error, JSON.stringify(job.error)).toBeUndefined();
    expect(job.result?.media).toMatchObject({ width: 640, height: 360 });
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
