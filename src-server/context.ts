import { mkdirSync } from 'node:fs';
import { totalmem } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { type ServerOptions, withModelsFolder } from './app.ts';
import type { Settings } from './config.ts';
import { type AudioEngine, createAudioEngine } from './features/audio/service.ts';
import { readVoices } from './features/audio/voices.ts';
import { createOcrModels } from './features/documents/ocr-models.ts';
import { createPdfExtractor, type ExtractPdf } from './features/documents/pdf.ts';
import type { OcrModels } from './features/documents/service.ts';
import { openStagePace } from './features/media/estimate.ts';
import { createHostedVideoEngine, type HostedVideoEngine } from './features/media/hosted-video.ts';
import { createVideoEngine, type VideoEngine } from './features/media/service.ts';
import type { SpeechModelOffer } from './features/media/speech.ts';
import { type MediaTools, openMediaTools } from './features/media/tools.ts';
import { type CatalogueModel, offerOf, readCatalogue } from './features/models/schema.ts';
import { createModels, type Models } from './features/models/service.ts';
import { EmbeddingEngine } from './features/search/embedding-model.ts';
import type { Embeddings } from './features/search/schema.ts';
import type { TextPort } from './features/text/schema.ts';
import { createTextServers } from './features/text/servers.ts';
import { createTextEngine, type TextEngine } from './features/text/service.ts';
import { createSender, type WebhookSender } from './features/webhooks/sender.ts';
import { ThreadSender } from './features/webhooks/thread-sender.ts';
import type { EnvironmentName } from './operation.ts';
import type { Clock } from './platform/clock.ts';
import { createModelClient } from './platform/net/download.ts';
import { createGuardedClient, type GuardedClient } from './platform/net/guarded-client.ts';
import { createWebhookClient } from './platform/net/guarded-post.ts';
import { createWorkerPool, defaultMemoryLimitBytes, type WorkerPool } from './platform/pool/worker-pool.ts';
import { forkChildPrograms, type StartChildProgram } from './platform/rpc/child-process.ts';
import { VERSION } from './platform/version.ts';

/** What does the work, shared by production and staging: threads, models, native processes, connections. */
export interface Engines {
  pool: WorkerPool;
  models: Models;
  extractPdf: ExtractPdf;
  text: TextPort;
  /** The text models that can be asked for. */
  textModels: TextEngine['list'];
  embeddings: Embeddings;
  audio: AudioEngine;
  media: VideoEngine;
  hostedVideo: HostedVideoEngine;
  /** Programs of others that the two above need. */
  tools: MediaTools;
  client: GuardedClient;
  webhookSender: WebhookSender;
}

interface EngineParts {
  options: ServerOptions;
  dataDir: string;
  clock: Clock;
  log: Logger;
  settings(): Readonly<Settings>;
  /** Takes what is opened, to be closed in the reverse order. */
  closers: (() => Promise<void> | void)[];
}

export async function openEngines(parts: EngineParts): Promise<Engines> {
  const { options, clock, log, settings, closers } = parts;
  const pool = createWorkerPool({
    onThreadLost: (error) =>
      log.error({ err: error }, 'A thread was lost; the next task that needs one begins it anew.'),
    entry: options.workerEntry,
    startChild: startChildOf(options),
    memoryLimitBytes: defaultMemoryLimitBytes(totalmem()),
    ...(options.threads === undefined ? {} : { threads: options.threads }),
  });
  closers.push(() => pool.close());
  const client = createGuardedClient({ userAgent: `Quarry/${VERSION}`, clock, ...options.network });
  closers.push(() => client.close());
  const webhookSender = openWebhookSender(parts);
  const models = await openModels(parts);
  const { threads } = pool.figures();
  const ocr = createOcrModels(models, fileURLToPath(new URL('ocr/eng.traineddata', options.resourcesFolder)));
  const extractPdf = createPdfExtractor({ runTask: pool.run, threads, ocr });
  const audio = createAudioEngine({
    runTask: pool.run,
    voices: {
      presets: await readVoices(new URL('voices.json', options.resourcesFolder)),
      installed: () => models.installed('voice'),
      server: settings,
      serverKey: options.speechServerKey,
    },
    samplesFolder: join(parts.dataDir, 'voices'),
    previewLimitMs: options.previewLimitMs,
  });
  const media = openMedia(parts, { pool, models, ocr, client });
  const embeddings = openEmbeddings(parts, models);
  return { pool, models, extractPdf, ...openText(parts, models), embeddings, audio, ...media, client, webhookSender };
}

async function openModels({ options, dataDir, clock, settings, closers }: EngineParts): Promise<Models> {
  const folder = options.modelsDir ?? join(dataDir, 'models');
  // There from the start: people put model files into it by hand.
  withModelsFolder(folder, () => mkdirSync(folder, { recursive: true }));
  const models = createModels({
    folder,
    catalogue: await readCatalogue(new URL('models/', options.resourcesFolder)),
    clock,
    mirrorUrl: () => settings().modelMirrorUrl,
    client: createModelClient(`Quarry/${VERSION}`),
  });
  closers.push(() => models.close());
  return models;
}

/** The models of the folder, and of text servers on this machine. */
function openText(
  { options, clock, settings, closers }: EngineParts,
  models: Models,
): Pick<Engines, 'text' | 'textModels'> {
  const { textServerKey: apiKey, knownTextServers: knownServers } = options;
  const text = createTextEngine({
    files: { list: () => models.installed('text'), require: (name) => models.require(name, 'text') },
    servers: createTextServers({ clock, serverUrl: () => settings().textServerUrl, apiKey, knownServers }),
    defaultModel: () => settings().textModel,
    idleMinutes: () => settings().textModelIdleMinutes,
    startChild: startChildOf(options),
    clock,
  });
  models.onRemoval(({ path }) => text.release(path));
  closers.push(() => text.close());
  return { text: text.port, textModels: text.list };
}

/** The embedding models of the folder. */
function openEmbeddings({ options, clock, closers }: EngineParts, models: Models): Embeddings {
  const embeddings = new EmbeddingEngine({
    files: { list: () => models.installed('embedding'), require: (name) => models.require(name, 'embedding') },
    startChild: startChildOf(options),
    clock,
  });
  models.onRemoval(({ path }) => embeddings.release(path));
  closers.push(() => embeddings.close());
  return embeddings;
}

function openMedia(
  { options, dataDir, clock, log, settings, closers }: EngineParts,
  { pool, models, ocr, client }: Pick<Engines, 'pool' | 'models' | 'client'> & { ocr: OcrModels },
): Pick<Engines, 'media' | 'hostedVideo' | 'tools'> {
  const mirrorUrl = () => settings().modelMirrorUrl;
  const modelClient = createModelClient(`Quarry/${VERSION}`);
  const onNoteLost = (error: unknown) => log.warn({ err: error }, 'a note could not be kept; the work goes on');
  const tools = openMediaTools({ dataDir, clock, mirrorUrl, client: modelClient, onNoteLost });
  closers.push(() => tools.ytDlpRelease.close());
  const { ffmpeg, whisperCli, ytDlp } = tools;
  const media = createVideoEngine({
    runTask: pool.run,
    threads: pool.figures().threads,
    ffmpeg,
    whisperCli,
    models: {
      list: () => models.installed('speech'),
      require: (name) => models.require(name, 'speech'),
      recommended: () => speechOffer(models.recommended('speech')),
    },
    ocr,
    pace: openStagePace(join(dataDir, 'stage-pace.json'), onNoteLost),
    detector: async () => (await models.installed('vad'))[0]?.path ?? null,
  });
  const hostedVideo = createHostedVideoEngine({
    client,
    runTask: pool.run,
    videos: media,
    ffmpeg,
    ytDlp,
    onYtDlpSuccess: () => tools.ytDlpRelease.noteSuccess(),
    network: { ...options.network },
  });
  return { media, hostedVideo, tools };
}

function speechOffer(model: CatalogueModel | null): SpeechModelOffer | null {
  return model === null ? null : { name: model.name, offer: offerOf(model) };
}

function startChildOf({ startChild, workerEntry }: ServerOptions): StartChildProgram {
  return startChild ?? forkChildPrograms(workerEntry);
}

/** Look-ups and connections that are handed in stay on the thread they come from. */
function openWebhookSender({ options, closers }: EngineParts): WebhookSender {
  const { network, workerEntry } = options;
  if (network !== undefined) {
    const client = createWebhookClient(network);
    closers.push(() => client.close());
    return createSender(client);
  }
  const ending = extname(workerEntry.pathname);
  const sender = new ThreadSender(new URL(`../src-server/features/webhooks/webhook-thread${ending}`, workerEntry));
  closers.push(() => sender.close());
  return sender;
}

/**
 * Who a request acts for (decisions 1). `accountId` is `owner`, a payer's wallet address in lower-case hex, or
 * `ip:<address>` for a caller who proved nothing (IPv6 by its /64).
 */
export type Principal =
  | { kind: 'owner'; accountId: 'owner' }
  | { kind: 'payer'; accountId: `0x${string}` }
  | { kind: 'anonymous'; accountId: `ip:${string}` };

export const OWNER: Principal = { kind: 'owner', accountId: 'owner' };

export const BASE_PATHS: Record<EnvironmentName, string> = { production: '/v1', staging: '/staging/v1' };

declare module './platform/http/env.ts' {
  interface HttpVariables {
    /** Set by the identification middleware on every `/v1` and `/admin` route. */
    principal: Principal;
  }
}
