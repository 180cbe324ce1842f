/**
 * Crawls one generated site on loopback, without politeness: Quarry with full extraction and all outputs, a bare loop of
 * undici and htmlparser2 that keeps nothing, scrapy (links only) and `wget -r` where they are installed. Each runs in a
 * process of its own, ours and the loop as built, whose CPU time is what compares on a busy machine. Both of ours also run twice in one process,
 * `again` being the second crawl: in an appliance that runs for days, threads are started and code is compiled. Then they
 * crawl 200 and 20,000 pages: memory must not grow with the site. `QUARRY_BENCH_LARGE=0` leaves the large site out.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVER_FLAGS } from '../src-main/server-flags.ts';
import { buildCrawlSubject } from './build-crawl-subject.ts';

const RUNS = 3;
const PAGES = 2000;
const here = import.meta.dirname;
const subject = await buildCrawlSubject();

interface Figures {
  pages: number;
  seconds: number;
  cpuSeconds: number;
  peakMib: number;
  /** What the heaps of all threads hold at the end; only of our own processes. */
  heapMib?: number;
  /** CPU seconds by kind of thread, where the system tells. */
  threads?: Record<string, number>;
}

const SPIDER = `
import scrapy
class Site(scrapy.Spider):
    name = 'site'
    custom_settings = {'DEPTH_LIMIT': 3, 'CONCURRENT_REQUESTS': 16, 'CONCURRENT_REQUESTS_PER_DOMAIN': 16,
                       'ROBOTSTXT_OBEY': True, 'LOG_LEVEL': 'ERROR', 'TELNETCONSOLE_ENABLED': False}
    def parse(self, response):
        yield {'title': response.css('title::text').get(), 'text': ' '.join(response.css('main ::text').getall())}
        for href in response.css('a::attr(href)').getall():
            yield response.follow(href, self.parse)
`;

async function startSite(pages: number): Promise<{ root: string; child: ChildProcess }> {
  const child = spawn(process.execPath, [join(here, 'crawl-site.ts'), String(pages)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const root = await new Promise<string>((resolve) =>
    child.stdout?.once('data', (data) => resolve(String(data).trim())),
  );
  return { root, child };
}

function runSubject(name: string, root: string, pages: number, again = ''): Figures {
  // Each as it is started where it is used; the bare loop knows no flags. Compiled code is kept for both, as the
  // server keeps it: the first round is a start on a new data folder, the others are those after it.
  const flags = [...(name === 'quarry' ? SERVER_FLAGS : []), '--expose-gc'];
  const env = { ...process.env, NODE_COMPILE_CACHE: join(here, '../out/bench/compiled') };
  const args = [...flags, subject, name, root, String(pages), again];
  const run = spawnSync(process.execPath, args, { encoding: 'utf8', env });
  if (run.status !== 0) throw new Error(`${name} failed: ${run.stderr}`);
  return JSON.parse(run.stdout) as Figures;
}

/** A command's own CPU time and memory, as GNU time and the shell's `time` would say; null where it is not installed. */
function runCommand(command: string, args: string[], countPages: (folder: string) => number): Figures | null {
  const folder = mkdtempSync(join(tmpdir(), 'quarry-bench-'));
  try {
    const script = `import resource, subprocess, sys, json, time
begun = time.time()
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({'code': code, 'seconds': time.time() - begun, 'cpuSeconds': usage.ru_utime + usage.ru_stime,
                  'peakMib': usage.ru_maxrss / 1024}))`;
    const run = spawnSync('python3', ['-c', script, command, ...args], { cwd: folder, encoding: 'utf8' });
    if (run.status !== 0) return null;
    return { ...(JSON.parse(run.stdout) as Omit<Figures, 'pages'>), pages: countPages(folder) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function countLines(path: string): number {
  return Number(spawnSync('wc', ['-l', path], { encoding: 'utf8' }).stdout.trim().split(' ')[0]);
}

function countFiles(folder: string): number {
  const found = spawnSync('find', [folder, '-name', '*.html'], { encoding: 'utf8' }).stdout;
  return found.split('\n').length - 1;
}

function runScrapy(root: string): Figures | null {
  const folder = mkdtempSync(join(tmpdir(), 'quarry-spider-'));
  const spider = join(folder, 'spider.py');
  writeFileSync(spider, SPIDER.replace("name = 'site'", `name = 'site'\n    start_urls = ['${root}']`));
  const figures = runCommand('scrapy', ['runspider', spider, '-O', 'pages.jsonl'], (work) =>
    countLines(join(work, 'pages.jsonl')),
  );
  rmSync(folder, { recursive: true, force: true });
  return figures;
}

function best(runs: (Figures | null)[]): Figures | null {
  const done = runs.filter((run) => run !== null);
  return done.sort((one, other) => one.cpuSeconds - other.cpuSeconds)[0] ?? null;
}

function show(name: string, figures: Figures | null): void {
  if (figures === null) {
    process.stdout.write(`${name.padEnd(16)} not installed\n`);
    return;
  }
  const { pages, seconds, cpuSeconds, peakMib, heapMib, threads = {} } = figures;
  const columns = [
    `${pages} pages`.padStart(12),
    `${(pages / seconds).toFixed(0)} pages/s`.padStart(14),
    `${((cpuSeconds / pages) * 1000).toFixed(2)} ms CPU a page`.padStart(22),
    `${peakMib.toFixed(0)} MiB peak`.padStart(14),
    heapMib === undefined ? '' : `${heapMib.toFixed(0)} MiB heaps`.padStart(15),
  ];
  process.stdout.write(`${name.padEnd(16)}${columns.join('')}${shares(threads, pages)}\n`);
}

/** Milliseconds a page of each kind of thread that has at least a hundredth of one. */
function shares(threads: Record<string, number>, pages: number): string {
  const parts = Object.entries(threads).map(([name, seconds]) => [name, (seconds / pages) * 1000] as const);
  const named = parts.filter(([, share]) => share >= 0.01).map(([name, share]) => `${name} ${share.toFixed(2)}`);
  return named.length === 0 ? '' : `   (${named.join(', ')})`;
}

const site = await startSite(PAGES);
const repeat = (run: () => Figures | null) => best(Array.from({ length: RUNS }, run));
for (const again of ['', 'again']) {
  // In turns, so that both see the same minutes.
  const runs = Array.from({ length: RUNS }, () =>
    ['quarry', 'bare'].map((name) => runSubject(name, site.root, PAGES, again)),
  );
  show(`quarry ${again}`, best(runs.map(([figures]) => figures ?? null)));
  show(`bare loop ${again}`, best(runs.map(([, figures]) => figures ?? null)));
}
show(
  'scrapy',
  repeat(() => runScrapy(site.root)),
);
show(
  'wget -r',
  repeat(() => runCommand('wget', ['-q', '-r', '-l', '3', site.root], countFiles)),
);
site.child.kill();

for (const pages of process.env.QUARRY_BENCH_LARGE === '0' ? [200] : [200, 20_000]) {
  const large = await startSite(pages);
  show(`quarry ${pages}`, runSubject('quarry', large.root, pages));
  show(`bare ${pages}`, runSubject('bare', large.root, pages));
  large.child.kill();
}
