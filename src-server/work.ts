/** `quarry work`: this machine as a node. The composition root of a process without window and database. */

import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ConfigError, type Locations, settingsOf } from './config.ts';
import { type AppContext, openAppContext } from './context.ts';
import { findBrowser, requireBrowser } from './features/crawl/browser.ts';
import { MAX_BROWSERS } from './features/crawl/browser-places.ts';
import { browserLender } from './features/crawl/browser-program.ts';
import { readJoin } from './features/fleet/join.ts';
import { clearFolder, type RunningNode, startNode } from './features/fleet/node.ts';
import { receivedVoices } from './features/media/speakers.ts';
import { watchModelsFolder } from './features/models/folder-watch.ts';
import { modelFactsOf, modelsFolder, modelsOf } from './features/models/service.ts';
import { OPERATIONS } from './features.ts';
import type { Operation, ServiceName, Services, TravelChoices, UseService } from './operation.ts';
import { systemClock } from './platform/clock.ts';
import { QuarryError } from './platform/errors.ts';
import { dataDirFrom } from './platform/files/data-dir.ts';
import { makeFolder } from './platform/files/make-folder.ts';
import { makeOwnerFolder, SecretFile } from './platform/files/private-files.ts';
import { flagProblem } from './platform/flag-errors.ts';
import { createLog } from './platform/log.ts';
import { ModelFacts } from './platform/model-facts.ts';
import { omitUndefined } from './platform/omit-undefined.ts';
import { findGpu } from './platform/process/gpu.ts';
import { tell } from './platform/text/say.ts';
import { SECOND_MS } from './platform/units.ts';
import { VERSION } from './platform/version.ts';

const SLOTS_MAX = 1000;

const BROWSERS_MAX = 100;

const MODELS_MAX = 2000;

/** Of the models folder, before what changed is announced. */
const QUIET_MS = SECOND_MS / 10;

export const WORK_HELP = `Usage: quarry work --join <address> [options]

Runs jobs of another Quarry, whose settings make the address (Nodes, Add a node). Later starts need none.

Options:
  --join <address>       quarry://<host>:<port>/#… (QUARRY_JOIN)
  --slots <number>       Heavy jobs at once (default 1: a talk uses all cores). Light ones have slots of their own
  --browsers <number>    Browsers for crawls that render pages (default: one per core, ${MAX_BROWSERS} at most; 0: none)
  --data-dir <folder>    Where the node keeps its key and the files of running jobs (QUARRY_DATA_DIR)
  --models-dir <folder>  Where models are (QUARRY_MODELS_DIR, default: models in the data folder)
  --log-level <level>    fatal, error, warn, info, debug or silent (default info)
`;

export interface WorkOptions {
  /** Null: the address of the last start. */
  join: string | null;
  /** Heavy jobs at once. */
  slots: number;
  /** Null: as many as its cores suggest. */
  browsers: number | null;
  dataDir: string;
  modelsDir: string | undefined;
  logLevel: string;
}

/** Errors: `ConfigError`. */
export function readWorkOptions(argv: readonly string[], environment: NodeJS.ProcessEnv): WorkOptions {
  const text = { type: 'string' } as const;
  const options = { join: text, slots: text, browsers: text, 'data-dir': text, 'models-dir': text, 'log-level': text };
  const given = (() => {
    try {
      return parseArgs({ args: [...argv], options, strict: true }).values;
    } catch (error) {
      throw new ConfigError(flagProblem(error, Object.keys(options), 'quarry work'));
    }
  })();
  const slots = Number(given.slots ?? 1);
  if (!Number.isInteger(slots) || slots < 1 || slots > SLOTS_MAX) {
    throw new ConfigError(`--slots: Give a whole number from 1 to ${SLOTS_MAX}.`);
  }
  const browsers = given.browsers === undefined ? null : Number(given.browsers);
  if (browsers !== null && !(Number.isInteger(browsers) && browsers >= 0 && browsers <= BROWSERS_MAX)) {
    throw new ConfigError(`--browsers: Give a whole number from 0 to ${BROWSERS_MAX}.`);
  }
  const models = given['models-dir'] ?? (environment.QUARRY_MODELS_DIR || undefined);
  return {
    join: given.join ?? (environment.QUARRY_JOIN || null),
    slots,
    browsers,
    dataDir: dataDirFrom(given['data-dir'], environment),
    modelsDir: models === undefined ? undefined : resolve(models),
    logLevel: given['log-level'] ?? 'info',
  };
}

export interface WorkHooks {
  operations?: readonly Operation[];
  version?: string;
  checkpointEveryMs?: number;
  freeBytes?: (folder: string) => Promise<number>;
  gpu?: () => Promise<string | null>;
}

export interface RunningWork extends Pick<RunningNode, 'name' | 'ended' | 'close'> {}

/** Joins the control node. Errors: `ConfigError`, with what the control node or the broker refuses. */
export async function startWork(options: WorkOptions, places: Locations, hooks: WorkHooks = {}): Promise<RunningWork> {
  const root = join(options.dataDir, 'node');
  makeOwnerFolder(root);
  const kept = new SecretFile(join(root, 'join'));
  const address = options.join ?? kept.readSecret();
  if (address === null)
    throw new ConfigError(`Give the address that the settings show for a new node.\n\n${WORK_HELP}`);
  try {
    const folder = join(root, readJoin(address).node);
    makeOwnerFolder(folder);
    await clearFolder(folder);
    const context = await contextOf(options, places, folder);
    const browsers = options.browsers ?? Math.min(MAX_BROWSERS, availableParallelism());
    try {
      const node = await startNode({
        join: address,
        folder,
        version: hooks.version ?? VERSION,
        log: context.log,
        cores: availableParallelism(),
        slots: { light: availableParallelism(), heavy: options.slots },
        operations: (hooks.operations ?? OPERATIONS).filter(({ travels }) => travels !== undefined),
        use: servicesOf(context),
        gpu: await (hooks.gpu ?? findGpu)(),
        models: () => modelsHere(context),
        watchModels: (onChange) => watchModels(context, onChange),
        modelsFolder: modelsFolder(context),
        browsers: () => (findBrowser(options.dataDir) === null ? 0 : browsers),
        lendBrowser: browserLender({
          start: context.startChild,
          browserPath: () => requireBrowser(options.dataDir).path,
        }),
        freeBytes: hooks.freeBytes,
        ...omitUndefined({ checkpointEveryMs: hooks.checkpointEveryMs }),
      });
      kept.writeSecret(address);
      const closeWorkNode = async () => {
        await node.close();
        await context.close();
      };
      return { name: node.name, ended: node.ended, close: closeWorkNode };
    } catch (error) {
      await context.close();
      throw error;
    }
  } catch (error) {
    if (error instanceof QuarryError) throw new ConfigError(error.message);
    throw error;
  }
}

/** The command. Resolves with the exit code when a signal, or the control node, ends it. */
export async function runWorkCommand(
  argv: readonly string[],
  environment: NodeJS.ProcessEnv,
  places: Locations,
  stopped: Promise<void>,
): Promise<number> {
  const node = await startWork(readWorkOptions(argv, environment), places);
  process.stdout.write(`Quarry works as the node ${node.name}.\n`);
  const refused = await Promise.race([node.ended, stopped.then(() => null)]);
  await node.close();
  if (refused === null) return 0;
  process.stderr.write(`${refused.message}\n`);
  return 1;
}

async function contextOf(
  options: WorkOptions,
  { workerEntry, resourcesFolder }: Locations,
  folder: string,
): Promise<AppContext> {
  const modelsDir = options.modelsDir ?? join(options.dataDir, 'models');
  makeFolder(modelsDir);
  const settings = settingsOf([]);
  return openAppContext({
    dataDir: folder,
    workerEntry,
    resourcesFolder,
    clock: systemClock,
    log: await createLog(options.logLevel),
    settings: () => settings,
    options: { modelsDir },
  });
}

/** What jobs may use: the models folder, and the models of a text server on this machine. */
async function modelsHere(context: AppContext): Promise<ModelFacts[]> {
  const installed = await (await modelsOf(context)).installed();
  const text = await (await import('./features/text/service.ts')).textOf(context);
  const served = (await text.list()).flatMap(({ name, from }) => (from === 'server' ? [servedFacts(name)] : []));
  // One that cannot be described must not silence the node.
  return [...installed.map(modelFactsOf), ...served]
    .filter((model) => ModelFacts.safeParse(model).success)
    .slice(0, MODELS_MAX);
}

function watchModels(context: AppContext, onChange: () => void): () => void {
  const onFailed = (error: unknown) =>
    context.log.warn({ err: error }, 'The models folder cannot be watched. It is read with each heartbeat.');
  return watchModelsFolder(modelsFolder(context), { quietMs: QUIET_MS, onChange, onFailed });
}

function servedFacts(name: string): ModelFacts {
  const unknown = { format: null, sizeBytes: 0, languages: null, speechFamily: null, voice: null };
  return { name, kind: 'text', ...unknown, recommendedFor: [] };
}

/** What travels needs these services. The voices that a machine remembers come with the job. */
function servicesOf(context: AppContext): UseService {
  const voicesOf = ({ choices }: { choices: TravelChoices }) => receivedVoices(choices);
  const openers: { [Name in ServiceName]?: () => Promise<Services[Name]> } = {
    documents: async () => (await import('./features/documents/service.ts')).documentsOf(context),
    media: async () => (await import('./features/media/service.ts')).openMedia(context, voicesOf),
    hostedVideo: async () => (await import('./features/media/hosted-video.ts')).openHostedVideo(context, voicesOf),
    fields: async () => (await import('./features/fields/service.ts')).fieldsOf(context),
    audio: async () => (await import('./features/audio/service.ts')).audioOf(context),
    text: async () => (await (await import('./features/text/service.ts')).textOf(context)).service,
  };
  return (name) => {
    const open = openers[name];
    if (open === undefined) throw new QuarryError('internal', tell`Jobs with the service ${name} do not travel.`);
    return open();
  };
}
