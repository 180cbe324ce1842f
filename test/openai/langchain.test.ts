/** LangChain's stock clients of OpenAI and of Ollama, unmodified, in a process of their own. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Appliance } from '../harness/appliance.ts';
import { startWithTinyModel, TINY_MODEL, TINY_MODEL_PATH } from '../harness/text-models.ts';

const FOLDER = new URL('clients/', import.meta.url);
/** Where `node scripts/install-stock-clients.mjs` could not reach a registry, the clients are not there to be tested. */
const isMissing = !existsSync(new URL('node_modules/@langchain/openai/package.json', FOLDER));
const EMBEDDER = 'stories-embed';
const PUBLISHED = ', there was a little girl named Lily';
const MOOD = { mood: expect.stringMatching(/^(glad|sad)$/) };

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startWithTinyModel();
  await copyFile(TINY_MODEL_PATH, join(appliance.dataDir, 'models', `${EMBEDDER}.gguf`));
});
afterAll(() => appliance.close());

test.skipIf(isMissing)('LangChain chats, streams, calls functions and gets JSON and vectors', async () => {
  const script = fileURLToPath(new URL('langchain.mjs', FOLDER));
  const args = [script, appliance.url, appliance.ownerToken, TINY_MODEL, EMBEDDER];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const [output, problems] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect(output, problems).not.toBe('');
  const said = JSON.parse(output) as Record<'openai' | 'ollama', Record<string, unknown>>;
  const call = { name: 'ring_bell', args: MOOD, id: expect.any(String) };
  const both = { text: expect.stringContaining(PUBLISHED), streamed: expect.stringContaining(PUBLISHED) };
  const usage = { output_tokens: 40, input_tokens: expect.any(Number), total_tokens: expect.any(Number) };
  const common = { ...both, usage, streamUsage: usage, bySchema: MOOD, vectors: [64, 64] };
  expect(said.openai).toMatchObject({
    ...common,
    ...{ byFunction: MOOD, calls: [call], streamedCalls: [call], afterTool: 'string' },
  });
  expect(said.ollama).toMatchObject(common);
});
