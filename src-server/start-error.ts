/** Why a server does not start, as a sentence for whoever typed the command, where that person can mend it. */
import { getSystemErrorMessage } from 'node:util';
import { ConfigError } from './config-error.ts';
import { PAYMENT_VARIABLES } from './payment-variables.ts';
import { OtherVersionError } from './platform/db/database.ts';
import { MissingDatabaseError } from './platform/db/missing-database.ts';
import { isDiskFull } from './platform/disk-full.ts';
import { QuarryError } from './platform/errors.ts';
import { DamagedSecretError, DataFolderInUseError, UnusedDataFolderError } from './platform/files/data-folder.ts';

/** What SQLite says of a file that is no database, or no longer a whole one. */
const DAMAGED = /^SQLITE_(CORRUPT|NOTADB)/;

interface Place {
  host: string;
  port: number;
}

/** Runs what opens the data folder. Errors: DataFolderInUseError as it is, ConfigError for one that is unusable. */
export function withDataFolder<Result>(folder: string, open: () => Result): Result {
  try {
    return open();
  } catch (error) {
    if (error instanceof DamagedSecretError || error instanceof UnusedDataFolderError) {
      throw new ConfigError(error.message);
    }
    const reason = error instanceof DataFolderInUseError ? null : reasonOf(error);
    if (reason === null) throw error;
    throw new ConfigError(`The data folder ${folder} cannot be used: ${reason}. Give another with --data-dir.`);
  }
}

/** Runs what makes the models folder. Errors: ConfigError for one that is unusable. */
export function withModelsFolder<Result>(folder: string, open: () => Result): Result {
  try {
    return open();
  } catch (error) {
    const reason = isDiskFull(error) ? null : reasonOf(error);
    if (reason === null) throw error;
    throw new ConfigError(`The models folder ${folder} cannot be used: ${reason}. Give another with --models-dir.`);
  }
}

/** The error of a server that could not listen. */
export function listenError(error: unknown, { host, port }: Place): unknown {
  const reason = reasonOf(error);
  if (reason === null) return error;
  return new ConfigError(`Cannot listen on ${host}, port ${port}: ${reason}. Give others with --host and --port.`);
}

/** What a server could not be opened with: its data, or the settlement that it was told. Anything else as it is. */
export function openError(error: unknown, folder: string): unknown {
  const reason = dataReasonOf(error);
  return reason === null
    ? settlementError(error)
    : new ConfigError(`The data folder ${folder} cannot be used: ${reason}`);
}

function dataReasonOf(error: unknown): string | null {
  if (error instanceof OtherVersionError) {
    return 'another version of Quarry has written it. Start that one, or give another folder with --data-dir.';
  }
  if (error instanceof MissingDatabaseError) {
    return `${error.message} Put back a copy of the folder, or give another with --data-dir.`;
  }
  if (isDiskFull(error)) return 'its disk is full. Free some space, then start again.';
  const { code } = error as { code?: unknown };
  if (typeof code !== 'string' || !code.startsWith('SQLITE_')) return null;
  return DAMAGED.test(code)
    ? `a database in it is damaged (${code}). Put back a copy of the folder, or give another with --data-dir.`
    : `a database in it does not open (${code}). Close what else uses it and see to its disk, then start again.`;
}

/** Settlement that variables ask for and do not describe: each missing one by its name. Anything else as it is. */
function settlementError(error: unknown): unknown {
  if (!(error instanceof QuarryError) || error.fields === undefined) return error;
  const missing = error.fields.map(({ path, message }) => {
    const names = PAYMENT_VARIABLES.filter(({ field }) => field === path || field.startsWith(`${path}.`));
    return `${names.map(({ name }) => name).join(', ') || path}: ${message}`;
  });
  return new ConfigError([error.message, ...missing].join('\n'));
}

/** What the operating system, or the database, says; null for an error of another kind. */
function reasonOf(error: unknown): string | null {
  const { code, errno } = error as { code?: unknown; errno?: unknown };
  if (typeof code !== 'string') return null;
  return typeof errno === 'number' ? getSystemErrorMessage(errno) : code;
}
