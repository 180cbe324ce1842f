import { z } from 'zod';
import { say } from '../../platform/text/say.ts';
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

export const PrivateKey = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/, say`Give a private key: 0x and 64 hexadecimal digits.`);

const CONFIRMATIONS_MAX = 64;

const AddressText = z.string().regex(/^0x[0-9a-fA-F]{40}$/, say`Give an address: 0x and 40 hexadecimal digits.`);

const Url = z.url({ protocol: /^https?$/, error: say`Give an absolute http or https URL.` }).max(2048);

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
    .regex(/^0x[0-9a-fA-F]{40}$/, say`Give an address: 0x and 40 hexadecimal digits.`)
    .optional()
    .describe("Receives the play money; by default the caller's demo wallet."),
  amount: z.int().min(1).max(FAUCET_AMOUNT_MAX).optional().describe('In the 6-decimal unit; 100000000 by default.'),
});

const Time = z.iso.datetime({ precision: 3 });

const AmountText = z.string().describe('In the 6-decimal unit, as text.');

/** A payment as the owner sees it. The proof itself is not shown: it is the right to ask for the job. */
export const LedgerEntry = z
  .object({
    paymentId: z.string(),
    status: z.enum(['reserved', 'settled', 'failed']),
    mode: PaymentSettings.shape.mode,
    x402Version: z.int(),
    operationId: z.string().nullable(),
    jobId: z.string().nullable(),
    batchId: z.string().nullable().describe('The batch that was bought instead of a job.'),
    payer: z.string(),
    payTo: z.string(),
    network: z.string(),
    asset: z.string(),
    nonce: z.string(),
    amount: AmountText,
    price: z.string().nullable(),
    transaction: z.string().nullable(),
    errorCode: z.string().nullable(),
    challenge: z.unknown().describe('The `accepts` entry that was paid.'),
    verifiedAt: Time,
    broadcastAt: Time.nullable(),
    settledAt: Time.nullable(),
    failedAt: Time.nullable(),
    rerun: z
      .object({ expiresAt: Time, usedAt: Time.nullable() })
      .nullable()
      .describe('The free run after a fault of the appliance.'),
  })
  .meta({ id: 'Payment' });

export type LedgerEntry = z.infer<typeof LedgerEntry>;

export const LedgerPage = z.object({ payments: z.array(LedgerEntry), nextCursor: z.string().nullable() });

const Sum = { payments: z.int().min(0), amount: AmountText };

/** `play`: payments of the sandbox. `real`: all others. They are never added up. */
export const MoneyKind = z.enum(['play', 'real']);

export type MoneyKind = z.infer<typeof MoneyKind>;

/** Sums in the 6-decimal unit. Play money and real money are never added. */
export const Paid = z.object({ play: z.string(), real: z.string() });

export type Paid = z.infer<typeof Paid>;

export const LedgerSummary = z
  .object({
    money: MoneyKind.describe('What is summed: play money of the sandbox, or real money. They are never added up.'),
    kinds: z.array(MoneyKind).describe('The kinds of money that ever settled.'),
    from: Time,
    to: Time,
    total: z.object(Sum),
    byDay: z.array(z.object({ day: z.string(), ...Sum })).describe('By day of the time zone, `2026-11-29`.'),
    byOperation: z.array(z.object({ operationId: z.string().nullable(), ...Sum })),
    byPayer: z.array(z.object({ payer: z.string(), ...Sum })),
    challenges: z.array(
      z.object({
        day: z.string().describe('Of UTC.'),
        operationId: z.string(),
        error: z.string().nullable().describe('Null where no proof was given.'),
        answers: z.int().min(0),
      }),
    ),
  })
  .meta({ id: 'PaymentSummary' });

const Price = { amount: z.int(), timeoutSeconds: z.int() };

export const PriceView = z
  .object({
    operationId: z.string(),
    summary: z.string(),
    ...Price,
    declared: z.object(Price),
    history: z.array(z.object({ ...Price, previousAmount: z.int(), previousTimeoutSeconds: z.int(), changedAt: Time })),
  })
  .meta({ id: 'Price' });

const SettlementCheck = z.object({ name: z.string(), ok: z.boolean(), detail: z.string() });

export type SettlementCheck = z.infer<typeof SettlementCheck>;

export const SettlementView = z
  .object({
    settings: PaymentSettings.extend({
      hasPrivateKey: z.boolean(),
      fixedFields: z.array(z.string()).describe('Fields that the environment decides.'),
      terms: z
        .object({
          network: z.string(),
          asset: z.string(),
          payTo: z.string(),
          extra: z.object({ name: z.string(), version: z.string() }),
        })
        .describe('What the settings come to.'),
    }).meta({ id: 'SettlementSettings' }),
    status: z.object({
      mode: PaymentSettings.shape.mode,
      ready: z.boolean().describe('Whether every check passes.'),
      checks: z.array(SettlementCheck),
      open: z.int().min(0).describe('Reservations without an outcome.'),
    }),
  })
  .meta({ id: 'Settlement' });

export type SettlementView = z.infer<typeof SettlementView>;

export const SandboxAccount = z
  .object({
    address: z.string(),
    balance: z.int().describe('In the 6-decimal unit.'),
    demo: z.boolean().describe('Whether it is a wallet whose key the sandbox holds.'),
  })
  .meta({ id: 'SandboxWallet' });

export type SandboxAccount = z.infer<typeof SandboxAccount>;

/** Whether what a payment bought is a batch, by its id. */
export function isBatchId(id: string): boolean {
  return id.startsWith('bat_');
}
