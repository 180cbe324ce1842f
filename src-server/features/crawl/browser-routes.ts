import { QuarryError } from '../../platform/errors.ts';
import { streamProgress, wantsEvents } from '../../platform/http/event-stream.ts';
import { jsonAnswer, routesOf } from '../../platform/http/route.ts';
import { DownloadProgress } from '../../platform/net/download.ts';
import { findBrowser } from './browser.ts';
import type { BrowserInstall } from './browser-install.ts';
import { BrowserView } from './schema.ts';

interface BrowserDeps {
  browserInstall: BrowserInstall;
  dataDir: string;
}

const route = routesOf<BrowserDeps>();

const common = { scope: 'owner', tag: 'Models', auth: 'owner' } as const;

/** The browser that runs the scripts of pages. Mounted under `/admin`, behind the owner check. */
export const ADMIN_BROWSER_ROUTES = [
  route(
    {
      ...common,
      method: 'get',
      path: '/browser',
      operationId: 'getBrowser',
      summary: 'The browser for pages made by scripts',
      description: 'Which one crawls use, which one the appliance has fetched, and what it can fetch.',
      answers: { 200: jsonAnswer('Where it is from, and what can be fetched.', BrowserView) },
      errors: [],
    },
    async ({ browserInstall, dataDir }, { reply }) => {
      const { installable } = browserInstall;
      return reply(200, {
        from: findBrowser(dataDir)?.from ?? null,
        offered: installable && {
          title: installable.title,
          sizeBytes: installable.sizeBytes,
          licence: installable.licence,
          source: installable.source,
        },
        fetched: await browserInstall.fetchedBrowser(),
        download: browserInstall.browserProgress(),
      });
    },
  ),
  route(
    {
      ...common,
      method: 'post',
      path: '/browser/install',
      operationId: 'installBrowser',
      summary: 'Fetch a browser',
      description:
        'The newest stable headless shell of Chrome for Testing, into the data folder, or the same from the mirror ' +
        'of models (`modelMirrorUrl`) below `browser/`. An interrupted download goes on where it stopped.',
      answers: { 202: jsonAnswer('The progress.', DownloadProgress) },
      errors: ['engine_unavailable'],
    },
    ({ browserInstall }, { reply }) => reply(202, browserInstall.startBrowserInstall()),
  ),
  route(
    {
      ...common,
      method: 'get',
      path: '/browser/progress',
      operationId: 'getBrowserProgress',
      summary: 'Progress of the download of the browser',
      description: 'JSON, or server-sent events named `progress` for a client that accepts them.',
      answers: { 200: jsonAnswer('The progress.', DownloadProgress) },
      errors: ['not_found'],
    },
    ({ browserInstall }, { context, reply }) => {
      const progress = browserInstall.browserProgress();
      if (progress === null) throw new QuarryError('not_found', 'No download of the browser was begun.');
      if (!wantsEvents(context)) return reply(200, progress);
      return streamProgress(context, {
        progress: () => browserInstall.browserProgress(),
        watch: (onChange) => browserInstall.watchBrowserInstall(onChange),
      });
    },
  ),
  route(
    {
      ...common,
      method: 'post',
      path: '/browser/cancel',
      operationId: 'cancelBrowserInstall',
      summary: 'Cancel the download of the browser',
      description: 'What is there already is kept for the next try.',
      answers: { 204: { description: 'Cancelled.' } },
      errors: ['not_found'],
    },
    async ({ browserInstall }, { end }) => {
      await browserInstall.cancelBrowserInstall();
      return end(204);
    },
  ),
  route(
    {
      ...common,
      method: 'delete',
      path: '/browser',
      operationId: 'removeBrowser',
      summary: 'Remove the fetched browser',
      description: 'Browsers that the appliance did not fetch stay.',
      answers: { 204: { description: 'Removed.' } },
      errors: ['not_found', 'conflict'],
    },
    async ({ browserInstall }, { end }) => {
      await browserInstall.removeFetchedBrowser();
      return end(204);
    },
  ),
];
