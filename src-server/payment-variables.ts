import { z } from 'zod';
import { ConfigError } from './config-error.ts';
import { type FixedPaymentSettings, PaymentSettings, PrivateKey } from './features/payments/settings.ts';

const { mode, network, payTo, asset, extra, rpcUrl, facilitatorUrl, confirmations } = PaymentSettings.shape;
const domain = extra.unwrap().shape;
const BLOCKS = `Give a whole number from ${confirmations.minValue} to ${confirmations.maxValue}.`;

/** `on` and `off` are said by people, `true` and `false` by scripts. */
const Switch = z
  .enum(['on', 'off', 'true', 'false'], 'Say on or off.')
  .transform((value) => value === 'on' || value === 'true');

interface PaymentVariable {
  name: `QUARRY_${string}`;
  /** The setting it fixes; the two halves of `extra` are put together from a variable each. */
  field: keyof PaymentSettings | 'privateKey' | 'extra.name' | 'extra.version';
  schema: z.ZodType;
  /** What it is, for the command line's help. */
  means: string;
}

/** Settlement by environment variables: what is set there wins over the owner's settings. */
export const PAYMENT_VARIABLES: readonly PaymentVariable[] = [
  { name: 'QUARRY_SETTLEMENT', field: 'mode', schema: mode, means: 'sandbox, facilitator or onchain' },
  { name: 'QUARRY_NETWORK', field: 'network', schema: network, means: 'base-sepolia or base' },
  { name: 'QUARRY_PAY_TO', field: 'payTo', schema: payTo, means: 'Address that is paid' },
  { name: 'QUARRY_RPC_URL', field: 'rpcUrl', schema: rpcUrl, means: 'JSON-RPC of the chain' },
  {
    name: 'QUARRY_FACILITATOR_URL',
    field: 'facilitatorUrl',
    schema: facilitatorUrl,
    means: 'What stands in front of /verify and /settle',
  },
  { name: 'QUARRY_PRIVATE_KEY', field: 'privateKey', schema: PrivateKey, means: 'Key that pays the gas' },
  { name: 'QUARRY_ASSET', field: 'asset', schema: asset, means: "The asset's contract, when it is not USDC" },
  {
    name: 'QUARRY_ASSET_NAME',
    field: 'extra.name',
    schema: domain.name,
    means: "Name in the asset's EIP-712 domain",
  },
  {
    name: 'QUARRY_ASSET_VERSION',
    field: 'extra.version',
    schema: domain.version,
    means: 'Version in the same',
  },
  {
    name: 'QUARRY_CONFIRMATIONS',
    field: 'confirmations',
    schema: z.coerce.number(BLOCKS).refine((blocks) => confirmations.safeParse(blocks).success, BLOCKS),
    means: 'Blocks that must hold a settlement',
  },
  {
    name: 'QUARRY_PAY_TO_SHARED',
    field: 'payToShared',
    schema: Switch,
    means: 'Whether other servers are paid at the same address: on or off',
  },
  {
    name: 'QUARRY_V2_HEADER',
    field: 'v2Header',
    schema: Switch,
    means: 'Version 2 challenge in a header of the 402: on or off',
  },
];

/** What the variables fix. Errors: `ConfigError` for one that is not usable; its value, perhaps a key, is not said. */
export function readPaymentVariables(environment: NodeJS.ProcessEnv): FixedPaymentSettings {
  const given = new Map<string, unknown>();
  for (const { name, field, schema } of PAYMENT_VARIABLES) {
    const value = environment[name];
    if (value === undefined || value === '') continue;
    const parsed = schema.safeParse(value, { error: whatToGive });
    if (!parsed.success) throw new ConfigError(`${name} is not usable: ${parsed.error.issues[0]?.message}`);
    given.set(field, parsed.data);
  }
  const [assetName, assetVersion] = [given.get('extra.name'), given.get('extra.version')];
  given.delete('extra.name');
  given.delete('extra.version');
  if ((assetName === undefined) !== (assetVersion === undefined)) {
    throw new ConfigError('QUARRY_ASSET_NAME and QUARRY_ASSET_VERSION belong together: set both, or neither.');
  }
  if (assetName !== undefined) given.set('extra', { name: assetName, version: assetVersion });
  return Object.fromEntries(given) as FixedPaymentSettings;
}

/** For lists of words; the other schemas bring their sentence along. */
function whatToGive(issue: z.core.$ZodRawIssue): string | undefined {
  return issue.code === 'invalid_value' ? `Give one of: ${issue.values.join(', ')}.` : undefined;
}
