import { z } from 'zod';
import { DEMO_WALLET_HEADER, FaucetRequest, PaymentRequirements } from '../payments/schema.ts';
import { requirementsOf, SANDBOX_TERMS } from '../payments/service.ts';
import type { AnswerDescription, ParameterDescription, RouteDescription } from './route-description.ts';

/** x402's own shapes: what stands in them beyond this is the protocol's business, not ours. */
const FacilitatorRequest = z.looseObject({
  x402Version: z.union([z.literal(1), z.literal(2)]).optional(),
  paymentPayload: z.looseObject({ x402Version: z.number() }).describe('The decoded value of `X-PAYMENT`.'),
  paymentRequirements: z
    .looseObject({ scheme: z.string(), network: z.string() })
    .describe('The `accepts` entry it was made for.'),
});

const SupportedKinds = z.looseObject({
  kinds: z.array(z.looseObject({ x402Version: z.int(), scheme: z.string(), network: z.string() })),
});

const Verification = z.looseObject({
  isValid: z.boolean(),
  invalidReason: z.string().optional().describe('One of x402’s own codes.'),
  payer: z.string().optional(),
});

const Settlement = z.looseObject({
  success: z.boolean(),
  errorReason: z.string().optional().describe('One of x402’s own codes.'),
  payer: z.string().optional(),
  transaction: z.string(),
  network: z.string(),
});

const EXAMPLE_PRICE = { amount: 140_000, timeoutSeconds: 300 };

const EXAMPLE_REQUIREMENTS = requirementsOf(
  SANDBOX_TERMS,
  { operationId: 'extract/doc', summary: 'Extract the text of a document as chunks', price: EXAMPLE_PRICE },
  EXAMPLE_PRICE,
);

const PAYER = `0x${'a1'.repeat(20)}`;

/** As the sandbox's demo wallet would sign it; the signature itself is made up. */
const EXAMPLE_PAYLOAD = {
  x402Version: 1,
  scheme: EXAMPLE_REQUIREMENTS.scheme,
  network: EXAMPLE_REQUIREMENTS.network,
  payload: {
    signature: `0x${'5b'.repeat(64)}1c`,
    authorization: {
      from: PAYER,
      to: EXAMPLE_REQUIREMENTS.payTo,
      value: EXAMPLE_REQUIREMENTS.maxAmountRequired,
      validAfter: '1772443200',
      validBefore: '1772444100',
      nonce: `0x${'7e'.repeat(32)}`,
    },
  },
};

const EXAMPLE_REQUEST = {
  x402Version: 1,
  paymentPayload: EXAMPLE_PAYLOAD,
  paymentRequirements: EXAMPLE_REQUIREMENTS,
};

const json = (status: number, description: string, schema: z.ZodType, example: unknown): AnswerDescription => ({
  status,
  description,
  content: { mediaType: 'application/json', schema, example },
});

const unreadable = (schema: z.ZodType, example: unknown) =>
  json(400, 'The request could not be read as x402 at all.', schema, example);

const EXAMPLE_WALLET = 'dwl_3q2-7wAAAAAAAAAAAAAAAAAAAAA';

const DemoWalletName = z
  .string()
  .optional()
  .describe('A secret that names the demo wallet. Absent in answers to the owner.');

const DEMO_WALLET: ParameterDescription = {
  name: DEMO_WALLET_HEADER,
  in: 'header',
  required: false,
  description: '`wallet` of an earlier answer, to use that demo wallet again.',
  schema: z.string(),
  example: EXAMPLE_WALLET,
};

const common = { scope: 'origin', tag: 'Payments', auth: 'none' } as const;

const BODY_ERRORS = [
  'rate_limited',
  'body_too_large',
  'unsupported_content_type',
  'storage_full',
  'storage_unavailable',
  'shutting_down',
] as const;

/** Routes of the local facilitator (payments/routes.ts); for staging the same stand under /staging/facilitator. */
export const FACILITATOR_ROUTES: readonly RouteDescription[] = [
  {
    ...common,
    method: 'get',
    path: '/facilitator/supported',
    operationId: 'getSupportedPayments',
    summary: 'Which payments the facilitator takes',
    description: 'Each kind by x402 version, scheme and network.',
    parameters: [
      {
        name: 'version',
        in: 'query',
        required: false,
        description: 'Only kinds of this x402 version: old clients refuse an answer that names newer ones.',
        schema: z.enum(['1', '2']),
        example: '1',
      },
    ],
    answers: [
      json(200, 'The kinds.', SupportedKinds, {
        kinds: [{ x402Version: 1, scheme: 'exact', network: 'base-sepolia' }],
        extensions: [],
        signers: {},
      }),
    ],
    errors: ['invalid_request'],
  },
  {
    ...common,
    method: 'post',
    path: '/facilitator/verify',
    operationId: 'verifyPayment',
    summary: 'Check whether a payment would settle',
    description: 'Changes nothing. A payment that would not settle is an answer with `isValid` false, not an error.',
    request: { schema: FacilitatorRequest, example: EXAMPLE_REQUEST },
    answers: [
      json(200, 'Whether it would.', Verification, { isValid: true, payer: PAYER }),
      unreadable(Verification, { isValid: false, invalidReason: 'invalid_payload' }),
    ],
    errors: BODY_ERRORS,
  },
  {
    ...common,
    method: 'post',
    path: '/facilitator/settle',
    operationId: 'settlePayment',
    summary: 'Settle a payment',
    description: 'Moves the money. The payment then waits for the request that is sent with the same proof.',
    request: { schema: FacilitatorRequest, example: EXAMPLE_REQUEST },
    answers: [
      json(200, 'Whether it did.', Settlement, {
        success: true,
        payer: PAYER,
        transaction: `0x${'0f'.repeat(32)}`,
        network: 'base-sepolia',
      }),
      unreadable(Settlement, {
        success: false,
        errorReason: 'invalid_payload',
        transaction: '',
        network: 'base-sepolia',
      }),
    ],
    errors: BODY_ERRORS,
  },
  {
    ...common,
    method: 'post',
    path: '/facilitator/pay',
    operationId: 'payInSandbox',
    summary: 'Let a demo wallet pay (sandbox)',
    description:
      'Send one entry of `accepts`; the answer is the value for `X-PAYMENT`. In the sandbox only. Each call pays ' +
      'from a new wallet, unless it names the one of an earlier call. A wallet is an account: only requests that are ' +
      'paid from the same wallet find its results through `POST /search`.',
    parameters: [DEMO_WALLET],
    request: { schema: z.looseObject(PaymentRequirements.shape), example: EXAMPLE_REQUIREMENTS },
    answers: [
      json(200, 'Signed.', z.object({ payload: z.string().describe('Base64.'), wallet: DemoWalletName }), {
        payload: Buffer.from(JSON.stringify(EXAMPLE_PAYLOAD)).toString('base64'),
        wallet: EXAMPLE_WALLET,
      }),
    ],
    errors: ['invalid_request', 'unauthorized', 'conflict', ...BODY_ERRORS],
  },
  {
    ...common,
    method: 'post',
    path: '/facilitator/faucet',
    operationId: 'getPlayMoney',
    summary: 'Get play money (sandbox)',
    description: 'Fills a wallet of the sandbox: the one named, or a demo wallet. In the sandbox only.',
    parameters: [DEMO_WALLET],
    request: { schema: FaucetRequest, example: { amount: 100_000_000 } },
    answers: [
      json(
        200,
        'The wallet with its new balance.',
        z.object({
          address: z.string(),
          balance: z.int().describe('In the 6-decimal unit.'),
          demo: z.boolean().describe('Whether it is a wallet whose key the sandbox holds.'),
          wallet: DemoWalletName,
        }),
        { address: PAYER, balance: 100_000_000, demo: true, wallet: EXAMPLE_WALLET },
      ),
    ],
    errors: ['invalid_request', 'unauthorized', 'conflict', ...BODY_ERRORS],
  },
];
