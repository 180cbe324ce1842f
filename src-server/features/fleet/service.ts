import { join } from 'node:path';
import { type Clock, toIsoTime } from '../../platform/clock.ts';
import type { Storage } from '../../platform/db/database.ts';
import { QuarryError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { MINUTE_MS, SECOND_MS } from '../../platform/units.ts';
import type { Fleet, NodeView } from '../jobs/service.ts';
import type { Control } from './control.ts';
import { Dispatcher, type FleetEnvironment, type NodeState, UNSEEN } from './dispatcher.ts';
import { FLEET_DEFAULTS, FleetChoices, type FleetNode, type FleetView } from './schema.ts';
import { changeNode, deleteNode, insertNode, listNodes, type NodeRow, readChoices, writeChoices } from './store.ts';

const BEAT_MS = 2 * SECOND_MS;

/** A node that says nothing for this long has lost its jobs. */
const LEASE_MS = 12 * SECOND_MS;

const RETRY_MS = 5 * SECOND_MS;

/** Jobs on nodes wait this long for a fleet that does not start. */
const FAILING_MAX_MS = MINUTE_MS;

export interface FleetServiceDeps {
  /** Of production: the owner has one fleet. */
  storage: Storage;
  /** Data folder. */
  dataDir: string;
  clock: Clock;
  version: string;
  /** Threads of the pool. */
  threads(): number;
  timing?: { beatMs: number; leaseMs: number } | undefined;
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
}

/** The nodes of the owner. While it is off, jobs run in this process, and no part of it is loaded. */
export class FleetService {
  readonly #deps: FleetServiceDeps;
  readonly #dispatcher: Dispatcher;
  readonly #seenAt = new Map<string, number>();
  #nodes: NodeRow[];
  #choices: FleetChoices;
  #control: Control | null = null;
  #state: FleetView['state'] = 'off';
  #error: string | null = null;
  #retry: NodeJS.Timeout | null = null;
  /** Monotonic; null while it works. */
  #failingSince: number | null = null;
  #changing: Promise<unknown> = Promise.resolve();

  constructor(deps: FleetServiceDeps) {
    this.#deps = deps;
    const { db } = deps.storage;
    this.#choices = choicesOf(readChoices(db));
    this.#nodes = this.#choices.enabled ? listNodes(db) : [];
    this.#dispatcher = new Dispatcher({
      ...{ version: deps.version, log: deps.log, ...this.#timing },
      localSlots: () => this.#choices.localSlots ?? deps.threads(),
      onSeen: (node) => this.#seen(node),
    });
    this.#dispatcher.setNodes(this.#nodes);
  }

  get #timing() {
    return { beatMs: BEAT_MS, leaseMs: LEASE_MS, ...this.#deps.timing };
  }

  /** Where the jobs of an environment run. */
  fleetOf(environment: FleetEnvironment): Fleet {
    const { local } = environment;
    const dispatcher = this.#dispatcher;
    dispatcher.addEnvironment(environment);
    return {
      accepts: async (assignment) => (await dispatcher.needOf(assignment)) !== null,
      slots: (queueClass) => (queueClass === 'heavy' ? dispatcher.slots() : 0),
      execute: (assignment, control) =>
        this.#control === null ? local.execute(assignment, control) : dispatcher.execute(assignment, control),
      isAway: (run) => this.#choices.enabled && dispatcher.isAway(run),
      resume: (run, control) => dispatcher.resume(run, control),
      nodes: () => dispatcher.nodes.map((node) => this.#view(node)),
      drain: (id, draining) => this.drain(id, draining),
      close: async () => undefined,
    };
  }

  /** Called once the environments have started: runs of an earlier process wait for their ends by then. */
  start(): void {
    if (this.#choices.enabled) void this.#inTurn(() => this.#open()).catch(() => undefined);
  }

  /** Runs on nodes go on while the server is away. */
  stopping(): void {
    this.#dispatcher.isStopping = true;
  }

  async close(): Promise<void> {
    this.stopping();
    if (this.#retry !== null) clearTimeout(this.#retry);
    await this.#inTurn(async () => {
      await this.#control?.close();
      this.#control = null;
    });
  }

  view(): FleetView {
    const nodes = listNodes(this.#deps.storage.db).map((row) => this.#shown(row));
    const brokerConfig = this.#control?.brokerConfig ?? null;
    const { version } = this.#deps;
    return { choices: this.#choices, state: this.#state, error: this.#error, version, brokerConfig, nodes };
  }

  /** Errors: `engine_unavailable` where the broker is missing or silent, `conflict` for a port that is taken. */
  change(fields: Partial<FleetChoices>): Promise<FleetView> {
    return this.#inTurn(async () => {
      const before = this.#choices;
      const wanted = FleetChoices.parse({ ...before, ...fields });
      await this.#shut();
      this.#choices = wanted;
      try {
        if (wanted.enabled) await this.#open();
      } catch (error) {
        this.#choices = before;
        if (before.enabled) await this.#open().catch(() => undefined);
        else await this.#shut();
        throw error;
      }
      const { storage } = this.#deps;
      storage.transaction((tx) => writeChoices(tx, JSON.stringify(wanted)));
      return this.view();
    });
  }

  /** Errors: `conflict` while the fleet is off, and for a name that is taken. */
  add(name: string): Promise<{ node: FleetNode; join: string }> {
    return this.#inTurn(async () => {
      const control = this.#working();
      const { storage, clock } = this.#deps;
      if (listNodes(storage.db).some((node) => node.name === name)) {
        throw new QuarryError('conflict', `There is a node called ${name} already. Give another name.`);
      }
      const id = newId('nod');
      const { publicKey, join: address } = control.newNode(id);
      storage.transaction((tx) => insertNode(tx, { id, name, public_key: publicKey, created_at: clock.now() }));
      this.#reread();
      await control.admit(id, null);
      return { node: this.#shown(this.#row(id)), join: address };
    });
  }

  async drain(id: string, draining: boolean): Promise<void> {
    this.#row(id);
    this.#deps.storage.transaction((tx) => changeNode(tx, id, { draining: draining ? 1 : 0 }));
    this.#reread();
  }

  /** Its key is refused from now on, and its jobs run again elsewhere. Errors: `not_found`. */
  remove(id: string): Promise<void> {
    return this.#inTurn(async () => {
      this.#row(id);
      this.#deps.storage.transaction((tx) => deleteNode(tx, id));
      this.#reread();
      await this.#control?.admit(null, id);
    });
  }

  #working(): Control {
    if (this.#control !== null) return this.#control;
    throw new QuarryError('conflict', this.#error ?? 'The fleet is off. Turn it on first.');
  }

  #row(id: string): NodeRow {
    const row = listNodes(this.#deps.storage.db).find((node) => node.id === id);
    if (row === undefined) throw new QuarryError('not_found', 'There is no such node.');
    return row;
  }

  #reread(): void {
    this.#nodes = listNodes(this.#deps.storage.db);
    if (this.#choices.enabled) this.#dispatcher.setNodes(this.#nodes);
  }

  async #open(): Promise<void> {
    const { dataDir, version, clock, log } = this.#deps;
    this.#state = 'starting';
    this.#error = null;
    this.#reread();
    try {
      const { Control } = await import('./control.ts');
      const deps = { folder: join(dataDir, 'fleet'), version, ...this.#timing, log, now: () => clock.now() };
      const parts = { dispatcher: this.#dispatcher, nodes: () => this.#nodes };
      this.#control = await Control.open({ ...deps, ...parts }, this.#choices);
      this.#state = 'on';
      this.#failingSince = null;
    } catch (error) {
      this.#state = 'failed';
      this.#error = error instanceof QuarryError ? error.message : 'The fleet could not be started; see the log.';
      log.warn({ err: error }, 'The fleet could not be started. Jobs run on this machine.');
      this.#failingSince ??= performance.now();
      if (performance.now() - this.#failingSince > FAILING_MAX_MS) this.#dispatcher.loseAll();
      this.#retry = setTimeout(() => {
        if (this.#state === 'failed' && this.#choices.enabled) this.start();
      }, RETRY_MS).unref();
      throw error;
    }
  }

  async #shut(): Promise<void> {
    if (this.#retry !== null) clearTimeout(this.#retry);
    await this.#control?.close();
    this.#control = null;
    this.#dispatcher.loseAll();
    this.#failingSince = null;
    this.#state = 'off';
    this.#error = null;
  }

  #seen(id: string): void {
    const { clock, storage } = this.#deps;
    const now = clock.now();
    if (now - (this.#seenAt.get(id) ?? 0) < MINUTE_MS) return;
    this.#seenAt.set(id, now);
    storage.transaction((tx) => changeNode(tx, id, { last_seen_at: now }));
  }

  #shown(row: NodeRow): FleetNode {
    const node = this.#dispatcher.nodes.find((state) => state.row.id === row.id);
    const { version, cores, models, slots, busy } = this.#view(node ?? { ...UNSEEN, row });
    return {
      ...{ nodeId: row.id, name: row.name, version, cores, models: [...models], slots, busy },
      status: this.#statusOf(row, node),
      draining: row.draining === 1,
      createdAt: toIsoTime(row.created_at),
      lastSeenAt: row.last_seen_at === null ? null : toIsoTime(row.last_seen_at),
    };
  }

  #statusOf(row: NodeRow, node: NodeState | undefined): FleetNode['status'] {
    const isOnline = node !== undefined && this.#dispatcher.isOnline(node);
    if (isOnline && this.#dispatcher.isContested(node)) return 'contested';
    if (isOnline) return node.presence?.version === this.#deps.version ? 'online' : 'refused';
    return row.last_seen_at === null ? 'waiting' : 'offline';
  }

  #view(node: NodeState): NodeView {
    const { row, presence } = node;
    return {
      ...{ id: row.id, name: row.name, online: this.#dispatcher.isOnline(node) },
      version: presence?.version ?? null,
      cores: presence?.cores ?? null,
      models: presence?.models ?? [],
      slots: presence?.slots ?? 0,
      busy: this.#dispatcher.busyOf(node),
      draining: row.draining === 1,
      lastSeenAt: row.last_seen_at,
    };
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#changing.then(work, work);
    this.#changing = result.catch(() => undefined);
    return result;
  }
}

/** Choices of another version count as not made. */
function choicesOf(text: string | null): FleetChoices {
  if (text === null) return FLEET_DEFAULTS;
  const parsed = FleetChoices.partial().safeParse(JSON.parse(text));
  return parsed.success ? FleetChoices.parse({ ...FLEET_DEFAULTS, ...parsed.data }) : FLEET_DEFAULTS;
}
