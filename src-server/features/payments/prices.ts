import type { Price } from '../../operation.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Storage } from '../../platform/db/database.ts';
import { QuarryError } from '../../platform/errors.ts';
import { SECOND_MS } from '../../platform/units.ts';
import { insertPriceChange, type PriceChangeRow, priceChanges } from './store.ts';

/** A paid operation as its module declares it. */
export interface PricedOperation {
  operationId: string;
  summary: string;
  price: Price;
  /** A valid request, for catalogues of paid services. */
  example?: Record<string, unknown>;
}

/** What a payment buys: one request to an operation, or a batch of them. */
export interface Order {
  operationId: string;
  /** Items of a batch, which costs as much as that many requests. Absent for one request. */
  items?: number | undefined;
}

type PriceChange = Omit<PriceChangeRow, 'seq'>;

/**
 * What each operation costs: the declared price, or the owner's last edit. A challenge from
 * before an edit can be paid at its price until its own window closes.
 */
export class PriceBook {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #operations: Map<string, PricedOperation>;
  readonly #changes = new Map<string, PriceChange[]>();

  private constructor(storage: Storage, clock: Clock, operations: readonly PricedOperation[]) {
    this.#storage = storage;
    this.#clock = clock;
    this.#operations = new Map(operations.map((operation) => [operation.operationId, operation]));
  }

  static openPriceBook(storage: Storage, clock: Clock, operations: readonly PricedOperation[]): PriceBook {
    const book = new PriceBook(storage, clock, operations);
    for (const row of priceChanges(storage.db)) book.#rememberPriceChange(row);
    return book;
  }

  get pricedOperations(): readonly PricedOperation[] {
    return [...this.#operations.values()];
  }

  /** Throws `not_found` for an operation without a price. */
  pricedOperation(operationId: string): PricedOperation {
    const operation = this.#operations.get(operationId);
    if (operation) return operation;
    throw new QuarryError('not_found', `There is no paid operation ${operationId}: GET /admin/prices lists them.`);
  }

  currentPrice(operationId: string): Price {
    const last = this.priceHistory(operationId).at(-1);
    return last
      ? { amount: last.amount, timeoutSeconds: last.timeout_seconds }
      : this.pricedOperation(operationId).price;
  }

  /** What an order costs now. Throws `not_found`. */
  costOf({ operationId, items }: Order): Price {
    return multiplyPrice(this.currentPrice(operationId), items);
  }

  /** The same with each price that may still be paid, as `open`. */
  openCostsOf({ operationId, items }: Order, at?: number): Price[] {
    return this.openPricesOf(operationId, at).map((price) => multiplyPrice(price, items));
  }

  /**
   * Every price a challenge may have named whose window is still open, or was at a time before; the current one first.
   */
  openPricesOf(operationId: string, at = this.#clock.now()): Price[] {
    const former = this.priceHistory(operationId)
      .filter((change) => change.changed_at + change.previous_timeout_seconds * SECOND_MS > at)
      .map((change) => ({ amount: change.previous_amount, timeoutSeconds: change.previous_timeout_seconds }));
    return [this.currentPrice(operationId), ...former];
  }

  /** The smallest amount that buys anything. */
  smallestAmount(): number {
    return Math.min(
      ...this.pricedOperations.flatMap(({ operationId }) => this.openPricesOf(operationId).map(({ amount }) => amount)),
    );
  }

  /** Edits of an operation's price, oldest first. */
  priceHistory(operationId: string): readonly PriceChange[] {
    return this.#changes.get(operationId) ?? [];
  }

  /** From now on challenges name `price`. Throws `not_found`. */
  changeOperationPrice(operationId: string, price: Price): void {
    const previous = this.currentPrice(operationId);
    const row = {
      operation_id: operationId,
      amount: price.amount,
      timeout_seconds: price.timeoutSeconds,
      previous_amount: previous.amount,
      previous_timeout_seconds: previous.timeoutSeconds,
      changed_at: this.#clock.now(),
    };
    this.#storage.transaction((tx) => insertPriceChange(tx, row));
    this.#rememberPriceChange(row);
  }

  #rememberPriceChange(change: PriceChange): void {
    this.#changes.set(change.operation_id, [...this.priceHistory(change.operation_id), change]);
  }
}

function multiplyPrice({ amount, timeoutSeconds }: Price, items = 1): Price {
  return { amount: amount * items, timeoutSeconds };
}
