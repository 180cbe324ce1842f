import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { promisify } from 'node:util';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AudioResult } from '../../src-server/features/audio/schema.ts';
import type { Job } from '../../src-server/features/jobs/schema.ts';
import { encodeWave } from '../../workers/audio/encode.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { finished } from '../harness/jobs.ts';
import { ffmpegLoudness } from '../harness/sounds.ts';
import { postJson } from '../harness/text-models.ts';

const run = promisify(execFile);
const TEXT = 'The tide turns at noon. The boats come home, and nobody gives a sign.';
const REQUEST = { model: 'tts-1', voice: 'alloy', input: TEXT } as const;
const RAW = ['-f', 's16le', '-ar', '24000', '-ac', '1'];
/** Bytes of a second of pcm. */
const SECOND = 48_000;

let appliance: Appliance;
let client: OpenAI;
let folder: string;
/** A speech server that hums a second to each sentence, once it is allowed to. */
let server: Server;
let gates: Record<string, Promise<void>> = {};
let asked: string[] = [];

function hum(seconds: number, sampleRate: number): Uint8Array {
  const channel = Float32Array.from({ length: seconds * sampleRate }, (_, at) => 0.2 * Math.sin(at / 10));
  return encodeWave({ channels: [channel], sampleRate }).bytes;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quarry speech '));
  server = createServer(async (request, response) => {
    const { input } = (await json(request)) as { input: string };
    asked.push(input);
    await gates[input];
    response.end(input.startsWith('Long') ? hum(300, 8000) : hum(1, 24_000));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  appliance = await startAppliance();
  const speechServerUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`;
  const change = { speechServerUrl, speechServerVoices: ['Ember'], speechServerModel: 'tiny' };
  expect((await appliance.owner('/admin/settings', { ...postJson(change), method: 'PATCH' })).status).toBe(200);
  client = new OpenAI({ baseURL: `${appliance.url}/openai/v1`, apiKey: appliance.ownerToken, maxRetries: 0 });
});
afterAll(async () => {
  await appliance.close();
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true, force: true });
});

interface SpeechEvent {
  type?: string;
  audio?: string;
  usage?: object;
  error?: { param: string; message: string };
}

async function* eventsOf(answer: Response): AsyncGenerator<SpeechEvent> {
  let text = '';
  for await (const piece of (answer.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
    text += piece;
    const whole = text.split('\n\n');
    text = whole.pop() ?? '';
    for (const event of whole) yield JSON.parse(event.replace(/^data: /, '')) as SpeechEvent;
  }
}

function soundOf(events: readonly SpeechEvent[]): Buffer {
  return Buffer.concat(events.map(({ audio = '' }) => Buffer.from(audio, 'base64')));
}

async function jobOf(answer: Response): Promise<Omit<Job, 'result'> & { result?: AudioResult }> {
  const job = await finished(appliance.owner, answer.headers.get('x-quarry-job-id') ?? '');
  return job as Omit<Job, 'result'> & { result?: AudioResult };
}

describe('speech', () => {
  test.each([
    ['mp3', 'mp3', 'audio/mpeg'],
    ['wav', 'pcm_s16le', 'audio/wav'],
    ['pcm', 'pcm_s16le', 'audio/pcm'],
    ['opus', 'opus', 'audio/ogg'],
    ['aac', 'aac', 'audio/aac'],
    ['flac', 'flac', 'audio/flac'],
  ] as const)('as %s plays as long as its job says, as loud as its job', async (format, codec, type) => {
    const answer = await client.audio.speech.create({ ...REQUEST, response_format: format });
    expect(answer.headers.get('content-type')).toBe(type);
    const path = join(folder, `speech.${format}`);
    await writeFile(path, Buffer.from(await answer.arrayBuffer()));
    const source = [...(format === 'pcm' ? RAW : []), '-i', path];
    const probe = ['-v', 'error', '-show_entries', 'stream=codec_name,channels', '-of', 'csv=p=0'];
    const { stdout } = await run('ffprobe', [...probe, ...(format === 'pcm' ? RAW.slice(0, 4) : []), path]);
    expect(stdout.trim()).toBe(`${codec},1`);
    const back = join(folder, `${format}.wav`);
    await run('ffmpeg', ['-v', 'error', '-y', ...source, '-map_metadata', '-1', '-fflags', '+bitexact', back]);
    const length = ['-v', 'error', '-show_entries', 'format=duration', '-of', 'csv=p=0', back];
    const seconds = Number((await run('ffprobe', length)).stdout);
    const { result } = await jobOf(answer as unknown as Response);
    expect(Math.abs(seconds - (result?.durationSeconds ?? 0))).toBeLessThan(0.12);
    expect(Math.abs((await ffmpegLoudness(back)).lufs - -16)).toBeLessThan(1.5);
  });

  test.each(['mp3', 'wav', 'pcm'] as const)('as events of %s is the sound of the body', async (format) => {
    const request = { ...REQUEST, response_format: format };
    const body = Buffer.from(await (await client.audio.speech.create(request)).arrayBuffer());
    const answer = await client.audio.speech.create({ ...request, stream_format: 'sse' });
    expect(answer.headers.get('content-type')).toContain('text/event-stream');
    const events = await Array.fromAsync(eventsOf(answer as unknown as Response));
    const usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0 };
    expect(events.at(-1)).toEqual({ type: 'speech.audio.done', usage });
    const pieces = events.slice(0, -1);
    expect(new Set(pieces.map(({ type }) => type))).toEqual(new Set(['speech.audio.delta']));
    expect(pieces.length).toBeGreaterThan(1);
    expect(soundOf(pieces).equals(body)).toBe(true);
  });

  test.each(['audio', 'sse'] as const)('arrives before its second sentence is made, as %s', async (stream_format) => {
    asked = [];
    const gate = Promise.withResolvers<void>();
    gates = { 'Second one.': gate.promise };
    const request = { ...REQUEST, voice: 'server-ember', input: 'First one. Second one.', stream_format };
    const answer = (await client.audio.speech.create({ ...request, response_format: 'pcm' })) as unknown as Response;
    const pieces: Buffer[] = [];
    const pieceOf = (event: SpeechEvent) => Buffer.from(event.audio ?? '', 'base64');
    const sound = stream_format === 'sse' ? eventsOf(answer) : (answer.body as ReadableStream<Uint8Array>);
    for await (const piece of sound) {
      pieces.push(piece instanceof Uint8Array ? Buffer.from(piece) : pieceOf(piece));
      // Until here the server has kept the second sentence back.
      gate.resolve();
    }
    expect(pieces[0]?.length).toBe(SECOND);
    expect(asked).toEqual(['First one.', 'Second one.']);
    expect(Buffer.concat(pieces).length).toBeGreaterThan(2 * SECOND);
  });

  test('ends with its client', async () => {
    const gate = Promise.withResolvers<void>();
    gates = { 'Second one.': gate.promise };
    const gone = new AbortController();
    const request = { ...REQUEST, voice: 'server-ember', input: 'First one. Second one.' };
    const answer = await client.audio.speech.create(request, { signal: gone.signal });
    const jobId = answer.headers.get('x-quarry-job-id') ?? '';
    gone.abort();
    expect(await finished(appliance.owner, jobId)).toMatchObject({ status: 'failed', error: { code: 'cancelled' } });
    gate.resolve();
  });

  test('that is too long is not taken for the whole', async () => {
    const input = 'First one. Long one.';
    const request = { ...REQUEST, voice: 'server-ember', input, response_format: 'pcm' } as const;
    const answer = await client.audio.speech.create({ ...request, stream_format: 'sse' });
    const events = await Array.fromAsync(eventsOf(answer as unknown as Response));
    expect(soundOf(events).length).toBe(SECOND);
    expect(events.at(-1)).toMatchObject({ error: { param: 'input', message: expect.stringContaining('in parts') } });
    const body = await client.audio.speech.create(request);
    await expect(body.arrayBuffer()).rejects.toThrow();
  });

  test('that cannot begin is an ordinary error', async () => {
    const sse = client.audio.speech.create({ ...REQUEST, response_format: 'opus', stream_format: 'sse' });
    await expect(sse).rejects.toMatchObject({ status: 400, param: 'stream_format' });
    const silent = client.audio.speech.create({ ...REQUEST, input: '...' });
    await expect(silent).rejects.toMatchObject({ status: 400, param: 'input' });
  });
});
