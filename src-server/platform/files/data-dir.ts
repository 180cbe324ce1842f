import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { followMoves } from './data-place.ts';

/**
 * Absolute path of the data folder: from the flag, the variable, or the platform's default, and from there to where its
 * data was moved. Empty for an empty flag.
 */
export function dataDirFrom(flag: string | undefined, environment: NodeJS.ProcessEnv): string {
  const given = givenDataDir(flag, environment);
  return given === '' ? given : followMoves(given);
}

function givenDataDir(flag: string | undefined, environment: NodeJS.ProcessEnv): string {
  const given = flag ?? (environment.QUARRY_DATA_DIR || undefined);
  // Keeps the empty string: `resolve` would turn it into the current folder.
  return given === '' ? given : resolve(given ?? defaultDataDir(environment));
}

/** The data folder as it is given, before the other arguments are parsed: its data may have been moved. */
export function dataDirOf(argv: readonly string[], environment: NodeJS.ProcessEnv): string {
  const options = { 'data-dir': { type: 'string' } } as const;
  const { values } = parseArgs({ args: [...argv], options, strict: false, allowPositionals: true });
  const flag = values['data-dir'];
  return givenDataDir(typeof flag === 'string' ? flag : undefined, environment);
}

/** The platform's folder for application data. The desktop app and the headless server share it. */
function defaultDataDir(environment: NodeJS.ProcessEnv): string {
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'Quarry');
  if (process.platform === 'win32') {
    return join(environment.LOCALAPPDATA || join(homedir(), 'AppData', 'Local'), 'Quarry');
  }
  return join(environment.XDG_DATA_HOME || join(homedir(), '.local', 'share'), 'quarry');
}
