/**
 * Built-in receivers: they show callbacks and fail on demand. The name of an inbox is the right to post to it; it
 * cannot be guessed, and what is stored is bounded.
 */

import type { z } from 'zod';
import { type Clock, toIsoTime } from '../../platform/clock.ts';
import type { Storage } from '../../platform/db/database.ts';
import { QuarryError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { Listeners } from '../../platform/listeners.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import { KIB } from '../../platform/units.ts';
import { explainSignature } from './explain.ts';
import type { InboxBehaviour, InboxMessage } from './schema.ts';
import {
  changeInbox,
  deleteInbox,
  type InboxMessageRow,
  type InboxRow,
  inboxByName,
  inboxMessages,
  insertInbox,
  insertInboxMessage,
  listInboxes,
} from './store.ts';

const MAX_INBOXES = 20;

const MAX_MESSAGES = 200;

/** How much of a body is stored. The signatures are checked on all of it. */
const MAX_KEPT_BODY_BYTES = 64 * KIB;

export interface InboxSettings {
  label?: string | undefined;
  secret?: string | null | undefined;
  behaviour?: InboxBehaviour | undefined;
}

type StoredVerdict = Pick<z.infer<typeof InboxMessage>, 'verdict' | 'payload' | 'standard'>;

const ACCEPT: InboxBehaviour = { mode: 'accept' };

export interface InboxDeps {
  storage: Storage;
  clock: Clock;
  /** The absolute URL of all inboxes: `http://127.0.0.1:8402/inbox`. */
  baseUrl(): string;
}

export class Inboxes {
  /** Hears the name of an inbox that received a message or was changed. */
  readonly changed = new Listeners<string>();
  readonly #deps: InboxDeps;

  constructor(deps: InboxDeps) {
    this.#deps = deps;
  }

  listInboxViews() {
    const rows = listInboxes(this.#deps.storage.db, MAX_INBOXES);
    return rows.map((row) => this.#viewInboxRow(row));
  }

  /** Errors: `conflict` at the limit. */
  createNamedInbox(settings: InboxSettings) {
    const { storage, clock } = this.#deps;
    const row = storage.transaction((tx) => {
      if (listInboxes(tx, MAX_INBOXES).length >= MAX_INBOXES) {
        throw new QuarryError('conflict', `There are ${MAX_INBOXES} inboxes already: delete one first.`);
      }
      return insertInbox(tx, {
        name: newId('inb'),
        label: settings.label ?? '',
        secret: settings.secret ?? null,
        behaviour: JSON.stringify(settings.behaviour ?? ACCEPT),
        created_at: clock.now(),
      });
    });
    this.changed.notifyListeners(row.name);
    return this.#viewInboxRow(row);
  }

  /** Errors: `not_found`. */
  viewInboxByName(name: string) {
    return this.#viewInboxRow(this.#inboxRowByName(name));
  }

  /** Changes only what is given, so that the countdown of a message in between stays. Errors: `not_found`. */
  changeInboxSettings(name: string, { label, secret, behaviour }: InboxSettings) {
    const newBehaviour = behaviour === undefined ? undefined : JSON.stringify(behaviour);
    const change = omitUndefined({ label, secret, behaviour: newBehaviour });
    const changed = this.#deps.storage.transaction((tx) => {
      const row = inboxByName(tx, name);
      if (row === undefined) throw unknownInbox();
      return Object.keys(change).length === 0 ? row : changeInbox(tx, name, change);
    });
    this.changed.notifyListeners(name);
    return this.#viewInboxRow(changed);
  }

  /** Errors: `not_found`. */
  removeNamedInbox(name: string): void {
    this.#inboxRowByName(name);
    this.#deps.storage.transaction((tx) => deleteInbox(tx, name));
    this.changed.notifyListeners(name);
  }

  /** One page, newest first. Errors: `not_found`. */
  pageOfInboxMessages(name: string, before: number | null, limit: number) {
    this.#inboxRowByName(name);
    const rows = inboxMessages(this.#deps.storage.db, name, before, limit);
    const last = rows.length === limit ? rows.at(-1) : undefined;
    return { messages: rows.map(messageView), next: last ? String(last.seq) : null };
  }

  /** Checks that an inbox exists before its body is read. Errors: `not_found`. */
  requireInbox(name: string): void {
    this.#inboxRowByName(name);
  }

  /** Stores a request, checks its signatures, and returns how to answer it. Errors: `not_found`. */
  receiveInboxMessage(name: string, headers: Record<string, string>, body: Buffer): InboxBehaviour {
    const { storage, clock } = this.#deps;
    const answer = storage.transaction((tx) => {
      const row = inboxByName(tx, name);
      if (row === undefined) throw unknownInbox();
      const behaviour = parseOwnJson<InboxBehaviour>(row.behaviour);
      const now = clock.now();
      const message = {
        inbox_name: name,
        received_at: now,
        headers: JSON.stringify(headers),
        body: body.subarray(0, MAX_KEPT_BODY_BYTES),
        body_bytes: body.length,
        verdict: JSON.stringify(verdictOf(headers, body, row.secret, now)),
        answer: JSON.stringify(behaviour),
      };
      insertInboxMessage(tx, message, MAX_MESSAGES);
      const next = afterOne(behaviour);
      if (next !== behaviour) changeInbox(tx, name, { behaviour: JSON.stringify(next) });
      return behaviour;
    });
    this.changed.notifyListeners(name);
    return answer;
  }

  #inboxRowByName(name: string): InboxRow {
    const row = inboxByName(this.#deps.storage.db, name);
    if (row === undefined) throw unknownInbox();
    return row;
  }

  #viewInboxRow(row: InboxRow) {
    return {
      name: row.name,
      url: `${this.#deps.baseUrl()}/${row.name}`,
      label: row.label,
      hasSecret: row.secret !== null,
      behaviour: parseOwnJson<InboxBehaviour>(row.behaviour),
      createdAt: toIsoTime(row.created_at),
    };
  }
}

function unknownInbox(): QuarryError {
  return new QuarryError('not_found', 'There is no inbox with this name.');
}

function afterOne(behaviour: InboxBehaviour): InboxBehaviour {
  if (behaviour.mode === 'accept' || behaviour.times === null) return behaviour;
  return behaviour.times <= 1 ? ACCEPT : { ...behaviour, times: behaviour.times - 1 };
}

function verdictOf(headers: Record<string, string>, body: Buffer, secret: string | null, now: number): StoredVerdict {
  const { verdict, payload, standard } = explainSignature({ headers, body }, secret, now);
  return {
    verdict,
    payload: { verdict: payload.verdict, reason: payload.reason },
    standard: { verdict: standard.verdict, reason: standard.reason },
  };
}

function messageView(row: InboxMessageRow) {
  return {
    receivedAt: toIsoTime(row.received_at),
    verified: parseOwnJson<StoredVerdict>(row.verdict).verdict === 'valid',
    ...parseOwnJson<StoredVerdict>(row.verdict),
    headers: parseOwnJson<Record<string, string>>(row.headers),
    body: Buffer.from(row.body).toString('utf8'),
    bodyBytes: row.body_bytes,
    answer: parseOwnJson<InboxBehaviour>(row.answer),
  };
}
