/**
 * Renders pages made by scripts: the renderer of crawls (its process, the proxy and the browser) beside playwright-core
 * alone, in turns, with the same pages, browser and tabs. CPU time is that of all processes of a run.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { expectTarget, measured, median, printTable } from './figures.ts';

const PAGES = 40;
const RUNS = 3;

const SCRIPT = `fetch('/data' + location.pathname).then((answer) => answer.json()).then(({ lines }) => {
  const main = document.createElement('main');
  for (const line of lines) { const p = document.createElement('p'); p.textContent = line; main.append(p); }
  document.body.append(main);
});`;

const site = createServer((request, response) => {
  const path = request.url ?? '';
  if (path === '/app.js')
    response.writeHead(200, { 'content-type': 'text/javascript' }).end(`${SCRIPT}\n//${'x'.repeat(200_000)}`);
  else if (path.startsWith('/data')) {
    const lines = Array.from(
      { length: 200 },
      (_, line) => `Line ${line} of page ${path.slice(6)}: the tide is high at noon.`,
    );
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ lines }));
  } else
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end('<!doctype html><body><script src="/app.js"></script>');
});
site.listen(0, '127.0.0.1');
await once(site, 'listening');
const root = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;

async function run(name: string): Promise<string> {
  const args = [join(import.meta.dirname, 'render-subject.ts'), name, root, String(PAGES)];
  // As the server keeps it.
  const env = { ...process.env, NODE_COMPILE_CACHE: join(import.meta.dirname, '../out/bench/compiled') };
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], env });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    printed += text;
  });
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(`${name} failed.`);
  return printed;
}

const figures: Record<string, { cpu: number[]; seconds: number[] }> = {};
const found = new Set<string>();
for (let round = 0; round < RUNS; round += 1) {
  for (const name of ['quarry', 'bare']) {
    // The site's own time is in both.
    const { value, seconds, cpuSeconds } = await measured(() => run(name));
    found.add(value);
    figures[name] ??= { cpu: [], seconds: [] };
    figures[name].cpu.push(cpuSeconds);
    figures[name].seconds.push(seconds);
  }
}
site.close();
site.closeAllConnections();
const rows = Object.entries(figures).map(([name, { cpu, seconds }]) => {
  return { name, 'CPU s': median(cpu), 'wall s': median(seconds), 'CPU ms a page': (1000 * median(cpu)) / PAGES };
});
printTable(rows);
process.stdout.write(`load ${loadavg()[0]?.toFixed(1)}\n`);
expectTarget('both find the same text', found.size === 1 && !found.has('0'));
const ratio = median(figures.quarry?.cpu ?? []) / median(figures.bare?.cpu ?? []);
expectTarget(`rendering takes ${ratio.toFixed(2)} of the CPU of playwright-core alone, at most 1.1`, ratio <= 1.1);
