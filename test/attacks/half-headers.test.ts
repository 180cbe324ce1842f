/** Issue 9, network edge 2. */
import { expect, test } from 'vitest';
import { startAppliance } from '../harness/appliance.ts';
import { startApplianceProcess } from '../harness/appliance-process.ts';
import { getFrom, openRawClient, type RawClient } from '../harness/raw-client.ts';
import { until } from '../harness/until.ts';

const HALF_HEADER = 'GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Half: ';
const ATTACKER = '127.0.0.2';
/** What exhausted a server with 1,024 descriptors. */
const SOCKETS = 968;
const DESCRIPTORS = 1024;

/** Opens connections one after the other, each with these bytes. */
async function openMany(url: string, count: number, bytes: string): Promise<RawClient[]> {
  const clients: RawClient[] = [];
  for (let index = 0; index < count; index += 1) {
    const client = await openRawClient(url, ATTACKER);
    client.socket.write(bytes);
    clients.push(client);
  }
  return clients;
}

const closeAll = (clients: readonly RawClient[]) => Promise.all(clients.map((client) => client[Symbol.asyncDispose]()));

test.each([
  ['half a header', HALF_HEADER],
  ['nothing', ''],
  ['half a second header', `GET /health HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n${HALF_HEADER}`],
])('a connection that sends %s is closed after the header timeout', async (_what, bytes) => {
  await using appliance = await startAppliance({ edge: { headersTimeoutMs: 100, timeoutCheckMs: 20 } });
  await using client = await openRawClient(appliance.url);
  client.socket.write(bytes.replace('PORT', new URL(appliance.url).port));
  await client.closed;
  expect(client.received()).toContain('The header stopped arriving before its end; send the request again.');
});

test('the header timeout leaves a slow body alone', async () => {
  await using appliance = await startAppliance({ edge: { headersTimeoutMs: 100, timeoutCheckMs: 20 } });
  const body = JSON.stringify({ file: `data:text/plain;base64,${Buffer.from('A text.').toString('base64')}` });
  const head = [
    'POST /v1/extract/doc HTTP/1.1',
    `Host: ${new URL(appliance.url).host}`,
    `Authorization: Bearer ${appliance.ownerToken}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ];
  await using slow = await openRawClient(appliance.url);
  slow.socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, 10)}`);
  // Two header timeouts, one after the other, pass meanwhile.
  for (let index = 0; index < 2; index += 1) {
    await using half = await openRawClient(appliance.url);
    half.socket.write(HALF_HEADER);
    await half.closed;
  }
  slow.socket.write(body.slice(10));
  await until(() => slow.statuses.length > 0);
  expect(slow.statuses).toEqual([202]);
});

test('with 1,024 descriptors, half headers of one address do not keep the owner or another address out', async () => {
  await using appliance = await startApplianceProcess({ descriptors: DESCRIPTORS });
  const authorization = `Bearer ${appliance.ownerToken}`;
  const clients = await openMany(appliance.url, SOCKETS, HALF_HEADER);
  try {
    for (let index = 0; index < 20; index += 1) {
      expect(await getFrom('127.0.0.1', `${appliance.url}/admin/overview`, { authorization })).toBe(200);
      expect(await getFrom('127.0.0.3', `${appliance.url}/health`)).toBe(200);
    }
  } finally {
    await closeAll(clients);
  }
});

test('over the bound of a caller its oldest idle connection closes, and never one of the owner', async () => {
  await using appliance = await startAppliance({ edge: { connections: { perCaller: 4, total: 6 } } });
  await using owner = await openRawClient(appliance.url);
  const { host } = new URL(appliance.url);
  const ownersRequest = `GET /admin/overview HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${appliance.ownerToken}\r\n\r\n`;
  owner.socket.write(ownersRequest);
  await until(() => owner.statuses.length === 1);
  const clients = await openMany(appliance.url, 8, HALF_HEADER);
  try {
    // The owner's connection is the oldest, and one of the four.
    await Promise.all(clients.slice(0, 5).map(({ closed }) => closed));
    expect(clients.slice(5).map(({ socket }) => socket.closed)).toEqual([false, false, false]);
    owner.socket.write(ownersRequest);
    await until(() => owner.statuses.length === 2);
    expect(owner.statuses).toEqual([200, 200]);
  } finally {
    await closeAll(clients);
  }
});
