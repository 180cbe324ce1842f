import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { postJson, startWithTinyModel, TINY_MODEL_PATH } from '../harness/text-models.ts';

test('more models than are kept loaded all answer when they are first asked at the same time', async () => {
  await using appliance = await startWithTinyModel();
  const models = ['first', 'second', 'third', 'fourth'];
  for (const name of models) await copyFile(TINY_MODEL_PATH, join(appliance.dataDir, 'models', `${name}.gguf`));
  const answers = await Promise.all(
    models.map((model) => appliance.owner('/v1/generate/text', postJson({ prompt: 'Once', model, maxTokens: 2 }))),
  );
  const said = await Promise.all(answers.map(async (answer) => (await answer.json()) as { result?: object }));
  expect(said).toMatchObject(models.map((model) => ({ result: { model } })));
});
