import type { Context } from 'hono';
import type { Operation } from '../../operation.ts';
import type { Storage } from '../../platform/db/database.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { invalidRequest } from '../../platform/http/validate.ts';
import { canonicalHash } from '../../platform/text/canonical-json.ts';
import { tell } from '../../platform/text/say.ts';
import { HOUR_MS } from '../../platform/units.ts';
import type { CheckedProof } from '../payments/service.ts';
import { fingerprintOf } from './request-checks.ts';
import type { Idempotency, JobDraft } from './schema.ts';
import { idempotencyOf } from './store.ts';

/**
 * `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header): the same key and request give the same job. The key is
 * stored in the transaction that inserts the job, so a key and its job exist together or not at all.
 */
const IDEMPOTENCY_HEADER = 'Idempotency-Key';

/** In sentences for the caller. */
const KEY_NAMES = `${IDEMPOTENCY_HEADER} or payment identifier`;

export const IDEMPOTENCY_KEPT_MS = 24 * HOUR_MS;

const KEY = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;

/**
 * The key of a request; undefined without one. The draft's quoted form is the same key. Errors: `invalid_request`.
 *
 * @param paymentId x402's identifier of the payment, which is such a key
 */
export function idempotencyKeyOf(context: Context<HttpEnv>, paymentId: string | null): string | undefined {
  const header = context.req.header(IDEMPOTENCY_HEADER);
  if (header === undefined) return paymentId ?? undefined;
  const key = /^"(.*)"$/.exec(header)?.[1] ?? header;
  if (paymentId !== null && key !== paymentId) {
    const message = tell`The payment identifier is another key. Give the same value for both, or one of the two.`;
    throw invalidRequest([{ path: IDEMPOTENCY_HEADER, message }]);
  }
  if (KEY.test(key)) return key;
  throw invalidRequest([
    { path: IDEMPOTENCY_HEADER, message: tell`Give 1 to 255 characters of ASCII, such as a UUID.` },
  ]);
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
  claimIdempotencyKey(wanted: Idempotency, proofKey: string | null): { jobId: string } | { end(): void } {
    const { scope, key, requestHash } = wanted;
    const stored = idempotencyOf(this.#storage.db, scope, key, this.#now() - IDEMPOTENCY_KEPT_MS);
    if (stored !== undefined) {
      if (stored.requestHash !== requestHash) throw keyReusedError();
      return { jobId: stored.jobId };
    }
    const name = `${scope}\n${key}`;
    if (this.#inFlight.has(name) || this.#isBeingPaid(wanted, proofKey)) throw keyUndecidedError();
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

interface ClaimService {
  idempotency: IdempotencyKeys;
  gate: { keyOf(proof: CheckedProof): string };
}

/** Claims the key for this request, or finds the job that it made before. Null for a proof that has its job. */
export function claimKey(
  service: ClaimService,
  operation: Operation,
  draft: JobDraft,
  key: string,
  opening: { proof: CheckedProof; spent: boolean } | null,
) {
  const { accountId, request, upload, labels = null, key: named } = draft;
  const requestHash = canonicalHash({ ...fingerprintOf(operation, request, upload), labels });
  const scope = named === undefined ? accountId : `${accountId} ${named.id}`;
  draft.idempotency = { scope, key, requestHash };
  // A spent proof has its job, which it may resume.
  if (opening?.spent === true) return null;
  return service.idempotency.claimIdempotencyKey(draft.idempotency, opening && service.gate.keyOf(opening.proof));
}

function keyReusedError(): QuarryError {
  const message = `This ${KEY_NAMES} was sent with another request. Use a new one for each request.`;
  return new QuarryError('idempotency_key_reused', message);
}

function keyUndecidedError(): QuarryError {
  const message = `A request with this ${KEY_NAMES} is being accepted. Send it again in a moment.`;
  return new QuarryError('conflict', message, { retryAfterSeconds: 1, retryable: true });
}
