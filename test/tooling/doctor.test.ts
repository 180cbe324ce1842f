import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { postJson, startWithTinyModel, TINY_MODEL } from '../harness/text-models.ts';
import { startTextServer } from '../harness/text-server.ts';

const CLI = join(import.meta.dirname, '../../src-server/cli.ts');

function doctor(dataDir: string): Promise<{ code: unknown; said: string[] }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [CLI, 'doctor', '--data-dir', dataDir], (error, stdout) =>
      resolve({ code: error?.code ?? 0, said: stdout.split('\n') }),
    );
  });
}

test('the doctor names the models that are there, those that are not, the engines, and whether text servers answer', async () => {
  await using appliance = await startWithTinyModel();
  const server = await startTextServer();
  const settings = { ...postJson({ textServerUrl: server.url }), method: 'PATCH' };
  expect((await appliance.owner('/admin/settings', settings)).status).toBe(200);
  const well = await doctor(appliance.dataDir);
  expect(well.code).toBe(0);
  expect(well.said).toEqual(
    expect.arrayContaining([
      `ok        Text models: ${TINY_MODEL}`,
      expect.stringMatching(/^optional {2}Speech models: none, .* Install one /),
      'ok        Text engine: llama.cpp runs here',
      'ok        Speech engine: sherpa-onnx runs here',
      `ok        Text servers: ${server.url} (echo)`,
    ]),
  );
  await server[Symbol.asyncDispose]();
  await writeFile(join(appliance.dataDir, 'models', 'my-embedder.gguf'), 'x');
  const ill = await doctor(appliance.dataDir);
  expect(ill.code).toBe(1);
  expect(ill.said).toContain('ok        Embedding models: my-embedder');
  expect(ill.said).toContainEqual(expect.stringMatching(/^MISSING {3}Text servers: .* does not answer\. Start it, /));
});
