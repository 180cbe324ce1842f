/** The result of a crawl that lists addresses only: no page is fetched but those that lead to others. */

import { join } from 'node:path';
import type { Said } from '../../platform/text/say.ts';
import { MIB } from '../../platform/units.ts';
import { accountAddresses, unexplainedAddresses } from './address-account.ts';
import { ledgerLines, writeLines } from './finish.ts';
import type { CrawlLedger } from './frontier.ts';
import type { CrawlJob, EndedBy } from './run.ts';
import type { CrawlAddress, CrawlResult, CrawlSkipped } from './schema.ts';

/** The result is one JSON object, so it is bounded. addresses.jsonl has all. */
const MAX_RESULT_ADDRESSES = 10_000;

const MAX_RESULT_CHARS = 4 * MIB;

interface MapEnd {
  rootUrl: string;
  endedBy: EndedBy;
  urlsNotKept: number;
  /** The most addresses that the request asks for. */
  maxAddresses: number | null;
  rendered: CrawlResult['stats']['rendered'];
  warnings: readonly Said[];
}

export async function finishMap(job: CrawlJob, ledger: CrawlLedger, end: MapEnd): Promise<CrawlResult> {
  const skipped: CrawlSkipped[] = [];
  await writeLines(join(job.filesFolder, 'ledger.jsonl'), ledgerLines(ledger, skipped));
  const addresses: CrawlAddress[] = [];
  let delivered = 0;
  const lines = addressLines(ledger, addresses, end.maxAddresses).map((line) => {
    delivered += 1;
    return line;
  });
  await writeLines(join(job.filesFolder, 'addresses.jsonl'), lines);
  const { seen, bytes } = ledger.ledgerFigures();
  const counts = { pages: 0, withoutText: 0, chunks: 0, boilerplateBlocks: 0 };
  const notInResult = { pages: 0, chunks: 0, skipped: 0 };
  const { rootUrl, endedBy, urlsNotKept, rendered, warnings } = end;
  const account = accountAddresses(ledger, { delivered, urlsNotKept, isMap: true });
  return {
    rootUrl,
    addresses,
    pages: [],
    chunks: [],
    search: { pages: [] },
    skipped,
    context: { tokens: 0, tokenCounting: 'none', digest: '', pages: [] },
    guardrails: { detectors: [], aiAgents: [], pages: [] },
    stats: {
      ...counts,
      urlsSeen: seen,
      urlsNotKept,
      bytes,
      endedBy,
      verdicts: ledger.countsByVerdict(),
      notInResult,
      rendered,
    },
    account,
    warnings: [...warnings, ...unexplainedAddresses(account)],
    files: ['addresses.jsonl', 'ledger.jsonl'].map((name) => ({ name, url: job.urlOf(name) })),
  };
}

/** Every address with where it was found. As many as the result may hold also go to `kept`. */
function* addressLines(ledger: CrawlLedger, kept: CrawlAddress[], most: number | null): Generator<CrawlAddress> {
  const maxAddresses = Math.min(most ?? MAX_RESULT_ADDRESSES, MAX_RESULT_ADDRESSES);
  let chars = 0;
  let listed = 0;
  for (const { url, foundOn, foundOnVerdict } of ledger.foundAddresses()) {
    if (most !== null && listed >= most) return;
    const address: CrawlAddress = { url, foundOn, by: wayOf(foundOnVerdict) };
    listed += 1;
    yield address;
    chars += url.length + (foundOn?.length ?? 0);
    if (kept.length < maxAddresses && chars <= MAX_RESULT_CHARS) kept.push(address);
  }
}

function wayOf(foundOnVerdict: string | null): CrawlAddress['by'] {
  if (foundOnVerdict === null) return 'request';
  if (foundOnVerdict === 'sitemap' || foundOnVerdict === 'redirect') return foundOnVerdict;
  return 'link';
}
