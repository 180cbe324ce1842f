import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import { MINUTE_MS } from '../../platform/units.ts';

/** The desktop shell passes a code to its page, which exchanges it at once. */
const LIFE_MS = MINUTE_MS;
const CODES_MAX = 100;
const CODE_BYTES = 32;

/**
 * Codes that open one session each. The desktop shell holds the owner's token and signs its page in with a code, so
 * that the page never sees the token. Kept in memory: a code that a restart loses is asked for again.
 */
export class SignInCodes {
  readonly #clock: Clock;
  /** When each expires, by its hash, oldest first. */
  readonly #expiries = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  create(): { code: string; expiresAt: number } {
    const oldest = this.#expiries.keys().next().value;
    if (this.#expiries.size >= CODES_MAX && oldest !== undefined) this.#expiries.delete(oldest);
    const code = randomBytes(CODE_BYTES).toString('base64url');
    const expiresAt = this.#clock.now() + LIFE_MS;
    this.#expiries.set(hashOf(code), expiresAt);
    return { code, expiresAt };
  }

  /** Whether the code was given out and is neither used nor expired. It counts as used from now on. */
  use(code: string): boolean {
    const hash = hashOf(code);
    const expiresAt = this.#expiries.get(hash);
    this.#expiries.delete(hash);
    return expiresAt !== undefined && expiresAt > this.#clock.now();
  }
}

function hashOf(code: string): string {
  return createHash('sha256').update(code).digest('hex');
}
