import type { Price } from '../../operation.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Storage } from '../../platform/db/database.ts';
import { base64Json } from '../../platform/text/json.ts';
import { DAY_MS, SECOND_MS } from '../../platform/units.ts';
import type { PricedOperation } from './prices.ts';
import type { PaymentChallenge, PaymentRequirements } from './schema.ts';
import type { Terms } from './settings.ts';
import { addChallengeCount } from './store.ts';

/** The version 2 form of the same entry. */
interface RequirementsV2 {
  scheme: 'exact';
  network: string;
  amount: string;
  asset: string;
  payTo: string;
  maxTimeoutSeconds: number;
  extra: { name: string; version: string };
}

/** One `accepts` entry, version 1, to the letter of the interface specification. */
export function requirementsOf(terms: Terms, operation: PricedOperation, price: Price): PaymentRequirements {
  return {
    scheme: 'exact',
    network: terms.network.name,
    maxAmountRequired: String(price.amount),
    resource: `POST /${operation.operationId}`,
    description: operation.summary,
    mimeType: 'application/json',
    payTo: terms.payTo,
    maxTimeoutSeconds: price.timeoutSeconds,
    asset: terms.asset,
    extra: terms.extra,
  };
}

function requirementsV2Of(terms: Terms, price: Price): RequirementsV2 {
  return {
    scheme: 'exact',
    network: terms.network.caip2,
    amount: String(price.amount),
    asset: terms.asset,
    payTo: terms.payTo,
    maxTimeoutSeconds: price.timeoutSeconds,
    extra: terms.extra,
  };
}

/**
 * The body of a 402. Stock version 1 clients insist on a URL in `resource`, which the specification does not show: they
 * ask for it, everyone else gets the literal form.
 */
export function challengeBody(requirements: PaymentRequirements, resourceUrl: string | null, error: string | null) {
  const entry = resourceUrl === null ? requirements : { ...requirements, resource: resourceUrl };
  return { x402Version: 1, accepts: [entry], error } satisfies PaymentChallenge;
}

/** The value of `PAYMENT-REQUIRED`: the version 2 challenge in base64. */
function challengeHeader(
  operation: PricedOperation,
  requirements: RequirementsV2,
  resourceUrl: string,
  error: string | null,
): string {
  return base64Json({
    x402Version: 2,
    error: error ?? 'Payment required',
    resource: { url: resourceUrl, description: operation.summary, mimeType: 'application/json' },
    accepts: [requirements],
  });
}

/** A 402: its body and headers. Handed out more than once, so nobody may change it. */
export interface Challenge {
  readonly body: PaymentChallenge;
  readonly headers: Readonly<Record<string, string>>;
}

/** Everything that a challenge says. */
interface Quote {
  operation: PricedOperation;
  price: Price;
  terms: Terms;
  /** Absolute address of the operation. */
  url: string;
  /** Whether the version 2 challenge goes along in a header. */
  v2Header: boolean;
  /** x402's code when a proof was refused. */
  error: string | null;
  resourceAsUrl: boolean;
}

/**
 * Makes each challenge once, and again when anything it says has changed: in a flood of unpaid requests the same few
 * are asked for thousands of times a second. There is one for each operation and code, so they stay few.
 */
export class ChallengeBook {
  readonly #made = new Map<string, { quote: Quote; challenge: Challenge }>();

  of(quote: Quote): Challenge {
    const key = `${quote.operation.operationId} ${quote.error} ${quote.resourceAsUrl}`;
    const made = this.#made.get(key);
    if (made && saysTheSame(made.quote, quote)) return made.challenge;
    const challenge = challengeOf(quote);
    this.#made.set(key, { quote, challenge });
    return challenge;
  }
}

function saysTheSame(one: Quote, other: Quote): boolean {
  return (
    one.price.amount === other.price.amount &&
    one.price.timeoutSeconds === other.price.timeoutSeconds &&
    one.terms === other.terms &&
    one.url === other.url &&
    one.v2Header === other.v2Header
  );
}

function challengeOf({ operation, price, terms, url, v2Header, error, resourceAsUrl }: Quote): Challenge {
  const headers: Record<string, string> = { 'Cache-Control': 'no-store' };
  if (v2Header) headers['PAYMENT-REQUIRED'] = challengeHeader(operation, requirementsV2Of(terms, price), url, error);
  return { body: challengeBody(requirementsOf(terms, operation, price), resourceAsUrl ? url : null, error), headers };
}

const FLUSH_EVERY_MS = 15 * SECOND_MS;

/**
 * Counts 402 answers per day, operation and code. Threat: a flood of unpaid requests fills the disk or keeps the
 * database busy. So an answer only raises a number in memory; the numbers go to the database a few times a minute and
 * at the end. What a killed process loses is at most the last of these spans, and no money hangs on it. Operations and
 * codes are closed lists, so the numbers stay few.
 */
export class ChallengeCounts {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #timer: NodeJS.Timeout;
  #counts = new Map<string, { day: number; operation_id: string; code: string; answers: number }>();

  /** @param onError told when a flush fails; the numbers are kept for the next one. */
  constructor(storage: Storage, clock: Clock, onError: (error: unknown) => void) {
    this.#storage = storage;
    this.#clock = clock;
    this.#timer = setInterval(() => {
      try {
        this.flush();
      } catch (error) {
        onError(error);
      }
    }, FLUSH_EVERY_MS);
    this.#timer.unref();
  }

  add(operationId: string, code: string | null): void {
    const day = Math.floor(this.#clock.now() / DAY_MS) * DAY_MS;
    this.#raise({ day, operation_id: operationId, code: code ?? '', answers: 1 });
  }

  flush(): void {
    if (this.#counts.size === 0) return;
    const counts = [...this.#counts.values()];
    this.#counts = new Map();
    try {
      this.#storage.transaction((tx) => {
        for (const count of counts) addChallengeCount(tx, count);
      });
    } catch (error) {
      for (const count of counts) this.#raise(count);
      throw error;
    }
  }

  close(): void {
    clearInterval(this.#timer);
    this.flush();
  }

  #raise(count: { day: number; operation_id: string; code: string; answers: number }): void {
    const key = `${count.day} ${count.operation_id} ${count.code}`;
    const known = this.#counts.get(key);
    if (known) known.answers += count.answers;
    else this.#counts.set(key, { ...count });
  }
}
