/**
 * Bounds the request bodies received at once. Threat: an unspent proof costs its sender nothing, and could hold a file
 * on disk for each of a thousand requests. A proof pays for one request, so it has one body in flight. An account has a
 * few, and so has an address, which may sign with any number of wallets. The bodies of further requests wait unread in
 * their senders' sockets.
 */

import { KeyedSemaphore } from '../concurrency.ts';
import { sniffFile } from '../files/sniff.ts';
import { createUploads, type FreeDisk } from '../files/uploads.ts';
import type { RunTask } from '../pool/worker-pool.ts';
import { MINUTE_MS } from '../units.ts';
import type { BodyParts } from './body.ts';

/** Who sends a body. The owner does not wait. */
interface Sender {
  kind: 'owner' | 'payer' | 'anonymous';
  accountId: string;
}

const PER_PROOF = 1;
const PER_ACCOUNT = 16;
/** Several payers may share an address. */
const PER_SENDER = 64;

export class BodiesInFlight {
  readonly #proofs = new KeyedSemaphore(PER_PROOF);
  readonly #accounts = new KeyedSemaphore(PER_ACCOUNT);
  readonly #senders = new KeyedSemaphore(PER_SENDER);

  /**
   * Waits until the body may be read. Returns a function that frees its place. The owner does not wait.
   *
   * @param sender the account that the request came from, before its proof named the payer.
   * @param signal stops the wait, which then rejects with the signal's reason.
   */
  async enterBodyReading(
    { payer, sender, proofKey }: { payer: Sender; sender: Sender; proofKey: string | null },
    signal: () => AbortSignal,
  ): Promise<() => void> {
    if (payer.kind === 'owner') return () => {};
    const held: (() => void)[] = [];
    const leaveBodyReading = () => {
      for (const free of held.splice(0)) free();
    };
    try {
      if (proofKey !== null) held.push(await this.#proofs.acquireKeySlot(proofKey, signal));
      held.push(await this.#accounts.acquireKeySlot(payer.accountId, signal));
      held.push(await this.#senders.acquireKeySlot(sender.accountId, signal));
      return leaveBodyReading;
    } catch (error) {
      leaveBodyReading();
      throw error;
    }
  }
}

/** Time limit for parsing a body, from the moment it has a thread. */
const BODY_PARSE_LIMIT_MS = MINUTE_MS;

/** What reading a body needs: the platform's part, and the bound on bodies in flight. */
export type BodyReading = BodyParts & { inFlight: BodiesInFlight };

export interface BodyPartsInput {
  /** Of the environment; uploads get a folder in it. */
  folder: string;
  freeDisk: FreeDisk;
  runTask: RunTask;
}

/** Reads request bodies: files to disk, large JSON in a worker, kinds of files by their bytes. */
export async function bodyParts({ folder, freeDisk, runTask }: BodyPartsInput): Promise<BodyReading> {
  return {
    uploads: await createUploads({ folder: `${folder}/uploads`, freeDisk }),
    inFlight: new BodiesInFlight(),
    parseLargeJson: (input) =>
      runTask('read-json-body', input, { accountId: 'requests', timeLimitMs: BODY_PARSE_LIMIT_MS }),
    sniff: sniffFile,
  };
}
