/** Work that travels besides plain recognition, with models that only the node has. */
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Job } from '../../src-server/features/jobs/schema.ts';
import type { RememberedVoice } from '../../src-server/features/media/schema.ts';
import type { Appliance } from '../harness/appliance.ts';
import { brokerMissing, TIMING } from '../harness/fleet.ts';
import { fileForm, finished } from '../harness/jobs.ts';
import type { LocalSite } from '../harness/local-site.ts';
import { nodeOf, nodeProcess, placeOf, sendJson, turnFleetOn } from '../harness/node-process.ts';
import {
  CLIPS,
  installSpeakerModel,
  ONNX_MODEL,
  startWithSpeech,
  submit,
  type TranscriptJob,
  transcribed,
} from '../harness/speech.ts';
import { postJson, TINY_MODEL, TINY_MODEL_PATH } from '../harness/text-models.ts';
import { until } from '../harness/until.ts';
import { serveVideoSite } from '../harness/video-site.ts';

const missing = brokerMissing();

const FIXTURES = join(import.meta.dirname, '../fixtures');
const CONVERSATIONS = join(FIXTURES, 'media/conversations');
const SCHEMA = { type: 'object', properties: { topic: { type: 'string' } } };

/** Fields that differ between two jobs of one file. */
const withoutUrls = (result: unknown) => JSON.parse(JSON.stringify(result).replace(/job_[\w-]+/g, 'job'));

describe.skipIf(missing !== null)(`a node with more models${missing === null ? '' : ` (skipped: ${missing})`}`, () => {
  let appliance: Appliance;
  let node: Awaited<ReturnType<typeof nodeProcess>>;
  let site: LocalSite;
  let folder: string;
  let clip: Buffer;

  beforeAll(async () => {
    appliance = await startWithSpeech({ knownTextServers: [], fleetTiming: TIMING });
    await installSpeakerModel(appliance);
    folder = await mkdtemp(join(tmpdir(), 'quarry models '));
    const models = join(FIXTURES, 'models');
    for (const name of [ONNX_MODEL, 'tiny-speakers'])
      await cp(join(models, name), join(folder, name), { recursive: true });
    await cp(join(models, 'tones-voice'), join(folder, 'tones'), { recursive: true });
    await cp(TINY_MODEL_PATH, join(folder, `${TINY_MODEL}.gguf`));
    clip = await readFile(join(CLIPS, '01-meeting.wav'));
    site = await serveVideoSite(() => ({
      '/talk': {
        type: 'text/html; charset=utf-8',
        body: `<!doctype html><html lang="en"><title>Meeting</title><video src="talk.wav"></video></html>`,
      },
      '/talk.wav': { type: 'audio/wav', body: clip },
    }));
    await sendJson(appliance, '/admin/settings', 'PATCH', { allowPrivateNetworks: true });
  });
  afterAll(async () => {
    await node?.stop();
    await site[Symbol.asyncDispose]();
    await appliance.close();
    await rm(folder, { recursive: true, force: true });
  });

  const hosted = async () => {
    const request = { sourceUrl: `${site.url}/talk`, options: { includeCaptions: false } };
    const { jobId } = (await sendJson(appliance, '/v1/extract/hosted-video', 'POST', request)) as Job;
    return (await finished(appliance.owner, jobId)) as TranscriptJob;
  };
  const say = async (prompt: string) => {
    const { jobId } = (await sendJson(appliance, '/v1/generate/audio', 'POST', {
      prompt,
      voice: 'voice-tones',
    })) as Job;
    return jobId;
  };
  const talk = async () => {
    const file = '01-two-speakers.wav';
    return transcribed(appliance, await readFile(join(CONVERSATIONS, file)), file, { speakers: true });
  };
  const wordsOf = ({ result }: TranscriptJob) => result?.segments.map(({ start, end, text }) => ({ start, end, text }));
  let hostedHere: TranscriptJob;
  let remembered: RememberedVoice;
  let here: TranscriptJob;

  test('without nodes: a voice is remembered, a hosted video is heard, and a model that is nowhere is refused', async () => {
    here = await talk();
    const names = { 'Speaker 1': 'Anna', 'Speaker 2': 'Ben' };
    await sendJson(appliance, `/admin/jobs/${here.jobId}/speakers`, 'PATCH', { names });
    const remember = `/admin/jobs/${here.jobId}/remembered-voices`;
    remembered = (await sendJson(appliance, remember, 'POST', { speaker: 'Anna' })) as RememberedVoice;
    hostedHere = await hosted();
    expect(hostedHere.status).toBe('completed');
    await turnFleetOn(appliance);
    const answer = await appliance.owner('/v1/generate/text', postJson({ prompt: 'Once', model: TINY_MODEL }));
    expect(answer.status).toBe(400);
    node = await nodeProcess(appliance, 'tower', folder);
    const shown = await nodeOf(appliance, 'tower');
    expect(shown?.models.map(({ name, kind }) => `${kind} ${name}`).sort()).toEqual([
      `speakers tiny-speakers`,
      `speech ${ONNX_MODEL}`,
      `text ${TINY_MODEL}`,
      'voice tones',
    ]);
    expect(shown?.operations).toContain('generate/text');
  });

  test('a talk with speakers is heard there, and remembered voices are recognised and noted here', async () => {
    appliance.clock.advance(60_000);
    const there = await talk();
    expect(await placeOf(appliance, there.jobId)).toBe('tower');
    expect(wordsOf(there)).toEqual(wordsOf(here));
    expect(there.result?.speakers).toMatchObject([
      { name: 'Anna', voice: { recognised: true } },
      { name: expect.stringMatching(/^Speaker/) },
    ]);
    const { voices } = (await sendJson(appliance, '/admin/remembered-voices', 'GET')) as { voices: RememberedVoice[] };
    expect(Date.parse(voices[0]?.lastHeardAt ?? '')).toBeGreaterThan(Date.parse(remembered.lastHeardAt));
  });

  test('a hosted video is fetched here and heard there', async () => {
    const asked = site.requests.splice(0);
    const there = await hosted();
    expect(site.requests).toEqual(asked);
    expect(there.error).toBeUndefined();
    expect(await placeOf(appliance, there.jobId)).toBe('tower');
    expect(withoutUrls(there.result)).toEqual(withoutUrls(hostedHere.result));
  });

  test('a text is written by the model of the node, piece by piece', async () => {
    const request = { prompt: 'Once upon a time', model: TINY_MODEL, maxTokens: 12, temperature: 0 };
    const answer = await appliance.owner('/v1/generate/text', postJson(request));
    const { jobId, result } = (await answer.json()) as { jobId: string; result: { content: string; model: string } };
    expect({ status: answer.status, model: result?.model }).toEqual({ status: 200, model: TINY_MODEL });
    expect(await placeOf(appliance, jobId)).toBe('tower');
    const listed = (await sendJson(appliance, '/openai/v1/models', 'GET')) as { data: { id: string }[] };
    expect(listed.data.map(({ id }) => id)).toContain(TINY_MODEL);
    const streamed = await appliance.owner('/v1/generate/text?stream=true', postJson(request));
    const events = await streamed.text();
    const pieces = [...events.matchAll(/event: token\ndata: (.+)/g)].map(([, data]) => JSON.parse(data ?? '').text);
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.join('')).toBe(result.content);
    const long = await appliance.owner('/v1/generate/text', postJson({ ...request, prompt: 'word '.repeat(4000) }));
    expect(((await long.json()) as { detail: string }).detail).toContain('Tokens of the prompt');
  });

  test('speech of a voice that only the node has is made there', async () => {
    const job = await finished(appliance.owner, await say('The quick red fox jumps.'));
    expect(job.error).toBeUndefined();
    expect(job.result).toMatchObject({ kind: 'speech', voice: { slug: 'voice-tones' } });
    expect(await placeOf(appliance, job.jobId)).toBe('tower');
    const wav = await appliance.owner(`/v1/jobs/${job.jobId}/files/audio.wav`);
    expect(wav.status).toBe(200);
  });

  test('values of a schema and a digest are read where the text model is', async () => {
    const form = fileForm('The meeting is about the harbour.', 'note.txt', {
      options: JSON.stringify({ schema: SCHEMA }),
    });
    const sent = await appliance.owner('/v1/extract/doc', { method: 'POST', body: form });
    const doc = await finished(appliance.owner, ((await sent.json()) as Job).jobId);
    expect(doc.error).toBeUndefined();
    expect(doc.result).toMatchObject({ extracted: { model: TINY_MODEL } });
    expect(await placeOf(appliance, doc.jobId)).toBe('tower');
    const digested = await transcribed(appliance, clip, 'talk.wav', { digest: true });
    expect(digested.error).toBeUndefined();
    expect(digested.result).toMatchObject({ digest: { model: TINY_MODEL } });
    expect(await placeOf(appliance, digested.jobId)).toBe('tower');
  });

  test('while the node is away its jobs wait and name it; answers at once say so; it comes back and they run', async () => {
    await node.stop();
    await until(async () => (await nodeOf(appliance, 'tower'))?.status === 'offline');
    const jobId = await say('The old bird sleeps.');
    const job = async () => (await (await appliance.owner(`/v1/jobs/${jobId}`)).json()) as Job;
    await until(async () => (await job()).waitingFor?.need !== undefined);
    const sentence = 'Only the node tower has tones, and it is away.';
    expect(await job()).toMatchObject({
      status: 'queued',
      progress: { message: sentence },
      waitingFor: { need: 'voice', reason: sentence, choices: [], nodes: ['tower'] },
    });
    const alerts = (await (await appliance.owner('/admin/alerts')).json()) as { open: { jobId: string }[] };
    expect(alerts.open.find((alert) => alert.jobId === jobId)).toMatchObject({
      title: expect.stringMatching(/ waits for a node$/),
      message: sentence,
    });
    const text = await appliance.owner('/v1/generate/text', postJson({ prompt: 'Once', model: TINY_MODEL }));
    expect(text.status).toBe(503);
    expect(await text.json()).toMatchObject({
      code: 'engine_unavailable',
      detail: `Only the node tower has ${TINY_MODEL}, and it is away.`,
    });
    await appliance.restart();
    expect(await job()).toMatchObject({ status: 'queued', waitingFor: { nodes: ['tower'] } });
    await node.start();
    expect(await finished(appliance.owner, jobId)).toMatchObject({ status: 'completed' });
    expect(await placeOf(appliance, jobId)).toBe('tower');
  });

  test('a job whose only node is removed says what is missing', async () => {
    await node.stop();
    await until(async () => (await nodeOf(appliance, 'tower'))?.status === 'offline');
    const jobId = await say('The bird.');
    await until(async () => {
      const answer = await appliance.owner(`/v1/jobs/${jobId}`);
      return ((await answer.json()) as Job).waitingFor?.need !== undefined;
    });
    const nodeId = (await nodeOf(appliance, 'tower'))?.nodeId;
    await sendJson(appliance, `/admin/fleet/nodes/${nodeId}`, 'DELETE');
    const { error } = await finished(appliance.owner, jobId);
    expect(error).toMatchObject({ code: 'engine_failed', message: expect.stringContaining('voice') });
    const sent = await submit(appliance, clip, 'talk.wav');
    expect((await finished(appliance.owner, ((await sent.json()) as Job).jobId)).status).toBe('completed');
  });
});
