import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import type { EnvironmentName, Operation } from '../../operation.ts';
import { type Clock, toIsoTime } from '../../platform/clock.ts';
import type { Storage } from '../../platform/db/database.ts';
import { QuarryError } from '../../platform/errors.ts';
import { makeOwnerFolder, SecretFile } from '../../platform/files/private-files.ts';
import { newId } from '../../platform/ids.ts';
import { MINUTE_MS, SECOND_MS } from '../../platform/units.ts';
import type { Fleet } from '../jobs/service.ts';
import { Browsers } from './browsers.ts';
import type { Control } from './control.ts';
import { Copies, type ModelFiles } from './copies.ts';
import { Dispatcher, type FleetEnvironment, LEASES_WITHOUT_BROKER, type NodeState, newState } from './dispatcher.ts';
import {
  BrokerLogin,
  FLEET_DEFAULTS,
  type FleetChange,
  FleetChoices,
  type FleetNode,
  type FleetView,
  type NodeCopy,
} from './schema.ts';
import { changeNode, deleteNode, insertNode, listNodes, type NodeRow, readChoices, writeChoices } from './store.ts';

const BEAT_MS = 2 * SECOND_MS;

/** A node that says nothing for this long has lost its jobs. */
const LEASE_MS = 12 * SECOND_MS;

/** Secret of the owner's broker, in the folder of the fleet. */
const LOGIN_FILE = 'broker-login';

const RETRY_MS = 5 * SECOND_MS;

const CUT_OFF =
  'The broker does not answer any more. Jobs run on this machine, or wait for their node, until it does. Start it ' +
  'again if you run it.';

export interface FleetServiceDeps {
  /** Of production: the owner has one fleet. */
  storage: Storage;
  /** Data folder. */
  dataDir: string;
  clock: Clock;
  version: string;
  models: ModelFiles;
  /** Calls `onChange` when models of this machine may have changed. Returns a function that ends the watch. */
  watchModels(onChange: () => void): () => void;
  /** Threads of the pool. */
  threads(): number;
  timing?: { beatMs: number; leaseMs: number } | undefined;
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
}

/** The nodes of the owner. While it is off, jobs run in this process, and no part of it is loaded. */
export class FleetService {
  readonly #deps: FleetServiceDeps;
  readonly #dispatcher: Dispatcher;
  readonly #copies: Copies;
  readonly browsers: Browsers;
  readonly #seenAt = new Map<string, number>();
  readonly #changes = new EventEmitter<{ change: [] }>().setMaxListeners(0);
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
    this.#choices = fleetChoicesOf(readChoices(db));
    this.#nodes = this.#choices.enabled ? listNodes(db) : [];
    this.#copies = new Copies(deps);
    this.#dispatcher = new Dispatcher({
      version: deps.version,
      log: deps.log,
      ...this.#heartbeatTiming,
      localSlots: () => this.#choices.localSlots ?? deps.threads(),
      watchModels: (onChange) => deps.watchModels(onChange),
      onSeen: (node) => this.#recordNodeSeen(node),
      onAbilities: (node, abilities) => this.#changeNodeRow(node, { abilities }),
      onChange: () => this.#changes.emit('change'),
    });
    this.#dispatcher.setNodes(this.#nodes);
    const { version } = deps;
    this.browsers = new Browsers({ version, dispatcher: this.#dispatcher, timing: this.#heartbeatTiming });
  }

  get #heartbeatTiming() {
    return { beatMs: BEAT_MS, leaseMs: LEASE_MS, ...this.#deps.timing };
  }

  /** Where the jobs of an environment run. */
  fleetOf(environment: FleetEnvironment): Fleet {
    const { local } = environment;
    const dispatcher = this.#dispatcher;
    dispatcher.addEnvironment(environment);
    return {
      fleetSlots: (queueClass) => (queueClass === 'network' ? 0 : dispatcher.freeNodeSlots(queueClass)),
      executeAssignment: (assignment, control) =>
        this.#control === null
          ? local.executeAssignment(assignment, control)
          : dispatcher.executeOnFleet(assignment, control),
      isAway: (run) => this.#choices.enabled && dispatcher.isAway(run),
      resumeAwayRun: (run, control) => dispatcher.resumeRunOnNode(run, control),
      nodeStandingOf: (operationId, models) => dispatcher.standingOfModels(operationId, models),
      presentOnNodes: (need) => dispatcher.presentOnAbleNodes(need),
      watchNodeStanding: (onChange) => {
        this.#changes.on('change', onChange);
        return () => this.#changes.off('change', onChange);
      },
    };
  }

  /** Where only nodes can run such a request. See `Dispatcher.onNodes`. */
  onNodesIn(name: EnvironmentName) {
    return (operation: Operation, request: Record<string, unknown>, accountId: string) =>
      this.#dispatcher.onNodes(name, { operationId: operation.id, request, accountId });
  }

  /** Called once the environments have started: runs of an earlier process wait for their ends by then. */
  startFleet(): void {
    if (this.#choices.enabled) void this.#inTurn(() => this.#openControl()).catch(() => undefined);
  }

  /** Runs on nodes go on while the server is away. */
  onFleetStopping(): void {
    this.#dispatcher.isStopping = true;
  }

  async closeFleet(): Promise<void> {
    this.onFleetStopping();
    if (this.#retry !== null) clearTimeout(this.#retry);
    await this.#inTurn(async () => {
      await this.#control?.closeFleetControl();
      this.#control = null;
    });
  }

  /** Names of the models of a kind on the nodes that are there. */
  modelNames(kind: string): string[] {
    const there = this.#dispatcher.nodeStates.filter((node) => this.#dispatcher.isOnline(node));
    const models = there.flatMap(({ abilities }) => abilities?.models ?? []);
    return [...new Set(models.flatMap((model) => (model.kind === kind ? [model.name] : [])))];
  }

  async fleetView(): Promise<FleetView> {
    const rows = listNodes(this.#deps.storage.db);
    const { version, clock } = this.#deps;
    const login = this.#choices.brokerUrl === null ? null : this.#readBrokerLogin();
    const ownKeys = this.#choices.brokerUrl !== null && login === null;
    const brokerConfig = ownKeys
      ? (await import('./control.ts')).brokerConfigOf(this.#fleetFolder, rows, clock.now())
      : null;
    return {
      choices: this.#choices,
      state: this.#state,
      version,
      error: this.#error ?? (this.#dispatcher.isCutOff ? CUT_OFF : null),
      brokerConfig,
      brokerLogin: login?.kind ?? 'nkeys',
      nodes: rows.map((row) => this.#shownFleetNode(row)),
    };
  }

  /** Errors: `engine_unavailable` where the broker is missing or silent, `conflict` for a port that is taken. */
  changeFleetChoices({ brokerLogin, ...fields }: FleetChange): Promise<FleetView> {
    return this.#inTurn(async () => {
      const [before, loginBefore] = [this.#choices, this.#readBrokerLogin()];
      const wanted = FleetChoices.parse({ ...before, ...fields });
      await this.#shutControl();
      this.#choices = wanted;
      if (brokerLogin !== undefined) this.#keepLogin(brokerLogin);
      if (!wanted.enabled) this.#dispatcher.setNodes([]);
      this.browsers.loseAbsentSessions();
      try {
        if (wanted.enabled) await this.#openControl();
      } catch (error) {
        this.#choices = before;
        if (brokerLogin !== undefined) this.#keepLogin(loginBefore);
        if (before.enabled) await this.#openControl().catch(() => undefined);
        else await this.#shutControl();
        throw error;
      }
      const { storage } = this.#deps;
      storage.transaction((tx) => writeChoices(tx, JSON.stringify(wanted)));
      return this.fleetView();
    });
  }

  /** Errors: `conflict` while the fleet is off, and for a name that is taken. */
  addFleetNode(name: string): Promise<{ node: FleetNode; join: string }> {
    return this.#inTurn(async () => {
      const control = this.#requireWorkingControl();
      const { storage, clock } = this.#deps;
      if (listNodes(storage.db).some((node) => node.name === name)) {
        throw new QuarryError('conflict', `There is a node called ${name} already. Give another name.`);
      }
      const id = newId('nod');
      const { publicKey, join: address } = control.newNode(id);
      storage.transaction((tx) => insertNode(tx, { id, name, public_key: publicKey, created_at: clock.now() }));
      this.#rereadNodes();
      await control.admitFleetNode(id, null);
      return { node: this.#shownFleetNode(this.#requireNodeRow(id)), join: address };
    });
  }

  async drainFleetNode(id: string, draining: boolean): Promise<void> {
    this.#requireNodeRow(id);
    this.#changeNodeRow(id, { draining: draining ? 1 : 0 });
    this.#rereadNodes();
  }

  /** Its key is refused from now on, and its jobs run again elsewhere. Errors: `not_found`. */
  removeFleetNode(id: string): Promise<void> {
    return this.#inTurn(async () => {
      this.#requireNodeRow(id);
      this.#deps.storage.transaction((tx) => deleteNode(tx, id));
      this.#rereadNodes();
      await this.#control?.admitFleetNode(null, id);
    });
  }

  /** Errors: `not_found` for an unknown node or model, `conflict` for a model that the node has. */
  async copyModel(id: string, model: string): Promise<NodeCopy> {
    const row = this.#requireNodeRow(id);
    this.#requireWorkingControl();
    if (this.#shownFleetNode(row).models.some(({ name }) => name === model)) {
      throw new QuarryError('conflict', `The node ${row.name} has the model ${model} already.`);
    }
    await this.#copies.addModelCopy(id, model);
    return this.#copies.modelCopiesOfNode(id).find((copy) => copy.model === model) as NodeCopy;
  }

  /** Cancels a copy, or forgets that one failed. Errors: `not_found`. */
  cancelCopy(id: string, model: string): void {
    this.#requireNodeRow(id);
    this.#copies.cancelCopyToNode(id, model);
  }

  get #fleetFolder(): string {
    return join(this.#deps.dataDir, 'fleet');
  }

  /** The login of the owner's broker; null where each machine has a key. */
  #readBrokerLogin(): BrokerLogin | null {
    const text = new SecretFile(join(this.#fleetFolder, LOGIN_FILE)).readSecret();
    return text === null ? null : BrokerLogin.parse(JSON.parse(text));
  }

  #keepLogin(login: BrokerLogin | null): void {
    makeOwnerFolder(this.#fleetFolder);
    new SecretFile(join(this.#fleetFolder, LOGIN_FILE)).writeSecret(login === null ? null : JSON.stringify(login));
  }

  #requireWorkingControl(): Control {
    if (this.#control !== null) return this.#control;
    throw new QuarryError('conflict', this.#error ?? 'The fleet is off. Turn it on first.');
  }

  #requireNodeRow(id: string): NodeRow {
    const row = listNodes(this.#deps.storage.db).find((node) => node.id === id);
    if (row === undefined) throw new QuarryError('not_found', 'There is no such node.');
    return row;
  }

  #rereadNodes(): void {
    this.#nodes = listNodes(this.#deps.storage.db);
    if (this.#choices.enabled) this.#dispatcher.setNodes(this.#nodes);
    this.browsers.loseAbsentSessions();
  }

  async #openControl(): Promise<void> {
    const { version, clock, log } = this.#deps;
    this.#state = 'starting';
    this.#error = null;
    this.#rereadNodes();
    try {
      const { Control } = await import('./control.ts');
      const deps = { folder: this.#fleetFolder, version, ...this.#heartbeatTiming, log, now: () => clock.now() };
      const { browsers } = this;
      const parts = { dispatcher: this.#dispatcher, copies: this.#copies, browsers, nodes: () => this.#nodes };
      this.#control = await Control.openFleetControl({ ...deps, ...parts }, this.#choices, this.#readBrokerLogin());
      this.#state = 'on';
      this.#failingSince = null;
    } catch (error) {
      this.#state = 'failed';
      this.#error = error instanceof QuarryError ? error.message : 'The fleet could not be started; see the log.';
      log.warn({ err: error }, 'The fleet could not be started. Jobs run on this machine.');
      this.#failingSince ??= performance.now();
      const failingMs = performance.now() - this.#failingSince;
      if (failingMs > LEASES_WITHOUT_BROKER * this.#heartbeatTiming.leaseMs) this.#dispatcher.loseAll();
      this.#retry = setTimeout(() => {
        if (this.#state === 'failed' && this.#choices.enabled) this.startFleet();
      }, RETRY_MS).unref();
      throw error;
    }
  }

  async #shutControl(): Promise<void> {
    if (this.#retry !== null) clearTimeout(this.#retry);
    await this.#control?.closeFleetControl();
    this.#control = null;
    this.#dispatcher.loseAll();
    this.#failingSince = null;
    this.#state = 'off';
    this.#error = null;
  }

  #recordNodeSeen(id: string): void {
    const now = this.#deps.clock.now();
    if (now - (this.#seenAt.get(id) ?? 0) < MINUTE_MS) return;
    this.#seenAt.set(id, now);
    this.#changeNodeRow(id, { last_seen_at: now });
  }

  #changeNodeRow(id: string, change: Parameters<typeof changeNode>[2]): void {
    this.#deps.storage.transaction((tx) => changeNode(tx, id, change));
  }

  #shownFleetNode(row: NodeRow): FleetNode {
    const node = this.#dispatcher.nodeStates.find((state) => state.row.id === row.id) ?? newState(row);
    const { abilities, presence } = node;
    const models = abilities?.models.map(({ name, kind, sizeBytes }) => ({ name, kind, sizeBytes })) ?? [];
    return {
      nodeId: row.id,
      name: row.name,
      version: presence?.version ?? null,
      cores: abilities?.cores ?? null,
      gpu: abilities?.gpu ?? null,
      models,
      operations: abilities?.operations ?? [],
      copies: this.#copies.modelCopiesOfNode(row.id),
      slots: presence?.slots.heavy ?? 0,
      busy: this.#dispatcher.busyOf(node, 'heavy'),
      lightSlots: presence?.slots.light ?? 0,
      lightBusy: this.#dispatcher.busyOf(node, 'light'),
      browsers: abilities?.browsers ?? 0,
      browsersTaken: this.browsers.takenOf(row.id),
      status: this.#fleetNodeStatusOf(row, node),
      draining: row.draining === 1,
      createdAt: toIsoTime(row.created_at),
      lastSeenAt: row.last_seen_at === null ? null : toIsoTime(row.last_seen_at),
    };
  }

  #fleetNodeStatusOf(row: NodeRow, node: NodeState): FleetNode['status'] {
    const isOnline = this.#dispatcher.isOnline(node);
    if (isOnline && this.#dispatcher.isContested(node)) return 'contested';
    if (isOnline) return node.presence?.version === this.#deps.version ? 'online' : 'refused';
    return row.last_seen_at === null ? 'waiting' : 'offline';
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#changing.then(work, work);
    this.#changing = result.catch(() => undefined);
    return result;
  }
}

/** Choices of another version count as not made. */
function fleetChoicesOf(text: string | null): FleetChoices {
  if (text === null) return FLEET_DEFAULTS;
  const parsed = FleetChoices.partial().safeParse(JSON.parse(text));
  return parsed.success ? FleetChoices.parse({ ...FLEET_DEFAULTS, ...parsed.data }) : FLEET_DEFAULTS;
}
