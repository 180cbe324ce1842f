import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

/**
 * Absolute path of the data folder: from the flag, the variable, or the platform's default. Empty for an empty flag.
 */
export function dataDirFrom(flag: string | undefined, environment: NodeJS.ProcessEnv): string {
  const given = flag ?? (environment.QUARRY_DATA_DIR || undefined);
  // Keeps the empty string: `resolve` would turn it into the current folder.
  return given === '' ? given : resolve(given ?? defaultDataDir(environment));
}

/** The data folder, before the other arguments are parsed. */
export function dataDirOf(argv: readonly string[], environment: NodeJS.ProcessEnv): string {
  const options = { 'data-dir': { type: 'string' } } as const;
  const { values } = parseArgs({ args: [...argv], options, strict: false, allowPositionals: true });
  const flag = values['data-dir'];
  return dataDirFrom(typeof flag === 'string' ? flag : undefined, environment);
}

/** The platform's folder for application data. The desktop app and the headless server share it. */
function defaultDataDir(environment: NodeJS.ProcessEnv): string {
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'Quarry');
  if (process.platform === 'win32') {
    return join(environment.LOCALAPPDATA || join(homedir(), 'AppData', 'Local'), 'Quarry');
  }
  return join(environment.XDG_DATA_HOME || join(homedir(), '.local', 'share'), 'quarry');
}
