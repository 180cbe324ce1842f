import { expect } from 'vitest';
import type { CrawlResult } from '../../src-server/features/crawl/schema.ts';
import { descendantsOf, processesLike } from './child-processes.ts';
import { chromiumFile } from './chromium.ts';
import { brokerMissing, type FleetBed, startFleet, TIMING, type Worker } from './fleet.ts';
import { HOST, type RenderedSite, STEPS, startRenderedSite } from './rendered-site.ts';
import { until } from './until.ts';

const browser = process.env.QUARRY_BROWSER;

const json = { 'content-type': 'application/json' };

/** Why browsers of nodes cannot be tested here; null where they can. */
export function browsersMissing(): string | null {
  return brokerMissing() ?? (chromiumFile() === null ? 'needs chromium' : null);
}

/** Whether this machine has a browser. Its nodes keep theirs. */
export function setBrowser(isThere: boolean): void {
  const path = isThere ? browser : '/nowhere/chromium';
  if (path === undefined) delete process.env.QUARRY_BROWSER;
  else process.env.QUARRY_BROWSER = path;
}

/** A site of pages made by scripts, and nodes with one browser each. */
export interface BrowserBed extends AsyncDisposable {
  site: RenderedSite;
  fleet: FleetBed;
  node(worker: Worker): Promise<Awaited<ReturnType<FleetBed['fleet']>>['nodes'][number]>;
  start(): Promise<Worker>;
  /** Ends all nodes. */
  endAll(): Promise<void>;
  /** The workers that run a browser. */
  atWork(): Worker[];
}

export function pidOf({ child }: Worker): number {
  return child.pid ?? 0;
}

export function descendantsLike(pid: number, text: string): number[] {
  const alike = processesLike(text);
  return descendantsOf(pid).filter((child) => alike.includes(child));
}

export async function startBrowserBed(): Promise<BrowserBed> {
  const site = await startRenderedSite({ fleetTiming: TIMING, joined: false });
  const fleet = await startFleet(site.appliance);
  let workers: Worker[] = [];
  let names = 0;
  const node: BrowserBed['node'] = async ({ nodeId }) => {
    const found = (await fleet.fleet()).nodes.find((one) => one.nodeId === nodeId);
    if (found === undefined) throw new Error('There is no such node.');
    return found;
  };
  return {
    ...{ site, fleet, node },
    start: async () => {
      names += 1;
      const environment = { QUARRY_BROWSER: browser ?? '' };
      const worker = await fleet.worker(`tower-${names}`, { browsers: 1, environment });
      workers.push(worker);
      await until(async () => (await node(worker)).browsers === 1);
      return worker;
    },
    endAll: async () => {
      for (const { child } of workers) child.kill('SIGKILL');
      await Promise.all(workers.map(({ ended }) => ended));
      for (const { nodeId } of workers)
        await site.appliance.owner(`/admin/fleet/nodes/${nodeId}`, { method: 'DELETE' });
      workers = [];
    },
    atWork: () => workers.filter((worker) => descendantsLike(pidOf(worker), 'render-program').length > 0),
    [Symbol.asyncDispose]: async () => {
      await fleet[Symbol.asyncDispose]();
      await site.close();
    },
  };
}

export async function beginCrawl({ appliance }: RenderedSite, request: object): Promise<string> {
  const body = JSON.stringify({ maxAge: 0, ...request });
  const answer = await appliance.owner('/v1/crawl', { method: 'POST', headers: json, body });
  expect(answer.status, await answer.clone().text()).toBe(202);
  return ((await answer.json()) as { crawlId: string }).crawlId;
}

/** Each page of STEPS is there once, with what its script wrote. */
export function expectSteps(result: CrawlResult): void {
  expect(result.pages.map(({ url }) => new URL(url).pathname).sort()).toEqual([...STEPS, '/steps'].sort());
  for (const step of STEPS) {
    const page = result.pages.find(({ url }) => url === HOST + step);
    expect(page?.rendered).toBe(true);
    const text = result.chunks.flatMap((chunk) => ('url' in chunk && chunk.url === page?.url ? [chunk.text] : []));
    expect(text.join()).toContain(`The step ${step} is done.`);
  }
}
