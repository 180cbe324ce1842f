import { createHash } from 'node:crypto';
import { open, readFile, stat, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { QuarryError } from '../../../src-server/platform/errors.ts';
import type { ReadJsonBodyInput } from '../../../src-server/platform/http/json-body.ts';
import { say, tell } from '../../../src-server/platform/text/say.ts';
import { readJsonBody } from '../../../workers/json/read-json-body.ts';
import { UNWATCHED } from '../../harness/task-context.ts';
import { type BodyServer, GENEROUS, post, postJson, startBodyServer } from './body-server.ts';

let server: BodyServer;
afterEach(() => server.close());

const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');
const dataUri = (content: string, mediaType = 'text/plain') =>
  `data:${mediaType};base64,${Buffer.from(content).toString('base64')}`;

describe('a JSON body', () => {
  test('becomes the value it says', async () => {
    server = await startBodyServer();
    const outcome = await postJson(server, '{"prompt":"grüß","options":{"a":[1,{"b":null}]}}');
    expect(outcome).toEqual({ value: { prompt: 'grüß', options: { a: [1, { b: null }] } }, upload: null });
  });

  test.each(['application/json; charset=UTF-8', 'application/vnd.api+json', 'APPLICATION/JSON'])(
    'is taken as %s',
    async (type) => {
      server = await startBodyServer();
      expect(await post(server, '{"a":1}', { 'content-type': type })).toEqual({ value: { a: 1 }, upload: null });
    },
  );

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=latin1',
    'application/jsonp',
  ])('is refused as %s with unsupported_content_type', async (type) => {
    server = await startBodyServer();
    const outcome = await post(server, '{"a":1}', { 'content-type': type });
    expect(outcome.code).toBe('unsupported_content_type');
  });

  test('with a content encoding is refused, not misread', async () => {
    server = await startBodyServer();
    const outcome = await post(server, '{"a":1}', { 'content-type': 'application/json', 'content-encoding': 'gzip' });
    expect(outcome.code).toBe('unsupported_content_type');
  });

  test.each([
    ['nothing', ''],
    ['a list', '[1]'],
    ['a string', '"text"'],
    ['null', 'null'],
    ['half an object', '{"a":'],
    ['a form', 'a=1'],
    ['a hundred thousand brackets', `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['a hundred thousand open brackets', '['.repeat(100_000)],
    ['a prototype key', '{"options":{"__proto__":{"polluted":1}}}'],
  ])('of %s is a 400 about $', async (_title, body) => {
    server = await startBodyServer();
    const outcome = await postJson(server, body);
    expect(outcome.code).toBe('invalid_request');
    expect(outcome.fields?.map((field) => field.path)).toEqual(['$']);
  });

  test.each([
    ['that is cut off', '{"a":', 'ends in the middle'],
    ['with a comma too many', '{\n  "a": 1,\n}', 'line 3, column 1'],
    ['with a key that stands bare', '{a:1}', 'line 1, column 2'],
    ['with a word of another language', '{"a":NaN,"secret":"x"}', "token 'N'"],
  ])('%s is told what is wrong with it, and where', async (_title, body, told) => {
    server = await startBodyServer();
    const { message } = await postJson(server, body);
    expect(message).toContain(told);
    expect(message).not.toContain('secret');
  });

  test('that is not UTF-8 is refused instead of repaired', async () => {
    server = await startBodyServer();
    const outcome = await postJson(server, new Uint8Array([...Buffer.from('{"a":"'), 0xff, 0xfe, 0x22, 0x7d]));
    expect(outcome.fields?.[0]?.path).toBe('$');
  });

  test('over its limit is refused by its announced length, with the limit named', async () => {
    server = await startBodyServer({ ...GENEROUS, maxJsonBytes: 1024 });
    const outcome = await postJson(server, JSON.stringify({ prompt: 'x'.repeat(2000) }));
    expect(outcome.code).toBe('body_too_large');
    expect(outcome.message).toContain('1 kB');
  });

  test('of a call that takes no file is bounded by what the longest prompt takes, and says so', async () => {
    const rules = { ...GENEROUS, allowsFile: false };
    server = await startBodyServer(rules, { parseLargeJson: (input) => readJsonBody(input, UNWATCHED) });
    const escaped = '\\u5b57'.repeat(200_000);
    const outcome = await postJson(server, `{"prompt":"${escaped}"}`);
    expect(outcome.value).toEqual({ prompt: '字'.repeat(200_000) });
    const longer = await postJson(server, `{"prompt":"${escaped}${escaped}"}`);
    expect(longer).toMatchObject({ code: 'body_too_large', message: 'The JSON body is larger than 2 MB.' });
    expect(await server.files()).toEqual([]);
  });

  test('over its limit without an announced length is cut off there', async () => {
    let asked = 0;
    server = await startBodyServer(
      { ...GENEROUS, maxJsonBytes: 1024 * 1024 },
      {
        parseLargeJson: async () => {
          asked += 1;
          return { value: {}, file: null };
        },
      },
    );
    const endless = new ReadableStream({ pull: (controller) => controller.enqueue(Buffer.alloc(65_536, 0x20)) });
    const init = { method: 'POST', body: endless, duplex: 'half', headers: { 'content-type': 'application/json' } };
    const response = await fetch(server.url, init as RequestInit);
    expect(await response.json()).toMatchObject({ code: 'body_too_large' });
    expect(asked).toBe(0);
    expect(await server.files()).toEqual([]);
  });
});

describe('a data URI in file', () => {
  test('becomes a file on disk and a mark in the value', async () => {
    server = await startBodyServer();
    const outcome = await postJson(server, JSON.stringify({ file: dataUri('hello'), sourceName: 'x' }));
    const mark = `upload:${sha256('hello')}`;
    expect(outcome.value).toEqual({ file: mark, sourceName: 'x' });
    expect(outcome.upload).toMatchObject({ sizeBytes: 5, sha256: sha256('hello'), kind: 'text', fileName: null });
    expect(await server.read(basename(outcome.upload?.path ?? ''))).toEqual(Buffer.from('hello'));
  });

  test('declared as Markdown is sniffed with that hint, and others without', async () => {
    const hints: (string | null)[] = [];
    server = await startBodyServer(GENEROUS, {
      async sniff(_path, name) {
        hints.push(name);
        return { kind: 'markdown', label: 'a Markdown text' };
      },
    });
    await postJson(server, JSON.stringify({ file: dataUri('# a', 'text/markdown;charset=utf-8') }));
    await postJson(server, JSON.stringify({ file: dataUri('# a', 'text/plain') }));
    expect(hints).toEqual(['file.md', null]);
  });

  test.each([
    ['another file mark', `upload:${'0'.repeat(64)}`],
    ['a URL', 'https://example.com/a.docx'],
    ['no media type', 'data:;base64,aGVsbG8='],
    ['no base64 mark', 'data:text/plain,hello'],
    ['missing padding', 'data:text/plain;base64,aGVsbG8'],
    ['a line break', 'data:text/plain;base64,aGVs\nbG8='],
    ['the URL alphabet', 'data:text/plain;base64,-_-_'],
    ['bits after the end', 'data:text/plain;base64,aGVsbG9='],
    ['text after the padding', 'data:text/plain;base64,aGVsbG8=aGVs'],
    ['nothing', ''],
  ])('that is %s is a 400 about file', async (_title, file) => {
    server = await startBodyServer();
    const outcome = await postJson(server, JSON.stringify({ file }));
    expect(outcome.code).toBe('invalid_request');
    expect(outcome.fields?.map((field) => field.path)).toEqual(['file']);
    expect(await server.files()).toEqual([]);
  });

  test.each([
    ['broken into lines', 'data:text/plain;base64,aGVs\r\nbG8=', 'line breaks'],
    ['in the URL alphabet', 'data:text/plain;base64,-_-_', '+ and /'],
    ['percent-encoded', 'data:text/plain;base64,aGVsbG8%3D', 'percent-encoding'],
  ])('%s is told so', async (_title, file, told) => {
    server = await startBodyServer();
    expect((await postJson(server, JSON.stringify({ file }))).message).toContain(told);
  });

  test('over the file limit is body_too_large and leaves no file', async () => {
    server = await startBodyServer({ ...GENEROUS, maxFileBytes: 4 });
    expect(await postJson(server, JSON.stringify({ file: dataUri('hello') }))).toMatchObject({
      code: 'body_too_large',
    });
    expect(await server.files()).toEqual([]);
  });

  test('is left to the schema where the operation takes no file', async () => {
    server = await startBodyServer({ ...GENEROUS, allowsFile: false });
    const file = dataUri('hello');
    expect(await postJson(server, JSON.stringify({ file }))).toEqual({ value: { file }, upload: null });
    expect(await server.files()).toEqual([]);
  });

  test('leaves no file when it cannot be sniffed', async () => {
    server = await startBodyServer(GENEROUS, {
      sniff: async () => {
        throw new QuarryError('internal', say`The file could not be read.`);
      },
    });
    expect(await postJson(server, JSON.stringify({ file: dataUri('hello') }))).toMatchObject({ code: 'internal' });
    expect(await server.files()).toEqual([]);
  });
});

describe('a large JSON body', () => {
  const body = (chars: number) => JSON.stringify({ file: dataUri('x'.repeat(chars)), sourceName: 'large' });

  test('of 64 MB goes to disk unparsed and to the pool as paths', async () => {
    const text = body(48_000_000).padEnd(64 * 1024 * 1024);
    const inputs: (ReadJsonBodyInput & { bodyBytes: number; start: string })[] = [];
    server = await startBodyServer(GENEROUS, {
      async parseLargeJson(input) {
        const file = await open(input.bodyPath);
        const { buffer } = await file.read({ buffer: Buffer.alloc(30), length: 30 });
        await file.close();
        inputs.push({ ...input, bodyBytes: (await stat(input.bodyPath)).size, start: buffer.toString() });
        await writeFile(input.filePath, 'decoded');
        const file2 = { sizeBytes: 7, sha256: sha256('decoded'), mediaType: 'text/plain' };
        return { value: { file: 'moved', sourceName: 'large' }, file: file2 };
      },
    });
    const outcome = await postJson(server, text);
    expect(inputs[0]).toMatchObject({ bodyBytes: text.length, start: text.slice(0, 30), maxFileBytes: 10 * 1024 ** 2 });
    expect(outcome.value).toEqual({ file: `upload:${sha256('decoded')}`, sourceName: 'large' });
    expect(await server.files()).toEqual([basename(outcome.upload?.path ?? '')]);
    expect(await readFile(outcome.upload?.path ?? '', 'utf8')).toBe('decoded');
  });

  test('comes through the pool task as a small one does through the server', async () => {
    server = await startBodyServer(GENEROUS, { parseLargeJson: (input) => readJsonBody(input, UNWATCHED) });
    const outcome = await postJson(server, body(600_000));
    const hash = sha256('x'.repeat(600_000));
    expect(outcome.value).toEqual({ file: `upload:${hash}`, sourceName: 'large' });
    expect(outcome.upload).toMatchObject({ sizeBytes: 600_000, sha256: hash, fileName: null });
    const name = basename(outcome.upload?.path ?? '');
    expect(await server.files()).toEqual([name]);
    expect(sha256(await server.read(name))).toBe(hash);
  });

  test('leaves no file when the pool refuses it', async () => {
    server = await startBodyServer(GENEROUS, {
      async parseLargeJson(input) {
        await writeFile(input.filePath, 'half');
        throw new QuarryError('invalid_request', 'Not base64.', {
          fields: [{ path: 'file', message: tell`Not base64.` }],
        });
      },
    });
    expect((await postJson(server, body(600_000))).fields?.[0]?.path).toBe('file');
    expect(await server.files()).toEqual([]);
  });

  test('cannot bring a mark of its own', async () => {
    server = await startBodyServer(GENEROUS, {
      parseLargeJson: async () => ({ value: { file: `upload:${'0'.repeat(64)}` }, file: null }),
    });
    expect((await postJson(server, body(600_000))).fields?.[0]?.path).toBe('file');
    expect(await server.files()).toEqual([]);
  });

  test('that is no object, or nested too deep, is a 400 about $', async () => {
    let value: unknown = [];
    server = await startBodyServer(GENEROUS, { parseLargeJson: async () => ({ value, file: null }) });
    expect((await postJson(server, body(600_000))).fields?.[0]?.path).toBe('$');
    for (let depth = 0; depth < 100; depth++) value = { value };
    expect((await postJson(server, body(600_000))).fields?.[0]?.path).toBe('$');
  });
});
