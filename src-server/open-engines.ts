import { totalmem } from 'node:os';
import { extname, join } from 'node:path';
import type { Settings } from './contract/index.ts';
import { createPdfExtractor, type ExtractPdf } from './engines/pdf-engine.ts';
import { createTextEngine } from './engines/text-model.ts';
import { createTextServers } from './engines/text-model-servers.ts';
import { createWorkerPool, defaultMemoryLimitBytes, type WorkerPool } from './engines/worker-pool.ts';
import type { Clock } from './lib/clock.ts';
import { readCatalogue } from './models/catalogue.ts';
import { createModelClient } from './models/model-client.ts';
import { createModels, type Models } from './models/models.ts';
import { createOcrModels } from './models/ocr-languages.ts';
import type { TextPort } from './operations/operation.ts';
import type { ServerOptions } from './server.ts';
import { createGuardedClient, type GuardedClient } from './sources/guarded-client.ts';
import { createWebhookClient, type GuardedWebhookClient } from './sources/webhook-client.ts';
import { VERSION } from './version.ts';

/** What does the work, shared by production and staging: threads, models, native processes, connections. */
export interface Engines {
  pool: WorkerPool;
  models: Models;
  extractPdf: ExtractPdf;
  text: TextPort;
  client: GuardedClient;
  webhookClient: GuardedWebhookClient;
}

export interface EngineParts {
  options: ServerOptions;
  dataDir: string;
  clock: Clock;
  settings(): Readonly<Settings>;
  /** Takes what is opened, to be closed in the reverse order. */
  closers: (() => Promise<void> | void)[];
}

export async function openEngines(parts: EngineParts): Promise<Engines> {
  const { options, clock, closers } = parts;
  const pool = createWorkerPool({
    entry: options.workerEntry,
    memoryLimitBytes: defaultMemoryLimitBytes(totalmem()),
    ...(options.threads === undefined ? {} : { threads: options.threads }),
  });
  closers.push(() => pool.close());
  const client = createGuardedClient({ userAgent: `Quarry/${VERSION}`, clock, ...options.network });
  closers.push(() => client.close());
  const webhookClient = createWebhookClient({ ...options.network });
  closers.push(() => webhookClient.close());
  const models = await openModels(parts);
  const { threads } = pool.figures();
  const extractPdf = createPdfExtractor({ runTask: pool.run, threads, ocr: createOcrModels(models) });
  return { pool, models, extractPdf, text: openText(parts, models), client, webhookClient };
}

async function openModels({ options, dataDir, clock, settings, closers }: EngineParts): Promise<Models> {
  const models = createModels({
    folder: join(dataDir, 'models'),
    catalogue: await readCatalogue(new URL('models/', options.resourcesFolder)),
    clock,
    mirrorUrl: () => settings().modelMirrorUrl,
    client: createModelClient(`Quarry/${VERSION}`),
  });
  closers.push(() => models.close());
  return models;
}

/** The models of the folder, and of text servers on this machine. */
function openText({ options, clock, settings, closers }: EngineParts, models: Models): TextPort {
  const { textServerKey: apiKey, knownTextServers: knownServers } = options;
  const text = createTextEngine({
    files: { list: () => models.installed('text'), require: (name) => models.require(name, 'text') },
    servers: createTextServers({ clock, serverUrl: () => settings().textServerUrl, apiKey, knownServers }),
    defaultModel: () => settings().textModel,
    childEntry: childEntryOf(options.workerEntry),
  });
  closers.push(() => text.close());
  return text.port;
}

/** Beside the workers' entry, with its ending: a source file, or its build. */
function childEntryOf(workerEntry: URL): URL {
  return new URL(`./child/text-model${extname(workerEntry.pathname)}`, workerEntry);
}
