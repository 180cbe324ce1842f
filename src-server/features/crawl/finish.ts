/**
 * Builds the outputs of a crawl from its pages, part by part in workers: first repeated blocks and the link graph, then
 * the ranks, then the outputs. Shared counts have a fixed size, so memory does not grow with the number of pages.
 */

import { hash } from 'node:crypto';
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CrawledPage, RankSiteOutput, SitePart, WritePagesOutput } from '../../../workers/pages/tasks.ts';
import { toIsoTime } from '../../platform/clock.ts';
import { inParallel } from '../../platform/concurrency.ts';
import { UrlIndex } from '../../platform/net/url-index.ts';
import type { RunTaskOptions } from '../../platform/pool/worker-pool.ts';
import { mergeAccounts } from '../../platform/source-account.ts';
import { CountSketch } from '../../platform/text/hash.ts';
import { pagesSaid, type Said, say } from '../../platform/text/say.ts';
import { HOUR_MS, KIB, MIB, MINUTE_MS } from '../../platform/units.ts';
import { accountAddresses, unexplainedAddresses } from './address-account.ts';
import type { CrawlLedger } from './frontier.ts';
import { pdfName, screenshotName } from './render.ts';
import { type HostRules, loadHostRules } from './robots.ts';
import type { CrawlJob, EndedBy } from './run.ts';
import type { CrawlResult, CrawlSkipped } from './schema.ts';

/** Share of the crawl in the progress. Building the outputs is the rest. */
export const CRAWL_PERCENT = 90;

/** Share of the rest for comparing and ranking the pages. */
const COMPARED_SHARE = 0.3;

/** A part ends at the next batch: small enough that its thread is soon free for other jobs. */
const PART_PAGES = 512;

const PART_BYTES = 8 * MIB;

/** Parts in progress before their outputs are joined: enough to keep every thread busy. */
const PARTS_AT_ONCE = 4;

/** Estimated distinct words, or blocks of text, per page. */
const COUNTED_PER_PAGE = 512;

const PART_LIMIT_MS = 10 * MINUTE_MS;

const RANK_LIMIT_MS = HOUR_MS;

/** The result is one JSON object that is polled and posted, so it is bounded. The files contain all pages. */
const MAX_RESULT_PAGES = 1000;

const MAX_RESULT_CHUNK_CHARS = 8 * MIB;

/** Of a crawl of depth 0: usually one page. */
const MAX_RESULT_MARKDOWN_CHARS = 2 * MIB;

const MAX_RESULT_SKIPPED = 2000;

/** Pages with a warning of their own; the others are counted. */
const MAX_PAGE_WARNINGS = 50;

const MAX_HOPS = 10;

const COPY_BYTES = 256 * KIB;

const JOINED_FILES = ['pages.jsonl', 'chunks.jsonl'] as const;

/** Temporary files of the page readers (workers/pages/site-parts.ts). */
const DRAFTS = 'drafts';

/** Content hash of a page without text (workers/pages/read-pages.ts). */
const HASH_OF_NOTHING = hash('sha256', '');

const FILES = [...JOINED_FILES, 'llms.txt', 'graph.json', 'ledger.jsonl'];

interface CrawlEnd {
  rootUrl: string;
  depth: number;
  endedBy: EndedBy;
  batchFolder: string;
  urlsNotKept: number;
  rendered: CrawlResult['stats']['rendered'];
  warnings: readonly Said[];
  /** Rules of the root's host, if known. */
  rules: HostRules | null;
}

/** Builds the outputs of a finished crawl. Errors: `cancelled`, `interrupted`, and those of the tasks. */
export async function finishCrawl(
  job: CrawlJob,
  ledger: CrawlLedger,
  end: CrawlEnd,
  signal: AbortSignal,
): Promise<CrawlResult> {
  const folder = join(job.workFolder, 'parts');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
  const skipped: CrawlSkipped[] = [];
  await writeLines(join(job.filesFolder, 'ledger.jsonl'), ledgerLines(ledger, skipped));
  const index = UrlIndex.withRoom(ledger.ledgerExtent());
  const pageFiles: CrawlResult['files'] = [];
  const partStarts = await listParts(job, ledger, index, { folder, pageFiles });
  const totalPages = ledger.ledgerFigures().pages;
  const countMemory = () => CountSketch.memoryFor(totalPages * COUNTED_PER_PAGE);
  const counts = { blocks: countMemory(), words: countMemory() };
  const shared = { totalPages, folder, batchFolder: end.batchFolder, index: index.data, counts };
  const parts = partStarts.map((firstPage, part) => ({ ...shared, part, firstPage }));
  const options = { accountId: job.accountId, timeLimitMs: PART_LIMIT_MS };
  await inParallel(parts, PARTS_AT_ONCE, signal, (part, together) =>
    job.runTask('survey-pages', { ...part, partStarts }, { ...options, signal: together }),
  );
  const ranked = await job.runTask(
    'rank-site',
    { ...shared, rootUrl: end.rootUrl, parts: parts.length, outputFolder: job.filesFolder },
    { ...options, heavy: true, timeLimitMs: RANK_LIMIT_MS, signal },
  );
  const outputs = new Outputs(job, folder, ranked.ranks, end.depth === 0);
  for (let at = 0; at < parts.length; at += PARTS_AT_ONCE) {
    const share = COMPARED_SHARE + ((1 - COMPARED_SHARE) * at) / parts.length;
    const percent = CRAWL_PERCENT + (100 - CRAWL_PERCENT) * share;
    job.progress({ percent, stage: 'finishing', message: say`Writing ${pagesSaid(shared.totalPages)}` });
    await outputs.writeSiteParts(parts.slice(at, at + PARTS_AT_ONCE), { ...options, signal });
  }
  await outputs.closeSiteOutputs();
  await rm(folder, { recursive: true, force: true });
  await rm(join(end.batchFolder, DRAFTS), { recursive: true, force: true });
  const rules = end.rules ?? (await loadHostRules(end.rootUrl, job, signal));
  const { host } = new URL(end.rootUrl);
  const aiAgents = rules.aiAgents(end.rootUrl).map((rule) => ({ host, ...rule }));
  return crawlResultOf(job, ledger, end, { outputs, ranked, skipped, aiAgents, pageFiles });
}

/** Writes the page list of each part and numbers the pages. Returns the first page number of each part. */
async function listParts(
  job: CrawlJob,
  ledger: CrawlLedger,
  index: UrlIndex,
  { folder, pageFiles }: { folder: string; pageFiles: CrawlResult['files'] },
): Promise<number[]> {
  const addPageListFile = (name: string): string => {
    pageFiles.push({ name, url: job.urlOf(name) });
    return job.urlOf(name);
  };
  const starts: number[] = [];
  let lines: string[] = [];
  let bytes = 0;
  let page = 0;
  let lastBatch = -1;
  const closePartList = async () => {
    await writeFile(join(folder, `${starts.length}.list.jsonl`), lines.join(''));
    starts.push(page - lines.length);
    lines = [];
    bytes = 0;
  };
  for (const ledgerPage of ledger.ledgerPages()) {
    const { id, batch, url, status, depth, contentType, bytes: size, fetchedAt, unchanged, rendered } = ledgerPage;
    if (batch !== lastBatch && (lines.length >= PART_PAGES || bytes >= PART_BYTES)) await closePartList();
    lastBatch = batch;
    const facts = {
      id,
      batch,
      url,
      status,
      depth,
      contentType,
      bytes: size,
      fetchedAt: toIsoTime(fetchedAt),
      unchanged,
      rendered: rendered.isRendered,
      screenshot: rendered.hasScreenshot ? addPageListFile(screenshotName(id)) : null,
      pdf: rendered.hasPdf ? addPageListFile(pdfName(id)) : null,
    };
    lines.push(`${JSON.stringify(facts satisfies CrawledPage)}\n`);
    bytes += size;
    index.addPage(page, url);
    page += 1;
  }
  if (lines.length > 0) await closePartList();
  for (const { url, target } of ledger.ledgerAliases()) {
    let end = target;
    for (let hops = 0, next = ledger.findLedgerUrl(end)?.target; hops < MAX_HOPS && next != null; hops += 1) {
      end = next;
      next = ledger.findLedgerUrl(end)?.target;
    }
    const leadsTo = index.findUrlPage(end);
    if (leadsTo !== null) index.addAlias(leadsTo, url);
  }
  return starts;
}

/** Joins the parts in order: everything into the files, and a bounded amount into the result. */
class Outputs {
  readonly kept: WritePagesOutput = {
    pages: [],
    chunks: [],
    search: [],
    context: [],
    guardrails: [],
    counts: { pages: 0, chunks: 0, tokens: 0, boilerplateBlocks: 0 },
    letters: mergeAccounts([]),
    warnings: [],
    moreWarnings: 0,
  };
  readonly #job: CrawlJob;
  readonly #folder: string;
  readonly #ranks: SharedArrayBuffer;
  /** One reused buffer: a new one per copy would fill the heap between garbage collections. */
  readonly #copied = Buffer.alloc(COPY_BYTES);
  readonly #keepsMarkdown: boolean;
  #chunkChars = 0;
  #markdownChars = 0;

  constructor(job: CrawlJob, folder: string, ranks: SharedArrayBuffer, keepsMarkdown: boolean) {
    this.#job = job;
    this.#keepsMarkdown = keepsMarkdown;
    this.#folder = folder;
    this.#ranks = ranks;
  }

  async writeSiteParts(parts: readonly SitePart[], options: RunTaskOptions & { signal: AbortSignal }): Promise<void> {
    const keepChunkChars = MAX_RESULT_CHUNK_CHARS - this.#chunkChars;
    const keepMarkdownChars = this.#keepsMarkdown ? MAX_RESULT_MARKDOWN_CHARS - this.#markdownChars : 0;
    const outputs = await inParallel(parts, PARTS_AT_ONCE, options.signal, (part, signal) => {
      const [pagesPath, chunksPath] = JOINED_FILES.map((name) => this.#outputPathOf(part, name)) as [string, string];
      const keepPages = Math.max(0, MAX_RESULT_PAGES - part.firstPage);
      const limits = { keepPages, keepChunkChars, keepMarkdownChars };
      const input = { ...part, ranks: this.#ranks, pagesPath, chunksPath, ...limits };
      return this.#job.runTask('write-pages', input, { ...options, signal });
    });
    for (const output of outputs) this.#keepPagesOutput(output);
    for (const name of JOINED_FILES) {
      const paths = parts.map((part) => this.#outputPathOf(part, name));
      await moveToEnd(paths, this.#outputPathOf(null, name), this.#copied);
    }
  }

  async closeSiteOutputs(): Promise<void> {
    for (const name of JOINED_FILES) await rename(this.#outputPathOf(null, name), join(this.#job.filesFolder, name));
  }

  #outputPathOf(part: SitePart | null, name: (typeof JOINED_FILES)[number]): string {
    return join(this.#folder, part === null ? name : `${part.part}.${name}`);
  }

  #keepPagesOutput(output: WritePagesOutput): void {
    const { counts, pages, search, context, guardrails, chunks } = output;
    const { kept } = this;
    kept.letters = mergeAccounts([kept.letters, output.letters]);
    const told = output.warnings.slice(0, MAX_PAGE_WARNINGS - kept.warnings.length);
    kept.warnings.push(...told);
    kept.moreWarnings += output.moreWarnings + output.warnings.length - told.length;
    for (const name of ['pages', 'chunks', 'tokens', 'boilerplateBlocks'] as const) kept.counts[name] += counts[name];
    const room = MAX_RESULT_PAGES - kept.pages.length;
    for (const page of pages.slice(0, room)) {
      const { markdown, ...shown } = page;
      this.#markdownChars += markdown?.length ?? 0;
      kept.pages.push(this.#markdownChars <= MAX_RESULT_MARKDOWN_CHARS ? page : shown);
    }
    kept.search.push(...search.slice(0, room));
    kept.context.push(...context.slice(0, room));
    kept.guardrails.push(...guardrails.slice(0, room));
    for (const chunk of chunks) {
      this.#chunkChars += chunk.text.length;
      if (this.#chunkChars > MAX_RESULT_CHUNK_CHARS) return;
      // The result numbers its chunks across all pages.
      kept.chunks.push({ ...chunk, segmentIndex: kept.chunks.length });
    }
  }
}

async function moveToEnd(paths: readonly string[], target: string, buffer: Buffer): Promise<void> {
  const whole = await open(target, 'a');
  try {
    for (const path of paths) {
      const part = await open(path, 'r');
      try {
        for (let read = await part.read(buffer); read.bytesRead > 0; read = await part.read(buffer)) {
          await whole.writeFile(buffer.subarray(0, read.bytesRead));
        }
      } finally {
        await part.close();
      }
      await rm(path);
    }
  } finally {
    await whole.close();
  }
}

interface Finished {
  outputs: Outputs;
  ranked: RankSiteOutput;
  skipped: CrawlSkipped[];
  aiAgents: CrawlResult['guardrails']['aiAgents'];
  /** Screenshots and PDF files. */
  pageFiles: CrawlResult['files'];
}

function crawlResultOf(job: CrawlJob, ledger: CrawlLedger, end: CrawlEnd, finished: Finished): CrawlResult {
  const { outputs, ranked, skipped, aiAgents, pageFiles } = finished;
  const { kept } = outputs;
  const { counts } = kept;
  const { seen, bytes } = ledger.ledgerFigures();
  const account = accountAddresses(ledger, { delivered: counts.pages, urlsNotKept: end.urlsNotKept });
  return {
    rootUrl: end.rootUrl,
    pages: kept.pages,
    chunks: kept.chunks,
    search: { pages: kept.search },
    context: {
      tokens: counts.tokens,
      tokenCounting: ranked.tokenCounting,
      digest: ranked.digest,
      pages: kept.context,
    },
    guardrails: { detectors: ranked.detectors, aiAgents, pages: kept.guardrails },
    skipped,
    stats: {
      pages: counts.pages,
      withoutText: ledger.countWithHash(HASH_OF_NOTHING),
      urlsSeen: seen,
      urlsNotKept: end.urlsNotKept,
      bytes,
      chunks: counts.chunks,
      endedBy: end.endedBy,
      verdicts: ledger.countsByVerdict(),
      notInResult: {
        pages: counts.pages - kept.pages.length,
        chunks: counts.chunks - kept.chunks.length,
        skipped: seen - counts.pages - skipped.length,
      },
      boilerplateBlocks: counts.boilerplateBlocks,
      rendered: end.rendered,
    },
    account,
    letters: kept.letters,
    warnings: [...end.warnings, ...unexplainedAddresses(account), ...pageWarnings(kept)],
    files: [...FILES.map((name) => ({ name, url: job.urlOf(name) })), ...pageFiles],
  };
}

function pageWarnings({ warnings, moreWarnings }: WritePagesOutput): Said[] {
  if (moreWarnings === 0) return warnings;
  if (moreWarnings === 1) return [...warnings, say`1 more page has a warning of this kind.`];
  return [...warnings, say`${moreWarnings} more pages have a warning of this kind.`];
}

/** Every URL with its verdict. Skipped URLs, up to a limit, also go to `skipped`. */
export function* ledgerLines(ledger: CrawlLedger, skipped: CrawlSkipped[]): Generator<unknown> {
  for (const { url, depth, verdict, reason } of ledger.ledgerRows()) {
    if (verdict === null) continue;
    yield { url, depth, verdict, reason };
    if (verdict !== 'page' && verdict !== 'listed' && skipped.length < MAX_RESULT_SKIPPED)
      skipped.push({ url, verdict, reason });
  }
}

/** Approximate size of a write. Between writes the event loop runs. */
const PIECE_CHARS = 256 * KIB;

/** Writes each value as a line of JSON. */
export async function writeLines(path: string, values: Iterable<unknown>): Promise<void> {
  const file = await open(path, 'w');
  try {
    let piece = '';
    for (const value of values) {
      piece += `${JSON.stringify(value)}\n`;
      if (piece.length < PIECE_CHARS) continue;
      await file.write(piece);
      piece = '';
    }
    await file.write(piece);
  } finally {
    await file.close();
  }
}
