import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Problem } from '../../../src-server/platform/http/problem.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { fileForm } from '../../harness/jobs.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance({ knownTextServers: [] });
});
afterAll(() => appliance.close());

/** A file with these first bytes. */
function signed(start: string): Uint8Array {
  return new Uint8Array(Buffer.from(start.padEnd(600, '\0'), 'latin1'));
}

async function refused(body: FormData | string, headers: Record<string, string> = {}): Promise<Problem> {
  const answer = await appliance.owner('/v1/extract/doc', { method: 'POST', body, headers });
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  return (await answer.json()) as Problem;
}

const json = (value: unknown) => refused(JSON.stringify(value), { 'content-type': 'application/json' });

describe('POST /extract/doc refuses with a field and a reason', () => {
  test.each([
    ['neither file nor sourceUrl', {}, 'sourceUrl'],
    ['both file and sourceUrl', { file: 'data:text/plain;base64,aGk=', sourceUrl: 'https://a.example/x' }, 'file'],
    ['a relative sourceUrl', { sourceUrl: '/etc/passwd' }, 'sourceUrl'],
    ['a file: sourceUrl', { sourceUrl: 'file:///etc/passwd' }, 'sourceUrl'],
    ['a file that is no data URI', { file: 'hello' }, 'file'],
    ['bad base64', { file: 'data:text/plain;base64,@@@@' }, 'file'],
    ['an upload mark of somebody else', { file: `upload:${'0'.repeat(64)}` }, 'file'],
    ['a number as sourceName', { sourceUrl: 'https://a.example/x', sourceName: 5 }, 'sourceName'],
    [
      'a wrong option type',
      { sourceUrl: 'https://a.example/x', options: { segmentLength: '9' } },
      'options.segmentLength',
    ],
    [
      'a segmentLength of 0',
      { sourceUrl: 'https://a.example/x', options: { segmentLength: 0 } },
      'options.segmentLength',
    ],
    ['a language that is none', { sourceUrl: 'https://a.example/x', options: { language: 'x!' } }, 'options.language'],
    ['half of a surrogate pair', { sourceUrl: 'https://a.example/x', sourceName: '\ud83d' }, 'sourceName'],
    ['an unknown webhook scheme', { sourceUrl: 'https://a.example/x', webhookUrl: 'ftp://a.example' }, 'webhookUrl'],
  ])('%s', async (_what, body, path) => {
    const problem = await json(body);
    expect(problem).toMatchObject({ status: 400, code: 'invalid_request', type: '/problems/invalid_request' });
    expect(problem.errors?.map((error) => error.path)).toContain(path);
  });

  const text = { type: 'string' };
  const deep = (levels: number): object =>
    levels === 0 ? text : { type: 'object', properties: { a: deep(levels - 1) } };
  test.each([
    ['no object', text, 'type'],
    ['no properties', { type: 'object' }, 'properties'],
    ['a pattern', { type: 'object', properties: { a: { ...text, pattern: '^(a+)+$' } } }, 'properties.a.pattern'],
    ['a default', { type: 'object', properties: { a: { ...text, default: 'x' } } }, 'properties.a.default'],
    ['two types', { type: 'object', properties: { a: { type: ['string', 'number'] } } }, 'properties.a.type'],
    ['an unknown format', { type: 'object', properties: { a: { ...text, format: 'ipv4' } } }, 'properties.a.format'],
    ['open objects', { type: 'object', properties: { a: text }, additionalProperties: true }, 'additionalProperties'],
    [
      'a reference to itself',
      { type: 'object', properties: { a: { $ref: '#/$defs/A' } }, $defs: { A: { $ref: '#/$defs/A' } } },
      'properties.a',
    ],
    [
      'a list in a list',
      { type: 'object', properties: { a: { type: 'array', items: { type: 'array', items: text } } } },
      'properties.a.items',
    ],
    ['seven levels', deep(7), 'properties.a.properties.a'],
    [
      '200 values',
      { type: 'object', properties: Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`a${at}`, text])) },
      'properties.a100',
    ],
    ['40 KB', { type: 'object', properties: { a: { ...text, description: 'x'.repeat(40_000) } } }, ''],
  ])('a schema with %s', async (_what, schema, path) => {
    const problem = await json({ sourceUrl: 'https://a.example/x', options: { schema } });
    expect(problem).toMatchObject({ status: 400, code: 'invalid_request' });
    const at = problem.errors?.[0]?.path ?? '';
    expect(at.startsWith(path === '' ? 'options.schema' : `options.schema.${path}`), at).toBe(true);
  });

  test('an unknown field, with the name that was probably meant', async () => {
    const problem = await json({ sourceUrl: 'https://a.example/x', option: {} });
    expect(problem.errors?.[0]).toMatchObject({ path: 'option', message: expect.stringContaining('options') });
  });

  test.each([
    ['broken JSON', '{"sourceUrl":'],
    ['an array', '[]'],
    ['null', 'null'],
    ['nothing', ''],
    ['ten thousand brackets', '['.repeat(10_000)],
  ])('%s', async (_what, text) => {
    expect(await refused(text, { 'content-type': 'application/json' })).toMatchObject({ status: 400 });
  });

  test('another content type, with 415', async () => {
    expect(await refused('<a/>', { 'content-type': 'text/xml' })).toMatchObject({
      status: 415,
      code: 'unsupported_content_type',
    });
  });

  test.each([
    ['an empty file', new Uint8Array(0), 'corrupt_input'],
    [
      'a video called .docx',
      signed('\0\0\0\x20ftypisom'),
      'unsupported_media',
      'an MP4 video. Send it to POST /extract/video.',
    ],
    ['a RAR archive called .docx', signed('Rar!\x1a\x07'), 'unsupported_media', 'a RAR archive.'],
    ['a Photoshop image', signed('8BPS\0'), 'unsupported_media', 'a Photoshop image.'],
    ['a program', signed('MZ\x90\0'), 'unsupported_media', 'a program.'],
    ['a document of Word 2', signed('\xdb\xa5\x2d'), 'unsupported_media', 'a Word 2 document.'],
  ])('%s, with 422 and no job', async (_what, bytes, code, detail = '') => {
    const problem = await refused(fileForm(bytes, 'report.docx'));
    expect(problem).toMatchObject({ status: 422, code, detail: expect.stringContaining(detail) });
    const list = (await (await appliance.owner('/v1/jobs')).json()) as { jobs: unknown[] };
    expect(list.jobs).toEqual([]);
  });

  test('a schema without a text model: 503 that names one to install, or a job that waits for it', async () => {
    const schema = { type: 'object', properties: { total: { type: ['number', 'null'] } } };
    const form = () => fileForm('Total: 5', 'a.txt', { options: JSON.stringify({ schema }) });
    expect(await refused(form())).toMatchObject({ status: 503, code: 'model_not_installed' });
    const prefer = { method: 'POST', body: form(), headers: { prefer: 'install=ask' } };
    const waiting = await appliance.owner('/v1/extract/doc', prefer);
    expect(waiting.status).toBe(202);
    const { jobId } = (await waiting.json()) as { jobId: string };
    expect(await (await appliance.owner(`/v1/jobs/${jobId}`)).json()).toMatchObject({ waitingFor: { need: 'text' } });
    expect((await appliance.owner(`/v1/jobs/${jobId}`, { method: 'DELETE' })).status).toBe(204);
  });
});

describe('POST /extract/doc without payment', () => {
  test('answers 402 before the body is read, whatever the body', async () => {
    const answer = await appliance.anonymous('/v1/extract/doc', { method: 'POST', body: 'not even JSON' });
    expect(answer.status).toBe(402);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const challenge = (await answer.json()) as { accepts: Record<string, unknown>[] };
    expect(challenge).toEqual({
      x402Version: 1,
      accepts: [
        {
          scheme: 'exact',
          network: 'base-sepolia',
          maxAmountRequired: '140000',
          resource: 'POST /extract/doc',
          description: 'Extract the text of a document as chunks',
          mimeType: 'application/json',
          payTo: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
          maxTimeoutSeconds: 300,
          asset: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
          extra: { name: 'USDC', version: '1' },
        },
      ],
      error: null,
    });
  });

  test('answers 401 to a wrong owner token, which is no payment either', async () => {
    const headers = { authorization: 'Bearer wrong' };
    const answer = await appliance.anonymous('/v1/extract/doc', { method: 'POST', headers });
    expect(answer.status).toBe(401);
  });
});
