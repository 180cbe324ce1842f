/** Why a server does not start, as a sentence for whoever typed the command, where that person can mend it. */
import { getSystemErrorMessage } from 'node:util';
import { ConfigError } from './config-error.ts';
import { QuarryError } from './contract/errors.ts';
import { PAYMENT_VARIABLES } from './payment-variables.ts';
import { DataFolderInUseError } from './storage/data-folder.ts';

interface Place {
  host: string;
  port: number;
}

/** Runs what opens the data folder. Errors: DataFolderInUseError as it is, ConfigError for one that is unusable. */
export function withDataFolder<Result>(folder: string, open: () => Result): Result {
  try {
    return open();
  } catch (error) {
    const reason = error instanceof DataFolderInUseError ? null : reasonOf(error);
    if (reason === null) throw error;
    throw new ConfigError(`The data folder ${folder} cannot be used: ${reason}. Give another with --data-dir.`);
  }
}

/** The error of a server that could not listen. */
export function listenError(error: unknown, { host, port }: Place): unknown {
  const reason = reasonOf(error);
  if (reason === null) return error;
  return new ConfigError(`Cannot listen on ${host}, port ${port}: ${reason}. Give others with --host and --port.`);
}

/** Settlement that variables ask for and do not describe: each missing one by its name. Anything else as it is. */
export function settlementError(error: unknown): unknown {
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
