import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

/** The data folder's path, absolute: from flag, variable, or the platform's own place. Empty for an empty flag. */
export function dataDirFrom(flag: string | undefined, environment: NodeJS.ProcessEnv): string {
  const given = flag ?? (environment.QUARRY_DATA_DIR || undefined);
  // Nothing stays nothing: it would otherwise become the folder that the process was started in.
  return given === '' ? given : resolve(given ?? defaultDataDir(environment));
}

/** The same, before the rest of the arguments is read. */
export function dataDirOf(argv: readonly string[], environment: NodeJS.ProcessEnv): string {
  const options = { 'data-dir': { type: 'string' } } as const;
  const { values } = parseArgs({ args: [...argv], options, strict: false, allowPositionals: true });
  const flag = values['data-dir'];
  return dataDirFrom(typeof flag === 'string' ? flag : undefined, environment);
}

/** The platform's own place for application data, so that the desktop app and the headless server share it. */
function defaultDataDir(environment: NodeJS.ProcessEnv): string {
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'Quarry');
  if (process.platform === 'win32') {
    return join(environment.LOCALAPPDATA || join(homedir(), 'AppData', 'Local'), 'Quarry');
  }
  return join(environment.XDG_DATA_HOME || join(homedir(), '.local', 'share'), 'quarry');
}
