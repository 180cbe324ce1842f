/** The account of a crawl: every address that was found, and where it went. */

import type { LeftOut, LeftOutReason, SourceAccount } from '../../platform/source-account.ts';
import { SAMPLE_CHARACTERS } from '../../platform/source-account.ts';
import { type Said, say } from '../../platform/text/say.ts';
import type { CrawlLedger } from './frontier.ts';
import type { CrawlVerdict } from './schema.ts';

/** Null: the address gave a page, or is listed by a map. */
const REASON_OF: Record<CrawlVerdict, LeftOutReason | null> = {
  page: null,
  listed: null,
  redirect: 'duplicate',
  duplicate: 'duplicate',
  noindex: 'site-rules',
  nofollow: 'site-rules',
  robots: 'site-rules',
  scope: 'not-requested',
  excluded: 'not-requested',
  depth: 'not-requested',
  pattern: 'over-limit',
  limit: 'over-limit',
  time: 'over-limit',
  'too-large': 'over-limit',
  asset: 'part-of-page',
  script: 'part-of-page',
  pixel: 'part-of-page',
  type: 'unsupported-part',
  'needs-script': 'unsupported-part',
  'script-failed': 'unsupported-part',
  status: 'unreachable',
  forbidden: 'unreachable',
  unreachable: 'unreachable',
  unreadable: 'damaged',
  sitemap: 'address-list',
};

/** What a map lists besides the addresses that it did not request. */
const MAP_LISTS: ReadonlySet<string> = new Set(['duplicate', 'needs-script'] satisfies CrawlVerdict[]);

interface DeliveredAddresses {
  /** Pages in pages.jsonl, or lines of addresses.jsonl. */
  delivered: number;
  /** Found after the ledger or the link list of their page was full. */
  urlsNotKept: number;
  isMap?: boolean;
}

/** Accounts for the addresses of a crawl that has ended. `where` names the verdict in ledger.jsonl. */
export function accountAddresses(ledger: CrawlLedger, found: DeliveredAddresses): SourceAccount {
  const { delivered, urlsNotKept, isMap = false } = found;
  const leftOut: LeftOut[] = [];
  let listed = 0;
  for (const { verdict, count, url } of ledger.verdictExamples()) {
    const reason = isMap && MAP_LISTS.has(verdict) ? null : REASON_OF[verdict];
    if (reason === null) listed += count;
    else leftOut.push({ reason, count, where: `${verdict} in ledger.jsonl`, sample: url.slice(0, SAMPLE_CHARACTERS) });
  }
  const beyond = isMap ? listed - delivered : 0;
  if (beyond > 0) leftOut.push({ reason: 'over-limit', count: beyond, where: 'not in addresses.jsonl' });
  if (urlsNotKept > 0) leftOut.push({ reason: 'over-limit', count: urlsNotKept, where: 'not in ledger.jsonl' });
  const source = ledger.ledgerFigures().seen + urlsNotKept;
  const explained = leftOut.reduce((sum, { count }) => sum + count, delivered);
  return { unit: 'addresses', source, delivered, leftOut, unexplained: Math.max(0, source - explained) };
}

/** A warning for addresses that are in no output. */
export function unexplainedAddresses({ unexplained }: SourceAccount): Said[] {
  if (unexplained === 0) return [];
  return unexplained === 1
    ? [say`1 address was found but is neither in the result nor skipped. ledger.jsonl has all addresses.`]
    : [
        say`${unexplained} addresses were found but are neither in the result nor skipped. ledger.jsonl has all
          addresses.`,
      ];
}
