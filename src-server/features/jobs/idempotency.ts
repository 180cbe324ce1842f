import type { Context } from 'hono';
import type { Storage } from '../../platform/db/database.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { invalidRequest } from '../../platform/http/validate.ts';
import { HOUR_MS } from '../../platform/units.ts';
import type { Idempotency } from './schema.ts';
import { idempotencyOf } from './store.ts';

/**
 * `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header): the same key and request give the same job. The key is
 * stored in the transaction that inserts the job, so a key and its job exist together or not at all.
 */
const IDEMPOTENCY_HEADER = 'Idempotency-Key';

export const IDEMPOTENCY_KEPT_MS = 24 * HOUR_MS;

const KEY = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;

/** The key of a request; undefined without one. The draft's quoted form is the same key. Errors: `invalid_request`. */
export function idempotencyKeyOf(context: Context<HttpEnv>): string | undefined {
  const header = context.req.header(IDEMPOTENCY_HEADER);
  if (header === undefined) return undefined;
  const key = /^"(.*)"$/.exec(header)?.[1] ?? header;
  if (KEY.test(key)) return key;
  throw invalidRequest([{ path: IDEMPOTENCY_HEADER, message: 'Give 1 to 255 characters of ASCII, such as a UUID.' }]);
}

/** Reservations of payments that may still become a job, with their drafts. */
interface OpenPurchase {
  proofKey: string;
  draft: { idempotency?: Idempotency };
}

/** Requests with a key. One process serves a data folder, so what is in flight is known here. */
export class IdempotencyKeys {
  readonly #storage: Storage;
  readonly #now: () => number;
  readonly #openPurchases: (accountId: string) => OpenPurchase[];
  readonly #inFlight = new Set<string>();

  constructor(storage: Storage, now: () => number, openPurchases: (accountId: string) => OpenPurchase[]) {
    this.#storage = storage;
    this.#now = now;
    this.#openPurchases = openPurchases;
  }

  /**
   * The job that an earlier request made; null when this one makes it. Then the returned function ends its claim.
   * Errors: `idempotency_key_reused` for another request, `conflict` while an earlier one is not decided.
   *
   * @param proofKey of the payment: the same proof may go on with its own reservation
   */
  claim(wanted: Idempotency, proofKey: string | null): { jobId: string } | { end(): void } {
    const { scope, key, requestHash } = wanted;
    const stored = idempotencyOf(this.#storage.db, scope, key, this.#now() - IDEMPOTENCY_KEPT_MS);
    if (stored !== undefined) {
      if (stored.requestHash !== requestHash) throw reused();
      return { jobId: stored.jobId };
    }
    const name = `${scope}\n${key}`;
    if (this.#inFlight.has(name) || this.#isBeingPaid(wanted, proofKey)) throw undecided();
    this.#inFlight.add(name);
    return { end: () => void this.#inFlight.delete(name) };
  }

  /** Threat: a second proof for the same key would be charged, while the first is settled on a slow chain. */
  #isBeingPaid({ scope, key }: Idempotency, proofKey: string | null): boolean {
    if (proofKey === null) return false;
    return this.#openPurchases(scope).some(
      ({ proofKey: other, draft: { idempotency } }) =>
        other !== proofKey && idempotency?.scope === scope && idempotency.key === key,
    );
  }
}

function reused(): QuarryError {
  const message = `This ${IDEMPOTENCY_HEADER} was sent with another request. Use a new key for each request.`;
  return new QuarryError('idempotency_key_reused', message);
}

function undecided(): QuarryError {
  const message = `A request with this ${IDEMPOTENCY_HEADER} is being accepted. Send it again in a moment.`;
  return new QuarryError('conflict', message, { retryAfterSeconds: 1, retryable: true });
}
