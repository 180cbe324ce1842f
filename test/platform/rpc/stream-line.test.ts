import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import { expect, test } from 'vitest';
import { QuarryError } from '../../../src-server/platform/errors.ts';
import { connectPeer as call, serveMethods } from '../../../src-server/platform/rpc/rpc.ts';
import { streamLine } from '../../../src-server/platform/rpc/stream-line.ts';
import { saidElsewhere, say } from '../../../src-server/platform/text/say.ts';

const TIMING = { beatMs: 50, leaseMs: 60_000 };

interface Doubler {
  double(bytes: Uint8Array): Promise<Uint8Array>;
  fail(): Promise<void>;
  wait(signal: AbortSignal): Promise<string>;
}

const methods: Doubler = {
  double: async (bytes) => Buffer.concat([bytes, bytes]),
  fail: async () => {
    throw new QuarryError('corrupt_input', say`It is broken.`);
  },
  wait: (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve('aborted'))),
};

async function pair(): Promise<[Socket, Socket]> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const near = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [far] = (await once(server, 'connection')) as [Socket];
  server.close();
  return [near, far];
}

const ended = (cause: unknown) => new QuarryError('engine_failed', saidElsewhere(String(cause)));

test('calls, errors and aborts cross a connection, in messages of any size and in pieces of any size', async () => {
  const [near, far] = await pair();
  serveMethods(methods, streamLine(far, TIMING));
  const peer = call<Doubler>(streamLine(near, TIMING), { ended });
  const large = Buffer.alloc(5_000_000, 'tide');
  const [small, big] = await Promise.all([peer.remote.double(Buffer.from('ebb')), peer.remote.double(large)]);
  expect(Buffer.from(small).toString()).toBe('ebbebb');
  expect(Buffer.from(big).equals(Buffer.concat([large, large]))).toBe(true);
  await expect(peer.remote.fail()).rejects.toMatchObject({ code: 'corrupt_input' });
  const abort = new AbortController();
  const waiting = peer.remote.wait(abort.signal);
  abort.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  peer.end();
  await peer.ended;
  await once(far, 'close');
});

test('messages are read from single bytes', async () => {
  const [near, far] = await pair();
  const single = new Transform({
    transform(piece: Buffer, _encoding, done) {
      for (const byte of piece) this.push(Buffer.of(byte));
      done();
    },
  });
  const heard = Promise.withResolvers<unknown>();
  streamLine(far.pipe(single), TIMING)({ onMessage: heard.resolve, onEnd: () => undefined });
  const line = streamLine(near, TIMING)({ onMessage: () => undefined, onEnd: () => undefined });
  line.send({ tide: new Uint8Array([1, 2, 3]) });
  expect(await heard.promise).toEqual({ tide: new Uint8Array([1, 2, 3]) });
  line.end();
  single.destroy();
});

test('a side that says nothing for a lease is gone; one that only beats is not', async () => {
  const [near, far] = await pair();
  const end = Promise.withResolvers<unknown>();
  const timing = { beatMs: 50, leaseMs: 400 };
  streamLine(near, timing)({ onMessage: () => undefined, onEnd: end.resolve });
  let beats = 0;
  far.on('data', () => {
    beats += 1;
    // As many beats as several leases hold, then silence.
    if (beats < 30) far.write(Buffer.alloc(4));
  });
  expect(await end.promise).toBe('The other side does not answer.');
  expect(beats).toBeGreaterThanOrEqual(30);
});

test('a message beyond the limit is refused by its sender, and ends the line of its receiver', async () => {
  const [near, far] = await pair();
  const end = Promise.withResolvers<unknown>();
  const line = streamLine(near, TIMING)({ onMessage: () => undefined, onEnd: end.resolve });
  expect(() => line.send(Buffer.alloc(129 * 1024 * 1024))).toThrow('at most 128 MB');
  far.resume().write(Buffer.from('ffffffff', 'hex'));
  expect(await end.promise).toMatchObject({ message: expect.stringContaining('too large') });
  await once(far, 'close');
});
