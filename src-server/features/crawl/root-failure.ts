/** What a crawl without a single page says: what became of its root, and what to do about it. */
import { type ErrorCode, QuarryError } from '../../platform/errors.ts';
import type { CrawlLedger, LedgerRow } from './frontier.ts';

/** Statuses that say "not now" rather than "no". */
const PASSING_STATUSES = new Set([408, 425, 429]);

/** The error of a crawl in which nothing was read. */
export function rootFailure(ledger: CrawlLedger, rootUrl: string): QuarryError {
  const end = endOf(ledger, rootUrl);
  if (end?.verdict !== 'sitemap') return failureOf(end, end?.url === rootUrl ? '' : (end?.url ?? ''));
  const listed = firstListed(ledger);
  if (listed !== null) return failureOf(listed, listed.url);
  return failure('source_unreachable', 'The sitemap lists no page; give the address of a page or of another sitemap.');
}

/** Where the root leads in the end; null where it leads in a circle, or nowhere. */
function endOf(ledger: CrawlLedger, rootUrl: string): LedgerRow | null {
  const passed = new Set<string>();
  let row = ledger.find(rootUrl);
  while (row?.target != null) {
    if (passed.has(row.url)) return null;
    passed.add(row.url);
    row = ledger.find(row.target);
  }
  return row;
}

/** What the sitemaps list shares one reason as a rule: the first says it. */
function firstListed(ledger: CrawlLedger): LedgerRow | null {
  for (const row of ledger.rows()) {
    if (row.verdict !== 'sitemap') return row;
  }
  return null;
}

function failureOf(row: LedgerRow | null, at: string): QuarryError {
  if (row === null) return failure('source_unreachable', 'It redirects in a circle; give the final address.');
  const status = Number(/^Status (\d+)/.exec(row.reason)?.[1] ?? 0);
  const why = at === '' ? row.reason : `${at}: ${row.reason}`;
  switch (row.verdict) {
    case 'robots':
    case 'noindex':
      return failure('robots_disallowed', why);
    case 'forbidden':
      return failure('source_forbidden', why);
    case 'too-large':
      return failure('source_too_large', why);
    case 'type':
    case 'asset':
      return failure('unsupported_media', why);
    case 'unreadable':
      return failure('corrupt_input', why);
    case 'scope':
      return failure('source_unreachable', `${why} Crawl that address itself.`);
    case 'status':
      return statusFailure(status, why);
    default:
      return failure('source_unreachable', why, row.verdict === 'unreachable' || row.verdict === 'time');
  }
}

function statusFailure(status: number, why: string): QuarryError {
  if (status === 401 || status === 403) {
    return failure('source_forbidden', `${why} Give an address that is open to everybody.`);
  }
  const passes = status >= 500 || PASSING_STATUSES.has(status);
  return failure('source_unreachable', `${why} ${passes ? 'Try again later.' : 'Check the address.'}`, passes);
}

function failure(code: ErrorCode, why: string, retryable = false): QuarryError {
  return new QuarryError(code, `No page could be crawled: ${why}`, { retryable });
}
