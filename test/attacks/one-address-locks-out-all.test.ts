/** Issue 9, network edge 1: counted in requests, never in milliseconds. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fairServer } from '../../src-server/platform/http/server.ts';
import { type ApplianceProcess, startApplianceProcess } from '../harness/appliance-process.ts';
import { getFrom, openRawClient, type RawClient } from '../harness/raw-client.ts';
import { until } from '../harness/until.ts';

const CONNECTIONS = 40;
const PIPELINED = 300;
const OTHERS = 30;
const ATTACKER = '127.0.0.2';
const STRANGER = '127.0.0.3';

function openFlood(url: string): Promise<RawClient[]> {
  return Promise.all(Array.from({ length: CONNECTIONS }, () => openRawClient(url, ATTACKER)));
}

async function closeAll(clients: readonly RawClient[]): Promise<void> {
  await Promise.all(clients.map((client) => client[Symbol.asyncDispose]()));
}

describe('the appliance, while 40 connections of one address pipeline 300 requests at a time', () => {
  let appliance: ApplianceProcess;
  beforeAll(async () => {
    appliance = await startApplianceProcess();
  });
  afterAll(() => appliance[Symbol.asyncDispose]());

  const host = () => `Host: ${new URL(appliance.url).host}\r\n`;
  const FLOODS: [what: string, request: () => string][] = [
    ['GET /v1/voices', () => `GET /v1/voices HTTP/1.1\r\n${host()}\r\n`],
    ['POST /v1/crawl, unpaid', () => `POST /v1/crawl HTTP/1.1\r\n${host()}Content-Length: 0\r\n\r\n`],
  ];

  test.each(FLOODS)('%s: the owner and another address are answered, none with 429', async (_what, request) => {
    const batch = request().repeat(PIPELINED);
    const clients = await openFlood(appliance.url);
    let isOver = false;
    const flooding = clients.map(async (client) => {
      for (let sent = PIPELINED; !isOver; sent += PIPELINED) {
        client.socket.write(batch);
        await until(() => isOver || client.statuses.length >= sent);
      }
    });
    try {
      const authorization = `Bearer ${appliance.ownerToken}`;
      const statuses: number[] = [];
      for (let index = 0; index < OTHERS; index += 1) {
        statuses.push(await getFrom('127.0.0.1', `${appliance.url}/v1/voices`, { authorization }));
        statuses.push(await getFrom(STRANGER, `${appliance.url}/health`));
        // The attacker's own address, as well: the owner may be on it.
        statuses.push(await getFrom(ATTACKER, `${appliance.url}/v1/voices`, { authorization }));
      }
      expect(statuses).toEqual(Array(3 * OTHERS).fill(200));
    } finally {
      isOver = true;
      await Promise.all(flooding);
      await closeAll(clients);
    }
  });
});

test('while a flood is not answered, one small piece of each of its connections is parsed, and others are answered', async () => {
  const request = 'GET /flood HTTP/1.1\r\nHost: a\r\n\r\n';
  const piece = Math.ceil(1024 / request.length);
  const held: ServerResponse[] = [];
  let isHolding = true;
  let parsed = 0;
  const handle: RequestListener = ({ url: path }, outgoing) => {
    if (isHolding && path === '/flood') held.push(outgoing);
    else outgoing.end('ok');
  };
  const isOwner = ({ url: path }: { url?: string | undefined }) => path === '/owner';
  const connections = { perCaller: 64, total: 64 };
  const clientAddress = ({ socket }: IncomingMessage) => socket.remoteAddress;
  const server = fairServer({}, { isOwner, clientAddress, handle, connections });
  server.on('request', () => {
    parsed += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clients = await openFlood(url);
  const [owner, stranger] = [await openRawClient(url, ATTACKER), await openRawClient(url, STRANGER)];
  for (const { socket } of clients) socket.write(request.repeat(PIPELINED));
  await until(() => held.length >= CONNECTIONS * (piece - 1));
  owner.socket.write('GET /owner HTTP/1.1\r\nHost: a\r\n\r\n');
  stranger.socket.write('GET /stranger HTTP/1.1\r\nHost: a\r\n\r\n');
  await until(() => owner.statuses.length + stranger.statuses.length === 2);
  expect([...owner.statuses, ...stranger.statuses]).toEqual([200, 200]);
  expect(parsed).toBeLessThanOrEqual(CONNECTIONS * piece + 2);
  // The flood is paused, not dropped.
  isHolding = false;
  for (const outgoing of held) outgoing.end('ok');
  await until(() => clients.every((client) => client.statuses.length === PIPELINED));
  expect(parsed).toBe(CONNECTIONS * PIPELINED + 2);
  await closeAll([...clients, owner, stranger]);
  server.close();
});
