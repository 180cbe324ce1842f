/**
 * Runs the scripts of pages in a browser. Threats: pages that loop, fill the memory, never become quiet, open windows
 * and dialogs, or crash; each ends with a reason, and with its tab. The page itself is answered from what the crawl
 * fetched; everything else goes through the guarded proxy. This process listens on no port, and the browser ends with
 * it: Chromium closes when its pipe does.
 */

import { rmSync } from 'node:fs';
import { standBack } from '../../src-server/platform/process/bound-process.ts';
import { ownerLine } from '../../src-server/platform/rpc/lines.ts';
import { serveMethods } from '../../src-server/platform/rpc/rpc.ts';
import { openRenderBrowser, type RenderBrowser } from './render-browser.ts';
import { renderPage } from './render-page.ts';
import type { RenderProgram } from './tasks.ts';

// The browser inherits the priority.
standBack(process.pid);

let browser: RenderBrowser | null = null;

serveMethods<RenderProgram>(
  {
    open: async (setup, host) => {
      browser = await openRenderBrowser(setup, host);
      // The owner removes it, unless the owner was killed. Playwright's own listener, which is older, ends the browser.
      process.once('exit', () => rmSync(host.folder, { recursive: true, force: true, maxRetries: 10 }));
      return browser.facts;
    },
    render: async (input, signal) => {
      if (browser === null) throw new Error('The browser is not open.');
      return renderPage(browser, input, signal);
    },
    close: async () => browser?.close(),
  },
  ownerLine,
  () => browser?.close(),
);
