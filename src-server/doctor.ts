import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Config } from './config.ts';
import { modelFindings, type Places } from './doctor-models.ts';
import { describeTools, openMediaTools } from './features/media/tools.ts';
import { systemClock } from './platform/clock.ts';
import { makeOwnerFolder } from './platform/files/owner-folder.ts';
import { createModelClient } from './platform/net/model-client.ts';
import { describeBytes } from './platform/units.ts';
import { VERSION } from './platform/version.ts';

export interface Finding {
  name: string;
  /** `ok` is there, `missing` is needed, `optional` would add something. */
  state: 'ok' | 'missing' | 'optional';
  detail: string;
}

/** Prints what is installed, what is missing, and how to install it. Gives 1 when something needed is missing. */
export async function doctor(config: Config, places: Places): Promise<number> {
  const findings = [
    node(),
    await database(),
    dataFolder(config.dataDir),
    settlement(config),
    desktop(),
    ...(await mediaTools(config.dataDir)),
    ...(await modelFindings(config, places)),
  ];
  const mark = { ok: 'ok      ', missing: 'MISSING ', optional: 'optional' };
  for (const { name, state, detail } of findings) process.stdout.write(`${mark[state]}  ${name}: ${detail}\n`);
  return findings.some(({ state }) => state === 'missing') ? 1 : 0;
}

function node(): Finding {
  return { name: 'Node', state: 'ok', detail: process.versions.node };
}

async function database(): Promise<Finding> {
  try {
    const { default: Sqlite } = await import('better-sqlite3');
    const memory = new Sqlite(':memory:');
    const { version } = memory.prepare('select sqlite_version() as version').get() as { version: string };
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

/** What variables fix, by setting; never the key. */
function settlement({ payment }: Config): Finding {
  const { privateKey, ...fixed } = payment;
  const said = Object.entries(fixed).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  if (privateKey !== undefined) said.push('a private key');
  const detail =
    said.length > 0 ? `variables fix ${said.join(', ')}` : 'no variable fixes it: the settings page decides';
  return { name: 'Settlement', state: 'ok', detail };
}

function desktop(): Finding {
  try {
    const folder = dirname(createRequire(import.meta.url).resolve('electron/package.json'));
    if (existsSync(join(folder, 'path.txt'))) return { name: 'Desktop app', state: 'ok', detail: 'Electron is there' };
  } catch {
    // Not installed at all: the same advice.
  }
  const detail = 'Electron is fetched by npm start where there is a display; without it the server runs headless';
  return { name: 'Desktop app', state: 'optional', detail };
}

const STATES = { ready: 'ok', buildable: 'ok', missing: 'optional' } as const;

/** Programs that media work needs, looked for as jobs look for them. */
async function mediaTools(dataDir: string): Promise<Finding[]> {
  const mirrorUrl = () => null;
  const client = createModelClient(`Quarry/${VERSION}`);
  // Here nothing is noted.
  const onNoteLost = () => undefined;
  const facts = await describeTools(openMediaTools({ dataDir, clock: systemClock, client, mirrorUrl, onNoteLost }));
  return facts.map(({ name, state, purpose, version, from, advice }) => {
    const found = [version, from && `(${from})`].filter(Boolean).join(' ');
    const detail = { ready: found, buildable: 'is built when it is first needed', missing: `${purpose}. ${advice}` };
    return { name, state: STATES[state], detail: detail[state] };
  });
}
