import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { Settings as SettingsSchema } from './features/dashboard/schema.ts';
import { type FixedPaymentSettings, PaymentSettings, PrivateKey } from './features/payments/schema.ts';
import type { Clock } from './platform/clock.ts';
import type { Storage } from './platform/db/database.ts';
import { QuarryError } from './platform/errors.ts';
import { dataDirFrom } from './platform/files/data-dir.ts';
import { flagProblem } from './platform/flag-errors.ts';
import { say, tell } from './platform/text/say.ts';

/**
 * One Ctrl+C may arrive several times: from the terminal, and from npm and the launcher, which forward it. Signals
 * within this time count as one.
 */
export const SAME_WISH_MS = 500;

/** Locations of the product's parts, in source or in a build. */
export interface Locations {
  /** Entry file of the worker threads. */
  workerEntry: URL;
  /** The built dashboard; null when there is none. */
  rendererFolder: URL | null;
  /** The product's data: reference guides, model catalogue, voices. */
  resourcesFolder: URL;
}

/** Derives the locations from the entry file, which differs between source and build. */
export function deriveLocations(entryUrl: string): Locations {
  const fromSource = entryUrl.endsWith('.ts');
  const workerEntry = fromSource ? new URL('../workers/entry.ts', entryUrl) : new URL('./workers/entry.mjs', entryUrl);
  const renderer = fromSource ? new URL('../out/renderer/', entryUrl) : new URL('../renderer/', entryUrl);
  const resourcesFolder = new URL(fromSource ? '../resources/' : '../../resources/', entryUrl);
  return {
    workerEntry,
    resourcesFolder,
    rendererFolder: existsSync(new URL('index.html', renderer)) ? renderer : null,
  };
}

/**
 * Options that are fixed at start-up: flags override environment variables, which override defaults (decisions 1).
 * Options that can change at run time are settings, see SettingsStore.
 */
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'] as const;

const PORT_RANGE = 'give a number from 0 to 65535';

export const Config = z.object({
  host: z.string().min(1, tell`give an address`),
  port: z
    .string()
    .regex(/^\d{1,5}$/, PORT_RANGE)
    .transform(Number)
    .pipe(z.number().max(65_535, PORT_RANGE)),
  dataDir: z.string().min(1, 'give a folder'),
  modelsDir: z.string().min(1, 'give a folder').optional(),
  logLevel: z.enum(LOG_LEVELS, `give one of ${LOG_LEVELS.join(', ')}`),
  payment: z.custom<FixedPaymentSettings>(),
  textServerKey: z.string().min(1).optional(),
  speechServerKey: z.string().min(1).optional(),
  publicUrl: SettingsSchema.shape.publicUrl.unwrap().unwrap().optional(),
  trustedProxies: SettingsSchema.shape.trustedProxies.unwrap().optional(),
  otlpEndpoint: z.url({ protocol: /^https?$/, error: tell`give an http or https URL` }).optional(),
});

export type Config = Readonly<z.infer<typeof Config>>;

const DEFAULT_HOST = '127.0.0.1';

const DEFAULT_PORT = '8402';

const { mode, network, payTo, asset, extra, rpcUrl, facilitatorUrl, confirmations } = PaymentSettings.shape;

const domain = extra.unwrap().shape;

const BLOCKS = `Give a whole number from ${confirmations.minValue} to ${confirmations.maxValue}.`;

/** Accepts `on` and `off`, and `true` and `false` from scripts. */
const Switch = z
  .enum(['on', 'off', 'true', 'false'], 'Give on or off.')
  .transform((value) => value === 'on' || value === 'true');

/** Payment settings as environment variables. They override the owner's settings. */
export const PAYMENT_VARIABLES: readonly PaymentVariable[] = [
  { name: 'QUARRY_SETTLEMENT', field: 'mode', schema: mode, means: 'sandbox, facilitator or onchain' },
  { name: 'QUARRY_NETWORK', field: 'network', schema: network, means: 'base-sepolia or base' },
  { name: 'QUARRY_PAY_TO', field: 'payTo', schema: payTo, means: 'Address that is paid' },
  { name: 'QUARRY_RPC_URL', field: 'rpcUrl', schema: rpcUrl, means: 'JSON-RPC of the chain' },
  {
    name: 'QUARRY_FACILITATOR_URL',
    field: 'facilitatorUrl',
    schema: facilitatorUrl,
    means: 'Base URL before /verify and /settle',
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
    means: 'Version of the EIP-712 domain',
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

export const CONFIG_HELP = `Options:
  --host <address>       Address to listen on (QUARRY_HOST, default ${DEFAULT_HOST})
  --port <number>        Port to listen on, 0 picks a free one (QUARRY_PORT, default ${DEFAULT_PORT})
  --data-dir <folder>    Where jobs, files, settings and keys are kept (QUARRY_DATA_DIR)
  --models-dir <folder>  Where models are kept (QUARRY_MODELS_DIR, default: models in the data folder)
  --log-level <level>    fatal, error, warn, info, debug or silent (QUARRY_LOG_LEVEL, default info)
  --public-url <url>     Address of the proxy in front, with its path (QUARRY_PUBLIC_URL); wins over the settings
  --otlp-endpoint <url>  OpenTelemetry collector for traces and metrics (OTEL_EXPORTER_OTLP_ENDPOINT, default: none)

Settlement (default: sandbox), by variables that win over the settings page:
${PAYMENT_VARIABLES.map(({ name, means }) => `  ${name.padEnd(24)}${means}`).join('\n')}

Proxies whose X-Forwarded-For counts, with commas: QUARRY_TRUSTED_PROXIES (wins over the settings).

Text and speech servers: QUARRY_TEXT_SERVER_KEY and QUARRY_SPEECH_SERVER_KEY, where they need a key.
`;

/**
 * @param argv the arguments after the command name
 * @param others flags of the command that are not here, for suggestions
 */
export function readConfig(
  argv: readonly string[],
  environment: NodeJS.ProcessEnv,
  others: readonly string[] = [],
): Config {
  const flags = readFlags(argv, others);
  /** An empty variable counts as not set. A flag without a value is an error, usually an empty variable in a script. */
  const flagOrVariable = (flag: keyof typeof flags, variable: string) =>
    flags[flag] ?? (environment[variable] || undefined);
  const parsed = Config.safeParse({
    host: flagOrVariable('host', 'QUARRY_HOST') ?? DEFAULT_HOST,
    port: flagOrVariable('port', 'QUARRY_PORT') ?? DEFAULT_PORT,
    dataDir: dataDirFrom(flags['data-dir'], environment),
    modelsDir: absoluteFolder(flagOrVariable('models-dir', 'QUARRY_MODELS_DIR')),
    logLevel: flagOrVariable('log-level', 'QUARRY_LOG_LEVEL') ?? 'info',
    payment: readPaymentVariables(environment),
    // The key stays out of the settings, which pages and logs may show.
    textServerKey: environment.QUARRY_TEXT_SERVER_KEY || undefined,
    speechServerKey: environment.QUARRY_SPEECH_SERVER_KEY || undefined,
    publicUrl: flagOrVariable('public-url', 'QUARRY_PUBLIC_URL'),
    trustedProxies: commaSeparatedEntries(environment.QUARRY_TRUSTED_PROXIES),
    otlpEndpoint: flags['otlp-endpoint'] ?? otlpEndpointOf(environment),
  });
  if (parsed.success) return Object.freeze(parsed.data);
  const [issue] = parsed.error.issues;
  const flag = String(issue?.path[0]).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const own = `QUARRY_${flag.replaceAll('-', '_').toUpperCase()}`;
  const message = issue?.message.replace(/\.$/, '');
  if (flag === 'trusted-proxies') throw new ConfigError(`${own} is not usable: ${message}.`);
  const variable = flag === 'otlp-endpoint' ? OTLP_ENDPOINT : own;
  throw new ConfigError(`--${flag}, or ${variable}, is not usable: ${message}.`);
}

/** Variables that all programs with OpenTelemetry share. */
const OTLP_ENDPOINT = 'OTEL_EXPORTER_OTLP_ENDPOINT';

function otlpEndpointOf(environment: NodeJS.ProcessEnv): string | undefined {
  if (environment.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return undefined;
  return environment[OTLP_ENDPOINT] || undefined;
}

function readFlags(argv: readonly string[], others: readonly string[]) {
  const text = { type: 'string' } as const;
  const folders = { 'data-dir': text, 'models-dir': text };
  const urls = { 'public-url': text, 'otlp-endpoint': text };
  const options = { host: text, port: text, ...folders, 'log-level': text, ...urls };
  try {
    return parseArgs({ args: [...argv], options, strict: true }).values;
  } catch (error) {
    throw new ConfigError(flagProblem(error, [...Object.keys(options), ...others], 'quarry'));
  }
}

/** The entries of a variable with commas; undefined where it is not set. */
function commaSeparatedEntries(variable: string | undefined): string[] | undefined {
  const entries = variable?.split(',').map((entry) => entry.trim());
  const given = entries?.filter((entry) => entry !== '');
  return given?.length === 0 ? undefined : given;
}

/** Keeps undefined: `resolve` would turn it into the current folder. */
function absoluteFolder(folder: string | undefined): string | undefined {
  return folder === undefined || folder === '' ? folder : resolve(folder);
}

/** An invalid flag or variable, as one sentence for the user. */
export class ConfigError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ConfigError';
  }
}

interface PaymentVariable {
  name: `QUARRY_${string}`;
  /** The setting that it fixes. Two variables form `extra`. */
  field: keyof PaymentSettings | 'privateKey' | 'extra.name' | 'extra.version';
  schema: z.ZodType;
  /** Description in the command line help. */
  means: string;
}

/** Reads the payment variables. Errors: `ConfigError` for an invalid one, without its value, which may be a key. */
function readPaymentVariables(environment: NodeJS.ProcessEnv): FixedPaymentSettings {
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

/** A message for enums. The other schemas have their own. */
function whatToGive(issue: z.core.$ZodRawIssue): string | undefined {
  return issue.code === 'invalid_value' ? `Give one of: ${issue.values.join(', ')}.` : undefined;
}

/** What the owner can change at run time. */
export type Settings = z.infer<typeof SettingsSchema>;

/** Settings fixed by flags and variables, which win over the owner's. */
export type FixedSettings = Partial<Pick<Settings, 'publicUrl' | 'trustedProxies'>>;

const FIXED_BY = { publicUrl: 'QUARRY_PUBLIC_URL or --public-url', trustedProxies: 'QUARRY_TRUSTED_PROXIES' };

/** The fixed settings of a configuration. */
export function fixedSettings({
  publicUrl,
  trustedProxies,
}: Partial<Pick<Config, keyof FixedSettings>>): FixedSettings {
  const fixed: FixedSettings = {};
  if (publicUrl !== undefined) fixed.publicUrl = publicUrl;
  if (trustedProxies !== undefined) fixed.trustedProxies = trustedProxies;
  return fixed;
}

/** The settings table, cached in memory: every request reads it, only the owner changes it. */
export class SettingsStore {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #fixed: FixedSettings;
  #current: Settings;

  private constructor(storage: Storage, clock: Clock, stored: Settings, fixed: FixedSettings) {
    this.#storage = storage;
    this.#clock = clock;
    this.#fixed = fixed;
    this.#current = { ...stored, ...fixed };
  }

  static openSettingsStore(storage: Storage, clock: Clock, fixed: FixedSettings = {}): SettingsStore {
    const rows = storage.db.queryAll(storage.db.selectFrom('settings').select(['name', 'value']));
    return new SettingsStore(storage, clock, settingsOf(rows), fixed);
  }

  get currentValues(): Readonly<Settings> {
    return this.#current;
  }

  /** Saves the given fields. The others keep their values. Errors: `invalid_request` for a fixed one. */
  changeStoredSettings(fields: Partial<Settings>): Settings {
    this.#refuseFixed(fields);
    const mergeChangedSettings = () => SettingsSchema.parse({ ...this.#current, ...fields });
    mergeChangedSettings();
    this.#storage.transaction((tx) => {
      for (const [name, value] of Object.entries(fields)) {
        const row = { value: JSON.stringify(value), updated_at: this.#clock.now() };
        tx.runStatement(
          tx
            .insertInto('settings')
            .values({ name, ...row })
            .onConflict((conflict) => conflict.column('name').doUpdateSet(row)),
        );
      }
    });
    // Merged again: another change may have been saved meanwhile.
    this.#current = mergeChangedSettings();
    return this.#current;
  }

  #refuseFixed(fields: Partial<Settings>): void {
    const names = (Object.keys(FIXED_BY) as (keyof FixedSettings)[]).filter(
      (name) =>
        this.#fixed[name] !== undefined &&
        fields[name] !== undefined &&
        JSON.stringify(fields[name]) !== JSON.stringify(this.#fixed[name]),
    );
    if (names.length === 0) return;
    throw new QuarryError('invalid_request', 'A setting is fixed by how Quarry was started.', {
      fields: names.map((path) => ({
        path,
        message: say`${FIXED_BY[path]} sets this. Change it there, and start Quarry again.`,
      })),
    });
  }
}

/** Rows that do not match the schema (from another version, or edited by hand) count as not set. */
export function settingsOf(rows: readonly { name: string; value: string }[]): Settings {
  const known: Record<string, unknown> = {};
  for (const { name, value } of rows) {
    const field = Object.hasOwn(SettingsSchema.shape, name) ? SettingsSchema.shape[name as keyof Settings] : undefined;
    const parsed = field?.safeParse(parseJsonOrUndefined(value));
    if (parsed?.success) known[name] = parsed.data;
  }
  return SettingsSchema.parse(known);
}

function parseJsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export interface SettingsTable {
  name: string;
  /** JSON. */
  value: string;
  updated_at: number;
}

declare module './platform/db/database.ts' {
  interface Database {
    settings: SettingsTable;
  }
}
