/**
 * Fetches the headless browser that Chrome for Testing publishes into the data folder, on consent only. Its list names
 * the newest stable build. The archive is compared with the size and the MD5 that its storage states, each file in it
 * with its own checksum, and a browser that does not run here never gets in place. A mirror may serve the same files.
 */

import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type AppContext, perContext } from '../../context.ts';
import { type Clock, toIsoTime } from '../../platform/clock.ts';
import { QuarryError } from '../../platform/errors.ts';
import {
  createModelClient,
  type DownloadProgress,
  downloadFile,
  fetchSmallText,
  type ModelClient,
} from '../../platform/net/download.ts';
import { ToolDownload } from '../../platform/net/tool-download.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import { afterMachineTime } from '../../platform/process/work-limit.ts';
import { say } from '../../platform/text/say.ts';
import { KIB, MIB, SECOND_MS } from '../../platform/units.ts';
import { VERSION } from '../../platform/version.ts';
import type { Installable } from '../models/schema.ts';
import { fetchedBrowserFolder, installAdvice, programName } from './browser.ts';
import { startBrowserProgram } from './browser-program.ts';
import type { FetchedBrowser } from './schema.ts';

const LIST = 'last-known-good-versions-with-downloads.json';

const LIST_FOLDER = 'https://googlechromelabs.github.io/chrome-for-testing';

const FILES_HOST = 'storage.googleapis.com';

const LIST_BYTES_MAX = 512 * KIB;

/** Of the archive, until its storage states it. */
const ABOUT_BYTES = 115 * MIB;

const PROBE_LIMIT_MS = 60 * SECOND_MS;

const UNPACK_LIMIT_MS = 900 * SECOND_MS;

/** A browser that starts for the first time reads 200 MB. */
const TRIAL_LIMIT_MS = 300 * SECOND_MS;

const PROGRAM = 'chrome-headless-shell';

const FACTS = 'fetched.json';

const Listed = z.object({
  channels: z.object({
    Stable: z.object({
      version: z.string().regex(/^\d{1,5}(?:\.\d{1,6}){3}$/),
      downloads: z.object({ [PROGRAM]: z.array(z.object({ platform: z.string(), url: z.string() })) }),
    }),
  }),
});

const KeptFacts = z.object({
  version: z.string(),
  sizeBytes: z.number(),
  sha256: z.string(),
  md5Compared: z.boolean(),
  fetchedAt: z.number(),
});

/** The name that the publisher gives to this machine; null where it has no build for it. */
export function browserPlatform(platform: NodeJS.Platform, arch: string): string | null {
  if (platform === 'linux') return arch === 'x64' ? 'linux64' : null;
  if (platform === 'darwin') return arch === 'arm64' ? 'mac-arm64' : 'mac-x64';
  if (platform === 'win32') return arch === 'ia32' ? 'win32' : 'win64';
  return null;
}

interface BrowserInstallDeps {
  dataDir: string;
  client: ModelClient;
  clock: Clock;
  /** Base URL of a mirror that serves `<mirror>/browser/<file>`; null for the publisher. */
  mirrorUrl(): string | null;
  unpack(archivePath: string, folder: string, signal: AbortSignal): Promise<void>;
  /** Rejects when the program does not run here. */
  tryOut(path: string, signal: AbortSignal): Promise<void>;
  retryDelayMs?: number;
}

interface Build {
  version: string;
  platform: string;
  url: string;
}

export class BrowserInstall {
  readonly #deps: BrowserInstallDeps;
  readonly #platform = browserPlatform(process.platform, process.arch);
  readonly #download: ToolDownload;

  constructor(deps: BrowserInstallDeps) {
    this.#deps = deps;
    this.#download = new ToolDownload('browser', deps.clock);
  }

  /** Null where there is no build for this machine. */
  get installable(): Installable | null {
    if (this.#platform === null) return null;
    return {
      name: 'browser',
      kind: 'tool',
      title: 'Chrome headless shell',
      sizeBytes: ABOUT_BYTES,
      licence: 'LicenseRef-Google-Chrome-Terms',
      source: FILES_HOST,
      install: async () => this.startBrowserInstall(),
      progress: () => this.browserProgress(),
      watch: (onChange) => this.watchBrowserInstall(onChange),
    };
  }

  /** Starts it, or returns the progress of the running one. Errors: `engine_unavailable` where there is no build. */
  startBrowserInstall(): DownloadProgress {
    const platform = this.#platform;
    if (platform === null) {
      throw new QuarryError('engine_unavailable', say`There is no build for this machine. ${installAdvice()}.`);
    }
    return this.#download.startToolDownload(ABOUT_BYTES, (signal, report) =>
      this.#installBrowser(platform, signal, report),
    );
  }

  /** Null when none was started in this process. */
  browserProgress(): DownloadProgress | null {
    return this.#download.toolDownloadProgress();
  }

  watchBrowserInstall(onChange: () => void): () => void {
    return this.#download.watchToolDownload(onChange);
  }

  /** What is there is kept for the next attempt. Errors: `not_found` when none runs. */
  cancelBrowserInstall(): Promise<void> {
    return this.#download.cancelToolDownload();
  }

  closeBrowserInstall(): Promise<void> {
    return this.#download.closeToolDownload();
  }

  /** Null when none was fetched. */
  async fetchedBrowser(): Promise<FetchedBrowser | null> {
    const path = join(fetchedBrowserFolder(this.#deps.dataDir), FACTS);
    const text = await readFile(path, 'utf8').catch(() => null);
    if (text === null) return null;
    const { fetchedAt, ...facts } = KeptFacts.parse(JSON.parse(text));
    return { ...facts, fetchedAt: toIsoTime(fetchedAt) };
  }

  /** Errors: `not_found` when none was fetched, `conflict` while one is being fetched. */
  async removeFetchedBrowser(): Promise<void> {
    const status = this.browserProgress()?.status;
    if (status === 'downloading' || status === 'verifying') {
      throw new QuarryError('conflict', 'The browser is being fetched. Cancel that first.');
    }
    if ((await this.fetchedBrowser()) === null) throw new QuarryError('not_found', 'Quarry has fetched no browser.');
    await rm(fetchedBrowserFolder(this.#deps.dataDir), { recursive: true, force: true, maxRetries: 5 });
  }

  async #installBrowser(
    platform: string,
    signal: AbortSignal,
    report: (change: Partial<DownloadProgress>) => void,
  ): Promise<void> {
    const { client, dataDir, clock, retryDelayMs } = this.#deps;
    const build = await this.#newestBuild(platform, signal);
    const { sizeBytes, md5 } = await this.#statedFacts(build, signal);
    const downloads = join(dataDir, 'tools', '.downloads', 'browser');
    const name = `${build.version}-${platform}.zip`;
    const path = join(downloads, name);
    const { sha256, sizeBytes: received } = await downloadFile({
      client,
      file: {
        name,
        url: build.url,
        sizeBytes,
        aboutBytes: sizeBytes ?? ABOUT_BYTES,
        checksum: md5 === null ? null : { algorithm: 'md5', hex: md5 },
      },
      url: build.url,
      path,
      mayBeThere: true,
      partPath: `${path}.part`,
      signal,
      onProgress: (receivedBytes, totalBytes) =>
        report({ receivedBytes, ...omitUndefined({ totalBytes: totalBytes ?? undefined }) }),
      onVerify: () => report({ status: 'verifying' }),
      ...omitUndefined({ retryDelayMs }),
    });
    const kept = { version: build.version, sizeBytes: received, sha256, md5Compared: md5 !== null };
    await this.#putBrowserInPlace(path, { ...kept, fetchedAt: clock.now() }, signal);
    await rm(downloads, { recursive: true, force: true });
  }

  async #putBrowserInPlace(archivePath: string, facts: z.infer<typeof KeptFacts>, signal: AbortSignal): Promise<void> {
    const { dataDir, unpack, tryOut } = this.#deps;
    const folder = fetchedBrowserFolder(dataDir);
    const staged = `${folder}.new`;
    try {
      await rm(staged, { recursive: true, force: true });
      await mkdir(staged, { recursive: true });
      await unpack(archivePath, staged, signal);
      await tryOut(join(staged, programName(process.platform)), signal).catch((cause: unknown) => {
        signal.throwIfAborted();
        throw doesNotRun(cause);
      });
      await writeFile(join(staged, FACTS), JSON.stringify(facts));
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
      await rename(staged, folder);
    } catch (error) {
      const isDamaged = error instanceof QuarryError && error.code !== 'cancelled' && error.code !== 'shutting_down';
      if (isDamaged) await rm(archivePath, { force: true });
      throw error;
    } finally {
      await rm(staged, { recursive: true, force: true, maxRetries: 5 });
    }
  }

  async #newestBuild(platform: string, signal: AbortSignal): Promise<Build> {
    const mirror = this.#mirrorFolder();
    const text = await fetchSmallText(this.#deps.client, `${mirror ?? LIST_FOLDER}/${LIST}`, {
      mostBytes: LIST_BYTES_MAX,
      signal,
    });
    const listed = Listed.safeParse(parseList(text));
    if (!listed.success) throw unreadableList(listed.error);
    const { version, downloads } = listed.data.channels.Stable;
    const url = downloads[PROGRAM].find((one) => one.platform === platform)?.url;
    if (url === undefined) throw unreadableList(`No build for ${platform}.`);
    if (mirror !== null)
      return { version, platform, url: `${mirror}/${version}/${platform}/${PROGRAM}-${platform}.zip` };
    const { protocol, host } = new URL(url);
    if (protocol !== 'https:' || host !== FILES_HOST) throw unreadableList(`It names the host ${host}.`);
    return { version, platform, url };
  }

  #mirrorFolder(): string | null {
    const mirror = this.#deps.mirrorUrl();
    return mirror === null ? null : `${mirror.replace(/\/+$/, '')}/browser`;
  }

  /** Size and MD5 that the storage states with the first byte; null where it does not. */
  async #statedFacts({ url }: Build, signal: AbortSignal): Promise<{ sizeBytes: number | null; md5: string | null }> {
    const enough = new AbortController();
    const limited = AbortSignal.any([signal, enough.signal, AbortSignal.timeout(PROBE_LIMIT_MS)]);
    try {
      const { status, header } = await this.#deps.client.get(url, { range: 'bytes=0-0' }, limited);
      const length = status === 206 ? /\/(\d+)$/.exec(header('content-range') ?? '')?.[1] : header('content-length');
      const [, sum] = /(?:^|[\s,])md5=([A-Za-z0-9+/]{22}==)/.exec(header('x-goog-hash') ?? '') ?? [];
      return {
        sizeBytes: status < 300 && Number(length) > 0 ? Number(length) : null,
        md5: sum === undefined ? null : Buffer.from(sum, 'base64').toString('hex'),
      };
    } finally {
      enough.abort();
    }
  }
}

function parseList(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function unreadableList(cause: unknown): QuarryError {
  const message = say`The list of builds of the browser cannot be read. Try later, or check the mirror.`;
  return new QuarryError('corrupt_input', message, { cause });
}

function doesNotRun(cause: unknown): QuarryError {
  const message = say`The fetched browser does not run on this machine: libraries may be missing. ${installAdvice()}.`;
  return new QuarryError('engine_unavailable', message, { cause });
}

/** Starts the browser as crawls do. No page is loaded. */
async function tryOutBrowser(
  { startChild: start, options }: AppContext,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  const { openGuardedProxy } = await import('../../platform/net/guarded-proxy.ts');
  await using proxy = await openGuardedProxy({ ...options.network, privateHost: null });
  await using program = await startBrowserProgram({ start, browserPath: () => path }, new URL(proxy.url).host, signal);
  const stopLimit = afterMachineTime(TRIAL_LIMIT_MS, () => program.peer.end());
  try {
    const setup = { userAgent: `Quarry/${VERSION}`, tabs: 1, loadsPictures: false, pageLimitMs: TRIAL_LIMIT_MS };
    await program.remote.open({ proxyUrl: proxy.url, ...setup });
    await program.remote.close();
  } finally {
    stopLimit();
  }
}

export const browserInstallOf = perContext((context: AppContext): BrowserInstall => {
  const install = new BrowserInstall({
    dataDir: context.dataDir,
    clock: context.clock,
    client: createModelClient(`Quarry/${VERSION}`),
    mirrorUrl: () => context.settings().modelMirrorUrl,
    unpack: async (archivePath, folder, signal) => {
      const options = { accountId: 'models', heavy: true, timeLimitMs: UNPACK_LIMIT_MS, signal };
      await context.pool.run('unpack-browser', { archivePath, folder }, options);
    },
    tryOut: (path, signal) => tryOutBrowser(context, path, signal),
  });
  context.onClose(() => install.closeBrowserInstall());
  return install;
});
