/**
 * The library: what the owner keeps of sources. An item is a source over its versions, each read by a job; its title,
 * tags, collections, notes and position are the owner's, and survive versions.
 */

import { type Clock, toIsoTime } from '../../platform/clock.ts';
import { yieldToEventLoop } from '../../platform/concurrency.ts';
import type { Storage, Tx } from '../../platform/db/database.ts';
import { QuarryError } from '../../platform/errors.ts';
import { invalidRequest } from '../../platform/http/validate.ts';
import { newId } from '../../platform/ids.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import { say } from '../../platform/text/say.ts';
import { DAY_MS, HOUR_MS } from '../../platform/units.ts';
import { type Jobs, madeByOwner, releaseJob } from '../jobs/service.ts';
import type { ItemKind } from './kind.ts';
import type {
  Collection,
  Item,
  ItemChange,
  ItemCounts,
  ItemFilter,
  ItemListQuery,
  LookupQuery,
  ManyChange,
  Note,
  NoteRequest,
  Position,
  Selected,
} from './schema.ts';
import { MANY_MAX, TAGS_MAX } from './schema.ts';
import { addressKey, fileKey } from './source-key.ts';
import * as store from './store.ts';

export { type FindDeps, findItems } from './find.ts';

const SWEEP_MS = HOUR_MS;

const REMOVED_TOGETHER = 100;

interface LibraryDeps {
  storage: Storage;
  clock: Clock;
  jobs: Jobs;
  /** Takes a result out of the search index. */
  hideFromSearch(tx: Tx, jobId: string): void;
  /** Puts it back. */
  showInSearch(tx: Tx, jobId: string): void;
  /** The version of a job is none any more. */
  dropVersion(tx: Tx, jobId: string): void;
  retentionMs(): number;
  settings(): { deletedDays: number };
  /** After a commit: what mirrors show may have changed. */
  onChanged(): void;
  log: { error(fields: object, message: string): void };
}

export class Library {
  readonly #deps: LibraryDeps;
  #timer: NodeJS.Timeout | null = null;
  #sweep: Promise<void> | null = null;
  #isClosing = false;

  constructor(deps: LibraryDeps) {
    this.#deps = deps;
  }

  startLibrary(): void {
    this.#timer = setInterval(() => void this.removeDeletedItems(), SWEEP_MS);
    void this.removeDeletedItems();
  }

  async closeLibrary(): Promise<void> {
    this.#isClosing = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#sweep;
  }

  /** One page, with the number of all that the filters leave. Errors: `not_found` for a collection. */
  listItems({ deleted, sort, limit, offset, ...filter }: ItemListQuery): { items: Item[]; total: number } {
    const { db } = this.#deps.storage;
    const wanted = this.#withoutSmart(filter);
    const rows = store.listItems(db, wanted, deleted, { sort, limit, offset });
    return { items: this.#presentItems(rows), total: store.countItems(db, wanted, deleted) };
  }

  /** Counts of what the filters leave. Errors: `not_found` for a collection. */
  countItems(filter: ItemFilter, deleted: boolean) {
    const { db } = this.#deps.storage;
    const wanted = this.#withoutSmart(filter);
    return { total: store.countItems(db, wanted, deleted), ...store.countValues(db, wanted, deleted) };
  }

  /** Counts of some items. */
  countItemsOf(itemIds: readonly string[], timeZone?: string): ItemCounts {
    return { total: itemIds.length, ...store.countValuesOf(this.#deps.storage.db, itemIds, timeZone) };
  }

  /** Errors: `not_found`. */
  readItem(itemId: string): Item {
    return this.#presentItem(this.#requireItem(itemId));
  }

  /** Errors: `not_found`. */
  rowOf(itemId: string): store.ItemRow {
    return this.#requireItem(itemId);
  }

  /** Oldest first. Errors: `not_found`. */
  versionsOf(itemId: string) {
    const { seq } = this.#requireItem(itemId);
    return store.versionsOf(this.#deps.storage.db, seq).map(({ number, job_id: jobId, state, created_at }) => ({
      number,
      jobId,
      state,
      createdAt: toIsoTime(created_at),
    }));
  }

  /** Items of the same bytes or the same address, also deleted ones. */
  findItemsOf({ sha256, url, job }: LookupQuery): Item[] {
    if (job !== undefined) {
      const version = store.versionOfJob(this.#deps.storage.db, job);
      const item = version === undefined ? null : this.itemOf(version.item_seq);
      return item === null ? [] : [item];
    }
    const keys = sha256 === undefined ? [addressKey(url ?? '', true), addressKey(url ?? '', false)] : [fileKey(sha256)];
    const rows = keys.flatMap((key) => {
      const row = key === null ? undefined : store.itemOfSource(this.#deps.storage.db, key);
      return row === undefined ? [] : [row];
    });
    return this.#presentItems(rows);
  }

  /** Errors: `not_found` for the item, a collection or a version; `invalid_request` for too many tags. */
  changeItem(itemId: string, change: ItemChange): Item {
    const { storage, clock } = this.#deps;
    storage.transaction((tx) => {
      const item = this.#requireItem(itemId, tx);
      const { title, datedAt, language, position, version, ...rest } = change;
      const shown = version === undefined ? undefined : this.#requireVersion(tx, item, version);
      store.changeItem(tx, item.seq, {
        updated_at: clock.now(),
        ...omitUndefined({
          language,
          title: title ?? undefined,
          title_given: title === undefined ? undefined : Number(title !== null),
          // The title that the source has is found again.
          unread: title === null ? 1 : undefined,
          dated_at: datedAt === undefined ? undefined : datedAt === null ? null : Date.parse(datedAt),
          position: position === undefined ? undefined : position === null ? null : JSON.stringify(position),
        }),
        ...(shown && shownVersion(shown)),
      });
      this.#changeInTransaction(tx, store.itemBySeq(tx, item.seq) ?? item, rest);
    });
    this.#deps.onChanged();
    return this.readItem(itemId);
  }

  /** Returns how many were changed. Errors: `not_found` naming an item or a collection; then none is changed. */
  async changeItems({ items, filter, ...change }: ManyChange): Promise<number> {
    const { storage, clock } = this.#deps;
    const seqs = this.selectItems({ items, filter });
    storage.transaction((tx) => {
      for (const seq of seqs) {
        const item = store.itemBySeq(tx, seq);
        if (item === undefined) continue;
        store.changeItem(tx, seq, { updated_at: clock.now() });
        this.#changeInTransaction(tx, item, change);
      }
    });
    this.#deps.onChanged();
    await yieldToEventLoop();
    return seqs.length;
  }

  /** Sequence numbers of the items that are named. Errors: `not_found`. */
  selectItems({ items, filter }: Selected): number[] {
    const { db } = this.#deps.storage;
    if (items === undefined) return store.seqsOf(db, this.#withoutSmart(filter ?? {}), MANY_MAX);
    return [...new Set(items)].map((itemId) => this.#requireItem(itemId).seq);
  }

  /** Items that a filter leaves, newest first. Errors: `not_found` for a collection. */
  itemsOf(filter: ItemFilter, most: number): store.ItemName[] {
    return store.namesOf(this.#deps.storage.db, this.#withoutSmart(filter), most);
  }

  itemOf(seq: number): Item | null {
    const row = store.itemBySeq(this.#deps.storage.db, seq);
    return row === undefined ? null : this.#presentItem(row);
  }

  /** What these jobs are versions of; those of no item are left out. */
  placesOf(
    jobIds: readonly string[],
  ): ReadonlyMap<string, { kind: ItemKind; isDeleted: boolean; originalBytes: number }> {
    return store.placesOf(this.#deps.storage.db, jobIds);
  }

  /** Removes an item and the results of all its versions at once. Errors: `not_found`. */
  async removeItem(itemId: string): Promise<void> {
    await this.#removeVersions(this.#requireItem(itemId));
    this.#deps.onChanged();
  }

  /** Removes what was deleted as many days ago as the settings say. Concurrent calls share a pass. */
  removeDeletedItems(): Promise<void> {
    this.#sweep ??= this.#removeDue().finally(() => {
      this.#sweep = null;
    });
    return this.#sweep;
  }

  /** By name. */
  collections(): Collection[] {
    const { db } = this.#deps.storage;
    return store.allCollections(db).map(({ id, name, filter }) => {
      const parsed = filter === null ? null : parseOwnJson<ItemFilter>(filter);
      const count = store.countItems(db, parsed ?? { collection: id }, false);
      return { collectionId: id, name, filter: parsed, count };
    });
  }

  /** Errors: `conflict` for a name that is taken, `invalid_request` for a filter by a smart collection. */
  addCollection({ name, filter }: { name: string; filter?: ItemFilter | undefined }): Collection {
    const id = newId('col');
    this.#deps.storage.transaction((tx) => {
      this.#checkCollection(tx, id, { name, filter });
      store.insertCollection(tx, { id, name, filter: filter === undefined ? null : JSON.stringify(filter) });
    });
    return this.#requirePresented(id);
  }

  /** Errors: `not_found`; `conflict` for a name that is taken, or a filter for a collection that is filled by hand. */
  changeCollection(id: string, change: { name?: string | undefined; filter?: ItemFilter | undefined }): Collection {
    this.#deps.storage.transaction((tx) => {
      const row = this.#requireCollection(tx, id);
      if (change.filter !== undefined && row.filter === null) {
        throw new QuarryError('conflict', 'This collection is filled by hand. Make a smart one with the filter.');
      }
      this.#checkCollection(tx, id, change);
      const { name, filter } = change;
      const json = filter === undefined ? undefined : JSON.stringify(filter);
      store.changeCollection(tx, row.seq, { name: name ?? row.name, filter: json ?? row.filter });
    });
    return this.#requirePresented(id);
  }

  /** Its items stay. Errors: `not_found`. */
  removeCollection(id: string): void {
    this.#deps.storage.transaction((tx) => store.deleteCollection(tx, this.#requireCollection(tx, id).seq));
  }

  /** Oldest first. Errors: `not_found`. */
  notesOf(itemId: string): Note[] {
    const item = this.#requireItem(itemId);
    return store.notesOf(this.#deps.storage.db, item.seq).map((row) => presentNote(row, itemId));
  }

  /** Errors: `not_found`. */
  addNote(itemId: string, { kind, text, quote, before, after, position }: NoteRequest): Note {
    const { storage, clock } = this.#deps;
    const now = clock.now();
    const row = storage.transaction((tx) => {
      const item = this.#requireItem(itemId, tx);
      store.changeItem(tx, item.seq, { updated_at: now });
      return store.insertNote(tx, {
        id: newId('not'),
        item_seq: item.seq,
        kind,
        text,
        quote: quote ?? null,
        before,
        after,
        position: position === undefined ? null : JSON.stringify(position),
        version: item.version,
        created_at: now,
        updated_at: now,
      });
    });
    this.#deps.onChanged();
    return presentNote(row, itemId);
  }

  /** Errors: `not_found`; `invalid_request` for a note without text. */
  changeNote(itemId: string, noteId: string, text: string): Note {
    const { storage, clock } = this.#deps;
    const row = storage.transaction((tx) => {
      const note = this.#requireNote(tx, itemId, noteId);
      if (note.kind === 'note' && text.trim() === '')
        throw invalidRequest([{ path: 'text', message: say`Write the note.` }]);
      return store.changeNote(tx, note.seq, { text, updated_at: clock.now() });
    });
    this.#deps.onChanged();
    return presentNote(row, itemId);
  }

  /** Errors: `not_found`. */
  removeNote(itemId: string, noteId: string): void {
    this.#deps.storage.transaction((tx) => store.deleteNote(tx, this.#requireNote(tx, itemId, noteId).seq));
  }

  #changeInTransaction(
    tx: Tx,
    item: store.ItemRow,
    { addTags = [], removeTags = [], addTo = [], removeFrom = [], deleted }: Omit<ManyChange, 'items' | 'filter'>,
  ): void {
    for (const tag of removeTags) store.removeTag(tx, item.seq, tag);
    for (const tag of addTags) store.addTag(tx, item.seq, tag);
    if (addTags.length > 0 && store.countTags(tx, item.seq) > TAGS_MAX) {
      throw invalidRequest([{ path: 'addTags', message: say`An item has at most ${TAGS_MAX} tags.` }]);
    }
    for (const id of removeFrom) store.removeMember(tx, this.#requireByHand(tx, id, 'removeFrom').seq, item.seq);
    for (const id of addTo) store.addMember(tx, this.#requireByHand(tx, id, 'addTo').seq, item.seq);
    if (deleted !== undefined) this.#setDeleted(tx, item, deleted);
  }

  bringBack(tx: Tx, seq: number): void {
    const item = store.itemBySeq(tx, seq);
    if (item !== undefined) this.#setDeleted(tx, item, false);
  }

  /** Deletes an item, or brings it back. Its results leave and enter search with it. */
  #setDeleted(tx: Tx, item: store.ItemRow, deleted: boolean): void {
    if (deleted === (item.deleted_at !== null)) return;
    const { jobs, clock, hideFromSearch, showInSearch } = this.#deps;
    store.changeItem(tx, item.seq, { deleted_at: deleted ? clock.now() : null });
    for (const { job_id: jobId, state } of store.versionsOf(tx, item.seq)) {
      if (state !== 'ready' || !madeByOwner(jobs.row(jobId))) continue;
      if (deleted) hideFromSearch(tx, jobId);
      else showInSearch(tx, jobId);
    }
  }

  async #removeDue(): Promise<void> {
    const { storage, clock, log, settings } = this.#deps;
    try {
      const due = clock.now() - settings().deletedDays * DAY_MS;
      for (;;) {
        const rows = store.itemsDeletedBefore(storage.db, due, REMOVED_TOGETHER);
        for (const row of rows) {
          if (this.#isClosing) return;
          await this.#removeVersions(row);
        }
        if (rows.length < REMOVED_TOGETHER) return;
      }
    } catch (error) {
      log.error({ err: error }, 'Deleted items could not be removed.');
    }
  }

  /** The last removal deletes the item too. */
  async #removeVersions({ seq }: store.ItemRow): Promise<void> {
    const { storage, clock, jobs, dropVersion, retentionMs } = this.#deps;
    for (const { job_id: jobId } of store.versionsOf(storage.db, seq)) {
      const job = jobs.row(jobId);
      if (madeByOwner(job)) await jobs.cancelOrRemove(job);
      else {
        storage.transaction((tx) => {
          dropVersion(tx, jobId);
          releaseJob(tx, job, clock.now(), retentionMs());
        });
      }
    }
    storage.transaction((tx) => {
      if (store.versionsOf(tx, seq).length === 0) store.deleteItem(tx, seq);
    });
  }

  /** A smart collection stands for its filter. Errors: `not_found`. */
  #withoutSmart(filter: ItemFilter): ItemFilter {
    if (filter.collection === undefined) return filter;
    const { db } = this.#deps.storage;
    const row = this.#requireCollection(db, filter.collection);
    if (row.filter === null) return filter;
    const { collection, ...rest } = filter;
    const smart = parseOwnJson<ItemFilter>(row.filter);
    const text = [smart.text, rest.text].filter((one) => one !== undefined).join(' ');
    return { ...smart, ...rest, text: text === '' ? undefined : text };
  }

  #checkCollection(
    db: Tx,
    id: string,
    { name, filter }: { name?: string | undefined; filter?: ItemFilter | undefined },
  ): void {
    const twin = name === undefined ? undefined : store.collectionByName(db, name);
    if (twin !== undefined && twin.id !== id) throw new QuarryError('conflict', 'Another collection has this name.');
    if (filter?.collection !== undefined) this.#requireByHand(db, filter.collection, 'filter.collection');
  }

  #requireByHand(db: Tx, id: string, path: string): store.CollectionRow {
    const row = this.#requireCollection(db, id);
    if (row.filter === null) return row;
    throw invalidRequest([{ path, message: say`A smart collection takes no items by hand: its filter fills it.` }]);
  }

  #requireCollection(db: store.AnyDb, id: string): store.CollectionRow {
    const row = store.collectionById(db, id);
    if (row === undefined) throw new QuarryError('not_found', 'There is no collection with this id.');
    return row;
  }

  #requirePresented(id: string): Collection {
    const found = this.collections().find(({ collectionId }) => collectionId === id);
    if (found === undefined) throw new QuarryError('not_found', 'There is no collection with this id.');
    return found;
  }

  #requireItem(itemId: string, db: store.AnyDb = this.#deps.storage.db): store.ItemRow {
    const row = store.itemById(db, itemId);
    if (row === undefined) throw new QuarryError('not_found', 'There is no item with this id.');
    return row;
  }

  #requireVersion(tx: Tx, { seq }: store.ItemRow, number: number): store.VersionRow {
    const row = store.versionsOf(tx, seq).find((version) => version.number === number);
    if (row === undefined) throw new QuarryError('not_found', 'The item has no version with this number.');
    return row;
  }

  #requireNote(tx: Tx, itemId: string, noteId: string): store.NoteRow {
    const item = this.#requireItem(itemId, tx);
    const note = store.noteById(tx, noteId);
    if (note?.item_seq !== item.seq) throw new QuarryError('not_found', 'The item has no note with this id.');
    return note;
  }

  #presentItem(row: store.ItemRow): Item {
    const [item] = this.#presentItems([row]);
    if (item === undefined) throw new Error('The item was not presented.');
    return item;
  }

  #presentItems(rows: readonly store.ItemRow[]): Item[] {
    const seqs = rows.map(({ seq }) => seq);
    const { tags, speakers, collections, notes, versions } = store.extrasOf(this.#deps.storage.db, seqs);
    const valuesOf = (extras: typeof tags, seq: number) =>
      extras.flatMap((extra) => (extra.seq === seq ? [extra.value] : []));
    const countOf = (counts: typeof notes, seq: number) => counts.find((count) => count.seq === seq)?.n ?? 0;
    const keptMs = this.#deps.settings().deletedDays * DAY_MS;
    return rows.map((row) => ({
      itemId: row.id,
      kind: row.kind,
      title: row.title,
      titleGiven: row.title_given === 1,
      state: row.state,
      source: { name: row.source_name, url: row.source_url, sha256: row.source_sha256 },
      language: row.language,
      pages: row.pages,
      words: row.words,
      seconds: row.seconds,
      cover: row.cover === 'drawn' ? `/library/items/${row.id}/cover?v=${row.version}` : null,
      excerpt: row.excerpt,
      peaks: row.peaks === null ? null : parseOwnJson<number[]>(row.peaks),
      speakers: valuesOf(speakers, row.seq),
      bytes: row.bytes,
      originalBytes: row.original_bytes,
      tags: valuesOf(tags, row.seq),
      collections: valuesOf(collections, row.seq),
      notes: countOf(notes, row.seq),
      position: positionOf(row.position),
      jobId: row.job_id,
      version: row.version,
      versions: Math.max(1, countOf(versions, row.seq)),
      addedAt: toIsoTime(row.added_at),
      updatedAt: toIsoTime(row.updated_at),
      datedAt: row.dated_at === null ? null : toIsoTime(row.dated_at),
      deletedAt: row.deleted_at === null ? null : toIsoTime(row.deleted_at),
      goesAt: row.deleted_at === null ? null : toIsoTime(row.deleted_at + keptMs),
    }));
  }
}

function shownVersion({ job_id, number, state }: store.VersionRow) {
  return { job_id, version: number, state, unread: Number(state === 'ready'), cover: null };
}

function positionOf(json: string | null): Position | null {
  return json === null ? null : parseOwnJson<Position>(json);
}

function presentNote(row: store.NoteRow, itemId: string): Note {
  return {
    noteId: row.id,
    itemId,
    kind: row.kind,
    text: row.text,
    quote: row.quote,
    before: row.before,
    after: row.after,
    position: positionOf(row.position),
    version: row.version,
    createdAt: toIsoTime(row.created_at),
    updatedAt: toIsoTime(row.updated_at),
  };
}
