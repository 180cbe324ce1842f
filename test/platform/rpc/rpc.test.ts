import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MessageChannel } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { QuarryError } from '../../../src-server/platform/errors.ts';
import { CHILD_PROGRAM_FILES, forkChildPrograms } from '../../../src-server/platform/rpc/child-process.ts';
import { portLine, threadLine } from '../../../src-server/platform/rpc/lines.ts';
import {
  connectPeer,
  OnDemand,
  type OpenLine,
  type Peer,
  serveMethods,
  transferWithMessage,
} from '../../../src-server/platform/rpc/rpc.ts';
import { say } from '../../../src-server/platform/text/say.ts';
import { until } from '../../harness/until.ts';
import type { Sample } from './sample-program.ts';

const PROGRAM = new URL('./sample-program.ts', import.meta.url);

const OPTIONS = {
  ended: (cause: unknown) => new QuarryError('engine_failed', say`It ended.`, { cause, retryable: true }),
  failed: (cause: unknown) => new QuarryError('engine_unavailable', say`It failed.`, { cause }),
};

let folder: string;
let peer: Peer<Sample>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quarry-rpc-'));
  const file = join(folder, `${CHILD_PROGRAM_FILES.speech}.ts`);
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(file, `await import(${JSON.stringify(PROGRAM.href)});`);
});
afterAll(() => rm(folder, { recursive: true }));
afterEach(async () => {
  peer.end();
  await peer.ended;
});

function process(): OpenLine {
  const start = forkChildPrograms(pathToFileURL(join(folder, 'entry.ts')));
  return (listeners) => start('speech', listeners);
}

describe.each([
  { where: 'a thread', open: () => threadLine(PROGRAM, {}) },
  { where: 'a process', open: process },
])('a call to $where', ({ where, open }) => {
  const start = (signal?: AbortSignal) => {
    peer = connectPeer<Sample>(open(), { ...OPTIONS, ...(signal === undefined ? {} : { signal }) });
    return peer.remote;
  };

  test('takes and gives typed arrays', async () => {
    expect(await start().double(Float32Array.of(1, -2.5))).toEqual(Float32Array.of(2, -5));
  });

  test('rejects with the error that was thrown on purpose: code, message, cause and fields', async () => {
    const error = await start()
      .refuse()
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(QuarryError);
    expect(error).toMatchObject({ code: 'source_too_large', message: 'Send less.', retryable: true });
    expect(error).toMatchObject({ fields: [{ path: 'options.size', message: 'It is too large.' }] });
    expect((error as Error).cause).toMatch(/^Error: 42 bytes\n/);
  });

  test('rejects with the error of its owner for any other, and the peer goes on', async () => {
    const remote = start();
    const crash = await remote.crash().catch((thrown: unknown) => thrown);
    expect(crash).toMatchObject({ code: 'engine_unavailable', message: 'It failed.' });
    expect((crash as Error).cause).toContain('A slip of the pen.');
    await expect(remote.unsendable()).rejects.toMatchObject({ code: 'engine_unavailable' });
    const unknown = remote as unknown as { constructor(): Promise<void>; toString(): Promise<void> };
    await expect(unknown.toString()).rejects.toMatchObject({ code: 'engine_unavailable' });
    expect(await remote.aborted()).toBe(0);
  });

  test('that cannot be sent rejects, and leaves nothing open', async () => {
    const remote = start();
    const unsendable = { buffer: () => undefined } as unknown as Float32Array;
    await expect(remote.double(unsendable)).rejects.toThrow(/could not be cloned/);
    expect(await remote.aborted()).toBe(0);
  });

  test('sends pieces no faster than its caller takes them, in order', async () => {
    const abort = new AbortController();
    const taken: number[] = [];
    let running = 0;
    const take = async (number: number) => {
      running += 1;
      expect(running).toBe(1);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      taken.push(number);
      if (number === 20) abort.abort(new Error('Enough.'));
    };
    await expect(start().count(take, abort.signal)).rejects.toThrow('Enough.');
    expect(taken).toEqual(Array.from({ length: 21 }, (_, number) => number));
  });

  test('settles after the last of its progress', async () => {
    const reported: number[] = [];
    const report = async (number: number) => {
      await new Promise((resolve) => setImmediate(resolve));
      reported.push(number);
    };
    expect(await start().report(50, report)).toBe('reported');
    expect(reported).toHaveLength(50);
  });

  test('whose callback throws stops, and rejects with what was thrown', async () => {
    const remote = start();
    const slip = new Error('The caller slipped.');
    const taken: number[] = [];
    const throwing = (number: number) => {
      taken.push(number);
      throw slip;
    };
    await expect(remote.count(throwing, new AbortController().signal)).rejects.toBe(slip);
    await expect(remote.report(5, throwing)).rejects.toBe(slip);
    expect(taken).toEqual([0, 0]);
  });

  test('aborts on the other side, and rejects with the reason; one that was aborted before is not made', async () => {
    const remote = start();
    const abort = new AbortController();
    const [first, second] = [remote.hang(abort.signal), remote.hang(new AbortController().signal)];
    second.catch(() => undefined);
    const reason = new Error('Not needed any more.');
    abort.abort(reason);
    await expect(first).rejects.toBe(reason);
    expect(await remote.aborted()).toBe(1);
    await expect(remote.hang(abort.signal)).rejects.toBe(reason);
    expect(await remote.aborted()).toBe(1);
  });

  test('that is open when the peer dies rejects, and so does a later one', async () => {
    const remote = start();
    const open = Promise.allSettled([remote.hang(new AbortController().signal), remote.die()]);
    for (const { status, reason } of (await open) as PromiseRejectedResult[]) {
      expect(status).toBe('rejected');
      expect(reason).toMatchObject({ code: 'engine_failed', retryable: true });
    }
    await peer.ended;
    expect(peer.isEnded).toBe(true);
    await expect(remote.aborted()).rejects.toMatchObject({ code: 'engine_failed' });
    expect(await start().aborted()).toBe(0);
  });

  test('rejects with the reason of the signal that ends its peer', async () => {
    const abort = new AbortController();
    const reason = new Error('The task was cancelled.');
    const hanging = start(abort.signal).hang(new AbortController().signal);
    abort.abort(reason);
    await expect(hanging).rejects.toBe(reason);
    await expect(peer.remote.aborted()).rejects.toBe(reason);
    expect(() => start(abort.signal)).toThrow(reason);
  });

  test('moves the buffers that it is told to, where the two share memory', async () => {
    const remote = start();
    const buffer = new ArrayBuffer(16);
    const { lengths, moved } = await remote.move(transferWithMessage(buffer, [buffer]));
    expect(lengths).toEqual([16, 8]);
    expect(moved.byteLength).toBe(8);
    const isMoved = where === 'a thread';
    expect(buffer.byteLength).toBe(isMoved ? 0 : 16);
    expect(await remote.kept()).toBe(isMoved ? 0 : 8);
  });
});

describe('a peer', () => {
  test('that cannot be started is one that has ended', async () => {
    peer = connectPeer<Sample>(threadLine(new URL('http://127.0.0.1/no-thread'), {}), OPTIONS);
    expect(peer.isEnded).toBe(true);
    await expect(peer.remote.aborted()).rejects.toMatchObject({ code: 'engine_failed' });
  });

  test('whose owner names no error for it throws `internal`', async () => {
    peer = connectPeer<Sample>(threadLine(PROGRAM, {}), { ended: OPTIONS.ended });
    const crash = await peer.remote.crash().catch((thrown: unknown) => thrown);
    expect(crash).toMatchObject({ code: 'internal', cause: expect.stringContaining('A slip of the pen.') });
  });

  test('that does not end within the time it has is left to itself, and its calls reject', async () => {
    const deaf = new URL(`data:text/javascript,${encodeURIComponent('setInterval(() => undefined, 10_000);')}`);
    peer = connectPeer<Sample>(threadLine(deaf, {}, { graceMs: 10 }), OPTIONS);
    const call = peer.remote.aborted();
    peer.end();
    await expect(call).rejects.toMatchObject({ code: 'engine_failed' });
    expect(peer.isEnded).toBe(true);
  });

  test('that sends anything fails its calls, and nothing else', async () => {
    const garbage = [null, 1, 'text', {}, { kind: 'callback' }, { kind: 'returned', id: 99 }, { kind: 'threw', id: 1 }];
    const calls = [
      { kind: 'callback', id: 2, run: 1, place: 7, args: [] },
      { kind: 'callback', id: 2, run: 2, place: 0, args: 5 },
      { kind: 'threw', id: 2, error: { code: 'no such code', message: 'Boo.' } },
    ];
    const silly: OpenLine = ({ onMessage, onEnd }) => ({
      send: () => setImmediate(() => [...garbage, ...calls].forEach(onMessage)),
      end: () => onEnd('Ended.'),
    });
    peer = connectPeer<Sample>(silly, OPTIONS);
    const [first, second] = [peer.remote.crash(), peer.remote.report(1, () => undefined)];
    await expect(first).rejects.toMatchObject({ code: 'engine_unavailable' });
    await expect(second).rejects.toThrow(/not a function/);
  });

  test('that ends runs no callback that has not begun', async () => {
    const begun: number[] = [];
    const gate = Promise.withResolvers<void>();
    peer = connectPeer<Sample>(threadLine(PROGRAM, {}), OPTIONS);
    const { remote } = peer;
    const taking = remote.flood(3, (number) => {
      begun.push(number);
      return gate.promise;
    });
    await until(() => begun.length === 1);
    await expect(remote.die()).rejects.toMatchObject({ code: 'engine_failed' });
    await expect(taking).rejects.toMatchObject({ code: 'engine_failed' });
    gate.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    expect(begun).toEqual([0]);
  });

  test('that is started on demand is started by the first call, and again by the next after its end', async () => {
    const thread = new OnDemand<Sample>(threadLine(PROGRAM, {}), OPTIONS);
    await thread.closePeer();
    expect(thread.unansweredCallCount).toBe(0);
    const dying = thread.remoteMethods.die();
    expect(thread.unansweredCallCount).toBe(1);
    await expect(dying).rejects.toMatchObject({ code: 'engine_failed' });
    await thread.remoteMethods.hang(AbortSignal.timeout(1)).catch(() => undefined);
    expect(await thread.remoteMethods.aborted()).toBe(1);
    expect(thread.unansweredCallCount).toBe(0);
    await thread.closePeer();
    expect(await thread.remoteMethods.aborted()).toBe(0);
    await thread.closePeer();
  });

  test('stops its calls and releases what it holds when its owner has ended', async () => {
    const { port1, port2 } = new MessageChannel();
    let signalled = false;
    let released = false;
    const methods = {
      wait: (signal: AbortSignal) =>
        new Promise<void>((resolve) => {
          signal.addEventListener('abort', () => {
            signalled = true;
            resolve();
          });
        }),
    };
    serveMethods(methods, portLine(port1), () => {
      released = true;
    });
    const owner = connectPeer<typeof methods>(portLine(port2), OPTIONS);
    const waiting = owner.remote.wait(new AbortController().signal);
    owner.end();
    await expect(waiting).rejects.toMatchObject({ code: 'engine_failed' });
    await until(() => signalled && released);
    peer = connectPeer<Sample>(threadLine(PROGRAM, {}), OPTIONS);
  });
});
