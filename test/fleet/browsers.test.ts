/** Rendered pages on nodes, with real browsers. This machine has none, unless a test says so. */
import { existsSync, readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { CrawlResult } from '../../src-server/features/crawl/schema.ts';
import { childrenLike, descendantsOf, isAtWork, processesLike } from '../harness/child-processes.ts';
import { chromiumFile } from '../harness/chromium.ts';
import { brokerMissing, type FleetBed, startFleet, TIMING, type Worker } from '../harness/fleet.ts';
import { finished } from '../harness/jobs.ts';
import { HOST, type RenderedSite, STEPS, startRenderedSite, verdictsOf } from '../harness/rendered-site.ts';
import { until } from '../harness/until.ts';

const missing = brokerMissing() ?? (chromiumFile() === null ? 'needs chromium' : null);
const browser = process.env.QUARRY_BROWSER;
const json = { 'content-type': 'application/json' };

const childrenOf = (pid: number, text: string) =>
  descendantsOf(pid).filter((child) => processesLike(text).includes(child));

describe.skipIf(missing !== null)(`browsers of nodes${missing === null ? '' : ` (skipped: ${missing})`}`, () => {
  let site: RenderedSite;
  let bed: FleetBed;
  let workers: Worker[] = [];
  let names = 0;

  const setBrowser = (path: string | undefined) => {
    if (path === undefined) delete process.env.QUARRY_BROWSER;
    else process.env.QUARRY_BROWSER = path;
  };
  const start = async () => {
    names += 1;
    const environment = { QUARRY_BROWSER: browser ?? '' };
    const worker = await bed.worker(`tower-${names}`, { browsers: 1, environment });
    workers.push(worker);
    await until(async () => (await node(worker)).browsers === 1);
    return worker;
  };
  const node = async ({ nodeId }: Worker) => {
    const found = (await bed.fleet()).nodes.find((one) => one.nodeId === nodeId);
    if (found === undefined) throw new Error('There is no such node.');
    return found;
  };
  const pidOf = ({ child }: Worker) => child.pid ?? 0;
  const begin = async (request: object) => {
    const body = JSON.stringify({ maxAge: 0, ...request });
    const answer = await site.appliance.owner('/v1/crawl', { method: 'POST', headers: json, body });
    expect(answer.status, await answer.clone().text()).toBe(202);
    return ((await answer.json()) as { crawlId: string }).crawlId;
  };
  const resultOf = async (crawlId: string) => {
    const job = await finished(site.appliance.owner, crawlId);
    expect(job.error ?? null).toBeNull();
    return job.result as unknown as CrawlResult;
  };
  const expectSteps = (result: CrawlResult) => {
    expect(result.pages.map(({ url }) => new URL(url).pathname).sort()).toEqual([...STEPS, '/steps'].sort());
    for (const step of STEPS) {
      const page = result.pages.find(({ url }) => url === HOST + step);
      expect(page?.rendered).toBe(true);
      const text = result.chunks.flatMap((chunk) => ('url' in chunk && chunk.url === page?.url ? [chunk.text] : []));
      expect(text.join()).toContain(`The step ${step} is done.`);
    }
  };

  beforeAll(async () => {
    site = await startRenderedSite({ fleetTiming: TIMING, joined: false });
    bed = await startFleet(site.appliance);
  });
  beforeEach(() => setBrowser('/nowhere/chromium'));
  afterEach(async () => {
    setBrowser(browser);
    site.onStep = () => undefined;
    for (const { child } of workers) child.kill('SIGKILL');
    await Promise.all(workers.map(({ ended }) => ended));
    const body = JSON.stringify({ draining: true });
    for (const { nodeId } of workers) {
      await bed.appliance.owner(`/admin/fleet/nodes/${nodeId}`, { method: 'PATCH', headers: json, body });
    }
    workers = [];
  });
  afterAll(async () => {
    await bed[Symbol.asyncDispose]();
    await site.close();
  });

  test('a machine without a browser renders on a node, which keeps nothing of it', async () => {
    const request = { url: `${HOST}/hangs`, depth: 0, render: 'always' };
    const body = JSON.stringify({ maxAge: 0, ...request });
    const refused = await site.appliance.owner('/v1/crawl', { method: 'POST', headers: json, body });
    expect(refused.status).toBe(503);
    const worker = await start();
    site.hanging.length = 0;
    const crawlId = await begin(request);
    await until(() => site.hanging.length > 0);
    const browsers = childrenOf(pidOf(worker), '--user-data-dir=');
    expect(browsers).not.toEqual([]);
    expect(childrenLike('render-program')).toEqual([]);
    expect(await node(worker)).toMatchObject({ browsersTaken: 1 });
    const profile = /--user-data-dir=([^\0]+)/.exec(readFileSync(`/proc/${browsers[0]}/cmdline`, 'utf8'))?.[1] ?? '';
    expect(existsSync(profile)).toBe(true);
    for (const answer of site.hanging) answer();
    expect((await resultOf(crawlId)).pages[0]?.markdown).toContain('It came late.');
    await until(() => !browsers.some(isAtWork) && !existsSync(profile));
    await until(async () => (await node(worker)).browsersTaken === 0);

    const auto = await site.crawl({ url: `${HOST}/`, depth: 1, render: 'auto' });
    const pages = Object.fromEntries(auto.pages.map((page) => [new URL(page.url).pathname, page.rendered]));
    expect(pages).toEqual({ '/': false, '/app': true, '/made': false });
    expect(verdictsOf(auto)).toMatchObject({ '/moves': 'redirect', '/empty': 'needs-script', '/private': 'robots' });
    expect(auto.stats.rendered).toMatchObject({ pages: 1 });
  });

  test('no way of a page leads from a node to a forbidden host; the same ways reach others through the proxy', async () => {
    await start();
    site.asked.length = 0;
    const request = { depth: 0, screenshot: true, actions: [{ do: 'waitFor', selector: '.done' }] };
    const away = await site.crawl({ ...request, url: `${HOST}/reach` });
    expect(away.pages[0]?.markdown).toContain('Every way was tried.');
    const parts = site.asked.filter((one) => one.startsWith('parts.example')).map((one) => one.split('/')[1]);
    const ways = ['css', 'script', 'img', 'iframe', 'fetch', 'xhr', 'beacon', 'events', 'socket', 'import', 'module'];
    expect([...new Set(parts)]).toEqual(expect.arrayContaining([...ways, 'font']));
    const out = await site.crawl({ ...request, url: `${HOST}/out` });
    expect(out.pages[0]?.markdown).toContain('Every way was tried.');
    expect(site.forbidden).toEqual([]);
    const hosts = new Set(site.asked.map((one) => one.split('/')[0]));
    expect([...hosts].sort()).toEqual(['harbour.example', 'parts.example']);
  });

  test.each([
    'SIGKILL',
    'SIGTERM',
    'SIGSTOP',
  ] as const)('%s of a node amid a crawl loses and doubles no page, and leaves no browser', async (signal) => {
    await Promise.all([start(), start()]);
    let steps = 0;
    let lost: Worker | undefined;
    let browsers: number[] = [];
    site.onStep = () => {
      steps += 1;
      if (steps !== 4) return;
      lost = workers.find((worker) => childrenOf(pidOf(worker), 'render-program').length > 0);
      browsers = lost === undefined ? [] : childrenOf(pidOf(lost), '--user-data-dir=');
      lost?.child.kill(signal);
    };
    const crawlId = await begin({ url: `${HOST}/steps`, depth: 1, render: 'auto' });
    expectSteps(await resultOf(crawlId));
    expect(browsers).not.toEqual([]);
    const record = await site.appliance.owner(`/admin/jobs/${crawlId}`);
    expect(await record.json()).toMatchObject({ attempts: 1 });
    lost?.child.kill('SIGCONT');
    await until(() => !browsers.some(isAtWork));
  });

  test('a crawl whose node is killed goes on with the browser of this machine', async () => {
    const worker = await start();
    setBrowser(browser);
    let steps = 0;
    site.onStep = () => {
      steps += 1;
      if (steps === 4) worker.child.kill('SIGKILL');
    };
    expectSteps(await site.crawl({ url: `${HOST}/steps`, depth: 1, render: 'auto' }));
  });

  test('a node that does not take the browser is passed over', async () => {
    const worker = await start();
    setBrowser(browser);
    worker.child.kill('SIGSTOP');
    const result = await site.crawl({ url: `${HOST}/app`, depth: 0, render: 'always' });
    expect(result.pages[0]?.markdown).toContain('The tide is high.');
    worker.child.kill('SIGCONT');
  });
});
