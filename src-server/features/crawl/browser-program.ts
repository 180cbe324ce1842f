/** The program of a browser on this machine: for its own crawls, or lent to those of its control node. */

import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserOfCrawl, RenderProgram } from '../../../workers/pages/tasks.ts';
import { systemClock } from '../../platform/clock.ts';
import { QuarryError } from '../../platform/errors.ts';
import { openRelay } from '../../platform/net/relay.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import type { StartChildProgram } from '../../platform/rpc/child-process.ts';
import { connectPeer, endMessage, type Line, type OpenLine, type Peer, serveMethods } from '../../platform/rpc/rpc.ts';
import { say } from '../../platform/text/say.ts';
import { HOUR_MS, SECOND_MS } from '../../platform/units.ts';
import type { LendBrowser } from './schema.ts';

/** Longest time for a browser that is lent to close. */
const CLOSE_LIMIT_MS = 3 * SECOND_MS;

const BROWSER_END_MS = 10 * SECOND_MS;

const FOLDER = 'quarry-browser-';

/** Longer than any crawl. */
const FOLDER_MAX_MS = 6 * HOUR_MS;

/** What a program says that has ended. */
export function browserEnded(cause: unknown): QuarryError {
  return new QuarryError('engine_failed', say`It ended the browser.`, { cause });
}

interface BrowserStart {
  start: StartChildProgram;
  /** Errors: `engine_unavailable` when there is none. */
  browserPath(): string;
}

export interface BrowserProgram extends AsyncDisposable {
  peer: Pick<Peer<BrowserOfCrawl>, 'isEnded' | 'ended' | 'end'>;
  remote: BrowserOfCrawl;
}

/** @param proxyHost where the browser reaches the proxy: host and port */
export async function startBrowserProgram(
  { start, browserPath }: BrowserStart,
  proxyHost: string,
  signal?: AbortSignal,
): Promise<BrowserProgram> {
  // Short: on Linux the browser has a socket there, whose path has at most 107 characters.
  const folder = await mkdtemp(join(tmpdir(), FOLDER));
  await removeOldFolders();
  const removeProfileFolder = () => rm(folder, { recursive: true, force: true, maxRetries: 3 });
  try {
    const peer = connectPeer<RenderProgram>((listeners) => start('render', listeners), {
      ended: browserEnded,
      ...omitUndefined({ signal }),
    });
    return {
      peer,
      remote: {
        open: async (setup) => {
          return peer.remote.open(setup, { executablePath: browserPath(), folder, proxyHost });
        },
        render: (page, end) => peer.remote.render(page, end),
        close: () => peer.remote.close(),
      },
      [Symbol.asyncDispose]: async () => {
        peer.end();
        await peer.ended;
        await removeProfileFolder();
        // A browser whose program was killed writes its state there while it ends.
        setTimeout(() => void removeProfileFolder().catch(() => undefined), BROWSER_END_MS).unref();
      },
    };
  } catch (error) {
    await removeProfileFolder();
    throw error;
  }
}

/** Folders of browsers that outlived a killed process. */
async function removeOldFolders(): Promise<void> {
  // A folder that may be written need not be readable.
  const names = await readdir(tmpdir()).catch(() => []);
  for (const name of names.filter((one) => one.startsWith(FOLDER))) {
    const path = join(tmpdir(), name);
    try {
      const age = systemClock.now() - (await stat(path)).mtimeMs;
      if (age > FOLDER_MAX_MS) await rm(path, { recursive: true, force: true });
    } catch {
      // It belongs to another user, or is gone.
    }
  }
}

/** @param start of the process that lends */
export function browserLender(start: BrowserStart): LendBrowser {
  return async (open, dialProxy) => {
    // It leads to the proxy of the crawl and nowhere else. What passes is not read: the proxy asks for its password.
    await using relay = await openRelay(dialProxy);
    await using program = await startBrowserProgram(start, relay.host);
    const ended = Promise.withResolvers<void>();
    let line: Line | null = null;
    const openKeptLine: OpenLine = (listeners) => {
      line = open(listeners);
      return line;
    };
    serveMethods<BrowserOfCrawl>(program.remote, openKeptLine, ended.resolve);
    // After the answers of its last calls.
    void program.peer.ended.then(() => setImmediate(() => line?.send(endMessage('The program of the browser ended.'))));
    await ended.promise;
    const limit = setTimeout(() => program.peer.end(), CLOSE_LIMIT_MS);
    await program.remote.close().catch(() => undefined);
    clearTimeout(limit);
  };
}
