/** An appliance whose browser sees a site of scripted pages and nothing else; every host name leads to loopback. */
import { createSocket } from 'node:dgram';
import { connect, createServer } from 'node:net';
import { expect } from 'vitest';
import type { CrawlResult } from '../../src-server/features/crawl/schema.ts';
import { type Appliance, type ApplianceOptions, startAppliance } from './appliance.ts';
import { finished } from './jobs.ts';
import { type LocalSite, serveWith } from './local-site.ts';
import { pageThatReachesOut } from './page-that-reaches-out.ts';

export const HOST = 'http://harbour.example';
export const OTHER = 'http://parts.example';

const APP = (body: string) => `<!doctype html><html><head><title>App</title></head><body>
  <div id="root"></div><noscript>Turn scripts on.</noscript><script>${body}</script></body></html>`;

/** Pages that say, until their scripts run, that they are not there yet; the last has text of its own. */
export const SHELLS = {
  '/shell/words': '<div id="root">Loading…</div>',
  '/shell/spinner': '<div id="root"><div class="spinner"><span class="sr-only">Loading page</span></div></div>',
  '/shell/script': '<header>Harbour</header><p>JavaScript is required to use this app.</p><div id="root"></div>',
  '/shell/wait': '<h1>Hafen</h1><div id="root"><p>Bitte warten</p></div>',
  '/shell/cookie': '<div>This site uses cookies. Accept</div><div id="root"></div>',
  '/shell/frame': '<h2>Harbour</h2><div id="app"></div><i id="root"></i>',
  // Of frameworks, as their pages come before their scripts.
  '/shell/react':
    '<noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div><p>© 2026 Harbour Ltd. ' +
    'All rights are reserved by the office of the harbour.</p>',
  '/shell/vue':
    '<div id="app" v-cloak><h1>{{ title }}</h1><ul><li v-for="t in tides">{{ t.place }} at {{ t.time }}</li></ul></div>',
  '/shell/angular': '<app-root><h2>Harbour log</h2><p>Getting things ready for you</p></app-root>',
  '/shell/angularjs': '<div ng-app="log"><p>Write to the office at any time.</p><div ng-view></div></div>',
  '/shell/svelte': '<p>Harbour Kit is made for sailors.</p><div id="svelte"></div>',
  '/shell/skeleton':
    '<h1>Harbour feed</h1><p>All that happened at the quay.</p><div aria-busy="true" id="root"><div class="skeleton">' +
    '</div></div>',
  '/shell/advice':
    '<h1>Please enable JavaScript</h1><p>This app works only with JavaScript. In Chrome, open Settings, choose Privacy ' +
    'and security, then Site settings and JavaScript, and choose that sites can use it. In Firefox, open about:config, ' +
    'look for javascript.enabled and set it to true. Then load this page again.</p><i id="root"></i>',
  '/shell/hash': `<ul>${Array.from({ length: 14 }, (_, part) => `<li><a href="#/part/${part}">Part ${part} of it</a></li>`).join('')}
    </ul><div id="view"></div>`,
  '/shell/text':
    '<main><p>Loading a ship takes the crew of the harbour a day, and with rain two.</p></main><i id="root"></i>',
};

const shellPage = (path: string, body: string) =>
  `<!doctype html><title>App</title>${body}<script>const at = document.querySelector('#root, #app, app-root, [ng-view], #svelte, #view');
    at.innerHTML = '<main><p>The page ${path} tells of the tide.</p></main>';</script>`;

const PAGES: Record<string, string> = {
  '/shells': `<p>Pages that load.</p>${Object.keys(SHELLS)
    .map((path) => `<a href="${path}">${path}</a>`)
    .join(' ')}`,
  ...Object.fromEntries(Object.entries(SHELLS).map(([path, body]) => [path, shellPage(path, body)])),
  '/': `<h1>Harbour</h1><p>The plain page of the harbour.</p><a href="/app">app</a> <a href="/moves">moves</a>
    <a href="/empty">empty</a> <a href="/private">private</a>`,
  '/hostile': '<p>Pages that never end.</p><a href="/loops">loops</a> <a href="/fills">fills</a>',
  '/app': `<div id="root"></div><noscript>Turn scripts on.</noscript><script src="${OTHER}/app.js"></script>`,
  '/made': '<h1>Made</h1><p>Only scripts link to this page.</p>',
  '/late': APP(`setTimeout(() => { root.append('It came after a second. ');
    setTimeout(() => root.append('It came after three.'), 2000); }, 1000); setInterval(() => {}, 10);`),
  '/below': APP(`root.innerHTML = '<p>The first screen.</p><div style="height: 4000px"></div><p id="end">…</p>';
    new IntersectionObserver(([seen]) => { if (seen.isIntersecting) seen.target.textContent = 'It came when it was seen.'; })
      .observe(document.querySelector('#end'));`),
  '/more': APP(`let count = 0; const add = () => { count += 1; const part = document.createElement('p');
      part.style.height = '2000px'; part.textContent = 'Part ' + count + ' of the list.'; root.append(part); };
    add(); document.addEventListener('scroll', () => { if (count < 3) add(); });`),
  '/framed': `<h1>Frames</h1><p>A page with frames.</p><div id="root"></div><iframe src="/inner"></iframe>
    <iframe src="${OTHER}/made"></iframe><script>root.append('Written by a script.')</script>`,
  '/inner': '<p>Read in a frame. <a href="made">made</a></p><iframe src="/innermost"></iframe>',
  '/innermost': '<p>Read in the frame of a frame.</p>',
  '/frameset':
    '<html><head><title>Old</title></head><frameset cols="20%,80%"><frame src="/inner"><frame src="/made">' +
    '<noframes>Your browser has no frames.</noframes></frameset></html>',
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

export const APP_JS = `fetch('/tides.json').then((answer) => answer.json()).then(({ tide }) => {
  root.innerHTML = '<h1>Tides</h1><p>The tide is ' + tide + '.</p><a href="/made">made</a>';
  const part = document.createElement('div');
  part.attachShadow({ mode: 'open' }).innerHTML = '<p>Read in the shadow.</p>';
  root.append(part);
});`;

const json = { 'content-type': 'application/json' };

/** Pages that show their text to whoever brings a cookie; a script, a button or a part of the page sets it. */
const WALLS: Record<string, string> = {
  '/wall/script': APP(
    "document.cookie = 'ok=' + ['tide', 'log'].join('-') + '; path=/wall/script'; location.reload();",
  ),
  '/wall/button': `<p>We value your privacy.</p><button onclick="document.cookie = 'ok=button; path=/wall/button';
    location.href = location.pathname">Accept</button>`,
  '/wall/part': APP(`fetch('/wall/grant', { method: 'POST' }).then(() => fetch('/wall/secret'))
    .then((answer) => answer.text()).then((text) => { root.textContent = text; });`),
};

function answerWall(path: string, cookie: string): { status: number; headers: Record<string, string>; body: string } {
  const html = { 'content-type': 'text/html' };
  const hasCookie = cookie.includes('ok=');
  if (path === '/wall/grant') {
    return { status: 204, headers: { 'set-cookie': 'ok=part; Path=/wall/secret; HttpOnly' }, body: '' };
  }
  if (path === '/wall/secret')
    return { status: 200, headers: html, body: hasCookie ? 'The part came with its cookie.' : '' };
  const body = hasCookie ? `<main><p>The text behind ${path} is read.</p></main>` : (WALLS[path] ?? '');
  return { status: 200, headers: html, body };
}

/** Paths of pages with one part each, which `/steps` links to. */
export const STEPS = Array.from({ length: 8 }, (_, step) => `/step/${step}`);

function stepOf(path: string): string | undefined {
  if (path === '/steps') return `<p>A page with steps.</p>${STEPS.map((step) => `<a href="${step}">s</a>`).join('')}`;
  if (!STEPS.includes(path)) return undefined;
  return APP(`fetch('/step.json').then((answer) => answer.json()).then(({ step }) => {
    root.innerHTML = '<h1>Harbour</h1><p>The step ' + location.pathname + ' is ' + step + '.</p>';
  });`);
}

/** What pages may not reach: it counts connections and datagrams. */
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

export interface RenderedSite {
  appliance: Appliance;
  /** Host and path of each request that the site got. */
  asked: string[];
  /** Path and cookies of each request to a wall. */
  cookies: [path: string, cookie: string][];
  /** Each answers a request for the part that does not come by itself. */
  hanging: (() => void)[];
  /** Connections and datagrams that reached the forbidden host. */
  forbidden: string[];
  /** Called when the script of a page of STEPS has asked for its part. */
  onStep(): void;
  /** Completes a crawl and returns its result. */
  crawl(request: object): Promise<CrawlResult>;
  close(): Promise<void>;
}

export async function startRenderedSite(options: ApplianceOptions = {}): Promise<RenderedSite> {
  const forbidden = await openForbidden();
  const asked: string[] = [];
  const cookies: [path: string, cookie: string][] = [];
  const hanging: (() => void)[] = [];
  const site = await serveWith((request, response) => {
    const { host } = request.headers;
    const path = request.url ?? '/';
    asked.push(`${host}${path}`);
    if (path === '/robots.txt') response.writeHead(200).end('User-agent: *\nDisallow: /private');
    else if (path === '/redirect') response.writeHead(302, { location: `${forbidden.origin}/redirected` }).end();
    else if (path === '/part') hanging.push(() => response.writeHead(200).end('It came late.'));
    else if (path === '/app.js') response.writeHead(200, { 'content-type': 'text/javascript' }).end(APP_JS);
    else if (path.startsWith('/wall/')) {
      const { cookie = '' } = request.headers;
      cookies.push([path, cookie]);
      const { status, headers, body } = answerWall(path, cookie);
      response.writeHead(status, headers).end(body);
    } else if (path === '/step.json') {
      rendered.onStep();
      response.writeHead(200, json).end('{"step":"done"}');
    } else if (path === '/tides.json') setTimeout(() => response.writeHead(200, json).end('{"tide":"high"}'), 300);
    else {
      const body =
        path === '/out'
          ? pageThatReachesOut(forbidden.origin)
          : path === '/reach'
            ? pageThatReachesOut(OTHER)
            : (PAGES[path] ?? stepOf(path));
      response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'text/html' }).end(body);
    }
  });
  const appliance = await startBeside(site, options);
  const rendered: RenderedSite = {
    ...{ appliance, asked, cookies, hanging, forbidden: forbidden.reached },
    onStep: () => undefined,
    crawl: async (request) => {
      const body = JSON.stringify({ maxAge: 0, ...request });
      const answer = await appliance.owner('/v1/crawl', { method: 'POST', headers: json, body });
      expect(answer.status, await answer.clone().text()).toBe(202);
      const { crawlId } = (await answer.json()) as { crawlId: string };
      const job = await finished(appliance.owner, crawlId);
      expect(job.error ?? null).toBeNull();
      return job.result as unknown as CrawlResult;
    },
    close: async () => {
      await appliance.close();
      await site[Symbol.asyncDispose]();
      forbidden.server.close();
      forbidden.socket.close();
    },
  };
  return rendered;
}

async function startBeside(site: LocalSite, options: ApplianceOptions): Promise<Appliance> {
  const appliance = await startAppliance({
    ...options,
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
  return appliance;
}

export const verdictsOf = (result: CrawlResult) =>
  Object.fromEntries(result.skipped.map(({ url, verdict }) => [new URL(url).pathname, verdict]));
