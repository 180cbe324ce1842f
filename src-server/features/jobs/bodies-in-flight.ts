/**
 * Bounds the request bodies received at once. Threat: an unspent proof costs its sender nothing, and could hold a file
 * on disk for each of a thousand requests. A proof pays for one request, so it has one body in flight, and an account
 * has a few; the bodies of further requests wait unread, in their senders' sockets.
 */

import type { Principal } from '../../context.ts';
import { KeyedSlots } from '../../platform/concurrency.ts';

const PER_PROOF = 1;

const PER_ACCOUNT = 16;

export class BodiesInFlight {
  readonly #proofs = new KeyedSlots(PER_PROOF);
  readonly #accounts = new KeyedSlots(PER_ACCOUNT);

  /**
   * Waits until the body may be read, and gives back how to free its place. The owner does not wait.
   * @param signal stops the wait, whose promise then rejects with the signal's reason.
   */
  async enter(principal: Principal, proofKey: string | null, signal: () => AbortSignal): Promise<() => void> {
    if (principal.kind === 'owner') return () => {};
    const leaveProof = proofKey === null ? () => {} : await this.#proofs.enter(proofKey, signal);
    try {
      const leaveAccount = await this.#accounts.enter(principal.accountId, signal);
      return () => {
        leaveAccount();
        leaveProof();
      };
    } catch (error) {
      leaveProof();
      throw error;
    }
  }
}
