import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { nameFlags } from './commands/flag-names.ts';
import { type Config, type Locations, settingsOf } from './config.ts';
import { Settings } from './features/dashboard/schema.ts';
import { describeTools, openMediaTools } from './features/media/tools.ts';
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
import { modelsPlace } from './platform/files/data-place.ts';
import { makeOwnerFolder } from './platform/files/private-files.ts';
import { createModelClient } from './platform/net/download.ts';
import { OriginKey } from './platform/net/origin-key.ts';
import { engineRuns, forkChildPrograms } from './platform/rpc/child-process.ts';
import { describeBytes } from './platform/units.ts';
import { VERSION } from './platform/version.ts';

export interface Finding {
  name: string;
  /** `missing` is required, `optional` would add a function. */
  state: 'ok' | 'missing' | 'optional';
  detail: string;
}

/** Prints what is installed, what is missing, and how to install it. Returns 1 when something required is missing. */
export async function runDoctor(config: Config, places: Places): Promise<number> {
  const findings = [
    nodeFinding(),
    await databaseFinding(),
    dataFolder(config.dataDir),
    settlementFinding(config),
    desktopFinding(),
    ...(await mediaTools(config.dataDir, places)),
    ...(await modelFindings(config, places)),
  ];
  const mark = { ok: 'ok      ', missing: 'MISSING ', optional: 'optional' };
  for (const { name, state, detail } of findings) process.stdout.write(`${mark[state]}  ${name}: ${detail}\n`);
  return findings.some(({ state }) => state === 'missing') ? 1 : 0;
}

function nodeFinding(): Finding {
  return { name: 'Node', state: 'ok', detail: process.versions.node };
}

async function databaseFinding(): Promise<Finding> {
  try {
    const { openSqlite } = await import('./platform/db/sqlite.ts');
    const memory = openSqlite(':memory:');
    const version = String(memory.prepare('select sqlite_version()').pluck().get());
    memory.close();
    return { name: 'SQLite', state: 'ok', detail: version };
  } catch {
    return { name: 'SQLite', state: 'missing', detail: 'better-sqlite3 does not load. Run: node scripts/setup.mjs' };
  }
}

function dataFolder(folder: string): Finding {
  try {
    makeOwnerFolder(folder);
    accessSync(folder, constants.R_OK | constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    return { name: 'Data folder', state: 'ok', detail: `${folder} (${describeBytes(bavail * bsize)} free)` };
  } catch {
    return {
      name: 'Data folder',
      state: 'missing',
      detail: `${folder} cannot be written. Give another with --data-dir`,
    };
  }
}

/** Payment settings fixed by variables. Never shows the key. */
function settlementFinding({ payment }: Config): Finding {
  const { privateKey, ...fixed } = payment;
  const said = Object.entries(fixed).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  if (privateKey !== undefined) said.push('a private key');
  const detail =
    said.length > 0 ? `variables fix ${said.join(', ')}` : 'no variable fixes it: the settings page decides';
  return { name: 'Settlement', state: 'ok', detail };
}

function desktopFinding(): Finding {
  try {
    const folder = dirname(createRequire(import.meta.url).resolve('electron/package.json'));
    if (existsSync(join(folder, 'path.txt'))) return { name: 'Desktop app', state: 'ok', detail: 'Electron is there' };
  } catch {
    // The package itself is missing. The advice is the same.
  }
  const detail = 'Electron is fetched by npm start where there is a display; without it the server runs headless';
  return { name: 'Desktop app', state: 'optional', detail };
}

const STATES = { ready: 'ok', installable: 'optional', missing: 'optional' } as const;

/** Programs for media work, located in the same way as jobs do. */
async function mediaTools(dataDir: string, { resourcesFolder, workerEntry }: Places): Promise<Finding[]> {
  const startChild = forkChildPrograms(workerEntry);
  const mirrorUrl = () => null;
  const client = createModelClient(`Quarry/${VERSION}`);
  // The doctor keeps no record.
  const onNoteLost = () => undefined;
  const deps = { dataDir, resourcesFolder, clock: systemClock, startChild, client, mirrorUrl, onNoteLost };
  const facts = await describeTools(openMediaTools(deps));
  return facts.map(({ name, state, purpose, version, from, advice }) => {
    const found = [version, from && `(${from})`].filter(Boolean).join(' ');
    return { name, state: STATES[state], detail: state === 'ready' ? found : nameFlags(`${purpose}. ${advice}`) };
  });
}

export type Places = Pick<Locations, 'workerEntry' | 'resourcesFolder'>;

/** What fails without a model of a kind, and the file that the owner can add by hand. */
const KINDS: readonly { kind: ModelKind; name: string; without: string; put: string }[] = [
  { kind: 'speech', name: 'Speech models', without: 'nothing is transcribed', put: 'a whisper model (ONNX or ggml)' },
  { kind: 'text', name: 'Text models', without: 'text is written by text servers alone', put: 'a .gguf file' },
  { kind: 'embedding', name: 'Embedding models', without: 'search finds by words alone', put: 'an embedding .gguf' },
];

const ENGINES = [
  { program: 'text-model', name: 'Text engine', engine: 'llama.cpp', kinds: ['text', 'embedding'] },
  { program: 'speech', name: 'Speech engine', engine: 'sherpa-onnx', kinds: ['speech', 'voice', 'vad'] },
] as const;

/** Installed models, whether their engines run here, and the text servers that answer. */
export async function modelFindings(config: Config, places: Places): Promise<Finding[]> {
  const { folder } = modelsPlace(config.dataDir, config.modelsDir);
  const catalogue = await readCatalogue(new URL('models/', places.resourcesFolder));
  const models = await readInstalled(folder, catalogue).catch(() => null);
  if (models === null) {
    const detail = `${folder} cannot be read. Give another with --models-dir`;
    return [{ name: 'Models folder', state: 'missing', detail }, ...(await textServers(config))];
  }
  return [
    ...modelsOf(models, catalogue, folder),
    ...(await engineFindings(models, places)),
    ...(await textServers(config)),
  ];
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

function engineFindings(models: readonly InstalledModel[], { workerEntry }: Places): Promise<Finding[]> {
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

/** The text server in the settings, or those found on the known ports. */
async function textServers({ dataDir, textServerKey }: Config): Promise<Finding[]> {
  const settings = await readSettings(join(dataDir, 'production', 'quarry.db')).catch(() => null);
  const name = 'Text servers';
  if (settings === null)
    return [{ name, state: 'optional', detail: 'the settings, which may name one, cannot be read' }];
  const serverUrl = () => settings.textServerUrl;
  const key = new OriginKey(dataDir, 'text', textServerKey, settings.textServerUrl);
  const servers = createTextServers({ clock: systemClock, serverUrl, key });
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

/** The settings of a server on the same data folder. */
async function readSettings(path: string): Promise<Settings> {
  if (!existsSync(path)) return Settings.parse({});
  const { openSqlite } = await import('./platform/db/sqlite.ts');
  const database = openSqlite(path, { readonly: true });
  try {
    return settingsOf(database.prepare<[], { name: string; value: string }>('select name, value from settings').all());
  } finally {
    database.close();
  }
}
