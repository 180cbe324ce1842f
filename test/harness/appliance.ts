import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningServer, type ServerOptions, startServer } from '../../src-server/app.ts';
import { IS_FLEET_ON, joinNode } from './joined-node.ts';
import { MovableClock } from './movable-clock.ts';

/** A whole appliance in a temporary folder whose name has a space in it, with a clock that tests move. */
export interface Appliance extends AsyncDisposable {
  url: string;
  /** `{url}/v1` */
  baseUrl: string;
  ownerToken: string;
  dataDir: string;
  clock: MovableClock;
  /** Requests as the owner. */
  owner: Client;
  /** Requests of somebody who proved nothing. */
  anonymous: Client;
  /** Ends the server and starts it again on the same data, which `whileStopped` may change. */
  restart(whileStopped?: () => void | Promise<void>): Promise<void>;
  close(): Promise<void>;
}

export type Client = (path: string, init?: RequestInit) => Promise<Response>;

export interface ApplianceOptions extends Partial<Omit<ServerOptions, 'dataDir' | 'clock'>> {
  /** False for a server that gets no node with `npm run test:fleet`. */
  joined?: boolean;
  /** False for a server whose node has a models folder of its own, without models. */
  sharesModels?: boolean;
}

/** Longer than any machine takes, so that what is asserted does not hang on its speed. */
const PREVIEW_LIMIT_MS = 120_000;
const WORKER_ENTRY = new URL('../../workers/entry.ts', import.meta.url);

export async function startAppliance({
  joined = true,
  sharesModels = true,
  ...options
}: ApplianceOptions = {}): Promise<Appliance> {
  const folder = await mkdtemp(join(tmpdir(), 'quarry test '));
  const clock = new MovableClock();
  const start = () =>
    startServer({
      workerEntry: WORKER_ENTRY,
      rendererFolder: null,
      resourcesFolder: new URL('../../resources/', import.meta.url),
      logLevel: process.env.QUARRY_TEST_LOG ?? 'fatal',
      previewLimitMs: PREVIEW_LIMIT_MS,
      ...options,
      clock,
      dataDir: join(folder, 'data'),
    });
  let server: RunningServer = await start();
  const owner: Client = (path, init = {}) => {
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${server.ownerToken}`);
    return fetch(server.url + path, { ...init, headers });
  };
  const modelsOfNode = sharesModels ? options.modelsDir : join(folder, 'models of tower');
  const node = joined && IS_FLEET_ON ? await joinNode(owner, server.dataDir, modelsOfNode) : null;
  const close = async () => {
    await server.close();
    await node?.end();
    await rm(folder, { recursive: true, force: true });
  };
  return {
    get url() {
      return server.url;
    },
    get baseUrl() {
      return `${server.url}/v1`;
    },
    ownerToken: server.ownerToken,
    dataDir: server.dataDir,
    clock,
    owner,
    anonymous: (path, init) => fetch(server.url + path, init),
    restart: async (whileStopped) => {
      await server.close();
      await whileStopped?.();
      server = await start();
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
