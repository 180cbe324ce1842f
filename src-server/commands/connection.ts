import { z } from 'zod';
import { messageOf, systemCodeOf } from '../platform/errors.ts';
import { dataDirFrom } from '../platform/files/data-dir.ts';
import { announcedUrl, DataFolderInUseError, readOwnerToken } from '../platform/files/data-folder.ts';
import { SECOND_MS } from '../platform/units.ts';
import { nameFlags } from './flag-names.ts';
import { multipartBody } from './multipart-body.ts';

/** Exit codes of the commands. */
export const EXIT = { done: 0, failed: 1, usage: 2, noServer: 3, interrupted: 130 } as const;

/** A failure of the command, as one sentence for the user. */
export class CommandError extends Error {
  readonly exitCode: number;
  /** Stable code of the server's answer. */
  readonly code: string | null;

  constructor(message: string, exitCode: number, code: string | null = null, cause?: unknown) {
    super(message, { cause });
    this.name = 'CommandError';
    this.exitCode = exitCode;
    this.code = code;
  }
}

export interface ConnectOptions {
  /** `--server`. */
  server?: string | undefined;
  dataDir?: string | undefined;
  environment: NodeJS.ProcessEnv;
  /** The entry file, beside workers and dashboard. */
  entryUrl: string;
  /** Tells the user that a server starts. */
  onStart(dataDir: string): void;
}

/** The server that the commands use. */
export interface Connection {
  /** Errors: CommandError when no server answers. The answer may be an error. */
  send(path: string, init?: SendInit): Promise<Response>;
  /** The JSON of a successful answer. Errors: CommandError with the sentence of the server. */
  json(path: string, init?: SendInit): Promise<unknown>;
  /** Ends the server, if the command started it. */
  close(): Promise<void>;
}

type SendInit = Omit<RequestInit, 'headers'> & { headers?: Record<string, string> };

const PROBE_TIMEOUT_MS = 5 * SECOND_MS;

const Problem = z.object({ detail: z.string(), code: z.string() });

/**
 * Connects to the server that `--server` or QUARRY_SERVER names, else to the one that runs on the data folder, else
 * starts one that ends with the command. Sends QUARRY_KEY, or the owner token of the data folder.
 */
export async function connectToServer(options: ConnectOptions): Promise<Connection> {
  const { environment } = options;
  const dataDir = dataDirFrom(options.dataDir, environment);
  const named = options.server ?? (environment.QUARRY_SERVER || undefined);
  const key = environment.QUARRY_KEY || undefined;
  if (named !== undefined) return connectNamed(baseOf(named), key, dataDir);
  const announced = await announcedUrl(dataDir);
  if (announced !== null && (await answersHealthCheck(announced))) {
    return connectionTo(announced, key ?? ownerTokenOf(dataDir));
  }
  return startAndConnect(options, dataDir, key);
}

function baseOf(text: string): string {
  const url = URL.parse(text);
  // A proxy may serve Quarry below a path.
  if (url !== null && /^https?:$/.test(url.protocol)) return url.origin + url.pathname.replace(/\/+$/, '');
  throw new CommandError('--server: Give the address of a server, such as http://127.0.0.1:8402.', EXIT.usage);
}

/** Threat: the owner token must not go to a foreign server, so only the server of the data folder gets it. */
async function connectNamed(base: string, key: string | undefined, dataDir: string): Promise<Connection> {
  if (key !== undefined) return connectionTo(base, key);
  const announced = await announcedUrl(dataDir);
  if (announced !== null && new URL(announced).origin === base) {
    return connectionTo(base, ownerTokenOf(dataDir));
  }
  throw new CommandError(`Set QUARRY_KEY to a key of ${base}. "quarry key create" makes one there.`, EXIT.usage);
}

function ownerTokenOf(dataDir: string): string {
  try {
    return readOwnerToken(dataDir);
  } catch (error) {
    const name = error instanceof Error ? error.name : '';
    if (name !== 'UnusedDataFolderError' && name !== 'DamagedSecretError' && systemCodeOf(error) === '') throw error;
    throw new CommandError(messageOf(error), EXIT.noServer, null, error);
  }
}

/** The server's code is loaded only here: a shell asks for completions at every press of a key. */
async function startAndConnect(options: ConnectOptions, dataDir: string, key: string | undefined) {
  const { environment, entryUrl, onStart } = options;
  const { startServer } = await import('../app.ts');
  const { PortTakenError } = await import('../start-errors.ts');
  const { ConfigError, deriveLocations: locations, readConfig } = await import('../config.ts');
  const level = environment.QUARRY_LOG_LEVEL || 'error';
  try {
    const config = readConfig(['--data-dir', dataDir, '--port', '0', '--log-level', level], environment);
    onStart(dataDir);
    const server = await startServer({ ...config, ...locations(entryUrl) });
    const connection = connectionTo(server.url, key ?? server.ownerToken);
    return { ...connection, close: () => server.close() };
  } catch (error) {
    const isExpected = [ConfigError, PortTakenError, DataFolderInUseError].some((kind) => error instanceof kind);
    if (!isExpected) throw error;
    throw new CommandError(messageOf(error), EXIT.noServer, null, error);
  }
}

async function answersHealthCheck(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/health`, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) }).catch(() => null);
  await answer?.body?.cancel();
  return answer?.ok === true;
}

function connectionTo(url: string, token: string): Connection {
  const sendToServer = async (path: string, init: SendInit = {}): Promise<Response> => {
    const form = init.body instanceof FormData ? multipartBody(init.body) : null;
    const type = form === null ? {} : { 'content-type': form.type };
    const headers = { ...init.headers, ...type, authorization: `Bearer ${token}` };
    const sent = form === null ? {} : { body: form.body, duplex: 'half' as const };
    // A redirect could carry the key to another server.
    const request = { redirect: 'error' as const, ...init, ...sent, headers };
    return fetch(path.startsWith('/') ? url + path : pathOn(url, path), request).catch((error: unknown) => {
      if (init.signal?.aborted === true) throw error;
      throw new CommandError(`No Quarry server answers at ${url}.`, EXIT.noServer, null, error);
    });
  };
  return {
    send: sendToServer,
    json: async (path, init) => {
      const answer = await sendToServer(path, init);
      if (!answer.ok) throw await refusedAnswerError(answer);
      return answer.json();
    },
    close: async () => {},
  };
}

/** URLs in answers name the address that the server knows itself by, which may differ from the one that is called. */
function pathOn(url: string, address: string): string {
  const { pathname, search } = new URL(address);
  const base = new URL(url);
  // The public address may have the same path.
  const path = base.pathname !== '/' && pathname.startsWith(`${base.pathname}/`) ? base.origin : url;
  return path + pathname + search;
}

/** The answer of a server that refused a request. */
export async function refusedAnswerError(answer: Response): Promise<CommandError> {
  const problem = Problem.safeParse(await answer.json().catch(() => null)).data;
  const message = nameFlags(problem?.detail ?? `The server answered ${answer.status}.`);
  const isAccess = answer.status === 401 || answer.status === 403;
  return new CommandError(message, isAccess ? EXIT.noServer : EXIT.failed, problem?.code ?? null);
}
