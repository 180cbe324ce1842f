import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createOcrModels, tesseractLanguage } from '../../src-server/features/documents/ocr-models.ts';
import { recommendModels } from '../../src-server/features/models/recommend.ts';
import {
  type CatalogueModel,
  type ModelKind,
  offerOf,
  readCatalogue,
  recommendedOf,
} from '../../src-server/features/models/schema.ts';
import { createModels, type Models, type ModelsDeps } from '../../src-server/features/models/service.ts';
import { systemClock } from '../../src-server/platform/clock.ts';
import {
  createModelClient,
  type DownloadStatus,
  fetchSmallText,
  isDownloadUnderWay,
} from '../../src-server/platform/net/download.ts';
import { unpackModel } from '../../workers/models/unpack-model.ts';
import { UNWATCHED } from '../harness/task-context.ts';
import { oneModel, startModelHost } from './model-host.ts';

const CONTENT = randomBytes(600_000);
const NAME = 'ocr-xyz';

let root: string;
let folder: string;
let host: Awaited<ReturnType<typeof startModelHost>>;
const opened: Models[] = [];

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'quarry models '));
  folder = join(root, 'models');
  host = await startModelHost(CONTENT);
});
afterEach(async () => {
  for (const models of opened.splice(0)) await models.closeModels();
  await host.close();
  await rm(root, { recursive: true, force: true });
});

function open(changes: Partial<ModelsDeps> = {}, model: CatalogueModel = oneModel(host.origin, CONTENT)): Models {
  const models = createModels({
    folder,
    catalogue: [model],
    clock: systemClock,
    mirrorUrl: () => null,
    client: createModelClient('test'),
    retryDelayMs: 1,
    unpack: async (archivePath, into) => {
      await unpackModel({ archivePath, folder: into }, UNWATCHED);
    },
    ...changes,
  });
  opened.push(models);
  return models;
}

/** Installs and waits for the end. */
async function fetchModel(models: Models, name = NAME) {
  await models.startModelDownload(name);
  return await ended(models, name);
}
async function ended(models: Models, name = NAME) {
  for (;;) {
    const progress = models.modelDownloadProgress(name);
    if (progress === null || !isDownloadUnderWay(progress)) return progress;
    await new Promise<void>((resolve) => {
      const stop = models.watchModelDownload(name, () => {
        stop();
        resolve();
      });
    });
  }
}
const fetched = () => readFile(join(folder, 'xyz.traineddata'));

describe('downloads', () => {
  test('a model is fetched, compared with its checksum, and offered', async () => {
    const models = open();
    const seen: DownloadStatus[] = [];
    models.watchModelDownload(NAME, () => seen.push(models.modelDownloadProgress(NAME)?.status ?? 'failed'));
    expect(await fetchModel(models)).toMatchObject({ status: 'installed', receivedBytes: CONTENT.length, error: null });
    expect([...new Set(seen)]).toEqual(['downloading', 'verifying', 'installed']);
    expect((await fetched()).equals(CONTENT)).toBe(true);
    const [view] = await models.listModelViews();
    expect(view).toMatchObject({ installed: true, verified: true, origin: 'catalogue', sizeBytes: CONTENT.length });
    expect(await models.requireInstalled(NAME, 'ocr-language')).toMatchObject({
      path: join(folder, 'xyz.traineddata'),
    });
    expect((await readdir(folder)).filter((name) => name.startsWith('.downloads'))).toEqual(['.downloads']);
    expect(await readdir(join(folder, '.downloads'))).toEqual([]);
  });

  test('connections that break are taken up again where they broke, and no byte is fetched twice', async () => {
    host.behave({ hangAfter: 100_000 });
    const models = open();
    await models.startModelDownload(NAME);
    for (const received of [100_000, 200_000, 300_000]) {
      await expect.poll(() => models.modelDownloadProgress(NAME)?.receivedBytes).toBe(received);
      if (received === 300_000) host.behave({});
      host.drop();
    }
    expect(await ended(models)).toMatchObject({ status: 'installed' });
    expect((await fetched()).equals(CONTENT)).toBe(true);
    expect(host.requests.map(({ range }) => range)).toEqual([
      undefined,
      'bytes=100000-',
      'bytes=200000-',
      'bytes=300000-',
    ]);
  });

  test('a download that was stopped goes on in another process where it was', async () => {
    host.behave({ hangAfter: 200_000 });
    const first = open();
    await first.startModelDownload(NAME);
    await expect.poll(() => first.modelDownloadProgress(NAME)?.receivedBytes).toBe(200_000);
    await first.stopModelDownload(NAME);
    expect(first.modelDownloadProgress(NAME)?.status).toBe('cancelled');
    host.behave({});
    expect(await fetchModel(open())).toMatchObject({ status: 'installed' });
    expect(host.requests.at(-1)?.range).toBe('bytes=200000-');
    expect((await fetched()).equals(CONTENT)).toBe(true);
  });

  test('a server that falls silent is asked again', async () => {
    host.behave({ hangAfter: 300_000 });
    const models = open({ idleLimitMs: 50 });
    await models.startModelDownload(NAME);
    await expect.poll(() => host.requests.length).toBeGreaterThan(1);
    host.behave({});
    expect(await ended(models)).toMatchObject({ status: 'installed' });
    expect((await fetched()).equals(CONTENT)).toBe(true);
  });

  test('a file that changed between two attempts is fetched anew, never mixed', async () => {
    const changed = randomBytes(600_000);
    host.behave({ hangAfter: 200_000 });
    const first = open();
    await first.startModelDownload(NAME);
    await expect.poll(() => first.modelDownloadProgress(NAME)?.receivedBytes).toBe(200_000);
    await first.stopModelDownload(NAME);
    host.behave({}, changed);
    const models = open({}, oneModel(host.origin, changed));
    expect(await fetchModel(models)).toMatchObject({ status: 'installed' });
    expect((await fetched()).equals(changed)).toBe(true);
  });

  test.each([
    ['a server without ranges', { noRanges: true }],
    ['a server without tags', { etag: null }],
    ['a server whose tags are weak', { etag: 'W/"1"' }],
  ])('%s is begun anew after a break', async (_name, behaviour) => {
    host.behave({ ...behaviour, breakAfter: [150_000] });
    expect(await fetchModel(open())).toMatchObject({ status: 'installed' });
    expect((await fetched()).equals(CONTENT)).toBe(true);
  });

  test('bytes that differ from the checksum are never offered, nor continued', async () => {
    host.behave({}, Buffer.concat([CONTENT.subarray(1), Buffer.from('x')]));
    const models = open();
    expect(await fetchModel(models)).toMatchObject({ status: 'failed', error: { code: 'corrupt_input' } });
    await expect(models.requireInstalled(NAME, 'ocr-language')).rejects.toMatchObject({ code: 'model_not_installed' });
    host.behave({});
    expect(await fetchModel(models)).toMatchObject({ status: 'installed' });
    expect(host.requests.at(-1)?.range).toBeUndefined();
  });

  test('a server that sends more than the file is stopped', async () => {
    host.behave({ chunked: true }, Buffer.concat([CONTENT, randomBytes(400_000)]));
    expect(await fetchModel(open())).toMatchObject({ status: 'failed', error: { code: 'corrupt_input' } });
    expect(await readdir(join(folder, '.downloads', NAME))).toEqual([]);
  });

  test.each([404, 403])('status %i ends the download at once', async (status) => {
    host.behave({ status });
    expect(await fetchModel(open())).toMatchObject({ status: 'failed', error: { code: 'source_unreachable' } });
    expect(host.requests).toHaveLength(1);
  });

  test('a host that stays broken is given up after some attempts', async () => {
    host.behave({ status: 503 });
    expect(await fetchModel(open())).toMatchObject({ status: 'failed', error: { code: 'source_unreachable' } });
    expect(host.requests.length).toBeGreaterThan(1);
    expect(host.requests.length).toBeLessThan(10);
  });

  test('a host that breaks off and then refuses to go on, over and over, is given up too', async () => {
    host.behave({ refusesRanges: true, hangAfter: 100_000 });
    expect(await fetchModel(open({ idleLimitMs: 50 }))).toMatchObject({
      status: 'failed',
      error: { code: 'source_unreachable' },
    });
    expect(host.requests.length).toBeLessThan(20);
  });

  test.runIf(process.platform === 'linux').each([
    ['has no room left', '/dev/full', 'storage_full'],
    // Bytes that are no number are refused there as a broken disk refuses all: none of that is the host's fault.
    ['takes no bytes', '/proc/self/oom_score_adj', 'internal'],
  ])('a disk that %s is not put down to the host', async (_what, path, code) => {
    await mkdir(join(folder, '.downloads', NAME), { recursive: true });
    await symlink(path, join(folder, '.downloads', NAME, 'xyz.traineddata.part'));
    expect(await fetchModel(open())).toMatchObject({ status: 'failed', error: { code } });
    expect(host.requests).toHaveLength(1);
  });

  test('a page that stands in the place of a model without a checksum is no model', async () => {
    const model = oneModel(host.origin, CONTENT, { checksum: null, sizeBytes: null });
    host.behave({}, Buffer.from('<html>Sign in to the network first.</html>'));
    expect(await fetchModel(open({}, model))).toMatchObject({ status: 'failed', error: { code: 'corrupt_input' } });
    host.behave({});
    expect(await fetchModel(open({}, model))).toMatchObject({ status: 'installed' });
    expect((await fetched()).equals(CONTENT)).toBe(true);
  });

  test('a disk without room is not begun on', async () => {
    const models = open({ freeBytes: async () => 1_000_000 });
    expect(await fetchModel(models)).toMatchObject({ status: 'failed', error: { code: 'storage_full' } });
  });

  test('two requests for one model are one download', async () => {
    host.behave({ hangAfter: 1000 });
    const models = open();
    const both = await Promise.all([models.startModelDownload(NAME), models.startModelDownload(NAME)]);
    expect(both[0].startedAt).toBe(both[1].startedAt);
    await expect.poll(() => models.modelDownloadProgress(NAME)?.receivedBytes).toBe(1000);
    expect(host.requests).toHaveLength(1);
  });

  test('a mirror is asked instead of the publisher', async () => {
    const model = oneModel('http://127.0.0.1:9', CONTENT);
    expect(await fetchModel(open({ mirrorUrl: () => `${host.origin}/mirror/` }, model))).toMatchObject({
      status: 'installed',
    });
    expect(host.requests.map(({ url }) => url)).toEqual(['/mirror/ocr-xyz/xyz.traineddata']);
  });

  test('a model whose publisher states no checksum is shown as unverified, its own kept on record', async () => {
    const models = open({}, oneModel(host.origin, CONTENT, { checksum: null, sizeBytes: null }));
    expect(await fetchModel(models)).toMatchObject({ status: 'installed' });
    expect((await models.listModelViews())[0]).toMatchObject({
      installed: true,
      verified: false,
      verifiable: false,
      origin: 'catalogue',
    });
    const record = JSON.parse(await readFile(join(folder, '.installed', `${NAME}.json`), 'utf8'));
    expect(record.files[0].sha256).toBe(createHash('sha256').update(CONTENT).digest('hex'));
  });

  test('sha-1, where a publisher states nothing better, is compared too', async () => {
    const hex = createHash('sha1').update(CONTENT).digest('hex');
    const good = open({}, oneModel(host.origin, CONTENT, { checksum: { algorithm: 'sha1', hex } }));
    expect(await fetchModel(good)).toMatchObject({ status: 'installed' });
    await good.removeInstalledModel(NAME);
    const bad = open(
      {},
      oneModel(host.origin, CONTENT, { checksum: { algorithm: 'sha1', hex: hex.replace(/./g, '0') } }),
    );
    expect(await fetchModel(bad)).toMatchObject({ status: 'failed', error: { code: 'corrupt_input' } });
  });

  test('a removed model is gone, its record too, and can be installed again', async () => {
    const models = open();
    await fetchModel(models);
    expect(await models.diskUseBytes()).toBe(CONTENT.length);
    await models.removeInstalledModel(NAME);
    expect(await models.diskUseBytes()).toBe(0);
    expect(await readdir(join(folder, '.installed'))).toEqual([]);
    await expect(models.removeInstalledModel(NAME)).rejects.toMatchObject({ code: 'not_found' });
    expect(await fetchModel(models)).toMatchObject({ status: 'installed' });
  });

  test('of a model in a folder no whole file is fetched twice, and none is offered before all are there', async () => {
    const { files, ...model } = oneModel(host.origin, CONTENT);
    const several = {
      ...model,
      files: ['a.txt', 'b.txt'].map((name) => ({ ...files[0], name, url: `${host.origin}/${name}` })),
    };
    const stopped = async () => {
      const models = open({}, several as CatalogueModel);
      host.behave({ hangsNotAt: '/a.txt', hangAfter: 1000 });
      await models.startModelDownload(NAME);
      await expect.poll(() => models.modelDownloadProgress(NAME)?.receivedBytes).toBe(CONTENT.length + 1000);
      await models.closeModels();
    };
    await stopped();
    expect(await readdir(folder)).toEqual(['.downloads']);
    host.behave({});
    expect(await fetchModel(open({}, several as CatalogueModel))).toMatchObject({ status: 'installed' });
    expect(host.requests.map(({ url }) => url)).toEqual(['/a.txt', '/b.txt', '/b.txt']);
    expect((await readdir(join(folder, NAME))).sort()).toEqual(['a.txt', 'b.txt']);
    expect((await readFile(join(folder, NAME, 'a.txt'))).equals(CONTENT)).toBe(true);
    await open({}, several as CatalogueModel)
      .removeInstalledModel(NAME)
      .catch(() => rm(join(folder, NAME), { recursive: true }));
    await stopped();
    await open({}, several as CatalogueModel).removeInstalledModel(NAME);
    expect(await readdir(join(folder, '.downloads'))).toEqual([]);
  });

  test('closing stops downloads and keeps what was fetched', async () => {
    host.behave({ hangAfter: 200_000 });
    const models = open();
    await models.startModelDownload(NAME);
    await expect.poll(() => models.modelDownloadProgress(NAME)?.receivedBytes).toBe(200_000);
    await models.closeModels();
    expect((await readFile(join(folder, '.downloads', NAME, 'xyz.traineddata.part'))).length).toBe(200_000);
  });
});

describe('a small text of a host', () => {
  const limits = { mostBytes: 1_000_000, signal: new AbortController().signal };
  const read = (changes: { limitMs?: number; signal?: AbortSignal } = {}) =>
    fetchSmallText(createModelClient('test'), `${host.origin}/sums`, { ...limits, ...changes });

  test('is read whole', async () => {
    expect(await read()).toBe(CONTENT.toString('utf8'));
  });

  test.each([
    ['breaks off', { breakAfter: [1000] }, {}],
    ['never ends', { hangAfter: 1000 }, { limitMs: 50 }],
    ['is not there', { status: 404 }, {}],
  ])('that %s is the host’s fault', async (_what, behaviour, changes) => {
    host.behave(behaviour);
    await expect(read(changes)).rejects.toMatchObject({ code: 'source_unreachable' });
  });

  test('that nobody wants any more is left with the reason', async () => {
    host.behave({ hangAfter: 1000 });
    const abort = new AbortController();
    const text = read({ signal: abort.signal });
    await expect.poll(() => host.requests.length).toBe(1);
    abort.abort(new Error('changed my mind'));
    await expect(text).rejects.toThrow('changed my mind');
  });
});

describe('models put there by hand', () => {
  beforeEach(() => mkdir(folder, { recursive: true }));

  test('files are offered under their names without the endings, at once', async () => {
    const models = open();
    await writeFile(join(folder, 'tiny-closed-vocab.en.ggml.bin'), 'x');
    await writeFile(join(folder, 'stories260K.gguf'), 'x');
    await writeFile(join(folder, 'my-embedder.gguf'), 'x');
    await writeFile(join(folder, 'notes.md'), 'x');
    await mkdir(join(folder, 'tiny-closed-vocab.en-onnx'));
    for (const name of ['encoder.onnx', 'decoder.onnx', 'tokens.txt']) {
      await writeFile(join(folder, 'tiny-closed-vocab.en-onnx', name), 'xy');
    }
    await mkdir(join(folder, 'unfinished-onnx'));
    await writeFile(join(folder, 'unfinished-onnx', 'encoder.onnx'), 'x');
    const byHand = (await models.listModelViews()).filter((model) => model.origin === 'by-hand');
    expect(byHand.map(({ name, kind, format, sizeBytes }) => [name, kind, format, sizeBytes])).toEqual([
      ['my-embedder', 'embedding', 'gguf', 1],
      ['stories260K', 'text', 'gguf', 1],
      ['tiny-closed-vocab.en-onnx', 'speech', 'onnx-folder', 6],
      ['tiny-closed-vocab.en', 'speech', 'ggml', 1],
    ]);
    expect(byHand.every((model) => model.installed && !model.verified)).toBe(true);
  });

  test('files are offered whatever they are called, and removed by that name', async () => {
    const models = open();
    const names = ['My model (1)', 'Größe+x@y', 'Loud'];
    await writeFile(join(folder, 'My model (1).gguf'), 'x');
    await writeFile(join(folder, 'Größe+x@y.ggml.bin'), 'x');
    await writeFile(join(folder, 'Loud.GGUF'), 'x');
    for (const passed of ['.hidden.gguf', 'line\nend.gguf', 'my own.traineddata'])
      await writeFile(join(folder, passed), 'x');
    const byHand = async () =>
      (await models.listModelViews()).filter(({ origin }) => origin === 'by-hand').map(({ name }) => name);
    expect((await byHand()).sort()).toEqual([...names].sort());
    expect(await models.requireInstalled('My model (1)', 'text')).toMatchObject({ format: 'gguf' });
    for (const name of names) await models.removeInstalledModel(name);
    expect(await byHand()).toEqual([]);
  });

  test('a model in parts is one model once all are there, and is removed with all of them', async () => {
    const models = open();
    const offered = async () =>
      (await models.listModelViews()).flatMap(({ name, origin, sizeBytes }) =>
        origin === 'by-hand' ? [[name, sizeBytes]] : [],
      );
    await writeFile(join(folder, 'large-00001-of-00003.gguf'), 'x');
    await writeFile(join(folder, 'large-00003-of-00003.gguf'), 'xyz');
    expect(await offered()).toEqual([]);
    await writeFile(join(folder, 'large-00002-of-00003.gguf'), 'xy');
    expect(await offered()).toEqual([['large', 6]]);
    expect(await models.requireInstalled('large', 'text')).toMatchObject({
      path: join(folder, 'large-00001-of-00003.gguf'),
    });
    await models.removeInstalledModel('large');
    expect(await readdir(folder)).toEqual([]);
  });

  test('the half of a model that looks at pictures is offered as none', async () => {
    for (const name of ['mmproj-model-f16.gguf', 'Seer-mmproj-Q8_0.gguf']) await writeFile(join(folder, name), 'x');
    expect((await open().listModelViews()).filter(({ origin }) => origin === 'by-hand')).toEqual([]);
  });

  test('the file of a catalogue entry counts as that entry, unverified', async () => {
    await writeFile(join(folder, 'xyz.traineddata'), 'by hand');
    expect(await open().listModelViews()).toMatchObject([
      { name: NAME, installed: true, verified: false, origin: 'by-hand' },
    ]);
  });

  test.each(['../outside', '..', '.installed', 'a/b', ''])('the name %j removes nothing', async (name) => {
    await writeFile(join(root, 'outside'), 'x');
    await expect(open().removeInstalledModel(name)).rejects.toMatchObject({ code: 'not_found' });
    expect(await readdir(root)).toContain('outside');
  });

  test('an unknown name is told from one that could be installed', async () => {
    await expect(open().requireInstalled('no-such', 'speech')).rejects.toMatchObject({ code: 'invalid_request' });
    const missing = open().requireInstalled(NAME, 'ocr-language');
    await expect(missing).rejects.toMatchObject({
      code: 'model_not_installed',
      message: expect.stringContaining(NAME),
    });
  });
});

describe('languages of text recognition', () => {
  test.each([
    ['en', 'eng'],
    ['deu', 'deu'],
    ['de-AT', 'deu'],
    ['pt-BR', 'por'],
    ['zh', 'chi_sim'],
    ['zh-Hant', 'chi_tra'],
    ['zh-TW', 'chi_tra'],
    ['nb', 'nor'],
  ])('%s is %s', (code, name) => {
    expect(tesseractLanguage(code)).toBe(name);
  });

  test('english is there from the start; another language names what to install', async () => {
    const ocr = createOcrModels(open(), '/resources/eng.traineddata');
    expect(await ocr.modelFor('en-GB')).toEqual({ name: 'eng', path: '/resources/eng.traineddata' });
    await expect(ocr.modelFor('de')).rejects.toMatchObject({
      code: 'model_not_installed',
      message: expect.stringContaining('ocr-deu'),
    });
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'deu.traineddata'), 'x');
    expect(await ocr.modelFor('de')).toEqual({ name: 'deu', path: join(folder, 'deu.traineddata') });
  });
});

test('the catalogue that comes with the product is sound, and offers what the interface names', async () => {
  const catalogue = await readCatalogue(new URL('../../resources/models/', import.meta.url));
  const names = catalogue.map((model) => model.name);
  expect(names).toContain('whisper-large-v3');
  expect(names).toContain('ocr-deu');
  for (const { files } of catalogue) for (const file of files) expect(file.url).toMatch(/^https:/);
});

test('a ggml file under the plain name of a Whisper model stays offered by it, until it is removed', async () => {
  const catalogue = await readCatalogue(new URL('../../resources/models/', import.meta.url));
  const models = open({ catalogue });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'whisper-base.ggml.bin'), 'x');
  const base = async () => (await models.listModelViews()).filter(({ name }) => name === 'whisper-base');
  expect(await base()).toMatchObject([{ installed: true, format: 'ggml', origin: 'by-hand', recommended: true }]);
  await expect(models.startModelDownload('whisper-base')).rejects.toMatchObject({ code: 'conflict' });
  await models.removeInstalledModel('whisper-base');
  expect(await base()).toMatchObject([{ installed: false }]);
});

test('the catalogue offers models of the built-in engine before ggml, each file pinned by commit, size and SHA-256', async () => {
  const catalogue = await readCatalogue(new URL('../../resources/models/', import.meta.url));
  const speech = catalogue.filter(({ kind }) => kind === 'speech');
  const onnx = speech.filter(({ files }) => files.every(({ name }) => /\.(onnx|txt)$/.test(name)));
  expect(speech.slice(0, onnx.length)).toEqual(onnx);
  expect(speech.slice(onnx.length).every(({ name }) => name.endsWith('-ggml'))).toBe(true);
  const sizes = ['tiny', 'tiny.en', 'base', 'base.en', 'small', 'small.en', 'medium', 'medium.en', 'large-v3'];
  const names = [...sizes, 'large-v3-turbo', 'distil-small.en'].map((size) => `whisper-${size}`);
  const others = ['parakeet-tdt-0.6b-v3', 'sense-voice-small', 'moonshine-base.en'];
  expect(onnx.map(({ name }) => name).sort()).toEqual([...names, ...others].sort());
  const pinned = [...onnx, ...catalogue.filter(({ kind }) => kind === 'text')].flatMap(({ files }) => files);
  for (const { url, sizeBytes, checksum } of pinned) {
    expect(url).toMatch(/\/resolve\/[0-9a-f]{40}\//);
    expect(sizeBytes).toBeGreaterThan(0);
    expect(checksum?.algorithm).toBe('sha256');
  }
  const [first] = speech;
  expect(recommendedOf(catalogue, 'speech')).toBe(first);
  expect(first && offerOf(first)).toBe('Whisper base (161 MB)');
});

describe('the choice of a model', async () => {
  const catalogue = await readCatalogue(new URL('../../resources/models/', import.meta.url));
  const laptop = { memoryBytes: 16e9, freeDiskBytes: 200e9 };
  const small = { memoryBytes: 2e9, freeDiskBytes: 8e9 };
  const namesFor = (language: string | null, machine = laptop, need: ModelKind = 'speech') =>
    recommendModels(catalogue, need, language, machine).map(({ name }) => name);

  test.each([
    [null, 'whisper-base'],
    ['cy', 'whisper-base'],
    ['de-AT', 'parakeet-tdt-0.6b-v3'],
    ['eng', 'parakeet-tdt-0.6b-v3'],
    ['yue', 'sense-voice-small'],
  ])('for the language %s is %s, then others that know it', (language, name) => {
    const choices = recommendModels(catalogue, 'speech', language, laptop);
    expect(choices[0]).toMatchObject({ name, recommended: true, fits: true });
    expect(choices.map(({ recommended }) => recommended)).toEqual([true, false, false, false]);
    expect(choices.every(({ note }) => /^\S.*[.]$/.test(note))).toBe(true);
    expect(choices.filter((choice) => choice.name.endsWith('-ggml') || choice.name.includes('.en'))).toHaveLength(
      language === 'eng' ? 1 : 0,
    );
  });

  test('on a weak machine is one that it can run; the others say that they do not fit', () => {
    expect(recommendModels(catalogue, 'speech', 'en', small)).toMatchObject([
      { name: 'moonshine-base.en', recommended: true, fits: true },
      { name: 'parakeet-tdt-0.6b-v3', recommended: false, fits: false },
      { name: 'whisper-base', fits: true },
      { name: 'whisper-small', fits: true },
    ]);
    expect(namesFor('de', small)[0]).toBe('whisper-base');
  });

  test('where none fits is the smallest, with that said', () => {
    const [first, ...others] = recommendModels(catalogue, 'speech', null, { ...laptop, freeDiskBytes: 1e6 });
    expect(first).toMatchObject({ name: 'whisper-tiny', recommended: true, fits: false });
    expect(others.every(({ fits }) => !fits)).toBe(true);
  });

  test('for text and search is one small model, with a bigger and a smaller one for text', () => {
    expect(namesFor(null, laptop, 'text')).toEqual(['qwen3-1.7b', 'qwen3-4b-instruct-2507', 'qwen3-0.6b']);
    expect(namesFor(null, laptop, 'embedding')).toEqual(['nomic-embed-text-v1.5']);
  });

  test('for speaking an unknown language is the first voice of each language, the English one before', () => {
    const firsts = ['kokoro-en', 'piper-de-thorsten', 'piper-fr-siwis', 'piper-es-davefx'];
    expect(namesFor(null, laptop, 'voice')).toEqual(firsts);
    expect(namesFor('en', laptop, 'voice')[0]).toBe('kokoro-en');
    expect(namesFor('de', laptop, 'voice')).toEqual(['piper-de-thorsten']);
  });
});

describe('a model that is published as an archive', () => {
  /** What the publisher's archive holds: one folder with files and a folder of data. */
  async function archiveOf(files: Readonly<Record<string, string>>, extra: readonly string[] = []): Promise<Buffer> {
    const source = join(root, 'source');
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(source, 'published', name)), { recursive: true });
      await writeFile(join(source, 'published', name), content);
    }
    if (extra.includes('link')) await symlink('/etc/hostname', join(source, 'published/link.txt'));
    const path = join(root, 'voice.tar.bz2');
    execFileSync('tar', ['-C', source, '-cjf', path, 'published']);
    return readFile(path);
  }

  const FILES = { 'tiny.onnx': 'model', 'tokens.txt': 'a 1\n', 'espeak-ng-data/phontab': 'phones' };

  async function installed(archive: Buffer) {
    await host.close();
    host = await startModelHost(archive);
    const { files } = oneModel(host.origin, archive);
    const [file] = files;
    const model = { ...oneModel(host.origin, archive), kind: 'voice', files: [{ ...file, unpack: 'tar.bz2' }] };
    const models = open({}, model as CatalogueModel);
    return { models, progress: await fetchModel(models) };
  }

  test('is unpacked into a folder of its name, and the archive is gone', async () => {
    const { models, progress } = await installed(await archiveOf(FILES));
    expect(progress).toMatchObject({ status: 'installed', error: null });
    const [found] = await models.installed('voice');
    expect(found).toMatchObject({ name: NAME, format: 'voice-folder', verified: true, voice: { family: 'vits' } });
    expect(await readdir(join(folder, NAME))).toEqual(['espeak-ng-data', 'tiny.onnx', 'tokens.txt']);
    expect(await readdir(join(folder, '.downloads'))).toEqual([]);
  });

  test('writes neither links nor files elsewhere', async () => {
    const { progress } = await installed(await archiveOf(FILES, ['link']));
    expect(progress?.status).toBe('installed');
    expect(await readdir(join(folder, NAME))).not.toContain('link.txt');
  });

  test('that is no archive fails with what to do', async () => {
    const { progress, models } = await installed(randomBytes(5000));
    expect(progress).toMatchObject({ status: 'failed', error: { code: 'corrupt_input' } });
    expect(await models.installed()).toEqual([]);
  });
});

describe('the sample of a voice', () => {
  const sounds = {
    mp3: Buffer.from('ID3\u0003 and a sound', 'latin1'),
    page: Buffer.from('<html>Sign in first</html>'),
  };

  async function openWith(files: Readonly<Record<string, Buffer>>) {
    const sounding = await startModelHost(files);
    const voice: CatalogueModel = {
      ...oneModel(host.origin, CONTENT),
      kind: 'voice',
      sample: { url: 'https://voices.localhost/a/speaker_0.mp3', licence: 'CC0-1.0' },
    };
    const models = open({ mirrorUrl: () => sounding.origin }, voice);
    return { models, sounding };
  }

  test('is fetched when it is asked for, and not before', async () => {
    const { models, sounding } = await openWith({ [`/${NAME}/speaker_0.mp3`]: sounds.mp3 });
    const [view] = await models.listModelViews();
    expect(view?.sampleSource).toBe('voices.localhost');
    expect(sounding.requests).toEqual([]);
    const { bytes, mediaType } = await models.fetchVoiceSample(NAME, new AbortController().signal);
    expect(mediaType).toBe('audio/mpeg');
    expect(bytes.equals(sounds.mp3)).toBe(true);
    await sounding.close();
  });

  test.each([
    ['a page', sounds.page, 'corrupt_input'],
    ['five megabytes', Buffer.concat([sounds.mp3, Buffer.alloc(5_000_000)]), 'corrupt_input'],
    ['nothing', Buffer.alloc(0), 'corrupt_input'],
  ])('%s is refused', async (_, content, code) => {
    const { models, sounding } = await openWith({ [`/${NAME}/speaker_0.mp3`]: content });
    await expect(models.fetchVoiceSample(NAME, new AbortController().signal)).rejects.toMatchObject({ code });
    await sounding.close();
  });

  test('is missing at the host, or of a model that has none', async () => {
    const { models, sounding } = await openWith({});
    const { signal } = new AbortController();
    await expect(models.fetchVoiceSample(NAME, signal)).rejects.toMatchObject({ code: 'source_unreachable' });
    await expect(models.fetchVoiceSample('other', signal)).rejects.toMatchObject({ code: 'not_found' });
    await sounding.close();
  });

  test('of the catalogue comes over HTTPS under a free licence', async () => {
    const catalogue = await readCatalogue(new URL('../../resources/models/', import.meta.url));
    const samples = catalogue.flatMap(({ sample }) => sample ?? []);
    expect(samples.length).toBeGreaterThanOrEqual(5);
    for (const { licence } of samples) expect(['Apache-2.0', 'CC0-1.0', 'CC-BY-4.0', 'MIT']).toContain(licence);
  });
});
