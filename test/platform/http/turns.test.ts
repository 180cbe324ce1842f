/** Who is answered first when more arrives than can be answered: counted in requests, never in milliseconds. */
import type { IncomingMessage, RequestListener } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { fairServer } from '../../../src-server/platform/http/server.ts';
import { until } from '../../harness/until.ts';

const UNPAID = 'POST /v1/crawl HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n';
const OWNER = 'GET /v1/jobs/1 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer owner\r\n\r\n';
const READER = 'GET /v1/jobs/2 HTTP/1.1\r\nHost: a\r\n\r\n';
const PAYER = 'POST /v1/crawl HTTP/1.1\r\nHost: a\r\nX-PAYMENT: proof\r\nContent-Length: 0\r\n\r\n';
const FLOOD = 800;

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A server that notes what it handles, in order. */
async function openServer({ atFirst, hold }: { atFirst?: () => void; hold?: (answer: () => void) => void } = {}) {
  const handled: string[] = [];
  const handle: RequestListener = (incoming, outgoing) => {
    const { method, url, headers } = incoming;
    handled.push(headers['x-payment'] === undefined ? `${method} ${url}` : 'paid');
    if (handled.length === 1) atFirst?.();
    const answer = () => void outgoing.end('ok');
    if (hold) hold(answer);
    else answer();
  };
  const isOwner = ({ headers }: { headers: { authorization?: string | undefined } }) =>
    headers.authorization === 'Bearer owner';
  const connections = { perCaller: 64, total: 64 };
  const clientAddress = ({ socket }: IncomingMessage) => socket.remoteAddress;
  const server = fairServer({}, { isOwner, clientAddress, handle, connections });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const open = async () => {
    const socket = connect({ host: '127.0.0.1', port });
    closers.push(() => socket.destroy());
    await new Promise<void>((resolve) => socket.once('connect', resolve));
    return socket;
  };
  return { handled, open };
}

function answersOf(socket: Socket): { text: string } {
  const read = { text: '' };
  socket.setEncoding('latin1').on('data', (part: string) => {
    read.text += part;
  });
  return read;
}

// Both sockets are written before the server reads either, so what it sees is the same however slow the machine is.
test("the owner's request is handled before a flood that arrived first", async () => {
  const { handled, open } = await openServer();
  const [flood, owner] = [await open(), await open()];
  flood.write(UNPAID.repeat(FLOOD));
  owner.write(OWNER);
  await until(() => handled.includes('GET /v1/jobs/1'));
  expect(handled.indexOf('GET /v1/jobs/1')).toBeLessThanOrEqual(4);
  await until(() => handled.length === FLOOD + 1);
});

test.each([
  ['a reader', READER, 'GET /v1/jobs/2'],
  ['a payer', PAYER, 'paid'],
])("%s at the flood's own address waits for a turn, not for the flood", async (_name, request, expected) => {
  const { handled, open } = await openServer();
  const [flood, other] = [await open(), await open()];
  flood.write(UNPAID.repeat(FLOOD));
  other.write(request);
  await until(() => handled.includes(expected));
  expect(handled.indexOf(expected)).toBeLessThanOrEqual(8);
  await until(() => handled.length === FLOOD + 1);
});

test('of a flood only the first piece is parsed while it waits, and nothing of it is refused', async () => {
  const held: (() => void)[] = [];
  const { handled, open } = await openServer({ hold: (answer) => held.push(answer) });
  const sockets = await Promise.all([open(), open(), open(), open()]);
  const reads = sockets.map(answersOf);
  for (const socket of sockets) socket.write(UNPAID.repeat(FLOOD));
  const other = await open();
  const answer = answersOf(other);
  other.write(READER);
  await until(() => handled.includes('GET /v1/jobs/2'));
  // Its turn came; everything of the flood that was parsed by then is one piece of each connection.
  const piece = Math.ceil(1024 / UNPAID.length);
  await until(() => held.length >= sockets.length * (piece - 1));
  expect(held.length).toBeLessThanOrEqual(sockets.length * piece + 1);
  const count = () => reads.reduce((sum, { text }) => sum + (text.match(/HTTP\/1\.1 200 /g)?.length ?? 0), 0);
  await until(() => {
    for (const release of held.splice(0)) release();
    return count() === sockets.length * FLOOD && answer.text.includes('ok');
  });
});

test('whoever hangs up while waiting is not handled any more', async () => {
  const hangUp: (() => void)[] = [];
  const { handled, open } = await openServer({
    atFirst: () => {
      for (const end of hangUp) end();
    },
  });
  const [gone, other] = [await open(), await open()];
  hangUp.push(() => gone.resetAndDestroy());
  const closed = new Promise((resolve) => gone.once('close', resolve));
  gone.write(UNPAID.repeat(FLOOD));
  await closed;
  // Its turn comes after everything that still waits: when it is answered, nothing else will be.
  other.write(UNPAID);
  const answer = answersOf(other);
  await until(() => answer.text.includes('ok'));
  expect(handled.length).toBeLessThan(FLOOD / 2);
});
