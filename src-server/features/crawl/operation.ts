import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { normalUrl } from '../../platform/net/normal-url.ts';
import { CrawlRequest, CrawlResult } from './schema.ts';

/** Time for the largest crawl with its outputs. */
const TIME_LIMIT_SECONDS = 10_800;

export const crawl = defineOperation({
  id: 'crawl',
  summary: 'Crawl a site into data for search, prompts and guardrails',
  description: `Reads the page at \`url\`, or the pages a sitemap lists, and what they link to on the same site,
\`depth\` levels deep. robots.txt and its crawl-delay are respected; scripts, tracking pixels and responses over
10 MB are skipped. The result has three parts beside the pages and their chunks: \`search\` (headings, keywords with
weights, anchors, link rank), \`context\` (token counts and a digest in the style of llms.txt) and \`guardrails\`
(robots and AI-use directives, personal data by kind and count, signs of prompt injection with their place, licence,
language, sensitive topics). Every URL that was seen has one verdict and its reason in \`ledger.jsonl\`. The same
\`url\` and \`depth\` again reuses the crawl while it is kept: the answer has the same \`crawlId\`.`,
  mode: 'job',
  price: { amount: 300_000, timeoutSeconds: 300 },
  idPrefix: 'crl',
  queueClass: 'network',
  request: CrawlRequest,
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
  dedupeKey: (request, accountId) =>
    crawlKey(accountId === 'owner' ? 'owner' : 'public', rootUrlOf(request.url), request.depth),
  acceptedFields: (request, jobId) => ({ crawlId: jobId, rootUrl: rootUrlOf(request.url) }),
  run: async (request, ports, signal) => {
    const crawler = await ports.use('crawler');
    return crawler.crawl({ rootUrl: rootUrlOf(request.url), depth: request.depth }, ports, signal);
  },
});

/** Normal form of the URL. A URL too long for a page is used unchanged. */
function rootUrlOf(url: string): string {
  return normalUrl(url) ?? url;
}

function crawlKey(audience: 'owner' | 'public', rootUrl: string, depth: number): string {
  return `crawl ${audience} ${depth} ${rootUrl}`;
}
