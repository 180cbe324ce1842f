/**
 * Turns start-up failures that the user can fix into one-sentence messages. Commands that start no server import this
 * file too, so it does not load the server.
 */

import { accessSync, constants, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { getSystemErrorMessage } from 'node:util';
import { ConfigError } from './config.ts';
import { isDiskFull, systemCodeOf } from './platform/errors.ts';
import { DamagedSecretError, DataFolderInUseError, UnusedDataFolderError } from './platform/files/data-folder.ts';
import { MovedDataError } from './platform/files/data-place.ts';
import { recordOf } from './platform/records.ts';

const ROOT_USER = 0;

const OTHER_DATA_FOLDER = 'Give another with --data-dir.';

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
    const isSentence = [DamagedSecretError, UnusedDataFolderError, MovedDataError].some(
      (kind) => error instanceof kind,
    );
    if (error instanceof Error && isSentence) {
      throw new ConfigError(error.message);
    }
    const reason = error instanceof DataFolderInUseError ? null : systemErrorReason(error);
    if (reason === null) throw error;
    throw new ConfigError(
      `The data folder ${folder} cannot be used: ${folderRefusal(folder) ?? reason}. ${OTHER_DATA_FOLDER}`,
    );
  }
}

/** Runs a function that creates the models folder. Errors: ConfigError for an unusable folder. */
export function withModelsFolder<Result>(folder: string, open: () => Result): Result {
  try {
    return open();
  } catch (error) {
    const reason = isDiskFull(error) ? null : systemErrorReason(error);
    if (reason === null) throw error;
    const refusal = folderRefusal(folder) ?? reason;
    throw new ConfigError(`The models folder ${folder} cannot be used: ${refusal}. Give another with --models-dir.`);
  }
}

/** Maps a listen error to a message for the user. */
export function listenError(error: unknown, { host, port }: Place): unknown {
  const reason = systemErrorReason(error);
  if (reason === null) return error;
  return new ConfigError(`Cannot listen on ${host}, port ${port}: ${reason}. Give others with --host and --port.`);
}

/** What a start writes first. Of another account, it stops the start in a folder that is writable. */
const FIRST_FILES = ['', 'lock.db', 'owner-token', 'id-key'];

/**
 * Why this account may not use a folder, with what ends it; null where permissions are not the reason. A folder of the
 * host in a container often belongs to another user.
 */
function folderRefusal(folder: string): string | null {
  const own = process.getuid?.();
  if (own === undefined) return null;
  const nearest = nearestFolder(folder);
  const path = FIRST_FILES.map((name) => join(nearest, name)).find((one) => isRefused(one));
  if (path === undefined) return null;
  const owner = statSync(path).uid;
  const who = `no permission to write to ${path}, which belongs to user ${owner}; this process is user ${own}`;
  if (nearest !== resolve(folder)) return who;
  if (owner === own) return `${who}: chmod u+rwx it`;
  return owner === ROOT_USER ? `${who}: chown it to ${own}` : `${who}: run as user ${owner}, or chown it to ${own}`;
}

/** The folder, or the one in which it would be made. */
function nearestFolder(folder: string): string {
  for (let path = resolve(folder); ; path = dirname(path)) {
    if (statSync(path, { throwIfNoEntry: false }) !== undefined || path === dirname(path)) return path;
  }
}

function isRefused(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return false;
  } catch (error) {
    const code = systemCodeOf(error);
    return code === 'EACCES' || code === 'EPERM';
  }
}

/** The reason that the operating system or the database gives; null for other errors. */
function systemErrorReason(error: unknown): string | null {
  const { code, errno } = recordOf(error);
  if (typeof code !== 'string') return null;
  return typeof errno === 'number' ? getSystemErrorMessage(errno) : code;
}
