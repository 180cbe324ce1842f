import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createWebhookClient, type GuardedWebhookClient } from '../../src-server/platform/net/guarded-post.ts';
import { until } from '../harness/until.ts';
import { openStage } from './stage.ts';

const OWNER = { allowHttp: true, allowPrivateNetworks: true };
const STRANGER = { allowHttp: false, allowPrivateNetworks: false };

let server: Server;
let url: string;
let listener: RequestListener;
let client: GuardedWebhookClient;
let connections: number;

beforeEach(async () => {
  connections = 0;
  listener = (_request, response) => void response.writeHead(204).end();
  server = createServer((request, response) => listener(request, response)).on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  client = createWebhookClient({});
});
afterEach(async () => {
  await client.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function post(fields: Partial<Parameters<GuardedWebhookClient['post']>[1]> = {}, target = url) {
  const defaults = { policy: OWNER, timeoutMs: 10_000, maxResponseBytes: 4096, signal: new AbortController().signal };
  const headers = { 'content-type': 'application/json', 'webhook-id': 'dlv_1' };
  return client.post(target, { headers, body: Buffer.from('{}'), ...defaults, ...fields });
}

describe('an answer', () => {
  test('gives status, headers and body, and the request arrives as it was made', async () => {
    let seen: unknown;
    listener = async (request, response) => {
      const body = await Array.fromAsync(request as AsyncIterable<Buffer>);
      seen = { method: request.method, id: request.headers['webhook-id'], body: Buffer.concat(body).toString() };
      response.writeHead(202, { 'retry-after': '7' }).end('thanks');
    };
    const answer = await post();
    expect(seen).toEqual({ method: 'POST', id: 'dlv_1', body: '{}' });
    expect(answer).toMatchObject({ status: 202, headers: { 'retry-after': '7' }, truncated: false });
    expect(answer.body.toString()).toBe('thanks');
  });

  test('that never ends is cut at 4 kB and its connection closed', async () => {
    let closed = false;
    listener = (_request, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write(Buffer.alloc(1024, 'x')), 1);
      response.on('close', () => {
        clearInterval(timer);
        closed = true;
      });
    };
    const answer = await post();
    expect(answer).toMatchObject({ status: 200, truncated: true });
    expect(answer.body.length).toBe(4096);
    await until(() => closed);
  });

  test('whose body hangs counts by its status once the time is up', async () => {
    listener = (_request, response) => void response.writeHead(500).write('oops');
    const answer = await post({ timeoutMs: 1500 });
    expect(answer).toMatchObject({ status: 500, truncated: true });
    expect(answer.body.toString()).toBe('oops');
  });

  test('that does not come is a timeout, and the connection is not used again', async () => {
    listener = () => undefined;
    await expect(post({ timeoutMs: 1000 })).rejects.toMatchObject({ code: 'timeout' });
    listener = (_request, response) => void response.writeHead(204).end();
    expect((await post()).status).toBe(204);
    expect(connections).toBe(2);
  });

  test('that is a redirect comes back as it is: its target is never asked', async () => {
    let inside = 0;
    const secret = createServer((_request, response) => {
      inside += 1;
      response.end();
    });
    await new Promise<void>((resolve) => secret.listen(0, '127.0.0.1', resolve));
    const location = `http://127.0.0.1:${(secret.address() as AddressInfo).port}/`;
    listener = (_request, response) => void response.writeHead(307, { location }).end();
    expect(await post()).toMatchObject({ status: 307, headers: { location } });
    expect(inside).toBe(0);
    await new Promise((resolve) => secret.close(resolve));
  });

  test('is not waited for when the sender stops', async () => {
    listener = () => undefined;
    const stop = new AbortController();
    const waiting = post({ signal: stop.signal });
    await until(() => connections === 1);
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'cancelled' });
  });

  test('is not waited for when the client is closed, and nothing is sent after that', async () => {
    listener = () => undefined;
    const waiting = expect(post()).rejects.toMatchObject({ code: 'interrupted' });
    await until(() => connections === 1);
    await client.close();
    await waiting;
    await expect(post()).rejects.toMatchObject({ code: 'interrupted' });
    expect(connections).toBe(1);
  });

  test('does not hold up the close of a client whose connection is still being made', async () => {
    const accepted: Socket[] = [];
    const silent = createTcpServer((socket) => accepted.push(socket));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const target = `https://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
    const waiting = post({ timeoutMs: 60_000 }, target).catch((error: unknown) => error);
    await until(() => accepted.length === 1);
    // Making a connection is given up after ten seconds only.
    const heldUp = new AbortController();
    const late = setTimeout(8000, 'held up', { signal: heldUp.signal });
    expect(await Promise.race([client.close(), late])).toBeUndefined();
    heldUp.abort();
    await late.catch(() => undefined);
    expect(await waiting).toMatchObject({ code: 'interrupted' });
    for (const socket of accepted) socket.destroy();
    await new Promise((resolve) => silent.close(resolve));
  });

  test('comes to a body of megabytes, which arrives byte for byte', async () => {
    const body = Buffer.from(new SharedArrayBuffer(5_000_000)).fill('callback ');
    let received = Buffer.alloc(0);
    listener = async (request, response) => {
      received = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>));
      response.writeHead(200).end();
    };
    const asPlain = Buffer.from(body);
    for (const sent of [body, asPlain]) {
      expect((await post({ body: sent })).status).toBe(200);
      expect(received.equals(asPlain)).toBe(true);
    }
  });

  test('goes to whoever asked, though hundreds ask at once and there are fewer connections', async () => {
    listener = (request, response) => void request.resume().on('end', () => response.end(request.url));
    const paths = Array.from({ length: 400 }, (_, index) => `/hook/${index}`);
    const answers = await Promise.all(paths.map((path) => post({}, new URL(path, url).href)));
    expect(answers.map(({ body }) => body.toString())).toEqual(paths);
    expect(connections).toBeLessThanOrEqual(128);
  });

  test('of a host that takes no connection is unreachable', async () => {
    // A port that no system gives to anybody who asks for a free one.
    await expect(post({}, 'http://127.0.0.1:1/')).rejects.toMatchObject({ code: 'source_unreachable' });
  });
});

describe('what a stranger may not reach', () => {
  test.each([
    ['http', 'http://receiver.example/'],
    ['loopback', 'https://127.0.0.1/'],
    ['loopback in decimal', 'https://2130706433/'],
    ['loopback in octal', 'https://0177.0.0.1/'],
    ['loopback in IPv6', 'https://[::1]/'],
    ['loopback mapped into IPv6', 'https://[::ffff:127.0.0.1]/'],
    ['a metadata service', 'https://169.254.169.254/'],
  ])('%s: refused without a connection', async (_name, target) => {
    const tried: string[] = [];
    const guarded = createWebhookClient({
      resolver: async () => [{ address: '93.184.216.34', family: 4 }],
      connector: (to, _addresses, callback) => {
        tried.push(to.hostname);
        callback(new Error('No connection is made here.'), null);
      },
    });
    const request = { headers: {}, body: Buffer.from('{}'), policy: STRANGER, timeoutMs: 5000, maxResponseBytes: 4096 };
    const refused = guarded.post(target, { ...request, signal: new AbortController().signal });
    await expect(refused).rejects.toMatchObject({ code: 'source_forbidden' });
    expect(tried).toEqual([]);
    await guarded.close();
  });

  test.each([
    ['one private address', ['10.1.2.3']],
    ['a public and a private address', ['93.184.216.34', '127.0.0.1']],
    ['a unique-local IPv6 address', ['fd00::1']],
  ])(
    'a name that resolves to %s: each attempt is refused without a connection, and logged',
    async (_name, addresses) => {
      const tried: string[] = [];
      const guarded = createWebhookClient({
        resolver: async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
        connector: (to, _addresses, callback) => {
          tried.push(to.hostname);
          callback(null, connect((server.address() as AddressInfo).port, '127.0.0.1'));
        },
      });
      const stage = await openStage({ client: guarded });
      stage.finish(stage.accept('payer', ['https://receiver.example/hook']));
      await stage.webhooks.whenWebhooksSettled();
      const [delivery] = (await stage.webhooks.log.pageOfDeliveries({}, null, 10)).deliveries;
      expect(delivery).toMatchObject({ status: 'pending', attempts: 1, lastErrorClass: 'forbidden_target' });
      const { attemptLog } = stage.webhooks.log.deliveryWithAttempts(delivery?.deliveryId ?? '');
      expect(attemptLog[0]?.errorMessage).not.toContain(addresses[0]);
      expect([tried, connections]).toEqual([[], 0]);
      await stage.close();
      await guarded.close();
    },
  );

  test('a target that was allowed when it was registered is checked again when it is called', async () => {
    let allowed = true;
    const policyFor = () => ({ allowHttp: allowed, allowPrivateNetworks: allowed });
    const stage = await openStage({ client, policyFor });
    const job = stage.finish(stage.accept('owner'));
    await stage.webhooks.checkTargets({ accountId: 'owner' }, [{ path: 'url', url }]);
    const again = stage.accept('owner', [url]);
    allowed = false;
    stage.finish(again);
    await stage.webhooks.whenWebhooksSettled();
    expect(connections).toBe(0);
    expect((await stage.webhooks.log.pageOfDeliveries({}, null, 10)).deliveries).toMatchObject([
      { lastErrorClass: 'forbidden_target' },
    ]);
    await expect(stage.webhooks.registerOnJob('owner', job.id, { url })).rejects.toMatchObject({
      code: 'invalid_request',
    });
    await stage.close();
  });
});

describe('receivers over real sockets', () => {
  test('twenty that hang do not delay eighty that answer, all on one host', async () => {
    const answered: string[] = [];
    listener = (request, response) => {
      if (Number(request.url?.split('/').at(-1)) < 20) return;
      answered.push(request.url ?? '');
      response.writeHead(204).end();
    };
    const stage = await openStage({ client });
    const targets = Array.from({ length: 100 }, (_, index) => `${url}/${index}`);
    for (let round = 0; round < 5; round += 1) stage.finish(stage.accept('owner', targets));
    await until(() => answered.length === 400);
    // The receiver knows of its answer before the outbox does: what stays pending are the hundred that hang.
    const pending = async () =>
      (await stage.webhooks.log.pageOfDeliveries({ status: 'pending' }, null, 200)).deliveries.length;
    await until(async () => (await pending()) <= 100);
    expect(await pending()).toBe(100);
    await stage.close();
  });
});
