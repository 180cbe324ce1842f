/**
 * Compares the pages of a crawl with those that earlier crawls of the same watch left: what was added, changed,
 * removed, gone or moved. Pages that this crawl could not read keep their last version, and are never called removed.
 */

import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { CrawlResult, SiteChanges } from '../../src-server/features/crawl/schema.ts';
import { parseOwnJson } from '../../src-server/platform/own-json.ts';
import type { TaskContext } from '../../src-server/platform/pool/worker-pool.ts';
import { say } from '../../src-server/platform/text/say.ts';
import { KIB, MIB, MINUTE_MS } from '../../src-server/platform/units.ts';
import { writeChangeReports } from './change-reports.ts';
import { type PageComparison, type PageDiff, PageVersions } from './page-diff.ts';
import { type LineWriter, writingFiles } from './page-files.ts';
import { readJsonLinesSync } from './site-parts.ts';
import type { CompareSiteInput, CompareSiteOutput, PageFate, SiteVersionLine } from './tasks.ts';

/** For all comparisons of a crawl together. Pages that differ after that are listed as changed, without a diff. */
const COMPARING_LIMIT_MS = 5 * MINUTE_MS;

const MAX_DIFFS_CHARS = 32 * MIB;

const MAX_NOT_READ = 200;

/** Names in the folder that one comparison leaves for the next; features/watches reads the last two. */
const FILES = { pages: 'pages.jsonl', versions: 'versions.jsonl', diffs: 'diffs.txt' } as const;

/** Statuses by which a server says that a page no longer exists. */
const GONE = new Set([404, 410]);

/** Outcomes by which a page is still there but names its links, or does so elsewhere: nothing it links to is lost. */
const LINKS_ARE_READ = new Set(['noindex', 'needs-script']);

/** The last version of a page. */
interface KnownPage {
  url: string;
  hash: string;
  title: string | null;
  fetchedAt: string;
  markdown: string;
}

/** A line of the pages that are kept. An alias had the same text as another page. */
type KnownLine = KnownPage | { url: string; aliasOf: string };

type CrawledLine = CrawlResult['pages'][number] & { markdown: string };

/** Errors: `cancelled`. */
export function compareSite(input: CompareSiteInput, context: TaskContext): CompareSiteOutput {
  const paths = [FILES.pages, FILES.versions, FILES.diffs].map((name) => join(input.afterFolder, name));
  const earlier = new EarlierPages(input.beforeFolder === null ? null : join(input.beforeFolder, FILES.pages));
  try {
    const compared = writingFiles(paths, (pages, versions, diffs) => {
      const writers = { pages, versions, diffs } as Writers;
      const comparison = new Comparison(input, earlier, writers);
      for (const page of readJsonLinesSync<CrawledLine>(input.pagesPath)) {
        context.progress(0, 'finishing', say`Comparing pages`);
        context.signal.throwIfAborted();
        comparison.compareCrawledPage(page);
      }
      for (const fate of readJsonLinesSync<PageFate>(input.fatesPath)) comparison.notRead(fate);
      comparison.handleMissingPages();
      return comparison.outcome;
    });
    const reported = writeChangeReports({
      ...input,
      ...compared,
      versionsPath: paths[1] ?? '',
      diffsPath: paths[2] ?? '',
    });
    const { counts, notRead } = compared;
    return { changes: { comparedWith: input.comparedWith, counts, ...reported, notRead } };
  } finally {
    earlier.closeEarlierPages();
  }
}

interface Difference {
  comparison: PageComparison | Record<keyof PageComparison, null>;
  diff: PageDiff;
}

const NO_DIFF: PageDiff = { text: '', truncated: true };

const TOO_LATE: Difference = {
  comparison: { addedLines: null, removedLines: null, changedShare: null },
  diff: NO_DIFF,
};

interface Writers {
  pages: LineWriter;
  versions: LineWriter;
  diffs: LineWriter;
}

class Comparison {
  readonly outcome: Pick<SiteChanges, 'counts' | 'notRead'> = {
    counts: { added: 0, changed: 0, removed: 0, gone: 0, moved: 0, unchanged: 0, notRead: 0 },
    notRead: [],
  };
  readonly #earlier: EarlierPages;
  readonly #writers: Writers;
  readonly #isFirst: boolean;
  /** Whether a page that nothing names any more is removed. */
  #isComplete: boolean;
  #comparingMs = 0;
  #diffChars = 0;
  #diffBytes = 0;

  constructor({ beforeFolder, isComplete }: CompareSiteInput, earlier: EarlierPages, writers: Writers) {
    this.#isFirst = beforeFolder === null;
    this.#isComplete = isComplete;
    this.#earlier = earlier;
    this.#writers = writers;
  }

  compareCrawledPage({ url, contentHash: hash, title, fetchedAt, markdown }: CrawledLine): void {
    const page = { url, hash, title, fetchedAt, markdown };
    this.#writers.pages.writeJsonLine(page satisfies KnownPage);
    const known = this.#earlier.takeKnownEntry(url);
    if (known === undefined) {
      this.#writeSiteVersion({
        url,
        title,
        change: this.#isFirst ? 'first' : 'added',
        before: null,
        after: versionOf(page),
      });
    } else if (known.hash === hash) this.outcome.counts.unchanged += 1;
    else this.#compareKnownPages(this.#earlier.readKnownPage(known), page);
  }

  #compareKnownPages(before: KnownPage, page: KnownPage): void {
    const begun = performance.now();
    const found = this.#comparingMs < COMPARING_LIMIT_MS ? this.#differenceOfPages(before, page) : TOO_LATE;
    this.#comparingMs += performance.now() - begun;
    if (found === null) {
      this.outcome.counts.unchanged += 1;
      return;
    }
    const { url, title } = page;
    const both = { before: versionOf(before), after: versionOf(page) };
    this.#writeSiteVersion({ url, title, change: 'changed', ...both, ...found.comparison }, found.diff);
  }

  #differenceOfPages(before: KnownPage, page: KnownPage): Difference | null {
    const versions = new PageVersions(before.markdown, page.markdown);
    const comparison = versions.comparePageVersions();
    if (comparison === null) return null;
    const diff = this.#diffChars < MAX_DIFFS_CHARS ? versions.diffPageVersions() : NO_DIFF;
    this.#diffChars += diff.text.length;
    return { comparison, diff };
  }

  /** Handles an address that gave no page. */
  notRead({ url, verdict, reason, status, target, targetHash, isSitemap }: PageFate): void {
    if (verdict === 'duplicate' && target !== null) {
      this.#writers.pages.writeJsonLine({ url, aliasOf: target } satisfies KnownLine);
    }
    const known = this.#earlier.takeKnownEntry(url);
    if (isSitemap && verdict !== 'sitemap' && !GONE.has(status ?? 0)) this.#isComplete = false;
    if (known === undefined || known.url !== url) return;
    if (status !== null && GONE.has(status)) this.#recordVanishedPage(known, 'gone');
    else if (verdict === 'redirect') this.#recordVanishedPage(known, 'moved', target);
    else if (verdict === 'duplicate') {
      const hasSameText = targetHash === known.hash || (target !== null && this.#earlier.isAlias(target, url));
      if (hasSameText) this.outcome.counts.unchanged += 1;
      else this.#recordVanishedPage(known, 'moved', target);
    } else {
      this.#isComplete &&= LINKS_ARE_READ.has(verdict);
      this.#keepEarlierPage(known, verdict, reason);
    }
  }

  /** Handles the pages that were not found at all. */
  handleMissingPages(): void {
    for (const entry of this.#earlier.remainingEntries()) {
      if (!isKnown(entry)) {
        if (!this.#isComplete) this.#writers.pages.writeText(`${this.#earlier.lineAt(entry)}\n`);
      } else if (this.#isComplete) this.#recordVanishedPage(entry, 'removed');
      else {
        const reason = 'The crawl did not find it, and did not read every page that may link to it.';
        this.#keepEarlierPage(entry, null, reason);
      }
    }
  }

  #recordVanishedPage(entry: KnownEntry, change: 'gone' | 'moved' | 'removed', movedTo: string | null = null): void {
    const page = this.#earlier.readKnownPage(entry);
    this.#writeSiteVersion({
      url: entry.url,
      title: page.title,
      change,
      movedTo,
      before: versionOf(page),
      after: null,
    });
  }

  #keepEarlierPage(entry: KnownEntry, verdict: PageFate['verdict'] | null, reason: string): void {
    const { counts, notRead } = this.outcome;
    this.#writers.pages.writeText(`${this.#earlier.lineAt(entry)}\n`);
    counts.notRead += 1;
    if (notRead.length < MAX_NOT_READ) notRead.push({ url: entry.url, verdict, reason });
  }

  #writeSiteVersion(
    version: Pick<SiteVersionLine, 'url' | 'title' | 'change' | 'before' | 'after'> & Partial<SiteVersionLine>,
    diff: PageDiff = { text: '', truncated: false },
  ): void {
    const diffBytes = Buffer.byteLength(diff.text);
    this.#writers.versions.writeJsonLine({
      movedTo: null,
      addedLines: null,
      removedLines: null,
      changedShare: null,
      ...version,
      diffAt: this.#diffBytes,
      diffBytes,
      diffTruncated: diff.truncated,
    } satisfies SiteVersionLine);
    this.#writers.diffs.writeText(diff.text);
    this.#diffBytes += diffBytes;
    if (version.change !== 'first') this.outcome.counts[version.change] += 1;
  }
}

function versionOf({ hash: contentHash, markdown, fetchedAt }: KnownPage) {
  return { contentHash, characters: markdown.length, fetchedAt };
}

/** A line of the earlier pages. */
interface Entry {
  url: string;
  at: number;
  bytes: number;
  /** Null for an alias. */
  hash: string | null;
  aliasOf: string | null;
  isTaken: boolean;
}

interface KnownEntry extends Entry {
  hash: string;
}

function isKnown(entry: Entry): entry is KnownEntry {
  return entry.hash !== null;
}

const READ_BYTES = 256 * KIB;

const LINE_END = 0x0a;

/** The pages of earlier crawls. Their texts stay in the file. */
class EarlierPages {
  readonly #file: number | null;
  readonly #entries = new Map<string, Entry>();

  constructor(path: string | null) {
    this.#file = path === null ? null : openSync(path, 'r');
    if (this.#file === null) return;
    for (const { at, line } of positionedLines(this.#file)) {
      const known = parseOwnJson<KnownLine>(line.toString());
      const alias = 'aliasOf' in known ? known.aliasOf : null;
      const hash = 'hash' in known ? known.hash : null;
      this.#entries.set(known.url, { url: known.url, at, bytes: line.length, hash, aliasOf: alias, isTaken: false });
    }
  }

  closeEarlierPages(): void {
    if (this.#file !== null) closeSync(this.#file);
  }

  /** The page that was known at this address, or that the address was an alias of. Marks the address as found. */
  takeKnownEntry(url: string): KnownEntry | undefined {
    const entry = this.#entries.get(url);
    if (entry === undefined) return undefined;
    entry.isTaken = true;
    const page = entry.aliasOf === null ? entry : this.#entries.get(entry.aliasOf);
    return page !== undefined && isKnown(page) ? page : undefined;
  }

  isAlias(url: string, of: string): boolean {
    return this.#entries.get(url)?.aliasOf === of;
  }

  /** What was not taken. */
  *remainingEntries(): Generator<Entry> {
    for (const entry of this.#entries.values()) if (!entry.isTaken) yield entry;
  }

  lineAt({ at, bytes }: Entry): string {
    const line = Buffer.alloc(bytes);
    if (this.#file !== null) readSync(this.#file, line, 0, bytes, at);
    return line.toString();
  }

  readKnownPage(entry: KnownEntry): KnownPage {
    return parseOwnJson<KnownPage>(this.lineAt(entry));
  }
}

/** The lines of a file with their positions in bytes. */
function* positionedLines(file: number): Generator<{ at: number; line: Buffer }> {
  const buffer = Buffer.alloc(READ_BYTES);
  let begun: Buffer[] = [];
  let at = 0;
  let position = 0;
  for (let size = readSync(file, buffer, 0, READ_BYTES, 0); size > 0; ) {
    let from = 0;
    for (let end = buffer.indexOf(LINE_END); end !== -1 && end < size; end = buffer.indexOf(LINE_END, from)) {
      yield { at, line: Buffer.concat([...begun, buffer.subarray(from, end)]) };
      begun = [];
      from = end + 1;
      at = position + from;
    }
    begun.push(Buffer.from(buffer.subarray(from, size)));
    position += size;
    size = readSync(file, buffer, 0, READ_BYTES, position);
  }
}
