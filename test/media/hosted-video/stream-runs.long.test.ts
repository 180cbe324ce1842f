/** Streams of several parts, each with an initialisation segment and a clock of its own. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Appliance } from '../../harness/appliance.ts';
import { finished } from '../../harness/jobs.ts';
import type { LocalSite } from '../../harness/local-site.ts';
import { type MediaMaker, openMediaMaker } from '../../harness/make-media.ts';
import { CLIPS, startWithSpeech, type TranscriptJob } from '../../harness/speech.ts';
import { postJson } from '../../harness/text-models.ts';
import { type Answer, serveVideoSite } from '../../harness/video-site.ts';

const HLS = 'application/vnd.apple.mpegurl';
const FOX = 'The quick red fox jumps over the old bird.';
const MEETING = 'The meeting starts on Wednesday at four.';
const REPORT = ['Send the new report on Thursday.', 'Thank you for listening to the old show.'];

let appliance: Appliance;
let maker: MediaMaker;
let site: LocalSite;
const answers: Record<string, Answer> = {};

const clip = (name: string) => ['-i', join(CLIPS, `${name}.wav`)];
const named = (name: string) => ['-hls_segment_filename', join(maker.folder, name)];
const hls = ['-f', 'hls', '-hls_time', '2', '-hls_playlist_type', 'vod'];
const fmp4 = (name: string) => ['-hls_segment_type', 'fmp4', '-hls_fmp4_init_filename', `${name}.mp4`];

beforeAll(async () => {
  maker = await openMediaMaker();
  const aac = ['-c:a', 'aac', '-ar', '16000'];
  for (const name of ['01-meeting', '02-fox', '03-report']) {
    await maker.make(`${name}.m3u8`, [...clip(name), ...aac, ...hls, ...fmp4(name), ...named(`${name}-%d.m4s`)]);
  }
  const wide = ['-c:a', 'aac', '-ar', '44100', '-ac', '2'];
  await maker.make('wide.m3u8', [...clip('02-fox'), ...wide, ...hls, ...fmp4('wide'), ...named('wide-%d.m4s')]);
  await maker.make('ts.m3u8', [...clip('01-meeting'), ...aac, ...hls, ...named('ts-%d.ts')]);
  await maker.make('late.m3u8', [...clip('03-report'), ...aac, ...hls, ...named('late-%d.ts')]);
  const single = [...hls, ...fmp4('ranged'), '-hls_flags', 'single_file', ...named('ranged.m4s')];
  await maker.make('ranged.m3u8', [...clip('03-report'), ...aac, ...single]);
  for (const name of ['01-meeting', '02-fox', '03-report']) {
    // Streams of DASH are numbered: names of their own keep them apart in one folder.
    const names = ['-init_seg_name', `dash-${name}-init.mp4`, '-media_seg_name', `dash-${name}-$Number$.m4s`];
    const timeline = ['-use_template', '1', '-use_timeline', name === '02-fox' ? '0' : '1'];
    await maker.make(`${name}.mpd`, [...clip(name), ...aac, '-f', 'dash', '-seg_duration', '2', ...names, ...timeline]);
  }
  for (const [index, [name, text, size]] of SLIDES.entries()) {
    const color = `color=white:size=${size}:rate=5:duration=3,drawtext=text='${text}':fontsize=48:x=60:y=120`;
    const slide = ['-f', 'lavfi', '-i', color];
    const x264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '10', '-t', '3'];
    const heard = index === 0 ? '01-meeting' : '02-fox';
    const [show, see] = [`show-${name}`, `see-${name}`];
    const both = [...slide, ...clip(heard), ...x264, ...aac];
    await maker.make(`${show}.m3u8`, [...both, ...hls, ...fmp4(show), ...named(`${show}-%d.m4s`)]);
    await maker.make(`${see}.m3u8`, [...slide, ...x264, ...hls, ...fmp4(see), ...named(`${see}-%d.m4s`)]);
    const names = ['-init_seg_name', `dash-${name}-$RepresentationID$.mp4`];
    const media = ['-media_seg_name', `dash-${name}-$RepresentationID$-$Number$.m4s`];
    await maker.make(`${show}.mpd`, [...both, '-f', 'dash', '-seg_duration', '2', ...names, ...media]);
  }
  for (const name of await readdir(maker.folder)) {
    const isList = /\.(m3u8|mpd)$/.test(name);
    const type = isList ? (name.endsWith('mpd') ? 'application/dash+xml' : HLS) : 'video/mp4';
    answers[`/${name}`] = { type, body: await readFile(join(maker.folder, name)) };
  }
  addPlaylists();
  site = await serveVideoSite(() => answers);
  appliance = await startWithSpeech();
});
afterAll(async () => {
  await appliance.close();
  await site[Symbol.asyncDispose]();
  await maker[Symbol.asyncDispose]();
});

/** Names, words and sizes of the pictures of streams in two parts. */
const SLIDES = [
  ['one', 'Harbour plan', '640x360'],
  ['two', 'Budget for spring', '480x270'],
] as const;

const textOf = (name: string) => Buffer.from(answers[`/${name}`]?.body ?? '').toString();

/** The parts of a playlist, with its initialisation segment. */
const partsOf = (name: string) =>
  textOf(name)
    .split('\n')
    .filter((line) => /^#EXT(INF|-X-MAP|-X-BYTERANGE)/.test(line) || (line !== '' && !line.startsWith('#')));

function playlist(...runs: string[][]): Answer {
  const head = ['#EXTM3U', '#EXT-X-VERSION:7', '#EXT-X-TARGETDURATION:8'];
  const lines = runs.flatMap((run, index) => (index === 0 ? run : ['#EXT-X-DISCONTINUITY', ...run]));
  return { type: HLS, body: [...head, ...lines, '#EXT-X-ENDLIST', ''].join('\n') };
}

/** The content of the period of a manifest, in a tag of its own. */
function period(name: string, tag: string, change = (xml: string) => xml): string {
  const body = /<Period[^>]*>([\s\S]*)<\/Period>/.exec(textOf(`${name}.mpd`))?.[1] ?? '';
  return `<Period ${tag}>${change(body)}</Period>`;
}

function manifest(attributes: string, ...periods: string[]): Answer {
  const root = `<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" profiles="urn:mpeg:dash:profile:isoff-live:2011"`;
  return {
    type: 'application/dash+xml',
    body: `<?xml version="1.0"?>\n${root} ${attributes}>${periods.join('\n')}</MPD>`,
  };
}

/** Pictures beside a sound that has a playlist of its own. */
function apart(sound: string, pictures: string): Answer {
  const stream = '#EXT-X-STREAM-INF:BANDWIDTH=90000,CODECS="avc1.4d401e,mp4a.40.2",AUDIO="a",RESOLUTION=640x360';
  const media = `#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="en",LANGUAGE="en",DEFAULT=YES,URI="${sound}"`;
  return { type: HLS, body: ['#EXTM3U', media, stream, `${pictures}\n`].join('\n') };
}

function addPictures(): void {
  const [first, second] = [partsOf('see-one.m3u8'), partsOf('see-two.m3u8')];
  answers['/see.m3u8'] = playlist(first, second);
  answers['/hear.m3u8'] = playlist(partsOf('01-meeting.m3u8'), partsOf('02-fox.m3u8'));
  answers['/together.m3u8'] = playlist(partsOf('show-one.m3u8'), partsOf('show-two.m3u8'));
  answers['/both-in-two.m3u8'] = apart('hear.m3u8', 'see.m3u8');
  answers['/pictures-in-two.m3u8'] = apart('03-report.m3u8', 'see.m3u8');
  answers['/blind.m3u8'] = playlist(partsOf('show-one.m3u8'), partsOf('02-fox.m3u8'), partsOf('show-two.m3u8'));
  const periods = [period('show-one', 'id="a" duration="PT3S"'), period('show-two', 'id="b" duration="PT3S"')];
  answers['/pictures.mpd'] = manifest('mediaPresentationDuration="PT6S"', ...periods);
}

function addPlaylists(): void {
  addPictures();
  const fox = partsOf('02-fox.m3u8');
  answers['/twice.m3u8'] = playlist(fox, fox);
  answers['/maps.m3u8'] = playlist(partsOf('01-meeting.m3u8'), partsOf('wide.m3u8'), partsOf('03-report.m3u8'));
  answers['/mixed.m3u8'] = playlist(partsOf('ts.m3u8'), fox, partsOf('late.m3u8'));
  answers['/ranges.m3u8'] = playlist(partsOf('ranged.m3u8'), partsOf('ranged.m3u8'));
  answers['/group.m3u8'] = {
    type: HLS,
    body: [
      '#EXTM3U',
      '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="en",LANGUAGE="en",DEFAULT=YES,URI="twice.m3u8"',
      '#EXT-X-STREAM-INF:BANDWIDTH=90000,CODECS="avc1.4d401e,mp4a.40.2",AUDIO="a",RESOLUTION=640x360',
      'gone.m3u8\n',
    ].join('\n'),
  };
  answers['/lost.m3u8'] = playlist(
    partsOf('01-meeting.m3u8'),
    fox.map((line) => line.replace('02-fox', 'no')),
    fox,
  );
  answers['/after.m3u8'] = playlist(
    fox.map((line) => line.replace('02-fox', 'no')),
    fox,
  );
  answers['/three.mpd'] = manifest(
    'mediaPresentationDuration="PT12.5S"',
    period('01-meeting', 'id="a" duration="PT3.07S"'),
    period('02-fox', 'id="b" start="PT3.07S"', (xml) => xml.replace('id="0"', 'id="other"')),
    period('03-report', 'id="c" start="PT6.6S"'),
  );
  answers['/equal.mpd'] = manifest('', period('02-fox', 'duration="PT3.52S"'), period('02-fox', 'duration="PT3.52S"'));
}

async function extracted(
  path: string,
  operation = 'hosted-video',
  options = {},
): Promise<NonNullable<TranscriptJob['result']>> {
  const answer = await appliance.owner(`/v1/extract/${operation}`, postJson({ sourceUrl: site.url + path, options }));
  expect(answer.status, await answer.clone().text()).toBe(202);
  const job = await finished(appliance.owner, ((await answer.json()) as { jobId: string }).jobId);
  expect(job.error, JSON.stringify(job.error)).toBeUndefined();
  return (job as TranscriptJob).result as NonNullable<TranscriptJob['result']>;
}

describe('every part of a stream is heard, at its place', () => {
  test.for([
    ['HLS that repeats itself, each time with its own clock', '/twice.m3u8', [FOX, FOX], [0, 3.5]],
    [
      'HLS with several initialisation segments, codecs alike or not',
      '/maps.m3u8',
      [MEETING, FOX, ...REPORT],
      [0, 3.1, 6.6, 9.2],
    ],
    ['HLS of transport stream and fragmented MP4', '/mixed.m3u8', [MEETING, FOX, ...REPORT], [0, 3.1, 6.6, 9.2]],
    ['HLS in ranges of one file', '/ranges.m3u8', [...REPORT, ...REPORT], [0, 2.6, 5.9, 8.5]],
    ['HLS with its sound as a rendition of its own', '/group.m3u8', [FOX, FOX], [0, 3.5]],
    [
      'DASH of three periods, their representations named alike or not',
      '/three.mpd',
      [MEETING, FOX, ...REPORT],
      [0, 3.1, 6.6, 9.2],
    ],
    ['DASH of two periods with equal parts', '/equal.mpd', [FOX, FOX], [0, 3.5]],
  ] as const)('%s', async ([, path, texts, starts]) => {
    const { segments, warnings, media } = await extracted(path);
    expect(segments.map(({ text }) => text)).toEqual(texts);
    expect(warnings).toEqual([]);
    for (const [index, start] of starts.entries()) {
      expect(Math.abs((segments[index]?.start ?? -9) - start - 0.25), `${index}`).toBeLessThan(0.5);
    }
    expect(media.durationSeconds).toBeGreaterThan(starts.at(-1) ?? 0);
  });

  test('also in the operation for files, with the waveform of the whole', async () => {
    const { segments, media } = await extracted('/twice.m3u8', 'video');
    expect(segments).toHaveLength(2);
    expect(media.durationSeconds).toBeCloseTo(7, 0);
  });
});

describe('every part of a stream is seen, at its place', () => {
  const options = { captureFrames: true, frameIntervalSeconds: 1 };

  test.for([
    ['HLS with sound and pictures in one', '/together.m3u8', 2],
    ['HLS with both in parts, apart', '/both-in-two.m3u8', 2],
    ['HLS with the pictures alone in parts', '/pictures-in-two.m3u8', 2],
    ['DASH of two periods', '/pictures.mpd', 2],
  ] as const)('%s', async ([, path]) => {
    const { frames = [], segments, media, warnings } = await extracted(path, 'video', options);
    expect(frames.map(({ text }) => text)).toEqual(SLIDES.map(([, text]) => text));
    expect(Math.abs((frames[0]?.seconds ?? 9) - 0)).toBeLessThan(0.5);
    expect(Math.abs((frames[1]?.seconds ?? 9) - 3)).toBeLessThan(0.5);
    expect(segments.map(({ text }) => text).slice(0, 2)).toEqual(
      path.startsWith('/pictures-in') ? REPORT : [MEETING, FOX],
    );
    expect(media).toMatchObject({ videoCodec: 'h264', width: 640, height: 360 });
    expect(warnings.filter((warning) => !warning.startsWith('Pictures'))).toEqual([]);
  });

  test('a part without pictures is named, and the next one has its own times', async () => {
    const { frames = [], warnings } = await extracted('/blind.m3u8', 'video', options);
    expect(frames.map(({ text }) => text)).toEqual(SLIDES.map(([, text]) => text));
    expect(Math.abs((frames[1]?.seconds ?? 9) - 6.6)).toBeLessThan(0.5);
    expect(warnings).toContainEqual(expect.stringMatching(/pictures could not be read: 0:03–0:07/));
  });
});

describe('what of a stream never came is named', () => {
  test('a whole run that cannot be fetched, at the place of which the rest follows', async () => {
    const { segments, warnings } = await extracted('/lost.m3u8');
    expect(segments.map(({ text }) => text)).toEqual([MEETING, FOX]);
    expect(segments[1]?.start).toBeCloseTo(6.8, 0);
    expect(warnings).toContainEqual(expect.stringMatching(/not be fetched: 2 of \d+ \(0:03–0:07\)/));
    const late = await extracted('/after.m3u8');
    expect(late.segments[0]?.start).toBeCloseTo(3.7, 0);
  });
});

describe('a playlist of very many parts is bounded, and says so', () => {
  const many = (count: number, line: (index: number) => string): Answer => ({
    type: HLS,
    body: [
      '#EXTM3U\n#EXT-X-TARGETDURATION:1',
      ...Array.from({ length: count }, (_, index) => line(index)),
      '#EXT-X-ENDLIST\n',
    ].join('\n'),
  });
  const timeline = '<SegmentTimeline><S t="0" d="400" r="99999"/></SegmentTimeline>';
  const template = `<SegmentTemplate timescale="1000" media="many-$Number$.m4s">${timeline}</SegmentTemplate>`;
  const representation = '<Representation id="0" bandwidth="1" codecs="mp4a.40.2"/>';
  const audio = `<AdaptationSet mimeType="audio/mp4">${template}${representation}</AdaptationSet>`;

  /** The error of a job, and how many of the parts were asked for. */
  async function refused(path: string, answer: Answer) {
    answers[path] = answer;
    const before = site.requests.length;
    const posted = await appliance.owner('/v1/extract/video', postJson({ sourceUrl: site.url + path }));
    const job = await finished(appliance.owner, ((await posted.json()) as { jobId: string }).jobId);
    const asked = site.requests.slice(before).filter((request) => /^\/many-\d/.test(request));
    return { error: job.error, asked: asked.length };
  }

  test.for([
    ['HLS', '/many.m3u8', many(100_000, (index) => `#EXTINF:0.4,\nmany-${index}.ts`)],
    [
      'HLS with an initialisation segment each',
      '/many-maps.m3u8',
      many(100_000, (i) => `#EXT-X-DISCONTINUITY\n#EXT-X-MAP:URI="m${i}"\n#EXTINF:0.4,\nmany-${i}.m4s`),
    ],
    ['DASH', '/many.mpd', manifest('mediaPresentationDuration="PT40000S"', `<Period>${audio}</Period>`)],
  ] as const)('100,000 parts of %s', async ([, path, answer]) => {
    const { error, asked } = await refused(path, answer);
    expect(error).toMatchObject({
      code: 'source_too_large',
      message: expect.stringContaining('more than 43200 parts'),
    });
    expect(asked).toBe(0);
  });

  test('parts that are all gone are given up after a few', async () => {
    const { error, asked } = await refused(
      '/gone.m3u8',
      many(40_000, (index) => `#EXTINF:1,\nmany-${index}.ts`),
    );
    expect(error?.code).toBe('source_unreachable');
    expect(asked).toBeLessThan(40);
  });

  test('so are those of a stream whose clock restarts at each', async () => {
    const line = (index: number) => `#EXT-X-DISCONTINUITY\n#EXTINF:1,\nmany-${index}.ts`;
    const { error, asked } = await refused('/restarts.m3u8', many(40_000, line));
    expect(error?.code).toBe('source_unreachable');
    expect(asked).toBeLessThan(200);
  });
});
