import { canonicalText } from '../lib/canonical-text.ts';
import { KIB } from '../lib/units.ts';
import type { DueDelivery } from '../storage/webhooks-attempts.ts';
import type { LargePayload } from './large-payload.ts';
import type { JobPieces, WebhookParts } from './ports.ts';
import { type Payload, payloadOf } from './signing.ts';
import { testPayload } from './test-event.ts';

/** Results up to here are read many at once and made canonical where they are; longer ones on another thread. */
const MAX_INLINE_RESULT_BYTES = 32 * KIB;
/** What a delivery costs beside its result, in bytes to canonicalise and sign. */
const HEAD_BYTES = KIB;

type PayloadParts = Pick<WebhookParts, 'presentMany' | 'canonicalResult'>;

/** What a batch of deliveries tells: its jobs are read with one statement, and each is made ready once. */
export class Payloads {
  readonly #parts: PayloadParts;
  readonly #pieces: ReadonlyMap<string, JobPieces>;
  readonly #made = new Map<string, Payload | Promise<LargePayload | null>>();

  private constructor(parts: PayloadParts, pieces: ReadonlyMap<string, JobPieces>) {
    this.#parts = parts;
    this.#pieces = pieces;
  }

  static async of(parts: PayloadParts, deliveries: readonly DueDelivery[]): Promise<Payloads> {
    const jobIds = new Set(deliveries.flatMap((delivery) => (delivery.kind === 'job' ? [delivery.job_id] : [])));
    const none: ReadonlyMap<string, JobPieces> = new Map();
    return new Payloads(
      parts,
      jobIds.size === 0 ? none : await parts.presentMany([...jobIds], MAX_INLINE_RESULT_BYTES),
    );
  }

  /** How many bytes this thread walks to make a delivery ready. */
  sizeOf(delivery: DueDelivery): number {
    const result = this.#pieces.get(delivery.job_id)?.result;
    return HEAD_BYTES + (typeof result === 'string' ? result.length : 0);
  }

  /** Null when the job, or its result, is gone. */
  payloadFor(delivery: DueDelivery): Payload | null | Promise<LargePayload | null> {
    if (delivery.kind === 'test') return payloadOf(testPayload(delivery));
    const known = this.#made.get(delivery.job_id);
    if (known !== undefined) return known;
    const pieces = this.#pieces.get(delivery.job_id);
    if (pieces === undefined) return null;
    const { head, result } = pieces;
    const made =
      typeof result === 'string'
        ? payloadOf(head, { result: canonicalText(result) })
        : this.#largePayload(delivery.job_id, pieces);
    this.#made.set(delivery.job_id, made);
    return made;
  }

  async #largePayload(jobId: string, { head, fileUrls }: JobPieces): Promise<LargePayload | null> {
    const result = await this.#parts.canonicalResult(jobId, fileUrls);
    return result === null ? null : { ...payloadOf(head, { result: '' }), result };
  }
}
