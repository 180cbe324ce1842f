import { othersTurn } from '../../platform/concurrency.ts';
import { DAY_MS, HOUR_MS } from '../../platform/units.ts';
import { deleteExpiredSelection, deleteOldDeliveries } from './delivery-store.ts';
import type { WebhookDeps } from './sender.ts';
import { deleteForgottenWebhooks, wipeExpiredSecrets } from './store.ts';
import { deleteIdleQueues } from './store-queues.ts';

/** How long a delivery and its attempts stay in the log: as long as its job is remembered. */
const DELIVERY_RETENTION_MS = 30 * DAY_MS;

const SWEEP_MS = HOUR_MS;

/** Deliveries per transaction, so that a sweep never holds the database for long. */
const BATCH = 200;

/** Entries of an expired selection per transaction: two numbers each. */
const ITEMS_PER_BATCH = 2000;

/** Forgets what nobody needs any more: old deliveries, rotated secrets, deleted webhooks, old selections. */
export class WebhookRetention {
  readonly #deps: WebhookDeps;
  #timer: NodeJS.Timeout | null = null;
  #sweep: Promise<void> | null = null;
  #closing = false;

  constructor(deps: WebhookDeps) {
    this.#deps = deps;
  }

  start(): void {
    const sweep = () => {
      this.#sweep ??= this.sweep()
        .catch((error: unknown) => this.#deps.log.error({ err: error }, 'Old deliveries could not be removed.'))
        .finally(() => {
          this.#sweep = null;
        });
    };
    this.#timer = setInterval(sweep, SWEEP_MS);
    sweep();
  }

  async close(): Promise<void> {
    this.#closing = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#sweep;
  }

  /** One pass over everything that is due. */
  async sweep(): Promise<void> {
    const { storage, clock } = this.#deps;
    const now = clock.now();
    const before = now - DELIVERY_RETENTION_MS;
    let deleted = BATCH;
    while (deleted === BATCH && !this.#closing) {
      deleted = storage.transaction((tx) => deleteOldDeliveries(tx, before, BATCH));
      await othersTurn();
    }
    let isClean = false;
    while (!isClean && !this.#closing) {
      isClean = storage.transaction((tx) => deleteExpiredSelection(tx, now, ITEMS_PER_BATCH));
      await othersTurn();
    }
    storage.transaction((tx) => {
      wipeExpiredSecrets(tx, now);
      deleteForgottenWebhooks(tx, before);
      deleteIdleQueues(tx);
    });
  }
}
