import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { readOwnerToken } from '../../src-server/platform/files/data-folder.ts';
import type { Client } from './appliance.ts';
import { IS_FLEET_ON, joinNode } from './joined-node.ts';

/**
 * The headless server as a process of its own, so that a test can do to it what happens to processes: it is killed in
 * the middle, its disk fills up, another one takes its port.
 */
export interface ApplianceProcess extends AsyncDisposable {
  /** Of the process that runs now; it changes with a restart. */
  readonly url: string;
  readonly ownerToken: string;
  readonly dataDir: string;
  readonly pid: number;
  /** Requests as the owner, to the process that runs now. */
  owner: Client;
  /** Everything the process that runs now has said on standard error. */
  said(): string;
  /** Sends a signal without waiting for what it does. */
  signal(name: NodeJS.Signals): void;
  /** Sends a signal and resolves when the process has ended. */
  kill(name: NodeJS.Signals): Promise<Ended>;
  /** Resolves when the process has ended, by itself or by a signal. */
  ended(): Promise<Ended>;
  /** Starts a new process on the same folder; the old one has ended. */
  restart(): Promise<void>;
}

/** How a process ended: `code` is null when a signal ended it. */
export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface ProcessOptions {
  /** By default a new temporary folder whose name has a space in it, which goes with the process. */
  dataDir?: string;
  /** Replaces `src-server/cli.ts`: a build of it. */
  entry?: string;
  /** Descriptors the process may open. */
  descriptors?: number;
  /** Environment variables beside those of this process. */
  variables?: NodeJS.ProcessEnv;
}

const CLI = join(import.meta.dirname, '../../src-server/cli.ts');
const READY_LINE = /^Quarry is listening on (\S+)\n/;
/** Ends a test that would hang; no guarantee rests on it. */
const START_LIMIT_MS = 600_000;

export async function startApplianceProcess(options: ProcessOptions = {}): Promise<ApplianceProcess> {
  const ownFolder = options.dataDir === undefined ? await mkdtemp(join(tmpdir(), 'quarry test ')) : null;
  const dataDir = options.dataDir ?? join(ownFolder ?? '', 'data');
  const start = () => startServing(['--port', '0', '--data-dir', dataDir], options);
  let current = await start();
  const owner: Client = (path, init = {}) => {
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${readOwnerToken(dataDir)}`);
    return fetch(current.url + path, { ...init, headers });
  };
  const node = IS_FLEET_ON ? await joinNode(owner, dataDir) : null;
  return {
    get url() {
      return current.url;
    },
    get pid() {
      return current.child.pid as number;
    },
    dataDir,
    ownerToken: readOwnerToken(dataDir),
    owner,
    said: () => current.output.stderr,
    signal: (name) => void current.child.kill(name),
    kill: (name) => {
      current.child.kill(name);
      return current.ended;
    },
    ended: () => current.ended,
    restart: async () => {
      await current.ended;
      current = await start();
    },
    [Symbol.asyncDispose]: async () => {
      current.child.kill('SIGKILL');
      await current.ended;
      await node?.end();
      if (ownFolder !== null) await rm(ownFolder, { recursive: true, force: true });
    },
  };
}

/** Runs `serve` where it is expected not to come up, to its end. One that does come up is ended. */
export function runServe(args: readonly string[], variables: NodeJS.ProcessEnv = {}): Promise<Ended> {
  return runCli(serveArgs(args), variables);
}

/** Runs a command to its end, which for a server is when it listens. */
export async function runCli(args: readonly string[], variables: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const { child, output, ended } = spawnCli(args, { variables });
  child.stdout.on('data', () => {
    if (READY_LINE.test(output.stdout)) child.kill('SIGKILL');
  });
  const limit = setTimeout(() => child.kill('SIGKILL'), START_LIMIT_MS);
  return ended.finally(() => clearTimeout(limit));
}

interface Serving extends Spawned {
  url: string;
}

async function startServing(args: readonly string[], options: ProcessOptions): Promise<Serving> {
  const spawned = spawnCli(serveArgs(args), options);
  const limit = setTimeout(() => spawned.child.kill('SIGKILL'), START_LIMIT_MS);
  try {
    return { ...spawned, url: await readyUrl(spawned) };
  } finally {
    clearTimeout(limit);
  }
}

function readyUrl({ child, output, ended }: Spawned): Promise<string> {
  return new Promise((resolve, reject) => {
    const look = () => {
      const url = READY_LINE.exec(output.stdout)?.[1];
      if (url !== undefined) resolve(url);
    };
    child.stdout.on('data', look);
    ended.then(({ stderr }) => reject(new Error(`The server did not come up.\n${stderr}`)), reject);
  });
}

interface Spawned {
  child: ChildProcessByStdio<null, Readable, Readable>;
  output: { stdout: string; stderr: string };
  ended: Promise<Ended>;
}

function serveArgs(args: readonly string[]): string[] {
  return ['serve', '--log-level', 'warn', ...args];
}

function spawnCli(args: readonly string[], { entry = CLI, descriptors, variables = {} }: ProcessOptions): Spawned {
  const command = [process.execPath, entry, ...args];
  const limited = descriptors === undefined ? [] : ['/bin/sh', '-c', `ulimit -n ${descriptors}; exec "$@"`, 'sh'];
  const [program = '', ...rest] = [...limited, ...command];
  const child = spawn(program, rest, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...variables },
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, ...output }));
  });
  return { child, output, ended };
}
