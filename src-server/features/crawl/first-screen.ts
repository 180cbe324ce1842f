/**
 * Pictures of sites: the first screen of their first page, as the crawl fetched it, and the icon that the page states.
 * The parts of the page come from its site, through the proxy that guards all pages of crawls.
 */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AppContext } from '../../context.ts';
import { isDiskFull, QuarryError } from '../../platform/errors.ts';
import type { JobFolders } from '../../platform/files/job-folders.ts';
import type { Logger } from '../../platform/log.ts';
import type { FetchPolicy } from '../../platform/net/fetch-policy.ts';
import { say } from '../../platform/text/say.ts';
import { KIB, SECOND_MS } from '../../platform/units.ts';
import { VERSION } from '../../platform/version.ts';
import { findBrowser } from './browser.ts';
import { BrowserPlaces } from './browser-places.ts';
import { type FirstPage, readFirstPage } from './first-page.ts';
import { PageRenderer, screenshotName } from './render.ts';

const ICON_BYTES_MAX = 256 * KIB;

const ICON_LIMIT_MS = 10 * SECOND_MS;

const READ_LIMIT_MS = 5 * SECOND_MS;

/** The name of the screenshot of no page of a crawl. */
const SCREEN_ID = 0;

export interface FirstScreensDeps {
  context: Pick<AppContext, 'client' | 'dataDir' | 'startChild' | 'settings'> & {
    pool: Pick<AppContext['pool'], 'run'>;
    options: Pick<AppContext['options'], 'network'>;
  };
  log: Pick<Logger, 'info' | 'warn'>;
  folders: Pick<JobFolders, 'workFolderPath'>;
  policyOf(jobId: string): FetchPolicy;
}

/** Files of a picture of a site; null for what there is none of. */
export interface SitePicture {
  iconPath: string | null;
  screenPath: string | null;
}

/** Where the owner lets no crawl run scripts: none here either, and nothing from other sites. */
function quietPolicy(url: string): [name: string, value: string] {
  const { host, protocol } = new URL(url);
  const own = `'self' data: ${protocol}//*.${host.replace(/^www\./, '')}`;
  const rules = [`default-src ${own}`, `style-src ${own} 'unsafe-inline'`, "script-src 'none'", "frame-src 'none'"];
  return ['content-security-policy', rules.join('; ')];
}

/** Shows one site after the other. Sites of the open Internet share a browser, which ends with it. */
export class FirstScreens implements AsyncDisposable {
  readonly #deps: FirstScreensDeps;
  readonly #folder: string;
  #renderer: { grant: string | null; renderer: PageRenderer } | null = null;

  /** @param folder of the files it makes */
  constructor(deps: FirstScreensDeps, folder: string) {
    this.#deps = deps;
    this.#folder = folder;
  }

  /** Never rejects for what a site does. Errors: the signal's reason; those of a full disk. */
  async showSite(jobId: string, signal: AbortSignal): Promise<SitePicture> {
    const page = await readFirstPage(this.#deps.folders.workFolderPath(jobId));
    if (page === null) return { iconPath: null, screenPath: null };
    const policy = this.#deps.policyOf(jobId);
    return {
      iconPath: await this.#orNull(signal, 'icon', () => this.#fetchIcon(page, policy, signal)),
      screenPath: await this.#orNull(signal, 'first screen', () => this.#showFirstPage(page, policy, signal)),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#renderer?.renderer[Symbol.asyncDispose]();
    this.#renderer = null;
  }

  async #orNull(signal: AbortSignal, what: string, make: () => Promise<string | null>): Promise<string | null> {
    try {
      return await make();
    } catch (error) {
      signal.throwIfAborted();
      if (isDiskFull(error)) throw error;
      this.#deps.log.info({ err: error, what }, 'A part of the picture of a site could not be made.');
      return null;
    }
  }

  async #fetchIcon({ path, url }: { path: string; url: string }, policy: FetchPolicy, signal: AbortSignal) {
    const { client, pool } = this.#deps.context;
    const limits = { accountId: 'covers', timeLimitMs: READ_LIMIT_MS, signal };
    const icon = await pool.run('read-page-icon', { path, url }, limits);
    let bytes: Uint8Array | null = icon.bytes;
    if (icon.url !== null) {
      const answer = await client.request(icon.url, {
        policy,
        totalTimeoutMs: ICON_LIMIT_MS,
        maxResponseBytes: ICON_BYTES_MAX,
        followRedirects: 3,
        headers: { accept: 'image/*' },
        signal,
      });
      if (answer.status === 200 && !answer.truncated) bytes = answer.body;
    }
    if (bytes === null) return null;
    const iconPath = join(this.#folder, 'icon');
    await writeFile(iconPath, bytes, { mode: 0o600 });
    return iconPath;
  }

  async #showFirstPage(page: FirstPage, policy: FetchPolicy, signal: AbortSignal): Promise<string | null> {
    const { context } = this.#deps;
    if (findBrowser(context.dataDir) === null) return null;
    const renderer = await this.#rendererFor(policy);
    const { url, body } = page;
    const mayRun = context.settings().crawlRender !== 'never';
    const headers = mayRun ? page.headers : [...page.headers, quietPolicy(url)];
    const shown = { id: SCREEN_ID, url, body, headers, cookies: null };
    const rendered = await renderer.renderCrawledPage(shown, signal);
    if (rendered.kind !== 'page' || !rendered.hasScreenshot) {
      const why = rendered.kind === 'failed' ? rendered.reason : say`It leads elsewhere.`;
      throw new QuarryError('engine_failed', say`The page could not be shown: ${why}`);
    }
    return join(this.#folder, screenshotName(SCREEN_ID));
  }

  async #rendererFor({ privateHost }: FetchPolicy): Promise<PageRenderer> {
    const grant = privateHost === null || privateHost === 'any' ? privateHost : privateHost.host;
    if (this.#renderer?.grant === grant) return this.#renderer.renderer;
    await this[Symbol.asyncDispose]();
    const { context, log } = this.#deps;
    const renderer = new PageRenderer(
      {
        start: context.startChild,
        // Of this machine: those of nodes are for crawls.
        places: new BrowserPlaces(context.dataDir),
        userAgent: `Quarry/${VERSION}`,
        network: { ...context.options.network, privateHost },
        choice: { actions: [], screenshot: true, pdf: false },
        isFirstScreen: true,
        filesFolder: this.#folder,
        log,
      },
      { screenshots: Number.NEGATIVE_INFINITY, pdfs: 0 },
    );
    this.#renderer = { grant, renderer };
    return renderer;
  }
}
