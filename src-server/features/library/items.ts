/**
 * How jobs become items. A job of the owner is a version of an item from its acceptance on, in the same transaction;
 * title and figures are taken over from its result soon after its end. Jobs of keys and of others are none.
 */

import { lstat, open, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { OWNER } from '../../context.ts';
import type { Operation } from '../../operation.ts';
import type { Clock } from '../../platform/clock.ts';
import { yieldToEventLoop } from '../../platform/concurrency.ts';
import type { Storage, Tx } from '../../platform/db/database.ts';
import { newId } from '../../platform/ids.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import type { JobDraft } from '../jobs/schema.ts';
import { type JobRow, type Jobs, keepJob, labelOf, storedResult } from '../jobs/service.ts';
import { factsOfResult, firstSentence, type ReadResult, titleOfFileName, usableTitle } from './facts.ts';
import { type ItemKind, kindOfGroup, type WorkGroup } from './kind.ts';
import { type ItemSource, sourceOfRequest } from './source-key.ts';
import {
  adoptionMark,
  changeItem,
  deleteItem,
  deleteVersion,
  type ItemRow,
  insertItem,
  insertVersion,
  itemBySeq,
  itemOfSource,
  type MeasuredFiles,
  setAdoptionMark,
  setSpeakers,
  setVersionBytes,
  setVersionState,
  sumBytes,
  unmeasuredJobs,
  unreadItems,
  versionOfJob,
  versionsOf,
} from './store.ts';

/** Items that are looked up together. */
const READ_TOGETHER = 50;

/** How long ends gather before their results are read. */
const GATHER_MS = 200;

/** Bytes of a text that tell its title. */
const HEAD_BYTES = 4096;

/** Files with the text of a result, the best for a title first. */
const TEXT_FILES = ['document.md', 'transcript.txt', 'document.txt', 'llms.txt'];

/** Jobs from before the library that become items in one transaction. */
const ADOPTED_TOGETHER = 100;

export interface ItemsDeps {
  storage: Storage;
  clock: Clock;
  operations: readonly Operation[];
  jobs: Jobs;
  /** Folder with the files of a job. */
  filesOf(jobId: string): string;
  /** Folder with its source and its files. */
  folderOf(jobId: string): string;
  sourcePathOf(jobId: string): string;
  /** Results are read. */
  afterRead(): void;
  /** Titles, figures or sizes are other ones than before. */
  onChanged(): void;
  /** The version of a job goes. */
  afterDropped(jobId: string): void;
  /** A deleted item is wanted again. */
  bringBack(tx: Tx, itemSeq: number): void;
  log: { error(fields: object, message: string): void };
}

/** Title, figures and cover of another result are open. */
const NEW_RESULT = { unread: 1, cover: null } as const;

interface Reading {
  jobId: string;
  group: WorkGroup;
  kind: ItemKind;
  label: string;
  source: ItemSource;
  state: ItemRow['state'];
  createdAt: number;
}

export class Items {
  readonly #deps: ItemsDeps;
  readonly #groups: ReadonlyMap<string, WorkGroup>;
  #gathering: NodeJS.Timeout | null = null;
  #reading: Promise<void> | null = null;
  #isClosing = false;

  constructor(deps: ItemsDeps) {
    this.#deps = deps;
    this.#groups = new Map(deps.operations.map(({ id, words }) => [id, words.group]));
  }

  /** Whether the result of a job stays until its item is deleted. */
  isItem(tx: Tx, jobId: string): boolean {
    return versionOfJob(tx, jobId) !== undefined;
  }

  /** The job of a request becomes an item, or a version of the item that has the same source. */
  onAccepted(tx: Tx, jobId: string, draft: JobDraft): void {
    const isOwn = draft.accountId === OWNER.accountId && (draft.key === undefined || draft.key.isDevice);
    // A watched site keeps a history of its own.
    if (!isOwn || draft.watchId !== undefined) return;
    const group = this.#groups.get(draft.operationId) ?? 'other';
    const kind = kindOfGroup(group);
    if (kind === null) return;
    const known = versionOfJob(tx, jobId);
    if (known !== undefined) {
      this.#deps.bringBack(tx, known.item_seq);
      return;
    }
    const source = sourceOfRequest(group, draft);
    // A request may join a job that is there, also one of somebody else.
    const joined = jobId === draft.jobId ? null : this.#deps.jobs.row(jobId);
    const state = joined === null ? 'reading' : stateOf(joined);
    const createdAt = this.#deps.clock.now();
    this.#addVersion(tx, { jobId, group, kind, label: labelOf(draft), source, state, createdAt });
    if (joined !== null && state === 'ready') keepJob(tx, joined, createdAt);
  }

  /** In the transaction that ends a job. */
  onEnded(tx: Tx, job: Pick<JobRow, 'id' | 'status'>): void {
    const version = versionOfJob(tx, job.id);
    if (version === undefined) return;
    const state = stateOf(job);
    setVersionState(tx, job.id, state);
    const item = itemBySeq(tx, version.item_seq);
    if (item === undefined) return;
    const shown = item.job_id === job.id;
    // A reading that fails does not take the place of one that is there.
    if (!shown && (state === 'failed' || version.number < item.version)) return;
    const change = { job_id: job.id, version: version.number, state, updated_at: this.#deps.clock.now() } as const;
    changeItem(tx, item.seq, { ...change, ...(state === 'ready' && NEW_RESULT) });
  }

  onRetried(tx: Tx, jobId: string): void {
    const version = versionOfJob(tx, jobId);
    if (version === undefined) return;
    this.#deps.bringBack(tx, version.item_seq);
    setVersionState(tx, jobId, 'reading');
    const item = itemBySeq(tx, version.item_seq);
    if (item?.job_id === jobId) changeItem(tx, item.seq, { state: 'reading' });
  }

  /** The result of a job goes, and with the last one its item. */
  onRemoved(tx: Tx, jobId: string): void {
    const version = versionOfJob(tx, jobId);
    if (version === undefined) return;
    deleteVersion(tx, jobId);
    this.#deps.afterDropped(jobId);
    const item = itemBySeq(tx, version.item_seq);
    if (item === undefined) return;
    sumBytes(tx, item.seq);
    const rest = versionsOf(tx, item.seq);
    const next = rest.findLast(({ state }) => state === 'ready') ?? rest.at(-1);
    if (next === undefined) deleteItem(tx, item.seq);
    else if (item.job_id === jobId) {
      const change = { job_id: next.job_id, version: next.number, state: next.state };
      changeItem(tx, item.seq, { ...change, ...(next.state === 'ready' && NEW_RESULT) });
    }
  }

  /** A correction has reached the result: no former word is shown meanwhile. */
  onResultChanged(jobId: string): void {
    this.#deps.storage.transaction((tx) => {
      const version = versionOfJob(tx, jobId);
      const item = version === undefined ? undefined : itemBySeq(tx, version.item_seq);
      if (item?.job_id === jobId && item.state === 'ready') changeItem(tx, item.seq, { unread: 1, excerpt: null });
      if (version !== undefined) setVersionBytes(tx, jobId, null);
    });
    this.onCommitted();
  }

  /** After a commit: results that have come are read soon. */
  onCommitted(): void {
    if (this.#isClosing || this.#gathering !== null) return;
    this.#gathering = setTimeout(() => {
      this.#gathering = null;
      void this.readResults();
    }, GATHER_MS).unref();
  }

  /** Takes over title and figures of all results that have come. */
  async readResults(): Promise<void> {
    const before = this.#reading;
    const reading = (async () => {
      await before;
      try {
        let isNews = false;
        for (let rows = this.#unread(); rows.length > 0 && !this.#isClosing; rows = this.#unread()) {
          await this.#readSome(rows);
          isNews = true;
        }
        this.#deps.afterRead();
        isNews = (await this.#measureFiles()) || isNews;
        if (isNews) this.#deps.onChanged();
      } catch (error) {
        this.#deps.log.error({ err: error }, 'Titles of the library could not be read.');
      }
    })();
    this.#reading = reading;
    await reading;
  }

  /** Jobs from before the library become items. What a killed process left is done. */
  async startItems(): Promise<void> {
    await this.#adoptEarlierJobs();
    await this.readResults();
  }

  async closeItems(): Promise<void> {
    this.#isClosing = true;
    if (this.#gathering !== null) clearTimeout(this.#gathering);
    await this.#reading;
  }

  /** Returns whether there was something to measure. */
  async #measureFiles(): Promise<boolean> {
    const { storage, folderOf, sourcePathOf } = this.#deps;
    const next = () => unmeasuredJobs(storage.db, READ_TOGETHER);
    let isNews = false;
    for (let jobIds = next(); jobIds.length > 0 && !this.#isClosing; jobIds = next()) {
      const sizes = new Map<string, MeasuredFiles>();
      for (const jobId of jobIds) sizes.set(jobId, await measure(folderOf(jobId), sourcePathOf(jobId)));
      storage.transaction((tx) => {
        for (const [jobId, measured] of sizes) setVersionBytes(tx, jobId, measured);
      });
      isNews = true;
    }
    return isNews;
  }

  #unread(): ItemRow[] {
    return unreadItems(this.#deps.storage.db, READ_TOGETHER);
  }

  #addVersion(tx: Tx, reading: Reading): void {
    const { jobId, kind, source, state, createdAt } = reading;
    const same = source.key === null ? undefined : itemOfSource(tx, source.key);
    const unread = state === 'ready' ? 1 : 0;
    if (same === undefined) {
      const seq = insertItem(tx, {
        id: newId('itm'),
        kind,
        title: provisionalTitle(reading),
        state,
        source_key: source.key,
        source_name: source.name,
        source_url: source.url,
        source_sha256: source.sha256,
        job_id: jobId,
        version: 1,
        added_at: createdAt,
        updated_at: createdAt,
        unread,
      });
      insertVersion(tx, { job_id: jobId, item_seq: seq, number: 1, state, created_at: createdAt });
      return;
    }
    const number = (versionsOf(tx, same.seq).at(-1)?.number ?? 0) + 1;
    insertVersion(tx, { job_id: jobId, item_seq: same.seq, number, state, created_at: createdAt });
    this.#deps.bringBack(tx, same.seq);
    // The result that is there stays until the new one has come.
    const shows =
      same.state !== 'ready' || state === 'ready' ? { job_id: jobId, version: number, state, unread, cover: null } : {};
    changeItem(tx, same.seq, { updated_at: createdAt, ...shows });
  }

  /** One result at a time: that of a large site takes milliseconds to parse. */
  async #readSome(rows: readonly ItemRow[]): Promise<void> {
    for (const row of rows) {
      const head = await this.#headOf(row.job_id);
      this.#deps.storage.transaction((tx) => this.#takeOverKnown(tx, row, head));
      await yieldToEventLoop();
    }
  }

  /** A result of an unknown shape keeps its provisional title; it must not hold up those behind it. */
  #takeOverKnown(tx: Tx, row: ItemRow, head: string): void {
    try {
      this.#takeOver(tx, row, head);
    } catch (error) {
      if (!(error instanceof TypeError || error instanceof SyntaxError)) throw error;
      this.#deps.log.error({ err: error, jobId: row.job_id }, 'A title of the library could not be read.');
      changeItem(tx, row.seq, { unread: 0 });
    }
  }

  #takeOver(tx: Tx, { seq, job_id }: ItemRow, head: string): void {
    const now = itemBySeq(tx, seq);
    if (now === undefined || now.job_id !== job_id) return;
    const stored = storedResult(tx, job_id);
    if (stored === null) {
      changeItem(tx, seq, { unread: 0 });
      return;
    }
    const job = this.#deps.jobs.row(job_id);
    const group = this.#groups.get(job.operation_id) ?? 'other';
    const result = parseOwnJson<ReadResult>(stored.body);
    const { title, speakers, peaks, ...facts } = factsOfResult(group, kindOfGroup(group) ?? now.kind, result, head);
    const found = title ?? provisionalTitle({ group, source: sourceOf(now), label: job.label });
    setSpeakers(tx, seq, speakers);
    // A language that the owner gave stays where the new version tells none.
    const language = facts.language ?? now.language;
    const change = { ...facts, language, unread: 0, title: now.title_given === 1 ? undefined : found };
    // The shape of a recording is measured with its cover.
    changeItem(tx, seq, peaks === null && now.cover !== null ? change : { ...change, peaks });
  }

  /** The beginning of the text of a result; empty where it keeps none in a file. */
  async #headOf(jobId: string): Promise<string> {
    for (const name of TEXT_FILES) {
      const file = await open(join(this.#deps.filesOf(jobId), name)).catch(() => null);
      if (file === null) continue;
      try {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
        return buffer
          .subarray(0, bytesRead)
          .toString()
          .replace(/\uFFFD$/, '');
      } finally {
        await file.close();
      }
    }
    return '';
  }

  async #adoptEarlierJobs(): Promise<void> {
    const { storage, jobs } = this.#deps;
    for (let mark = adoptionMark(storage.db); mark !== null && !this.#isClosing; mark = adoptionMark(storage.db)) {
      const { jobIds, next } = jobs.idsOf({ accountId: OWNER.accountId }, mark, ADOPTED_TOGETHER);
      storage.transaction((tx) => {
        for (const jobId of jobIds) this.#adoptJob(tx, jobs.row(jobId));
        setAdoptionMark(tx, next);
      });
      await yieldToEventLoop();
    }
  }

  #adoptJob(tx: Tx, job: JobRow): void {
    const group = this.#groups.get(job.operation_id) ?? 'other';
    const kind = kindOfGroup(group);
    if (kind === null || job.key_id !== null || job.watch_id !== null || versionOfJob(tx, job.id) !== undefined) return;
    if (job.status === 'failed') return;
    const request = parseOwnJson<Record<string, unknown>>(job.request);
    // An upload is named by its hash in the stored request.
    const sha256 = /^upload:([0-9a-f]{64})$/.exec(String(request.file ?? ''))?.[1];
    const upload = sha256 === undefined ? null : { sha256, fileName: job.source_name ?? job.label };
    const source = sourceOfRequest(group, { request, upload });
    const state = stateOf(job);
    this.#addVersion(tx, { jobId: job.id, group, kind, label: job.label, source, state, createdAt: job.created_at });
    if (state === 'ready') keepJob(tx, job, this.#deps.clock.now());
  }
}

/** All files in a folder, and the original among them; what goes away meanwhile counts nothing. */
async function measure(folder: string, sourcePath: string): Promise<MeasuredFiles> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
  const measured = { bytes: 0, original_bytes: 0 };
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const { size } = await lstat(path).catch(() => ({ size: 0 }));
    measured.bytes += size;
    if (relative(sourcePath, path) === '') measured.original_bytes = size;
  }
  return measured;
}

function stateOf({ status }: Pick<JobRow, 'status'>): ItemRow['state'] {
  if (status === 'completed') return 'ready';
  return status === 'failed' ? 'failed' : 'reading';
}

function sourceOf({ source_key, source_name, source_url, source_sha256 }: ItemRow): ItemSource {
  return { key: source_key, name: source_name, url: source_url, sha256: source_sha256 };
}

/** Until the result is there, and where it tells no title. */
function provisionalTitle({ group, source, label }: Pick<Reading, 'group' | 'source' | 'label'>): string {
  const named = source.name === null ? null : titleOfFileName(source.name);
  const made = group === 'speak' || group === 'compose' || group === 'write' ? firstSentence(label) : null;
  return named ?? made ?? usableTitle(label) ?? source.url ?? 'Without a title';
}
