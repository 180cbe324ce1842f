import type { Principal } from '../../context.ts';
import type { Operation } from '../../operation.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import { recordOf } from '../../platform/records.ts';
import { base64Json } from '../../platform/text/json.ts';
import { type GateOpening, PaymentRefused } from '../jobs/service.ts';

/**
 * Payment of a tool's call by x402's transport for MCP: the proof and the receipt are in `_meta`, and what has to be
 * paid is the structured content of an error. Proofs take the same way as those in the headers of HTTP.
 */
const PROOF = 'x402/payment';

const RECEIPT = 'x402/payment-response';

/** Verifies a proof in the form of HTTP headers; none is a refusal with the challenge. */
export type OpenPayment = (
  operation: Operation,
  from: { sender: Principal; rawHeaders: readonly string[]; tool: string },
) => Promise<GateOpening>;

type Meta = Record<string, unknown> | undefined;

/** Errors: PaymentRefused with what has to be paid, `rate_limited`, `settlement_unavailable`. */
export async function openPayment(
  open: OpenPayment,
  operation: Operation,
  { sender, meta, tool }: { sender: Principal; meta: Meta; tool: string },
) {
  const opening = await open(operation, { sender, rawHeaders: proofHeaders(meta?.[PROOF]), tool });
  if (opening.kind === 'refused') throw new PaymentRefused(opening);
  return opening;
}

function proofHeaders(proof: unknown): string[] {
  if (proof === undefined) return [];
  const isFirst = typeof proof === 'object' && proof !== null && 'x402Version' in proof && proof.x402Version === 1;
  return [isFirst ? 'X-PAYMENT' : 'PAYMENT-SIGNATURE', base64Json(proof)];
}

/** The receipt of a settled payment for `_meta`. */
export function receiptOf(headers: Record<string, string> = {}): { _meta?: Record<string, unknown> } {
  const receipt = headers['PAYMENT-RESPONSE'] ?? headers['X-PAYMENT-RESPONSE'];
  if (receipt === undefined) return {};
  return { _meta: { [RECEIPT]: parseOwnJson(Buffer.from(receipt, 'base64').toString()) } };
}

/** What has to be paid, as the result of the tool. Clients without structured content read the text. */
export function paymentRequiredAnswer({ refusal }: PaymentRefused) {
  const required = recordOf(refusal.v2);
  const text = JSON.stringify({ 'x402/error': { code: 402, message: required.error, data: required } });
  return { isError: true, structuredContent: required, content: [{ type: 'text' as const, text }] };
}
