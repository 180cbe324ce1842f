import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { createInterface } from 'node:readline/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { GIB, MIB } from '../../../src-server/platform/units.ts';

const UPLOAD_BYTES = 2 * GIB;
const CHUNK = Buffer.alloc(MIB, 'quarry');
const MOST_GROWTH_BYTES = 150 * MIB;
const START = '--edge\r\ncontent-disposition: form-data; name="file"; filename="a.mp4"\r\n\r\n';
const END = '\r\n--edge--\r\n';

let child: ChildProcess;
afterEach(async () => {
  const ended = once(child, 'exit');
  child.stdin?.end();
  await ended;
});

test('an upload of 2 GB grows the server by less than 150 MB', async () => {
  const script = fileURLToPath(new URL('./upload-process.ts', import.meta.url));
  child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  if (child.stdout === null) throw new Error('The server process has no output.');
  const port = Number((await once(createInterface(child.stdout), 'line'))[0]);

  // A small upload first, so that code and buffers that every upload needs are there already.
  await upload(port, 8 * MIB);
  const before = await peakBytes(port);
  const received = await upload(port, UPLOAD_BYTES);
  const growthBytes = (await peakBytes(port)) - before;

  expect(received.sizeBytes).toBe(UPLOAD_BYTES);
  expect(received.sha256).toBe(received.sentSha256);
  expect(growthBytes).toBeLessThan(MOST_GROWTH_BYTES);
});

async function upload(port: number, sizeBytes: number) {
  const hash = createHash('sha256');
  function* body(): Generator<Buffer> {
    yield Buffer.from(START);
    for (let sent = 0; sent < sizeBytes; sent += CHUNK.length) {
      hash.update(CHUNK);
      yield CHUNK;
    }
    yield Buffer.from(END);
  }
  const headers = {
    'content-type': 'multipart/form-data; boundary=edge',
    'content-length': START.length + sizeBytes + END.length,
  };
  const outgoing = request({ port, host: '127.0.0.1', method: 'POST', headers });
  const answered = once(outgoing, 'response');
  await pipeline(Readable.from(body()), outgoing);
  const [response] = await answered;
  const answer = (await response.toArray()).join('');
  return { ...(JSON.parse(answer) as { sizeBytes: number; sha256: string }), sentSha256: hash.digest('hex') };
}

async function peakBytes(port: number): Promise<number> {
  const answer = (await (await fetch(`http://127.0.0.1:${port}/`)).json()) as { peakBytes: number };
  return answer.peakBytes;
}
