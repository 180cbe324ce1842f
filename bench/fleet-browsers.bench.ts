/**
 * A crawl of pages made by scripts, with the browser of this machine and with that of a node on loopback. CPU time is
 * that of the process of the control node, and of it or the node with all processes below. Linux only.
 */
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadavg } from 'node:os';
import type { CrawlResult } from '../src-server/features/crawl/schema.ts';
import { startApplianceProcess } from '../test/harness/appliance-process.ts';
import { processesLike } from '../test/harness/child-processes.ts';
import { finished } from '../test/harness/jobs.ts';
import { joinNode } from '../test/harness/joined-node.ts';
import { expectTarget, median, printTable } from './figures.ts';

const PAGES = 50;
const RUNS = 3;
const TICKS_A_SECOND = 100;
const SAMPLE_MS = 100;

const SCRIPT = `fetch('/data' + location.pathname).then((answer) => answer.json()).then(({ lines }) => {
  const main = document.createElement('main');
  for (const line of lines) { const p = document.createElement('p'); p.textContent = line; main.append(p); }
  document.body.append(main);
});`;

const PAGE = '<!doctype html><div id="root"></div><noscript>Turn scripts on.</noscript><script src="/app.js"></script>';

const site = createServer((request, response) => {
  const path = request.url ?? '';
  if (path === '/app.js')
    response.writeHead(200, { 'content-type': 'text/javascript' }).end(`${SCRIPT}\n//${'x'.repeat(200_000)}`);
  else if (path.startsWith('/data')) {
    const lines = Array.from({ length: 200 }, (_, line) => `Line ${line} of page ${path.slice(6)}: the tide is high.`);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ lines }));
  } else if (path === '/') {
    const links = Array.from({ length: PAGES }, (_, page) => `<a href="/${page}">${page}</a>`);
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<p>The pages.</p>${links.join(' ')}`);
  } else if (path === '/robots.txt') response.writeHead(404).end();
  else response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
});
site.listen(0, '127.0.0.1');
await once(site, 'listening');
const root = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;

/** CPU seconds of a process and of those below, also of ones that end meanwhile. */
function watchTree(pid: number) {
  const ticks = new Map<number, { first: number; last: number }>();
  let isFirst = true;
  const sample = () => {
    const found = new Map<number, { parent: number; ticks: number }>();
    for (const name of readdirSync('/proc').filter((one) => /^\d+$/.test(one))) {
      try {
        const fields = readFileSync(`/proc/${name}/stat`, 'utf8')
          .replace(/^.*\) /s, '')
          .split(' ');
        found.set(Number(name), { parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) });
      } catch {
        // It ended between the two looks.
      }
    }
    const isBelow = (one: number): boolean =>
      one === pid || isBelowParent(found.get(one)?.parent ?? 0) || ticks.has(one);
    const isBelowParent = (parent: number): boolean => parent > 1 && isBelow(parent);
    for (const [one, { ticks: now }] of found) {
      if (!isBelow(one)) continue;
      const known = ticks.get(one);
      ticks.set(one, { first: known?.first ?? (isFirst ? now : 0), last: now });
    }
    isFirst = false;
  };
  sample();
  const timer = setInterval(sample, SAMPLE_MS);
  const secondsOf = ({ first, last }: { first: number; last: number }) => (last - first) / TICKS_A_SECOND;
  return () => {
    clearInterval(timer);
    sample();
    const own = ticks.get(pid);
    return {
      own: own === undefined ? 0 : secondsOf(own),
      tree: [...ticks.values()].reduce((sum, one) => sum + secondsOf(one), 0),
    };
  };
}

const control = await startApplianceProcess();
const json = { 'content-type': 'application/json' };
const settings = JSON.stringify({ crawlDelayMs: 0, allowPrivateNetworks: true });
await control.owner('/admin/settings', { method: 'PATCH', headers: json, body: settings });

const figures: Record<string, Record<'seconds' | 'own' | 'tree' | 'node', number[]>> = {};

async function crawl(name: string, nodePid: number | null): Promise<void> {
  const [stop, stopNode] = [watchTree(control.pid), nodePid === null ? null : watchTree(nodePid)];
  const startedAt = performance.now();
  const body = JSON.stringify({ url: root, depth: 1, render: 'auto', maxAge: 0 });
  const answer = await control.owner('/v1/crawl', { method: 'POST', headers: json, body });
  const { crawlId } = (await answer.json()) as { crawlId: string };
  const { result } = await finished(control.owner, crawlId);
  const { stats } = result as unknown as CrawlResult;
  const seconds = (performance.now() - startedAt) / 1000;
  const { own, tree } = stop();
  const node = stopNode?.().tree ?? 0;
  expectTarget(`${name}: ${stats.rendered.pages} pages are rendered`, stats.rendered.pages === PAGES);
  figures[name] ??= { seconds: [], own: [], tree: [], node: [] };
  for (const [figure, value] of Object.entries({ seconds, own, tree, node })) {
    figures[name][figure as 'seconds'].push(value);
  }
}

for (let run = 0; run < RUNS; run += 1) await crawl('this machine', null);
const joined = await joinNode(control.owner, control.dataDir);
const [nodePid = 0] = processesLike(`${control.dataDir} of tower`);
for (let run = 0; run < RUNS; run += 1) await crawl('a node', nodePid);
await joined.end();
await control.kill('SIGTERM');
await control[Symbol.asyncDispose]();
site.close();
site.closeAllConnections();
printTable(
  Object.entries(figures).map(([browser, { seconds, own, tree, node }]) => ({
    ...{ browser, 'wall s': median(seconds), 'CPU s of the control process': median(own) },
    ...{ 'with all below': median(tree), 'of the node with all below': median(node) },
  })),
);
process.stdout.write(`load ${loadavg()[0]?.toFixed(1)}\n`);
