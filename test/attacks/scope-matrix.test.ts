/**
 * What each scope of an API key, a stranger, a wallet and the owner can read, send out, install and make to persist. It is
 * judged by what comes of a request, not by its status: a marker in an answer, a hit at a server, a row in a list. Each
 * route has a place; a new one fails the test until it has one.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSiweMessage } from 'viem/siwe';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OPERATIONS, OWNER_ROUTES, PUBLIC_ROUTES, SCOPED_ADDRESSES } from '../../src-server/features.ts';
import { type Appliance, type Client, startAppliance } from '../harness/appliance.ts';
import { finished } from '../harness/jobs.ts';
import { type LocalSite, serveWith } from '../harness/local-site.ts';
import { postJson } from '../harness/text-models.ts';
import { openTwoNetworks, type TwoNetworks } from '../harness/two-networks.ts';
import { until } from '../harness/until.ts';
import { base64, decode, newWallet } from '../payments/proofs.ts';

/** Stands in a document of the owner: whoever sees it has read the owner's job. */
const MARK = 'harbourmaster4711';
const FILE = `data:text/plain;base64,${btoa(`The ${MARK} keeps the tide tables.`)}`;
const PUBLIC_PAGE = 'http://pub.example/page';

/** Routes by what they do. A key may use a place by the scopes that MAY_USE gives it. */
const PLACES = {
  'open to everybody': [
    'GET /facilitator/supported',
    'POST /facilitator/verify',
    'POST /facilitator/settle',
    'POST /facilitator/pay',
    'POST /facilitator/faucet',
    'GET /health',
    'GET /ready',
    'GET /openapi.json',
    'GET /login',
    'POST /login',
    'GET /v1/jobs/{jobId}',
    'GET /v1/jobs/{jobId}/events',
    'GET /v1/jobs/{jobId}/files/{name}',
    'POST /v1/jobs/{jobId}/chunks',
    'GET /v1/batches/{batchId}',
    'GET /v1/batches/{batchId}/results.zip',
    'GET /v1/contributions',
    'GET /v1/contributions/{contributionId}',
    'GET /v1/voices',
    'GET /v1/voices/samples/{sample}',
    'GET /docling/health',
    'GET /docling/version',
    'GET /docling/v1/status/poll/:task',
    'GET /docling/v1/result/:task',
    'GET /firecrawl/v1/crawl/:id',
    'GET /firecrawl/v1/crawl/:id/errors',
    'GET /firecrawl/v2/crawl/:id',
    'GET /firecrawl/v2/crawl/:id/errors',
    'POST /mcp',
    'GET /mcp',
    'DELETE /mcp',
  ],
  'reads the account': [
    'GET /v1/jobs',
    'GET /v1/batches',
    'GET /v1/webhooks',
    'GET /v1/webhooks/{webhookId}',
    'GET /openai/v1/models',
    'GET /openai/v1/models/:id{.+}',
    'POST /openai/v1/embeddings',
    'GET /ollama/api/version',
    'GET /ollama/api/tags',
    'GET /ollama/api/ps',
    'POST /ollama/api/show',
    'POST /ollama/api/embed',
    'POST /ollama/api/embeddings',
    'GET /tika',
    'GET /tika/version',
    'GET /version',
    'POST /firecrawl/v1/search',
    'POST /firecrawl/v2/search',
    'GET /metrics',
  ],
  'reads the library': [
    'GET /v1/library/items',
    'GET /v1/library/counts',
    'GET /v1/library/search',
    'GET /v1/library/answer',
    'GET /v1/library/lookup',
    'GET /v1/library/items/{itemId}',
    'GET /v1/library/items/{itemId}/cover',
    'GET /v1/library/items/{itemId}/related',
    'GET /v1/library/items/{itemId}/versions',
    'GET /v1/library/items/{itemId}/notes',
    'GET /v1/library/collections',
    'POST /v1/library/export',
    'GET /v1/library/items/{itemId}/reading',
    'GET /v1/library/items/{itemId}/reading/parts/{part}',
    'GET /v1/library/items/{itemId}/reading/parts/{part}/sound',
    'GET /v1/library/items/{itemId}/reading/files/{form}',
  ],
  'changes the library': [
    'POST /v1/library/originals/removal',
    'PATCH /v1/library/items/{itemId}',
    'DELETE /v1/library/items/{itemId}',
    'POST /v1/library/changes',
    'POST /v1/library/items/{itemId}/notes',
    'PATCH /v1/library/items/{itemId}/notes/{noteId}',
    'DELETE /v1/library/items/{itemId}/notes/{noteId}',
    'POST /v1/library/collections',
    'PATCH /v1/library/collections/{collectionId}',
    'DELETE /v1/library/collections/{collectionId}',
    'POST /v1/library/items/{itemId}/reading',
    'DELETE /v1/library/items/{itemId}/reading',
    'PUT /v1/library/items/{itemId}/reading/position',
  ],
  contributes: ['POST /v1/contributions', 'POST /v1/contributions/{contributionId}/report'],
  'changes what the caller made': [
    'POST /v1/jobs/bulk',
    'DELETE /v1/jobs/{jobId}',
    'POST /v1/batches',
    'DELETE /v1/batches/{batchId}',
    'POST /v1/batches/{batchId}/retry',
    'DELETE /firecrawl/v1/crawl/:id',
    'DELETE /firecrawl/v2/crawl/:id',
  ],
  'changes account webhooks': ['PATCH /v1/webhooks/{webhookId}', 'DELETE /v1/webhooks/{webhookId}'],
  'reads the administration': [
    'GET /v1/library/feeds',
    'GET /admin/overview',
    'GET /admin/activity',
    'GET /admin/settings',
    'GET /admin/events',
    'GET /admin/alerts',
    'GET /admin/audit',
    'GET /admin/jobs',
    'GET /admin/jobs/{jobId}',
    'GET /admin/jobs/{jobId}/source',
    'GET /admin/jobs/{jobId}/pages/{page}',
    'GET /admin/jobs/{jobId}/peaks',
    'GET /admin/jobs/{jobId}/crawl',
    'GET /admin/watches',
    'GET /admin/watches/{watchId}',
    'GET /admin/watches/{watchId}/runs',
    'GET /admin/watches/{watchId}/runs/{jobId}/changes',
    'GET /admin/watches/{watchId}/pages',
    'GET /admin/feeds',
    'GET /admin/feeds/{feedId}',
    'GET /admin/feeds/{feedId}/entries',
    'GET /admin/search',
    'GET /admin/limits',
    'GET /admin/accounts',
    'GET /admin/accounts/{accountId}/what-if',
    'GET /admin/limits/events',
    'GET /admin/models',
    'GET /admin/models/{name}/progress',
    'GET /admin/models/{name}/sample',
    'GET /admin/needs',
    'GET /admin/browser',
    'GET /admin/browser/progress',
    'GET /admin/media',
    'GET /admin/media/yt-dlp/progress',
    'GET /admin/media/ffmpeg/progress',
    'GET /admin/media/whisper-cli/progress',
    'GET /admin/remembered-voices',
    'GET /admin/jobs/{jobId}/video',
    'GET /admin/webhooks',
    'GET /admin/deliveries',
    'GET /admin/deliveries/{deliveryId}',
    'GET /admin/deliveries/{deliveryId}/attempts/{number}/body',
    'GET /admin/deliveries/{deliveryId}/attempts/{number}/signature',
    'GET /admin/inboxes',
    'GET /admin/inboxes/{name}',
    'GET /admin/inboxes/{name}/messages',
    'GET /admin/contributions',
    'GET /admin/jobs/{jobId}/notes',
    'GET /admin/payments',
    'GET /admin/payments/summary',
    'GET /admin/payments.csv',
    'GET /admin/prices',
    'GET /admin/prices/{operationId}',
    'GET /admin/settlement',
    'GET /admin/sandbox',
    'GET /admin/openapi.json',
    'GET /admin/backups',
    'GET /admin/disk',
    'GET /admin/places',
  ],
  'changes the administration': [
    'POST /v1/library/feeds',
    'DELETE /v1/library/feeds/{feedId}',
    'PATCH /admin/settings',
    'POST /admin/jobs/{jobId}/cancel',
    'POST /admin/jobs/{jobId}/install',
    'POST /admin/dictation',
    'POST /admin/watches',
    'PATCH /admin/watches/{watchId}',
    'DELETE /admin/watches/{watchId}',
    'POST /admin/watches/{watchId}/run',
    'POST /admin/feeds',
    'PATCH /admin/feeds/{feedId}',
    'DELETE /admin/feeds/{feedId}',
    'POST /admin/feeds/{feedId}/run',
    'PUT /admin/accounts/{accountId}/plan',
    'POST /admin/models/{name}/install',
    'POST /admin/models/{name}/cancel',
    'DELETE /admin/models/{name}',
    'POST /admin/voices/offer',
    'POST /admin/browser/install',
    'POST /admin/browser/cancel',
    'DELETE /admin/browser',
    'POST /admin/media/yt-dlp/install',
    'DELETE /admin/media/yt-dlp',
    'POST /admin/media/ffmpeg/install',
    'DELETE /admin/media/ffmpeg',
    'POST /admin/media/whisper-cli/install',
    'POST /admin/media/whisper-cli/cancel',
    'PATCH /admin/jobs/{jobId}/speakers',
    'POST /admin/jobs/{jobId}/digest',
    'POST /admin/jobs/{jobId}/remembered-voices',
    'DELETE /admin/remembered-voices/{voiceId}',
    'POST /admin/jobs/{jobId}/subtitles',
    'POST /admin/jobs/{jobId}/video',
    'DELETE /admin/jobs/{jobId}/video',
    'POST /admin/webhooks/explain',
    'POST /admin/webhooks/{webhookId}/test',
    'POST /admin/deliveries/{deliveryId}/redeliver',
    'POST /admin/redeliveries',
    'POST /admin/redeliveries/{selectionId}/apply',
    'POST /admin/inboxes',
    'PATCH /admin/inboxes/{name}',
    'DELETE /admin/inboxes/{name}',
    'POST /admin/contributions/{contributionId}/approve',
    'POST /admin/contributions/{contributionId}/reject',
    'PUT /admin/prices/{operationId}',
    'POST /admin/sandbox/faucet',
    'POST /admin/backups',
  ],
  'adds a webhook to a job by its id': ['POST /v1/jobs/{jobId}/webhooks'],
  'is for the owner alone': [
    'POST /admin/backups/restore',
    'DELETE /admin/backups/restore',
    'POST /admin/places/move',
    'DELETE /admin/places/move',
    'DELETE /admin/places/former',
    'GET /admin/sessions',
    'DELETE /admin/sessions/{sessionId}',
    'DELETE /admin/sessions',
    'POST /admin/sign-in-codes',
    'GET /admin/devices',
    'PATCH /admin/devices',
    'POST /admin/devices/codes',
    'DELETE /admin/devices/{deviceId}',
    'GET /admin/keys',
    'POST /admin/keys',
    'PATCH /admin/keys/{keyId}',
    'DELETE /admin/keys/{keyId}',
    'GET /admin/folders',
    'POST /admin/folders',
    'GET /admin/folders/{watchId}',
    'PATCH /admin/folders/{watchId}',
    'DELETE /admin/folders/{watchId}',
    'POST /admin/folders/{watchId}/look',
    'POST /admin/folders/{watchId}/retry',
    'GET /admin/folders/{watchId}/files',
    'GET /admin/library/mirrors',
    'POST /admin/library/mirrors',
    'POST /admin/library/mirrors/{mirrorId}/sync',
    'DELETE /admin/library/mirrors/{mirrorId}',
    'GET /admin/fleet',
    'PATCH /admin/fleet',
    'POST /admin/fleet/nodes',
    'PATCH /admin/fleet/nodes/{nodeId}',
    'DELETE /admin/fleet/nodes/{nodeId}',
    'PUT /admin/fleet/nodes/{nodeId}/models/{name}',
    'DELETE /admin/fleet/nodes/{nodeId}/models/{name}',
    'PUT /admin/settlement',
  ],
  'run:crawl': [
    'POST /v1/crawl',
    'POST /firecrawl/v1/scrape',
    'POST /firecrawl/v1/crawl',
    'POST /firecrawl/v1/map',
    'POST /firecrawl/v2/scrape',
    'POST /firecrawl/v2/crawl',
    'POST /firecrawl/v2/map',
  ],
  'run:extract/hosted-video': ['POST /v1/extract/hosted-video'],
  'run:extract/video': [
    'POST /v1/extract/video',
    'POST /openai/v1/audio/transcriptions',
    'POST /openai/v1/audio/translations',
  ],
  'run:extract/doc': [
    'POST /v1/extract/doc',
    'PUT /detect/stream',
    'PUT /tika',
    'PUT /meta',
    'PUT /rmeta',
    'PUT /tika/text',
    'PUT /rmeta/text',
    'PUT /tika/xml',
    'PUT /rmeta/xml',
    'PUT /tika/html',
    'PUT /rmeta/html',
    'PUT /tika/ignore',
    'PUT /rmeta/ignore',
    'POST /tika/form',
    'POST /meta/form',
    'POST /rmeta/form',
    'POST /tika/form/text',
    'POST /rmeta/form/text',
    'POST /tika/form/xml',
    'POST /rmeta/form/xml',
    'POST /tika/form/html',
    'POST /rmeta/form/html',
    'POST /tika/form/ignore',
    'POST /rmeta/form/ignore',
    'PUT /webui/process',
    'POST /docling/v1/convert/file',
    'POST /docling/v1/convert/source',
    'POST /docling/v1/convert/file/async',
    'POST /docling/v1/convert/source/async',
  ],
  'run:extract/pdf': ['POST /v1/extract/pdf'],
  'run:generate/audio': ['POST /v1/generate/audio', 'POST /openai/v1/audio/speech'],
  'run:generate/text': [
    'POST /v1/generate/text',
    'POST /openai/v1/chat/completions',
    'POST /openai/v1/completions',
    'POST /openai/v1/responses',
    'POST /ollama/api/chat',
    'POST /ollama/api/generate',
  ],
  'run:search': ['POST /v1/search'],
  'run:webhooks': ['POST /v1/webhooks'],
} satisfies Record<string, readonly string[]>;

type Place = keyof typeof PLACES;

/**
 * Who may use a place: `nobody` stands for strangers, `wallet` for one that has signed in and does not pay, `owner` for
 * the owner; others are scopes of a key, each enough alone.
 */
const MAY_USE: Readonly<Record<Place, readonly string[]>> = {
  'open to everybody': ['everybody'],
  'reads the account': ['read', 'wallet'],
  'reads the library': ['read'],
  'changes the library': ['write'],
  contributes: ['nobody', 'wallet', 'run'],
  // What others made is not touched: MADE_BY_OWNER.
  'changes what the caller made': ['wallet', 'run', 'run:'],
  'changes account webhooks': ['wallet'],
  'reads the administration': [],
  'changes the administration': [],
  'adds a webhook to a job by its id': ['nobody', 'wallet'],
  'is for the owner alone': [],
  'run:crawl': ['run', 'run:crawl'],
  'run:extract/hosted-video': ['run', 'run:extract/hosted-video'],
  'run:extract/video': ['run', 'run:extract/video'],
  'run:extract/doc': ['run', 'run:extract/doc'],
  'run:extract/pdf': ['run', 'run:extract/pdf'],
  'run:generate/audio': ['run', 'run:generate/audio'],
  'run:generate/text': ['run', 'run:generate/text'],
  'run:search': ['read', 'run', 'run:search'],
  'run:webhooks': [],
};

/** The route is sent with an id of what the owner made: only `admin` and the owner may change that. */
const MADE_BY_OWNER: readonly Place[] = ['changes what the caller made', 'changes account webhooks'];

/** Everyone who is tried. A key has the scopes that its name lists. */
const CALLERS = [
  'nobody',
  'wallet',
  'owner',
  'private-network',
  'read',
  'write',
  'run',
  'admin',
  ...OPERATIONS.map(({ id }) => `run:${id}`),
  'read+run:webhooks',
  'run+private-network',
  'run:extract/doc+private-network',
  'admin+private-network',
];

type Kind = 'read' | 'send out' | 'install' | 'persist';

interface Effect {
  kind: Kind;
  name: string;
  /** Who has it: callers, or scopes joined by `+` that a key must all have. */
  may: readonly string[];
  /** Tries it as the caller; whether it came about, or how to tell later. `tag` is unique. */
  attempt(client: Client, tag: string): Promise<boolean | (() => boolean)>;
}

const runs = (id: string) => ['owner', 'admin', 'run', `run:${id}`];
const reads = ['owner', 'admin', 'read'];

/** The matrix: an effect a row. */
const EFFECTS: readonly Effect[] = [
  { kind: 'read', name: 'sees the jobs of the owner in a list', may: reads, attempt: sees('/v1/jobs') },
  { kind: 'read', name: 'sees the webhooks of the owner', may: reads, attempt: sees('/v1/webhooks') },
  { kind: 'read', name: 'sees the batches of the owner', may: reads, attempt: sees('/v1/batches') },
  {
    kind: 'read',
    name: 'finds the words of the owner by search',
    may: [...reads, 'run', 'run:search'],
    attempt: async (client) => shows(await client('/v1/search', postJson({ query: MARK }))),
  },
  { kind: 'read', name: 'sees the jobs in the administration', may: ['owner', 'admin'], attempt: sees('/admin/jobs') },
  { kind: 'read', name: 'searches all jobs', may: ['owner', 'admin'], attempt: sees(`/admin/search?query=${MARK}`) },
  { kind: 'read', name: 'sees the keys', may: ['owner'], attempt: sees('/admin/keys') },
  { kind: 'read', name: 'reads the folders', may: ['owner'], attempt: sees('/admin/folders') },
  {
    kind: 'read',
    name: 'reads a job that it knows by its id',
    may: ['nobody', 'wallet', 'owner', ...CALLERS.filter((name) => !['nobody', 'wallet', 'owner'].includes(name))],
    attempt: async (client) => shows(await client(`/v1/jobs/${made.jobId}`)),
  },
  {
    kind: 'send out',
    name: 'has a public host fetched',
    may: runs('extract/doc'),
    attempt: async (client, tag) => {
      await ended(client('/v1/extract/doc', postJson({ sourceUrl: `http://pub.example/${tag}` })));
      return reached('outside', tag);
    },
  },
  {
    kind: 'send out',
    name: 'has a private host fetched that it names',
    may: ['owner', 'run+private-network', 'admin+private-network', 'run:extract/doc+private-network'],
    attempt: async (client, tag) => {
      await ended(client('/v1/extract/doc', postJson({ sourceUrl: networks.insideUrl(`/${tag}`) })));
      return reached('inside', tag);
    },
  },
  {
    kind: 'send out',
    name: 'has its result sent to a public host',
    may: runs('extract/doc'),
    attempt: async (client, tag) => {
      await ended(client('/v1/extract/doc', postJson({ file: FILE, webhookUrl: `http://pub.example/${tag}` })));
      return reached('outside', tag);
    },
  },
  {
    kind: 'send out',
    name: 'has its result sent to a private host',
    may: ['owner', 'run+private-network', 'admin+private-network', 'run:extract/doc+private-network'],
    attempt: async (client, tag) => {
      const webhookUrl = networks.insideUrl(`/${tag}`, 'inside.example');
      await ended(client('/v1/extract/doc', postJson({ file: FILE, webhookUrl })));
      return reached('inside', tag);
    },
  },
  {
    kind: 'send out',
    name: 'has the results of all jobs sent out, by a webhook that stays',
    may: ['owner', 'admin', 'read+run', 'read+run:webhooks'],
    attempt: async (client, tag) => {
      await ended(client('/v1/webhooks', postJson({ url: `http://pub.example/${tag}` })));
      await ended(appliance.owner('/v1/extract/doc', postJson({ file: FILE })));
      return reached('outside', tag, MARK);
    },
  },
  {
    kind: 'install',
    name: 'downloads a model by the route',
    may: ['owner', 'admin'],
    attempt: async (client) => {
      const before = mirror.requests.length;
      await client('/admin/models/silero-vad/install', { method: 'POST' });
      return () => mirror.requests.length > before;
    },
  },
  {
    kind: 'install',
    name: 'downloads a model by Prefer: install',
    may: ['owner', 'admin'],
    attempt: async (client) => {
      const before = mirror.requests.length;
      const headers = { 'content-type': 'application/json', prefer: 'install' };
      const answer = await client('/v1/generate/text', { ...postJson({ prompt: 'Words.' }), headers });
      const { jobId } = (await answer.json()) as { jobId?: string };
      if (jobId !== undefined) {
        await until(() => mirror.requests.length > before);
        await appliance.owner(`/v1/jobs/${jobId}`, { method: 'DELETE' });
      }
      return () => mirror.requests.length > before;
    },
  },
  {
    kind: 'persist',
    name: 'watches a site',
    may: ['owner', 'admin'],
    attempt: adds('/admin/watches', (tag) => ({
      crawl: { url: `http://pub.example/${tag}`, depth: 0 },
      schedule: { everyMinutes: 1440 },
    })),
  },
  {
    kind: 'persist',
    name: 'follows a feed',
    may: ['owner', 'admin'],
    attempt: adds('/admin/feeds', (tag) => ({
      url: `http://pub.example/${tag}`,
      recipe: { operation: 'extract/doc' },
      schedule: { everyMinutes: 1440 },
    })),
  },
  {
    kind: 'persist',
    name: 'watches a folder',
    may: ['owner'],
    attempt: async (client, tag) => {
      const path = await mkdtemp(join(folder, `${tag}-`));
      await client('/admin/folders', postJson({ path, recipe: { operation: 'extract/doc' } }));
      return (await (await appliance.owner('/admin/folders')).text()).includes(tag);
    },
  },
  {
    kind: 'persist',
    name: 'leaves a batch that goes on',
    may: runs('extract/doc'),
    attempt: async (client, tag) => {
      const before = (await (await appliance.owner('/v1/batches')).text()).split('"batchId"').length;
      const items = [{ sourceUrl: `http://pub.example/${tag}`, sourceName: tag }];
      await client('/v1/batches', postJson({ operation: 'extract/doc', items }));
      return (await (await appliance.owner('/v1/batches')).text()).split('"batchId"').length > before;
    },
  },
  {
    kind: 'persist',
    name: 'makes a key',
    may: ['owner'],
    attempt: adds('/admin/keys', (tag) => ({ name: tag, scopes: ['admin'] })),
  },
  {
    kind: 'persist',
    name: 'changes a setting',
    may: ['owner', 'admin'],
    attempt: async (client, tag) => {
      const change = { allowedOrigins: [`https://${tag}.example`] };
      await client('/admin/settings', { ...postJson(change), method: 'PATCH' });
      return (await (await appliance.owner('/admin/settings')).text()).includes(tag);
    },
  },
];

let appliance: Appliance;
let networks: TwoNetworks;
let mirror: LocalSite;
let folder: string;
const clients = new Map<string, Client>();
/** What the owner made, by the parameters of routes. */
const made: Record<string, string> = {};
const hits: Record<'inside' | 'outside', string[]> = { inside: [], outside: [] };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quarry-matrix-'));
  const note = (side: keyof typeof hits) => async (request: IncomingMessage) => {
    let body = '';
    for await (const piece of request) body += String(piece);
    hits[side].push(`${request.url} ${body}`);
  };
  networks = await openTwoNetworks({
    inside: (request, response) => void note('inside')(request).then(() => response.end('<p>Inside.</p>')),
    outside: (request, response) => void note('outside')(request).then(() => response.end('<p>A page.</p>')),
  });
  mirror = await serveWith((_, response) => response.writeHead(404).end());
  appliance = await startAppliance({ network: networks.network, knownTextServers: [] });
  const settings = { ...postJson({ modelMirrorUrl: mirror.url }), method: 'PATCH' };
  expect((await appliance.owner('/admin/settings', settings)).status).toBe(200);
  for (const name of CALLERS) clients.set(name, await clientOf(name));
  await makeAsOwner();
});
afterAll(async () => {
  await appliance.close();
  networks.close();
  await mirror[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

async function clientOf(name: string): Promise<Client> {
  if (name === 'owner') return appliance.owner;
  if (name === 'nobody') return appliance.anonymous;
  if (name === 'wallet') return walletClient();
  const answer = await appliance.owner('/admin/keys', postJson({ name: `${MARK} ${name}`, scopes: name.split('+') }));
  const { key } = (await answer.json()) as { key: string };
  return (path, init = {}) => {
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${key}`);
    return appliance.anonymous(path, { ...init, headers });
  };
}

/** Signs in wherever the answer asks for it. It pays for nothing. */
function walletClient(): Client {
  const wallet = newWallet();
  return async (path, init = {}) => {
    const refused = await appliance.anonymous(path, init);
    const asked = refused.headers.get('payment-required');
    if (refused.status !== 401 || asked === null) return refused;
    const { extensions } = decode(asked) as {
      extensions: { 'sign-in-with-x': { info: Record<string, string>; supportedChains: [{ chainId: string }] } };
    };
    const { info, supportedChains } = extensions['sign-in-with-x'];
    const message = createSiweMessage({
      ...(info as unknown as Parameters<typeof createSiweMessage>[0]),
      address: wallet.address,
      chainId: Number(supportedChains[0].chainId.split(':')[1]),
      issuedAt: new Date(info.issuedAt as string),
      expirationTime: new Date(info.expirationTime as string),
    });
    const signature = await wallet.signMessage({ message });
    const { chainId } = supportedChains[0];
    const fields = { ...info, address: wallet.address, chainId, type: 'eip191', signature };
    const headers = new Headers(init.headers);
    headers.set('SIGN-IN-WITH-X', base64(fields));
    return appliance.anonymous(path, { ...init, headers });
  };
}

/** A job, a batch, a webhook, a watch, a feed and a folder, which others must neither see nor change. */
async function makeAsOwner(): Promise<void> {
  const send = async (path: string, body: object) => {
    const answer = await appliance.owner(path, postJson(body));
    expect(answer.status, `${path}: ${await answer.clone().text()}`).toBeLessThan(300);
    return (await answer.json()) as Record<string, string>;
  };
  const recipe = { operation: 'extract/doc' };
  const schedule = { everyMinutes: 10_080 };
  const pause = (path: string) => appliance.owner(path, { ...postJson({ status: 'paused' }), method: 'PATCH' });
  made.jobId = (await send('/v1/extract/doc', { file: FILE, sourceName: MARK })).jobId ?? '';
  await finished(appliance.owner, made.jobId);
  const items = [{ sourceUrl: PUBLIC_PAGE, sourceName: MARK }];
  made.batchId = (await send('/v1/batches', { ...recipe, items, name: undefined })).batchId ?? '';
  const registered = await send('/v1/webhooks', { url: `http://pub.example/${MARK}`, events: ['changed'] });
  const { result } = await finished(appliance.owner, registered.jobId ?? '');
  made.webhookId = (result as { webhook: { webhookId: string } }).webhook.webhookId;
  made.siteId = (await send('/admin/watches', { crawl: { url: PUBLIC_PAGE, depth: 0 }, schedule })).watchId ?? '';
  made.feedId = (await send('/admin/feeds', { url: PUBLIC_PAGE, recipe, schedule })).feedId ?? '';
  const path = await mkdtemp(join(folder, `${MARK}-`));
  made.watchId = (await send('/admin/folders', { path, recipe })).watchId ?? '';
  await until(async () => shows(await appliance.owner('/v1/search', postJson({ query: MARK }))));
  await until(async () => {
    const { jobs } = (await (await appliance.owner('/v1/jobs')).json()) as { jobs: { status: string }[] };
    return jobs.length >= 4 && jobs.every(({ status }) => ['completed', 'failed'].includes(status));
  });
  for (const one of [`/admin/watches/${made.siteId}`, `/admin/feeds/${made.feedId}`]) await pause(one);
}

const shows = async (answer: Response) => {
  const text = await answer.text();
  return text.includes(MARK) || text.includes(made.jobId ?? '-') || text.includes(made.batchId ?? '-');
};

function sees(path: string): Effect['attempt'] {
  return async (client) => shows(await client(path));
}

/** Adds an entry to a list that the owner then sees. */
function adds(path: string, body: (tag: string) => object): Effect['attempt'] {
  return async (client, tag) => {
    await client(path, postJson(body(tag)));
    return (await (await appliance.owner(path)).text()).includes(tag);
  };
}

/** Waits for the end of a job if the request makes one. */
async function ended(asked: Promise<Response>): Promise<void> {
  const answer = await asked;
  const { jobId } = (await answer.json()) as { jobId?: string };
  if (answer.status < 300 && jobId !== undefined) await finished(appliance.owner, jobId);
}

const SETTLED_MS = 1000;

/** What others began has come about, if it does: a later request of the owner has. */
async function settled(): Promise<void> {
  const tag = `later-${crypto.randomUUID()}`;
  await ended(appliance.owner('/v1/extract/doc', postJson({ file: FILE, webhookUrl: `http://pub.example/${tag}` })));
  await until(reached('outside', tag));
  await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
}

function reached(side: keyof typeof hits, tag: string, words = ''): () => boolean {
  return () => hits[side].some((hit) => hit.startsWith(`/${tag}`) && hit.includes(words));
}

const hasAll = (caller: string, needed: readonly string[]) => needed.every((one) => caller.split('+').includes(one));

/** Every route of the registry, from which the OpenAPI documents are made, as `METHOD /path`. */
function declaredRoutes(): string[] {
  const bases = { environment: '/v1', owner: '/admin', origin: '' };
  return [
    ...OPERATIONS.map(({ id }) => `POST /v1/${id}`),
    ...[...PUBLIC_ROUTES, ...OWNER_ROUTES].map(
      ({ method, path, scope }) => `${method.toUpperCase()} ${bases[scope]}${path}`,
    ),
    ...SCOPED_ADDRESSES.map(({ method, path }) => `${method} ${path}`),
  ];
}

test('every route has one place', () => {
  expect(Object.values(PLACES).flat().sort()).toEqual(declaredRoutes().sort());
});

function mayUse(caller: string, place: Place, route: string): boolean {
  const scopes = caller.split('+');
  const may = MAY_USE[place];
  if (may.includes('everybody') || caller === 'owner') return true;
  if (scopes.includes('admin')) return place !== 'is for the owner alone';
  if (MADE_BY_OWNER.includes(place) && route.includes('{')) return false;
  if (place === 'run:webhooks') return scopes.includes('read') && scopes.some((one) => /^run(:webhooks)?$/.test(one));
  // Other tools' interfaces know no wallets.
  if (caller === 'wallet' && !route.includes(' /v1/')) return false;
  return may.some((one) => scopes.some((scope) => scope === one || (one === 'run:' && scope.startsWith(one))));
}

/** Bodies that work, by route, where the route declares none. */
const BODIES: Record<string, object> = {
  'PATCH /admin/settings': { modelMirrorUrl: 'http://pub.example/stolen', allowHttpWebhooks: true },
  'POST /admin/inboxes': { name: 'stolen' },
  'PUT /admin/prices/{operationId}': { price: '1' },
  'PUT /admin/settlement': { mode: 'sandbox', payTo: newWallet().address },
  'POST /v1/batches': { operation: 'extract/doc', items: [{ sourceUrl: 'http://pub.example/stolen' }] },
  'PATCH /v1/webhooks/{webhookId}': { url: 'http://pub.example/stolen', status: 'paused' },
  'POST /v1/webhooks': { url: 'http://pub.example/stolen' },
  'POST /v1/search': { query: MARK },
};

/** Fits the addresses of other tools: each reads the fields that it knows. */
const OTHER_TOOLS = {
  ...{ model: 'qwen3-1.7b', prompt: 'Words.', input: 'Words.', messages: [{ role: 'user', content: 'Words.' }] },
  ...{ url: 'http://pub.example/stolen', query: MARK, voice: 'alloy' },
};

function bodyOf(route: string): object {
  const declared = [...PUBLIC_ROUTES, ...OWNER_ROUTES].find(
    ({ operationId, method, path }) => operationId && route.startsWith(method.toUpperCase()) && route.endsWith(path),
  );
  const operation = OPERATIONS.find(({ id }) => route === `POST /v1/${id}`);
  const example = (declared?.request?.example ?? operation?.example.request) as object | undefined;
  const fetched = { url: 'http://pub.example/stolen', sourceUrl: 'http://pub.example/stolen' };
  const [field] = Object.entries(fetched).filter(([name]) => Object.hasOwn(example ?? {}, name));
  return BODIES[route] ?? { ...(example ?? OTHER_TOOLS), ...(field === undefined ? {} : { [field[0]]: field[1] }) };
}

function pathOf(route: string): string {
  const ids = { ...made, ...(route.includes('/admin/watches') ? { watchId: made.siteId ?? '' } : {}) };
  return (route.split(' ')[1] ?? '')
    .replaceAll(/\{(\w+)\}/g, (_, name: keyof typeof ids) => ids[name] ?? 'silero-vad')
    .replaceAll(/:\w+(\{[^}]*\})?/g, made.jobId ?? '');
}

const LISTS = [
  ...['jobs', 'batches', 'webhooks', 'contributions'].map((name) => `/v1/${name}`),
  ...['keys', 'sessions', 'watches', 'feeds', 'folders', 'settings', 'prices', 'settlement', 'fleet', 'inboxes'].map(
    (name) => `/admin/${name}`,
  ),
];
/** What time and reading change by themselves. */
const VOLATILE = /"(lastUsedAt|lastUse|etaSeconds|expiresAt|updatedAt|checkedAt)":("[^"]*"|null|[\d.]+)/g;

/** All that persists, as the owner sees it, and what was asked of others. */
async function state(): Promise<Record<string, string>> {
  const lists = await Promise.all(
    LISTS.map(async (path) => [path, (await (await appliance.owner(path)).text()).replaceAll(VOLATILE, '')]),
  );
  return {
    ...Object.fromEntries(lists),
    asked: `${hits.inside.length} ${hits.outside.length} ${mirror.requests.length}`,
  };
}

test.each(CALLERS.filter((name) => name !== 'owner'))(
  '%s gets nothing out of the routes that it may not use',
  async (caller) => {
    const client = clients.get(caller) as Client;
    const before = await state();
    const told: string[] = [];
    for (const [place, routes] of Object.entries(PLACES) as [Place, readonly string[]][]) {
      for (const route of routes.filter((one) => !mayUse(caller, place, one))) {
        const [method = ''] = route.split(' ');
        const left = new AbortController();
        const init = method === 'GET' ? {} : { ...postJson(bodyOf(route)), method };
        const answer = await client(pathOf(route), { ...init, signal: left.signal });
        const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true;
        if (isStream || (await shows(answer))) told.push(`${route}: ${answer.status}`);
        left.abort();
        // A stranger has a number of requests a minute.
        appliance.clock.advance(500);
      }
    }
    expect(told).toEqual([]);
    const after = await state();
    const others = Object.keys(after).filter((name) => after[name] !== before[name]);
    expect(others.map((name) => [name, before[name], after[name]])).toEqual([]);
  },
);

describe('by effect', () => {
  test.each(EFFECTS.map((effect) => [effect.kind, effect.name, effect] as const))('%s: %s', async (_, __, effect) => {
    const mayHave = (caller: string) =>
      effect.may.some(
        (one) => one === caller || (!['nobody', 'wallet', 'owner'].includes(caller) && hasAll(caller, one.split('+'))),
      );
    const attempt = (caller: string) => {
      appliance.clock.advance(1000);
      const tag = `t${EFFECTS.indexOf(effect)}x${CALLERS.indexOf(caller)}y`;
      return effect.attempt(clients.get(caller) as Client, tag);
    };
    // Those who may come last: what they begin would be taken for the others'.
    const outcomes = new Map<string, boolean | (() => boolean)>();
    for (const caller of CALLERS.filter((name) => !mayHave(name))) outcomes.set(caller, await attempt(caller));
    const isLater = [...outcomes.values()].some((outcome) => outcome !== false);
    if (isLater) await settled();
    const came = [...outcomes].filter(([, outcome]) => outcome === true || (outcome !== false && outcome()));
    expect(came.map(([caller]) => caller)).toEqual([]);
    for (const caller of CALLERS.filter(mayHave)) {
      const outcome = await attempt(caller);
      if (typeof outcome === 'function') await until(outcome);
      else expect([caller, outcome]).toEqual([caller, true]);
    }
  });
});
