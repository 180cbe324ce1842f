/**
 * How payments are settled, and who may know what about it. Threat: the settlement key leaks through an answer, a log
 * or an error. It is stored apart from the other settings, no function here gives it back beside them, and it is read
 * from its variable or row only where a transaction is signed.
 */
import { z } from 'zod';
import { QuarryError } from '../contract/errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { Storage } from '../storage/connection.ts';
import { paymentSetting } from '../storage/payments-reader.ts';
import { writePaymentSetting } from '../storage/payments-writer.ts';
import { type Hex, NETWORK_NAMES } from './networks.ts';

const CONFIRMATIONS_MAX = 64;
const SETTINGS_NAME = 'payments.settlement';
const KEY_NAME = 'payments.privateKey';

const Address = z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'Give an address: 0x and 40 hexadecimal digits.');
const Url = z.url({ protocol: /^https?$/, error: 'Give an absolute http or https URL.' }).max(2048);

export const PrivateKey = z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'Give a private key: 0x and 64 hexadecimal digits.');

export const PaymentSettings = z
  .strictObject({
    mode: z
      .enum(['sandbox', 'facilitator', 'onchain'])
      .describe('Who settles: the sandbox with play money, a remote facilitator, or this appliance with its own key.'),
    network: z.enum(NETWORK_NAMES),
    payTo: Address.nullable().describe('Address that is paid. Needed in every mode but the sandbox.'),
    asset: Address.nullable().describe("The asset's contract; null means the network's USDC."),
    extra: z
      .strictObject({ name: z.string().min(1).max(100), version: z.string().min(1).max(20) })
      .nullable()
      .describe("EIP-712 domain of the asset; null means that of the network's USDC."),
    rpcUrl: Url.nullable().describe(
      'JSON-RPC address of the chain. Needed on chain; with a facilitator it checks what the facilitator says.',
    ),
    facilitatorUrl: Url.nullable().describe('Address in front of /verify and /settle.'),
    v2Header: z.boolean().describe('Whether a 402 also carries the version 2 challenge in a header.'),
    confirmations: z.int().min(1).max(CONFIRMATIONS_MAX).describe('Blocks that must hold a settlement.'),
  })
  .meta({ id: 'PaymentSettings' });
export type PaymentSettings = z.infer<typeof PaymentSettings>;

const DEFAULTS: PaymentSettings = {
  mode: 'sandbox',
  network: 'base-sepolia',
  payTo: null,
  asset: null,
  extra: null,
  rpcUrl: null,
  facilitatorUrl: null,
  v2Header: true,
  confirmations: 1,
};

/** What the owner may send: any of the fields, and the key. */
export const SettingsChange = PaymentSettings.partial().extend({
  privateKey: PrivateKey.nullable()
    .optional()
    .describe('Key that pays the gas. Written, never shown. Null removes it.'),
});
export type SettingsChange = z.infer<typeof SettingsChange>;

/** What flags and environment variables say: it wins over what is stored, and cannot be changed while running. */
export type FixedPaymentSettings = Partial<PaymentSettings> & { privateKey?: Hex | undefined };

/**
 * The fields that are missing for the settings' mode, each with what to do. Throws `invalid_request` when there are
 * any.
 */
export function checkSettings(settings: PaymentSettings, hasPrivateKey: boolean): void {
  const fields: { path: string; message: string }[] = [];
  const need = (present: boolean, path: string, message: string) => {
    if (!present) fields.push({ path, message });
  };
  if (settings.mode !== 'sandbox') need(settings.payTo !== null, 'payTo', 'Give the address that is paid.');
  if (settings.mode !== 'sandbox' && settings.asset !== null) {
    need(settings.extra !== null, 'extra', "Give the name and version of the asset's EIP-712 domain.");
  }
  if (settings.mode === 'onchain') {
    need(settings.rpcUrl !== null, 'rpcUrl', "Give the address of the chain's JSON-RPC.");
    need(hasPrivateKey, 'privateKey', 'Give the key that pays the gas.');
  }
  if (settings.mode === 'facilitator') need(settings.facilitatorUrl !== null, 'facilitatorUrl', 'Give its address.');
  if (fields.length === 0) return;
  throw new QuarryError('invalid_request', `Settlement by ${settings.mode} needs more than was given.`, { fields });
}

/** The stored settings under what is fixed from outside. */
export class SettingsKeeper {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #fixed: FixedPaymentSettings;
  /** What the owner has set, without what is fixed over it. */
  #stored: PaymentSettings;
  #current: PaymentSettings;
  #privateKey: Hex | null;

  private constructor(
    parts: { storage: Storage; clock: Clock; fixed: FixedPaymentSettings },
    stored: { settings: PaymentSettings; privateKey: Hex | null },
  ) {
    this.#storage = parts.storage;
    this.#clock = parts.clock;
    this.#fixed = parts.fixed;
    this.#stored = stored.settings;
    this.#current = this.#overlay(stored.settings);
    this.#privateKey = parts.fixed.privateKey ?? stored.privateKey;
  }

  /** Stored settings that no longer fit the schema stop the start: guessing where money goes is worse. */
  static async open(storage: Storage, clock: Clock, fixed: FixedPaymentSettings): Promise<SettingsKeeper> {
    const stored = (await paymentSetting(storage.db, SETTINGS_NAME)) as Partial<PaymentSettings> | undefined;
    const settings = PaymentSettings.parse({ ...DEFAULTS, ...stored });
    const key = PrivateKey.nullable().parse((await paymentSetting(storage.db, KEY_NAME)) ?? null);
    const keeper = new SettingsKeeper({ storage, clock, fixed }, { settings, privateKey: key as Hex | null });
    checkSettings(keeper.current, keeper.privateKey !== null);
    return keeper;
  }

  get current(): Readonly<PaymentSettings> {
    return this.#current;
  }

  /** For the signer only. */
  get privateKey(): Hex | null {
    return this.#privateKey;
  }

  /** Names of the fields that flags or the environment decide. */
  get fixedFields(): string[] {
    return Object.entries(this.#fixed).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  }

  /** What `change` would make of the settings, checked. Errors: `invalid_request`, `conflict` for a fixed field. */
  preview(change: SettingsChange): PaymentSettings {
    const { privateKey, ...fields } = change;
    for (const name of this.fixedFields) {
      if (!Object.hasOwn(change, name)) continue;
      throw new QuarryError('conflict', `${name} is set by the environment: change it there and start Quarry again.`);
    }
    const next = this.#overlay({ ...this.#stored, ...fields });
    checkSettings(next, privateKey === undefined ? this.#privateKey !== null : privateKey !== null);
    return next;
  }

  async store(change: SettingsChange): Promise<void> {
    this.preview(change);
    const { privateKey: _, ...fields } = change;
    const next = PaymentSettings.parse({ ...this.#stored, ...fields });
    const now = this.#clock.now();
    await this.#storage.transaction(async (tx) => {
      await writePaymentSetting(tx, SETTINGS_NAME, next, now);
      if (change.privateKey !== undefined) await writePaymentSetting(tx, KEY_NAME, change.privateKey, now);
    });
    this.#stored = next;
    this.#current = this.#overlay(next);
    if (change.privateKey !== undefined) this.#privateKey = change.privateKey as Hex | null;
  }

  #overlay(stored: object): PaymentSettings {
    const { privateKey: _, ...fields } = this.#fixed;
    const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
    return PaymentSettings.parse({ ...stored, ...given });
  }
}
