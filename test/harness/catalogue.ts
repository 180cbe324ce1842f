/** A model host on loopback, and the product's resources with a catalogue of what it serves. */
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { CatalogueModel } from '../../src-server/features/models/schema.ts';
import { startModelHost } from '../models/model-host.ts';

const RESOURCES = new URL('../../resources/', import.meta.url);
const MODELS = join(import.meta.dirname, '../fixtures/models');
const ENGLISH_DATA = new URL('ocr/eng.traineddata', RESOURCES);

export type Entry = Omit<CatalogueModel, 'files' | 'licence' | 'language'> & { files: Record<string, Buffer> };

export interface CatalogueBed extends AsyncDisposable {
  /** For `startAppliance`. */
  resourcesFolder: URL;
  host: Awaited<ReturnType<typeof startModelHost>>;
}

/** Files that engines of the product read, as models of a catalogue. */
export async function realEntries(): Promise<Entry[]> {
  const story = await readFile(join(MODELS, 'stories260K.gguf'));
  return [
    { name: 'tiny-writer', kind: 'text', title: 'Tiny writer', files: { 'tiny-writer.gguf': story } },
    { name: 'tiny-embed', kind: 'embedding', title: 'Tiny embed', files: { 'tiny-embed.gguf': story } },
    {
      ...{ name: 'tiny.en', kind: 'speech', title: 'Tiny English', languages: ['en'] },
      files: await filesOf('tiny-closed-vocab.en-onnx', ['encoder.onnx', 'decoder.onnx', 'tokens.txt']),
    },
    {
      ...{ name: 'tones', kind: 'voice', title: 'Tones' },
      files: await filesOf('tones-voice', ['tones.onnx', 'lexicon.txt', 'tokens.txt']),
    },
    {
      ...{ name: 'ocr-deu', kind: 'ocr-language', title: 'Text recognition: German' },
      files: { 'deu.traineddata': await readFile(ENGLISH_DATA) },
    },
  ];
}

async function filesOf(folder: string, names: readonly string[]): Promise<Record<string, Buffer>> {
  const read = names.map(async (name) => [name, await readFile(join(MODELS, folder, name))] as const);
  return Object.fromEntries(await Promise.all(read));
}

export async function openCatalogue(entries: readonly Entry[]): Promise<CatalogueBed> {
  const served: Record<string, Buffer> = {};
  for (const { name, files } of entries) {
    for (const [file, bytes] of Object.entries(files)) served[`/${name}/${file}`] = bytes;
  }
  const host = await startModelHost(served);
  const folder = await mkdtemp(join(tmpdir(), 'quarry resources '));
  for (const name of await readdir(RESOURCES)) {
    if (name !== 'models') await symlink(fileURLToPath(new URL(name, RESOURCES)), join(folder, name));
  }
  await mkdir(join(folder, 'models'));
  const catalogue = entries.map((entry) => ({
    ...{ ...entry, licence: 'MIT', language: null },
    files: Object.entries(entry.files).map(([name, bytes]) => fileOf(`${host.origin}/${entry.name}/${name}`, bytes)),
  }));
  await writeFile(join(folder, 'models', 'all.json'), JSON.stringify(catalogue));
  return {
    resourcesFolder: pathToFileURL(`${folder}/`),
    host,
    [Symbol.asyncDispose]: async () => {
      await host.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function fileOf(url: string, bytes: Buffer): CatalogueModel['files'][0] {
  const hex = createHash('sha256').update(bytes).digest('hex');
  const name = url.slice(url.lastIndexOf('/') + 1);
  return {
    ...{ name, url, sizeBytes: bytes.length, aboutBytes: bytes.length },
    checksum: { algorithm: 'sha256', hex },
  };
}
