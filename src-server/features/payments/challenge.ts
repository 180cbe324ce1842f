import type { Price } from '../../operation.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Storage } from '../../platform/db/database.ts';
import { base64Json } from '../../platform/text/json.ts';
import { DAY_MS, SECOND_MS } from '../../platform/units.ts';
import { discoveryOf, toolDiscoveryOf } from './discovery.ts';
import { OFFER_RECEIPT, type OfferSigner } from './offers.ts';
import type { Order, PricedOperation } from './prices.ts';
import { PAYMENT_IDENTIFIER, PAYMENT_IDENTIFIER_DECLARATION } from './proof.ts';
import type { PaymentChallenge, PaymentRequirements } from './schema.ts';
import type { Terms } from './settings.ts';
import { addChallengeCount } from './store.ts';

/** One `accepts` entry, version 1, to the letter of the interface specification. */
export function requirementsOf(
  terms: Terms,
  operation: PricedOperation,
  price: Price,
  items?: number,
): PaymentRequirements {
  return {
    scheme: 'exact',
    network: terms.network.name,
    maxAmountRequired: String(price.amount),
    resource: `POST /${orderPath({ operationId: operation.operationId, items })}`,
    description: describePurchase(operation, items),
    mimeType: 'application/json',
    payTo: terms.payTo,
    maxTimeoutSeconds: price.timeoutSeconds,
    asset: terms.asset,
    extra: terms.extra,
  };
}

/** Path and query of an order, without the leading slash. */
export function orderPath({ operationId, items }: Order): string {
  return items === undefined
    ? operationId
    : `batches?${new URLSearchParams({ operation: operationId, items: `${items}` })}`;
}

function describePurchase({ summary }: PricedOperation, items: number | undefined): string {
  return items === undefined ? summary : `${summary}: a batch of ${items}`;
}

/** The version 2 form of the same entry. */
function requirementsV2Of(terms: Terms, price: Price) {
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
 * ask for it. All others get the literal form.
 */
export function challengeBody(requirements: PaymentRequirements, resourceUrl: string | null, error: string | null) {
  const entry = resourceUrl === null ? requirements : { ...requirements, resource: resourceUrl };
  return { x402Version: 1, accepts: [entry], error } satisfies PaymentChallenge;
}

interface ChallengeV2 {
  document: object;
  /** In base64: the value of `PAYMENT-REQUIRED`. */
  header: string;
}

const CHALLENGES_KEPT = 256;

/** Version 2 challenges of the last seconds: one is signed and encoded once, however many requests are not paid. */
export class ChallengesV2 {
  readonly #known = new Map<string, ChallengeV2>();

  challengeForQuote(quote: Quote): ChallengeV2 {
    const { url, error, tool, price, terms, now } = quote;
    const terse = [terms.network.caip2, terms.asset, terms.payTo, price.amount, price.timeoutSeconds];
    const name = [url, error, tool, Math.floor(now / SECOND_MS), ...terse].join(' ');
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    if (this.#known.size >= CHALLENGES_KEPT) this.#known.clear();
    const document = challengeV2Of(quote);
    const made = { document, header: base64Json(document) };
    this.#known.set(name, made);
    return made;
  }
}

function challengeV2Of({ operation, items, price, terms, url, error, tool, signer, now }: Quote) {
  const entry = requirementsV2Of(terms, price);
  const example = items === undefined ? operation.example : undefined;
  const { maxTimeoutSeconds, extra: _, ...offered } = entry;
  const validUntil = Math.floor(now / SECOND_MS) + maxTimeoutSeconds;
  return {
    x402Version: 2,
    error: error ?? 'Payment required',
    resource: { url, description: describePurchase(operation, items), mimeType: 'application/json' },
    accepts: [entry],
    extensions: {
      bazaar:
        example === undefined ? undefined : tool === undefined ? discoveryOf(example) : toolDiscoveryOf(tool, example),
      [PAYMENT_IDENTIFIER]: PAYMENT_IDENTIFIER_DECLARATION,
      [OFFER_RECEIPT]: signer.offerExtension({ resourceUrl: url, ...offered, validUntil }),
    },
  };
}

/** A 402: its body and headers, and the version 2 challenge for interfaces that have no such header. */
export interface Challenge {
  body: PaymentChallenge;
  headers: Record<string, string>;
  v2: object;
}

interface Quote {
  operation: PricedOperation;
  /** See Order. */
  items: number | undefined;
  price: Price;
  terms: Terms;
  /** Of the request, absolute, or of its tool. */
  url: string;
  /** Name of the tool that was called. */
  tool?: string | undefined;
  signer: OfferSigner;
  now: number;
  /** Whether a header carries the version 2 challenge. */
  v2Header: boolean;
  /** x402's code when a proof was refused. */
  error: string | null;
  resourceAsUrl: boolean;
}

export function challengeOf(challenges: ChallengesV2, quote: Quote): Challenge {
  const { operation, items, price, terms, url, v2Header, error, resourceAsUrl } = quote;
  const headers: Record<string, string> = { 'Cache-Control': 'no-store' };
  const { document: v2, header } = challenges.challengeForQuote(quote);
  if (v2Header) headers['PAYMENT-REQUIRED'] = header;
  const body = challengeBody(requirementsOf(terms, operation, price, items), resourceAsUrl ? url : null, error);
  return { body, headers, v2 };
}

const FLUSH_EVERY_MS = 15 * SECOND_MS;

/**
 * Counts 402 answers per day, operation and code. Threat: a flood of unpaid requests must not fill the disk or occupy
 * the database. Counts stay in memory and are written a few times a minute and at the end; a killed process loses only
 * the latest. Operations and codes are closed lists, so there are few counts.
 */
export class ChallengeCounts {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #timer: NodeJS.Timeout;
  readonly #counts = new Map<string, { day: number; operation_id: string; code: string; answers: number }>();

  /** @param onError called when the counts could not be written. They are kept for the next time. */
  constructor(storage: Storage, clock: Clock, onError: (error: unknown) => void) {
    this.#storage = storage;
    this.#clock = clock;
    this.#timer = setInterval(() => {
      try {
        this.flushChallengeCounts();
      } catch (error) {
        onError(error);
      }
    }, FLUSH_EVERY_MS).unref();
  }

  countChallenge(operationId: string, code: string | null): void {
    const day = Math.floor(this.#clock.now() / DAY_MS) * DAY_MS;
    const count = { day, operation_id: operationId, code: code ?? '', answers: 0 };
    const key = `${day} ${operationId} ${code}`;
    const known = this.#counts.get(key) ?? count;
    known.answers += 1;
    this.#counts.set(key, known);
  }

  flushChallengeCounts(): void {
    if (this.#counts.size === 0) return;
    this.#storage.transaction((tx) => {
      for (const count of this.#counts.values()) addChallengeCount(tx, count);
    });
    this.#counts.clear();
  }

  closeChallengeCounts(): void {
    clearInterval(this.#timer);
    this.flushChallengeCounts();
  }
}
