import { KIB } from '../../platform/units.ts';
import type { DueDelivery } from './delivery-store.ts';
import { testPayload } from './outbox.ts';
import type { JobPieces, UnsealedDelivery, WebhookDeps } from './sender.ts';
import { type LargePayload, payloadOf } from './signing.ts';

/** Results up to here are read many at once and made canonical by who sends them; longer ones in the pool. */
const MAX_INLINE_RESULT_BYTES = 32 * KIB;

/** What a delivery costs beside its result, in bytes to hand over. */
const HEAD_BYTES = KIB;

/** The job object, still to be made canonical. */
type SmallPayload = Pick<UnsealedDelivery, 'head' | 'result'>;

type PayloadParts = Pick<WebhookDeps, 'presentMany' | 'canonicalResult'>;

/** What a batch of deliveries tells: its jobs are read with one statement, and a long result is made ready once. */
export class Payloads {
  readonly #parts: PayloadParts;
  readonly #jobIds: ReadonlySet<string>;
  /** Null until the first delivery asks: an attempt knows what to record when the jobs cannot be read. */
  #pieces: ReadonlyMap<string, JobPieces> | null = null;
  readonly #large = new Map<string, Promise<LargePayload | null>>();

  constructor(parts: PayloadParts, deliveries: readonly DueDelivery[]) {
    this.#parts = parts;
    this.#jobIds = new Set(deliveries.flatMap((delivery) => (delivery.kind === 'job' ? [delivery.job_id] : [])));
  }

  /** How many bytes this thread hands over to have a delivery sent. */
  sizeOf(delivery: DueDelivery): number {
    const result = this.#pieces?.get(delivery.job_id)?.result;
    return HEAD_BYTES + (typeof result === 'string' ? result.length : 0);
  }

  /** Null when the job, or its result, is gone. */
  payloadFor(delivery: DueDelivery): SmallPayload | null | Promise<LargePayload | null> {
    if (delivery.kind === 'test') return { head: testPayload(delivery), result: null };
    this.#pieces ??= this.#parts.presentMany([...this.#jobIds], MAX_INLINE_RESULT_BYTES);
    const pieces = this.#pieces.get(delivery.job_id);
    if (pieces === undefined) return null;
    const { head, result } = pieces;
    if (typeof result === 'string') return { head, result };
    const known = this.#large.get(delivery.job_id);
    if (known !== undefined) return known;
    const made = this.#largePayload(delivery.job_id, pieces);
    this.#large.set(delivery.job_id, made);
    return made;
  }

  async #largePayload(jobId: string, { head, fileUrls }: JobPieces): Promise<LargePayload | null> {
    const result = await this.#parts.canonicalResult(jobId, fileUrls);
    return result === null ? null : { ...payloadOf(head, { result: '' }), result };
  }
}
