/** Models that the owner copies to a node. The node runs in this process, so that its disk can be chosen. */
import { cp, mkdir, mkdtemp, open, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deriveLocations } from '../../src-server/config.ts';
import type { NodeCopy } from '../../src-server/features/fleet/schema.ts';
import { GIB } from '../../src-server/platform/units.ts';
import { type RunningWork, readWorkOptions, startWork } from '../../src-server/work.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { brokerMissing, TIMING } from '../harness/fleet.ts';
import { fleetOf, nodeOf, sendJson, turnFleetOn } from '../harness/node-process.ts';
import { TINY_MODEL, TINY_MODEL_PATH } from '../harness/text-models.ts';
import { until } from '../harness/until.ts';

const missing = brokerMissing();

const FIXTURES = join(import.meta.dirname, '../fixtures/models');
const CLI = new URL('../../src-server/cli.ts', import.meta.url).href;

describe.skipIf(missing !== null)(`models for a node${missing === null ? '' : ` (skipped: ${missing})`}`, () => {
  let appliance: Appliance;
  let folder: string;
  let models: string;
  let address: string;
  let nodeId: string;
  let work: RunningWork | null = null;
  let freeBytes: () => Promise<number> = async () => GIB;

  const startNode = async () => {
    const args = [
      '--join',
      address,
      '--data-dir',
      join(folder, 'data'),
      '--models-dir',
      models,
      '--log-level',
      'silent',
    ];
    await until(async () => (await fleetOf(appliance)).state === 'on');
    const hooks = { freeBytes: () => freeBytes(), gpu: async () => 'Test GPU 9' };
    work = await startWork(readWorkOptions(args, {}), deriveLocations(CLI), hooks);
    await until(async () => (await nodeOf(appliance, 'tower'))?.status === 'online');
  };
  const here = (name: string) => join(appliance.dataDir, 'models', name);
  const there = (name: string) => join(models, name);
  const copy = (model: string, method = 'PUT') =>
    appliance.owner(`/admin/fleet/nodes/${nodeId}/models/${encodeURIComponent(model)}`, { method });
  const copies = async () => (await nodeOf(appliance, 'tower'))?.copies ?? [];
  const shown = async (wanted: (copies: NodeCopy[]) => boolean) => {
    await until(async () => wanted(await copies()));
    return copies();
  };
  const installed = (model: string) =>
    until(async () => (await nodeOf(appliance, 'tower'))?.models.some(({ name }) => name === model) === true);

  beforeAll(async () => {
    appliance = await startAppliance({ fleetTiming: TIMING });
    folder = await mkdtemp(join(tmpdir(), 'quarry copies '));
    models = join(folder, 'models');
    await mkdir(here(''), { recursive: true });
    await cp(TINY_MODEL_PATH, here(`${TINY_MODEL}.gguf`));
    await cp(join(FIXTURES, 'tones-voice'), here('tones'), { recursive: true });
    await mkdir(join(here('tones'), 'more/deep'), { recursive: true });
    await writeFile(join(here('tones'), 'more/deep/a file!'), '');
    await turnFleetOn(appliance);
    const made = await sendJson(appliance, '/admin/fleet/nodes', 'POST', { name: 'tower' });
    ({ join: address } = made as { join: string });
    nodeId = (made as { node: { nodeId: string } }).node.nodeId;
  });
  afterAll(async () => {
    await work?.close();
    await appliance.close();
    await rm(folder, { recursive: true, force: true });
  });

  test('a copy waits for its node, also over a restart, and arrives whole', async () => {
    expect((await copy('nothing')).status).toBe(404);
    const answer = await copy('tones');
    expect(answer.status).toBe(202);
    expect(await answer.json()).toMatchObject({ model: 'tones', state: 'waiting' });
    await appliance.restart();
    expect(await copies()).toMatchObject([{ model: 'tones', state: 'waiting' }]);
    await startNode();
    await installed('tones');
    await shown((list) => list.length === 0);
    for (const name of ['tones.onnx', 'more/deep/a file!']) {
      expect(await readFile(join(there('tones'), name))).toEqual(await readFile(join(here('tones'), name)));
    }
    expect(await nodeOf(appliance, 'tower')).toMatchObject({ gpu: 'Test GPU 9', copies: [] });
    expect(await (await copy('tones')).json()).toMatchObject({ code: 'conflict' });
  });

  test('a full disk is said, and the same request tries again from what is there', async () => {
    const bytes = await readFile(here(`${TINY_MODEL}.gguf`));
    const part = there(`.downloads/${TINY_MODEL}/copy/${TINY_MODEL}.gguf`);
    await mkdir(join(part, '..'), { recursive: true });
    await writeFile(part, bytes.subarray(0, bytes.length / 2));
    const { ino } = await stat(part);
    freeBytes = async () => 5;
    await copy(TINY_MODEL);
    const [failed] = await shown(([one]) => one?.state === 'failed');
    expect(failed?.error).toMatch(/^The disk of the node has too little space: .* are needed, 5 bytes are free\.$/);
    freeBytes = async () => GIB;
    await copy(TINY_MODEL);
    await installed(TINY_MODEL);
    // Appended to, and not written again.
    expect((await stat(there(`${TINY_MODEL}.gguf`))).ino).toBe(ino);
    expect(await readFile(there(`${TINY_MODEL}.gguf`))).toEqual(bytes);
  });

  test('a cancelled copy stops and can be tried again; what it has of other bytes is replaced', async () => {
    await cp(TINY_MODEL_PATH, here('second.gguf'));
    const { promise, resolve } = Promise.withResolvers<number>();
    let asked = false;
    freeBytes = () => {
      asked = true;
      return promise;
    };
    await copy('second');
    await until(() => asked);
    expect(await copies()).toMatchObject([{ model: 'second', state: 'waiting' }]);
    expect((await copy('second', 'DELETE')).status).toBe(204);
    expect((await copy('second', 'DELETE')).status).toBe(404);
    expect(await copies()).toEqual([]);
    resolve(GIB);
    freeBytes = async () => GIB;
    const part = there('.downloads/second/copy/second.gguf');
    await mkdir(join(part, '..'), { recursive: true });
    await writeFile(part, 'other bytes');
    await copy('second');
    await installed('second');
    expect(await readFile(there('second.gguf'))).toEqual(await readFile(here('second.gguf')));
  });

  test('bytes with another checksum than announced are not put in place', async () => {
    const path = here('third.gguf');
    await cp(TINY_MODEL_PATH, path);
    const { size, atime, mtime } = await stat(path);
    freeBytes = async () => {
      // After the checksum was made and sent; the model looks the same.
      await until(async () => ((await copies())[0]?.totalBytes ?? 0) > 0);
      const file = await open(path, 'r+');
      await file.write(Buffer.alloc(size));
      await file.close();
      await utimes(path, atime, mtime);
      return GIB;
    };
    await utimes(path, atime, mtime);
    await copy('third');
    const [failed] = await shown(([one]) => one?.state === 'failed');
    expect(failed).toMatchObject({ model: 'third', error: 'The file third.gguf arrived with another checksum.' });
    await expect(stat(there('third.gguf'))).rejects.toThrow('ENOENT');
    expect((await copy('third', 'DELETE')).status).toBe(204);
    expect(await copies()).toEqual([]);
  });
});
