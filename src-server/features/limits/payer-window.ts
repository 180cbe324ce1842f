import type { Context, MiddlewareHandler } from 'hono';
import type { Principal } from '../../context.ts';
import type { Operation } from '../../operation.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { type GateOpening, type PaymentGate, type ProofSource, proofSourceOf } from '../jobs/service.ts';
import type { Order } from '../payments/service.ts';
import { countAgainstLimits, refuseOverLimit, setRateFields } from './rate-limit.ts';
import type { Limits } from './service.ts';

/**
 * Counts a request that brings a payment proof. A proof that verifies counts in its payer's window, every other one in
 * the sender's, as an unpaid request does (decisions 5).
 *
 * Threats:
 * - A flood of proofs that buy nothing: each costs the verification of a signature, so a sender has only as many of
 *   them verified per minute as its plan allows requests. Unpaid requests do not use up this number, so they keep no
 *   paid request of the same address out.
 * - Replays of a payer's spent proof, which is public on a chain, to use up the payer's window: a spent proof counts
 *   for its sender.
 *
 * @param orderOf what the proof pays for; null where the request does not say so, and is refused later
 */
export function payerWindow(
  gate: PaymentGate,
  limits: Limits,
  orderOf: (context: Context<HttpEnv>) => Order | null,
): MiddlewareHandler<HttpEnv> {
  return async (context, next) => {
    const sender = context.get('principal');
    if (sender.kind === 'owner' || !bringsProof(context)) return next();
    const order = orderOf(context);
    if (order === null) return next();
    admitProof(context, limits, sender);
    const opening = await gate.open(order, proofSourceOf(context)).catch((error: unknown) => {
      limits.fruitlessProofs.noteFruitlessProof(sender);
      countAgainstLimits(limits, context, sender);
      throw error;
    });
    const payer = payerOf(opening);
    const decision = limits.takeRateToken(payer ?? sender);
    if (payer === null || !decision.allowed) limits.fruitlessProofs.noteFruitlessProof(sender);
    context.set('opening', opening);
    context.set('counted', decision);
    return next();
  };
}

/**
 * The same for a call without a request of its own, such as that of a tool: its request was counted for the sender.
 * Errors: `rate_limited`, `settlement_unavailable`.
 */
export async function openForPayer(
  gate: PaymentGate,
  limits: Limits,
  operation: Operation,
  { sender, ...source }: ProofSource & { sender: Principal },
): Promise<GateOpening> {
  const order = { operationId: operation.id };
  if (source.rawHeaders.length === 0) return gate.open(order, source);
  refuseOverLimit(limits.fruitlessProofs.admitProofSender(sender));
  const opening = await gate.open(order, source).catch((error: unknown) => {
    limits.fruitlessProofs.noteFruitlessProof(sender);
    throw error;
  });
  const payer = payerOf(opening);
  const decision = payer === null ? null : limits.takeRateToken(payer);
  if (decision === null || !decision.allowed) limits.fruitlessProofs.noteFruitlessProof(sender);
  if (decision !== null) refuseOverLimit(decision);
  return opening;
}

/** Before a signature is verified. Errors: `rate_limited`. */
function admitProof(context: Context<HttpEnv>, limits: Limits, sender: Principal): void {
  const admission = limits.fruitlessProofs.admitProofSender(sender);
  if (admission.allowed) return;
  setRateFields(context, admission);
  refuseOverLimit(admission);
}

/** The account whose window counts; null where the proof does not show that the payer sent it. */
function payerOf(opening: GateOpening): Principal | null {
  if (opening.kind === 'refused' || opening.spent) return null;
  return { kind: 'payer', accountId: opening.payer };
}

function bringsProof({ env }: Context<HttpEnv>): boolean {
  const { headers } = env.incoming;
  return headers['x-payment'] !== undefined || headers['payment-signature'] !== undefined;
}
