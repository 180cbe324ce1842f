/** Digests of an hour of captions: nothing has to be heard, and the text model reads them in passes. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Digest } from '../../src-server/features/fields/schema.ts';
import type { Problem } from '../../src-server/platform/http/problem.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { fileForm, finished } from '../harness/jobs.ts';
import type { LocalSite } from '../harness/local-site.ts';
import type { TranscriptJob } from '../harness/speech.ts';
import { postJson, startWithTinyModel, TINY_MODEL } from '../harness/text-models.ts';
import { startTextServer, type TextServer } from '../harness/text-server.ts';
import { serveVideoSite } from '../harness/video-site.ts';

const LINES = 360;
/** The tiny model has a context of a few sentences. */
const FEW_LINES = 4;
const LINE_SECONDS = 10;
const SUBJECTS = ['harbour dredging', 'lighthouse repairs', 'ferry timetables', 'pilot training'];
const time = (seconds: number) => new Date(seconds * 1000).toISOString().slice(11, 23);

/** A subject for each quarter of an hour. */
function lineAt(index: number): string {
  const subject = SUBJECTS[Math.floor((index / LINES) * SUBJECTS.length)];
  const task = index === 200 ? ' Maya will order the spare lamps.' : '';
  return `Remark number ${index} deals with the ${subject} of this season and its many costs.${task}`;
}

function captionsOf(lines: number): string {
  const cues = Array.from({ length: lines }, (_, index) => {
    const start = index * LINE_SECONDS;
    return `${time(start)} --> ${time(start + LINE_SECONDS)}\n${lineAt(index)}\n`;
  });
  return `WEBVTT\n\n${cues.join('\n')}`;
}

function pageOf(lines: number): string {
  const video = {
    ...{ '@context': 'https://schema.org', '@type': 'VideoObject', name: 'Port meeting', contentUrl: '/talk.mp4' },
    ...{ uploadDate: '2026-03-04T05:06:07Z', thumbnailUrl: ['/poster.jpg'], duration: `PT${lines * LINE_SECONDS}S` },
  };
  return `<!doctype html><html lang="en"><script type="application/ld+json">${JSON.stringify(video)}</script>
<video src="talk.mp4"><track kind="captions" srclang="en" src="${lines}.vtt"></video></html>`;
}

/** Answers with true and invented sentences about the passages of the prompt. */
function answerTo(prompt: string): unknown {
  const passages = prompt.split(/^\[\d+\]$/m).slice(1);
  const at = (words: string) => passages.findIndex((text) => text.includes(words)) + 1;
  const invented = { passages: [1], text: 'Bananas juggle quantum trombones.' };
  if (prompt.includes('Give the talk')) return { items: [{ passages: [1], text: 'Harbour, ferry and pilot plans' }] };
  const found = SUBJECTS.filter((subject) => at(subject) > 0);
  if (prompt.includes('action items')) {
    const text = 'Order the spare lamps.';
    const real = at('spare lamps');
    return {
      items:
        real === 0
          ? []
          : [
              { passages: [real], text, who: 'Maya' },
              { passages: [real], text: 'Spare lamps', who: 'Bob' },
            ],
    };
  }
  const items = found.map((subject) => ({ passages: [at(subject)], text: `About the ${subject}` }));
  const nowhere = { passages: [passages.length + 7], text: 'Harbour harbour harbour' };
  return { items: prompt.includes('into chapters') ? items : [...items, invented, nowhere] };
}

let textServer: TextServer;
let appliance: Appliance;
let site: LocalSite;
beforeAll(async () => {
  textServer = await startTextServer(answerTo);
  appliance = await startWithTinyModel({ knownTextServers: [textServer.url] });
  const pages = [LINES, FEW_LINES].flatMap((lines) => [
    [`/talk-${lines}`, { type: 'text/html; charset=utf-8', body: pageOf(lines) }] as const,
    [`/${lines}.vtt`, { type: 'text/vtt', body: captionsOf(lines) }] as const,
  ]);
  site = await serveVideoSite(() => Object.fromEntries(pages));
});
afterAll(async () => {
  await appliance.close();
  await textServer[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

type Talk = TranscriptJob & { result: { digest?: Digest } };

async function summarised(on: Appliance, options: object, lines = LINES): Promise<Talk> {
  const request = postJson({ sourceUrl: `${site.url}/talk-${lines}`, options });
  const { jobId } = (await (await on.owner('/v1/extract/hosted-video', request)).json()) as { jobId: string };
  return (await finished(on.owner, jobId)) as Talk;
}

async function useModel(textModel: string): Promise<void> {
  const set = await appliance.owner('/admin/settings', { ...postJson({ textModel }), method: 'PATCH' });
  expect(set.status).toBe(200);
}

/** What holds for every digest, whichever model writes it. */
function expectValid(digest: Digest, chunks: Talk['result']['chunks']): void {
  for (const { startSeconds, chunkIds } of digest.summary) {
    expect(chunks.find(({ id }) => id === chunkIds[0])?.startSeconds).toBe(startSeconds);
  }
  expect(digest.summary.length).toBeLessThanOrEqual(10);
  const ends = digest.chapters.map(({ endSeconds }) => endSeconds);
  expect(digest.chapters.map(({ startSeconds }) => startSeconds)).toEqual(
    ends.length === 0 ? [] : [0, ...ends.slice(0, -1)],
  );
  if (ends.length > 0) expect(ends.at(-1)).toBe(chunks.at(-1)?.endSeconds);
  for (const { startSeconds, endSeconds } of digest.chapters)
    expect(endSeconds - startSeconds).toBeGreaterThanOrEqual(30);
}

test('a long talk is read in passes; sentences have their second, and what the talk does not say is dropped', async () => {
  await useModel('echo');
  const { result, error } = await summarised(appliance, { digest: true });
  expect(error).toBeUndefined();
  const { digest, chunks, warnings, files } = result;
  if (digest === undefined) throw new Error('There is no digest.');
  expectValid(digest, chunks);
  expect(digest.chapters.at(-1)?.endSeconds).toBe(LINES * LINE_SECONDS);
  expect(digest.title).toBe('Harbour, ferry and pilot plans');
  const subjects = new Set(digest.summary.map(({ text }) => text));
  expect(subjects).toEqual(new Set(SUBJECTS.map((subject) => `About the ${subject}`)));
  // More than one group was read.
  expect(digest.passes).toBeGreaterThan(7);
  const lighthouse = digest.summary.find(({ text }) => text.includes('lighthouse'));
  expect(Math.abs((lighthouse?.startSeconds ?? 0) - 900)).toBeLessThan(120);
  expect(digest.actionItems).toEqual([
    { text: 'Order the spare lamps.', who: 'Maya', startSeconds: expect.any(Number) },
    { text: 'Spare lamps', who: null, startSeconds: expect.any(Number) },
  ]);
  expect(warnings).toEqual([expect.stringMatching(/^digest: .* left out, .*: \d+\.$/)]);
  expect(JSON.stringify(digest)).not.toContain('trombones');
  const file = files.find(({ name }) => name === 'digest.md');
  const markdown = await (await fetch(file?.url ?? '')).text();
  expect(markdown).toMatch(
    /^# Harbour, ferry and pilot plans\n\n## Summary\n\n- 00:00:00 About the harbour dredging\n/,
  );
  expect(markdown).toMatch(/## Action items\n\n- 00:3\d:\d\d Maya: Order the spare lamps\.\n/);
});

test('a finished job is summarised later, and again; what is no talk is refused', async () => {
  await useModel('echo');
  const { jobId, result } = await summarised(appliance, {}, FEW_LINES);
  expect(result.digest).toBeUndefined();
  const summarise = (id: string) => appliance.owner(`/admin/jobs/${id}/digest`, { method: 'POST' });
  const first = (await (await summarise(jobId)).json()) as Digest;
  expectValid(first, result.chunks);
  await useModel(TINY_MODEL);
  const answer = await summarise(jobId);
  expect(answer.status).toBe(200);
  const digest = (await answer.json()) as Digest;
  expect(digest.model).toBe(TINY_MODEL);
  expectValid(digest, result.chunks);
  const job = (await (await appliance.owner(`/v1/jobs/${jobId}`)).json()) as Talk;
  expect(job.result.digest).toEqual(digest);
  expect(job.result.files.filter(({ name }) => name === 'digest.md')).toHaveLength(1);
  expect(job.result.warnings.filter((one) => one.includes('left out')).length).toBeLessThanOrEqual(1);

  const body = fileForm('No talk.', 'note.md');
  const document = (await (await appliance.owner('/v1/extract/doc', { method: 'POST', body })).json()) as {
    jobId: string;
  };
  await finished(appliance.owner, document.jobId);
  expect((await summarise(document.jobId)).status).toBe(409);
  expect((await summarise('job_none')).status).toBe(404);
});

test('without a text model both ways say what to install, and a talk without the option does not', async () => {
  await using bare = await startAppliance({ knownTextServers: [] });
  const { jobId, status } = await summarised(bare, {}, FEW_LINES);
  expect(status).toBe('completed');
  const requests = [
    bare.owner(
      '/v1/extract/hosted-video',
      postJson({ sourceUrl: `${site.url}/talk-${LINES}`, options: { digest: true } }),
    ),
    bare.owner(`/admin/jobs/${jobId}/digest`, { method: 'POST' }),
  ];
  for (const answer of await Promise.all(requests)) {
    expect(answer.status).toBe(503);
    expect(((await answer.json()) as Problem).code).toBe('model_not_installed');
  }
});
