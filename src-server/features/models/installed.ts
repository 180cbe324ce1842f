/**
 * Lists the models folder: models of the catalogue, and files that the owner added by hand. The folder is read on each
 * call, so a new file is offered without a restart.
 */

import type { Dirent, Stats } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { z } from 'zod';
import { type CatalogueFile, MODEL_NAME } from '../../platform/net/download.ts';
import {
  type CatalogueModel,
  type MODEL_FORMATS,
  MODEL_KINDS,
  type ModelKind,
  NAME_BY_HAND,
  namesEmbedding,
  type SpeechFolder,
  type VoiceFolder,
} from './schema.ts';
import { speechFolderOf } from './speech-folder.ts';
import { isVocoder, voiceFolderOf } from './voice-folder.ts';

/** How a model's bytes are laid out, which decides the engine that reads it. */
export type ModelFormat = (typeof MODEL_FORMATS)[number];

export interface InstalledModel {
  name: string;
  kind: ModelKind;
  /** Language from the catalogue; null when unknown. */
  language: string | null;
  /** Codes from the catalogue of the languages that it knows; null when it knows many, or when unknown. */
  languages: readonly string[] | null;
  /** Codes from the catalogue of the languages for which it comes first. */
  recommendedFor: readonly string[];
  /** The recogniser in a folder; null for other models. */
  speech: SpeechFolder | null;
  /** The synthesiser in a folder; null for other models. */
  voice: VoiceFolder | null;
  format: ModelFormat;
  /** Absolute path of the file or folder. Never shown. */
  path: string;
  /** Further parts of a split model, after the first. */
  otherPaths: readonly string[];
  sizeBytes: number;
  /** Changes when the file is replaced under the same name. */
  revision: string;
  /** The files matched upstream's checksums when they were downloaded. */
  verified: boolean;
  origin: 'catalogue' | 'by-hand';
}

/** File name endings by format. The first match counts, and the rest of the name is the model's name. */
const ENDINGS: readonly { ending: string; format: ModelFormat; kind: ModelKind }[] = [
  { ending: '.ggml.bin', format: 'ggml', kind: 'speech' },
  { ending: '.bin', format: 'ggml', kind: 'speech' },
  { ending: '.gguf', format: 'gguf', kind: 'text' },
  { ending: '.traineddata', format: 'traineddata', kind: 'ocr-language' },
  { ending: '.traineddata.gz', format: 'traineddata', kind: 'ocr-language' },
  { ending: '.onnx', format: 'onnx', kind: 'vad' },
  { ending: '.sf2', format: 'soundfont', kind: 'soundfont' },
  { ending: '.sf3', format: 'soundfont', kind: 'soundfont' },
];

/** Kinds with free names. The other kinds have meaningful ones: a voice's slug, a recogniser's language code. */
const NAMED_FREELY: ReadonlySet<ModelKind> = new Set(['text', 'embedding', 'speech', 'speakers', 'vad', 'soundfont']);

/** The vision part of a model. It generates no text by itself. */
const PICTURE_HALF = /mmproj/i;

const RECORDS = '.installed';

const DOWNLOADS = '.downloads';

/** Windows cannot delete a file that a process has open, and a killed process takes a moment to exit. */
const REMOVE_RETRIES = 5;

/** Record of a finished download. */
export const InstallRecord = z.object({
  name: z.string().regex(MODEL_NAME),
  kind: z.enum(MODEL_KINDS),
  verified: z.boolean(),
  installedAt: z.number(),
  files: z.array(z.object({ name: z.string().regex(MODEL_NAME), sizeBytes: z.number(), sha256: z.string() })),
});

export type InstallRecord = z.infer<typeof InstallRecord>;

/** Path of an installed catalogue model: its only file, or the folder of its files. */
function pathOfModel(folder: string, model: CatalogueModel): string {
  const [first] = model.files;
  return join(folder, first !== undefined && !isModelFolder(model) ? first.name : model.name);
}

/** Whether a model is a folder: it has several files, or an archive of them. */
function isModelFolder({ files }: CatalogueModel): boolean {
  return files.length > 1 || files.some(({ unpack }) => unpack !== undefined);
}

/** Where the files of a model are collected until it is complete. */
export function wholeFolder(folder: string, name: string): string {
  return join(downloadsOf(folder, name), 'whole');
}

/** Folder for the partial download of a model. */
export function downloadsOf(folder: string, name: string): string {
  return join(folder, DOWNLOADS, name);
}

/** Path of a downloaded file. A model with several files collects them in one folder until all are complete. */
export function pathOfWhole(folder: string, model: CatalogueModel, file: CatalogueFile): string {
  if (!isModelFolder(model)) return pathOfModel(folder, model);
  return join(file.unpack ? downloadsOf(folder, model.name) : wholeFolder(folder, model.name), file.name);
}

/** Moves a model into place once all its files are downloaded. */
export async function putModelInPlace(folder: string, model: CatalogueModel): Promise<void> {
  if (!isModelFolder(model)) return;
  const path = pathOfModel(folder, model);
  await rm(path, { recursive: true, force: true });
  await rename(wholeFolder(folder, model.name), path);
}

/** Lists the usable models. Hidden names, unknown endings and unreadable files are skipped. */
export async function readInstalled(folder: string, catalogue: readonly CatalogueModel[]): Promise<InstalledModel[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [] as Dirent[];
    throw error;
  });
  const byPath = new Map(catalogue.map((model) => [pathOfModel(folder, model), model]));
  const usable: Found[] = [];
  for (const entry of entries.sort((a, b) => a.name.localeCompare(b.name))) {
    if (!NAME_BY_HAND.test(entry.name)) continue;
    const path = join(folder, entry.name);
    const found = await modelAt(path, entry).catch(skipUnreadableEntry);
    if (found === null || !(MODEL_NAME.test(entry.name) || NAMED_FREELY.has(found.kind))) continue;
    usable.push(found);
  }
  const installed: InstalledModel[] = [];
  for (const found of joinParts(usable)) {
    const known = byPath.get(found.path);
    const record = known === undefined ? null : await readRecord(folder, known.name);
    installed.push({
      ...found,
      name: known?.name ?? found.name,
      kind: known?.kind ?? found.kind,
      language: known?.language ?? null,
      languages: known?.languages ?? null,
      recommendedFor: known?.recommendedFor ?? [],
      verified: record?.verified ?? false,
      origin: record === null ? 'by-hand' : 'catalogue',
    });
  }
  return installed;
}

async function modelAt(path: string, entry: Dirent): Promise<Found | null> {
  const isFolder = entry.isDirectory() || (entry.isSymbolicLink() && (await stat(path)).isDirectory());
  return isFolder ? modelFolder(path, entry.name) : modelFile(path, entry.name);
}

/**
 * Skips an entry that cannot be read, such as a dangling link, a folder without permission, or a file renamed just now.
 * It must not hide the other models.
 */
function skipUnreadableEntry(error: NodeJS.ErrnoException): null {
  if (error.syscall === undefined) throw error;
  return null;
}

type FromCatalogue = 'verified' | 'origin' | 'language' | 'languages' | 'recommendedFor';

type Found = Omit<InstalledModel, FromCatalogue | 'otherPaths'>;

async function modelFile(path: string, fileName: string): Promise<Found | null> {
  const lower = fileName.toLowerCase();
  const known = ENDINGS.find(({ ending }) => fileName.length > ending.length && lower.endsWith(ending));
  if (known === undefined || isVocoder(fileName)) return null;
  const name = fileName.slice(0, -known.ending.length);
  if (known.format === 'gguf' && PICTURE_HALF.test(name)) return null;
  const stats = await stat(path);
  if (!stats.isFile() || stats.size === 0) return null;
  const kind = known.format === 'gguf' && namesEmbedding(name) ? 'embedding' : known.kind;
  const { format } = known;
  return { name, kind, format, path, sizeBytes: stats.size, revision: fileRevision(stats), speech: null, voice: null };
}

async function modelFolder(path: string, name: string): Promise<Found | null> {
  const names = new Set(await readdir(path));
  const is = await folderKind(path, name, names);
  if (is === null) return null;
  const files = await Promise.all([...names].sort().map((file) => stat(join(path, file))));
  const sizeBytes = files.reduce((sum, { size }) => sum + size, 0);
  return { name, ...is, path, sizeBytes, revision: files.map(fileRevision).join(' ') };
}

function fileRevision({ size, mtimeMs, ino }: Stats): string {
  return `${size}-${mtimeMs}-${ino}`;
}

/** The two networks of a speaker model. */
const SPEAKER_FILES = ['segmentation.onnx', 'embedding.onnx'];

/** Detects the kind of a sherpa-onnx folder from its files. */
async function folderKind(
  path: string,
  name: string,
  names: ReadonlySet<string>,
): Promise<Pick<Found, 'kind' | 'format' | 'speech' | 'voice'> | null> {
  const none = { speech: null, voice: null };
  const speech = speechFolderOf(name, names);
  if (speech !== null) return { ...none, kind: 'speech', format: 'onnx-folder', speech };
  if (SPEAKER_FILES.every((file) => names.has(file))) return { ...none, kind: 'speakers', format: 'onnx-folder' };
  const voice = await voiceFolderOf(path, names);
  return voice === null ? null : { ...none, kind: 'voice', format: 'voice-folder', voice };
}

/** A file of a model. */
export interface ModelFile {
  /** In the models folder, with slashes. */
  name: string;
  path: string;
  sizeBytes: number;
}

/** A file, or the files of a folder at any depth. */
export async function filesUnder(folder: string, path: string): Promise<ModelFile[]> {
  const stats = await stat(path);
  if (stats.isFile()) return [{ name: relative(folder, path).replaceAll('\\', '/'), path, sizeBytes: stats.size }];
  const names = (await readdir(path)).filter((name) => !name.startsWith('.')).sort();
  return (await Promise.all(names.map((name) => filesUnder(folder, join(path, name))))).flat();
}

export async function removeFiles({ path, otherPaths }: InstalledModel): Promise<void> {
  for (const one of [...otherPaths, path]) await rm(one, { recursive: true, force: true, maxRetries: REMOVE_RETRIES });
}

export async function readRecord(folder: string, name: string): Promise<InstallRecord | null> {
  try {
    return InstallRecord.parse(JSON.parse(await readFile(recordPath(folder, name), 'utf8')));
  } catch {
    // Without a matching record, the model counts as added by hand and unverified.
    return null;
  }
}

export async function writeRecord(folder: string, record: InstallRecord): Promise<void> {
  await mkdir(join(folder, RECORDS), { recursive: true });
  const path = recordPath(folder, record.name);
  await writeFile(`${path}.part`, JSON.stringify(record));
  await rename(`${path}.part`, path);
}

export function recordPath(folder: string, name: string): string {
  return join(folder, RECORDS, `${name}.json`);
}

/**
 * Large models are published in parts, `…-00001-of-00003.gguf`. The engine opens the first and finds the others beside
 * it.
 */
const PART = /^(?<name>.+)-(?<number>\d{5})-of-(?<count>\d{5})$/;

interface Part {
  name: string;
  path: string;
  sizeBytes: number;
  revision: string;
}

/** A model with its further parts. */
type Whole<One extends Part> = One & { otherPaths: readonly string[] };

/** Joins complete sets of parts to one model with their common name. Incomplete sets are skipped. */
function joinParts<One extends Part>(found: readonly One[]): Whole<One>[] {
  const models: Whole<One>[] = [];
  const split = new Map<string, Map<number, One>>();
  for (const one of found) {
    const said = PART.exec(one.name)?.groups;
    if (said === undefined) models.push({ ...one, otherPaths: [] });
    else {
      const key = `${said.name} ${said.count}`;
      split.set(key, (split.get(key) ?? new Map()).set(Number(said.number), one));
    }
  }
  for (const parts of split.values()) {
    const whole = wholeOf(parts);
    if (whole !== null) models.push(whole);
  }
  return models;
}

function wholeOf<One extends Part>(parts: ReadonlyMap<number, One>): Whole<One> | null {
  const first = parts.get(1);
  const said = first === undefined ? undefined : PART.exec(first.name)?.groups;
  if (first === undefined || said === undefined) return null;
  const others: One[] = [];
  for (let number = 2; number <= Number(said.count); number += 1) {
    const part = parts.get(number);
    if (part === undefined) return null;
    others.push(part);
  }
  const all = [first, ...others];
  return {
    ...first,
    name: said.name ?? first.name,
    otherPaths: others.map(({ path }) => path),
    sizeBytes: all.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    revision: all.map(({ revision }) => revision).join(' '),
  };
}
