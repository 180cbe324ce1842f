import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ConfigError } from './config.ts';
import { createBackup } from './features/backup/create.ts';
import { backupFailureOf } from './features/backup/failure.ts';
import { restoreBackup } from './features/backup/restore.ts';
import type { Manifest } from './features/backup/schema.ts';
import { systemClock } from './platform/clock.ts';
import { dataDirFrom } from './platform/files/data-dir.ts';
import { modelsPlace } from './platform/files/data-place.ts';
import { flagProblem } from './platform/flag-errors.ts';
import { countText, describeBytes } from './platform/units.ts';

/** `quarry backup` and `quarry restore`: on the data folder itself, so they also work without a server. */
export const BACKUP_HELP = `Usage:
  quarry backup <folder> [--models]   Copy all data into a folder, also while Quarry runs; repeat it as you like
  quarry restore <folder> [--force]   Check a backup and put it into the data folder, while Quarry is stopped

--data-dir names the data folder (QUARRY_DATA_DIR). --models includes models and programs, which can be downloaded
again. --force replaces a data folder in use before; its data is kept beside. Both end with 1 when anything fails.
`;

/**
 * Runs one of both and returns what it prints on standard output.
 * @param argv the arguments after the command. Errors: ConfigError with why nothing was made.
 */
export async function backupCommand(
  command: 'backup' | 'restore',
  argv: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<string> {
  const { values, positionals } = readBackupArguments(command, argv);
  const [folder] = positionals;
  if (folder === undefined || folder === '' || positionals.length > 1) {
    throw new ConfigError(`Give one folder. See quarry ${command} --help.`);
  }
  const dataDir = dataDirFrom(values['data-dir'], environment);
  const now = systemClock.now();
  try {
    if (command === 'backup') {
      const withModels = values.models === true;
      const given = environment.QUARRY_MODELS_DIR ? resolve(environment.QUARRY_MODELS_DIR) : undefined;
      const models = modelsPlace(dataDir, given).folder;
      const modelsDir = models === join(dataDir, 'models') ? undefined : models;
      const manifest = await createBackup({ dataDir, folder, modelsDir, withModels, now });
      return `Backed up ${describeManifest(manifest)} to ${resolve(folder)}.\n`;
    }
    await stat(folder);
    const { manifest, keptIn } = await restoreBackup({ folder, dataDir, force: values.force === true, now });
    const kept = keptIn === null ? '' : `The data before is in ${keptIn}.\n`;
    return `Restored ${describeManifest(manifest)} of ${manifest.createdAt} to ${dataDir}.\n${kept}`;
  } catch (error) {
    const reason = backupFailureOf(error);
    if (reason === null) throw error;
    throw new ConfigError(reason);
  }
}

function readBackupArguments(command: 'backup' | 'restore', argv: readonly string[]) {
  const common = { 'data-dir': { type: 'string' } } as const;
  const flag = { type: 'boolean' } as const;
  const options = { ...common, ...(command === 'backup' ? { models: flag } : { force: flag }) };
  try {
    const { values, positionals } = parseArgs({ args: [...argv], options, strict: true, allowPositionals: true });
    return { values: values as { 'data-dir'?: string; models?: boolean; force?: boolean }, positionals };
  } catch (error) {
    throw new ConfigError(flagProblem(error, Object.keys(options), `quarry ${command}`));
  }
}

function describeManifest({ files, databases }: Manifest): string {
  const jobs = databases.reduce((sum, { rows }) => sum + (rows.jobs ?? 0), 0);
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  return `${countText(jobs, 'job')} and ${countText(files.length, 'file')} (${describeBytes(bytes)})`;
}
