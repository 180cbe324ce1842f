/** From a machine without ffmpeg, make and a compiler to the first transcript, with mirrors in the publishers' place. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { create } from 'tar';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { CatalogueModel, ModelView } from '../../../src-server/features/models/schema.ts';
import type { Problem } from '../../../src-server/platform/http/problem.ts';
import type { DownloadProgress } from '../../../src-server/platform/net/download.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { openMediaMaker, picturesAnd } from '../../harness/make-media.ts';
import {
  CLIPS,
  clips,
  GGML_MODEL,
  installSpeechModel,
  ONNX_MODEL,
  startWithSpeech,
  submit,
  transcribed,
} from '../../harness/speech.ts';
import { startModelHost } from '../../models/model-host.ts';

const RESOURCES = new URL('../../../resources/', import.meta.url);
const TINY = join(import.meta.dirname, '../../fixtures/models', ONNX_MODEL);
const MODEL = 'whisper-base';

/** The product's own data, whose recommended speech model has the bytes of the small one that the tests have. */
async function resourcesWithSmallModel(folder: string, publisher: string): Promise<URL> {
  for (const name of await readdir(RESOURCES)) {
    if (name !== 'models' && name !== 'tools')
      await symlink(fileURLToPath(new URL(name, RESOURCES)), join(folder, name));
  }
  for (const name of ['models', 'tools']) await mkdir(join(folder, name));
  // whisper.cpp publishes nothing for this machine.
  await writeFile(join(folder, 'tools', 'whisper-cli.json'), JSON.stringify({ ...RELEASE, archives: [] }));
  const speech = JSON.parse(await readFile(new URL('models/speech.json', RESOURCES), 'utf8')) as CatalogueModel[];
  for (const file of speech.find(({ name }) => name === MODEL)?.files ?? []) {
    const bytes = await readFile(join(TINY, file.name));
    const hex = createHash('sha256').update(bytes).digest('hex');
    Object.assign(file, { sizeBytes: bytes.length, aboutBytes: bytes.length, checksum: { algorithm: 'sha256', hex } });
    file.url = `${publisher}${new URL(file.url).pathname}`;
  }
  await writeFile(join(folder, 'models', 'speech.json'), JSON.stringify(speech));
  return pathToFileURL(`${folder}/`);
}

const RELEASE = { version: '1.9.1', licence: 'MIT' };
/** Stands in for whisper.cpp: hears one sentence in every window. */
const PROGRAM = `#!/bin/sh
case "$*" in *--help*) echo --model; exit 0;; esac
for argument; do
  case "$argument" in
    *.wav) echo '{"result":{"language":"en"},"transcription":[{"offsets":{"from":0,"to":1900},"text":" Heard."}]}' > "$argument.json";;
  esac
done
`;

/** The archive as whisper.cpp packs it: one folder with the program and its libraries. */
async function archiveOf(folder: string, program: string): Promise<Buffer> {
  const top = join(folder, 'whisper-bin');
  await mkdir(top, { recursive: true });
  await writeFile(join(top, 'whisper-cli'), program, { mode: 0o755 });
  await writeFile(join(top, 'libwhisper.so.1'), randomBytes(3_000_000));
  await create({ file: join(folder, 'whisper-bin.tar.gz'), gzip: true, cwd: folder }, ['whisper-bin']);
  return readFile(join(folder, 'whisper-bin.tar.gz'));
}

async function releaseOf(resources: string, url: string, archive: Buffer): Promise<void> {
  const { platform, arch } = process;
  const sha256 = createHash('sha256').update(archive).digest('hex');
  const published = { platform, arch, file: 'whisper-bin.tar.gz', url, sizeBytes: archive.length, sha256 };
  await writeFile(join(resources, 'tools', 'whisper-cli.json'), JSON.stringify({ ...RELEASE, archives: [published] }));
}

/** Serves the small model under the names of the publisher's repository. */
const publisher = createServer((request, response) => {
  const found = /^\/csukuangfj\/sherpa-onnx-whisper-base\/resolve\/[0-9a-f]{40}\/base-(.+)$/.exec(request.url ?? '');
  const name = found?.[1]?.replace('.int8', '') ?? '';
  readFile(join(TINY, name)).then(
    (bytes) => response.writeHead(200, { 'content-length': bytes.length, etag: `"${name}"` }).end(bytes),
    () => response.writeHead(404).end(),
  );
});

let folder: string;
let video: Buffer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quarry first transcript '));
  await new Promise<void>((resolve) => publisher.listen(0, '127.0.0.1', resolve));
  await using maker = await openMediaMaker();
  const pictures = picturesAnd(join(CLIPS, '01-meeting.wav'));
  video = await maker.make('meeting.mp4', [...pictures, '-c:v', 'libx264', '-pix_fmt', 'yuv420p', '-c:a', 'aac']);
  // From here on this machine has no programs.
  vi.stubEnv('PATH', folder);
});

afterAll(async () => {
  vi.unstubAllEnvs();
  publisher.closeAllConnections();
  await new Promise((resolve) => publisher.close(resolve));
  await rm(folder, { recursive: true, force: true });
});

test.skipIf(process.platform === 'win32')(
  'without ffmpeg, make and a compiler, one install leads to a transcript',
  async () => {
    const { port } = publisher.address() as AddressInfo;
    const resourcesFolder = await resourcesWithSmallModel(folder, `http://127.0.0.1:${port}`);
    await using appliance = await startAppliance({ resourcesFolder });
    const { owner } = appliance;
    const { tools } = (await (await owner('/admin/media')).json()) as { tools: { name: string; from: string }[] };
    expect(tools.find(({ name }) => name === 'node-av')).toMatchObject({ state: 'ready', from: 'included' });
    expect(tools.find(({ name }) => name === 'ffmpeg')).toMatchObject({ state: 'missing' });
    expect(tools.find(({ name }) => name === 'whisper-cli')).toMatchObject({ state: 'missing' });

    // A model for whisper.cpp does not help here: the answer names the one that does.
    await installSpeechModel(appliance, GGML_MODEL);
    const clip = await readFile(join(CLIPS, '01-meeting.wav'));
    const refused = await submit(appliance, clip, 'meeting.wav');
    expect(refused.status).toBe(503);
    const { code, detail } = (await refused.json()) as Problem;
    expect(code).toBe('model_not_installed');
    expect(detail).toMatch(/ need whisper-cli, .* Install Whisper base \(\d+ MB\) to continue: /);

    const { models } = (await (await owner('/admin/models')).json()) as { models: ModelView[] };
    const recommended = models.filter(({ recommended, kind }) => recommended && kind === 'speech');
    expect(recommended.map(({ name }) => name)).toEqual([MODEL]);
    const install = /POST (\/admin\/models\/\S+\/install)/.exec(detail ?? '')?.[1] ?? '';
    expect((await owner(install, { method: 'POST' })).status).toBe(202);
    const progress = async () => (await (await owner(`/admin/models/${MODEL}/progress`)).json()) as DownloadProgress;
    await expect.poll(async () => (await progress()).status).toMatch(/installed|failed/);
    expect(await progress()).toMatchObject({ status: 'installed', error: null });
    const after = (await (await owner('/admin/models')).json()) as { models: ModelView[] };
    expect(after.models.find(({ name }) => name === MODEL)).toMatchObject({
      installed: true,
      verified: true,
      format: 'onnx-folder',
      origin: 'catalogue',
    });

    const truth = (await clips()).find(({ file }) => file === '01-meeting.wav');
    const job = await transcribed(appliance, clip, 'meeting.wav', { language: 'en' });
    expect(job.error).toBeUndefined();
    expect(job.result?.segments.map(({ text }) => text).join(' ')).toBe(truth?.text);
    expect(job.result?.transcript).toMatchObject({ model: MODEL, engine: 'sherpa-onnx' });
    const seen = await transcribed(appliance, video, 'meeting.mp4', { language: 'en', captureFrames: true });
    expect(seen.error).toBeUndefined();
    expect(seen.result?.media).toMatchObject({ videoCodec: 'h264', audioCodec: 'aac', width: 160, height: 90 });
    expect(seen.result?.frames?.length).toBe(1);
  },
);

test.skipIf(process.platform === 'win32')(
  'a model for whisper.cpp runs once its published program is fetched, compared and tried out',
  async () => {
    const resources = await mkdtemp(join(tmpdir(), 'quarry resources '));
    const resourcesFolder = await resourcesWithSmallModel(resources, 'http://127.0.0.1:9');
    const broken = await archiveOf(join(resources, 'broken'), '#!/bin/sh\nexit 3\n');
    const archive = await archiveOf(join(resources, 'published'), PROGRAM);
    const host = await startModelHost(archive);
    const install = async (appliance: Appliance) => {
      const { owner } = appliance;
      expect((await owner('/admin/media/whisper-cli/install', { method: 'POST' })).status).toBe(202);
      const progress = async () =>
        (await (await owner('/admin/media/whisper-cli/progress')).json()) as DownloadProgress;
      await expect.poll(async () => (await progress()).status, { timeout: 60_000 }).toMatch(/installed|failed/);
      return progress();
    };
    const state = async ({ owner }: Appliance) => {
      const { tools } = (await (await owner('/admin/media')).json()) as { tools: { name: string; state: string }[] };
      return tools.find(({ name }) => name === 'whisper-cli')?.state;
    };

    await releaseOf(resources, `${host.origin}/whisper-bin.tar.gz`, broken);
    host.behave({}, broken);
    await using appliance = await startWithSpeech({ resourcesFolder }, [GGML_MODEL]);
    const clip = await readFile(join(CLIPS, '02-fox.wav'));
    expect(await state(appliance)).toBe('installable');
    expect(await install(appliance)).toMatchObject({ status: 'failed', error: { code: 'engine_unavailable' } });
    expect((await submit(appliance, clip, 'fox.wav')).status).toBe(503);

    await releaseOf(resources, `${host.origin}/whisper-bin.tar.gz`, archive);
    await appliance.restart();
    const changed = Buffer.from(archive).fill(0, archive.length - 1000);
    host.behave({}, changed);
    expect(await install(appliance)).toMatchObject({ status: 'failed', error: { code: 'corrupt_input' } });
    host.behave({ breakAfter: [2_000_000] }, archive);
    expect(await install(appliance)).toMatchObject({ status: 'installed', error: null });
    expect(host.requests.map(({ range }) => range)).toContainEqual(expect.stringMatching(/^bytes=[1-9]\d*-$/));
    expect(await state(appliance)).toBe('ready');
    const job = await transcribed(appliance, clip, 'fox.wav', { transcriptionModel: GGML_MODEL });
    expect(job.result?.segments.map(({ text }) => text)).toEqual(['Heard.']);
    await host.close();
    await rm(resources, { recursive: true, force: true });
  },
);
