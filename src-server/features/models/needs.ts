/** What each kind of work needs, what is there for it, and what to install. */

import { EventEmitter } from 'node:events';
import { availableParallelism, totalmem } from 'node:os';
import { QuarryError } from '../../platform/errors.ts';
import { CHOICES_MAX, type InstallChoice, type Missing, NEEDS, type Need } from '../../platform/install-choice.ts';
import { DISK_RESERVE_BYTES, type DownloadProgress } from '../../platform/net/download.ts';
import { type Said, say } from '../../platform/text/say.ts';
import { describeBytes, SECOND_MS } from '../../platform/units.ts';
import { watchModelsFolder } from './folder-watch.ts';
import { type Recommendation, recommendModels } from './recommend.ts';
import {
  aboutBytesOf,
  type CatalogueModel,
  type Installable,
  type Lack,
  type Machine,
  type ModelKind,
  type Needs,
  type NeedView,
  type Present,
  type Tool,
} from './schema.ts';
import type { Models } from './service.ts';

const QUIET_MS = SECOND_MS;

interface NeedFacts {
  title: string;
  usedBy: Said;
  /** Kind of the models that serve it; null for a program. */
  kind: ModelKind | null;
  /** What the product brings along for it. */
  builtIn: Said | null;
  /** Says what is missing. @param others whether other models of the kind are installed */
  reason(language: string | null, name: string | undefined, others: boolean): Said;
}

const FACTS: Record<Need, NeedFacts> = {
  speech: {
    title: say`Speech recognition`,
    usedBy: say`Transcribing`,
    kind: 'speech',
    builtIn: null,
    reason: (language, name, others) => {
      if (name !== undefined) return say`The speech model ${name} is not installed.`;
      if (language === null) return say`No speech model is installed.`;
      return others
        ? say`The installed speech models do not know ${language}.`
        : say`No speech model for ${language} is installed.`;
    },
  },
  speakers: {
    title: say`Speakers`,
    usedBy: say`Naming speakers`,
    kind: 'speakers',
    builtIn: null,
    reason: () => say`No speaker model is installed.`,
  },
  text: {
    title: say`Text model`,
    usedBy: say`Writing`,
    kind: 'text',
    builtIn: null,
    reason: (_language, name) =>
      name === undefined ? say`No text model is installed.` : say`The text model ${name} is not installed.`,
  },
  voice: {
    title: say`Voices`,
    usedBy: say`Speaking`,
    kind: 'voice',
    builtIn: say`English voices`,
    reason: (_language, name) =>
      name === undefined ? say`No voice for this text is installed.` : say`The voice ${name} is not installed.`,
  },
  soundfont: {
    title: say`Instruments`,
    usedBy: say`Composing`,
    kind: 'soundfont',
    builtIn: say`a synthesiser`,
    reason: () => say`No sampled instruments are installed.`,
  },
  embedding: {
    title: say`Search by meaning`,
    usedBy: say`Searching by meaning`,
    kind: 'embedding',
    builtIn: null,
    reason: () => say`Search by meaning needs an embedding model.`,
  },
  'ocr-language': {
    title: say`Text recognition`,
    usedBy: say`Reading scans`,
    kind: 'ocr-language',
    builtIn: say`English`,
    reason: (language) =>
      language === null
        ? say`Text recognition for this language is not installed.`
        : say`Text recognition for ${language} is not installed.`,
  },
  ffmpeg: programNeed('ffmpeg', say`Converting some hosted videos`),
  'yt-dlp': programNeed('yt-dlp', say`Transcribing hosted videos`),
  'whisper-cli': programNeed('whisper-cli', say`Transcribing with ggml models`),
  browser: {
    title: say`Browser`,
    usedBy: say`Crawling pages made by scripts`,
    kind: null,
    builtIn: null,
    reason: () => say`No browser is installed that runs the scripts of pages.`,
  },
};

function programNeed(name: string, usedBy: Said): NeedFacts {
  return { title: name, usedBy, kind: null, builtIn: null, reason: () => say`${name} is not installed.` };
}

type NamesElsewhere = () => Promise<readonly string[]>;

export interface NeedsDeps {
  models: Models;
  /** Absolute path of the models folder. */
  folder: string;
  freeDiskBytes(): Promise<number>;
  /** Graphics processor of this machine; null when none is known. */
  gpu(): Promise<string | null>;
  onWatchFailed(error: unknown): void;
}

export class InstallNeeds implements Needs {
  readonly #deps: NeedsDeps;
  readonly #installables = new Map<string, Installable>();
  readonly #tools: Tool[] = [];
  readonly #elsewhere: [need: Need, names: NamesElsewhere][] = [];
  readonly #progress = new EventEmitter<{ progress: [DownloadProgress] }>().setMaxListeners(0);

  constructor(deps: NeedsDeps) {
    this.#deps = deps;
    for (const model of deps.models.modelCatalogue) this.#offerInstallable(installableOf(deps.models, model));
  }

  /** Adds programs that work needs. */
  addTools(tools: readonly Tool[]): void {
    this.#tools.push(...tools);
    for (const one of installablesOf(tools)) this.#offerInstallable(one);
  }

  /** Adds models beyond the models folder, such as those of a text server. */
  addElsewhere(need: Need, names: NamesElsewhere): void {
    this.#elsewhere.push([need, names]);
  }

  #offerInstallable(one: Installable): void {
    this.#installables.set(one.name, one);
    one.watch(() => {
      const progress = one.progress();
      if (progress !== null) this.#progress.emit('progress', progress);
    });
  }

  async machine(): Promise<Machine> {
    return {
      cores: availableParallelism(),
      memoryBytes: totalmem(),
      freeDiskBytes: await this.#deps.freeDiskBytes(),
      gpu: await this.#deps.gpu(),
    };
  }

  /** @param waitingJobs number of jobs that wait for a need */
  async list(waitingJobs: (need: Need) => number): Promise<NeedView[]> {
    const machine = await this.machine();
    return Promise.all(
      NEEDS.map(async (need): Promise<NeedView> => {
        const { title, usedBy, builtIn } = FACTS[need];
        const present = await this.#usableForNeed(need);
        const there = [...(builtIn === null ? [] : [builtIn]), ...present.map((name) => this.#installableTitle(name))];
        return {
          need,
          title,
          usedBy,
          ready: there.length > 0,
          installed: there.length === 0 ? null : there.join(', '),
          // No language of scans is better than another before there is one to read.
          choices: need === 'ocr-language' ? [] : this.#installChoicesFor({ need, language: null }, machine, present),
          waitingJobs: waitingJobs(need),
        };
      }),
    );
  }

  async lookAt(missing: Missing): Promise<Lack> {
    const [machine, present, usable] = await Promise.all([
      this.machine(),
      this.presentForNeed(missing.need),
      this.#usableForNeed(missing.need),
    ]);
    const names = present.map(({ name }) => name);
    const candidates = this.#candidatesForNeed(missing, machine).map(({ name }) => name);
    return {
      missing,
      reason: this.#missingReason(missing, usable.length > 0),
      installed: candidates.filter((name) => names.includes(name)),
      choices: this.#installChoicesFor(missing, machine, names),
      present,
    };
  }

  async presentForNeed(need: Need): Promise<readonly Present[]> {
    const { kind } = FACTS[need];
    // A speech model in ggml format works once its program is there.
    const programs = need === 'speech' ? ['whisper-cli'] : [need];
    const [models, tools, others] = await Promise.all([
      kind === null ? [] : this.#deps.models.installed(kind),
      Promise.all(this.#tools.filter((tool) => programs.includes(tool.need)).map(presentTool)),
      Promise.all(this.#elsewhere.flatMap(([of, names]) => (of === need ? [names()] : []))),
    ]);
    return [
      ...models.map(({ name, revision }) => ({ name, key: `${name} ${revision}` })),
      ...tools.flat(),
      ...others.flat().map((name) => ({ name, key: name })),
    ];
  }

  /** Names of what work can use now. */
  async #usableForNeed(need: Need): Promise<string[]> {
    const present = (await this.presentForNeed(need)).map(({ name }) => name);
    if (need !== 'speech') return present;
    const models = await this.#deps.models.installed('speech');
    const runs = present.includes('whisper-cli') ? models : models.filter(({ format }) => format !== 'ggml');
    return runs.map(({ name }) => name);
  }

  async installNeeded(name: string): Promise<DownloadProgress> {
    const one = this.#installables.get(name);
    if (one === undefined) throw new QuarryError('not_found', 'There is nothing to install under this name.');
    const free = await this.#deps.freeDiskBytes();
    const needed = one.sizeBytes + DISK_RESERVE_BYTES;
    if (free < needed) {
      const figures = `${describeBytes(needed)} are needed, ${describeBytes(Math.max(0, free))} are free`;
      throw new QuarryError('storage_full', `The disk has too little space for ${one.title}: ${figures}. Free some.`);
    }
    return one.install();
  }

  neededProgress(name: string): DownloadProgress | null {
    return this.#installables.get(name)?.progress() ?? null;
  }

  watchProgress(onProgress: (progress: DownloadProgress) => void): () => void {
    this.#progress.on('progress', onProgress);
    return () => this.#progress.off('progress', onProgress);
  }

  watchFolder(onChange: () => void): () => void {
    const { folder, onWatchFailed: onFailed } = this.#deps;
    return watchModelsFolder(folder, { quietMs: QUIET_MS, onChange, onFailed });
  }

  #installChoicesFor(missing: Missing, machine: Machine, present: readonly string[]): InstallChoice[] {
    return this.#candidatesForNeed(missing, machine)
      .filter(({ name }) => !present.includes(name))
      .slice(0, CHOICES_MAX)
      .flatMap((recommendation) => {
        const one = this.#installables.get(recommendation.name);
        if (one === undefined) return [];
        const { kind, title, sizeBytes, licence, source } = one;
        return [{ kind, title, sizeBytes, licence, source, ...recommendation }];
      });
  }

  /** What would do, installed or not, best first. */
  #candidatesForNeed({ need, language, name }: Missing, machine: Machine): Recommendation[] {
    const { kind } = FACTS[need];
    if (kind === null) {
      const tools = this.#tools.filter((tool) => tool.need === need);
      return installablesOf(tools).map((one) => judgeInstallable(one, machine));
    }
    const models = this.#deps.models.modelCatalogue;
    if (name === undefined) return recommendModels(models, kind, language, machine);
    // The request names it, so its languages do not matter.
    const named = models.filter((model) => model.name === name).map(({ languages: _, ...model }) => model);
    return recommendModels(named, kind, null, machine);
  }

  #missingReason({ need, language, name }: Missing, others: boolean): string {
    return FACTS[need].reason(
      languageNameOrCode(language),
      name === undefined ? name : this.#installableTitle(name),
      others,
    );
  }

  #installableTitle(name: string): string {
    return this.#installables.get(name)?.title ?? name;
  }
}

/** A program needs disk alone. */
function judgeInstallable({ name, sizeBytes }: Installable, { freeDiskBytes }: Machine): Recommendation {
  const fits = sizeBytes + DISK_RESERVE_BYTES <= freeDiskBytes;
  return { name, recommended: true, fits, note: fits ? '' : 'The disk has too little free space.' };
}

async function presentTool(tool: Tool): Promise<Present[]> {
  const version = await tool.installed();
  return version === null ? [] : [{ name: tool.need, key: `${tool.need} ${version}` }];
}

function installablesOf(tools: readonly Tool[]): Installable[] {
  return tools.flatMap(({ installable }) => installable ?? []);
}

/** `German` for `de`; the code itself when it is not a known language. */
function languageNameOrCode(language: string | null): string | null {
  if (language === null) return null;
  try {
    return new Intl.DisplayNames('en', { type: 'language' }).of(language) ?? language;
  } catch {
    // A name of Tesseract, which is no language tag.
    return language;
  }
}

function installableOf(models: Models, model: CatalogueModel): Installable {
  const { name, title, licence, files } = model;
  return {
    name,
    title,
    licence,
    kind: 'model',
    sizeBytes: aboutBytesOf(model),
    source: files[0] === undefined ? '' : new URL(files[0].url).host,
    install: () => models.startModelDownload(name),
    progress: () => models.modelDownloadProgress(name),
    watch: (onChange) => models.watchModelDownload(name, onChange),
  };
}
