import { hash } from 'node:crypto';
import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { normalUrl } from '../../platform/net/normal-url.ts';
import { type CrawlChoice, CrawlRequest, CrawlResult, PLAIN_CHOICE, SITE_CHANGES, type SiteChanges } from './schema.ts';

/** Time for the largest crawl with its outputs. */
const TIME_LIMIT_SECONDS = 10_800;

const CHOICE_HEX_CHARS = 32;

type Request = z.output<typeof CrawlRequest>;

const PLAIN = JSON.stringify({ ...PLAIN_CHOICE, render: 'never' });

export const crawl = defineOperation({
  id: 'crawl',
  summary: 'Crawl a site into data for search, prompts and guardrails',
  description: `Reads the page at \`url\`, or the pages a sitemap lists, and what they link to on the same site,
\`depth\` levels deep. robots.txt and its crawl-delay are respected; scripts, tracking pixels and responses over
10 MB are skipped. The result has three parts beside the pages and their chunks: \`search\` (headings, keywords with
weights, anchors, link rank), \`context\` (token counts and a digest in the style of llms.txt) and \`guardrails\`
(robots and AI-use directives, personal data by kind and count, signs of prompt injection with their place, licence,
language, sensitive topics). Every URL that was seen has one verdict and its reason in \`ledger.jsonl\`. \`include\`,
\`exclude\`, \`maxPages\` and \`sitemap\` choose the pages, \`documents\` adds linked files;
\`map\` lists their addresses only. The same \`url\`, \`depth\` and choice again reuses the crawl
while it is kept, and no older than \`maxAge\`: the answer has the same \`crawlId\`.`,
  words: {
    group: 'crawl',
    icon: 'globe',
    name: 'Crawl a site',
    short: 'Read pages',
    noun: 'Crawl',
    plural: 'Crawls',
    doing: 'Crawling',
    leads: { label: 'Crawl a site', about: 'The pages of a site, to text you can search', plural: 'Crawls' },
  },
  mode: 'job',
  price: { amount: 300_000, timeoutSeconds: 300 },
  idPrefix: 'crl',
  queueClass: 'network',
  request: CrawlRequest,
  addressField: 'url',
  accepted: z.object({
    crawlId: z.string().describe('The jobId of the crawl.'),
    rootUrl: z.string().describe('The normal form of the URL that was given.'),
  }),
  result: CrawlResult,
  example: { request: { url: 'https://docs.example/guide/', depth: 2 } },
  uses: ['crawler'],
  retry: { attempts: 3, baseDelaySeconds: 5 },
  timeLimitSeconds: TIME_LIMIT_SECONDS,
  firstRun: { seconds: 20, secondsPerMegabyte: 0 },
  // The owner's crawls may contain private hosts, so other accounts never share them.
  dedupeKey: async (request, { use, accountId }) => {
    const choice = (await use('crawler')).settled(crawlChoiceOf(request));
    return crawlKey(accountId === 'owner' ? 'owner' : 'public', request, choice);
  },
  maxAgeSeconds: ({ maxAge }) => maxAge ?? null,
  admit: async (request, ports) => {
    (await ports.use('crawler')).admit(crawlChoiceOf(request), ports.isOwner);
    return undefined;
  },
  acceptedFields: (request, jobId) => ({ crawlId: jobId, rootUrl: rootUrlOf(request.url) }),
  furtherEvent: ({ changes }) => (changes !== undefined && hasChanges(changes) ? 'crawl.changed' : null),
  run: async (request, ports, signal) => {
    const crawler = await ports.use('crawler');
    const { url, depth } = request;
    return crawler.crawl({ rootUrl: rootUrlOf(url), depth, choice: crawlChoiceOf(request) }, ports, signal);
  },
});

/** Normal form of the URL. A URL too long for a page is used unchanged. */
function rootUrlOf(url: string): string {
  return normalUrl(url) ?? url;
}

function crawlChoiceOf(request: Request): CrawlChoice {
  const { include, exclude, maxPages, sitemap, documents, map, render, screenshot, pdf, actions } = request;
  const showsPages = screenshot || pdf || actions !== undefined;
  return {
    include: include ?? PLAIN_CHOICE.include,
    exclude: exclude ?? PLAIN_CHOICE.exclude,
    maxPages: maxPages ?? PLAIN_CHOICE.maxPages,
    sitemap: sitemap ?? (map ? 'include' : PLAIN_CHOICE.sitemap),
    documents,
    map,
    render: render ?? (showsPages ? 'always' : PLAIN_CHOICE.render),
    screenshot,
    pdf,
    actions: actions ?? PLAIN_CHOICE.actions,
  };
}

function hasChanges({ counts }: SiteChanges): boolean {
  return SITE_CHANGES.some((change) => counts[change] > 0);
}

/**
 * Ends with the root, by which a later crawl finds this one for its pages; a map has none. The choice appears, with
 * the settings at the request, unless it is plain.
 */
function crawlKey(audience: 'owner' | 'public', request: Request, choice: CrawlChoice): string {
  const text = JSON.stringify(choice);
  const suffix = text === PLAIN ? '' : `.${hash('sha256', text).slice(0, CHOICE_HEX_CHARS)}`;
  return `crawl ${audience} ${request.depth}${suffix} ${rootUrlOf(request.url)}${request.map ? ' map' : ''}`;
}
