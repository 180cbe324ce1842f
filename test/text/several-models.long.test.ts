import { copyFile, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { forkChildPrograms, type StartChildProgram } from '../../src-server/platform/rpc/child-process.ts';
import type { Line } from '../../src-server/platform/rpc/rpc.ts';
import { MINUTE_MS } from '../../src-server/platform/units.ts';
import type { ModelToLoad } from '../../workers/text/tasks.ts';
import type { Appliance } from '../harness/appliance.ts';
import { withFact } from '../harness/gguf.ts';
import { postJson, startWithTinyModel, TINY_MODEL_PATH } from '../harness/text-models.ts';
import { until } from '../harness/until.ts';

const FORK = forkChildPrograms(new URL('../../workers/entry.ts', import.meta.url));

const NO_MEMORY = { code: 'engine_failed', message: 'There is no memory for it.', retryable: true };

interface Answer {
  result: { model: string; usage: { promptTokens: number } };
}

/** The models' files that are held by a process which has not ended; which were told to; how many there is memory for. */
const held = new Map<Line, string>();
const told = new Set<Line>();
let roomFor = Number.POSITIVE_INFINITY;
/** While it is there, texts that are asked for wait in it. */
let withheld: (() => void)[] | null = null;
let appliance: Appliance;

const startChild: StartChildProgram = (name, { onMessage, onEnd }) => {
  const child = FORK(name, {
    onMessage(message) {
      const { kind, id } = message as { kind: string; id: number };
      const staying = [...held.keys()].filter((one) => !told.has(one)).length;
      const failed = { kind: 'threw', id, error: NO_MEMORY };
      // The first call of a program loads its model.
      onMessage(kind === 'returned' && id === 1 && staying > roomFor ? failed : message);
    },
    onEnd(cause) {
      held.delete(child);
      onEnd(cause);
    },
  });
  const send = (command: object) => {
    const { method, args } = command as { method?: string; args: unknown[] };
    if (method === 'load') held.set(child, (args[0] as ModelToLoad).modelPath);
    if (method === 'generate' && withheld !== null) withheld.push(() => child.send(command));
    else child.send(command);
  };
  const end = () => {
    told.add(child);
    child.end();
  };
  return { send, end };
};

beforeAll(async () => {
  appliance = await startWithTinyModel({ startChild });
});
afterAll(() => appliance.close());
beforeEach(() => {
  roomFor = Number.POSITIVE_INFINITY;
});

const pathOf = (name: string) => join(appliance.dataDir, 'models', `${name}.gguf`);
const holds = (name: string) => [...held.values()].includes(pathOf(name));

async function write(model: string): Promise<Answer> {
  const answer = await appliance.owner('/v1/generate/text', postJson({ prompt: 'Once', model, maxTokens: 2 }));
  return (await answer.json()) as Answer;
}

test('more models than are kept loaded all answer when they are first asked at the same time', async () => {
  const models = ['first', 'second', 'third', 'fourth'];
  for (const name of models) await copyFile(TINY_MODEL_PATH, pathOf(name));
  expect(await Promise.all(models.map(write))).toMatchObject(models.map((model) => ({ result: { model } })));
});

test('a file that is put in the place of another answers from then on', async () => {
  await copyFile(TINY_MODEL_PATH, pathOf('replaced'));
  const before = (await write('replaced')).result.usage.promptTokens;
  const template = "{% for message in messages %}{{ 'Somebody says: ' + message['content'] }}{% endfor %}";
  const other = withFact(await readFile(TINY_MODEL_PATH), 'tokenizer.chat_template', template);
  await writeFile(`${pathOf('replaced')}.part`, other);
  await rename(`${pathOf('replaced')}.part`, pathOf('replaced'));
  expect((await write('replaced')).result.usage.promptTokens).toBeGreaterThan(before);
  await until(() => [...held.values()].filter((path) => path === pathOf('replaced')).length === 1);
});

test('a model that is removed is held by no process any more, whoever removed it', async () => {
  for (const name of ['removed', 'deleted']) {
    await copyFile(TINY_MODEL_PATH, pathOf(name));
    await write(name);
    expect(holds(name)).toBe(true);
  }
  expect((await appliance.owner('/admin/models/removed', { method: 'DELETE' })).status).toBe(204);
  await until(() => !holds('removed'));
  await rm(pathOf('deleted'));
  await appliance.owner('/openai/v1/models');
  await until(() => !holds('deleted'));
});

test('two models that do not fit into the memory together answer one after the other', async () => {
  for (const name of ['large', 'larger']) await copyFile(TINY_MODEL_PATH, pathOf(name));
  await write('large');
  roomFor = 1;
  for (const name of ['larger', 'large', 'larger'])
    expect(await write(name)).toMatchObject({ result: { model: name } });
  await until(() => !holds('large'));
});

test('a model that nobody asks gives its memory back after the minutes that are set, and is loaded again when asked', async () => {
  const change = { method: 'PATCH', body: JSON.stringify({ textModelIdleMinutes: 45 }) };
  const json = { headers: { 'content-type': 'application/json' } };
  expect((await appliance.owner('/admin/settings', { ...change, ...json })).status).toBe(200);
  for (const name of ['idle', 'busy']) await copyFile(TINY_MODEL_PATH, pathOf(name));
  await write('idle');
  const waiting: (() => void)[] = [];
  withheld = waiting;
  const writing = write('busy');
  await until(() => waiting.length === 1);
  appliance.clock.advance(45 * MINUTE_MS);
  await until(() => !holds('idle'));
  expect(holds('busy')).toBe(true);
  withheld = null;
  for (const send of waiting) send();
  expect(await writing).toMatchObject({ result: { model: 'busy' } });
  appliance.clock.advance(45 * MINUTE_MS);
  await until(() => !holds('busy'));
  expect(await write('idle')).toMatchObject({ result: { model: 'idle' } });
});
