import { openSqlite, type Sqlite, type SqliteStatement } from '../../platform/db/sqlite.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import { say } from '../../platform/text/say.ts';
import type { CrawlVerdict } from './schema.ts';

/** Name of its file in a crawl's work folder. */
export const LEDGER = 'ledger.db';

/** What an address may answer with: a sitemap, a page, or either (the root). */
export type Expected = 'page' | 'sitemap' | 'either';

/** A new URL for the ledger, to be fetched or already with a verdict. */
interface NewUrl {
  url: string;
  host: string;
  depth: number;
  /** Number of redirects or nested sitemaps since the last page. */
  hops: number;
  expects: Expected;
  /** Number of the page or sitemap that names it; null for the root. */
  source: number | null;
  verdict: CrawlVerdict | null;
  reason: string;
}

/** A URL taken from the ledger to be fetched. */
export interface TakenUrl {
  id: number;
  url: string;
  host: string;
  depth: number;
  hops: number;
  expects: Expected;
  attempts: number;
}

/** Facts kept about a page that was read. */
interface SettledPage {
  id: number;
  batch: number;
  status: number;
  contentType: string;
  bytes: number;
  fetchedAt: number;
  etag: string | null;
  lastModified: string | null;
  unchanged: boolean;
  contentHash: string;
  canonicalUrl: string | null;
  sketch: number[];
  rendered: RenderedFacts;
}

/** What a browser made of a page. */
export interface RenderedFacts {
  isRendered: boolean;
  hasScreenshot: boolean;
  hasPdf: boolean;
}

export const NOT_RENDERED: RenderedFacts = { isRendered: false, hasScreenshot: false, hasPdf: false };

export interface LedgerRow {
  id: number;
  url: string;
  depth: number;
  verdict: CrawlVerdict | null;
  reason: string;
  /** The URL of the page that this one duplicates or redirects to. */
  target: string | null;
  /** HTTP status of a page, or of a response that is none. */
  status: number | null;
}

interface LedgerPage extends LedgerRow {
  batch: number;
  status: number;
  contentType: string;
  bytes: number;
  fetchedAt: number;
  unchanged: boolean;
  rendered: RenderedFacts;
}

interface AddressFate {
  url: string;
  verdict: CrawlVerdict;
  reason: string;
  status: number | null;
  target: string | null;
  /** Of the target, if it is a page. */
  targetHash: string | null;
  isSitemap: boolean;
}

/** A page of an earlier crawl, with its validators (ETag, Last-Modified). */
export interface KnownPage {
  id: number;
  batch: number;
  etag: string | null;
  lastModified: string | null;
  contentType: string;
  bytes: number;
}

/** States: 0 waiting, 1 in progress, 2 settled. */
const COLUMNS = 'id, url, depth, verdict, reason, target, status';

const TAKEN = 'id, url, host, depth, hops, expects, attempts';

const CACHE_KB = 4096;

/** Share of the blocks of the shorter of two pages that makes one a copy of the other. */
const SAME_TEXT_SHARE = 0.5;

const pathColumnOf = (column: string) => `substr(${column}, 1, instr(${column} || '?', '?') - 1)`;

/** Opens the ledger at `path`; `readOnly` for that of an earlier crawl. */
export function openCrawlLedger(path: string, { readOnly = false } = {}): CrawlLedger {
  const db = openSqlite(path, { readonly: readOnly });
  try {
    if (!readOnly) prepareToWrite(db);
    return new CrawlLedger(db);
  } catch (error) {
    // Damaged files and other formats are detected only here.
    db.close();
    throw error;
  }
}

function prepareToWrite(db: Sqlite): void {
  // First: the change of the journal would be synced.
  db.pragma('synchronous = OFF');
  db.pragma('journal_mode = WAL');
  db.pragma(`cache_size = -${CACHE_KB}`);
  const isNew = db.prepare('select 1 from sqlite_schema').get() === undefined;
  // One transaction: a crawl of one page is mostly this.
  if (isNew) db.transaction(() => db.exec(`${SCHEMA} pragma user_version = ${READING}`))();
  // URLs in progress when the process died wait again.
  else db.exec('update urls set state = 0 where state = 1');
}

interface CanonicalRow {
  id: number;
  canonical: string;
  sketch: string;
  otherSketch: string | null;
  isSame: 0 | 1;
  isView: 0 | 1;
}

function haveSameText({ sketch, otherSketch }: CanonicalRow): boolean {
  const own = parseOwnJson<number[]>(sketch);
  const other = new Set(parseOwnJson<number[]>(otherSketch ?? '[]'));
  const least = Math.min(own.length, other.size);
  return least > 0 && own.filter((hash) => other.has(hash)).length >= least * SAME_TEXT_SHARE;
}

/**
 * Every URL of a crawl, once, with one verdict: the queue, the checkpoint and the record of the crawl. It is a file in
 * the job's folder, so memory stays constant and an interrupted crawl resumes.
 */
export class CrawlLedger {
  readonly #db: Sqlite;
  readonly #statements = new Map<string, SqliteStatement>();
  /** False for a ledger of another version of the page reader. */
  readonly isReadAsNow: boolean;

  constructor(db: Sqlite) {
    this.#db = db;
    this.isReadAsNow = db.pragma('user_version', { simple: true }) === READING;
  }

  /** Runs `work` in a transaction. */
  runTogether<Result>(work: () => Result): Result {
    return this.#db.transaction(work)();
  }

  /**
   * Adds a new URL. One skipped for its depth, for nofollow or as an asset may be accepted when it is found again
   * another way. A waiting URL may get a smaller depth.
   */
  addLedgerUrl(url: NewUrl): void {
    this.#preparedStatement(
      `insert into urls (url, host, depth, hops, expects, source, state, verdict, reason)
         values (?, ?, ?, ?, ?, ?, ?, ?, ?)
       on conflict (url) do update
         set depth = excluded.depth, hops = excluded.hops, expects = excluded.expects, source = excluded.source,
           state = 0, verdict = null, reason = ''
         where excluded.verdict is null and (
           urls.verdict in ('depth', 'nofollow', 'asset', 'script', 'pixel', 'excluded', 'listed')
           or (urls.state = 0 and excluded.depth < urls.depth))`,
    ).run(
      url.url,
      url.host,
      url.depth,
      url.hops,
      url.expects,
      url.source,
      url.verdict === null ? 0 : 2,
      url.verdict,
      url.reason,
    );
  }

  /** The next URLs of a host up to a depth, by depth and then age. */
  takeLedgerUrls(host: string, maxDepth: number, limit: number): TakenUrl[] {
    // The plus signs keep SQLite from preparing the statement again for other values: platform/db/query-compiler.ts.
    const rows = this.#preparedStatement<TakenUrl>(
      `select ${TAKEN} from urls where state = 0 and host = +? and depth <= +? order by depth, id limit ? + 0`,
    ).all(host, maxDepth, limit);
    this.#db.transaction(() => {
      for (const { id } of rows) this.#preparedStatement('update urls set state = 1 where id = ?').run(id);
    })();
    return rows;
  }

  giveBackUrl(id: number): void {
    this.#preparedStatement('update urls set state = 0, attempts = attempts + 1 where id = ?').run(id);
  }

  /** An address that was settled waits again. */
  reopenUrl(id: number, hops: number): void {
    this.#preparedStatement(
      `update urls set state = 0, verdict = null, reason = '', target = null, status = null, hops = ?,
         attempts = attempts + 1 where id = ?`,
    ).run(hops, id);
  }

  /**
   * The number of an address from which redirects lead to the address `to`; null if they do not, or if it has been
   * requested `maxAttempts` times.
   */
  redirectLeadingTo(url: string, to: string, maxAttempts: number): number | null {
    const text = 'select id, target, attempts from urls where url = ? and verdict = +?';
    type Row = { id: number; target: string | null; attempts: number };
    const findRedirect = (at: string) => this.#preparedStatement<Row>(text).get(at, 'redirect');
    const first = findRedirect(url);
    if (first === undefined || first.attempts + 1 >= maxAttempts) return null;
    const passed = new Set<string>([url]);
    for (let row: Row | undefined = first; row?.target != null && !passed.has(row.target); ) {
      if (row.target === to) return first.id;
      passed.add(row.target);
      row = findRedirect(row.target);
    }
    return null;
  }

  settleLedgerUrl(
    id: number,
    verdict: CrawlVerdict,
    reason: string,
    more: { target?: string; status?: number } = {},
  ): void {
    const text = 'update urls set state = 2, verdict = ?, reason = ?, target = ?, status = ? where id = ?';
    this.#preparedStatement(text).run(verdict, reason, more.target ?? null, more.status ?? null, id);
  }

  settlePage(page: SettledPage): void {
    this.#preparedStatement(
      `update urls set state = 2, verdict = 'page', reason = '', batch = ?, status = ?, content_type = ?, bytes = ?,
         fetched_at = ?, etag = ?, last_modified = ?, unchanged = ?, hash = ?, canonical = ?,
         sketch = ?, rendered = ?, screenshot = ?, pdf = ? where id = ?`,
    ).run(
      page.batch,
      page.status,
      page.contentType,
      page.bytes,
      page.fetchedAt,
      page.etag,
      page.lastModified,
      page.unchanged ? 1 : 0,
      page.contentHash,
      page.canonicalUrl,
      JSON.stringify(page.sketch),
      ...[page.rendered.isRendered, page.rendered.hasScreenshot, page.rendered.hasPdf].map(Number),
      page.id,
    );
  }

  /** Gives all waiting URLs this verdict. */
  settleRest(verdict: CrawlVerdict, reason: string): void {
    this.#preparedStatement('update urls set state = 2, verdict = ?, reason = ? where state < 2').run(verdict, reason);
  }

  /**
   * Pages that name another page of the crawl as canonical become its duplicates: views of one path, and pages with
   * much of its text. Others name a wrong one, such as the front page, and so do those of a template.
   */
  settleCanonical(): void {
    const text = `select urls.id, urls.canonical, urls.sketch, other.sketch as otherSketch,
        other.hash = urls.hash as isSame,
        ${pathColumnOf('urls.url')} = ${pathColumnOf('urls.canonical')} as isView
      from urls join urls other on other.url = urls.canonical and other.verdict = 'page'
        and (other.canonical is null or other.canonical = other.url)
      where urls.verdict = 'page' and urls.canonical <> urls.url`;
    for (const row of this.#db.prepare<unknown[], CanonicalRow>(text).all()) {
      const { id, canonical, isSame, isView } = row;
      if (isSame === 0 && isView === 0 && !haveSameText(row)) continue;
      this.settleLedgerUrl(id, 'duplicate', say`Its canonical address is ${canonical}`, { target: canonical });
    }
  }

  findLedgerUrl(url: string): LedgerRow | null {
    return this.#preparedStatement<LedgerRow>(`select ${COLUMNS} from urls where url = ?`).get(url) ?? null;
  }

  /** URL of the page with the same text. */
  pageWithHash(hash: string): string | null {
    const text = `select url from urls where verdict = 'page' and hash = ? limit 1`;
    return this.#preparedStatement<{ url: string }>(text).get(hash)?.url ?? null;
  }

  countWithHash(hash: string): number {
    const text = `select count(*) as n from urls where verdict = 'page' and hash = ?`;
    return (this.#preparedStatement(text).get(hash) as { n: number }).n;
  }

  /**
   * Also null when the earlier crawl used another version of the page reader, or a browser: what scripts load may
   * change while the page does not.
   */
  knownPage(url: string): KnownPage | null {
    if (!this.isReadAsNow) return null;
    const text = `select id, batch, etag, last_modified as lastModified, content_type as contentType, bytes
      from urls where url = ? and verdict = 'page' and rendered = 0`;
    return this.#preparedStatement<KnownPage>(text).get(url) ?? null;
  }

  /** Pages that a browser rendered, and the files it made. */
  renderedFigures(): { pages: number; screenshots: number; pdfs: number } {
    return this.#db
      .prepare(
        `select count(*) as pages, coalesce(sum(screenshot), 0) as screenshots, coalesce(sum(pdf), 0) as pdfs from urls
           where verdict = 'page' and rendered = 1`,
      )
      .get() as { pages: number; screenshots: number; pdfs: number };
  }

  countWaitingUrls(): number {
    const { n } = this.#preparedStatement('select count(*) as n from urls where state = 0').get() as { n: number };
    return n;
  }

  /** Null when no URL waits. */
  leastDepthWaiting(): number | null {
    const { depth } = this.#preparedStatement('select min(depth) as depth from urls where state = 0').get() as {
      depth: number | null;
    };
    return depth;
  }

  hostsWaiting(): string[] {
    const rows = this.#db.prepare<unknown[], { host: string }>('select distinct host from urls where state = 0').all();
    return rows.map(({ host }) => host);
  }

  ledgerFigures() {
    return this.#db
      .prepare(
        `select count(*) as seen, coalesce(sum(verdict = 'page'), 0) as pages,
           coalesce(sum(bytes), 0) as bytes, coalesce(max(batch), -1) as lastBatch from urls`,
      )
      .get() as { seen: number; pages: number; bytes: number; lastBatch: number };
  }

  /** Addresses of the pages read last, newest first. */
  newestPages(limit: number): string[] {
    const text = `select url from urls where verdict = 'page' order by fetched_at desc, id desc limit ? + 0`;
    return this.#preparedStatement<{ url: string }>(text)
      .all(limit)
      .map(({ url }) => url);
  }

  countsByVerdict(): Record<string, number> {
    const rows = this.#db
      .prepare('select verdict, count(*) as n from urls where verdict is not null group by verdict')
      .all();
    return Object.fromEntries((rows as { verdict: string; n: number }[]).map(({ verdict, n }) => [verdict, n]));
  }

  /** Each verdict with its number of addresses and the first of them. */
  verdictExamples(): { verdict: CrawlVerdict; count: number; url: string }[] {
    // The other columns are those of the row with the least id.
    const text = `select verdict, count(*) as count, url, min(id) as first from urls
      where verdict is not null group by verdict order by first`;
    return this.#db.prepare(text).all() as ReturnType<CrawlLedger['verdictExamples']>;
  }

  /** The addresses of a site with the page, sitemap or redirect that names each. */
  foundAddresses(): IterableIterator<{ url: string; foundOn: string | null; foundOnVerdict: string | null }> {
    const text = `select urls.url, other.url as foundOn, other.verdict as foundOnVerdict
      from urls left join urls other on other.id = urls.source
      where urls.verdict in ('page', 'duplicate', 'listed', 'needs-script') order by urls.id`;
    return this.#db.prepare(text).iterate() as ReturnType<CrawlLedger['foundAddresses']>;
  }

  /** The addresses that gave no page, with what they lead to. */
  *addressFates(): IterableIterator<AddressFate> {
    const text = `select urls.url, urls.verdict, urls.reason, urls.status, urls.target, other.hash as targetHash,
        urls.expects = 'sitemap' as isSitemap
      from urls left join urls other on other.url = urls.target and other.verdict = 'page'
      where urls.verdict is not null and urls.verdict <> 'page' order by urls.id`;
    for (const row of this.#db
      .prepare<unknown[], Omit<AddressFate, 'isSitemap'> & { isSitemap: number }>(text)
      .iterate()) {
      yield { ...row, isSitemap: row.isSitemap === 1 };
    }
  }

  /** Writes everything into the file itself, so that it can be copied. */
  checkpointLedger(): void {
    this.#db.pragma('wal_checkpoint(TRUNCATE)');
  }

  ledgerRows(): IterableIterator<LedgerRow> {
    return this.#db.prepare<unknown[], LedgerRow>(`select ${COLUMNS} from urls order by id`).iterate();
  }

  /** Ordered by batch, then by number. */
  *ledgerPages(): IterableIterator<LedgerPage> {
    const text = `select ${COLUMNS}, batch, content_type as contentType, bytes, fetched_at as fetchedAt, unchanged,
        rendered, screenshot, pdf from urls where verdict = 'page' order by batch, id`;
    type Flags = Record<'unchanged' | 'rendered' | 'screenshot' | 'pdf', number>;
    for (const row of this.#db.prepare<unknown[], Omit<LedgerPage, keyof Flags> & Flags>(text).iterate()) {
      const { unchanged, rendered, screenshot, pdf, ...page } = row;
      const facts = { isRendered: rendered === 1, hasScreenshot: screenshot === 1, hasPdf: pdf === 1 };
      yield { ...page, unchanged: unchanged === 1, rendered: facts };
    }
  }

  /** Number of pages and aliases, and total characters of the page URLs. */
  ledgerExtent(): { pages: number; aliases: number; chars: number } {
    return this.#db
      .prepare(
        `select coalesce(sum(verdict = 'page'), 0) as pages, coalesce(sum(target is not null), 0) as aliases,
           coalesce(sum(case when verdict = 'page' then length(url) end), 0) as chars from urls`,
      )
      .get() as { pages: number; aliases: number; chars: number };
  }

  /** Redirects and duplicates with their targets. */
  ledgerAliases(): IterableIterator<{ url: string; target: string }> {
    const text = 'select url, target from urls where target is not null';
    return this.#db.prepare<unknown[], { url: string; target: string }>(text).iterate();
  }

  closeCrawlLedger(): void {
    this.#db.close();
  }

  #preparedStatement<Row = unknown>(text: string): SqliteStatement<unknown[], Row> {
    const statement = this.#statements.get(text) ?? this.#db.prepare(text);
    this.#statements.set(text, statement);
    return statement as SqliteStatement<unknown[], Row>;
  }
}

/**
 * The ledger is a small database of its own in the job's folder: tens of thousands of URLs stay out of the main
 * database, and are deleted with the folder. A power cut may lose the last moments of work, so writes are not synced.
 */
const SCHEMA = `
  create table urls (
    id integer primary key,
    url text not null unique,
    host text not null,
    depth integer not null,
    hops integer not null,
    expects text not null,
    source integer,
    state integer not null,
    attempts integer not null default 0,
    verdict text,
    reason text not null default '',
    target text,
    batch integer,
    status integer,
    content_type text,
    bytes integer,
    fetched_at integer,
    etag text,
    last_modified text,
    unchanged integer,
    hash text,
    canonical text,
    sketch text,
    rendered integer not null default 0,
    screenshot integer not null default 0,
    pdf integer not null default 0
  );
  create index urls_waiting on urls (host, depth, id) where state = 0;
  create index urls_by_hash on urls (hash) where verdict = 'page';
`;

/**
 * Version of the page reader, raised when it would read the same page differently, or keep its record in another way. A
 * crawl reuses pages only of the same version. Stored as `user_version`.
 */
const READING = 11;
