/** Stock clients of OpenAI and Ollama with what they send by themselves, unmodified, in a process of their own. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, cp } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Appliance } from '../harness/appliance.ts';
import { CLIPS, ONNX_MODEL } from '../harness/speech.ts';
import { startWithTinyModel, TINY_MODEL, TINY_MODEL_PATH } from '../harness/text-models.ts';

const FOLDER = new URL('clients/', import.meta.url);
/** Where `node scripts/install-stock-clients.mjs` could not reach a registry, the clients are not there to be tested. */
const isMissing = !existsSync(new URL('node_modules/@ai-sdk/openai/package.json', FOLDER));
const EMBEDDER = 'stories-embed';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startWithTinyModel();
  const models = join(appliance.dataDir, 'models');
  await copyFile(TINY_MODEL_PATH, join(models, `${EMBEDDER}.gguf`));
  const speech = join(import.meta.dirname, '../fixtures/models', ONNX_MODEL);
  await cp(speech, join(models, ONNX_MODEL), { recursive: true });
});
afterAll(() => appliance.close());

test.skipIf(isMissing)('AI SDK, LangGraph, LangChain and LlamaIndex do their work with their defaults', async () => {
  const args = [appliance.url, appliance.ownerToken, TINY_MODEL, EMBEDDER, join(CLIPS, '02-fox.wav')];
  const script = fileURLToPath(new URL('agents.mjs', FOLDER));
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [output, problems] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect(output, problems).not.toBe('');
  const said = JSON.parse(output) as Record<string, unknown> & { objects: Record<string, unknown>; agent: string[] };
  for (const [name, value] of Object.entries(said.objects)) {
    expect(value, name).toEqual({ value: expect.anything() } satisfies object);
  }
  expect(said).toMatchObject({
    agent: ['human', 'ai', 'tool', 'ai', 'tool', 'ai'],
    loops: [
      [2, 1, 'string'],
      [2, 1, 'string'],
    ],
    streamed: expect.stringMatching(/\w/),
    ignored: [true, 'user, frequency_penalty, temperature'],
    both: 'object',
    heard: { text: expect.stringContaining('fox'), segments: 1 },
    ...{ ollama: true, ollamaTools: 'string', llamaIndex: [true, true], vercelOllama: true, vercelVector: 64 },
  });
});
