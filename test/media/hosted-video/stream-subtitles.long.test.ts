/** Subtitle groups of HLS streams count as captions of the source. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Job } from '../../../src-server/features/jobs/schema.ts';
import type { Appliance } from '../../harness/appliance.ts';
import { finished } from '../../harness/jobs.ts';
import type { LocalSite } from '../../harness/local-site.ts';
import { type MediaMaker, openMediaMaker } from '../../harness/make-media.ts';
import { CLIPS, startWithSpeech } from '../../harness/speech.ts';
import { postJson } from '../../harness/text-models.ts';
import { type Answer, serveVideoSite } from '../../harness/video-site.ts';

const HLS = 'application/vnd.apple.mpegurl';

const list = (...lines: string[]): Answer => {
  return { type: HLS, body: ['#EXTM3U', '#EXT-X-TARGETDURATION:10', ...lines, ''].join('\n') };
};

const media = (name: string, uri: string, more = '') =>
  `#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="${name}",LANGUAGE="${name}",URI="${uri}"${more}`;

const master = (...groups: string[]) =>
  list(...groups, '#EXT-X-STREAM-INF:BANDWIDTH=90000,CODECS="mp4a.40.2",SUBTITLES="s"', 'fox.m3u8');

const parts = (...names: string[]) => list(...names.flatMap((name) => ['#EXTINF:2,', name]), '#EXT-X-ENDLIST');

const vtt = (map: string, ...cues: string[]): Answer => {
  return { type: 'text/vtt', body: ['WEBVTT', map, '', ...cues.flatMap((cue) => [...cue.split('|'), ''])].join('\n') };
};

const FIRST = '00:00.100 --> 00:01.900|The quick red fox';

let appliance: Appliance;
let maker: MediaMaker;
let site: LocalSite;
beforeAll(async () => {
  maker = await openMediaMaker();
  const hls = ['-f', 'hls', '-hls_time', '6', '-hls_playlist_type', 'vod'];
  const named = ['-hls_segment_filename', join(maker.folder, 'fox-%d.ts')];
  await maker.make('fox.m3u8', ['-i', join(CLIPS, '02-fox.wav'), '-c:a', 'aac', ...hls, ...named]);
  const answers: Record<string, Answer> = {
    '/fox.m3u8': { type: HLS, body: await readFile(join(maker.folder, 'fox.m3u8')) },
    '/fox-0.ts': { type: 'video/mp2t', body: await readFile(join(maker.folder, 'fox-0.ts')) },
    '/one.m3u8': master(media('fr', 'fr.m3u8', ',FORCED=YES,DEFAULT=YES'), media('en', 'en.m3u8', ',DEFAULT=YES')),
    '/moving.m3u8': master(media('en', 'moving-en.m3u8')),
    '/two.m3u8': master(media('de', 'en.m3u8'), media('it', 'en.m3u8')),
    '/missing.m3u8': master(media('en', 'gone-en.m3u8')),
    '/en.m3u8': parts('a.vtt', 'b.vtt'),
    '/gone-en.m3u8': parts('a.vtt', 'gone.vtt'),
    '/moving-en.m3u8': parts('a.vtt', 'c.vtt'),
    // A cue that reaches into the next part is in both.
    '/a.vtt': vtt('X-TIMESTAMP-MAP=MPEGTS:900000,LOCAL:00:00:00.000', FIRST, '00:01.900 --> 00:03.400|jumps over.'),
    '/b.vtt': vtt('X-TIMESTAMP-MAP=MPEGTS:900000,LOCAL:00:00:00.000', '00:01.900 --> 00:03.400|jumps over.'),
    '/c.vtt': vtt('X-TIMESTAMP-MAP=MPEGTS:1080000,LOCAL:00:00:00.000', '00:00.000 --> 00:01.400|and away.'),
  };
  appliance = await startWithSpeech();
  site = await serveVideoSite(() => answers);
});
afterAll(async () => {
  await appliance.close();
  await site[Symbol.asyncDispose]();
  await maker[Symbol.asyncDispose]();
});

interface Result {
  source: string;
  segments: { start: number; end: number; text: string }[];
}

async function extracted(path: string, options: object = {}): Promise<Result> {
  const body = postJson({ sourceUrl: site.url + path, options });
  const answer = await appliance.owner('/v1/extract/hosted-video', body);
  const { jobId } = (await answer.json()) as { jobId: string };
  const { result, error }: Job = await finished(appliance.owner, jobId);
  expect(error, JSON.stringify(error)).toBeUndefined();
  return result as unknown as Result;
}

test('those of the speech are taken once each, and not those that only translate signs', async () => {
  const { source, segments } = await extracted('/one.m3u8');
  expect(segments.map(({ text }) => text)).toEqual(['The quick red fox', 'jumps over.']);
  expect(source).toBe('captions');
});

test('parts whose clock moves on are placed by it', async () => {
  const { segments } = await extracted('/moving.m3u8');
  expect(segments.find(({ text }) => text === 'and away.')).toMatchObject({ start: 2, end: 3.4 });
});

test.for([
  ['are none of several languages where that of the speech is not known', '/two.m3u8', {}],
  ['are not taken where a part is missing', '/missing.m3u8', {}],
  ['are not taken where captions are not wanted', '/one.m3u8', { includeCaptions: false }],
] as const)('they %s', async ([, path, options]) => {
  const { source, segments } = await extracted(path, options);
  expect([source, segments.map(({ text }) => text)]).toEqual([
    'speech',
    ['The quick red fox jumps over the old bird.'],
  ]);
});
