import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { CHOICES_MAX, InstallChoice, type Missing, NEEDS, type Need } from '../../platform/install-choice.ts';
import { CatalogueFile, DownloadProgress, MODEL_NAME } from '../../platform/net/download.ts';

export const MODEL_KINDS = [
  'ocr-language',
  'speech',
  'speakers',
  'vad',
  'text',
  'embedding',
  'voice',
  'soundfont',
] as const;

export type ModelKind = (typeof MODEL_KINDS)[number];

/** Names of files added by hand, including “model (1).gguf”, which browsers use for a second download. */
export const NAME_BY_HAND = /^(?!\.)[^/\\\p{Cc}\p{Cs}]{1,200}$/u;

const BYTES_PER_MB = 1_000_000;

export const CatalogueModel = z.strictObject({
  name: z.string().regex(MODEL_NAME),
  kind: z.enum(MODEL_KINDS),
  title: z.string(),
  language: z.string().nullable().describe('ISO 639-3 or Tesseract name; null for models of many languages or none.'),
  licence: z.string().describe('SPDX identifier.'),
  languages: z.array(z.string()).optional().describe('ISO 639 codes of the languages it knows; absent for many.'),
  recommended: z.boolean().optional().describe('The model to install first; at most one of a kind.'),
  recommendedFor: z.array(z.string()).optional().describe('Languages for which it comes before that one.'),
  note: z.string().optional().describe('One sentence on quality, speed and languages.'),
  speakers: z
    .array(z.strictObject({ name: z.string(), gender: z.enum(['female', 'male']), language: z.string() }))
    .optional()
    .describe('The speakers of a voice, the best first; others may be in the model.'),
  sample: z
    .strictObject({ url: z.url({ protocol: /^https$/ }), licence: z.string().describe('SPDX identifier.') })
    .optional()
    .describe('How a voice sounds: a short .mp3 or .wav that its publisher offers.'),
  files: z
    .array(CatalogueFile)
    .min(1)
    .describe('One file stands by itself; several share a folder of the model’s name.'),
});

export type CatalogueModel = z.infer<typeof CatalogueModel>;

/** Reads and validates the catalogue, all JSON files of a folder (`resources/models/`). Errors: any fault in it. */
export async function readCatalogue(folder: URL): Promise<CatalogueModel[]> {
  const names = (await readdir(fileURLToPath(folder))).filter((name) => name.endsWith('.json')).sort();
  const models: CatalogueModel[] = [];
  for (const name of names) {
    models.push(...z.array(CatalogueModel).parse(JSON.parse(await readFile(new URL(name, folder), 'utf8'))));
  }
  const seen = new Set<string>();
  for (const { name } of models) {
    if (seen.has(name)) throw new Error(`Two models of the catalogue are called ${name}.`);
    seen.add(name);
  }
  for (const kind of MODEL_KINDS) {
    const count = models.filter((model) => model.recommended && model.kind === kind).length;
    if (count > 1) throw new Error(`The catalogue recommends ${count} models of the kind ${kind}.`);
  }
  return models;
}

/** The recommended model of a kind; null when there is none. */
export function recommendedOf(catalogue: readonly CatalogueModel[], kind: ModelKind): CatalogueModel | null {
  return catalogue.find((model) => model.recommended && model.kind === kind) ?? null;
}

export function aboutBytesOf(model: CatalogueModel): number {
  return model.files.reduce((sum, file) => sum + (file.sizeBytes ?? file.aboutBytes), 0);
}

/** `Whisper base (161 MB)`, in decimal megabytes, as on the Models page. */
export function offerOf(model: CatalogueModel | Pick<Installable, 'title' | 'sizeBytes'>): string {
  const sizeBytes = 'files' in model ? aboutBytesOf(model) : model.sizeBytes;
  return `${model.title} (${Math.round(sizeBytes / BYTES_PER_MB)} MB)`;
}

/** A recogniser of the built-in engine: its family, and the name of the file of each part. */
export interface SpeechFolder {
  family: 'whisper' | 'transducer' | 'sense-voice' | 'moonshine';
  files: Readonly<Record<string, string>>;
}

/** A synthesiser: its family, absolute paths, and its speakers. */
export interface VoiceFolder {
  family: 'vits' | 'kokoro' | 'kitten' | 'matcha';
  files: {
    model: string;
    tokens: string;
    /** Several are separated by commas; empty for none. */
    lexicon: string;
    /** Of espeak-ng; empty for none. */
    dataFolder: string;
    voices?: string;
    vocoder?: string;
  };
  /** Empty when the model has one speaker. */
  speakers: readonly { id: number; name: string; gender: 'female' | 'male' | null; language: string | null }[];
  /** Of all its speakers, as the model states it; null when unknown. */
  language: string | null;
}

/** Recognises embedding models by name. A list of models contains no better sign. */
const EMBEDS = /embed|minilm|\bbge\b|\be5\b/i;

export function namesEmbedding(name: string): boolean {
  return EMBEDS.test(name);
}

export const MODEL_FORMATS = [
  'voice-folder',
  'ggml',
  'onnx-folder',
  'onnx',
  'gguf',
  'traineddata',
  'soundfont',
] as const;

/** A model as the owner sees it. */
export const ModelView = z
  .object({
    name: z.string(),
    kind: z.enum(MODEL_KINDS),
    title: z.string(),
    language: z.string().nullable(),
    licence: z.string().nullable(),
    recommended: z.boolean().describe('Of its kind, the model to install first.'),
    sampleSource: z
      .string()
      .nullable()
      .describe('Host from which `GET /admin/models/{name}/sample` fetches how a voice sounds; null without a sample.'),
    sizeBytes: z.int().min(0).describe('Of the installed files; of the download where it is not installed.'),
    installed: z.boolean(),
    format: z.enum(MODEL_FORMATS).nullable(),
    origin: z.enum(['catalogue', 'by-hand']).nullable(),
    verified: z.boolean().describe('Whether the bytes were compared with a checksum that upstream publishes.'),
    verifiable: z
      .boolean()
      .nullable()
      .describe('Whether upstream publishes a checksum for all of its files; null outside the catalogue.'),
    installedAt: z.string().nullable(),
    lastUsedAt: z.string().nullable().describe('When this process last used it.'),
    download: DownloadProgress.nullable(),
  })
  .meta({ id: 'ModelView' });

export type ModelView = z.infer<typeof ModelView>;

/** Something that the owner can install with one click: a model of the catalogue, or a program. */
export interface Installable {
  name: string;
  kind: InstallChoice['kind'];
  title: string;
  sizeBytes: number;
  /** SPDX identifier. */
  licence: string;
  /** Host of the publisher. A mirror is the owner's business, and choices are public. */
  source: string;
  /** Starts the installation, or returns the progress of the running one. */
  install(): Promise<DownloadProgress>;
  /** Null when no installation was started in this process. */
  progress(): DownloadProgress | null;
  /** Calls `onChange` on each change of the progress. Returns a function that unsubscribes. */
  watch(onChange: () => void): () => void;
}

/** A program for media work. */
export interface Tool {
  need: Need;
  /** What is on this machine, such as `2026.01.02 (path)`; null when it is missing. */
  installed(): Promise<string | null>;
  /** Null when Quarry cannot install it on this machine. */
  installable: Installable | null;
}

/** What is on this machine for a need. */
export interface Present {
  name: string;
  /** Changes when it is replaced under the same name. */
  key: string;
}

/** What an error that names something missing means here and now. */
export interface Lack {
  missing: Missing;
  /** One sentence. */
  reason: string;
  /** Names of installed models and programs that should do, but do not. */
  installed: readonly string[];
  /** What can be installed, the recommended choice first. */
  choices: readonly InstallChoice[];
  present: readonly Present[];
}

/** What work needs, and how it is installed. */
export interface Needs {
  lookAt(missing: Missing): Promise<Lack>;
  presentForNeed(need: Need): Promise<readonly Present[]>;
  /** Starts an installation. Errors: `not_found`, `conflict` when it is installed, `storage_full`. */
  installNeeded(name: string): Promise<DownloadProgress>;
  neededProgress(name: string): DownloadProgress | null;
  /** Calls `onProgress` on each change of any installation. Returns a function that unsubscribes. */
  watchProgress(onProgress: (progress: DownloadProgress) => void): () => void;
  /** Calls `onChange` after changes in the models folder. Returns a function that unsubscribes. */
  watchFolder(onChange: () => void): () => void;
}

export const Machine = z
  .object({
    cores: z.int().min(1),
    memoryBytes: z.int().min(0),
    freeDiskBytes: z.int().min(0).describe('Of the disk with the models folder.'),
    gpu: z.string().nullable().describe('Graphics processor of this machine; null when none is known.'),
  })
  .meta({ id: 'Machine' });

export type Machine = z.infer<typeof Machine>;

/** What a kind of work needs. */
export const NeedView = z
  .object({
    need: z.enum(NEEDS),
    title: z.string(),
    ready: z.boolean().describe('Whether the work can start without an installation.'),
    usedBy: z.string().describe('The work, such as `Transcribing`.'),
    installed: z.string().nullable().describe('What is used for it.'),
    choices: z.array(InstallChoice).max(CHOICES_MAX).describe('What can be installed, the recommended one first.'),
    waitingJobs: z.int().min(0).describe('Jobs of both environments that wait for it.'),
  })
  .meta({ id: 'NeedView' });

export type NeedView = z.infer<typeof NeedView>;
