/** A cancelled job ends at once in whatever stage it is, and so does what it had started. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Appliance } from '../harness/appliance.ts';
import { childrenLike, niceOf } from '../harness/child-processes.ts';
import { installEndless } from '../harness/endless-program.ts';
import { finished } from '../harness/jobs.ts';
import { type MediaMaker, openMediaMaker } from '../harness/make-media.ts';
import { CLIPS, GGML_MODEL, installSpeechModel, ONNX_MODEL, startWithSpeech, submit } from '../harness/speech.ts';
import { until } from '../harness/until.ts';

const WAIT_MS = 120_000;
const DRIP_MS = 50;

let maker: MediaMaker;
let talk: Buffer;
beforeAll(async () => {
  maker = await openMediaMaker();
  talk = await maker.make('talk.flac', ['-i', join(CLIPS, '08-long.mp3'), '-ar', '16000']);
});
afterAll(() => maker[Symbol.asyncDispose]());

async function cancelled(appliance: Appliance, jobId: string): Promise<void> {
  expect((await appliance.owner(`/v1/jobs/${jobId}`, { method: 'DELETE' })).status).toBe(204);
  expect((await finished(appliance.owner, jobId, WAIT_MS)).error).toMatchObject({ code: 'cancelled' });
}

test('while an address drips a byte at a time: the connection is closed', { timeout: WAIT_MS }, async () => {
  await using appliance = await startWithSpeech();
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'video/mp4' });
    const timer = setInterval(() => response.write('x'), DRIP_MS);
    response.on('close', () => clearInterval(timer));
  }).listen(0, '127.0.0.1');
  try {
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const asked = once(server, 'request');
    const answer = await appliance.owner('/v1/extract/video', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ sourceUrl: `http://127.0.0.1:${port}/talk.mp4` }),
    });
    expect(answer.status, await answer.clone().text()).toBe(202);
    const [, response] = await asked;
    const closed = once(response, 'close');
    await cancelled(appliance, ((await answer.json()) as { jobId: string }).jobId);
    await closed;
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

describe.skipIf(process.platform !== 'linux')('while a program works that would never end:', () => {
  test.for([
    ['ffmpeg', ONNX_MODEL],
    ['whisper-cli', GGML_MODEL],
  ] as const)(
    '%s is ended, and stood back for the server',
    { timeout: WAIT_MS },
    async ([program, transcriptionModel]) => {
      await using appliance = await startWithSpeech();
      await installSpeechModel(appliance, GGML_MODEL);
      const path = await installEndless(appliance.dataDir, program);
      const accepted = await submit(appliance, talk, 'talk.flac', { transcriptionModel });
      expect(accepted.status).toBe(202);
      await until(() => childrenLike(path).length > 0, WAIT_MS);
      const [pid] = childrenLike(path);
      await until(() => niceOf(pid ?? 0) === 10);
      await cancelled(appliance, ((await accepted.json()) as { jobId: string }).jobId);
      await until(() => childrenLike(path).length === 0, WAIT_MS);
    },
  );
});
