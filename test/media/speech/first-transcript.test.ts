/** From a machine without ffmpeg, make and a compiler to the first transcript, with a mirror in the publisher's place. */
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { CatalogueModel, ModelView } from '../../../src-server/features/models/schema.ts';
import type { Problem } from '../../../src-server/platform/http/problem.ts';
import type { DownloadProgress } from '../../../src-server/platform/net/download.ts';
import { startAppliance } from '../../harness/appliance.ts';
import { openMediaMaker, picturesAnd } from '../../harness/make-media.ts';
import { CLIPS, clips, GGML_MODEL, installSpeechModel, ONNX_MODEL, submit, transcribed } from '../../harness/speech.ts';

const RESOURCES = new URL('../../../resources/', import.meta.url);
const TINY = join(import.meta.dirname, '../../fixtures/models', ONNX_MODEL);
const MODEL = 'whisper-base';

/** The product's own data, whose recommended speech model has the bytes of the small one that the tests have. */
async function resourcesWithSmallModel(folder: string, publisher: string): Promise<URL> {
  for (const name of await readdir(RESOURCES)) {
    if (name !== 'models') await symlink(fileURLToPath(new URL(name, RESOURCES)), join(folder, name));
  }
  await mkdir(join(folder, 'models'));
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
