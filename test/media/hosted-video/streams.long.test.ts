import { createCipheriv } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Appliance } from '../../harness/appliance.ts';
import { finished } from '../../harness/jobs.ts';
import { type LocalSite, serveFiles } from '../../harness/local-site.ts';
import { type MediaMaker, openMediaMaker, picturesAnd } from '../../harness/make-media.ts';
import { CLIPS, startWithSpeech, submit, type TranscriptJob, wordErrorRate } from '../../harness/speech.ts';
import { postJson } from '../../harness/text-models.ts';
import { type Answer, serveVideoSite } from '../../harness/video-site.ts';

const FOX = 'The quick red fox jumps over the old bird.';
const KEY = Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex');
const HLS = 'application/vnd.apple.mpegurl';
const VIDEO = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '20', '-c:a', 'aac'];

let appliance: Appliance;
let maker: MediaMaker;
let site: LocalSite;
/** A host inside the owner's network. */
let inside: LocalSite;
let truth: string;
const answers: Record<string, Answer> = {};

beforeAll(async () => {
  [maker, inside] = await Promise.all([openMediaMaker(), serveFiles({ '/segment.ts': 'x', '/key': KEY })]);
  const sound = join(CLIPS, '08-long.mp3');
  const clips = JSON.parse(await readFile(join(CLIPS, 'truth.json'), 'utf8')) as { file: string; text: string }[];
  truth = clips.find(({ file }) => file === '08-long.mp3')?.text ?? '';
  const hls = ['-f', 'hls', '-hls_time', '6', '-hls_playlist_type', 'vod'];
  const named = (name: string) => ['-hls_segment_filename', join(maker.folder, name)];
  await maker.make('ts.m3u8', [...picturesAnd(sound), ...VIDEO, ...hls, ...named('ts-%d.ts')]);
  const fmp4 = ['-hls_segment_type', 'fmp4', '-hls_fmp4_init_filename', 'init.mp4'];
  await maker.make('mp4.m3u8', [...picturesAnd(sound), ...VIDEO, ...hls, ...fmp4, ...named('mp4-%d.m4s')]);
  await maker.make('dash.mpd', [...picturesAnd(sound), ...VIDEO, '-f', 'dash', '-seg_duration', '6']);
  await maker.make('fox.m3u8', [...picturesAnd(join(CLIPS, '02-fox.wav')), ...VIDEO, ...hls, ...named('fox-%d.ts')]);
  const fox = picturesAnd(join(CLIPS, '02-fox.wav'));
  const seen = [
    '-map',
    '0:v',
    '-t',
    '3.5',
    ...VIDEO,
    ...hls,
    ...fmp4.slice(0, 2),
    '-hls_fmp4_init_filename',
    'seen.mp4',
  ];
  await maker.make('seen.m3u8', [...fox, ...seen, ...named('seen-%d.m4s')]);
  await maker.make('heard.m3u8', [...fox, '-map', '1:a', '-c:a', 'aac', ...hls, ...named('heard-%d.ts')]);
  for (const name of await readdir(maker.folder)) {
    const isList = /\.(m3u8|mpd)$/.test(name);
    const type = isList ? (name.endsWith('mpd') ? 'application/dash+xml' : HLS) : 'video/mp4';
    answers[`/${name}`] = { type, body: await readFile(join(maker.folder, name)) };
  }
  addPlaylists();
  site = await serveVideoSite(() => answers);
  appliance = await startWithSpeech({
    network: {
      // Public names lead to the site, as their addresses are never contacted.
      resolver: async () => [{ address: '93.184.216.34', family: 4 }],
      connector: ({ hostname, port }, _addresses, callback) => {
        const socket = connect(Number(hostname.endsWith('.example') ? new URL(site.url).port : port), '127.0.0.1');
        socket.once('connect', () => callback(null, socket)).once('error', (error) => callback(error, null));
      },
    },
  });
});
afterAll(async () => {
  await appliance.close();
  await site[Symbol.asyncDispose]();
  await inside[Symbol.asyncDispose]();
  await maker[Symbol.asyncDispose]();
});

function addPlaylists(): void {
  const html = (body: string): Answer => ({ type: 'text/html', body: `<!doctype html><html lang="en">${body}</html>` });
  const list = (...lines: string[]): Answer => {
    return { type: HLS, body: ['#EXTM3U', '#EXT-X-TARGETDURATION:10', ...lines, ''].join('\n') };
  };
  const text = (name: string) => Buffer.from(answers[name]?.body ?? '').toString();
  const fox = Buffer.from(answers['/fox-0.ts']?.body ?? '');
  const cipher = createCipheriv('aes-128-cbc', KEY, Buffer.from('7'.padStart(32, '0'), 'hex'));
  answers['/fox.key'] = { type: 'application/octet-stream', body: KEY };
  answers['/secret.ts'] = { type: 'video/mp2t', body: Buffer.concat([cipher.update(fox), cipher.final()]) };
  const keyed = (key: string, segment: string) => [`#EXT-X-KEY:METHOD=AES-128,URI="${key}"`, '#EXTINF:3.5,', segment];
  answers['/secret.m3u8'] = list('#EXT-X-MEDIA-SEQUENCE:7', ...keyed('fox.key', 'secret.ts'), '#EXT-X-ENDLIST');
  const half = Math.floor(fox.length / 188 / 2) * 188;
  answers['/ranges.m3u8'] = list(
    ...['#EXT-X-VERSION:4', `#EXT-X-BYTERANGE:${half}@0`, '#EXTINF:1.7,', 'fox-0.ts'],
    ...[`#EXT-X-BYTERANGE:${fox.length - half}`, '#EXTINF:1.8,', 'fox-0.ts', '#EXT-X-ENDLIST'],
  );
  answers['/variants.m3u8'] = list(
    '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="en",LANGUAGE="en",DEFAULT=YES,URI="fox.m3u8"',
    '#EXT-X-STREAM-INF:BANDWIDTH=90000,CODECS="avc1.4d401e,mp4a.40.2",AUDIO="a",RESOLUTION=640x360',
    'gone.m3u8',
  );
  answers['/apart.m3u8'] = list(
    '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="en",LANGUAGE="en",DEFAULT=YES,URI="heard.m3u8"',
    '#EXT-X-STREAM-INF:BANDWIDTH=90000,CODECS="avc1.4d401e,mp4a.40.2",AUDIO="a",RESOLUTION=160x90',
    'seen.m3u8',
  );
  // The second of nine parts of six seconds, and the fourth to sixth.
  answers['/gap.m3u8'] = { type: HLS, body: text('/ts.m3u8').replace('ts-1.ts', 'no.ts') };
  answers['/gaps.m3u8'] = { type: HLS, body: text('/ts.m3u8').replace(/ts-([345]).ts/g, 'no-$1.ts') };
  const outside = `${inside.url}/segment.ts`;
  answers['/inside.m3u8'] = list('#EXTINF:3,', 'fox-0.ts', '#EXTINF:3,', outside, '#EXT-X-ENDLIST');
  answers['/inside-key.m3u8'] = list(...keyed(`${inside.url}/key`, 'secret.ts'), '#EXT-X-ENDLIST');
  answers['/inside.mpd'] = {
    type: 'application/dash+xml',
    body: text('/dash.mpd').replace('<Period', `<BaseURL>${inside.url}/</BaseURL><Period`),
  };
  answers['/file.m3u8'] = list('#EXTINF:3,', 'file:///etc/passwd', '#EXT-X-ENDLIST');
  answers['/live.m3u8'] = list('#EXTINF:3,', 'fox-0.ts');
  answers['/live.mpd'] = { type: 'text/xml', body: text('/dash.mpd').replace('"static"', '"dynamic"') };
  answers['/long.m3u8'] = { type: HLS, body: `#EXTM3U\n${'#EXT-X-NOTHING\n'.repeat(800_000)}` };
  answers['/bomb.m3u8'] = list('#EXTINF:1,\nfox-0.ts\n'.repeat(50_000), '#EXT-X-ENDLIST');
  answers['/bomb.mpd'] = { type: 'text/xml', body: text('/dash.mpd').replaceAll(/ r="\d+"/g, ' r="900000000"') };
  answers['/loop.m3u8'] = list('#EXT-X-STREAM-INF:BANDWIDTH=1', 'loop.m3u8');
  answers['/drm.m3u8'] = list('#EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://x"', '#EXTINF:3,', 'fox-0.ts', '#EXT-X-ENDLIST');
  answers['/songs.m3u8'] = { type: HLS, body: '#EXTM3U\nfox-0.ts\n' };
  answers['/typed'] = { type: 'text/plain', body: text('/fox.m3u8') };
  answers['/chapters.vtt'] = {
    type: 'text/vtt',
    body: 'WEBVTT\n\n00:00.000 --> 00:02.000\nThe fox\n\n00:02.000 --> 00:03.500\nThe bird\n',
  };
  answers['/page'] = html(
    '<title>Page</title><video><source src="/empty" type="video/mp4"><source src="/typed" type="application/x-mpegURL">' +
      '<track kind="chapters" src="chapters.vtt"></video>',
  );
  answers['/empty'] = html('<p>Sign in.</p>');
  answers['/open-graph'] = html('<meta property="og:video" content="/variants.m3u8">');
  answers['/linked'] = html(
    `<script type="application/ld+json">${JSON.stringify({ '@type': 'VideoObject', contentUrl: '/fox.m3u8' })}</script>`,
  );
}

async function extracted(operation: string, sourceUrl: string, options: object = {}): Promise<TranscriptJob> {
  const answer = await appliance.owner(`/v1/extract/${operation}`, postJson({ sourceUrl, options }));
  expect(answer.status, await answer.clone().text()).toBe(202);
  return (await finished(appliance.owner, ((await answer.json()) as { jobId: string }).jobId)) as TranscriptJob;
}

const textOf = ({ result, error }: TranscriptJob) =>
  result?.segments.map(({ text }) => text).join(' ') ?? JSON.stringify(error);

describe('a stream', () => {
  test.for([
    ['HLS in transport stream', 'ts.m3u8'],
    ['HLS in fragmented MP4', 'mp4.m3u8'],
    ['DASH', 'dash.mpd'],
  ] as const)('is read from the address of its playlist: %s', async ([, path]) => {
    const job = await extracted('video', `${site.url}/${path}`);
    expect(wordErrorRate(truth, textOf(job)), textOf(job)).toBeLessThan(0.03);
    expect(job.result?.warnings).toEqual([]);
    const { covered, media } = job.result as NonNullable<TranscriptJob['result']>;
    expect(media.durationSeconds).toBeCloseTo(covered.endSeconds, -0.5);
    expect(covered.durationSeconds).toBeGreaterThan(45);
  });

  test.for([
    ['encrypted, the number of its part as the vector', '/secret.m3u8'],
    ['in ranges of one file', '/ranges.m3u8'],
    ['with its sound as a rendition of its own', '/variants.m3u8'],
  ] as const)('is read %s', async ([, path]) => {
    const job = await extracted('video', site.url + path);
    expect(textOf(job)).toBe(FOX);
    expect(site.requests).not.toContain('/gone.m3u8');
  });

  test('is found in a page: as a source of its type after one that fails, in Open Graph and JSON-LD', async () => {
    const job = await extracted('hosted-video', `${site.url}/page`);
    expect(textOf(job)).toBe(FOX);
    expect(job.result).toMatchObject({
      video: { foundBy: 'page', title: 'Page', durationSeconds: expect.closeTo(3.5, 0) },
      chapters: [
        { title: 'The fox', startSeconds: 0, endSeconds: 2 },
        { title: 'The bird', startSeconds: 2, endSeconds: 3.5 },
      ],
    });
    for (const path of ['/open-graph', '/linked']) {
      expect(textOf(await extracted('hosted-video', site.url + path))).toBe(FOX);
    }
  });

  test.for([
    ['with its sound', 'fox.m3u8'],
    ['apart from its sound, in HLS', 'apart.m3u8'],
    ['apart from its sound, in DASH', 'dash.mpd'],
  ] as const)('gives its pictures where they are %s', async ([, path]) => {
    const options = { captureFrames: true, frameIntervalSeconds: 2 };
    const { result, error } = await extracted('video', `${site.url}/${path}`, options);
    expect(error).toBeUndefined();
    expect(result).toMatchObject({ media: { videoCodec: 'h264', audioCodec: 'aac' }, warnings: [] });
    const { frames = [], media, segments } = result as NonNullable<TranscriptJob['result']>;
    expect(frames.length).toBeGreaterThan(0);
    expect(frames.at(-1)?.seconds).toBeLessThan(media.durationSeconds);
    const heard = segments.map(({ text }) => text).join(' ');
    expect(wordErrorRate(path === 'dash.mpd' ? truth : FOX, heard)).toBeLessThan(0.03);
    // The clip begins with 0.2 s of silence, in any container.
    expect(segments[0]?.start).toBeLessThan(0.8);
  });

  test('whose pictures cannot be fetched gives its sound, and says so', async () => {
    const { result } = await extracted('video', `${site.url}/variants.m3u8`, { captureFrames: true });
    expect(result?.segments.map(({ text }) => text).join(' ')).toBe(FOX);
    expect(result?.warnings).toContainEqual(expect.stringMatching(/^Only the sound of the stream was read: .*404/));
  });

  test('whose parts are missing gives the rest at its own times, with which', async () => {
    const one = await extracted('video', `${site.url}/gap.m3u8`);
    expect(one.result?.warnings).toContainEqual(expect.stringMatching(/not be fetched: 1 of \d+ \(0:06–0:12\)/));
    const three = await extracted('video', `${site.url}/gaps.m3u8`);
    expect(three.result?.warnings).toContainEqual(expect.stringMatching(/not be fetched: 3 of \d+ \(0:18–0:36\)/));
    const whole = await extracted('video', `${site.url}/ts.m3u8`);
    for (const [job, seconds] of [
      [one, 6],
      [three, 18],
    ] as const) {
      const { covered, segments } = job.result as NonNullable<TranscriptJob['result']>;
      expect(covered.endSeconds).toBeCloseTo(whole.result?.covered.endSeconds ?? 0, 0);
      const gap = covered.endSeconds - covered.startSeconds - covered.durationSeconds;
      expect(Math.abs(gap - seconds)).toBeLessThan(0.5);
      const last = whole.result?.segments.at(-1);
      expect(segments.at(-1)?.text).toBe(last?.text);
      expect(Math.abs((segments.at(-1)?.start ?? 0) - (last?.start ?? 0))).toBeLessThan(0.5);
    }
  });
});

describe('a stream is refused', () => {
  test.for([
    ['that is live', '/live.m3u8', 'unsupported_media', /live/],
    ['that is live, in DASH', '/live.mpd', 'unsupported_media', /live/],
    ['whose playlist has no end', '/long.m3u8', 'source_too_large', /8 MB/],
    ['with too many parts', '/bomb.m3u8', 'source_too_large', /parts/],
    ['with too many parts, in DASH', '/bomb.mpd', 'source_too_large', /parts/],
    ['whose playlists lead to each other', '/loop.m3u8', 'corrupt_input', /lead to each other/],
    ['that is protected', '/drm.m3u8', 'unsupported_media', /protected/],
    ['that is a list of files', '/songs.m3u8', 'unsupported_media', /list of files/],
    ['whose parts are local files', '/file.m3u8', 'source_forbidden', /web addresses/],
  ] as const)('%s', async ([, path, code, message]) => {
    const { error } = await extracted('video', site.url + path);
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
    const hosted = await extracted('hosted-video', site.url + path);
    expect(hosted.error).toMatchObject({ code, message: expect.stringMatching(message) });
  });

  test('that is uploaded, with what to do', async () => {
    const answer = await submit(appliance, Buffer.from(answers['/fox.m3u8']?.body ?? ''), 'fox.m3u8');
    expect(answer.status).toBe(422);
    expect(await answer.json()).toMatchObject({
      code: 'unsupported_media',
      detail: expect.stringMatching(/sourceUrl/),
    });
  });

  test('that leads to an address inside, for its parts or its key, and that address is never contacted', async () => {
    const patch = (allowPrivateNetworks: boolean) =>
      appliance.owner('/admin/settings', { ...postJson({ allowPrivateNetworks }), method: 'PATCH' });
    expect((await patch(false)).status).toBe(200);
    try {
      expect(textOf(await extracted('video', 'http://streams.example/fox.m3u8'))).toBe(FOX);
      for (const path of ['inside.m3u8', 'inside-key.m3u8', 'inside.mpd']) {
        for (const operation of ['video', 'hosted-video']) {
          const { error } = await extracted(operation, `http://streams.example/${path}`);
          expect(error).toMatchObject({ code: 'source_forbidden' });
        }
      }
      expect(inside.requests).toEqual([]);
    } finally {
      await patch(true);
    }
  });
});
