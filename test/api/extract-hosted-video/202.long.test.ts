import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Problem } from '../../../src-server/platform/http/problem.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { fileForm, finished } from '../../harness/jobs.ts';
import type { LocalSite } from '../../harness/local-site.ts';
import { type MediaMaker, openMediaMaker, picturesAnd } from '../../harness/make-media.ts';
import { CLIPS, startWithSpeech, type TranscriptJob } from '../../harness/speech.ts';
import { postJson } from '../../harness/text-models.ts';
import { startTextServer, type TextServer } from '../../harness/text-server.ts';
import { type Answer, serveVideoSite } from '../../harness/video-site.ts';

const HAS_YT_DLP = spawnSync('yt-dlp', ['--version']).status === 0;
const FOX = 'The quick red fox jumps over the old bird.';
const VTT = `WEBVTT

00:00:00.000 --> 00:00:02.000
<v Anna>Official <b>words</b> &amp; more.

00:00:02.000 --> 00:00:03.500
The second line.
`;
/** What a shell would run, were there one. */
const HOSTILE_TITLE = 'Fox; $(touch /tmp/pwned) `id` "quoted" ../../x';

interface HostedJob extends Omit<TranscriptJob, 'result'> {
  result:
    | (NonNullable<TranscriptJob['result']> & {
        video: Record<string, unknown>;
        chapters?: { title: string; startSeconds: number; endSeconds: number | null }[];
        source: string;
      })
    | null;
}

let appliance: Appliance;
let maker: MediaMaker;
let site: LocalSite;
let textServer: TextServer;
beforeAll(async () => {
  textServer = await startTextServer(() => ({ quote: 'the second line', passage: 1, value: 'second line' }));
  [appliance, maker] = await Promise.all([startWithSpeech({ knownTextServers: [textServer.url] }), openMediaMaker()]);
  const mp4 = await maker.make('fox.mp4', [...picturesAnd(join(CLIPS, '02-fox.wav')), '-c:v', 'mpeg4', '-c:a', 'aac']);
  const ts = await maker.make('fox.ts', [
    '-i',
    join(maker.folder, 'fox.mp4'),
    '-c:v',
    'mpeg2video',
    '-c:a',
    'copy',
    '-f',
    'mpegts',
  ]);
  // Silence, which costs the recogniser nothing, and then the fox.
  const late = await maker.make('late.mp3', ['-i', join(CLIPS, '02-fox.wav'), '-af', 'adelay=66000']);
  site = await serveVideoSite((origin) => pages(origin, mp4, ts, late));
});
afterAll(async () => {
  await appliance.close();
  await textServer[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
  await maker[Symbol.asyncDispose]();
});

const html = (body: string): Answer => ({
  type: 'text/html; charset=utf-8',
  body: `<!doctype html><html lang="en">${body}</html>`,
});
const json = (value: unknown): Answer => ({ type: 'application/json', body: JSON.stringify(value) });

function pages(origin: string, mp4: Uint8Array, ts: Uint8Array, late: Uint8Array): Record<string, Answer> {
  const object = {
    '@context': 'https://schema.org',
    '@type': 'VideoObject',
    name: HOSTILE_TITLE,
    author: { '@type': 'Person', name: 'Anna' },
    uploadDate: '2026-03-04T05:06:07Z',
    duration: 'PT3.5S',
    thumbnailUrl: ['/poster.jpg'],
    contentUrl: '/fox.mp4',
    hasPart: [
      { '@type': 'Clip', name: 'Beginning', startOffset: 0, endOffset: 2 },
      { '@type': 'Clip', name: 'End', startOffset: 2 },
    ],
  };
  const linked = `<script type="application/ld+json">${JSON.stringify(object)}</script>`;
  const talk = { ...object, duration: 'PT1M10S', contentUrl: '/late.mp3' };
  const uuid = '9c9de5e8-0a1e-484a-b099-e80766180a6d';
  const enclosure = `<enclosure url="${origin}/fox.mp4" type="video/mp4" length="1"/>`;
  return {
    '/fox.mp4': { type: 'video/mp4', body: mp4 },
    '/segment.ts': { type: 'video/mp2t', body: ts },
    '/late.mp3': { type: 'audio/mpeg', body: late },
    '/en.vtt': { type: 'text/vtt', body: VTT },
    '/captioned': html(
      `<title>Page</title>${linked}<video src="fox.mp4"><track kind="captions" srclang="en" src="en.vtt"></video>`,
    ),
    '/half.vtt': { type: 'text/vtt', body: 'WEBVTT\n\n00:00:00.000 --> 00:00:00.400\nHalf of it.\n' },
    '/half-captioned': html(
      `<script type="application/ld+json">${JSON.stringify(talk)}</script>
<audio src="late.mp3"><track kind="captions" srclang="en" src="half.vtt"></audio>`,
    ),
    '/untimed': html('<video src="fox.mp4"><track kind="captions" srclang="en" src="en.vtt"></video>'),
    '/half-untimed': html('<audio src="late.mp3"><track kind="captions" srclang="en" src="half.vtt"></audio>'),
    '/short': html(
      `<script type="application/ld+json">${JSON.stringify(object)}</script>
<video src="fox.mp4"><track kind="captions" srclang="en" src="half.vtt"></video>`,
    ),
    '/gone-media': html(
      `<script type="application/ld+json">${JSON.stringify({ ...talk, contentUrl: '/gone.mp3' })}</script>
<audio src="gone.mp3"><track kind="captions" srclang="en" src="half.vtt"></audio>`,
    ),
    '/gone-untimed': html('<audio src="gone.mp3"><track kind="captions" srclang="en" src="half.vtt"></audio>'),
    '/linked': html(`<head>${linked}</head>`),
    '/graph': html(`<meta property="og:title" content="Graph"><meta property="og:video" content="${origin}/fox.mp4">`),
    '/feed.xml': {
      type: 'application/rss+xml',
      body: `<?xml version="1.0"?><rss><channel><title>Cast</title><item><title>Newest</title>${enclosure}
<itunes:duration>0:03</itunes:duration></item><item><title>Old</title></item></channel></rss>`,
    },
    [`/w/${uuid}`]: html('<title>PeerTube</title>'),
    [`/api/v1/videos/${uuid}`]: json({
      uuid,
      name: 'Tube',
      channel: { displayName: 'Chan' },
      duration: 4,
      publishedAt: '2026-01-02T03:04:05.000Z',
      files: [{ fileUrl: `${origin}/fox.mp4`, size: 10 }],
    }),
    [`/api/v1/videos/${uuid}/captions`]: json({ data: [{ language: { id: 'en' }, captionPath: '/en.vtt' }] }),
    [`/api/v1/videos/${uuid}/chapters`]: json({
      chapters: [
        { title: 'One', timecode: 0 },
        { title: 'Two', timecode: 2 },
      ],
    }),
    '/streamed': html(
      `<title>Streamed</title><script>jwplayer("x").setup({"file": "${origin}/list.m3u8", "title": "Fox"});</script>`,
    ),
    '/list.m3u8': {
      type: 'application/vnd.apple.mpegurl',
      body: '#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:3.5,\nsegment.ts\n#EXT-X-ENDLIST\n',
    },
    '/live': html(
      `<title>Live</title><script>jwplayer("x").setup({"file": "${origin}/live.m3u8", "title": "Live"});</script>`,
    ),
    '/live.m3u8': {
      type: 'application/vnd.apple.mpegurl',
      body: '#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXT-X-MEDIA-SEQUENCE:7\n#EXTINF:3.5,\nsegment.ts\n',
    },
    '/private': { ...html('No.'), status: 403 },
    '/empty': html('<p>Words and nothing else.</p>'),
  };
}

async function submit(path: string, options: object = {}): Promise<Response> {
  return appliance.owner('/v1/extract/hosted-video', postJson({ sourceUrl: site.url + path, options }));
}

async function extracted(path: string, options: object = {}): Promise<HostedJob> {
  const answer = await submit(path, options);
  expect(answer.status).toBe(202);
  const { jobId } = (await answer.json()) as { jobId: string };
  return (await finished(appliance.owner, jobId)) as HostedJob;
}

const textOf = (job: HostedJob) => job.result?.segments.map(({ text }) => text).join(' ');

describe('a page that says where its video is', () => {
  test('gives official captions first, without markup, with who made it and its chapters', async () => {
    const before = site.requests.filter((path) => path === '/fox.mp4').length;
    const job = await extracted('/captioned');
    expect(job.error).toBeUndefined();
    expect(textOf(job)).toBe('Official words & more. The second line.');
    expect(job.result).toMatchObject({
      source: 'captions',
      video: {
        title: HOSTILE_TITLE,
        channel: 'Anna',
        publishedAt: '2026-03-04T05:06:07.000Z',
        durationSeconds: 3.5,
        thumbnailUrl: `${site.url}/poster.jpg`,
        foundBy: 'page',
      },
      chapters: [
        { title: 'Beginning', startSeconds: 0, endSeconds: 2 },
        { title: 'End', startSeconds: 2, endSeconds: null },
      ],
    });
    expect(site.requests.filter((path) => path === '/fox.mp4').length).toBe(before);
  });

  test('reads the values of a JSON Schema, each with the second of its chunk', async () => {
    const schema = { type: 'object', properties: { line: { type: 'string' } } };
    const { result } = await extracted('/captioned', { schema });
    const chunkId = (result as unknown as { chunks: { id: string }[] }).chunks[0]?.id;
    const citations = [{ chunkId, seconds: 0, quote: 'The second line' }];
    expect(result).toMatchObject({
      extracted: { data: { line: 'second line' }, fields: [{ path: '/line', value: 'second line', citations }] },
    });
  });

  test('gives raw speech recognition where captions are not wanted, and no chapters where those are not', async () => {
    const job = await extracted('/captioned', { includeCaptions: false, captureChapters: false });
    expect(textOf(job)).toBe(FOX);
    expect(job.result).toMatchObject({ source: 'speech', transcript: { engine: 'sherpa-onnx' } });
    expect(job.result).not.toHaveProperty('chapters');
  });

  test.for([
    ['JSON-LD alone', '/linked', { title: HOSTILE_TITLE, channel: 'Anna' }],
    ['Open Graph alone', '/graph', { title: 'Graph' }],
    ['the newest episode of a podcast', '/feed.xml', { title: 'Newest', channel: 'Cast', durationSeconds: 3 }],
    ['the video file itself', '/fox.mp4', { title: 'fox' }],
  ] as const)('is read from %s', async ([, path, video]) => {
    const job = await extracted(path);
    expect(textOf(job)).toBe(FOX);
    expect(job.result?.video).toMatchObject({ ...video, foundBy: 'page' });
  });

  test('is read through PeerTube’s interface, on any host and port', async () => {
    const job = await extracted('/w/9c9de5e8-0a1e-484a-b099-e80766180a6d');
    expect(textOf(job)).toContain('Official words');
    expect(job.result).toMatchObject({
      video: { title: 'Tube', channel: 'Chan', durationSeconds: 4 },
      chapters: [
        { title: 'One', startSeconds: 0 },
        { title: 'Two', startSeconds: 2 },
      ],
    });
  });
});

describe('a page that does not', () => {
  test.skipIf(!HAS_YT_DLP)(
    'is read by the real yt-dlp, whose every connection goes through the guarded proxy',
    async () => {
      const job = await extracted('/streamed');
      expect(job.error, JSON.stringify(job.error)).toBeUndefined();
      expect(textOf(job)).toBe(FOX);
      expect(job.result?.video.foundBy).toBe('yt-dlp');
      expect(site.requests).toContain('/segment.ts');
    },
  );

  test.skipIf(!HAS_YT_DLP)('and is live fails with when to send it again', async () => {
    const { error } = await extracted('/live');
    expect(error).toMatchObject({ code: 'unsupported_media', message: expect.stringContaining('live') });
  });

  test.skipIf(!HAS_YT_DLP)('and holds no video fails with what to give instead', async () => {
    const job = await extracted('/empty');
    expect(job.error).toMatchObject({ code: 'unsupported_media', attempts: 1 });
  });
});

describe('POST /extract/hosted-video', () => {
  test('fails a private video with the advice of the specification', async () => {
    const job = await extracted('/private');
    expect(job.error).toMatchObject({ code: 'source_forbidden', attempts: 1 });
    expect(job.error?.message).toMatch(/private.*\/extract\/video/);
  });

  test('fails a video that is gone', async () => {
    expect((await extracted('/nowhere')).error).toMatchObject({ code: 'source_unreachable' });
  });

  test('takes a file in place of an address', async () => {
    const body = fileForm(await readFile(join(CLIPS, '02-fox.wav')), 'fox.wav');
    const answer = await appliance.owner('/v1/extract/hosted-video', { method: 'POST', body });
    const { jobId } = (await answer.json()) as { jobId: string };
    const job = (await finished(appliance.owner, jobId)) as HostedJob;
    expect(textOf(job)).toBe(FOX);
    expect(job.result).toMatchObject({ source: 'speech', video: { foundBy: 'file', url: null } });
  });

  test('without a speech model whole captions do, captions with gaps come with a warning, and nothing else does', async () => {
    await using bare = await startAppliance();
    const ask = (path: string, options: object = {}) =>
      bare.owner('/v1/extract/hosted-video', postJson({ sourceUrl: site.url + path, options }));
    const done = async (path: string) => {
      const { jobId } = (await (await ask(path)).json()) as { jobId: string };
      return (await finished(bare.owner, jobId)) as HostedJob;
    };
    expect((await done('/captioned')).result).toMatchObject({ source: 'captions', warnings: [] });
    const { status, result } = await done('/half-captioned');
    expect({ status, source: result?.source }).toEqual({ status: 'completed', source: 'captions' });
    expect(result?.warnings).toEqual([expect.stringMatching(/leave out 70 s of 70 s, .*Install/)]);
    expect(result?.covered).toEqual({ startSeconds: 0, endSeconds: 0.4, durationSeconds: 0.4 });
    expect((await done('/untimed')).result).toMatchObject({ source: 'captions', warnings: [] });
    const untimed = await done('/half-untimed');
    expect(untimed.result?.warnings).toEqual([expect.stringMatching(/leave out (69|70) s of 70 s, .*Install/)]);
    expect((await done('/linked')).error).toMatchObject({ code: 'model_not_installed' });
    for (const options of [{ includeCaptions: false }, { transcriptionModel: 'whisper-large-v3' }]) {
      const refused = await ask('/captioned', options);
      expect(refused.status).toBe(503);
      expect(((await refused.json()) as Problem).code).toBe('model_not_installed');
    }
  });

  test.for([
    ['as the page states its length', '/half-captioned', 69],
    ['as its file states its length, where the page does not', '/half-untimed', 69],
    ['of a few seconds', '/short', 3],
  ] as const)(
    'fills the gaps of captions by listening, and says that it did: a video %s',
    async ([, path, seconds]) => {
      const job = await extracted(path);
      expect(job.error, JSON.stringify(job.error)).toBeUndefined();
      expect(job.result).toMatchObject({ source: 'captions-and-speech', warnings: [] });
      expect(textOf(job)).toMatch(/^Half of it\..*bird\.$/);
      expect(job.result?.covered.endSeconds).toBeGreaterThan(seconds);
    },
  );

  test('takes captions that are whole by the length of the file, where the page states none', async () => {
    const job = await extracted('/untimed');
    expect(job.result).toMatchObject({
      source: 'captions',
      warnings: [],
      covered: { startSeconds: 0, endSeconds: 3.5 },
    });
    expect(textOf(job)).toBe('Official words & more. The second line.');
    expect(job.result?.media.durationSeconds).toBeCloseTo(3.5, 0);
  });

  test('says what captions leave out where the video itself cannot be had', async () => {
    const known = await extracted('/gone-media');
    expect(known.result).toMatchObject({ source: 'captions', media: { durationSeconds: 70 } });
    expect(known.result?.warnings).toEqual([expect.stringMatching(/leave out 70 s of 70 s, which were not heard\. /)]);
    const unknown = await extracted('/gone-untimed');
    expect(unknown.result).toMatchObject({ source: 'captions', segments: [{ text: 'Half of it.' }] });
    expect(unknown.result?.warnings).toEqual([expect.stringMatching(/length of the video is unknown/)]);
    const raw = await extracted('/gone-media', { includeCaptions: false });
    expect(raw.error).toMatchObject({ code: 'source_unreachable' });
  });
});
