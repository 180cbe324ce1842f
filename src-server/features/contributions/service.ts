/**
 * Contributions of the community. Threats: floods (the numbers of waiting and daily contributions are limited), texts
 * that deface what others read (nothing shows before the owner approves it, and approval can be withdrawn), and
 * contributions that reveal a private job: its id and chunks are shown only to their contributor.
 */

import type { Principal } from '../../context.ts';
import { type Clock, toIsoTime } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/database.ts';
import { QuarryError } from '../../platform/errors.ts';
import { invalidRequest } from '../../platform/http/validate.ts';
import { newId } from '../../platform/ids.ts';
import { Listeners } from '../../platform/listeners.ts';
import { say } from '../../platform/text/say.ts';
import { nearestPlace, wholeWords } from '../../platform/text/whole-words.ts';
import { countText, DAY_MS } from '../../platform/units.ts';
import { isKept } from '../jobs/service.ts';
import {
  correctChunk,
  isIndexing,
  publishContribution,
  type SearchFeature,
  withdrawContribution,
} from '../search/service.ts';
import { CorrectedFiles, type CorrectedFilesDeps } from './corrected-files.ts';
import type { Contribution, ContributionRequest, ContributionStatus, ModeratedContribution } from './schema.ts';
import {
  approvedContributions,
  type ContributionRow,
  contributionById,
  contributionEventsOf,
  contributionsByStatus,
  correctionsOf,
  countReport,
  countsOfAccount,
  decideContribution,
  forgetJob,
  insertContribution,
  insertEvent,
  notesAbout,
  pendingTwin,
  publishedAmong,
  visibleContributions,
} from './store.ts';

/** Limits of waiting contributions, and of contributions within a day, by account. */
const ALLOWANCES: Record<Principal['kind'], { waiting: number; daily: number }> = {
  owner: { waiting: 10_000, daily: 10_000 },
  payer: { waiting: 50, daily: 200 },
  anonymous: { waiting: 5, daily: 10 },
};

const RETRY_SECONDS = 3600;

const MAX_SEQ = Number.MAX_SAFE_INTEGER;

interface ContributionsDeps extends CorrectedFilesDeps {
  clock: Clock;
  search: Pick<SearchFeature, 'findChunk' | 'settled'>;
  /** Notifies watchers of a job that its result has changed. */
  jobChanged(jobId: string): void;
}

interface Page<Item> {
  contributions: Item[];
  nextCursor: string | null;
}

/** Notes shown with a result. */
const NOTES_MAX = 100;

export class Contributions {
  /** Called when a contribution was submitted, reported or decided. */
  readonly changed = new Listeners<void>();
  readonly #parts: ContributionsDeps;
  readonly #files: CorrectedFiles;

  constructor(parts: ContributionsDeps) {
    this.#parts = parts;
    this.#files = new CorrectedFiles(parts);
  }

  /** Repeating a waiting contribution returns it. Errors: `not_found`, `rate_limited`, `engine_unavailable`. */
  async submitContribution(principal: Principal, request: ContributionRequest): Promise<Contribution> {
    const { storage, clock, search } = this.#parts;
    // The chunk may be of a job that has just ended.
    if (request.chunkId !== undefined) await search.settled();
    const now = clock.now();
    const row = {
      id: newId('ctb'),
      account_id: principal.accountId,
      kind: request.kind,
      status: 'pending' as const,
      job_id: request.jobId ?? null,
      chunk_id: request.chunkId ?? null,
      ...this.#locateQuotedWords(request),
      text: request.text,
      url: request.url ?? null,
      author: request.author ?? null,
      license: request.license ?? null,
      reason: null,
      created_at: now,
      updated_at: now,
      decided_at: null,
    };
    const submitted = storage.transaction((tx) => {
      const twin = pendingTwin(tx, row);
      if (twin) return presentContribution(twin, principal);
      this.#checkAllowance(tx, principal, now);
      if (row.job_id !== null && !isKept(tx, row.job_id)) {
        throw new QuarryError('not_found', 'There is no job with this jobId.');
      }
      if (row.job_id !== null && row.chunk_id !== null) {
        const chunk = search.findChunk(row.job_id, row.chunk_id);
        if (chunk === null) throw noChunk(isIndexing(tx, row.job_id));
        if (request.quote !== undefined && row.quote === null) throw notQuoted();
      }
      const inserted = insertContribution(tx, row);
      const event = { contribution_id: row.id, action: 'submitted', actor: principal.accountId } as const;
      insertEvent(tx, { ...event, reason: null, created_at: now });
      return presentContribution(inserted, principal);
    });
    this.changed.notifyListeners();
    return submitted;
  }

  /** Approved remarks and sources, and the account's own contributions, newest first. */
  listVisibleContributions(principal: Principal, cursor: number | null, limit: number): Page<Contribution> {
    const { storage } = this.#parts;
    const rows = visibleContributions(storage.db, principal.accountId, cursor ?? MAX_SEQ, limit + 1);
    return contributionPageOf(rows, limit, (row) => presentContribution(row, principal));
  }

  /** Errors: `not_found`, also for contributions that the account may not see. */
  readContribution(principal: Principal, id: string): Contribution {
    return presentContribution(this.#requireVisibleContribution(principal, id), principal);
  }

  /** Reports a contribution to the owner, once per account. Errors: `not_found`. */
  fileContributionReport(principal: Principal, id: string, reason: string): void {
    const { storage, clock } = this.#parts;
    this.#requireVisibleContribution(principal, id);
    storage.transaction((tx) => {
      const events = contributionEventsOf(tx, id);
      if (events.some(({ action, actor }) => action === 'reported' && actor === principal.accountId)) return;
      const event = { contribution_id: id, action: 'reported', actor: principal.accountId } as const;
      insertEvent(tx, { ...event, reason, created_at: clock.now() });
      countReport(tx, id);
    });
    this.changed.notifyListeners();
  }

  /** The owner's queue, oldest first, with the data for a decision. */
  moderationQueue(status: ContributionStatus, cursor: number | null, limit: number): Page<ModeratedContribution> {
    const rows = contributionsByStatus(this.#parts.storage.db, status, cursor ?? 0, limit + 1);
    return contributionPageOf(rows, limit, (row) => this.#withEvidence(row));
  }

  /** Notes and sources about a job, for its result. */
  moderatorNotesOfJob(jobId: string): ModeratedContribution[] {
    return notesAbout(this.#parts.storage.db, jobId, NOTES_MAX).map((row) => this.#withEvidence(row));
  }

  /** Approves or rejects; a decision can be changed. Errors: `not_found`, `conflict` for the same decision again. */
  async decideOnContribution(
    id: string,
    decision: { status: 'approved' | 'rejected'; reason: string | null },
  ): Promise<ModeratedContribution> {
    const { storage, clock } = this.#parts;
    const now = clock.now();
    const row = storage.transaction((tx) => {
      const before = contributionById(tx, id);
      if (!before) throw contributionNotFound();
      if (before.status === decision.status) throw new QuarryError('conflict', `It is ${before.status} already.`);
      const after = decideContribution(tx, id, { ...decision, now });
      const event = { contribution_id: id, action: decision.status, actor: 'owner', reason: decision.reason } as const;
      insertEvent(tx, { ...event, created_at: now });
      this.#applyDecision(tx, before, after);
      return after;
    });
    this.changed.notifyListeners();
    if (row.job_id !== null) await this.#showCorrected(row.job_id);
    // Later searches find the decision.
    await this.#parts.search.settled();
    const correction = row.job_id === null ? null : this.#files.correctionReachOf(row.job_id);
    return { ...this.#withEvidence(row), correction };
  }

  /** Completes the work of a process that was killed. */
  async startContributions(): Promise<void> {
    await this.#files.writeDueCorrections();
  }

  /** Stops files that are being written. */
  async closeContributions(): Promise<void> {
    await this.#files.closeCorrectedFiles();
  }

  /** Publishes all approved contributions to a new search index. */
  republish(tx: Tx): void {
    for (const row of approvedContributions(tx)) {
      if (row.kind !== 'correction') publishContribution(tx, row);
      else if (row.job_id !== null && row.chunk_id !== null) this.#correctIndexed(tx, row.job_id, row.chunk_id);
    }
  }

  /** The public ones of these contributions. */
  published(ids: readonly string[]): Set<string> {
    return publishedAmong(this.#parts.storage.db, ids);
  }

  /** In the transaction that ends a job. */
  correctEndedJob(tx: Tx, job: { id: string }): void {
    this.#files.writeOnJobEnded(tx, job.id);
  }

  /** In the transaction that removes a job's result. */
  onJobRemoved(tx: Tx, jobId: string): void {
    forgetJob(tx, jobId);
  }

  #applyDecision(tx: Tx, before: ContributionRow, after: ContributionRow): void {
    if (after.status !== 'approved' && before.status !== 'approved') return;
    if (after.job_id !== null) this.#files.awaitCorrectedFiles(tx, after.job_id);
    if (after.kind !== 'correction') {
      if (after.status === 'approved') publishContribution(tx, after);
      else withdrawContribution(tx, after.id);
    } else if (after.job_id !== null && after.chunk_id !== null) {
      this.#correctIndexed(tx, after.job_id, after.chunk_id);
    }
  }

  /** The whole words that a quotation is about, with their place; null where the chunk does not have them. */
  #locateQuotedWords({ jobId, chunkId, quote, quoteStart = 0 }: ContributionRequest) {
    const none = { quote: null, quote_start: null };
    if (jobId === undefined || chunkId === undefined || quote === undefined || quote.trim() === '') return none;
    const text = this.#parts.search.findChunk(jobId, chunkId)?.text ?? '';
    const start = nearestPlace(text, quote, quoteStart);
    if (start === null) return none;
    const [from, to] = wholeWords(text, start, start + quote.length);
    return { quote: text.slice(from, to), quote_start: from };
  }

  /** Shows the latest approved correction in the index. */
  #correctIndexed(tx: Tx, jobId: string, chunkId: string): void {
    const [shown] = correctionsOf(tx, jobId, chunkId);
    correctChunk(tx, jobId, chunkId, shown?.text ?? null);
  }

  async #showCorrected(jobId: string): Promise<void> {
    await this.#files.writeDueCorrections();
    this.#parts.jobChanged(jobId);
  }

  #checkAllowance(tx: Tx, principal: Principal, now: number): void {
    const { waiting, daily } = ALLOWANCES[principal.kind];
    const { pending, recent } = countsOfAccount(tx, principal.accountId, now - DAY_MS);
    if (pending < waiting && recent < daily) return;
    const message =
      pending >= waiting
        ? `${waiting} of your contributions wait for a decision already; send more when some are decided.`
        : `You sent ${countText(daily, 'contribution')} within a day; send more tomorrow.`;
    throw new QuarryError('rate_limited', message, { retryAfterSeconds: RETRY_SECONDS });
  }

  #requireVisibleContribution(principal: Principal, id: string): ContributionRow {
    const row = contributionById(this.#parts.storage.db, id);
    const isPublic = row?.status === 'approved' && row.kind !== 'correction';
    if (row && (isPublic || principal.kind === 'owner' || row.account_id === principal.accountId)) return row;
    throw contributionNotFound();
  }

  #withEvidence(row: ContributionRow): ModeratedContribution {
    const { storage, search } = this.#parts;
    const { pending, approved, rejected } = countsOfAccount(storage.db, row.account_id, 0);
    const hasChunk = row.job_id !== null && row.chunk_id !== null;
    const events = contributionEventsOf(storage.db, row.id);
    return {
      ...presentContribution(row, { kind: 'owner', accountId: 'owner' }),
      accountId: row.account_id,
      reports: row.reports,
      correction: null,
      chunk: hasChunk ? search.findChunk(row.job_id ?? '', row.chunk_id ?? '') : null,
      contributor: { pending, approved, rejected },
      history: events.map(({ action, actor, reason, created_at: at }) => ({
        action,
        actor,
        reason,
        at: toIsoTime(at),
      })),
    };
  }
}

function presentContribution(row: ContributionRow, viewer: Principal): Contribution {
  const isOwn = viewer.kind === 'owner' || viewer.accountId === row.account_id;
  return {
    contributionId: row.id,
    kind: row.kind,
    status: row.status,
    jobId: isOwn ? row.job_id : null,
    chunkId: isOwn ? row.chunk_id : null,
    quote: isOwn ? row.quote : null,
    quoteStart: isOwn ? row.quote_start : null,
    text: row.text,
    url: row.url,
    author: row.author,
    license: row.license,
    reason: isOwn ? row.reason : null,
    createdAt: toIsoTime(row.created_at),
    updatedAt: toIsoTime(row.updated_at),
  };
}

function contributionPageOf<Item>(
  rows: ContributionRow[],
  limit: number,
  map: (row: ContributionRow) => Item,
): Page<Item> {
  const page = rows.slice(0, limit);
  return { contributions: page.map(map), nextCursor: rows.length > limit ? String(page.at(-1)?.seq) : null };
}

function noChunk(mayCome: boolean): QuarryError {
  if (!mayCome) return new QuarryError('not_found', 'There is no chunk with this chunkId in that job.');
  const message = say`The chunks of that job are still being put into the index. Send the correction again in a
    moment.`;
  return new QuarryError('engine_unavailable', message, { retryable: true, retryAfterSeconds: 1 });
}

function notQuoted(): QuarryError {
  const message = say`The chunk does not have these words. Copy them from its text.`;
  return invalidRequest([{ path: 'quote', message }]);
}

function contributionNotFound(): QuarryError {
  return new QuarryError('not_found', 'There is no contribution with this id, or it is not yet approved.');
}
