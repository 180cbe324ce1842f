import type { Principal } from '../../account.ts';
import type { Clock } from '../../platform/clock.ts';
import { MINUTE_MS } from '../../platform/units.ts';
import { decisionOf, type RateDecision } from './rate-decision.ts';
import { WindowTable } from './window.ts';

/**
 * Bounds what payment proofs that buy nothing may cost. Each is verified before anybody knows that, so a sender has as
 * many of them looked at in a minute as its plan allows requests.
 */
export interface FruitlessProofs {
  /** Whether one more proof of this sender is looked at. Counts nothing. */
  admit(sender: Principal): RateDecision;
  /** Counts a proof that was looked at and bought nothing. */
  note(sender: Principal): void;
}

export function createFruitlessProofs(clock: Clock, limitOf: (accountId: string) => number): FruitlessProofs {
  const windows = new WindowTable(MINUTE_MS);
  return {
    admit({ accountId }) {
      const now = clock.now();
      const limit = limitOf(accountId);
      const { window } = windows.of(accountId, now);
      return decisionOf(window, window.count(now) < limit, limit, now);
    },
    note({ accountId }) {
      const now = clock.now();
      windows.of(accountId, now).window.take(now, limitOf(accountId));
    },
  };
}
