/**
 * How payments are settled, and who may know what about it. Threat: the settlement key leaks through an answer, a log,
 * an error or a copy of the database. It is kept in a file of its own, apart from the other settings, no function here
 * gives it back beside them, and it is used only where a transaction is signed.
 */

import type { Clock } from '../../platform/clock.ts';
import type { Storage } from '../../platform/db/database.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { SecretFile } from '../../platform/files/private-files.ts';
import { type Address, type Hex, NETWORKS, type Network } from './networks.ts';
import { type FixedPaymentSettings, PaymentSettings, PrivateKey, type SettingsChange } from './schema.ts';
import { paymentSetting, removePaymentSetting, writePaymentSetting } from './store.ts';

const SETTINGS_NAME = 'payments.settlement';

/** Where the key lay before it had a file of its own. */
const FORMER_KEY_NAME = 'payments.privateKey';

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
  payToShared: false,
};

/**
 * The fields that are missing for the settings' mode, each with what to do. Throws `invalid_request` when there are
 * any.
 */
function checkSettings(settings: PaymentSettings, hasPrivateKey: boolean): void {
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

export interface KeeperDeps {
  storage: Storage;
  clock: Clock;
  fixed: FixedPaymentSettings;
  /** Where the key lies that the owner has set. */
  keyFile: SecretFile;
}

/** The stored settings under what is fixed from outside. */
export class SettingsKeeper {
  readonly #deps: KeeperDeps;
  /** What the owner has set, without what is fixed over it. */
  #stored: PaymentSettings;
  #current: PaymentSettings;
  #privateKey: Hex | null;

  private constructor(deps: KeeperDeps, stored: PaymentSettings) {
    this.#deps = deps;
    this.#stored = stored;
    this.#current = this.#overlay(stored);
    this.#privateKey = deps.fixed.privateKey ?? readKey(deps.keyFile);
  }

  /** Stored settings that no longer fit the schema stop the start: guessing where money goes is worse. */
  static open(deps: KeeperDeps): SettingsKeeper {
    moveFormerKey(deps);
    const stored = paymentSetting(deps.storage.db, SETTINGS_NAME) as Partial<PaymentSettings> | undefined;
    const keeper = new SettingsKeeper(deps, PaymentSettings.parse({ ...DEFAULTS, ...stored }));
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
    return Object.entries(this.#deps.fixed).flatMap(([name, value]) => (value === undefined ? [] : [name]));
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

  store(change: SettingsChange): void {
    this.preview(change);
    const { privateKey, ...fields } = change;
    const next = PaymentSettings.parse({ ...this.#stored, ...fields });
    const { storage, clock } = this.#deps;
    // A key without the settings that want it does no harm; settings without their key would not start again.
    if (typeof privateKey === 'string') this.#keepKey(privateKey as Hex);
    storage.transaction((tx) => writePaymentSetting(tx, SETTINGS_NAME, next, clock.now()));
    this.#stored = next;
    this.#current = this.#overlay(next);
    if (privateKey === null) this.#keepKey(null);
  }

  #keepKey(key: Hex | null): void {
    this.#deps.keyFile.write(key);
    this.#privateKey = key;
  }

  #overlay(stored: object): PaymentSettings {
    const { privateKey: _, ...fields } = this.#deps.fixed;
    const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
    return PaymentSettings.parse({ ...stored, ...given });
  }
}

/** A database from before keys had a file gives its key away, once. */
function moveFormerKey({ storage, keyFile }: KeeperDeps): void {
  const former = paymentSetting(storage.db, FORMER_KEY_NAME);
  if (former === undefined) return;
  if (typeof former === 'string') keyFile.write(former);
  storage.transaction((tx) => removePaymentSetting(tx, FORMER_KEY_NAME));
}

/** What is no key is said so without a word of what it is. */
function readKey(file: SecretFile): Hex | null {
  const key = PrivateKey.nullable().safeParse(file.read());
  if (key.success) return key.data as Hex | null;
  throw new Error('The file settlement-key in the data folder holds no private key: 0x and 64 hexadecimal digits.');
}

/** What a payment must be made in, to whom: the part of a challenge that is the same for every operation. */
export interface Terms {
  network: Network;
  asset: Address;
  payTo: Address;
  /** The EIP-712 domain of the asset: without its true values no signature verifies. */
  extra: { name: string; version: string };
}

/**
 * The sandbox's terms are fixed. Circle's asset says domain version 2 on the chain and the sandbox says 1, so that no
 * signature made for play money can ever move real money, and the receiver is an address nobody has the key of.
 */
export const SANDBOX_TERMS: Terms = {
  network: NETWORKS['base-sepolia'],
  asset: NETWORKS['base-sepolia'].usdc.asset,
  payTo: '0xF76A1F070812A0Fa71FC299fab3Acba3214FCb98',
  extra: { name: 'USDC', version: '1' },
};

/** Throws when a mode that moves real money has no receiver: `checkSettings` refuses such settings before. */
export function termsOf(settings: PaymentSettings): Terms {
  if (settings.mode === 'sandbox') return SANDBOX_TERMS;
  if (settings.payTo === null) throw new Error('payTo is missing.');
  const network = NETWORKS[settings.network];
  return {
    network,
    asset: (settings.asset ?? network.usdc.asset) as Address,
    payTo: settings.payTo as Address,
    extra: settings.extra ?? network.usdc.extra,
  };
}
