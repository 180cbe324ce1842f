import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Appliance } from '../harness/appliance.ts';
import { type MediaMaker, openMediaMaker, picturesAnd } from '../harness/make-media.ts';
import { CLIPS, startWithSpeech, submit, transcribed } from '../harness/speech.ts';

const FOX = 'The quick red fox jumps over the old bird.';
const FOX_PATH = join(CLIPS, '02-fox.wav');
const X264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];
const VP9 = ['-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8'];

let appliance: Appliance;
let maker: MediaMaker;
beforeAll(async () => {
  [appliance, maker] = await Promise.all([startWithSpeech(), openMediaMaker()]);
});
afterAll(async () => {
  await appliance.close();
  await maker[Symbol.asyncDispose]();
});

const textOf = (job: Awaited<ReturnType<typeof transcribed>>) => {
  expect(job.error, JSON.stringify(job.error)).toBeUndefined();
  return job.result?.segments.map(({ text }) => text).join(' ');
};

test('speech of narrow codecs without a head is heard', async () => {
  for (const [name, args] of [
    ['a.gsm', ['-i', FOX_PATH, '-c:a', 'libgsm', '-ar', '8000', '-ac', '1']],
    ['a.ra', ['-i', FOX_PATH, '-c:a', 'real_144', '-ar', '8000', '-ac', '1', '-f', 'rm']],
  ] as const) {
    const job = await transcribed(appliance, await maker.make(name, [...args]), name);
    expect(job.error, name).toBeUndefined();
    expect(job.result?.media.audioCodec).toBe(name === 'a.gsm' ? 'gsm' : 'ra_144');
    expect(job.result?.media.durationSeconds).toBeGreaterThan(2);
    expect(job.result?.segments.length).toBeGreaterThan(0);
  }
});

describe('the words are the same in', () => {
  const video = picturesAnd(FOX_PATH);
  const sound = ['-i', FOX_PATH];
  test.for([
    [
      'MP4 with H.264 and AAC',
      'a.mp4',
      [...video, ...X264, '-c:a', 'aac'],
      { audioCodec: 'aac', videoCodec: 'h264', width: 160 },
    ],
    [
      'QuickTime with sound at 44.1 kHz',
      'a.mov',
      [...video, ...X264, '-c:a', 'pcm_s16le', '-ar', '44100'],
      { audioCodec: 'pcm_s16le' },
    ],
    ['Matroska with FLAC', 'a.mkv', [...video, ...X264, '-c:a', 'flac'], { audioCodec: 'flac' }],
    [
      'WebM with VP9 and Opus',
      'a.webm',
      [...video, ...VP9, '-c:a', 'libopus'],
      { audioCodec: 'opus', videoCodec: 'vp9' },
    ],
    ['AVI with MPEG-4 and MP3', 'a.avi', [...video, '-c:v', 'mpeg4', '-c:a', 'libmp3lame'], { videoCodec: 'mpeg4' }],
    ['a transport stream', 'a.ts', [...video, ...X264, '-c:a', 'aac', '-f', 'mpegts'], { videoCodec: 'h264' }],
    [
      'HEVC',
      'hevc.mp4',
      [...video, '-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=none', '-c:a', 'aac'],
      { videoCodec: 'hevc' },
    ],
    ['AV1', 'av1.mkv', [...video, '-c:v', 'libsvtav1', '-preset', '12', '-c:a', 'aac'], { videoCodec: 'av1' }],
    [
      'a variable frame rate',
      'vfr.mkv',
      [...video, '-vf', "select='mod(n,3)'", '-vsync', 'vfr', ...X264, '-c:a', 'aac'],
      {},
    ],
    ['sound in 5.1', '51.mp4', [...video, ...X264, '-c:a', 'aac', '-ac', '6'], {}],
    ['an odd sample rate', 'odd.wav', [...sound, '-ar', '11025'], { videoCodec: null, audioCodec: 'pcm_s16le' }],
    [
      'stereo of which one side is upside down, so that both together are silence',
      'inverted.wav',
      [...sound, '-af', 'pan=stereo|c0=c0|c1=-1*c0'],
      { audioCodec: 'pcm_s16le' },
    ],
    [
      'sound in 5.1 of which one front is upside down',
      'inverted51.mkv',
      [...sound, '-af', 'pan=5.1|FL=c0|FR=-1*c0|FC=0*c0|LFE=0*c0|BL=0*c0|BR=0*c0', '-c:a', 'flac'],
      { audioCodec: 'flac' },
    ],
    ['sound alone, as Ogg', 'a.ogg', [...sound, '-c:a', 'libvorbis'], { videoCodec: null }],
    ['raw AC-3', 'a.ac3', [...sound, '-c:a', 'ac3', '-ar', '44100', '-b:a', '192k'], { audioCodec: 'ac3' }],
    ['raw E-AC-3', 'a.eac3', [...sound, '-c:a', 'eac3', '-ar', '48000'], { audioCodec: 'eac3' }],
    ['raw DTS', 'a.dts', [...sound, '-c:a', 'dca', '-strict', '-2', '-ar', '48000', '-ac', '2'], { audioCodec: 'dts' }],
    ['raw TrueHD', 'a.thd', [...sound, '-c:a', 'truehd', '-strict', '-2', '-ar', '48000', '-ac', '2'], {}],
    ['raw AAC in LOAS', 'a.loas', [...sound, '-c:a', 'aac', '-ar', '44100', '-f', 'latm'], {}],
    ['Wave64', 'a.w64', [...sound], { audioCodec: 'pcm_s16le' }],
    ['True Audio', 'a.tta', [...sound, '-c:a', 'tta'], { audioCodec: 'tta' }],
    ['Creative Voice', 'a.voc', [...sound, '-c:a', 'pcm_s16le', '-ar', '16000'], {}],
    ['MXF', 'a.mxf', [...video, '-c:v', 'mpeg2video', '-r', '25', '-c:a', 'pcm_s16le', '-ar', '48000'], {}],
    [
      'DV',
      'a.dv',
      [...video, '-target', 'pal-dv', '-s', '720x576', '-ar', '48000', '-ac', '2'],
      { videoCodec: 'dvvideo' },
    ],
    ['NUT', 'a.nut', [...sound, '-c:a', 'flac'], { audioCodec: 'flac' }],
    [
      'sound that comes late',
      'late.mkv',
      [
        '-f',
        'lavfi',
        '-i',
        'testsrc=size=160x90:rate=10:duration=6',
        '-itsoffset',
        '2',
        '-i',
        FOX_PATH,
        ...X264,
        '-c:a',
        'aac',
      ],
      {},
    ],
    [
      'sound that comes late in a transport stream, which begins at no zero',
      'late.ts',
      [
        ...['-f', 'lavfi', '-i', 'testsrc=size=160x90:rate=10:duration=6', '-itsoffset', '2', '-i', FOX_PATH],
        ...[...X264, '-c:a', 'aac', '-f', 'mpegts'],
      ],
      {},
    ],
  ] as const)('%s', async ([, name, args, facts]) => {
    const job = await transcribed(appliance, await maker.make(name, args), name);
    expect(textOf(job)).toBe(FOX);
    expect(job.result?.media).toMatchObject(facts);
    if (name.startsWith('late')) expect(job.result?.segments[0]?.start).toBeGreaterThan(1.5);
  });

  test('a rotated video, whose size is the one that is seen', async () => {
    await maker.make('flat.mp4', [...video, ...X264, '-c:a', 'aac', '-metadata:s:v:0', 'rotate=90']);
    const bytes = await maker.make('turned.mp4', [
      '-i',
      join(maker.folder, 'flat.mp4'),
      '-c',
      'copy',
      '-metadata:s:v:0',
      'rotate=90',
    ]);
    const job = await transcribed(appliance, bytes, 'turned.mp4');
    expect(textOf(job)).toBe(FOX);
    expect(job.result?.media).toMatchObject({ width: 90, height: 160 });
  });

  test('a Matroska file that was cut off, as far as it goes', async () => {
    const whole = await maker.make('whole.mkv', [...picturesAnd(join(CLIPS, '06-class.wav')), ...X264, '-c:a', 'flac']);
    const job = await transcribed(appliance, whole.subarray(0, Math.floor(whole.length * 0.8)), 'cut.mkv');
    expect(job.status).toBe('completed');
    expect(job.result?.segments.length).toBeGreaterThan(0);
  });
});

describe('a file whose length is a guess is heard to its end', () => {
  const LONG_PATH = join(CLIPS, '08-long.mp3');

  test('an Ogg file put together from several, as recordings of radio streams are', async () => {
    const parts = await Promise.all([
      maker.make('one.ogg', ['-i', LONG_PATH, '-c:a', 'libvorbis']),
      maker.make('two.ogg', ['-i', FOX_PATH, '-c:a', 'libvorbis', '-q:a', '8']),
    ]);
    const job = await transcribed(appliance, Buffer.concat(parts), 'chained.ogg');
    expect(job.result?.segments.at(-1)?.text).toBe(FOX);
    expect(job.result?.media.durationSeconds).toBeCloseTo(51.6, 0);
  });

  test('an Ogg file whose parts have other codecs, sample rates and channels, and whose last one has only begun', async () => {
    const report = join(CLIPS, '03-report.wav');
    const parts = await Promise.all([
      maker.make('first.ogg', ['-i', FOX_PATH, '-c:a', 'libvorbis']),
      maker.make('second.ogg', ['-i', report, '-ar', '44100', '-ac', '2', '-c:a', 'libvorbis']),
      maker.make('third.ogg', ['-i', FOX_PATH, '-c:a', 'libopus']),
    ]);
    const begun = parts[0]?.subarray(0, 40) ?? Buffer.alloc(0);
    const job = await transcribed(appliance, Buffer.concat([...parts, begun]), 'mixed.ogg');
    expect(textOf(job)).toBe(`${FOX} Send the new report on Thursday. Thank you for listening to the old show. ${FOX}`);
    expect(job.result?.media.durationSeconds).toBeCloseTo(12.96, 1);
    expect(job.result?.warnings).toEqual(['Parts of the file that could not be read: 1.']);
  });

  test('MP3 without an index whose beginning is denser than the rest', async () => {
    const noise = ['-f', 'lavfi', '-i', 'anoisesrc=duration=3:amplitude=0.1:sample_rate=16000', '-b:a', '160k'];
    const bare = ['-ar', '16000', '-ac', '1', '-write_xing', '0', '-id3v2_version', '0'];
    const parts = await Promise.all([
      maker.make('dense.mp3', [...noise, ...bare]),
      maker.make('sparse.mp3', ['-i', LONG_PATH, ...bare, '-b:a', '16k']),
      maker.make('last.mp3', ['-i', FOX_PATH, ...bare, '-b:a', '16k']),
    ]);
    const job = await transcribed(appliance, Buffer.concat(parts), 'stepped.mp3');
    expect(job.result?.segments.at(-1)?.text).toBe(FOX);
    expect(job.result?.media.durationSeconds).toBeCloseTo(54.8, 0);
  });

  test('a piece of a live stream whose clock begins at fourteen hours is as long as it is', async () => {
    const pictures = ['-f', 'lavfi', '-i', 'testsrc=size=160x90:rate=10:duration=4'];
    const made = [...pictures, '-i', FOX_PATH, ...X264, '-c:a', 'aac', '-output_ts_offset', '50000'];
    const job = await transcribed(appliance, await maker.make('live.mkv', made), 'live.mkv');
    expect(textOf(job)).toBe(FOX);
    expect(job.result?.media.durationSeconds).toBeCloseTo(4, 0);
    expect(job.result?.segments[0]?.start).toBeLessThan(1);
  });
});

test('a sentence that is cut off in its middle is said until the file ends', async () => {
  const job = await transcribed(appliance, await maker.make('half.wav', ['-i', FOX_PATH, '-t', '1.5']), 'half.wav');
  expect(textOf(job)).toMatch(/^The quick red fox/);
  expect(job.result?.segments.at(-1)?.end).toBeCloseTo(1.5, 1);
});

describe('of a recorder that has a channel for each speaker, each is heard', () => {
  /** The clip in one channel of many; the file says nothing of where they are. */
  async function oneOf(channels: number, speaking: number): Promise<Buffer> {
    const samples = await maker.make('mono.pcm', ['-i', FOX_PATH, '-ar', '16000', '-ac', '1', '-f', 's16le']);
    const recorded = Buffer.alloc(samples.length * channels);
    for (let at = 0; at + 1 < samples.length; at += 2) {
      recorded.writeInt16LE(samples.readInt16LE(at), at * channels + speaking * 2);
    }
    return Buffer.concat([waveHeader(recorded.length, channels), recorded]);
  }

  /** The plain one, which has no room for where channels are heard; ffmpeg would write another. */
  function waveHeader(bytes: number, channels: number): Buffer {
    const header = Buffer.from('RIFF....WAVEfmt ....................data....', 'latin1');
    for (const [at, value] of [
      [4, 36 + bytes],
      [16, 16],
      [24, 16_000],
      [28, 32_000 * channels],
      [40, bytes],
    ] as const) {
      header.writeUInt32LE(value, at);
    }
    for (const [at, value] of [
      [20, 1],
      [22, channels],
      [32, 2 * channels],
      [34, 16],
    ] as const) {
      header.writeUInt16LE(value, at);
    }
    return header;
  }

  test.for([
    ['the third of three', 3, 2],
    ['the last of ten', 10, 9],
  ] as const)('%s', async ([, channels, speaking]) => {
    const job = await transcribed(appliance, await oneOf(channels, speaking), 'recorded.wav');
    expect(textOf(job)).toBe(FOX);
    const shape = await (await appliance.owner(`/admin/jobs/${job.jobId}/peaks`)).json();
    expect(Math.max(...(shape as { peaks: number[] }).peaks), JSON.stringify(shape)).toBe(1);
  });
});

describe('of several sound tracks', () => {
  const REPORT = 'Send the new report on Thursday. Thank you for listening to the old show.';
  /** German is said to be first and default; both are English in truth. */
  const make = (name: string, ...dispositions: string[]) =>
    maker.make(name, [
      ...['-i', FOX_PATH, '-i', join(CLIPS, '03-report.wav'), '-map', '0:a', '-map', '1:a', '-c:a', 'flac'],
      ...['-metadata:s:a:0', 'language=ger', '-metadata:s:a:1', 'language=eng', ...dispositions],
    ]);
  const second = ['-disposition:a:0', '0', '-disposition:a:1', 'default'];
  const none = ['-disposition:a:0', '0', '-disposition:a:1', '0'];

  test.for([
    ['the one in the language asked for', 'language.mka', [], { language: 'en' }, REPORT, 2, 'language'],
    ['the one requested by its number', 'number.mka', [], { audioTrack: 2 }, REPORT, 2, 'number'],
    ['the default one where none is in that language', 'default.mka', second, {}, REPORT, 2, 'default'],
    ['the first one where none is marked', 'first.mka', none, {}, FOX, 1, 'first'],
  ] as const)('%s is heard, and the answer says so', async ([, name, marks, options, text, number, chosenBy]) => {
    const job = await transcribed(appliance, await make(name, ...marks), name, options);
    expect(textOf(job)).toBe(text);
    const language = number === 1 ? 'ger' : 'eng';
    expect(job.result?.media.audioTrack).toEqual({ number, of: 2, language, chosenBy });
  });
});

describe('what a file states about itself is in the result', () => {
  const FACTS = [
    ';FFMETADATA1\ntitle=Harbour talk\nartist=A. Clerk\ndate=2026-03-04\n',
    '[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=1000\ntitle=Opening\n',
    '[CHAPTER]\nTIMEBASE=1/1000\nSTART=1000\nEND=2000\ntitle=Fish & boats\n',
  ].join('');
  const SUBTITLES =
    '1\n00:00:00,500 --> 00:00:01,000\nHello <i>harbour</i>.\n\n2\n00:00:01,200 --> 00:00:02,000\nTwo\nlines.\n';
  const CHAPTERS = [
    { title: 'Opening', startSeconds: 0, endSeconds: 1 },
    { title: 'Fish & boats', startSeconds: 1, endSeconds: 2 },
  ];

  const make = async (name: string, ...more: string[]) => {
    const [facts, subtitles] = [join(maker.folder, 'facts.txt'), join(maker.folder, 'subtitles.srt')];
    await writeFile(facts, FACTS);
    await writeFile(subtitles, SUBTITLES);
    const inputs = ['-i', FOX_PATH, '-i', subtitles, '-i', facts, '-map_metadata', '2', '-map_chapters', '2'];
    return maker.make(name, [...inputs, '-t', '2', '-map', '0:a', ...more]);
  };

  test.for([
    ['facts.mp4', 'mov_text', 'aac'],
    ['facts.mkv', 'srt', 'flac'],
    ['facts.webm', 'webvtt', 'libopus'],
    ['ass.mkv', 'ass', 'flac'],
  ] as const)('chapters, title and subtitles of %s', async ([name, subtitles, sound]) => {
    const tracks = ['-map', '1:s', '-c:s', subtitles, '-metadata:s:s:0', 'language=eng', '-c:a', sound];
    const job = await transcribed(appliance, await make(name, ...tracks), name);
    const file = job.result?.file;
    expect(file).toMatchObject({ title: 'Harbour talk', artist: 'A. Clerk', date: '2026-03-04' });
    expect(file?.chapters.map(({ title }) => title)).toEqual(CHAPTERS.map(({ title }) => title));
    expect(file?.subtitles).toEqual([expect.objectContaining({ number: 1, language: 'eng', cues: 2 })]);
    const srt = await (await appliance.owner(new URL(file?.subtitles[0]?.srt?.url ?? '').pathname)).text();
    expect(srt).toMatch(/00:00:00,5\d\d --> 00:00:01,0\d\d\nHello harbour\.\n[\s\S]*\nTwo lines\.\n/);
  });

  test('chapters of a podcast in MP3', async () => {
    const job = await transcribed(appliance, await make('podcast.mp3', '-c:a', 'libmp3lame'), 'podcast.mp3');
    expect(job.result?.file).toMatchObject({ chapters: CHAPTERS, subtitles: [] });
  });

  test('a sound track that the file lacks is an error that names those it has', async () => {
    const job = await transcribed(appliance, await readFile(FOX_PATH), 'fox.wav', { audioTrack: 3 });
    expect(job.error).toMatchObject({
      code: 'unsupported_media',
      message: 'The file has one sound track: leave audioTrack out.',
    });
  });
});

describe('a file fails with what to do about it', () => {
  test('when it has no sound', async () => {
    const silent = await maker.make('mute.mp4', [
      '-f',
      'lavfi',
      '-i',
      'testsrc=size=160x90:rate=5:duration=1',
      ...X264,
    ]);
    const job = await transcribed(appliance, silent, 'mute.mp4');
    expect(job.error).toMatchObject({ code: 'unsupported_media', attempts: 1 });
    expect(job.error?.message).toContain('captureFrames');
  });

  test('when an MP4 was cut off before its index', async () => {
    const whole = await maker.make('whole.mp4', [...picturesAnd(FOX_PATH), ...X264, '-c:a', 'aac']);
    const job = await transcribed(appliance, whole.subarray(0, whole.length >> 1), 'cut.mp4');
    expect(job.error).toMatchObject({ code: 'corrupt_input', attempts: 1 });
  });

  test('when it is a playlist that would have ffmpeg open another file of this machine', async () => {
    const playlist = `#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\nfile://${FOX_PATH}\n#EXT-X-ENDLIST\n`;
    const answer = await submit(appliance, Buffer.from(playlist), 'talk.mp4');
    expect(answer.status).toBe(422);
    // Dressed as an MPEG stream, which it then is taken for.
    const dressed = Buffer.concat([Buffer.from([0, 0, 1, 0xba]), Buffer.from(playlist)]);
    const job = await transcribed(appliance, dressed, 'talk.mpg');
    expect(job.status).toBe('failed');
    expect(JSON.stringify(job)).not.toContain('fox');
  });
});

describe('a file of no length', () => {
  test.for([
    ['empty.wav', ['-c:a', 'pcm_s16le']],
    ['empty.mp4', ['-c:a', 'aac']],
    ['empty.mkv', ['-c:a', 'flac']],
  ] as const)('%s ends at once, with no words or with what is wrong with it', async ([name, codec]) => {
    const bytes = await maker.make(name, ['-f', 'lavfi', '-i', 'anullsrc=r=16000:cl=mono', '-t', '0', ...codec]);
    const job = await transcribed(appliance, bytes, name);
    if (job.status === 'completed') {
      expect(job.result).toMatchObject({ segments: [], chunks: [], media: { durationSeconds: 0, speechSeconds: 0 } });
      expect(job.result?.warnings.join(' ')).toContain('No speech');
    } else {
      expect(['corrupt_input', 'unsupported_media']).toContain(job.error?.code);
      expect(job.error?.attempts).toBe(1);
    }
  });
});

describe('what nobody said is not written down', () => {
  test('silence is skipped: ten minutes with four sentences cost what the sentences cost', async () => {
    const pause = 'apad=pad_dur=145';
    const inputs = ['01-meeting.wav', '02-fox.wav', '03-report.wav', '07-quiet-start.wav'].flatMap((name) => [
      '-i',
      join(CLIPS, name),
    ]);
    const padded = [0, 1, 2, 3]
      .map((index) => `[${index}:a]aformat=sample_rates=16000:channel_layouts=mono,${pause}[a${index}]`)
      .join(';');
    const long = await maker.make('sparse.flac', [
      ...inputs,
      '-filter_complex',
      `${padded};[a0][a1][a2][a3]concat=n=4:v=0:a=1`,
    ]);
    const job = await transcribed(appliance, long, 'sparse.flac');
    expect(textOf(job)).toBe(
      [
        `The meeting starts on Wednesday at four. ${FOX} Send the new report on Thursday.`,
        'Thank you for listening to the old show. The weather is cold on Saturday in the morning.',
      ].join(' '),
    );
    expect(job.result?.media.durationSeconds).toBeGreaterThan(590);
    expect(job.result?.media.speechSeconds).toBeLessThan(25);
    // Each sentence stands where it was said, however much silence was left out before it.
    expect(Math.abs((job.result?.segments[1]?.start ?? 0) - (3.07 + 145 + 0.11))).toBeLessThan(0.6);
  });

  test('a file of silence gives no words and says so', async () => {
    const silence = await maker.make('silence.wav', ['-f', 'lavfi', '-i', 'anullsrc=r=16000:cl=mono', '-t', '20']);
    const job = await transcribed(appliance, silence, 'silence.wav');
    expect(job).toMatchObject({ status: 'completed', result: { segments: [], chunks: [] } });
    expect(job.result?.warnings.join(' ')).toContain('No speech');
  });

  test('a picture of one pixel at a million frames a second costs what its sound costs, also with its pictures', async () => {
    const pixels = join(maker.folder, 'pixels.gray');
    await writeFile(pixels, Buffer.alloc(200_000));
    const bomb = await maker.make('bomb.avi', [
      ...['-f', 'rawvideo', '-video_size', '1x1', '-pixel_format', 'gray', '-framerate', '1000000', '-i', pixels],
      ...['-i', FOX_PATH, '-c:v', 'rawvideo', '-pix_fmt', 'gray', '-c:a', 'pcm_s16le'],
    ]);
    const job = await transcribed(appliance, bomb, 'bomb.avi', { captureFrames: true, frameIntervalSeconds: 1 });
    expect(textOf(job)).toBe(FOX);
    expect(job.result?.frames?.length).toBeLessThanOrEqual(4);
  });

  test('a sound file with its text is served again under its own address', async () => {
    const job = await transcribed(appliance, await readFile(FOX_PATH), 'fox.wav');
    const text = job.result?.files.find(({ name }) => name === 'transcript.txt');
    const served = await appliance.anonymous(new URL(text?.url ?? '').pathname);
    expect(await served.text()).toBe(`${FOX}\n`);
  });
});
