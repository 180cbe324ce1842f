import { z } from 'zod';
import { type Hex, NETWORK_NAMES } from './networks.ts';

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

export const PrivateKey = z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'Give a private key: 0x and 64 hexadecimal digits.');

const CONFIRMATIONS_MAX = 64;

const AddressText = z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'Give an address: 0x and 40 hexadecimal digits.');

const Url = z.url({ protocol: /^https?$/, error: 'Give an absolute http or https URL.' }).max(2048);

export const PaymentSettings = z
  .strictObject({
    mode: z
      .enum(['sandbox', 'facilitator', 'onchain'])
      .describe('Who settles: the sandbox with play money, a remote facilitator, or this appliance with its own key.'),
    network: z.enum(NETWORK_NAMES),
    payTo: AddressText.nullable().describe('Address that is paid. Needed in every mode but the sandbox.'),
    asset: AddressText.nullable().describe("The asset's contract; null means the network's USDC."),
    extra: z
      .strictObject({ name: z.string().min(1).max(100), version: z.string().min(1).max(20) })
      .nullable()
      .describe("EIP-712 domain of the asset; null means that of the network's USDC."),
    rpcUrl: Url.nullable().describe(
      'JSON-RPC address of the chain. Needed on chain; with a facilitator it checks what the facilitator says.',
    ),
    facilitatorUrl: Url.nullable().describe(
      'Address in front of /verify and /settle. User and password in it are sent as Basic authorization.',
    ),
    v2Header: z.boolean().describe('Whether a 402 also carries the version 2 challenge in a header.'),
    confirmations: z.int().min(1).max(CONFIRMATIONS_MAX).describe('Blocks that must hold a settlement.'),
    payToShared: z
      .boolean()
      .describe('Whether other servers are paid at payTo too: then only what this one has settled buys a job here.'),
  })
  .meta({ id: 'PaymentSettings' });

export type PaymentSettings = z.infer<typeof PaymentSettings>;

/** What the owner may send: any of the fields, and the key. */
export const SettingsChange = PaymentSettings.partial().extend({
  privateKey: PrivateKey.nullable()
    .optional()
    .describe('Key that pays the gas. Written, never shown. Null removes it.'),
});

export type SettingsChange = z.infer<typeof SettingsChange>;

/** What flags and environment variables say: it wins over what is stored, and cannot be changed while running. */
export type FixedPaymentSettings = Partial<PaymentSettings> & { privateKey?: Hex | undefined };

/** Names the caller's demo wallet: `wallet` of an earlier answer. */
export const DEMO_WALLET_HEADER = 'X-Demo-Wallet';

/** 10,000 dollars of play money per call. */
const FAUCET_AMOUNT_MAX = 10_000_000_000;

export const FaucetRequest = z.strictObject({
  address: z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/, 'Give an address: 0x and 40 hexadecimal digits.')
    .optional()
    .describe("Receives the play money; by default the caller's demo wallet."),
  amount: z.int().min(1).max(FAUCET_AMOUNT_MAX).optional().describe('In the 6-decimal unit; 100000000 by default.'),
});
