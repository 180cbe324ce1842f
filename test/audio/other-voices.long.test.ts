import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AudioResult, Voice } from '../../src-server/features/audio/schema.ts';
import type { Job } from '../../src-server/features/jobs/schema.ts';
import type { Problem } from '../../src-server/platform/http/problem.ts';
import { encodeWave } from '../../workers/audio/encode.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { finished } from '../harness/jobs.ts';
import { readWave } from '../harness/sounds.ts';
import { postJson } from '../harness/text-models.ts';

const TONES = join(import.meta.dirname, '../fixtures/models/tones-voice');
const FOX = 'The quick red fox jumps over the old bird. The fox sleeps.';
const KEY = 'a-key-that-nobody-may-see';

type AudioJob = Omit<Job, 'result'> & { result?: AudioResult };

async function speak(appliance: Appliance, request: object): Promise<AudioJob> {
  const answer = await appliance.owner('/v1/generate/audio', postJson(request));
  const body = (await answer.json()) as { jobId: string } & Problem;
  expect(answer.status, body.detail).toBe(202);
  return (await finished(appliance.owner, body.jobId)) as AudioJob;
}

async function voices(appliance: Appliance): Promise<Voice[]> {
  return (await (await appliance.anonymous('/v1/voices')).json()) as Voice[];
}

async function soundOf(appliance: Appliance, job: AudioJob): Promise<Awaited<ReturnType<typeof readWave>>> {
  const path = join(tmpdir(), `${job.jobId}.wav`);
  const url = new URL(job.result?.audio.wav.url ?? '');
  await writeFile(path, Buffer.from(await (await appliance.owner(url.pathname)).arrayBuffer()));
  return readWave(path);
}

async function captionsOf(appliance: Appliance, job: AudioJob): Promise<string> {
  return (await appliance.owner(new URL(job.result?.captions?.vtt ?? '').pathname)).text();
}

async function sampleOf(appliance: Appliance, slug: string): Promise<Buffer> {
  const sample = await appliance.anonymous(`/v1/voices/samples/${slug}.wav`);
  expect(sample.status).toBe(200);
  return Buffer.from(await sample.arrayBuffer());
}

/** Names of the files that samples are kept in. */
function samplesKept(appliance: Appliance): Promise<string[]> {
  return readdir(join(appliance.dataDir, 'voices'));
}

describe('a neural voice of the models folder', () => {
  let appliance: Appliance;
  beforeAll(async () => {
    appliance = await startAppliance();
    const models = join(appliance.dataDir, 'models');
    await mkdir(models, { recursive: true });
    await cp(TONES, join(models, 'tones'), { recursive: true });
    await cp(TONES, join(models, 'damaged'), { recursive: true });
    await writeFile(join(models, 'damaged/tones.onnx'), 'ONNX and nothing more');
  });
  afterAll(() => appliance.close());

  test('is listed with a sample that it speaks itself', async () => {
    const tones = (await voices(appliance)).find(({ slug }) => slug === 'voice-tones');
    expect(tones).toMatchObject({ name: 'Tones', language: 'en', kind: 'natural', model: 'tones', tones: [] });
    const sample = await appliance.anonymous(new URL(tones?.sampleUrl ?? '').pathname);
    expect({ status: sample.status, type: sample.headers.get('content-type') }).toEqual({
      status: 200,
      type: 'audio/wav',
    });
  });

  test('has another sample once its files are others', async () => {
    const folder = join(appliance.dataDir, 'models/renewed');
    await cp(TONES, folder, { recursive: true });
    const before = await sampleOf(appliance, 'voice-renewed');
    const lexicon = await readFile(join(folder, 'lexicon.txt'), 'utf8');
    // Words end with another sound.
    await writeFile(join(folder, 'lexicon.txt'), lexicon.replace(/ \S$/gm, ' z'));
    expect((await sampleOf(appliance, 'voice-renewed')).equals(before)).toBe(false);
    expect((await samplesKept(appliance)).filter((name) => name.startsWith('voice-renewed'))).toHaveLength(1);
  });

  test('speaks when it is named, and captions say that their times are estimated', async () => {
    const job = await speak(appliance, { prompt: FOX, voice: 'voice-tones', includeCaptions: true });
    expect(job.error).toBeUndefined();
    expect(job.result).toMatchObject({ kind: 'speech', voice: { slug: 'voice-tones', chosenBy: 'request' } });
    expect(job.result?.warnings).toEqual([expect.stringContaining('estimated')]);
    const { sampleRate, seconds } = await soundOf(appliance, job);
    // 60 ms a letter, as the voice is made.
    expect(sampleRate).toBe(16_000);
    expect(seconds).toBeGreaterThan(46 * 0.06);
    const captions = await captionsOf(appliance, job);
    expect(captions).toContain('fox');
    const times = [...captions.matchAll(/(\d\d):(\d\d\.\d{3}) -->/g)].map(([, m, s]) => Number(m) * 60 + Number(s));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times.at(-1)).toBeLessThan(seconds);
  });

  test('whose file is damaged fails its own job with what is wrong, and the next one is spoken', async () => {
    const job = await speak(appliance, { prompt: FOX, voice: 'voice-damaged' });
    expect(job.error).toMatchObject({ code: 'engine_failed', message: expect.stringContaining('installed voice') });
    expect((await speak(appliance, { prompt: FOX, voice: 'voice-tones' })).status).toBe('completed');
  });

  test('whose file is damaged has no sample for now, and the answer says what is wrong', async () => {
    const answer = await appliance.anonymous('/v1/voices/samples/voice-damaged.wav');
    expect({ status: answer.status, retryAfter: answer.headers.get('retry-after') }).toEqual({
      status: 503,
      retryAfter: expect.stringMatching(/^\d+$/),
    });
    const detail = expect.stringContaining('installed voice cannot speak');
    expect(await answer.json()).toMatchObject({ code: 'engine_unavailable', detail });
  });
});

describe('a speech server of the owner', () => {
  let appliance: Appliance;
  let server: Server;
  let asked: { authorization: string | undefined; body: Record<string, unknown> }[];
  /** What it answers to a sentence. */
  let answerWith: () => { status: number; body: Uint8Array } = hum;

  function hum() {
    const channel = Float32Array.from({ length: 24_000 }, (_, index) => 0.4 * Math.sin(index / 20));
    return { status: 200, body: encodeWave({ channels: [channel], sampleRate: 24_000 }).bytes };
  }

  async function jsonOf(request: IncomingMessage): Promise<Record<string, unknown>> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    return JSON.parse(Buffer.concat(pieces).toString()) as Record<string, unknown>;
  }

  beforeAll(async () => {
    asked = [];
    server = createServer(async (request, response) => {
      asked.push({ authorization: request.headers.authorization, body: await jsonOf(request) });
      const { status, body } = request.url === '/v1/audio/speech' ? answerWith() : { status: 404, body: 'No.' };
      response.writeHead(status).end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    appliance = await startAppliance({ speechServerKey: KEY });
    await nameServer(serverUrl(), ['Ember', 'Ash']);
  });
  afterAll(async () => {
    await appliance.close();
    server.close();
  });

  function serverUrl(): string {
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`;
  }

  async function nameServer(speechServerUrl: string, speechServerVoices: string[], of = appliance): Promise<void> {
    const change = { speechServerUrl, speechServerVoices, speechServerModel: 'tiny' };
    expect((await of.owner('/admin/settings', { ...postJson(change), method: 'PATCH' })).status).toBe(200);
  }

  test('speaks sentence by sentence when one of its voices is named, with its key and its own names', async () => {
    const job = await speak(appliance, { prompt: FOX, voice: 'server-ember', includeCaptions: true });
    expect(job.result).toMatchObject({ voice: { slug: 'server-ember', name: 'Ember' }, sampleRate: 24_000 });
    expect(job.result?.durationSeconds).toBeGreaterThan(2);
    const said = { model: 'tiny', voice: 'Ember', input: FOX.split('. ')[1], response_format: 'wav' };
    expect(asked).toContainEqual({ authorization: `Bearer ${KEY}`, body: said });
    expect(await captionsOf(appliance, job)).toContain('bird.');
  });

  test('says what no built-in voice can, and keeps its key to itself', async () => {
    const job = await speak(appliance, { prompt: 'Καλημέρα κόσμε.' });
    expect(job.result?.voice).toMatchObject({ slug: 'server-ember', chosenBy: 'language' });
    expect(asked.at(-1)?.body.input).toBe('Καλημέρα κόσμε.');
    const shown = [await voices(appliance), await (await appliance.owner('/admin/settings')).json(), job];
    expect(JSON.stringify(shown)).not.toContain(KEY);
  });

  test('says what is of another script for the most part, also where names and numbers are in Latin letters', async () => {
    const first = '私の名前は Ash です、公園まで散歩に行きました、そこで友達に会って一緒にお弁当を食べました。';
    const job = await speak(appliance, {
      prompt: `<speak><prosody rate="slow" pitch="low" volume="loud">${first}</prosody>2024年に来ました。</speak>`,
      includeCaptions: true,
    });
    expect(job.result?.voice).toMatchObject({ slug: 'server-ember', chosenBy: 'language' });
    expect(asked.at(-1)?.body.input).toBe('2024年に来ました。');
    const [, ...cues] = (await captionsOf(appliance, job)).replace(/<[\d:.]+>/g, '').split('\n\n');
    const lines = cues.map((cue) => cue.trim().split('\n').slice(1));
    // A letter of these scripts is as wide as two of Latin ones, of which a line has 42.
    expect(lines.slice(0, -1).flat().join('')).toBe(first);
    expect(lines.filter((shown) => shown.length > 2 || shown.some((line) => line.length > 23))).toEqual([]);
    const english = await speak(appliance, { prompt: 'My name is 灰, which means ash.' });
    expect(english.result?.voice?.slug).not.toMatch(/^server/);
  });

  test('is heard to the end of the text where it makes no sound of one sentence, and the answer says so', async () => {
    const silence = { channels: [new Float32Array(0)], sampleRate: 24_000 };
    answerWith = () => {
      return asked.at(-1)?.body.input === 'Two.' ? { status: 200, body: encodeWave(silence).bytes } : hum();
    };
    const job = await speak(appliance, {
      prompt: 'One.\n\nTwo.\n\nThree.',
      voice: 'server-ash',
      includeCaptions: true,
    });
    answerWith = hum;
    expect(job.result).toMatchObject({
      omitted: null,
      warnings: [expect.stringContaining('left out'), expect.anything()],
    });
    expect(job.result?.durationSeconds).toBeGreaterThan(2);
    expect(await captionsOf(appliance, job)).toMatch(/One\.[\s\S]*Three\./);
  });

  test('has a sample that is spoken once, and anew after the server was asked for another model', async () => {
    const before = asked.length;
    const [first] = await Promise.all([sampleOf(appliance, 'server-ash'), sampleOf(appliance, 'server-ash')]);
    expect((await sampleOf(appliance, 'server-ash')).equals(first)).toBe(true);
    const once = asked.slice(before);
    expect(new Set(once.map(({ body }) => body.input)).size).toBe(once.length);
    expect(once[0]?.body).toMatchObject({ model: 'tiny', voice: 'Ash' });

    const change = { speechServerModel: 'large' };
    await appliance.owner('/admin/settings', { ...postJson(change), method: 'PATCH' });
    await sampleOf(appliance, 'server-ash');
    expect(asked.slice(before + once.length).map(({ body }) => body.model)).toEqual(once.map(() => 'large'));
    expect((await samplesKept(appliance)).filter((name) => name.startsWith('server-ash'))).toHaveLength(1);
    await appliance.owner('/admin/settings', { ...postJson({ speechServerModel: 'tiny' }), method: 'PATCH' });
  });

  test('whose key is another one has the same samples', async () => {
    const names: string[][] = [];
    for (const speechServerKey of ['one', 'two']) {
      await using here = await startAppliance({ speechServerKey });
      await nameServer(serverUrl(), ['Ember'], here);
      await sampleOf(here, 'server-ember');
      names.push(await samplesKept(here));
    }
    expect(names[0]).toHaveLength(1);
    expect(names[1]).toEqual(names[0]);
  });

  test.each([
    ['answers 500', () => ({ status: 500, body: new Uint8Array() })],
    ['sends something else', () => ({ status: 200, body: Buffer.from('<html>no sound</html>') })],
  ])('that %s fails the job with what to look at', async (_what, broken) => {
    answerWith = broken;
    const job = await speak(appliance, { prompt: 'Hello.', voice: 'server-ash' });
    expect(job.error).toMatchObject({ code: 'engine_failed', message: expect.stringContaining('speech server') });
    answerWith = hum;
  });

  test('may be another Quarry: its OpenAI-compatible side speaks to this one', async () => {
    await using other = await startAppliance();
    await using here = await startAppliance({ speechServerKey: other.ownerToken });
    await nameServer(`${other.url}/openai/v1`, ['clara'], here);
    const job = await speak(here, { prompt: 'Hello there.', voice: 'server-clara' });
    expect(job.result?.durationSeconds).toBeGreaterThan(0.3);
  });

  test('is needed, or a voice of the language, for a script that no built-in voice knows', async () => {
    await using bare = await startAppliance();
    const refused = await bare.owner('/v1/generate/audio', postJson({ prompt: 'Καλημέρα κόσμε.', voice: 'clara' }));
    expect(refused.status).toBe(400);
    expect(((await refused.json()) as Problem).detail).toMatch(/install a voice.*speech server/);
    const digits = await bare.owner('/v1/generate/audio', postJson({ prompt: 'في عام ٢٠٢٤' }));
    expect(digits.status).toBe(400);
  });
});
