/** After a talk no process holds its models: those that listen end with their work, that of the text model when idle. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Appliance } from '../harness/appliance.ts';
import { childrenLike } from '../harness/child-processes.ts';
import { finished } from '../harness/jobs.ts';
import { CLIPS, installSpeakerModel, installSpeechModel, ONNX_MODEL, submit } from '../harness/speech.ts';
import { postJson, startWithTinyModel } from '../harness/text-models.ts';
import { until } from '../harness/until.ts';

const MINUTE_MS = 60_000;
/** The setting of a new installation. */
const IDLE_MINUTES = 10;
const PROGRAMS = ['speech-program', 'media-program', 'text-model', 'voice-program', 'render-program', 'text/embedding'];

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startWithTinyModel();
  await installSpeechModel(appliance, ONNX_MODEL);
  await installSpeakerModel(appliance);
});
afterAll(() => appliance.close());

const running = () => PROGRAMS.filter((name) => childrenLike(name).length > 0);

test.skipIf(process.platform !== 'linux')('ten idle minutes after a talk and a text no process is left', async () => {
  const write = await appliance.owner('/v1/generate/text', postJson({ prompt: 'Once', maxTokens: 4 }));
  const text = finished(appliance.owner, ((await write.json()) as { jobId: string }).jobId);
  const clip = await readFile(join(CLIPS, '08-long.mp3'));
  const { jobId } = (await (await submit(appliance, clip, 'long.mp3', { speakers: true })).json()) as { jobId: string };
  const seen = new Set<string>();
  let isDone = false;
  const talk = finished(appliance.owner, jobId).finally(() => {
    isDone = true;
  });
  await until(() => {
    for (const name of running()) seen.add(name);
    return isDone;
  });
  expect([(await talk).status, (await text).status]).toEqual(['completed', 'completed']);
  expect([...seen].sort()).toEqual(['media-program', 'speech-program', 'text-model']);
  await until(() => running().join() === 'text-model');
  appliance.clock.advance((IDLE_MINUTES - 1) * MINUTE_MS);
  await until(() => running().join() === 'text-model');
  appliance.clock.advance(MINUTE_MS);
  await until(() => running().length === 0);
});
