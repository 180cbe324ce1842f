import { EventEmitter } from 'node:events';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type {} from '../../../workers/models/tasks.ts';
import { type AppContext, perContext } from '../../context.ts';
import type { Clock } from '../../platform/clock.ts';
import { QuarryError } from '../../platform/errors.ts';
import { modelsPlace } from '../../platform/files/data-place.ts';
import type { ModelFacts } from '../../platform/model-facts.ts';
import {
  type CatalogueFile,
  changeDownload,
  createModelClient,
  type DownloadProgress,
  downloadErrorOf,
  downloadFile,
  fetchSmallFile,
  isDownloadUnderWay,
  type ModelClient,
  newDownloadProgress,
} from '../../platform/net/download.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import { say } from '../../platform/text/say.ts';
import { MIB, SECOND_MS } from '../../platform/units.ts';
import { VERSION } from '../../platform/version.ts';
import {
  downloadsOf,
  filesUnder,
  type InstalledModel,
  type ModelFile,
  pathOfWhole,
  putModelInPlace,
  readInstalled,
  readRecord,
  recordPath,
  removeFiles,
  wholeFolder,
  writeRecord,
} from './installed.ts';
import {
  aboutBytesOf,
  type CatalogueModel,
  type ModelKind,
  type ModelView,
  NAME_BY_HAND,
  readCatalogue,
  recommendedOf,
} from './schema.ts';
import { modelViewOf } from './view.ts';

export interface ModelsDeps {
  folder: string;
  catalogue: readonly CatalogueModel[];
  clock: Clock;
  /** Base URL of a mirror that serves `<mirror>/<model>/<file>`; null for upstream. */
  mirrorUrl(): string | null;
  client: ModelClient;
  /** Unpacks an archive with the files of a model into a folder. */
  unpack(archivePath: string, folder: string, signal: AbortSignal): Promise<void>;
  freeBytes?: (folder: string) => Promise<number>;
  retryDelayMs?: number;
  idleLimitMs?: number;
}

/** Half a gigabyte takes two minutes on a slow machine. */
const UNPACK_LIMIT_MS = 900 * SECOND_MS;

/** A minute of a .wav is less. */
const SAMPLE_BYTES_MAX = 4 * MIB;

interface Download {
  progress: DownloadProgress;
  abort: AbortController;
  done: Promise<void>;
}

/** The models of this server: the catalogue, and the files that the owner added. */
export class Models {
  readonly #deps: ModelsDeps;
  readonly #downloads = new Map<string, Download>();
  readonly #lastUsed = new Map<string, number>();
  readonly #changes = new EventEmitter().setMaxListeners(0);
  readonly #removals = new EventEmitter<{ removal: [InstalledModel] }>();

  constructor(deps: ModelsDeps) {
    this.#deps = deps;
  }

  get modelCatalogue(): readonly CatalogueModel[] {
    return this.#deps.catalogue;
  }

  async listModelViews(): Promise<ModelView[]> {
    const { folder, catalogue } = this.#deps;
    const installed = new Map((await readInstalled(folder, catalogue)).map((model) => [model.name, model]));
    const known = catalogue.map((model) => this.#viewModel(model.name, model, installed.get(model.name) ?? null));
    const names = new Set(catalogue.map((model) => model.name));
    const byHand = [...installed.values()].filter((model) => !names.has(model.name));
    return await Promise.all([...known, ...byHand.map((model) => this.#viewModel(model.name, null, model))]);
  }

  /** Bytes used by installed models. */
  async diskUseBytes(): Promise<number> {
    const installed = await readInstalled(this.#deps.folder, this.#deps.catalogue);
    return installed.reduce((sum, model) => sum + model.sizeBytes, 0);
  }

  async installed(kind?: ModelKind): Promise<InstalledModel[]> {
    const all = await readInstalled(this.#deps.folder, this.#deps.catalogue);
    return kind === undefined ? all : all.filter((model) => model.kind === kind);
  }

  /** The files of an installed model, by their names in the models folder. Errors: `not_found`. */
  async files(name: string): Promise<{ revision: string; files: ModelFile[] }> {
    const found = (await this.installed()).find((model) => model.name === name);
    if (found === undefined) throw noSuchModel(name);
    const { folder } = this.#deps;
    const lists = await Promise.all([found.path, ...found.otherPaths].map((path) => filesUnder(folder, path)));
    return { revision: found.revision, files: lists.flat() };
  }

  /** The recommended catalogue model of a kind; null when there is none. */
  recommendedModel(kind: ModelKind): CatalogueModel | null {
    return recommendedOf(this.#deps.catalogue, kind);
  }

  /**
   * Returns the model of that name and kind, and marks it as used. Errors: `model_not_installed`, with install
   * instructions; `invalid_request` for an unknown name.
   */
  async requireInstalled(name: string, kind: ModelKind): Promise<InstalledModel> {
    const found = (await this.installed(kind)).find((model) => model.name === name);
    if (found !== undefined) {
      this.#lastUsed.set(name, this.#deps.clock.now());
      return found;
    }
    const offered = this.#deps.catalogue.find((model) => model.name === name && model.kind === kind);
    if (offered !== undefined) throw notInstalled(offered.name, kind);
    throw new QuarryError(
      'invalid_request',
      `There is no model ${quotedModelName(name)}. The Models page lists all models.`,
    );
  }

  /** Starts to download a model, or returns the progress of the running download. Errors: `not_found`, `conflict`. */
  async startModelDownload(name: string): Promise<DownloadProgress> {
    const running = this.#downloads.get(name);
    if (running !== undefined && isDownloadUnderWay(running.progress)) return { ...running.progress };
    const model = this.#deps.catalogue.find((candidate) => candidate.name === name);
    if (model === undefined) throw noSuchModel(name);
    if ((await this.installed()).some((found) => found.name === name)) {
      throw new QuarryError('conflict', `The model ${name} is installed already. Remove it to install it again.`);
    }
    // Another request may have started it while the folder was read.
    const begun = this.#downloads.get(name);
    if (begun !== undefined && isDownloadUnderWay(begun.progress)) return { ...begun.progress };
    const progress = newDownloadProgress(name, aboutBytesOf(model), this.#deps.clock);
    const download: Download = { progress, abort: new AbortController(), done: Promise.resolve() };
    this.#downloads.set(name, download);
    download.done = this.#fetchModelFiles(model, download);
    return { ...progress };
  }

  /** Null when no download was started in this process. */
  modelDownloadProgress(name: string): DownloadProgress | null {
    const download = this.#downloads.get(name);
    return download === undefined ? null : { ...download.progress };
  }

  /**
   * A few seconds of a voice of the catalogue, from its publisher or the mirror (`<mirror>/<model>/<file>`). Errors:
   * `not_found` for a model without a sample; `source_unreachable`; `corrupt_input` for what is too large or no sound.
   */
  async fetchVoiceSample(name: string, signal: AbortSignal): Promise<{ bytes: Buffer; mediaType: string }> {
    const sample = this.#deps.catalogue.find((model) => model.name === name)?.sample;
    if (sample === undefined) throw new QuarryError('not_found', `There is no sample of ${quotedModelName(name)}.`);
    const fileName = sample.url.slice(sample.url.lastIndexOf('/') + 1);
    const url = this.#mirrored(name, fileName) ?? sample.url;
    const bytes = await fetchSmallFile(this.#deps.client, url, { mostBytes: SAMPLE_BYTES_MAX, signal });
    const mediaType = soundTypeOf(bytes);
    if (mediaType !== null) return { bytes, mediaType };
    throw new QuarryError('corrupt_input', say`What ${new URL(url).host} sent is no .mp3 and no .wav.`);
  }

  /** Calls `onChange` on each progress change of that download. Returns a function that unsubscribes. */
  watchModelDownload(name: string, onChange: () => void): () => void {
    this.#changes.on(name, onChange);
    return () => this.#changes.off(name, onChange);
  }

  /** Cancels a download. Partial files are kept for the next attempt. Resolves when it has stopped. */
  async stopModelDownload(name: string): Promise<void> {
    const download = this.#downloads.get(name);
    if (download === undefined || !isDownloadUnderWay(download.progress)) throw noSuchModel(name);
    download.abort.abort(new QuarryError('cancelled', say`The download was cancelled.`));
    await download.done;
  }

  /** Removes a model, whether downloaded or added by hand, and its partial download. Errors: `not_found`. */
  async removeInstalledModel(name: string): Promise<void> {
    if (!NAME_BY_HAND.test(name)) throw noSuchModel(name);
    const download = this.#downloads.get(name);
    const { folder } = this.#deps;
    if (download !== undefined && isDownloadUnderWay(download.progress)) await this.stopModelDownload(name);
    this.#downloads.delete(name);
    const found = (await this.installed()).filter((model) => model.name === name);
    if (found.length === 0 && download === undefined && !existsSync(downloadsOf(folder, name))) throw noSuchModel(name);
    for (const model of found) {
      this.#removals.emit('removal', model);
      await removeFiles(model);
      this.#removals.emit('removal', model);
    }
    await rm(downloadsOf(folder, name), { recursive: true, force: true });
    await rm(recordPath(folder, name), { force: true });
  }

  /**
   * Calls `onRemoval` before a model's files are deleted, so that engines can close them, and again afterwards, since
   * an engine may have reopened them.
   */
  onRemoval(onRemoval: (model: InstalledModel) => void): void {
    this.#removals.on('removal', onRemoval);
  }

  /** Cancels all downloads. The next start resumes them. */
  async closeModels(): Promise<void> {
    const running = [...this.#downloads.values()].filter(({ progress }) => isDownloadUnderWay(progress));
    for (const { abort } of running) abort.abort(new QuarryError('shutting_down', 'Quarry is stopping.'));
    await Promise.all(running.map(({ done }) => done));
  }

  async #fetchModelFiles(model: CatalogueModel, download: Download): Promise<void> {
    try {
      const files = [];
      for (const file of model.files) files.push(await this.#fetchModelFile(model, file, download));
      await this.#unpackModelFiles(model, download);
      await putModelInPlace(this.#deps.folder, model);
      const verified = model.files.every((file) => file.checksum !== null);
      const installedAt = this.#deps.clock.now();
      await writeRecord(this.#deps.folder, { name: model.name, kind: model.kind, verified, installedAt, files });
      await rm(downloadsOf(this.#deps.folder, model.name), { recursive: true, force: true });
      this.#updateModelDownload(download, { status: 'installed' });
    } catch (error) {
      if (download.abort.signal.aborted) this.#updateModelDownload(download, { status: 'cancelled' });
      else this.#updateModelDownload(download, { status: 'failed', error: downloadErrorOf(error) });
    }
  }

  async #unpackModelFiles(model: CatalogueModel, { abort }: Download): Promise<void> {
    const { folder, unpack } = this.#deps;
    for (const file of model.files.filter((one) => one.unpack !== undefined)) {
      await unpack(pathOfWhole(folder, model, file), wholeFolder(folder, model.name), abort.signal);
    }
  }

  async #fetchModelFile(model: CatalogueModel, file: CatalogueFile, download: Download) {
    const { folder, client, freeBytes, retryDelayMs, idleLimitMs } = this.#deps;
    const before = download.progress.receivedBytes;
    const others = aboutBytesOf(model) - (file.sizeBytes ?? file.aboutBytes);
    const { sizeBytes, sha256 } = await downloadFile({
      client,
      file,
      url: this.#modelFileUrl(model, file),
      path: pathOfWhole(folder, model, file),
      mayBeThere: true,
      partPath: `${downloadsOf(folder, model.name)}/${file.name}.part`,
      signal: download.abort.signal,
      onProgress: (receivedBytes, totalBytes) => {
        const total = totalBytes === null ? download.progress.totalBytes : totalBytes + others;
        this.#updateModelDownload(download, {
          status: 'downloading',
          receivedBytes: before + receivedBytes,
          totalBytes: total,
        });
      },
      onVerify: () => this.#updateModelDownload(download, { status: 'verifying' }),
      ...omitUndefined({ freeBytes, retryDelayMs, idleLimitMs }),
    });
    return { name: file.name, sizeBytes, sha256 };
  }

  #modelFileUrl(model: CatalogueModel, file: CatalogueFile): string {
    return this.#mirrored(model.name, file.name) ?? file.url;
  }

  /** Null without a mirror. */
  #mirrored(model: string, file: string): string | null {
    const mirror = this.#deps.mirrorUrl();
    return mirror === null ? null : `${mirror.replace(/\/+$/, '')}/${model}/${file}`;
  }

  #updateModelDownload(download: Download, change: Partial<DownloadProgress>): void {
    changeDownload(download.progress, change, this.#deps.clock);
    this.#changes.emit(download.progress.name);
  }

  async #viewModel(name: string, model: CatalogueModel | null, installed: InstalledModel | null): Promise<ModelView> {
    const record = installed === null ? null : await readRecord(this.#deps.folder, name);
    const lastUsed = this.#lastUsed.get(name);
    return modelViewOf({ name, model, installed, record, lastUsed, download: this.modelDownloadProgress(name) });
  }
}

export function createModels(deps: ModelsDeps): Models {
  return new Models(deps);
}

/** @param language that the model is for, where the request names one */
export function notInstalled(name: string, kind: ModelKind, language: string | null = null): QuarryError {
  const message = say`The model ${name} is not installed.
    Install it on the Models page, or with POST /admin/models/${name}/install.`;
  const missing = kind === 'vad' ? {} : { missing: { need: kind, language, name } };
  return new QuarryError('model_not_installed', message, missing);
}

/** By the first bytes, as the host may say anything. Null for what is no sound. */
function soundTypeOf(bytes: Buffer): string | null {
  if (bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WAVE') return 'audio/wav';
  const isFrame = bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xe6) === 0xe2;
  return isFrame || bytes.toString('latin1', 0, 3) === 'ID3' ? 'audio/mpeg' : null;
}

function noSuchModel(name: string): QuarryError {
  return new QuarryError('not_found', `No model is called ${quotedModelName(name)}.`);
}

/** A name from a request, truncated for use in a message. */
function quotedModelName(name: string): string {
  return JSON.stringify(name.slice(0, 100));
}

/** What other machines may know of a model. */
export function modelFactsOf(model: InstalledModel): ModelFacts {
  const { name, kind, format, sizeBytes, languages, recommendedFor, speech, voice } = model;
  return {
    name,
    kind,
    format,
    sizeBytes,
    speechFamily: speech?.family ?? null,
    languages: languages === null ? null : [...languages],
    recommendedFor: [...recommendedFor],
    voice: voice && { family: voice.family, speakers: [...voice.speakers], language: voice.language },
  };
}

/** The models folder. Owners also add files to it by hand. */
export function modelsFolder({ dataDir, options }: Pick<AppContext, 'dataDir' | 'options'>): string {
  return modelsPlace(dataDir, options.modelsDir).folder;
}

export const modelsOf = perContext(async (context): Promise<Models> => {
  const models = createModels({
    folder: modelsFolder(context),
    catalogue: await readCatalogue(new URL('models/', context.resourcesFolder)),
    clock: context.clock,
    mirrorUrl: () => context.settings().modelMirrorUrl,
    client: createModelClient(`Quarry/${VERSION}`),
    unpack: async (archivePath, folder, signal) => {
      const options = { accountId: 'models', heavy: true, timeLimitMs: UNPACK_LIMIT_MS, signal };
      await context.pool.run('unpack-model', { archivePath, folder }, options);
    },
  });
  context.onClose(() => models.closeModels());
  return models;
});
