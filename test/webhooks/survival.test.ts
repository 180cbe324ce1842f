import { type ChildProcess, fork } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../harness/until.ts';
import { openStage } from './stage.ts';

interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

let folder: string;
let server: Server;
let url: string;
let received: Received[];
let answer: (response: ServerResponse, count: number) => void;
const children = new Set<ChildProcess>();

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quarry survival '));
  received = [];
  answer = (response) => response.writeHead(200).end();
  server = createServer(async (request, response) => {
    const body = await Array.fromAsync(request as AsyncIterable<Buffer>);
    received.push({ headers: request.headers, body: Buffer.concat(body).toString('utf8') });
    answer(response, received.length);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
});

afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true, force: true });
});

function start(mode: 'accept' | 'answered' | 'run'): ChildProcess {
  const child = fork(join(import.meta.dirname, 'sender.ts'), [folder, url, mode]);
  children.add(child);
  return child;
}

function said(child: ChildProcess, word: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('message', (message) => (message === word ? resolve() : reject(new Error(`It said ${message}.`))));
    child.once('exit', (code) => reject(new Error(`It ended with ${code} before it said ${word}.`)));
  });
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.removeAllListeners('message');
  child.kill('SIGKILL');
  await ended;
  children.delete(child);
}

async function goAs(mode: 'accept' | 'run'): Promise<void> {
  const child = start(mode);
  await said(child, mode === 'accept' ? 'accepted' : 'settled');
  await kill(child);
}

async function deliveries() {
  const stage = await openStage({}, folder);
  try {
    return (await stage.webhooks.log.pageOfDeliveries({}, null, 10)).deliveries;
  } finally {
    await stage.webhooks.closeWebhooks();
    stage.storage.close();
  }
}

describe('kill -9', () => {
  test('between the end of the job and the sending: the delivery is made by the next process', async () => {
    await goAs('accept');
    expect(received).toHaveLength(0);
    await goAs('run');
    expect(received).toHaveLength(1);
    expect(await deliveries()).toMatchObject([{ status: 'delivered', attempts: 1 }]);
  });

  test('while the receiver has the request and has not answered: it is sent again with the same webhook-id', async () => {
    await goAs('accept');
    const arrived = new Promise<void>((resolve) => {
      answer = (response, count) => (count === 1 ? resolve() : response.writeHead(200).end());
    });
    const first = start('run');
    await arrived;
    await kill(first);
    await goAs('run');
    expect(received).toHaveLength(2);
    expect(new Set(received.map((one) => one.headers['webhook-id'])).size).toBe(1);
    expect(received[1]?.body).toBe(received[0]?.body);
    expect(await deliveries()).toMatchObject([{ status: 'delivered' }]);
  });

  test('between the answer and its record: it is sent again with the same webhook-id, never lost', async () => {
    await goAs('accept');
    const first = start('answered');
    await said(first, 'answered');
    await kill(first);
    await goAs('run');
    expect(received).toHaveLength(2);
    expect(new Set(received.map((one) => one.headers['webhook-id'])).size).toBe(1);
    expect(await deliveries()).toMatchObject([{ status: 'delivered' }]);
  });
});

test('a process that stops while a receiver is silent leaves its deliveries to the next one, at once', async () => {
  await goAs('accept');
  const stage = await openStage({}, folder);
  stage.client.answer = (_url, _count, request) =>
    new Promise((_resolve, reject) => {
      request.signal.addEventListener('abort', () => reject(new Error('The sender stopped.')));
    });
  stage.webhooks.kick();
  await until(() => stage.client.sent.length === 1);
  await stage.webhooks.closeWebhooks();
  stage.storage.close();
  const next = await openStage({}, folder);
  await next.webhooks.whenWebhooksSettled();
  expect(next.client.sent).toHaveLength(1);
  expect(next.client.sent[0]?.headers['webhook-id']).toBe(stage.client.sent[0]?.headers['webhook-id']);
  await next.close();
});
