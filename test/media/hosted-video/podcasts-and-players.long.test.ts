/** What podcasts say beside their sound, and videos in the players of other pages. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Job } from '../../../src-server/features/jobs/schema.ts';
import type { Appliance } from '../../harness/appliance.ts';
import { finished } from '../../harness/jobs.ts';
import type { LocalSite } from '../../harness/local-site.ts';
import { CLIPS, startWithSpeech } from '../../harness/speech.ts';
import { postJson } from '../../harness/text-models.ts';
import { type Answer, serveVideoSite } from '../../harness/video-site.ts';

const CUES = 'WEBVTT\n\n00:00.000 --> 00:03.500\nThe quick red fox jumps over the old bird.\n';

const feed = (origin: string, chapters: string) => `<?xml version="1.0"?>
<rss version="2.0" xmlns:podcast="https://podcastindex.org/namespace/1.0" xmlns:itunes="i">
<channel><title>Harbour talks</title><podcast:person role="Host">Ada</podcast:person>
<item><title>Foxes</title><itunes:duration>0:04</itunes:duration>
<enclosure url="${origin}/fox.wav" type="audio/wav" length="1"/>
<podcast:transcript url="/fox.vtt" type="text/vtt"/>
<podcast:chapters url="${chapters}" type="application/json+chapters"/>
${chapters === '/chapters.json' ? '<podcast:person role="guest">Ben &amp; Co</podcast:person>' : ''}
</item></channel></rss>`;

const player = (source: string) => `<title>Player</title><video src="${source}"><track src="/fox.vtt"></video>`;

const page = (inside: string) => `<html lang="en"><title>The page</title>${inside}</html>`;

const ld = (value: object) => `<script type="application/ld+json">${JSON.stringify(value)}</script>`;

let appliance: Appliance;
let site: LocalSite;
beforeAll(async () => {
  const fox = await readFile(join(CLIPS, '02-fox.wav'));
  const html = (body: string): Answer => ({ type: 'text/html', body });
  appliance = await startWithSpeech();
  site = await serveVideoSite((origin) => ({
    '/fox.wav': { type: 'audio/wav', body: fox },
    '/fox.vtt': { type: 'text/vtt', body: CUES },
    '/feed.xml': { type: 'application/rss+xml', body: feed(origin, '/chapters.json') },
    '/broken.xml': { type: 'application/rss+xml', body: feed(origin, '/fox.vtt') },
    '/chapters.json': {
      type: 'application/json+chapters',
      body: JSON.stringify({
        version: '1.2.0',
        chapters: [
          { startTime: 0, title: 'Opening' },
          { startTime: 1, toc: false },
          { startTime: 2.5, title: 'Birds' },
        ],
      }),
    },
    '/player': html(player('/fox.wav')),
    '/dead-player': html('<title>Nothing</title>'),
    '/framed': html(page('<iframe src="/map"></iframe><iframe src="/player" allowfullscreen></iframe>')),
    '/second': html(page('<iframe src="/dead-player" allowfullscreen></iframe><iframe src="/player?embed"></iframe>')),
    '/linked': html(
      page(
        ld({ '@type': 'VideoObject', name: 'Foxes', duration: 'PT4S', embedUrl: '/player', author: { name: 'Ada' } }),
      ),
    ),
    '/round': html(page('<iframe src="/round" allowfullscreen></iframe>')),
  }));
});
afterAll(async () => {
  await appliance.close();
  await site[Symbol.asyncDispose]();
});

async function extracted(path: string): Promise<Job> {
  const answer = await appliance.owner('/v1/extract/hosted-video', postJson({ sourceUrl: site.url + path }));
  expect(answer.status, await answer.clone().text()).toBe(202);
  return finished(appliance.owner, ((await answer.json()) as { jobId: string }).jobId);
}

test('a podcast names its chapters and people', async () => {
  expect((await extracted('/feed.xml')).result).toMatchObject({
    chapters: [
      { title: 'Opening', startSeconds: 0 },
      { title: 'Birds', startSeconds: 2.5 },
    ],
    video: { title: 'Foxes', people: [{ name: 'Ben & Co', role: 'guest' }] },
  });
});

test('those of all episodes stand where an episode names nobody, and a file of no chapters gives none', async () => {
  const { result } = await extracted('/broken.xml');
  expect(result).toMatchObject({ chapters: [], video: { people: [{ name: 'Ada', role: 'host' }] } });
});

test.for([
  ['in a frame', '/framed', { title: 'The page', channel: null }],
  ['in the second frame, where the first has none', '/second', { title: 'The page' }],
  [
    'that JSON-LD names, with what the page says of it',
    '/linked',
    { title: 'Foxes', channel: 'Ada', durationSeconds: 4 },
  ],
] as const)('the video of a player %s', async ([, path, video]) => {
  const { result, error } = await extracted(path);
  expect(error, JSON.stringify(error)).toBeUndefined();
  expect(result).toMatchObject({ video, segments: [{ text: 'The quick red fox jumps over the old bird.' }] });
});

test('players in players are not followed', async () => {
  const before = site.requests.length;
  expect((await extracted('/round')).error).toBeDefined();
  // The page, its player once, and what other finders ask.
  expect(site.requests.slice(before).filter((path) => path === '/round').length).toBeLessThanOrEqual(4);
});
