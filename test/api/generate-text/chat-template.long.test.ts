import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startAppliance } from '../../harness/appliance.ts';
import { withFact } from '../../harness/gguf.ts';
import { postJson, TINY_MODEL_PATH } from '../../harness/text-models.ts';

/** Says what a story is about before it is told, in words of the model's own kind. */
const TEMPLATE =
  "{% for message in messages %}{% if message['role'] == 'user' %}Once upon a time, {{ message['content'] }}" +
  "{% else %} {{ message['content'] }} The end.{% endif %}{% endfor %}";

interface Answer {
  result: { content: string; usage: { promptTokens: number; completionTokens: number } };
}

test('a model that was taught a form of conversation is asked in it, and one that was not goes on with the text', async () => {
  await using appliance = await startAppliance({ knownTextServers: [] });
  const models = join(appliance.dataDir, 'models');
  await mkdir(models, { recursive: true });
  const plain = await readFile(TINY_MODEL_PATH);
  await writeFile(join(models, 'plain.gguf'), plain);
  await writeFile(join(models, 'taught.gguf'), withFact(plain, 'tokenizer.chat_template', TEMPLATE));
  const ask = async (model: string, prompt: string): Promise<Answer['result']> => {
    const request = { model, prompt, maxTokens: 12, temperature: 0 };
    const answer = await appliance.owner('/v1/generate/text', postJson(request));
    expect(answer.status, await answer.clone().text()).toBe(200);
    return ((await answer.json()) as Answer).result;
  };
  const asked = await ask('taught', 'there was a dog');
  const told = await ask('plain', 'there was a dog');
  // The form's own words count in the prompt, and the model reads them.
  expect(asked.usage.promptTokens).toBeGreaterThan(told.usage.promptTokens);
  expect(asked.content).not.toBe(told.content);
  expect(await ask('taught', 'there was a dog')).toEqual(asked);
});
