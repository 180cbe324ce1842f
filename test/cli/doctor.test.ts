import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { postJson, startWithTinyModel, TINY_MODEL } from '../harness/text-models.ts';
import { startTextServer } from '../harness/text-server.ts';

const CLI = join(import.meta.dirname, '../../src-server/cli.ts');

function doctor(dataDir: string, variables: NodeJS.ProcessEnv = {}): Promise<{ code: unknown; said: string[] }> {
  const options = { env: { ...process.env, ...variables } };
  return new Promise((resolve) => {
    execFile(process.execPath, [CLI, 'doctor', '--data-dir', dataDir], options, (error, stdout) =>
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
      expect.stringMatching(
        /^optional {2}Speech models: none, .* Install Whisper base \(161 MB\) on the Models page, /,
      ),
      'ok        Text engine: llama.cpp runs here',
      'ok        Speech engine: sherpa-onnx runs here',
      expect.stringMatching(/^ok {8}node-av: FFmpeg 8\.\S+ \(included\)$/),
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

test.skipIf(process.platform === 'win32')(
  'the doctor finds the binary of ffmpeg-static, also unpacked beside an archive, and says how to fetch a missing one (needs a shell)',
  { tags: ['long'] },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'quarry doctor '));
    const dataDir = join(folder, 'data');
    try {
      // Electron starts no program out of an archive, and the server of the packaged app itself runs beside it.
      const beside = join(folder, 'app.asar.unpacked');
      await mkdir(beside);
      await writeFile(join(beside, 'ffmpeg'), '#!/bin/sh\necho "ffmpeg version 7.1"\n', { mode: 0o755 });
      for (const packed of ['app.asar', 'app.asar.unpacked']) {
        const { said } = await doctor(dataDir, { PATH: folder, FFMPEG_BIN: join(folder, packed, 'ffmpeg') });
        expect(said).toContain('ok        ffmpeg: 7.1 (ffmpeg-static)');
      }
      const { said } = await doctor(dataDir, { PATH: folder, FFMPEG_BIN: join(folder, 'none') });
      expect(said).toContainEqual(expect.stringMatching(/^optional {2}ffmpeg: .*fetch it with npm run ffmpeg/));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
);
