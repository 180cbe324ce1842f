/**
 * The built dashboard in a browser, as the tests of a file share it: one appliance, an owner who has signed
 * in once. Each test has a window of its own, so that what it does to it (a size, a clock, answers that it makes up) is
 * seen by no other.
 */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { ensureBuilt } from '../../scripts/build.ts';
import { type Appliance, type ApplianceOptions, startAppliance } from './appliance.ts';
import { newContext, newWindow, RENDERER_FOLDER, sharedBrowser, type Visit } from './browser.ts';

export class Dashboard {
  #browser: Browser | null = null;
  #appliance: Appliance | null = null;
  #context: BrowserContext | null = null;
  #current: Visit | null = null;

  get browser(): Browser {
    return there(this.#browser);
  }

  get appliance(): Appliance {
    return there(this.#appliance);
  }

  /** The window of the test that runs. */
  get page(): Page {
    return there(this.#current).page;
  }

  /** What the browser complained about in that window. */
  get complaints(): string[] {
    return there(this.#current).complaints;
  }

  /** Loads a page of the dashboard in the window of the test. */
  async open(path: string): Promise<Page> {
    await this.page.goto(this.appliance.url + path);
    return this.page;
  }

  /**
   * Gives the test a window with a session of its own: a clock that is put into a page, and what becomes of its cookies,
   * are those of all windows that share a session.
   */
  async openApart(): Promise<void> {
    await this.closeWindow();
    this.#current = await newWindow(await this.#signIn());
  }

  async #signIn(): Promise<BrowserContext> {
    const context = await newContext(this.browser);
    const { url, ownerToken } = this.appliance;
    const page = await context.newPage();
    await page.goto(`${url}/login#${ownerToken}`);
    // Loaded, because Chromium can fail to close a page whose navigation has only committed: the call then never returns.
    await page.waitForURL(`${url}/`);
    await page.close();
    return context;
  }

  async start(options: ApplianceOptions = {}): Promise<void> {
    this.#appliance = await startAppliance({ rendererFolder: RENDERER_FOLDER, ...options });
    this.#browser = await sharedBrowser();
    this.#context = await this.#signIn();
  }

  async openWindow(): Promise<void> {
    this.#current = await newWindow(there(this.#context));
  }

  async closeWindow(): Promise<void> {
    const page = this.#current?.page;
    this.#current = null;
    await page?.close();
    if (page?.context() !== this.#context) await page?.context().close();
  }

  /** Ends the appliance; the browser stays open for others. */
  async stop(): Promise<void> {
    await this.closeWindow();
    await this.#context?.close();
    await this.#appliance?.close();
    this.#appliance = null;
    this.#context = null;
  }
}

function there<Part>(part: Part | null): Part {
  if (part === null) throw new Error('The dashboard is not there yet, or not any more.');
  return part;
}

/** One dashboard for all tests of a file, each of which has a window of its own on it. */
export function useDashboard(options: () => ApplianceOptions | Promise<ApplianceOptions> = () => ({})): Dashboard {
  const dashboard = new Dashboard();
  beforeAll(async () => {
    await ensureBuilt();
    await dashboard.start(await options());
  });
  beforeEach(() => dashboard.openWindow());
  afterEach(() => dashboard.closeWindow());
  afterAll(() => dashboard.stop());
  return dashboard;
}

/** A dashboard on which nothing has happened yet, for each test anew. */
export function useDashboardOfEachTest(): Dashboard {
  const dashboard = new Dashboard();
  beforeAll(() => ensureBuilt());
  beforeEach(async () => {
    await dashboard.start();
    await dashboard.openWindow();
  });
  afterEach(() => dashboard.stop());
  return dashboard;
}
