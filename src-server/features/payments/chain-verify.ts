import type { ChainClient } from './chain-client.ts';
import { type Refused, refused } from './codes.ts';
import type { Hex } from './networks.ts';
import type { SignedAuthorization, Verified } from './settlement.ts';
import { isMalleable, isSignedBy, isUndeployedWallet } from './signature.ts';
import type { Terms } from './terms.ts';

const VERIFIED: Verified = { kind: 'verified' };

/**
 * Whether a proof would settle, by the chain's own word. Contract wallets (ERC-1271) are judged by the chain; wallets
 * that are not deployed are refused, since deploying what a caller names, with our key, is an open door. Throws when
 * the chain cannot be asked.
 */
export async function verifyOnChain(
  chain: ChainClient,
  { terms, payToShared }: { terms: Terms; payToShared: boolean },
  proof: SignedAuthorization,
  sender: Hex,
): Promise<Verified | Refused> {
  const { authorization, signature } = proof;
  const plain = await isSignedBy(terms, authorization, signature);
  if (plain && isMalleable(signature)) return refused('invalid_exact_evm_payload_signature');
  if (!plain && !(await chain.hasCode(authorization.from))) {
    const undeployed = isUndeployedWallet(signature);
    return refused(
      undeployed ? 'invalid_exact_evm_payload_undeployed_smart_wallet' : 'invalid_exact_evm_payload_signature',
    );
  }
  if (await chain.wouldTransfer(proof, sender)) return VERIFIED;
  const state = await chain.stateOf(authorization);
  if (state === 'used') {
    // Another server that is paid at the same address may have given a job for it.
    if (payToShared) return refused('duplicate_settlement');
    // Somebody was faster, with the same authorization. If it paid us, it is paid.
    return (await chain.findTransfer(authorization)) === null ? refused('invalid_transaction_state') : VERIFIED;
  }
  if (state === 'pending') return VERIFIED;
  if ((await chain.balanceOf(authorization.from)) < authorization.value) return refused('insufficient_funds');
  return refused(plain ? 'invalid_transaction_state' : 'invalid_exact_evm_payload_signature');
}
