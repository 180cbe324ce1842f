import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { MIB } from '../../../src-server/platform/units.ts';
import { type BodyServer, GENEROUS, post, startBodyServer } from './body-server.ts';

let server: BodyServer;
afterEach(() => server.close());

const sha256 = (content: string) => createHash('sha256').update(content).digest('hex');

function form(fields: Record<string, string>, file?: { content: string; name: string }): FormData {
  const data = new FormData();
  for (const [name, text] of Object.entries(fields)) data.append(name, text);
  if (file) data.append('file', new Blob([file.content]), file.name);
  return data;
}

/** A form as bytes, for shapes that FormData does not make. */
function rawForm(parts: { headers: string; content: string }[], end = '--edge--\r\n'): string {
  return parts.map(({ headers, content }) => `--edge\r\n${headers}\r\n\r\n${content}\r\n`).join('') + end;
}
const RAW = { 'content-type': 'multipart/form-data; boundary=edge' };

describe('a form', () => {
  test('with a file becomes the value that JSON would have', async () => {
    server = await startBodyServer();
    const fields = { sourceName: 'née', webhookUrl: 'https://a.example/', options: '{"segmentLength":500}' };
    const outcome = await post(server, form(fields, { content: 'hello', name: 'a b.docx' }));
    expect(outcome.value).toEqual({
      sourceName: 'née',
      webhookUrl: 'https://a.example/',
      options: { segmentLength: 500 },
      file: `upload:${sha256('hello')}`,
    });
    expect(outcome.upload).toMatchObject({ fileName: 'a b.docx', sizeBytes: 5, sha256: sha256('hello') });
    expect(await server.read(basename(outcome.upload?.path ?? ''))).toEqual(Buffer.from('hello'));
  });

  test('without a file is taken too', async () => {
    server = await startBodyServer();
    const outcome = await post(server, form({ sourceUrl: 'https://a.example/b.docx' }));
    expect(outcome).toEqual({ value: { sourceUrl: 'https://a.example/b.docx' }, upload: null });
  });

  test('takes options as dotted or bracketed fields, beside an options object', async () => {
    server = await startBodyServer();
    const fields = {
      options: '{"language":"en"}',
      'options.segmentLength': '500',
      'options[includeComments]': 'true',
      'options.note': '007',
      'options[frame][interval]': '1.5',
    };
    const outcome = await post(server, form(fields));
    expect(outcome.value).toEqual({
      options: { language: 'en', segmentLength: 500, includeComments: true, note: '007', frame: { interval: 1.5 } },
    });
  });

  test('takes options as a part of JSON, which FormData names like a file', async () => {
    server = await startBodyServer();
    const data = form({}, { content: 'hello', name: 'a.docx' });
    data.append('options', new Blob(['{"segmentLength":500}'], { type: 'application/json' }));
    const outcome = await post(server, data);
    expect(outcome.value).toEqual({ options: { segmentLength: 500 }, file: `upload:${sha256('hello')}` });
    expect(await server.files()).toHaveLength(1);
  });

  test('with a file field that was left alone counts as one without a file', async () => {
    server = await startBodyServer();
    const headers =
      'content-disposition: form-data; name="file"; filename=""\r\ncontent-type: application/octet-stream';
    const outcome = await post(server, rawForm([{ headers, content: '' }]), RAW);
    expect(outcome).toEqual({ value: {}, upload: null });
    expect(await server.files()).toEqual([]);
  });

  test('keeps only the last part of the name a client gives its file', async () => {
    server = await startBodyServer();
    const headers = 'content-disposition: form-data; name="file"; filename="..\\\\..\\\\etc/../pass\u202ewd.txt"';
    const outcome = await post(server, rawForm([{ headers, content: 'x' }]), RAW);
    expect(outcome.upload?.fileName).toBe('passwd.txt');
  });

  test('is refused where the operation takes no file', async () => {
    server = await startBodyServer({ ...GENEROUS, allowsFile: false });
    expect((await post(server, form({}, { content: 'x', name: 'x' }))).code).toBe('unsupported_content_type');
  });

  test('without a boundary is a 400', async () => {
    server = await startBodyServer();
    expect((await post(server, 'x', { 'content-type': 'multipart/form-data' })).code).toBe('invalid_request');
  });
});

describe('a form is refused, naming the field and leaving no file, when', () => {
  const disposition = (name: string, fileName?: string) =>
    `content-disposition: form-data; name="${name}"${fileName === undefined ? '' : `; filename="${fileName}"`}`;
  const file = { headers: disposition('file', 'a.txt'), content: 'hello' };
  const cases: [string, string, { headers: string; content: string }[]][] = [
    ['a second file comes', 'file', [file, file]],
    ['the file has another name', 'document', [{ headers: disposition('document', 'a.txt'), content: 'x' }]],
    ['a file follows under another name', 'other', [file, { headers: disposition('other', 'a'), content: 'x' }]],
    ['file is a text field', 'file', [{ headers: disposition('file'), content: `upload:${'0'.repeat(64)}` }]],
    ['a field is given twice', 'sourceName', Array(2).fill({ headers: disposition('sourceName'), content: 'x' })],
    ['options is no JSON', 'options', [{ headers: disposition('options'), content: '{' }]],
    ['options is a list', 'options', [{ headers: disposition('options'), content: '[]' }]],
    ['a name is __proto__', '__proto__', [{ headers: disposition('__proto__'), content: 'x' }]],
    ['an option is __proto__', 'options.__proto__.a', [{ headers: disposition('options.__proto__.a'), content: 'x' }]],
    [
      'an option in JSON is nested absurdly deep',
      '$',
      [{ headers: disposition('options'), content: `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}` }],
    ],
    [
      'an option in JSON is __proto__',
      'options.__proto__',
      [{ headers: disposition('options'), content: '{"__proto__":{"a":1}}' }],
    ],
    [
      'an option is constructor',
      'options.constructor',
      [{ headers: disposition('options[constructor]'), content: 'x' }],
    ],
    [
      'an option is whole and in parts',
      'options.a',
      [
        { headers: disposition('options.a'), content: '1' },
        { headers: disposition('options.a.b'), content: '1' },
      ],
    ],
    ['a field is too large', 'sourceName', [{ headers: disposition('sourceName'), content: 'x'.repeat(70_000) }]],
    [
      'there are too many fields',
      '$',
      Array.from({ length: 50 }, (_, i) => ({
        headers: disposition(`field${i}`),
        content: 'x',
      })),
    ],
    ['a part has no name', '$', [{ headers: 'content-disposition: form-data', content: 'x' }]],
  ];

  test.each(cases)('%s', async (_title, path, parts) => {
    server = await startBodyServer();
    const outcome = await post(server, rawForm([file, ...parts].slice(parts[0] === file ? 1 : 0)), RAW);
    expect(outcome.code).toBe('invalid_request');
    const [field] = outcome.fields ?? [];
    expect(path.startsWith(field?.path ?? 'nothing')).toBe(true);
    expect(await server.files()).toEqual([]);
  });

  test('the closing boundary is missing', async () => {
    server = await startBodyServer();
    const outcome = await post(server, rawForm([{ ...file, content: 'x'.repeat(200_000) }], ''), RAW);
    expect(outcome.code).toBe('invalid_request');
    expect(await server.files()).toEqual([]);
  });

  test('it is cut off at any byte', async () => {
    server = await startBodyServer();
    const note = { headers: disposition('sourceName'), content: 'a note' };
    const whole = rawForm([note, file, { headers: disposition('options.a'), content: '1' }], '--edge--');
    expect((await post(server, whole, RAW)).upload?.sizeBytes).toBe(5);
    for (const name of await server.files()) await server.uploads.discard({ path: server.pathOf(name) });
    const taken: number[] = [];
    for (let length = 1; length < whole.length; length++) {
      const outcome = await post(server, whole.slice(0, length), RAW);
      if (outcome.code !== 'invalid_request') taken.push(length);
    }
    expect(taken).toEqual([]);
    expect(await server.files()).toEqual([]);
  });

  test('it breaks off inside a skipped part, or before any part', async () => {
    server = await startBodyServer();
    for (const body of ['--edge', '--edge\r\n', 'no boundary at all', '--edge\r\nx: y\r\n\r\nabc', '--edge--']) {
      const outcome = await post(server, body, RAW);
      if (body === '--edge--') expect(outcome).toEqual({ value: {}, upload: null });
      else expect(outcome.code).toBe('invalid_request');
    }
    expect(await server.files()).toEqual([]);
  });
});

describe('an upload', () => {
  test('over its limit by its announced length is refused before it is read', async () => {
    server = await startBodyServer({ ...GENEROUS, maxFileBytes: MIB });
    const outcome = await post(server, form({}, { content: 'x'.repeat(6 * MIB), name: 'x' }));
    expect(outcome).toMatchObject({ code: 'body_too_large' });
    expect(outcome.message).toContain('1 MB');
  });

  test('over its limit is answered while the client still sends, and the connection ends soon', async () => {
    server = await startBodyServer({ ...GENEROUS, maxFileBytes: MIB });
    const { answer, sentBytes } = await sendEndlessForm(server.port);
    expect(answer).toContain('body_too_large');
    expect(sentBytes).toBeGreaterThan(MIB);
    expect(await server.files()).toEqual([]);
  });

  test('just under its limit is taken, one byte more is not', async () => {
    server = await startBodyServer({ ...GENEROUS, maxFileBytes: 1000 });
    const fits = await post(server, form({}, { content: 'x'.repeat(1000), name: 'x' }));
    expect(fits.upload?.sizeBytes).toBe(1000);
    await server.uploads.discard(fits.upload ?? { path: '' });
    const over = await post(server, form({}, { content: 'x'.repeat(1001), name: 'x' }));
    expect(over).toMatchObject({ code: 'body_too_large', fields: [{ path: 'file' }] });
    expect(await server.files()).toEqual([]);
  });

  test('that is complete is removed when a later part of its form is refused', async () => {
    server = await startBodyServer();
    const received = Promise.withResolvers<void>();
    const receive = server.uploads.receive;
    server.uploads.receive = async (...parts) => {
      const file = await receive(...parts);
      received.resolve();
      return file;
    };
    const first = '--edge\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nhello\r\n--edge\r\n';
    const second = 'content-disposition: form-data; name="file"; filename="b"\r\n\r\nhello\r\n--edge--\r\n';
    const socket = connect(server.port, '127.0.0.1');
    const head = `POST / HTTP/1.1\r\nhost: a\r\ncontent-type: ${RAW['content-type']}\r\n`;
    socket.write(`${head}content-length: ${first.length + second.length}\r\n\r\n${first}`);
    await received.promise;
    expect(await server.files()).toHaveLength(1);
    socket.write(second);
    expect((await server.last()).fields?.[0]?.path).toBe('file');
    expect(await server.files()).toEqual([]);
    socket.destroy();
  });

  test('that the client aborts leaves no file', async () => {
    server = await startBodyServer();
    const socket = connect(server.port, '127.0.0.1');
    const part = 'content-disposition: form-data; name="file"; filename="a"';
    socket.write(
      `POST / HTTP/1.1\r\nhost: a\r\ncontent-type: ${RAW['content-type']}\r\ncontent-length: 9000000\r\n\r\n`,
    );
    socket.write(`--edge\r\n${part}\r\n\r\n${'x'.repeat(300_000)}`);
    while ((await server.files()).length === 0) await sleep(5);
    socket.destroy();
    expect(await server.last()).toMatchObject({ code: 'invalid_request' });
    expect(await server.files()).toEqual([]);
  });

  test('that stops in the middle is given up after a silence', async () => {
    server = await startBodyServer({ ...GENEROUS, idleTimeoutMs: 100 });
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => undefined);
    const part = 'content-disposition: form-data; name="file"; filename="a"';
    socket.write(
      `POST / HTTP/1.1\r\nhost: a\r\ncontent-type: ${RAW['content-type']}\r\ncontent-length: 9000000\r\n\r\n`,
    );
    socket.write(`--edge\r\n${part}\r\n\r\nxxx`);
    const outcome = await server.last();
    expect(outcome.message).toContain('stopped arriving');
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.resume();
    await closed;
    expect(await server.files()).toEqual([]);
  });

  test('that is refused while it is sent is read on, so that the answer arrives', async () => {
    server = await startBodyServer({ ...GENEROUS, maxFileBytes: 10_000 });
    const socket = connect(server.port, '127.0.0.1');
    const head = `POST / HTTP/1.1\r\nhost: a\r\ncontent-type: ${RAW['content-type']}\r\n`;
    const bad = `--edge\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n${'x'.repeat(70_000)}`;
    const piece = Buffer.alloc(200_000, 'x');
    const pieces = 10;
    socket.write(`${head}content-length: ${bad.length + pieces * piece.length}\r\n\r\n${bad}`);
    const cut: string[] = [];
    socket.on('error', (error) => cut.push(error.message));
    // Longer in all than the adapter reads on by itself.
    for (let sent = 0; sent < pieces; sent += 1) {
      await sleep(100);
      socket.write(piece);
    }
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 400 .*too_large/s);
    expect(cut).toEqual([]);
    socket.destroy();
  });

  test('that another form follows on the same connection is read after a refused one', async () => {
    server = await startBodyServer();
    const refused = await post(server, form({ file: 'x' }));
    const taken = await post(server, form({ a: 'b' }));
    expect([refused.code, taken.value]).toEqual(['invalid_request', { a: 'b' }]);
  });
});

/** Sends a form without end, in chunks, until the server ends the connection. */
function sendEndlessForm(port: number): Promise<{ answer: string; sentBytes: number }> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    const content = Buffer.alloc(65_536, 'x');
    socket.on('data', (chunk) => (answer += chunk.toString()));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve({ answer, sentBytes: socket.bytesWritten }));
    const send = () => {
      while (!socket.destroyed && socket.write(`${content.length.toString(16)}\r\n${content}\r\n`));
    };
    const part = '--edge\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n';
    const head = `POST / HTTP/1.1\r\nhost: a\r\ncontent-type: ${RAW['content-type']}\r\n`;
    socket.write(`${head}transfer-encoding: chunked\r\n\r\n${part.length.toString(16)}\r\n${part}\r\n`);
    socket.on('drain', send);
    send();
  });
}
