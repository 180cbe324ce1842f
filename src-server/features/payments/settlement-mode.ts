/**
 * The settlement settings in force, and the settlement that follows from them. Threat: the settlement key leaks through
 * an answer, a log, an error or a copy of the database. It has its own file, and is read only where a transaction is
 * signed.
 */

import type { EnvironmentName } from '../../operation.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Storage } from '../../platform/db/database.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { SecretFile } from '../../platform/files/private-files.ts';
import { recordOf } from '../../platform/records.ts';
import { SECOND_MS } from '../../platform/units.ts';
import type { ChainClient, ChainDeps } from './chain-client.ts';
import type { Hex } from './networks.ts';
import { onchainSettlement } from './onchain.ts';
import { facilitatorSettlement } from './remote-facilitator.ts';
import { sandboxSettlement } from './sandbox.ts';
import {
  type FixedPaymentSettings,
  PaymentSettings,
  PrivateKey,
  type SettingsChange,
  type SettlementCheck,
  type SettlementView,
} from './schema.ts';
import { checkSettings, DEFAULT_SETTINGS, paymentTermsOf, type Terms } from './settings.ts';
import type { Settlement } from './settlement.ts';
import { checkAddresses } from './signature.ts';
import {
  countOpenPayments,
  openSettlements,
  paymentSetting,
  removePaymentSetting,
  writePaymentSetting,
} from './store.ts';

const SETTINGS_NAME = 'payments.settlement';

/** The former place of the key. */
const FORMER_KEY_NAME = 'payments.privateKey';

/** How long the result of the checks is reused. */
const CHECKS_FRESH_MS = 5 * SECOND_MS;

interface SettlementModeDeps {
  environment: EnvironmentName;
  storage: Storage;
  clock: Clock;
  /** Settings that flags and environment variables decide. */
  fixed: FixedPaymentSettings;
  /** The file of the key that the owner has set. */
  keyFile: SecretFile;
  baseUrl(): string;
}

export class SettlementMode {
  readonly #deps: SettlementModeDeps;
  /** The owner's settings, without those that are fixed. */
  #stored: PaymentSettings;
  #privateKey: Hex | null;
  #current: PaymentSettings;
  #terms: Terms;
  #settlement: Settlement;
  #checked: { at: number; checks: Promise<SettlementCheck[]> } | null = null;

  private constructor(deps: SettlementModeDeps, stored: PaymentSettings) {
    this.#deps = deps;
    this.#stored = stored;
    this.#privateKey = deps.fixed.privateKey ?? readKey(deps.keyFile);
    this.#current = this.#withFixed(stored);
    checkSettings(this.#current, this.#privateKey !== null);
    this.#terms = paymentTermsOf(this.#current);
    this.#settlement = this.#makeSettlement();
  }

  /**
   * Staging is always the sandbox. Stored settings that no longer fit the schema stop the
   * start: guessing where money goes is worse.
   */
  static async openSettlementMode(deps: SettlementModeDeps): Promise<SettlementMode> {
    await checkAddresses(deps.fixed);
    moveFormerKey(deps);
    const fixed = deps.environment === 'staging' ? stagingSettings(deps.fixed) : deps.fixed;
    const stored = recordOf(paymentSetting(deps.storage.db, SETTINGS_NAME));
    return new SettlementMode({ ...deps, fixed }, PaymentSettings.parse({ ...DEFAULT_SETTINGS, ...stored }));
  }

  get currentPaymentSettings(): Readonly<PaymentSettings> {
    return this.#current;
  }

  get paymentTerms(): Terms {
    return this.#terms;
  }

  get currentSettlement(): Settlement {
    return this.#settlement;
  }

  async readSettlementStatus(): Promise<SettlementView['status']> {
    const checks = await this.#freshChecks();
    const open = countOpenPayments(this.#deps.storage.db);
    return { mode: this.#settlement.mode, ready: checks.every((check) => check.ok), checks, open };
  }

  /** The settings for the owner, without the key. */
  viewSettlementSettings(): SettlementView['settings'] {
    const { network, ...rest } = this.#terms;
    const hasPrivateKey = this.#privateKey !== null;
    const terms = { ...rest, network: network.name };
    return { ...this.#current, hasPrivateKey, fixedFields: this.#fixedFields(), terms };
  }

  /**
   * Errors: `invalid_request` for missing fields; `conflict` for a fixed field, and, while payments are being settled,
   * for a change of the settlement, network or asset: their outcome would be requested in the wrong place.
   *
   * @param running proofs that are being settled
   */
  async changeSettlementMode(change: SettingsChange, running: number): Promise<SettlementView['settings']> {
    const { privateKey, ...fields } = change;
    const fixed = this.#fixedFields().find((name) => Object.hasOwn(change, name));
    if (fixed !== undefined) {
      throw new QuarryError('conflict', `${fixed} is set by the environment: change it there and start Quarry again.`);
    }
    // Before the settings are read: nothing may change them in between.
    await checkAddresses(change);
    const stored = { ...this.#stored, ...fields };
    const next = this.#withFixed(stored);
    checkSettings(next, privateKey === undefined ? this.#privateKey !== null : privateKey !== null);
    const moves = (['mode', 'network', 'asset', 'facilitatorUrl'] as const).some(
      (name) => next[name] !== this.#current[name],
    );
    if (moves && (running > 0 || this.#leavesOpen(next))) {
      throw new QuarryError('conflict', openPaymentsMessage(this.#current));
    }
    this.#storeSettlementSettings(PaymentSettings.parse(stored), privateKey as Hex | null | undefined);
    this.#current = next;
    this.#terms = paymentTermsOf(next);
    this.#settlement = this.#makeSettlement();
    this.#checked = null;
    return this.viewSettlementSettings();
  }

  #storeSettlementSettings(settings: PaymentSettings, privateKey: Hex | null | undefined): void {
    const { storage, clock } = this.#deps;
    // A key without its settings does no harm. Settings without their key would stop the next start.
    if (typeof privateKey === 'string') this.#storeKey(privateKey);
    storage.transaction((tx) => writePaymentSetting(tx, SETTINGS_NAME, settings, clock.now()));
    this.#stored = settings;
    if (privateKey === null) this.#storeKey(null);
  }

  #storeKey(key: Hex | null): void {
    this.#deps.keyFile.writeSecret(key);
    this.#privateKey = key;
  }

  #fixedFields(): string[] {
    return Object.entries(this.#deps.fixed).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  }

  #withFixed(stored: object): PaymentSettings {
    const { privateKey: _, ...fields } = this.#deps.fixed;
    const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
    return PaymentSettings.parse({ ...stored, ...given });
  }

  /** Whether a change would leave open payments behind. Returning to the settlement that began them is allowed. */
  #leavesOpen(next: PaymentSettings): boolean {
    const open = openSettlements(this.#deps.storage.db);
    const { network, asset } = paymentTermsOf(next);
    const isTheirs = open.every(
      (one) => one.mode === next.mode && one.network === network.name && one.asset === asset.toLowerCase(),
    );
    return open.length > 0 && !(isTheirs && next.mode !== this.#current.mode);
  }

  #makeSettlement(): Settlement {
    const { storage, clock, baseUrl } = this.#deps;
    const terms = this.#terms;
    const { mode, rpcUrl, facilitatorUrl, confirmations, payToShared } = this.#current;
    if (mode === 'sandbox') return sandboxSettlement(storage, terms);
    const chain = rpcUrl === null ? null : lazyChain({ rpcUrl, terms, confirmations });
    const common = { terms, clock, payToShared };
    if (mode === 'facilitator') {
      if (facilitatorUrl === null) throw new Error('facilitatorUrl is missing.');
      return facilitatorSettlement({ ...common, url: facilitatorUrl, baseUrl, chain });
    }
    if (chain === null) throw new Error('rpcUrl is missing.');
    return onchainSettlement({ ...common, chain, privateKey: () => this.#privateKey });
  }

  /** Anyone may request readiness at any rate, so the chain's answers are reused. */
  async #freshChecks(): Promise<SettlementCheck[]> {
    const now = this.#deps.clock.now();
    if (this.#checked === null || now - this.#checked.at > CHECKS_FRESH_MS) {
      this.#checked = { at: now, checks: this.#settlement.checks() };
    }
    return this.#checked.checks;
  }
}

/** Moves the key out of a database of an earlier version. */
function moveFormerKey({ storage, keyFile }: SettlementModeDeps): void {
  const former = paymentSetting(storage.db, FORMER_KEY_NAME);
  if (former === undefined) return;
  if (typeof former === 'string') keyFile.writeSecret(former);
  storage.transaction((tx) => removePaymentSetting(tx, FORMER_KEY_NAME));
}

/** The error names no part of an invalid key. */
function readKey(file: SecretFile): Hex | null {
  const key = PrivateKey.nullable().safeParse(file.readSecret());
  if (key.success) return key.data as Hex | null;
  throw new Error('The file settlement-key in the data folder holds no private key: 0x and 64 hexadecimal digits.');
}

/** A facilitator that is gone for good must not block the owner: the chain knows the outcome. */
function openPaymentsMessage({ mode, rpcUrl }: PaymentSettings): string {
  const message = 'Payments are being settled: try again when none is open any more.';
  if (mode !== 'facilitator' || rpcUrl !== null) return message;
  return `${message} If the facilitator no longer answers, set rpcUrl first: then the chain says how they ended.`;
}

function stagingSettings({ v2Header }: FixedPaymentSettings): FixedPaymentSettings {
  return v2Header === undefined ? { mode: 'sandbox' } : { mode: 'sandbox', v2Header };
}

/** Loads the chain's library, which takes a third of a second, with the first payment. */
function lazyChain(deps: ChainDeps): () => Promise<ChainClient> {
  let client: Promise<ChainClient> | null = null;
  const loadChainClient = async () => {
    const { ChainClient } = await import('./chain-client.ts');
    return new ChainClient(deps);
  };
  return () => {
    client ??= loadChainClient();
    return client;
  };
}
