import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ServerOptions } from './app.ts';
import type { Config } from './config.ts';
import { Settings } from './contract/index.ts';
import type { Finding } from './doctor.ts';
import { type InstalledModel, readInstalled } from './features/models/installed.ts';
import {
  type CatalogueModel,
  type ModelKind,
  offerOf,
  readCatalogue,
  recommendedOf,
} from './features/models/schema.ts';
import { createTextServers } from './features/text/servers.ts';
import { systemClock } from './platform/clock.ts';
import { engineRuns } from './platform/rpc/engine-check.ts';
import { forkChildPrograms } from './platform/rpc/fork-child-program.ts';
import { settingsOf } from './storage-settings.ts';

export type Places = Pick<ServerOptions, 'workerEntry' | 'resourcesFolder'>;

/** What does not work without a model of a kind, and the file that an owner can add by hand. */
const KINDS: readonly { kind: ModelKind; name: string; without: string; put: string }[] = [
  { kind: 'speech', name: 'Speech models', without: 'nothing is transcribed', put: 'a whisper model (ONNX or ggml)' },
  { kind: 'text', name: 'Text models', without: 'text is written by text servers alone', put: 'a .gguf file' },
  { kind: 'embedding', name: 'Embedding models', without: 'search finds by words alone', put: 'an embedding .gguf' },
];

const ENGINES = [
  { program: 'text-model', name: 'Text engine', engine: 'llama.cpp', kinds: ['text', 'embedding'] },
  { program: 'speech', name: 'Speech engine', engine: 'sherpa-onnx', kinds: ['speech', 'voice', 'vad'] },
] as const;

/** Which models are there, which of their engines run here, and which text servers answer. */
export async function modelFindings(config: Config, places: Places): Promise<Finding[]> {
  const folder = config.modelsDir ?? join(config.dataDir, 'models');
  const catalogue = await readCatalogue(new URL('models/', places.resourcesFolder));
  const models = await readInstalled(folder, catalogue).catch(() => null);
  if (models === null) {
    const detail = `${folder} cannot be read. Give another with --models-dir`;
    return [{ name: 'Models folder', state: 'missing', detail }, ...(await textServers(config))];
  }
  return [...modelsOf(models, catalogue, folder), ...(await engines(models, places)), ...(await textServers(config))];
}

function modelsOf(models: readonly InstalledModel[], catalogue: readonly CatalogueModel[], folder: string): Finding[] {
  return KINDS.map(({ kind, name, without, put }) => {
    const there = models.filter((model) => model.kind === kind).map((model) => model.name);
    if (there.length > 0) return { name, state: 'ok', detail: there.join(', ') };
    const first = recommendedOf(catalogue, kind);
    const offer = first === null ? 'one' : offerOf(first);
    const detail = `none, so ${without}. Install ${offer} on the Models page, or put ${put} into ${folder}`;
    return { name, state: 'optional', detail };
  });
}

function engines(models: readonly InstalledModel[], { workerEntry }: Places): Promise<Finding[]> {
  const start = forkChildPrograms(workerEntry);
  return Promise.all(
    ENGINES.map(async ({ program, name, engine, kinds }): Promise<Finding> => {
      if (await engineRuns(start, program)) return { name, state: 'ok', detail: `${engine} runs here` };
      const needed = models.some(({ kind }) => (kinds as readonly ModelKind[]).includes(kind));
      const detail = `${engine} does not run here. Run: node scripts/setup.mjs`;
      return { name, state: needed ? 'missing' : 'optional', detail };
    }),
  );
}

/** The text server that the settings name, or those that are found where such servers listen. */
async function textServers({ dataDir, textServerKey: apiKey }: Config): Promise<Finding[]> {
  const settings = await readSettings(join(dataDir, 'production', 'quarry.db')).catch(() => null);
  const name = 'Text servers';
  if (settings === null)
    return [{ name, state: 'optional', detail: 'the settings, which may name one, cannot be read' }];
  const serverUrl = () => settings.textServerUrl;
  const servers = createTextServers({ clock: systemClock, serverUrl, apiKey });
  const models = await servers.list();
  const trouble = servers.trouble();
  if (trouble !== null) return [{ name, state: 'missing', detail: `${serverUrl()}: ${trouble.message}` }];
  const byServer = Map.groupBy(models, ({ url }) => url);
  const there = [...byServer].map(([url, served]) => `${url} (${served.map((model) => model.name).join(', ')})`);
  if (there.length > 0) return [{ name, state: 'ok', detail: there.join('; ') }];
  if (serverUrl() !== null) return [{ name, state: 'ok', detail: `${serverUrl()} answers, and has no text model` }];
  const detail = 'none answers. Start Ollama, LM Studio or llama-server, or name another on the Settings page';
  return [{ name, state: 'optional', detail }];
}

/** As a server that runs on the same folder has them. */
async function readSettings(path: string): Promise<Settings> {
  if (!existsSync(path)) return Settings.parse({});
  const { default: Sqlite } = await import('better-sqlite3');
  const database = new Sqlite(path, { readonly: true });
  try {
    return settingsOf(database.prepare<[], { name: string; value: string }>('select name, value from settings').all());
  } finally {
    database.close();
  }
}
