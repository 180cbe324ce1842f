import type { EnvironmentName } from '../../operation.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Storage } from '../../platform/db/database.ts';
import { QuarryError } from '../../platform/errors.ts';
import { SECOND_MS } from '../../platform/units.ts';
import type { ChainClient, ChainDeps } from './chain-client.ts';
import type { Hex } from './networks.ts';
import { onchainSettlement } from './onchain.ts';
import { facilitatorSettlement } from './remote-facilitator.ts';
import { sandboxSettlement } from './sandbox.ts';
import type { FixedPaymentSettings, PaymentSettings, SettingsChange } from './schema.ts';
import { type KeeperDeps, SettingsKeeper, type Terms, termsOf } from './settings.ts';
import type { Settlement, SettlementCheck } from './settlement.ts';
import { checkAddresses } from './signature.ts';
import { countOpenPayments, openSettlements } from './store.ts';

/** How long the answer of chain or facilitator about readiness is given again. */
const CHECKS_FRESH_MS = 5 * SECOND_MS;

export interface SettlementView extends PaymentSettings {
  hasPrivateKey: boolean;
  /** Names of the fields that the environment decides. */
  fixedFields: string[];
  /** What the settings come to: the network's own asset where none is named. */
  terms: { network: string; asset: string; payTo: string; extra: { name: string; version: string } };
}

export interface SettlementStatus {
  mode: PaymentSettings['mode'];
  /** Whether every check is fine: payers can be sent here. */
  ready: boolean;
  checks: SettlementCheck[];
  /** Reservations without an outcome. */
  open: number;
}

interface DeskDeps extends KeeperDeps {
  environment: EnvironmentName;
  baseUrl(): string;
}

/** The settings in force, and what follows from them: in what is paid, to whom, and how the money moves. */
export class SettlementDesk {
  readonly #deps: DeskDeps;
  readonly #keeper: SettingsKeeper;
  #terms: Terms;
  #settlement: Settlement;
  #checked: { at: number; checks: Promise<SettlementCheck[]> } | null = null;

  private constructor(deps: DeskDeps, keeper: SettingsKeeper) {
    this.#deps = deps;
    this.#keeper = keeper;
    this.#terms = termsOf(keeper.current);
    this.#settlement = this.#makeSettlement();
  }

  /** Staging is always the sandbox, whatever the settings say. */
  static async open(deps: DeskDeps): Promise<SettlementDesk> {
    await checkAddresses(deps.fixed);
    const fixed = deps.environment === 'staging' ? stagingSettings(deps.fixed) : deps.fixed;
    return new SettlementDesk(deps, SettingsKeeper.open({ ...deps, fixed }));
  }

  get current(): Readonly<PaymentSettings> {
    return this.#keeper.current;
  }

  get terms(): Terms {
    return this.#terms;
  }

  get settlement(): Settlement {
    return this.#settlement;
  }

  async status(): Promise<SettlementStatus> {
    const checks = await this.#freshChecks();
    const open = countOpenPayments(this.#deps.storage.db);
    return { mode: this.#settlement.mode, ready: checks.every((check) => check.ok), checks, open };
  }

  /** As the owner may see them: without the key. */
  view(): SettlementView {
    const { network, ...rest } = this.#terms;
    return {
      ...this.#keeper.current,
      hasPrivateKey: this.#keeper.privateKey !== null,
      fixedFields: this.#keeper.fixedFields,
      terms: { ...rest, network: network.name },
    };
  }

  /**
   * Errors: `invalid_request` for what is missing, `conflict` for a fixed field, and while a payment is being settled
   * for a change of who settles it or in what: its outcome would be asked of the wrong place.
   */
  async change(change: SettingsChange, running: number): Promise<SettlementView> {
    const next = this.#keeper.preview(change);
    await checkAddresses(change);
    const { current } = this.#keeper;
    const moves = (['mode', 'network', 'asset', 'facilitatorUrl'] as const).some(
      (name) => next[name] !== current[name],
    );
    if (moves && (running > 0 || this.#keepsOpen(next))) {
      throw new QuarryError('conflict', openPaymentsMessage(current));
    }
    this.#keeper.store(change);
    this.#terms = termsOf(this.#keeper.current);
    this.#settlement = this.#makeSettlement();
    this.#checked = null;
    return this.view();
  }

  /** Whether payments are open that a change would leave behind; the way back to who began them is free. */
  #keepsOpen(next: PaymentSettings): boolean {
    const open = openSettlements(this.#deps.storage.db);
    const { network, asset } = termsOf(next);
    const isTheirs = open.every(
      (one) => one.mode === next.mode && one.network === network.name && one.asset === asset.toLowerCase(),
    );
    return open.length > 0 && !(isTheirs && next.mode !== this.#keeper.current.mode);
  }

  #makeSettlement(): Settlement {
    const { storage, clock, baseUrl } = this.#deps;
    const privateKey = () => this.#keeper.privateKey;
    return settlementOf({ storage, clock, baseUrl, terms: this.#terms, settings: this.#keeper.current, privateKey });
  }

  /** Readiness may be asked by anybody, as often as anybody likes; the chain behind it is not. */
  async #freshChecks(): Promise<SettlementCheck[]> {
    const now = this.#deps.clock.now();
    if (this.#checked === null || now - this.#checked.at > CHECKS_FRESH_MS) {
      this.#checked = { at: now, checks: this.#settlement.checks() };
    }
    return this.#checked.checks;
  }
}

/** A facilitator that is gone for good must not hold its owner: a chain can say what it no longer says. */
function openPaymentsMessage({ mode, rpcUrl }: PaymentSettings): string {
  const message = 'Payments are being settled: try again when none is open any more.';
  if (mode !== 'facilitator' || rpcUrl !== null) return message;
  return `${message} If the facilitator no longer answers, set rpcUrl first: then the chain says how they ended.`;
}

function stagingSettings({ v2Header }: FixedPaymentSettings): FixedPaymentSettings {
  return v2Header === undefined ? { mode: 'sandbox' } : { mode: 'sandbox', v2Header };
}

interface SettlementDeps {
  storage: Storage;
  clock: Clock;
  terms: Terms;
  settings: Readonly<PaymentSettings>;
  /** Read only where a transaction is signed. */
  privateKey(): Hex | null;
  baseUrl(): string;
}

/** How money moves under these settings, which `checkSettings` has passed. */
function settlementOf(deps: SettlementDeps): Settlement {
  const { mode, rpcUrl, facilitatorUrl, confirmations, payToShared } = deps.settings;
  if (mode === 'sandbox') return sandboxSettlement(deps.storage, deps.terms);
  const chain = rpcUrl === null ? null : lazyChain({ rpcUrl, terms: deps.terms, confirmations });
  if (mode === 'facilitator') {
    if (facilitatorUrl === null) throw new Error('facilitatorUrl is missing.');
    return facilitatorSettlement({
      url: facilitatorUrl,
      terms: deps.terms,
      baseUrl: deps.baseUrl,
      chain,
      clock: deps.clock,
      payToShared,
    });
  }
  if (chain === null) throw new Error('rpcUrl is missing.');
  return onchainSettlement({
    chain,
    terms: deps.terms,
    privateKey: deps.privateKey,
    clock: deps.clock,
    payToShared,
  });
}

/** The chain's library takes a third of a second to load: it is loaded with the first payment. */
function lazyChain(deps: ChainDeps): () => Promise<ChainClient> {
  let client: Promise<ChainClient> | null = null;
  const load = async () => {
    const { ChainClient } = await import('./chain-client.ts');
    return new ChainClient(deps);
  };
  return () => {
    client ??= load();
    return client;
  };
}
