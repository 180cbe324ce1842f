/**
 * Turns start-up failures that the user can fix into one-sentence messages. Commands that start no server import this
 * file too, so it does not load the server.
 */

import { getSystemErrorMessage } from 'node:util';
import { ConfigError } from './config.ts';
import { isDiskFull } from './platform/errors.ts';
import { DamagedSecretError, DataFolderInUseError, UnusedDataFolderError } from './platform/files/data-folder.ts';

interface Place {
  host: string;
  port: number;
}

export class PortTakenError extends Error {
  readonly port: number;

  constructor({ host, port }: Place) {
    super(
      `Port ${port} on ${host} is taken. ` +
        'Stop the program that uses it, or choose another with --port (0: any free one).',
    );
    this.name = 'PortTakenError';
    this.port = port;
  }
}

/** Runs a function that opens the data folder. Errors: DataFolderInUseError, and ConfigError for an unusable folder. */
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

/** Runs a function that creates the models folder. Errors: ConfigError for an unusable folder. */
export function withModelsFolder<Result>(folder: string, open: () => Result): Result {
  try {
    return open();
  } catch (error) {
    const reason = isDiskFull(error) ? null : reasonOf(error);
    if (reason === null) throw error;
    throw new ConfigError(`The models folder ${folder} cannot be used: ${reason}. Give another with --models-dir.`);
  }
}

/** Maps a listen error to a message for the user. */
export function listenError(error: unknown, { host, port }: Place): unknown {
  const reason = reasonOf(error);
  if (reason === null) return error;
  return new ConfigError(`Cannot listen on ${host}, port ${port}: ${reason}. Give others with --host and --port.`);
}

/** The reason that the operating system or the database gives; null for other errors. */
function reasonOf(error: unknown): string | null {
  const { code, errno } = error as { code?: unknown; errno?: unknown };
  if (typeof code !== 'string') return null;
  return typeof errno === 'number' ? getSystemErrorMessage(errno) : code;
}
