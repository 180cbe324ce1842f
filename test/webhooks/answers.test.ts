import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout } from 'node:timers/promises';
import { createServer as createTlsServer, connect as tlsConnect } from 'node:tls';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createWebhookClient, type GuardedWebhookClient } from '../../src-server/platform/net/guarded-post.ts';
import { until } from '../harness/until.ts';

const OWNER = { allowHttp: true, allowPrivateNetworks: true };
const REQUEST_END = Buffer.from('\r\n\r\n{}');

let server: Server;
let origin: string;
let client: GuardedWebhookClient;
let sockets: Socket[];
/** What the receiver does once a request is there. */
let answer: (socket: Socket, count: number) => void;

beforeEach(async () => {
  sockets = [];
  server = createServer(receive);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  client = createWebhookClient({});
});
afterEach(async () => {
  await client.close();
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

function receive(socket: Socket): void {
  let count = 0;
  let asked = Buffer.alloc(0);
  sockets.push(socket.on('error', () => undefined));
  socket.on('data', (bytes) => {
    asked = Buffer.concat([asked, bytes]);
    if (asked.subarray(-REQUEST_END.length).equals(REQUEST_END)) {
      asked = Buffer.alloc(0);
      count += 1;
      answer(socket, count);
    }
  });
}

function post(headers: Record<string, string> = {}, target = origin) {
  const bounds = { policy: OWNER, timeoutMs: 10_000, maxResponseBytes: 4096, signal: new AbortController().signal };
  return client.post(target, { headers, body: Buffer.from('{}'), ...bounds });
}

/** Answers with these bytes, a few at a time, each part in a packet of its own; then closes, if it is to. */
function saying(text: string, { step, close = false }: { step: number; close?: boolean }) {
  return (socket: Socket) => {
    const bytes = Buffer.from(text, 'latin1');
    const next = (place: number) => {
      if (socket.destroyed) return;
      if (place >= bytes.length) return void (close && socket.end());
      socket.write(bytes.subarray(place, place + step), () => setImmediate(next, place + step));
    };
    socket.setNoDelay(true);
    next(0);
  };
}

const CLEAN = {
  'a length': 'HTTP/1.1 200 OK\r\ncontent-length: 6\r\nX-Mixed: \t a\t b\r\n\r\nthanks',
  'no reason and no body': 'HTTP/1.1 204\r\n\r\n',
  'a length of nothing': 'HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\n\r\n',
  'chunks with extensions and trailers':
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4;a=b\r\nwith\r\nA\r\n ten bytes\r\n0\r\nx-end: 1\r\n\r\n',
  'a header that comes twice':
    'HTTP/1.1 201 Created\r\nset-cookie: a=1\r\nSet-Cookie: b=2\r\ncontent-length: 0\r\n\r\n',
  'early hints before it':
    'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 202 Accepted\r\ncontent-length: 1\r\n\r\n!',
  'bytes beyond ASCII': 'HTTP/1.1 200 OK\r\nx-name: caf\xe9\r\ncontent-length: 2\r\n\r\n\xc3\xa9',
  'a redirect': 'HTTP/1.1 307 Temporary Redirect\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n',
  'a name that objects have':
    'HTTP/1.1 200 OK\r\nconstructor: a\r\n__proto__: b\r\nto-string: c\r\ncontent-length: 0\r\n\r\n',
};
const UNTIL_CLOSE = {
  'an end at the close': 'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\nuntil the end',
  'the old version': 'HTTP/1.0 200 OK\r\ncontent-length: 3\r\n\r\nold',
  'a wish to close': 'HTTP/1.1 200 OK\r\nconnection: foo, Close\r\ncontent-length: 2\r\n\r\nok',
};

test.each([
  ...Object.entries(CLEAN).map(([title, text]) => ({ title, text, close: false })),
  ...Object.entries(UNTIL_CLOSE).map(([title, text]) => ({ title, text, close: true })),
])('an answer with $title reads the same in whatever parts it comes', async ({ text, close }) => {
  answer = saying(text, { step: text.length, close });
  const whole = await post();
  expect(text).toContain(` ${whole.status}`);
  for (const step of [1, 7, 31]) {
    answer = saying(text, { step, close });
    expect(await post(), `parts of ${step} bytes`).toEqual(whole);
  }
});

describe('an answer that cannot be trusted is none, and its connection is given up', () => {
  test.each([
    ['no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n\r\n'],
    ['a version that there is not', 'HTTP/9.9 200 OK\r\ncontent-length: 0\r\n\r\n'],
    ['a status of two digits', 'HTTP/1.1 20 OK\r\ncontent-length: 0\r\n\r\n'],
    ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
    ['a length below nothing', 'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n'],
    ['a length beside chunks', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['a header folded over two lines', 'HTTP/1.1 200 OK\r\nx-a: b\r\n c\r\ncontent-length: 0\r\n\r\n'],
    ['a header without a name', 'HTTP/1.1 200 OK\r\n: b\r\ncontent-length: 0\r\n\r\n'],
    ['a space before the colon', 'HTTP/1.1 200 OK\r\ncontent-length : 0\r\n\r\n'],
    ['a bare line feed', 'HTTP/1.1 200 OK\r\nx-a: b\nx-b: c\r\ncontent-length: 0\r\n\r\n'],
    ['a chunk without a size', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n\r\nab\r\n0\r\n\r\n'],
    ['a chunk longer than it said', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nabc\r\n0\r\n\r\n'],
    ['a head that does not end', `HTTP/1.1 200 OK\r\n${`x-a: ${'b'.repeat(60)}\r\n`.repeat(400)}`],
  ])('%s', async (_title, text) => {
    for (const step of [Math.ceil(text.length / 8), text.length]) {
      answer = saying(text, { step });
      await expect(post(), `parts of ${step} bytes`).rejects.toMatchObject({ code: 'source_unreachable' });
    }
    await until(() => sockets.length === 2 && sockets.every((socket) => socket.destroyed));
  });

  test('more headers than are read, and that is said', async () => {
    answer = saying(`HTTP/1.1 200 OK\r\nx-a: ${'b'.repeat(20_000)}\r\ncontent-length: 0\r\n\r\n`, { step: 30_000 });
    await expect(post()).rejects.toMatchObject({
      code: 'source_unreachable',
      message: expect.stringContaining('more headers than are read'),
    });
  });

  test.each(['100 Continue', '101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: h2c'])(
    'one that begins with %j, and that is said',
    async (head) => {
      answer = saying(`HTTP/1.1 ${head}\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n`, { step: 200 });
      await expect(post()).rejects.toMatchObject({
        code: 'source_unreachable',
        message: expect.stringContaining('not asked for'),
      });
    },
  );

  test('a connection that breaks off before the end', async () => {
    for (const text of ['', 'HTTP/1.1 200 OK\r\nx-a', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nab']) {
      answer = saying(text, { step: 100, close: true });
      await expect(post()).rejects.toMatchObject({
        code: 'source_unreachable',
        message: expect.stringContaining('broke the connection off'),
      });
    }
  });
});

describe('a connection', () => {
  test.each(Object.entries(CLEAN))('carries the next request after an answer with %s', async (_title, text) => {
    answer = saying(text, { step: 9 });
    const first = await post();
    for (let round = 0; round < 5; round += 1) expect(await post()).toEqual(first);
    // One may still be busy with the end of an answer when the next request goes out.
    expect(sockets.length).toBeLessThanOrEqual(2);
  });

  test.each([
    ...Object.entries(UNTIL_CLOSE),
    ['bytes after its end', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1 500 No\r\n\r\n'],
    [
      'bytes after its last chunk',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nHTTP/1.1 500 No\r\n\r\n',
    ],
    ['a second left to live', 'HTTP/1.1 200 OK\r\nkeep-alive: timeout=1\r\ncontent-length: 0\r\n\r\n'],
    ['more than is kept', `HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n${'a'.repeat(5000)}`],
  ])('carries no other request after an answer with %s', async (title, text) => {
    answer = saying(text, { step: text.length, close: title in UNTIL_CLOSE });
    for (let round = 0; round < 2; round += 1) expect((await post()).status).toBe(200);
    expect(sockets).toHaveLength(2);
  });

  test('is not used again after its receiver said something unasked', async () => {
    answer = saying(CLEAN['a length'], { step: 100 });
    await post();
    sockets[0]?.write('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil');
    await until(() => sockets[0]?.destroyed === true);
    expect((await post()).body.toString()).toBe('thanks');
    expect(sockets).toHaveLength(2);
  });

  test('that is lost takes one request with it; those that wait for a place get their own', async () => {
    answer = (socket) => socket.destroy();
    const first = await Promise.allSettled(Array.from({ length: 200 }, () => post()));
    expect(new Set(first.map(({ status }) => status))).toEqual(new Set(['rejected']));
    expect(sockets).toHaveLength(200);
    answer = saying(CLEAN['a length'], { step: 100 });
    expect((await post()).status).toBe(200);
  });
});

describe('a kept connection that breaks off unanswered', () => {
  /** Posts once the connection of the post before is free again: it is on its way to that in this very turn. */
  async function postKept() {
    await setTimeout(20);
    return post();
  }

  test.each(['destroy', 'resetAndDestroy'] as const)('by %s gives its request to a new one', async (end) => {
    const asked: number[] = [];
    answer = (socket, count) => {
      asked.push(count);
      if (count > 1) socket[end]();
      else socket.write(CLEAN['a length']);
    };
    for (let round = 0; round < 4; round += 1) expect((await postKept()).body.toString()).toBe('thanks');
    // The second and the fourth were sent twice: on a kept connection, and on one that carries nothing else.
    expect(asked).toEqual([1, 2, 1, 1, 2, 1]);
    expect(sockets).toHaveLength(4);
  });

  test('gives it to no third one', async () => {
    answer = (socket, count) => {
      if (sockets.length === 1 && count === 1) socket.write(CLEAN['a length']);
      else socket.end();
    };
    await postKept();
    await expect(postKept()).rejects.toMatchObject({ code: 'source_unreachable' });
    expect(sockets).toHaveLength(2);
  });

  test('after the beginning of an answer has answered: the request is not sent again', async () => {
    answer = (socket, count) => {
      if (count === 1) socket.write(CLEAN['a length']);
      else socket.end('HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\ntha');
    };
    await postKept();
    await expect(postKept()).rejects.toMatchObject({ code: 'source_unreachable' });
    expect(sockets).toHaveLength(1);
  });
});

test('a header that holds a line end is not sent', async () => {
  answer = saying(CLEAN['a length'], { step: 100 });
  for (const value of ['a\r\nx-evil: 1', 'a\nb', 'a\0b']) {
    await expect(post({ 'x-a': value })).rejects.toThrow('invalid x-a header');
  }
  expect(sockets).toHaveLength(0);
});

describe('over TLS', () => {
  let folder: string;
  let key: Buffer;
  let cert: Buffer;
  let secure: ReturnType<typeof createTlsServer>;
  let target: string;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'quarry tls '));
    const paths = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')];
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    const about = ['-days', '1', '-subj', '/CN=receiver.example', '-addext', 'subjectAltName=DNS:receiver.example'];
    execFileSync('openssl', ['req', '-x509', ...kind, ...about, ...paths], { stdio: 'ignore' });
    key = readFileSync(join(folder, 'key.pem'));
    cert = readFileSync(join(folder, 'cert.pem'));
    secure = createTlsServer({ key, cert }, receive).on('tlsClientError', () => undefined);
    await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve));
    target = `https://receiver.example:${(secure.address() as AddressInfo).port}/hook`;
    answer = saying(CLEAN['a length'], { step: 100 });
  });
  afterEach(async () => {
    await client.close();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => secure.close(resolve));
    rmSync(folder, { recursive: true });
  });

  const resolver = async () => [{ address: '127.0.0.1', family: 4 }];

  test('a receiver with a certificate for its name is called by that name', async () => {
    const names: unknown[] = [];
    client = createWebhookClient({
      resolver,
      connector: ({ hostname, port }, addresses, callback) => {
        const to = { host: addresses[0]?.address, port: Number(port), servername: hostname, ca: cert };
        const socket = tlsConnect(to, () => callback(null, socket));
        names.push(hostname);
      },
    });
    for (let round = 0; round < 2; round += 1) expect((await post({}, target)).body.toString()).toBe('thanks');
    expect(new Set(names)).toEqual(new Set(['receiver.example']));
  });

  test('one whose certificate nobody vouches for is sent nothing', async () => {
    client = createWebhookClient({ resolver });
    await expect(post({}, target)).rejects.toMatchObject({
      code: 'source_unreachable',
      message: expect.stringContaining('no valid certificate'),
    });
    expect(sockets).toHaveLength(0);
  });
});

/** Whether it is closed before a timer of this thread, as late as the client's own ones are on a slow machine. */
async function isClosedWithin(milliseconds: number, socket: Socket | undefined): Promise<boolean> {
  const closed = new Promise<boolean>((resolve) => socket?.once('close', () => resolve(true)));
  const over = async () => {
    await setTimeout(milliseconds, null, { ref: false });
    // What the client closed just now comes here within a few turns.
    for (let turn = 0; turn < 100; turn += 1) await nextTurn();
    return socket?.destroyed ?? false;
  };
  return Promise.race([closed, over()]);
}

test.each([
  // Before the receiver closes it.
  { offered: 3, keptMs: 3000 },
  // Far before it does.
  { offered: 600, keptMs: 60_000 },
])('a connection is closed by itself soon after its last request, offered $offered seconds', async (kept) => {
  const head = `HTTP/1.1 200 OK\r\nkeep-alive: timeout=${kept.offered}\r\ncontent-length: 0\r\n\r\n`;
  answer = saying(head, { step: 100 });
  await post();
  expect(await isClosedWithin(kept.keptMs, sockets[0])).toBe(true);
  expect((await post()).status).toBe(200);
  expect(sockets).toHaveLength(2);
});
