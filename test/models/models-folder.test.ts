import { copyFile, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readConfig } from '../../src-server/config.ts';
import { startAppliance } from '../harness/appliance.ts';
import { postJson, TINY_MODEL, TINY_MODEL_PATH } from '../harness/text-models.ts';

test('models of a folder of one’s choice are found and used, and the data folder holds none', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'my models '));
  await copyFile(TINY_MODEL_PATH, join(folder, `${TINY_MODEL}.gguf`));
  await using appliance = await startAppliance({ modelsDir: folder, knownTextServers: [] });
  const answer = await appliance.owner('/v1/generate/text', postJson({ prompt: 'Once', maxTokens: 2 }));
  expect((await answer.json()) as object).toMatchObject({ result: { model: TINY_MODEL } });
  expect(await readdir(appliance.dataDir)).not.toContain('models');
  await rm(folder, { recursive: true });
});

test('links whose target is gone are no models, and hide none of the others', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'my models '));
  await copyFile(TINY_MODEL_PATH, join(folder, `${TINY_MODEL}.gguf`));
  const gone = join(folder, 'unplugged', 'large.gguf');
  await symlink(gone, join(folder, 'large.gguf'));
  const voice = join(folder, 'a-voice');
  await mkdir(voice);
  for (const name of ['model.onnx', 'tokens.txt', 'lexicon.txt']) await symlink(gone, join(voice, name));
  await using appliance = await startAppliance({ modelsDir: folder, knownTextServers: [] });
  const { models } = (await (await appliance.owner('/admin/models')).json()) as {
    models: { name: string; installed: boolean }[];
  };
  expect(models.flatMap(({ name, installed }) => (installed ? [name] : []))).toEqual([TINY_MODEL]);
  await rm(folder, { recursive: true });
});

test('the folder is named by a flag or a variable, the flag winning, and is absolute', () => {
  expect(readConfig([], {}).modelsDir).toBeUndefined();
  expect(readConfig([], { QUARRY_MODELS_DIR: '/mnt/models' }).modelsDir).toBe('/mnt/models');
  expect(readConfig(['--models-dir', 'here'], { QUARRY_MODELS_DIR: '/mnt/models' }).modelsDir).toBe(
    join(process.cwd(), 'here'),
  );
});
