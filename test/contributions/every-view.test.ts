/**
 * Every view of a stored result has the words of a correction, and none has the former ones. The list of views is that
 * of the OpenAPI documents, the addresses of other tools, the tools of MCP and the commands: a new one fails this test
 * until it is listed.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { Client as McpClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { strFromU8, unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Batch } from '../../src-server/features/batches/schema.ts';
import type { Contribution } from '../../src-server/features/contributions/schema.ts';
import type { Job } from '../../src-server/features/jobs/schema.ts';
import { SCOPED_ADDRESSES } from '../../src-server/features.ts';
import type { Chunk } from '../../src-server/operation.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { finished } from '../harness/jobs.ts';
import { type LocalSite, serveWith } from '../harness/local-site.ts';
import { postJson } from '../harness/text-models.ts';
import { until } from '../harness/until.ts';

const KINDS = ['document', 'talk', 'crawl'] as const;

type Kind = (typeof KINDS)[number];

interface Read {
  kind: Kind;
  jobId: string;
  batchId: string;
}

let appliance: Appliance;
let site: LocalSite;
let mcp: McpClient;
/** Bodies of webhooks, the newest last. */
const callbacks: string[] = [];
const jobs = new Map<Kind, Read>();

/** Words of the text, of its correction and of an annotation. */
const WORDS: Record<Kind, { old: string; now: string; remark: string }> = {
  document: { old: 'Ostwind', now: 'Westwind', remark: 'Quokkas' },
  talk: { old: 'Nordwind', now: 'Suedwind', remark: 'Wombats' },
  crawl: { old: 'Bergwind', now: 'Talwind', remark: 'Dingos' },
};

const textWith = ({ old }: { old: string }) => `The keeper wrote of ${old} and rain, and of forty lamps on the quay.`;

const log = (kind: Kind) =>
  page(`<h1>Log</h1><p>${textWith(WORDS[kind])}</p><p>The tide turned at noon, as it does on such days.</p>`);

const page = (body: string, head = '') =>
  `<!doctype html><html lang="en"><head><title>Harbour</title>${head}</head><body><main>${body}</main></body></html>`;

const VIDEO = JSON.stringify({
  '@context': 'https://schema.org',
  ...{ '@type': 'VideoObject', name: 'Talk', duration: 'PT9S', contentUrl: '/gone.mp3' },
});

const PAGES: Record<string, [type: string, body: string]> = {
  '/document': ['text/html', log('document')],
  '/crawl': ['text/html', log('crawl')],
  '/said.vtt': [
    'text/vtt',
    `WEBVTT\n\n00:00.000 --> 00:05.000\n${textWith(WORDS.talk)}\n\n00:05.000 --> 00:09.000\nThe tide turned.\n`,
  ],
  '/talk': [
    'text/html',
    page(
      '<audio src="gone.mp3"><track kind="captions" srclang="en" src="said.vtt"></audio>',
      `<script type="application/ld+json">${VIDEO}</script>`,
    ),
  ],
};

const REQUESTS: Record<Kind, object> = {
  document: { operation: 'extract/doc', path: '/document' },
  talk: { operation: 'extract/hosted-video', path: '/talk' },
  crawl: { operation: 'crawl', path: '/crawl' },
};

beforeAll(async () => {
  appliance = await startAppliance();
  site = await serveWith(async (request, response) => {
    if (request.method === 'POST') {
      let body = '';
      for await (const piece of request) body += String(piece);
      callbacks.push(body);
      return void response.end();
    }
    const [type, body] = PAGES[request.url ?? ''] ?? ['', ''];
    response.writeHead(type === '' ? 404 : 200, { 'content-type': type || 'text/plain' }).end(body);
  });
  for (const kind of KINDS) jobs.set(kind, await readAs(kind));
  mcp = new McpClient({ name: 'test', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${appliance.ownerToken}` } };
  await mcp.connect(new StreamableHTTPClientTransport(new URL(`${appliance.url}/mcp`), { requestInit }));
});
afterAll(async () => {
  await mcp.close();
  await appliance.close();
  await site[Symbol.asyncDispose]();
});

async function readAs(kind: Kind): Promise<Read> {
  const { operation, path } = REQUESTS[kind] as { operation: string; path: string };
  const body = postJson({ operation, items: [{ sourceUrl: site.url + path }] });
  const answer = await appliance.owner('/v1/batches', body);
  const { batchId } = (await answer.json()) as Batch;
  let jobId: string | null = null;
  await until(async () => {
    const listed = await (await appliance.owner(`/v1/batches/${batchId}?limit=1`)).json();
    jobId = (listed as { items: { jobId: string | null }[] }).items[0]?.jobId ?? null;
    return jobId !== null;
  });
  const job = await finished(appliance.owner, jobId ?? '');
  expect(job.status, JSON.stringify(job)).toBe('completed');
  const hook = await appliance.owner(`/v1/jobs/${job.jobId}/webhooks`, postJson({ url: `${site.url}/hook` }));
  expect(hook.status, await hook.text()).toBe(202);
  return { kind, jobId: job.jobId, batchId };
}

const textOf = async (path: string, init?: RequestInit) => (await appliance.owner(path, init)).text();

async function resultOf({ jobId }: Read) {
  return (JSON.parse(await textOf(`/v1/jobs/${jobId}`)) as Job & { result: { chunks: Chunk[] } }).result;
}

/** A view of a job as text; null where this kind of job has none. */
type View = (read: Read) => Promise<string | null> | string | null;

async function filesOf(read: Read): Promise<string> {
  const named = JSON.stringify(await resultOf(read)).match(new RegExp(`(?<=${read.jobId}/files/)[\\w.-]+`, 'g')) ?? [];
  const names = new Set([...named, 'chunks.jsonl', ...(read.kind === 'document' ? ['document.json'] : [])]);
  expect(names.size).toBeGreaterThan(2);
  const texts = [...names].map(async (name) => {
    const answer = await appliance.owner(`/v1/jobs/${read.jobId}/files/${name}`);
    expect(answer.status, name).toBe(200);
    return `${name}: ${await answer.text()}`;
  });
  return (await Promise.all(texts)).join('\n');
}

async function archiveOf({ batchId }: Read): Promise<string> {
  const answer = await appliance.owner(`/v1/batches/${batchId}/results.zip`);
  const files = unzipSync(new Uint8Array(await answer.arrayBuffer()));
  // The chunks as they were extracted are there under this name on purpose.
  return Object.entries(files)
    .filter(([name]) => !name.endsWith('/chunks.original.jsonl'))
    .map(([name, bytes]) => `${name}: ${strFromU8(bytes)}`)
    .join('\n');
}

/** What a search for any of the words finds. */
async function foundOf({ kind, jobId }: Read, path = '/v1/search', field = 'query'): Promise<string> {
  const found = await Promise.all(
    [WORDS[kind].old, WORDS[kind].now, 'forty lamps'].map((query) =>
      textOf(path, postJson({ [field]: query, ...(path === '/v1/search' && { mode: 'lexical', filter: { jobId } }) })),
    ),
  );
  // An answer repeats its query.
  return found.map((text) => text.replace(/"query":"[^"]*"/, '')).join('\n');
}

/** The body of the webhook, sent again. */
async function sentAgain({ jobId }: Read): Promise<string> {
  await until(async () => !(await textOf('/admin/deliveries?environment=production')).includes('"pending"'));
  const { deliveries } = JSON.parse(await textOf('/admin/deliveries?environment=production')) as {
    deliveries: { deliveryId: string; jobId: string; status: string }[];
  };
  const { deliveryId } = deliveries.find((one) => one.jobId === jobId && one.status === 'delivered') ?? {};
  callbacks.length = 0;
  const answer = await appliance.owner(`/admin/deliveries/${deliveryId}/redeliver`, { method: 'POST' });
  expect(answer.status).toBe(202);
  await until(() => Promise.resolve(callbacks.some((body) => body.includes(jobId))));
  return callbacks.find((body) => body.includes(jobId)) ?? '';
}

async function rechunked({ kind, jobId }: Read): Promise<string | null> {
  return kind === 'document' ? textOf(`/v1/jobs/${jobId}/chunks`, postJson({ segmentLength: 400 })) : null;
}

/** Views that have the words of the result. */
const VIEWS: Record<string, View> = {
  getJob: ({ jobId }) => textOf(`/v1/jobs/${jobId}`),
  followJob: ({ jobId }) => textOf(`/v1/jobs/${jobId}/events`),
  getJobFile: filesOf,
  rechunkJob: rechunked,
  downloadBatch: archiveOf,
  search: (read) => foundOf(read),
  redeliver: sentAgain,
  exportItems: async ({ jobId }) =>
    textOf('/v1/library/export', postJson({ items: [await itemOf(jobId)], as: 'markdown' })),
  searchItems: (read) => foundOfItem(read),
  'tool search_items': async ({ jobId }) => told('search_items', { query: 'forty lamps', item: await itemOf(jobId) }),
  'GET /docling/v1/result/:task': async ({ kind, jobId }) =>
    kind === 'document' ? textOf(`/docling/v1/result/${jobId}.md.text`) : null,
  'GET /firecrawl/v1/crawl/:id': async ({ kind, jobId }) =>
    kind === 'crawl' ? textOf(`/firecrawl/v1/crawl/${jobId}.0`) : null,
  'GET /firecrawl/v2/crawl/:id': async ({ kind, jobId }) =>
    kind === 'crawl' ? textOf(`/firecrawl/v2/crawl/${jobId}.0`) : null,
  'POST /firecrawl/v2/search': (read) => (read.kind === 'crawl' ? foundOf(read, '/firecrawl/v2/search') : null),
  'POST /firecrawl/v1/search': (read) => (read.kind === 'crawl' ? foundOf(read, '/firecrawl/v1/search') : null),
  'tool get_job': ({ jobId }) => told('get_job', { jobId }),
  'tool get_text': async ({ kind, jobId }) => {
    const formats = { document: ['text', 'markdown'], talk: ['text', 'transcript'], crawl: ['pages'] }[kind];
    return (await Promise.all(formats.map((format) => told('get_text', { jobId, format })))).join('\n');
  },
  'tool search': ({ jobId }) => told('search', { query: 'forty lamps', filter: { jobId }, mode: 'lexical' }),
  'resource of a job': async ({ kind, jobId }) => {
    // The text of a crawl is its digest, which quotes no page.
    if (kind === 'crawl') return null;
    return JSON.stringify(await mcp.readResource({ uri: `quarry://jobs/${jobId}` }));
  },
  'quarry jobs show': ({ jobId }) => ran('jobs', 'show', jobId, '--json'),
  'quarry jobs wait': ({ jobId }) => ran('jobs', 'wait', jobId, '--json'),
  'quarry search': ({ jobId }) => ran('search', 'forty', 'lamps', '--json', '--filter', JSON.stringify({ jobId })),
};

/** The item of the library whose shown version is this job's. */
async function itemOf(jobId: string): Promise<string> {
  const { items } = JSON.parse(await textOf('/v1/library/items')) as { items: { itemId: string; jobId: string }[] };
  const item = items.find((one) => one.jobId === jobId);
  if (item === undefined) throw new Error('The job has no item.');
  return item.itemId;
}

async function foundOfItem({ kind, jobId }: Read): Promise<string> {
  const item = await itemOf(jobId);
  const found = await Promise.all(
    [WORDS[kind].old, WORDS[kind].now, 'forty lamps'].map((query) =>
      textOf(`/v1/library/search?${new URLSearchParams({ query, item, mode: 'lexical' })}`),
    ),
  );
  return found.map((text) => text.replace(/"query":"[^"]*"/, '')).join('\n');
}

async function told(name: string, given: Record<string, unknown>): Promise<string> {
  const { content, isError } = await mcp.callTool({ name, arguments: given });
  const text = JSON.stringify(content);
  expect(isError === true, text).toBe(false);
  return text.replaceAll('\\"', '"');
}

function ran(...args: string[]): Promise<string> {
  const cli = join(import.meta.dirname, '../../src-server/cli.ts');
  const env = { ...process.env, QUARRY_DATA_DIR: appliance.dataDir };
  const child = spawn(process.execPath, [cli, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [printed, told] = ['', ''];
  child.stdout.on('data', (piece) => (printed += String(piece)));
  child.stderr.on('data', (piece) => (told += String(piece)));
  return new Promise((resolve, reject) =>
    child.once('close', (code) => (code === 0 ? resolve(printed) : reject(new Error(`${args.join(' ')}: ${told}`)))),
  );
}

/** Views with other facts of a result, such as its title; the former words must not be there. */
const BESIDE: Record<string, View> = {
  listJobs: () => textOf('/v1/jobs?limit=50'),
  listItems: () => textOf('/v1/library/items'),
  countItems: () => textOf('/v1/library/counts'),
  getItem: async ({ jobId }) => textOf(`/v1/library/items/${await itemOf(jobId)}`),
  listRelatedItems: async ({ jobId }) => textOf(`/v1/library/items/${await itemOf(jobId)}/related`),
  listVersions: async ({ jobId }) => textOf(`/v1/library/items/${await itemOf(jobId)}/versions`),
  lookUpItem: ({ kind }) =>
    textOf(`/v1/library/lookup?url=${encodeURIComponent(site.url + (REQUESTS[kind] as { path: string }).path)}`),
  'tool list_items': () => told('list_items', {}),
  'quarry library': () => ran('library', 'list', '--json'),
  getBatch: ({ batchId }) => textOf(`/v1/batches/${batchId}?limit=5`),
  listBatches: () => textOf('/v1/batches'),
  listAllJobs: () => textOf('/admin/jobs?limit=50'),
  getJobRecord: ({ jobId }) => textOf(`/admin/jobs/${jobId}`),
  getCrawlSoFar: ({ jobId }) => textOf(`/admin/crawls/${jobId}`),
  getActivity: () => textOf('/admin/activity'),
  getOverview: () => textOf('/admin/overview'),
  findWords: ({ kind }) => textOf(`/admin/search?query=${WORDS[kind].old}`),
  getDelivery: () => textOf('/admin/deliveries?environment=production'),
  listDeliveries: () => textOf('/admin/deliveries?environment=production'),
  'tool list_jobs': () => told('list_jobs', {}),
  'GET /docling/v1/status/poll/:task': ({ jobId }) => textOf(`/docling/v1/status/poll/${jobId}.md`),
  'GET /firecrawl/v1/crawl/:id/errors': ({ jobId }) => textOf(`/firecrawl/v1/crawl/${jobId}.0/errors`),
  'GET /firecrawl/v2/crawl/:id/errors': ({ jobId }) => textOf(`/firecrawl/v2/crawl/${jobId}.0/errors`),
  'quarry jobs list': () => ran('jobs', 'list', '--json'),
};

/** Everything else, by the reason for which it answers with no word of a stored result. */
const OTHERS: Record<string, readonly string[]> = {
  'reads or makes again': [
    ...['crawl', 'extractHostedVideo', 'extractVideo', 'extractDoc', 'extractPdf', 'generateAudio', 'generateText'],
    ...['createBatch', 'retryBatch', 'readFeedNow', 'runSiteWatch', 'lookThroughFolder', 'retryFolderFiles'],
    ...['makeDigest', 'makeSubtitledVideo', 'getSubtitledVideo', 'cancelSubtitledVideo', 'writeSubtitles'],
    ...['quarry read', 'quarry transcribe', 'quarry crawl', 'quarry say'],
  ],
  'speaks what stood there when it began': [
    ...['beginReading', 'getReading', 'moveReading', 'removeReading', 'getSpokenPart', 'getPartSound'],
    'getReadingFile',
  ],
  'quotes what `search` finds, with a text model': ['answerFromItems'],
  'shows the source': [
    'getItemCover',
    'getJobSource',
    'drawJobPage',
    'getJobPeaks',
    'listSiteChanges',
    'listPageVersions',
  ],
  'shows what was said, sent or done at a time': [
    ...['listContributionsToDecide', 'listNotes', 'getAttemptBody', 'explainAttempt', 'listInboxMessages'],
    ...['contribute', 'listContributions', 'getContribution', 'reportContribution', 'approveContribution'],
    ...['rejectContribution', 'listAuditEntries'],
    ...['listItemNotes', 'addNote', 'changeNote', 'deleteNote'],
  ],
};

/** Parts of names of routes that are of other things than results. */
const APART = [
  ...[
    'Restore',
    'Webhook',
    'webhooks',
    'Voice',
    'Payment',
    'Sandbox',
    'Money',
    'Health',
    'Readiness',
    'OpenApi',
    'Login',
    'signIn',
  ],
  ...['Session', 'SignInCode', 'Key', 'Model', 'Node', 'Fleet', 'Need', 'Price', 'Plan', 'Limits', 'Accounts', 'Alert'],
  ...[
    'Settings',
    'Settlement',
    'Wallet',
    'Feed',
    'SiteWatch',
    'FolderWatch',
    'WatchedFiles',
    'watchSite',
    'watchFolder',
    'YtDlp',
    'Ffmpeg',
    'Inbox',
    'Endpoints',
  ],
  ...['Collection', 'Mirror', 'changeItem', 'deleteItem', 'removeOriginals', 'Browser', 'hearPiece'],
  ...['getPlaces', 'moveFolder', 'cancelMove', 'FormerCopies'],
  ...['Signature', 'Redelivery', 'MediaTools', 'WhisperCli', 'followChanges', 'followUsage', 'installForJob'],
  ...[
    'nameSpeakers',
    'cancelJob',
    'deleteJob',
    'deleteBatch',
    'changeJobs',
    'Disk',
    'Backup',
    'Phone',
    'Update',
    'Device',
    'createLinkCode',
  ],
];

const listed = new Set([...Object.keys(VIEWS), ...Object.keys(BESIDE), ...Object.values(OTHERS).flat()]);

async function operationsIn(path: string): Promise<string[]> {
  const { paths } = JSON.parse(await textOf(path)) as {
    paths: Record<string, Record<string, { operationId?: string }>>;
  };
  return Object.values(paths).flatMap((path) => Object.values(path).flatMap(({ operationId }) => operationId ?? []));
}

describe('the lists of views are complete', () => {
  test('by the OpenAPI documents', async () => {
    const operations = [...(await operationsIn('/openapi.json')), ...(await operationsIn('/admin/openapi.json'))];
    expect(operations.length).toBeGreaterThan(100);
    const isApart = (name: string) => APART.some((part) => name.includes(part));
    expect(operations.filter((name) => !listed.has(name) && !isApart(name))).toEqual([]);
    const named = [...listed].filter((name) => !name.includes(' '));
    expect(named.filter((name) => !operations.includes(name))).toEqual([]);
  });

  test('by the addresses of other tools: those with a parameter read what is stored', () => {
    const stored = SCOPED_ADDRESSES.filter(({ path }) => /:(?!id\{|model)|\/search$/.test(path));
    const names = stored.map(({ method, path }) => `${method} ${path}`).filter((name) => !name.startsWith('DELETE'));
    expect(names.length).toBeGreaterThan(4);
    expect(names.filter((name) => !listed.has(name))).toEqual([]);
  });

  test('by the tools of MCP', async () => {
    const { tools } = await mcp.listTools();
    const own = tools
      .map(({ name }) => name)
      .filter((name) => !/^(?:crawl|extract|generate|cancel|webhooks)/.test(name));
    expect(own.filter((name) => name !== 'change_item' && !listed.has(`tool ${name}`))).toEqual([]);
  });

  test('by the commands', async () => {
    const help = await Promise.all([ran('--help'), ran('jobs', '--help')]);
    const [own = [], ofJobs = []] = help.map((text) => {
      const commands = text.slice(text.indexOf('Commands:')).matchAll(/^ {2}([a-z]+)/gm);
      return [...commands].map(([, name = '']) => name);
    });
    const served = new Set([
      'serve',
      'token',
      'key',
      'doctor',
      'mcp',
      'work',
      'completion',
      'help',
      'jobs',
      'backup',
      'phone',
    ]);
    const names = [
      ...own.filter((name) => !served.has(name) && name !== 'restore').map((name) => `quarry ${name}`),
      ...ofJobs.filter((name) => !/^(?:cancel|retry|delete|help)/.test(name)).map((name) => `quarry jobs ${name}`),
    ];
    expect(names.length).toBeGreaterThan(4);
    expect(names.filter((name) => !listed.has(name))).toEqual([]);
  });
});

/** Without what is kept beside a correction on purpose. */
function shownWords(text: string): string {
  return text.replace(/"originalText":"(?:[^"\\]|\\.)*"/g, '');
}

async function contribute(body: object): Promise<string> {
  let sent: Contribution | undefined;
  await until(async () => {
    const answer = await appliance.owner('/v1/contributions', postJson(body));
    sent = (await answer.json()) as Contribution;
    return answer.status !== 503;
  });
  const id = (sent as Contribution).contributionId;
  expect((await appliance.owner(`/admin/contributions/${id}/approve`, postJson({}))).status).toBe(200);
  return id;
}

const reject = (id: string) => appliance.owner(`/admin/contributions/${id}/reject`, postJson({ reason: 'No.' }));

/** Commands show the answers of other views, and each starts a process. */
const withoutCommands = Object.entries(VIEWS).filter(([name]) => !name.startsWith('quarry '));

describe.each(KINDS)('of a %s', (kind) => {
  const { old, now, remark } = WORDS[kind];
  let read: Read;
  let chunk: Chunk;
  beforeAll(async () => {
    read = jobs.get(kind) as Read;
    chunk = (await resultOf(read)).chunks.find(({ text }) => text.includes(old)) as Chunk;
  });

  const expectWords = async (has: string, hasNot: string, views = Object.entries(VIEWS)) => {
    for (const [name, view] of views) {
      const text = await view(read);
      if (text === null) continue;
      expect(shownWords(text), name).toContain(has);
      expect(shownWords(text), name).not.toContain(hasNot);
    }
    for (const [name, view] of Object.entries(BESIDE)) expect(await view(read), name).not.toContain(hasNot);
  };

  test('a correction is in every view, and taken back it is in none', async () => {
    const about = { kind: 'correction', jobId: read.jobId, chunkId: chunk.id };
    const id = await contribute({ ...about, text: chunk.text.replace(old, now) });
    await expectWords(now, old);
    expect((await reject(id)).status).toBe(200);
    await expectWords(old, now, withoutCommands);
  });

  test('an annotation is in every view but the text alone, and taken back it is in none', async () => {
    const before = await Promise.all([filesOf(read), archiveOf(read)]);
    const about = { kind: 'annotation', jobId: read.jobId, chunkId: chunk.id, quote: old };
    const id = await contribute({ ...about, text: `${remark} saw it.` });
    const names = ['getJob', 'getJobFile', 'downloadBatch', 'redeliver', 'tool get_job', 'quarry jobs show'];
    for (const name of names) expect(await VIEWS[name]?.(read), name).toContain(remark);
    for (const name of ['search', 'rechunkJob', 'tool search']) {
      expect((await VIEWS[name]?.(read)) ?? '', name).not.toContain(remark);
    }
    const found = await textOf('/v1/search', postJson({ query: remark, mode: 'lexical' }));
    expect(JSON.parse(found)).toMatchObject({ results: [{ kind: 'annotation', text: `${remark} saw it.` }] });
    expect((await reject(id)).status).toBe(200);
    for (const [name, view] of withoutCommands) expect((await view(read)) ?? '', name).not.toContain(remark);
    const withoutTime = (text: string) => text.replaceAll(/"(?:updatedAt|createdAt)":"[^"]*"/g, '');
    const after = await Promise.all([filesOf(read), archiveOf(read)]);
    expect(after.map(withoutTime)).toEqual(before.map(withoutTime));
  });
});
