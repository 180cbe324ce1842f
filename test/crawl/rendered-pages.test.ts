/** Pages made by scripts, read with a real browser that sees nothing but loopback stand-ins. */
import { createSocket, type Socket } from 'node:dgram';
import { connect, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CrawlResult } from '../../src-server/features/crawl/schema.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { childrenLike, descendantsOf, isAtWork, processesLike } from '../harness/child-processes.ts';
import { chromiumFile } from '../harness/chromium.ts';
import { finished } from '../harness/jobs.ts';
import { type LocalSite, serveWith } from '../harness/local-site.ts';
import { pageThatReachesOut } from '../harness/page-that-reaches-out.ts';

const HOST = 'http://harbour.example';
const OTHER = 'http://parts.example';

const APP = (body: string) => `<!doctype html><html><head><title>App</title></head><body>
  <div id="root"></div><noscript>Turn scripts on.</noscript><script>${body}</script></body></html>`;

const PAGES: Record<string, string> = {
  '/': `<h1>Harbour</h1><p>The plain page of the harbour.</p><a href="/app">app</a> <a href="/moves">moves</a>
    <a href="/loops">loops</a> <a href="/fills">fills</a> <a href="/empty">empty</a> <a href="/private">private</a>`,
  '/app': `<div id="root"></div><noscript>Turn scripts on.</noscript><script src="${OTHER}/app.js"></script>`,
  '/made': '<h1>Made</h1><p>Only scripts link to this page.</p>',
  '/moves': APP('location.replace("/made")'),
  '/loops': APP('for (;;);'),
  '/fills': APP('const all = []; for (;;) all.push(new Array(1e6).fill(1.5));'),
  '/empty': APP('void 0'),
  '/private': APP('root.textContent = "never"'),
  '/hangs': APP(`fetch('/part').then((answer) => answer.text()).then((text) => { root.textContent = text; });`),
  '/few': '<p>A page with few links.</p><a href="/app">app</a> <a href="/made">made</a>',
  '/acts':
    APP(`root.innerHTML = '<button>more</button><input>'; const [button, input] = [root.children[0], root.children[1]];
    button.onclick = () => root.append('You typed ' + input.value + '.'); alert(1); print();`),
};

const APP_JS = `fetch('/tides.json').then((answer) => answer.json()).then(({ tide }) => {
  root.innerHTML = '<h1>Tides</h1><p>The tide is ' + tide + '.</p><a href="/made">made</a>';
  const part = document.createElement('div');
  part.attachShadow({ mode: 'open' }).innerHTML = '<p>Read in the shadow.</p>';
  root.append(part);
});`;

const json = { 'content-type': 'application/json' };

let appliance: Appliance;
let site: LocalSite;
let asked: string[];
/** Answers requests for the part that does not come by itself. */
let hanging: (() => void)[] = [];
/** What pages may not reach: it counts connections and datagrams. */
let forbidden: { server: Server; socket: Socket; origin: string; reached: string[] };

async function openForbidden() {
  const reached: string[] = [];
  const server = createServer((connection) => {
    reached.push('connection');
    connection.on('data', (data) => reached.push(data.toString('latin1').split('\r\n', 1)[0] ?? ''));
    connection.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const socket = createSocket('udp4', () => reached.push('datagram'));
  await new Promise<void>((resolve) => socket.bind(port, '127.0.0.1', resolve));
  return { server, socket, origin: `http://127.0.0.1:${port}`, reached };
}

async function crawl(request: object): Promise<CrawlResult> {
  const body = JSON.stringify({ maxAge: 0, ...request });
  const answer = await appliance.owner('/v1/crawl', { method: 'POST', headers: json, body });
  expect(answer.status, await answer.clone().text()).toBe(202);
  const { crawlId } = (await answer.json()) as { crawlId: string };
  const job = await finished(appliance.owner, crawlId);
  expect(job.error ?? null).toBeNull();
  return job.result as unknown as CrawlResult;
}

const textOf = (result: CrawlResult, url: string) =>
  result.chunks.flatMap((chunk) => ('url' in chunk && chunk.url !== url ? [] : [chunk.text])).join('\n');

const verdictsOf = (result: CrawlResult) =>
  Object.fromEntries(result.skipped.map(({ url, verdict }) => [new URL(url).pathname, verdict]));

describe.skipIf(chromiumFile() === null)('rendered pages (needs chromium)', () => {
  beforeAll(async () => {
    forbidden = await openForbidden();
    site = await serveWith((request, response) => {
      const { host } = request.headers;
      const path = request.url ?? '/';
      asked.push(`${host}${path}`);
      if (path === '/robots.txt') response.writeHead(200).end('User-agent: *\nDisallow: /private');
      else if (path === '/redirect') response.writeHead(302, { location: `${forbidden.origin}/redirected` }).end();
      else if (path === '/part') hanging.push(() => response.writeHead(200).end('It came late.'));
      else if (path === '/app.js') response.writeHead(200, { 'content-type': 'text/javascript' }).end(APP_JS);
      else if (path === '/tides.json') setTimeout(() => response.writeHead(200, json).end('{"tide":"high"}'), 300);
      else {
        const body =
          path === '/out'
            ? pageThatReachesOut(forbidden.origin)
            : path === '/reach'
              ? pageThatReachesOut(OTHER)
              : PAGES[path];
        response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'text/html' }).end(body);
      }
    });
    asked = [];
    appliance = await startAppliance({
      network: {
        resolver: async () => [{ address: '93.184.216.34', family: 4 }],
        connector: (target, _addresses, callback) => {
          const url = new URL(target.host === undefined ? HOST : `http://${target.host}`);
          const port = url.hostname.endsWith('.example') ? new URL(site.url).port : url.port;
          const socket = connect(Number(port), '127.0.0.1');
          socket.once('connect', () => callback(null, socket));
          socket.once('error', (error) => callback(error, null));
        },
      },
    });
    const body = JSON.stringify({ crawlDelayMs: 0, allowPrivateNetworks: false });
    await appliance.owner('/admin/settings', { method: 'PATCH', headers: json, body });
  });
  afterAll(async () => {
    await appliance.close();
    await site[Symbol.asyncDispose]();
    forbidden.server.close();
    forbidden.socket.close();
  });

  test('auto: only pages that need their scripts are rendered, and each ends with its own reason', async () => {
    asked = [];
    const result = await crawl({ url: `${HOST}/`, depth: 1, render: 'auto' });
    const pages = Object.fromEntries(result.pages.map((page) => [new URL(page.url).pathname, page.rendered]));
    expect(pages).toEqual({ '/': false, '/app': true, '/made': false });
    expect(textOf(result, `${HOST}/app`)).toMatch(/The tide is high\.[\s\S]*Read in the shadow\./);
    expect(textOf(result, `${HOST}/app`)).not.toContain('Turn scripts on');
    expect(verdictsOf(result)).toMatchObject({
      ...{ '/moves': 'redirect', '/loops': 'script-failed', '/fills': 'script-failed' },
      ...{ '/empty': 'needs-script', '/private': 'robots' },
    });
    // The browser gets a page as it was fetched.
    expect(asked.filter((path) => path === 'harbour.example/app')).toHaveLength(1);
    expect(asked).not.toContain('harbour.example/private');
    expect(result.stats.rendered).toMatchObject({ pages: 1 });
    expect(result.stats.rendered.requests).toBeGreaterThanOrEqual(3);
    expect(result.stats.rendered.bytes).toBeGreaterThan(APP_JS.length);
  });

  test('screenshots, PDF files and actions of the owner', async () => {
    const actions = [
      { do: 'type', selector: 'input', text: 'ebb' },
      { do: 'click', selector: 'button' },
      { do: 'click', selector: '#nothing' },
    ];
    const result = await crawl({ url: `${HOST}/acts`, depth: 0, screenshot: true, pdf: true, actions });
    const [page] = result.pages;
    expect(page).toMatchObject({ rendered: true, screenshot: expect.stringMatching(/\.jpg$/) });
    expect(page?.markdown).toContain('You typed ebb.');
    expect(result.warnings.join()).toContain('Action 3 (click) found nothing');
    const bytes = await Promise.all(
      [page?.screenshot, page?.pdf].map(async (url) => {
        const answer = await appliance.owner(new URL(url ?? '').pathname);
        return Buffer.from(await answer.arrayBuffer()).toString('latin1', 0, 4);
      }),
    );
    expect(bytes).toEqual(['\xff\xd8\xff\xe0', '%PDF']);
  });

  test('no way of a page leads to a forbidden host; the same ways reach others through the proxy', async () => {
    asked = [];
    const request = { depth: 0, screenshot: true, actions: [{ do: 'waitFor', selector: '.done' }] };
    const away = await crawl({ ...request, url: `${HOST}/reach` });
    expect(away.pages[0]?.markdown).toContain('Every way was tried.');
    const reached = new Set(asked.filter((one) => one.startsWith('parts.example')).map((one) => one.split('/')[1]));
    const ways = [
      'css',
      'script',
      'img',
      'iframe',
      'fetch',
      'xhr',
      'beacon',
      'events',
      'socket',
      'import',
      'module',
      'font',
    ];
    expect([...reached]).toEqual(expect.arrayContaining(ways));
    expect([...reached].filter((way) => ['window', 'download'].includes(way ?? ''))).toEqual([]);
    const out = await crawl({ ...request, url: `${HOST}/out` });
    expect(out.pages[0]?.markdown).toContain('Every way was tried.');
    expect(forbidden.reached).toEqual([]);
    const hosts = new Set(asked.map((one) => one.split('/')[0]));
    // Nothing that the browser asks for by itself.
    expect([...hosts].sort()).toEqual(['harbour.example', 'parts.example']);
  });

  test('a cancelled crawl ends its browser', async () => {
    const body = JSON.stringify({ url: `${HOST}/loops`, depth: 0, render: 'always', maxAge: 0 });
    const answer = await appliance.owner('/v1/crawl', { method: 'POST', headers: json, body });
    const { crawlId } = (await answer.json()) as { crawlId: string };
    // The loop has begun once the browser has a process for the page.
    const pages = () => descendantsOf(process.pid).filter((pid) => processesLike('--type=renderer').includes(pid));
    await expect.poll(pages, { timeout: 60_000 }).not.toEqual([]);
    const browser = processesLike('quarry-browser-').filter((pid) => descendantsOf(process.pid).includes(pid));
    expect(browser).not.toEqual([]);
    await appliance.owner(`/admin/jobs/${crawlId}/cancel`, { method: 'POST' });
    await expect.poll(() => browser.filter(isAtWork), { timeout: 60_000 }).toEqual([]);
  });

  test('a render process that is killed amid a page is replaced, and its page read', async () => {
    const body = JSON.stringify({ url: `${HOST}/hangs`, depth: 0, render: 'always', maxAge: 0 });
    const begin = async () => {
      const answer = await appliance.owner('/v1/crawl', { method: 'POST', headers: json, body });
      return ((await answer.json()) as { crawlId: string }).crawlId;
    };
    const program = () => childrenLike('render-program').filter(isAtWork);
    /** Waits until the page has asked for the part that does not come. */
    const amidPage = async (count: number) => {
      await expect.poll(() => hanging.length, { timeout: 60_000 }).toBe(count);
      return program();
    };
    const crawlId = await begin();
    for (const pid of await amidPage(1)) process.kill(pid, 'SIGKILL');
    // The second browser asks again, and gets its part.
    await amidPage(2);
    hanging[1]?.();
    const job = await finished(appliance.owner, crawlId);
    expect(job.error ?? null).toBeNull();
    expect((job.result as unknown as CrawlResult).pages[0]?.markdown).toContain('It came late.');

    // Killed each time, it is the page that fails, with its reason.
    hanging = [];
    const again = await begin();
    for (const count of [1, 2]) for (const pid of await amidPage(count)) process.kill(pid, 'SIGKILL');
    const { status, error } = await finished(appliance.owner, again);
    expect([status, error?.code]).toEqual(['failed', 'unsupported_media']);
    expect(error?.message).toContain('It ended the browser.');
    await expect.poll(program, { timeout: 60_000 }).toEqual([]);
  });

  test('without a browser the answer says how to install one; with auto, other pages are read', async () => {
    const before = process.env.QUARRY_BROWSER;
    process.env.QUARRY_BROWSER = '/nowhere/chromium';
    try {
      const body = JSON.stringify({ url: `${HOST}/app`, depth: 0, render: 'always', maxAge: 0 });
      const answer = await appliance.owner('/v1/crawl', { method: 'POST', headers: json, body });
      const problem = (await answer.json()) as { code: string; detail: string };
      expect([answer.status, problem.code]).toEqual([503, 'engine_unavailable']);
      expect(problem.detail).toContain('QUARRY_BROWSER names no program.');
      expect(problem.detail).toContain('apt install chromium');
      const result = await crawl({ url: `${HOST}/few`, depth: 1, render: 'auto' });
      expect(result.pages.map(({ url }) => new URL(url).pathname).sort()).toEqual(['/few', '/made']);
      expect(verdictsOf(result)).toMatchObject({ '/app': 'script-failed' });
      expect(result.warnings.join()).toContain('apt install chromium');
    } finally {
      if (before === undefined) delete process.env.QUARRY_BROWSER;
      else process.env.QUARRY_BROWSER = before;
    }
  });

  test('only the owner may act on pages: others are refused before their payment is taken', async () => {
    const body = JSON.stringify({
      url: 'https://harbour.example/acts',
      actions: [{ do: 'click', selector: 'button' }],
    });
    const send = (more: object = {}) =>
      appliance.anonymous('/v1/crawl', { method: 'POST', headers: { ...json, ...more }, body });
    const unpaid = await send();
    expect(unpaid.status).toBe(402);
    const { accepts } = (await unpaid.json()) as { accepts: unknown[] };
    const pay = { method: 'POST', headers: json, body: JSON.stringify(accepts[0]) };
    const { payload } = (await (await appliance.anonymous('/facilitator/pay', pay)).json()) as { payload: string };
    const answer = await send({ 'x-payment': payload });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      code: 'invalid_request',
      errors: [{ path: 'actions', message: 'Only the owner may act on pages.' }],
    });
    const ledger = (await (await appliance.owner('/admin/payments')).json()) as { payments: unknown[] };
    expect(ledger.payments).toEqual([]);
  });

  test.each([
    [{ render: 'never', screenshot: true }, 'screenshot'],
    [{ render: 'sometimes' }, 'render'],
    [{ actions: [{ do: 'click', selector: '' }] }, 'actions'],
  ])('%j is refused', async (request, field) => {
    const body = JSON.stringify({ url: `${HOST}/`, ...request });
    const answer = await appliance.owner('/v1/crawl', { method: 'POST', headers: json, body });
    expect(answer.status).toBe(400);
    expect(JSON.stringify(await answer.json())).toContain(field);
  });
});
