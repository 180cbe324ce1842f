/** What pages give that is not what they say it is, and words from times before UTF-8. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Job } from '../../../src-server/features/jobs/schema.ts';
import type { Appliance } from '../../harness/appliance.ts';
import { finished } from '../../harness/jobs.ts';
import { type LocalSite, serveWith } from '../../harness/local-site.ts';
import { CLIPS, startWithSpeech } from '../../harness/speech.ts';
import { postJson } from '../../harness/text-models.ts';

interface HostedResult {
  source: string;
  video: { title: string | null };
  segments: { text: string }[];
}

const cues = (text: string) => `1\r\n00:00:00,000 --> 00:00:03,500\r\n${text}\r\n`;
const page = (title: string, captions: string, charset = '') =>
  `<html lang="fr"><head>${charset}<title>${title}</title></head>` +
  `<video src="/fox.wav"><track kind="captions" srclang="fr" src="/${captions}"></video>`;
/** Turns the direction of what follows around: `gpj.exe` would be shown as `exe.jpg`. */
const TURNED = 'Photo \u202egpj.exe\u202c \u0007 end';

const named = (what: (number: number) => string) => Array.from({ length: 60 }, (_, number) => what(number)).join('');
const MANY =
  `<title>Many</title><video>${named((number) => `<source src="/dead-file-${number}">`)}` +
  `${named((number) => `<track kind="captions" src="/dead-captions-${number}">`)}</video>`;

let appliance: Appliance;
let site: LocalSite;
beforeAll(async () => {
  const fox = await readFile(join(CLIPS, '02-fox.wav'));
  const answers: Record<string, [type: string, body: string | Buffer]> = {
    '/fox.wav': ['audio/wav', fox],
    '/100%.wav': ['audio/wav', fox],
    '/latin.srt': ['text/plain', Buffer.from(cues('Le <i>café</i> est fermé à midi, déjà.'), 'latin1')],
    '/wide.srt': ['text/plain', Buffer.from(`\ufeff${cues('Le café est fermé.')}`, 'utf16le')],
    '/latin': ['text/html', page('Page', 'latin.srt')],
    '/wide': ['text/html', page('Page', 'wide.srt')],
    '/old-page': ['text/html', Buffer.from(page('Caf\u00e9', 'wide.srt', '<meta charset="iso-8859-1">'), 'latin1')],
    '/turned': ['text/html', page(TURNED, 'wide.srt')],
    '/many': ['text/html', MANY],
    '/sign-in.mp4': ['video/mp4', '<!doctype html><title>Sign in</title>'],
    '/data.mp4': ['video/mp4', '%PDF-1.4\n'],
    '/nothing.mp4': ['video/mp4', ''],
  };
  appliance = await startWithSpeech();
  site = await serveWith((request, response) => {
    const [type, body] = answers[request.url ?? ''] ?? [];
    response.writeHead(body === undefined ? 404 : 200, type === undefined ? {} : { 'content-type': type }).end(body);
  });
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

const resultOf = (job: Job) => (job.error === undefined ? (job.result as unknown as HostedResult) : job.error);

describe('captions are read in the encoding they were saved in', () => {
  test.for([
    ['an old one of the page’s language', '/latin', 'Le café est fermé à midi, déjà.'],
    ['sixteen bits', '/wide', 'Le café est fermé.'],
  ] as const)('%s', async ([, path, text]) => {
    expect(resultOf(await extracted(path))).toMatchObject({ source: 'captions', segments: [{ text }] });
  });
});

describe('a title', () => {
  test.for([
    ['is read in the encoding that the page declares', '/old-page', 'Café'],
    ['holds nothing that turns the text around it or writes over a terminal', '/turned', 'Photo gpj.exe end'],
    ['is the name of a file, with a sign in it that is none of an address', '/100%.wav', '100%'],
  ] as const)('%s', async ([, path, title]) => {
    expect(resultOf(await extracted(path))).toMatchObject({ video: { title } });
  });
});

describe('what an address gives under a video’s name fails at once, with what it is:', () => {
  test.for([
    ['a page', '/sign-in.mp4', { code: 'unsupported_media', attempts: 1, message: /returned a web page, not a video/ }],
    [
      'a document',
      '/data.mp4',
      { code: 'unsupported_media', attempts: 1, message: /returned a PDF document, not a video/ },
    ],
    [
      'nothing',
      '/nothing.mp4',
      { code: 'unsupported_media', attempts: 1, message: /returned an empty file, not a video/ },
    ],
  ] as const)('%s', async ([, path, { message, ...error }]) => {
    expect((await extracted(path)).error).toMatchObject({ ...error, message: expect.stringMatching(message) });
  });
});

test('of a page that names more files and captions than any has, a few are tried', { tags: ['long'] }, async () => {
  const { error } = await extracted('/many');
  expect(error?.code).toBe('source_unreachable');
  for (const kind of ['/dead-file', '/dead-captions']) {
    expect(site.requests.filter((path) => path.startsWith(kind))).toHaveLength(16);
  }
});
