import { z } from 'zod';

/** One acceptable payment (x402 version 1, to the letter of the interface specification). */
export const PaymentRequirements = z
  .object({
    scheme: z.literal('exact'),
    network: z.string(),
    maxAmountRequired: z.string().regex(/^\d+$/).describe('Integer amount in the 6-decimal unit of the asset.'),
    resource: z.string().describe('Method and path of the operation, for example POST /crawl.'),
    description: z.string(),
    mimeType: z.literal('application/json'),
    payTo: z.string(),
    maxTimeoutSeconds: z.int().positive(),
    asset: z.string(),
    extra: z.object({ name: z.string(), version: z.string() }),
  })
  .meta({ id: 'PaymentRequirements' });
export type PaymentRequirements = z.infer<typeof PaymentRequirements>;

/** The body of a 402. `error` is null without a proof, else x402's own code for the refusal. */
export const PaymentChallenge = z
  .object({
    x402Version: z.literal(1),
    accepts: z.array(PaymentRequirements),
    error: z.string().nullable(),
  })
  .meta({ id: 'PaymentChallenge' });
export type PaymentChallenge = z.infer<typeof PaymentChallenge>;

/** What an operation costs. `amount` is in the 6-decimal unit of the asset: 140000 is 0.14 USDC. */
export interface Price {
  amount: number;
  timeoutSeconds: number;
}
