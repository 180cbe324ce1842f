import { createHash } from 'node:crypto';
import type { Storage, Tx } from '../../platform/db/database.ts';
import { say } from '../../platform/text/say.ts';
import { type Refused, refusedPayment } from './codes.ts';
import type { Hex } from './networks.ts';
import type { Terms } from './settings.ts';
import type { Settled, Settlement, SignedAuthorization, Verified } from './settlement.ts';
import { isMalleable, isSignedBy, isUndeployedWallet } from './signature.ts';
import { moveSandboxMoney, type PaymentRow, sandboxBalance } from './store.ts';

/** Play money, true signatures: everything a chain would check is checked here, and nothing leaves the machine. */
export function sandboxSettlement(storage: Storage, terms: Terms): Settlement {
  const verifySandboxProof = async (proof: SignedAuthorization): Promise<Verified | Refused> => {
    const { authorization, signature } = proof;
    if (!(await isSignedBy(terms, authorization, signature))) {
      return refusedPayment(
        isUndeployedWallet(signature)
          ? 'invalid_exact_evm_payload_undeployed_smart_wallet'
          : 'invalid_exact_evm_payload_signature',
      );
    }
    if (isMalleable(signature)) return refusedPayment('invalid_exact_evm_payload_signature');
    const balance = sandboxBalance(storage.db, authorization.from);
    return BigInt(balance) < authorization.value ? refusedPayment('insufficient_funds') : { kind: 'verified' };
  };
  return {
    mode: 'sandbox',
    verify: verifySandboxProof,
    move: { kind: 'immediate', settle: moveMoney },
    signer: async () => null,
    contractSignature: null,
    checks: async () => [
      { name: 'sandbox', ok: true, detail: say`Payments are made with play money on this machine.` },
    ],
  };
}

/** The balance may have gone to another payment since it was verified: then nothing moves. */
function moveMoney(tx: Tx, payment: PaymentRow, now: number): Settled | Refused {
  if (!moveSandboxMoney(tx, payment.payer, -payment.amount, now)) return refusedPayment('invalid_transaction_state');
  if (!moveSandboxMoney(tx, payment.pay_to, payment.amount, now)) {
    throw new Error('The receiver of the sandbox cannot hold more play money.');
  }
  return { kind: 'settled', transactionHash: sandboxTransaction(payment.id) };
}

/** The sandbox's stand-in for a transaction hash: the same payment always has the same one. */
function sandboxTransaction(paymentId: string): Hex {
  return `0x${createHash('sha256').update(paymentId).digest('hex')}`;
}
