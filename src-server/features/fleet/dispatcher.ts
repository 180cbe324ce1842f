/** Decides where a run goes, and follows the runs on nodes to their ends. */

import { rm } from 'node:fs/promises';
import type { EnvironmentName, Operation, Travel, UseService } from '../../operation.ts';
import { WAITING_STAGE } from '../../operation.ts';
import type { Storage } from '../../platform/db/database.ts';
import { isJobErrorCode } from '../../platform/error-codes.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { JobFolders } from '../../platform/files/job-folders.ts';
import type { Need } from '../../platform/install-choice.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import { saidElsewhere, say } from '../../platform/text/say.ts';
import type { Assignment, AwayRun, Fleet, RunControl, RunOutcome } from '../jobs/service.ts';
import { gatherFor, NodeAwayError, RunLostError } from '../jobs/service.ts';
import { awayOutcomeOf, checkpointsOf } from './away-files.ts';
import type { Link } from './link.ts';
import {
  Abilities,
  decodeFleetMessage,
  type Ended,
  type Presence,
  runKey,
  SLOT_CLASSES,
  type SlotClass,
  type Told,
  usableNames,
} from './messages.ts';
import { incomingFolder, type RunFiles } from './run-files.ts';
import { type NodeRow, readCursor, writeCursor } from './store.ts';

/** Runs on nodes wait this many leases for a broker that is gone, also for a fleet that does not start. */
export const LEASES_WITHOUT_BROKER = 5;

/** Leases in which a node that is there takes its work: the broker delivers it again after one. */
const LEASES_UNTAKEN = 2;

/** A job goes no more to a node that did not take it this often. A bad network loses a message now and then. */
const UNTAKEN_MAX = 3;

/** One environment, as the fleet sees it. */
export interface FleetEnvironment {
  name: EnvironmentName;
  storage: Storage;
  folders: JobFolders;
  operations: readonly Operation[];
  use: UseService;
  local: Fleet;
}

export interface DispatcherDeps {
  version: string;
  beatMs: number;
  leaseMs: number;
  /** Jobs that can travel and that this machine runs at once itself. */
  localSlots(): number;
  /** Calls `onChange` when models of this machine may have changed. Returns a function that ends the watch. */
  watchModels(onChange: () => void): () => void;
  onSeen(node: string): void;
  /** What a node can run has changed. */
  onAbilities(node: string, abilities: string): void;
  /** `standing` may have changed. */
  onChange(): void;
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
}

export interface NodeState {
  row: NodeRow;
  presence: Presence | null;
  /** As last announced, also by an earlier process; null before. */
  abilities: Abilities | null;
  /** Monotonic. */
  beatAt: number;
  /** Slots of runs that are about to be sent. */
  reserved: Record<SlotClass, number>;
  /** `instance` of the process that spoke before the present one with the key of the node. */
  earlier: string | null;
  /** When two processes last spoke with its key. Monotonic. */
  contestedAt: number;
}

interface Away {
  key: string;
  run: AwayRun;
  nodeId: string;
  control: RunControl;
  operation: Operation;
  slot: SlotClass;
  /** `stored`: the broker has its work; `begun`: its node has named it. */
  stage: 'assigned' | 'stored' | 'begun';
  /** Of its work at the broker; null until it is stored. */
  sequence: number | null;
  /** Since when the node does not list the run; null while it does. */
  missingSince: number | null;
  resolve(outcome: RunOutcome): void;
  reject(error: unknown): void;
}

/** What a run needs of a node. */
type Wanted = Pick<Travel, 'models' | 'lacks'> & { operationId: string };

/** Where a run goes, and how. Null: it stays on this machine, also to say what it lacks. */
type Place = { node: NodeState | 'here'; travel: Travel } | null;

interface Waiter {
  asked: Assignment;
  /** With what was there when it was last asked. */
  travel: Travel | null;
  take(place: Place): void;
  refuse(error: unknown): void;
}

/** A job, or a request that may become one. */
type Asked = Pick<Assignment, 'environment' | 'operationId' | 'request' | 'accountId' | 'source'> & {
  jobId: string | null;
};

/** How far the ends of an environment were read. */
interface Ends {
  /** When the stream was made. */
  stream: string;
  read: number;
  /** Sequences of ends that are being recorded. */
  open: Set<number>;
  /** Monotonic: all ends that were stored before are known. */
  allReadAt: number;
}

export class Dispatcher {
  readonly #deps: DispatcherDeps;
  readonly #nodes = new Map<string, NodeState>();
  readonly #away = new Map<string, Away>();
  readonly #environments = new Map<EnvironmentName, FleetEnvironment>();
  readonly #streams = new Map<EnvironmentName, Ends>();
  /** How often each node, by its id, did not take a job; `UNTAKEN_MAX` where it lacked something. By `jobKey`. */
  readonly #untaken = new Map<string, Map<string, number>>();
  #waiters: Waiter[] = [];
  #asking: Promise<void> | null = null;
  #askAgain = false;
  #stopWatch: (() => void) | null = null;
  #link: Link | null = null;
  #files: RunFiles | null = null;
  #isConnected = false;
  /** Since when the broker is gone; null while it is there. Monotonic. */
  #goneSince: number | null = null;
  #local = 0;
  #watch: NodeJS.Timeout | null = null;
  #lookedAt = 0;
  /** When the broker last refused work. Monotonic. */
  #refusedAt = Number.NEGATIVE_INFINITY;
  /** The server stops: runs go on on their nodes. */
  isStopping = false;

  constructor(deps: DispatcherDeps) {
    this.#deps = deps;
  }

  addEnvironment(environment: FleetEnvironment): void {
    this.#environments.set(environment.name, environment);
  }

  fleetEnvironment(name: EnvironmentName): FleetEnvironment {
    const found = this.#environments.get(name);
    if (found === undefined) throw new Error(`There is no environment ${name}.`);
    return found;
  }

  get nodeStates(): readonly NodeState[] {
    return [...this.#nodes.values()];
  }

  attachDispatcherLink(link: Link, files: RunFiles): void {
    this.#link = link;
    this.#files = files;
    this.onBrokerConnected();
    this.#lookedAt = performance.now();
    this.#watch = setInterval(() => this.#checkAwayRuns(), this.#deps.beatMs);
    this.#watch.unref();
  }

  /** The connection is gone, for now: runs on nodes wait for the next one. */
  detachDispatcherLink(): void {
    this.#goneSince = null;
    if (this.#watch !== null) clearInterval(this.#watch);
    this.#link = null;
    this.#files = null;
    this.#isConnected = false;
    this.#pumpPlaceWaiters();
  }

  /** The fleet is off. */
  loseAll(): void {
    this.#loseAwayRuns([...this.#away.values()], 'The fleet was turned off; the job runs again.', false);
  }

  onBrokerConnected(): void {
    this.#isConnected = true;
    this.#goneSince = null;
    // Beats of the time without a connection were never sent, and nodes connect after this machine.
    this.#forgiveSilence(performance.now() + this.#deps.leaseMs);
    this.#onPlacesChanged();
  }

  onBrokerDisconnected(): void {
    this.#isConnected = false;
    this.#goneSince ??= performance.now();
  }

  /** Whether the broker was there and is not, for longer than a moment. */
  get isCutOff(): boolean {
    return this.#goneSince !== null && performance.now() - this.#goneSince > this.#deps.leaseMs;
  }

  /** Silence until now says nothing about the nodes. @param beatAt leases count from then */
  #forgiveSilence(beatAt: number): void {
    for (const node of this.#nodes.values()) node.beatAt = beatAt;
    for (const away of this.#away.values()) away.missingSince = null;
  }

  /** The owner's list changed. */
  setNodes(rows: readonly NodeRow[]): void {
    const kept = new Set(rows.map(({ id }) => id));
    for (const id of this.#nodes.keys()) {
      if (kept.has(id)) continue;
      this.#nodes.delete(id);
      this.#loseAwayRuns(this.#awayRunsOfNode(id), 'Its node was removed; the job runs again.', false);
    }
    for (const row of rows) {
      const known = this.#nodes.get(row.id);
      if (known !== undefined) known.row = row;
      else this.#nodes.set(row.id, newState(row));
    }
    this.#onPlacesChanged();
  }

  isOnline({ presence, beatAt }: NodeState): boolean {
    return presence !== null && performance.now() - beatAt < this.#deps.leaseMs;
  }

  /** Whether two processes speak with its key: neither gets work. */
  isContested({ contestedAt }: NodeState): boolean {
    return performance.now() - contestedAt < this.#deps.leaseMs;
  }

  /** Whether a crawl may take a browser of it. */
  mayLend(node: NodeState): boolean {
    return this.#isConnected && this.#takesWork(node);
  }

  busyOf(node: NodeState, slot: SlotClass): number {
    const { row, presence } = node;
    // What it still has of runs that are over is of an unknown kind. A node that is away has said nothing of late.
    const over = this.isOnline(node) ? (presence?.active.filter((key) => !this.#away.has(key)) ?? []) : [];
    return this.#awayRunsOfNode(row.id).filter((away) => away.slot === slot).length + over.length;
  }

  freeNodeSlots(slot: SlotClass): number {
    const able = [...this.#nodes.values()].filter((node) => this.#takesWork(node));
    return able.reduce((sum, { presence }) => sum + (presence?.slots[slot] ?? 0), 0);
  }

  /** What nodes that take work have for a need. */
  presentOnAbleNodes(need: Need): { name: string; key: string }[] {
    return [...this.#nodes.values()]
      .filter((node) => this.#takesWork(node))
      .flatMap(({ row, abilities }) =>
        (abilities?.models ?? [])
          .filter(({ kind }) => kind === need)
          .map(({ name }) => ({ name, key: `${row.id} ${name}` })),
      );
  }

  /** Whether nodes have these models for the operation. */
  standingOfModels(operationId: string, models: readonly string[]): 'there' | 'away' | 'none' {
    const able = this.#ableTo({ operationId, models });
    if (able.length === 0) return 'none';
    return able.some((node) => this.#takesWork(node)) ? 'there' : 'away';
  }

  /**
   * Where only nodes can run such a request: `there`, or the error of one that has to wait. Null where this machine can
   * run it, or no node can.
   */
  async onNodes(name: EnvironmentName, asked: Pick<Asked, 'operationId' | 'request' | 'accountId'>) {
    const travel = await this.#travelOf({ ...asked, environment: name, source: null, jobId: null });
    if (travel?.lacks === undefined) return null;
    const { operationId } = asked;
    const standing = this.standingOfModels(operationId, travel.models);
    return standing === 'away' ? this.#awayError({ ...travel, operationId }) : standing === 'there' ? standing : null;
  }

  async executeOnFleet(assignment: Assignment, control: RunControl): Promise<RunOutcome> {
    let isLost = false;
    try {
      return await this.#executePlacedRun(assignment, control);
    } catch (error) {
      isLost = error instanceof RunLostError;
      throw error;
    } finally {
      if (!isLost) this.#untaken.delete(jobKey(assignment));
    }
  }

  async #executePlacedRun(assignment: Assignment, control: RunControl): Promise<RunOutcome> {
    const environment = this.fleetEnvironment(assignment.environment);
    const { local } = environment;
    const first = await this.#travelOf(assignment);
    if (first === null || !(await gatherFor(environment, assignment, control))) {
      return local.executeAssignment(assignment, control);
    }
    let place = await this.#waitForRunPlace(assignment, first, control);
    let lack: LackingError | null = null;
    while (place !== null && place.node !== 'here') {
      const { node } = place;
      try {
        return await this.#sendRunToNode(node, assignment, place.travel, control);
      } catch (error) {
        if (!(error instanceof LackingError)) throw error;
        lack = error;
        this.#deps.log.info({ jobId: assignment.jobId, node: node.row.name }, error.message);
        this.#excludeNodeForJob(node.row.id, assignment);
        control.placed(null);
        place = await this.#waitForRunPlace(assignment, await this.#travelOf(assignment), control);
      }
    }
    try {
      return await this.#runHere(assignment, control, lack);
    } finally {
      if (place !== null) this.#local -= 1;
      this.#pumpPlaceWaiters();
    }
  }

  /** @param lack of a node that was to run it: this machine may lack the same, which only its admission would say */
  async #runHere(assignment: Assignment, control: RunControl, lack: LackingError | null): Promise<RunOutcome> {
    try {
      return await this.fleetEnvironment(assignment.environment).local.executeAssignment(assignment, control);
    } catch (error) {
      const isOfRequest = error instanceof QuarryError && !isJobErrorCode(error.code);
      throw lack !== null && isOfRequest
        ? new QuarryError(LACKS, saidElsewhere(error.message), { cause: lack })
        : error;
    }
  }

  #operationInEnvironment(environment: EnvironmentName, operationId: string): Operation | undefined {
    return this.fleetEnvironment(environment).operations.find(({ id }) => id === operationId);
  }

  isAway(run: AwayRun): boolean {
    return [...this.#nodes.values()].some(({ row }) => row.name === run.node);
  }

  resumeRunOnNode(run: AwayRun, control: RunControl): Promise<RunOutcome> {
    const node = [...this.#nodes.values()].find(({ row }) => row.name === run.node);
    if (node === undefined) throw new RunLostError('Its node was removed; the job runs again.', false);
    return this.#followAwayRun(node, run, control, null).catch((error: unknown) => {
      if (!(error instanceof LackingError)) throw error;
      this.#excludeNodeForJob(node.row.id, run);
      throw new RunLostError(`${error.message} The job runs elsewhere.`, false);
    });
  }

  onPresence(id: string, presence: Presence): void {
    const node = this.#nodes.get(id);
    if (node === undefined) return;
    const couldWork = this.#takesWork(node);
    const before = node.presence;
    if (presence.version !== (before?.version ?? this.#deps.version)) {
      this.#deps.log.warn({ node: node.row.name, version: presence.version }, 'A node of another version.');
    }
    node.presence = presence;
    node.beatAt = performance.now();
    this.#deps.onSeen(id);
    if (before !== null && before.instance !== presence.instance) this.#onNodeReplaced(node, before.instance);
    const active = new Set(presence.active);
    for (const away of this.#awayRunsOfNode(id)) {
      if (active.has(away.key)) Object.assign(away, { stage: 'begun', missingSince: null });
      else if (away.stage !== 'assigned') away.missingSince ??= performance.now();
    }
    this.#learnNodeAbilities(node, presence, couldWork);
    // While the server stops, it has let go of runs that go on.
    if (!this.isStopping)
      for (const key of active) if (this.#away.get(key)?.nodeId !== id) this.#cancelRunOnNode(id, key);
    this.#pumpPlaceWaiters();
  }

  /** Another process speaks with the key of the node: it was started again, or two use the key. */
  #onNodeReplaced(node: NodeState, instance: string): void {
    const { row, presence, earlier } = node;
    const now = performance.now();
    const isContested = presence?.instance === earlier;
    node.earlier = instance;
    if (isContested) {
      if (!this.isContested(node)) this.#deps.log.warn({ node: row.name }, 'Two processes use the key of this node.');
      node.contestedAt = now;
    }
    const cause = isContested ? 'Two processes use the key of its node' : 'Its node was started again';
    this.#loseAwayRuns(this.#awayRunsOfNode(row.id), `${cause}; the job runs again.`, !isContested);
  }

  onTold(id: string, told: Told): void {
    const away = this.#away.get(runKey(told));
    if (away === undefined || away.nodeId !== id) return;
    if (told.kind === 'progress')
      away.control.progress({ ...told.progress, message: saidElsewhere(told.progress.message) });
    else away.control.emit(told.event, told.data);
  }

  /** Takes the end of a run: its files are moved into place, then its run records end and sequence together. */
  async onEnded(name: EnvironmentName, id: string, ended: Ended | null, sequence: number): Promise<void> {
    const stream = this.#streams.get(name);
    if (stream === undefined) return;
    stream.read = sequence;
    const away = ended === null ? undefined : this.#away.get(runKey(ended));
    if (ended === null || away === undefined || away.nodeId !== id) {
      this.#deps.log.info({ node: id, sequence }, 'An end that no run waits for was dropped.');
      return;
    }
    const lack = lackOfEndedRun(away.run.node, ended);
    if (lack !== null) {
      // Nothing is recorded: the run goes on elsewhere.
      if (ended.kind === 'lacking') this.#forgetLostModels(id, ended.models);
      away.reject(lack);
      return;
    }
    stream.open.add(sequence);
    const { folders } = this.fleetEnvironment(name);
    away.control.atEnd((tx) => {
      stream.open.delete(sequence);
      // The broker has lost the stream meanwhile.
      if (this.#streams.get(name) !== stream) return;
      const next = Math.min(stream.read + 1, ...stream.open);
      writeCursor(tx, { stream: stream.stream, sequence: next - 1 });
      // After the transaction: until then the files are needed by a server that starts again.
      setImmediate(() => void rm(incomingFolder(folders, ended), { recursive: true, force: true }));
    });
    try {
      if (ended.kind === 'failed') throw awayFailureOf(ended.error);
      if (ended.kind !== 'completed') throw new RunLostError('Its node was stopped; the job runs again.', false);
      const outcome = await awayOutcomeOf(folders, away.operation, ended);
      const { accountId } = away.run;
      const result = parseOwnJson<never>(outcome.result.body);
      await away.operation.arrived?.(result, { use: this.fleetEnvironment(name).use, accountId });
      away.resolve(outcome);
    } catch (error) {
      away.reject(error);
    }
  }

  /** A node has lost models since it last announced them. */
  #forgetLostModels(id: string, lost: readonly string[]): void {
    const node = this.#nodes.get(id);
    if (node?.abilities == null) return;
    const models = node.abilities.models.filter(({ name }) => !lost.includes(name));
    this.#learnNodeAbilities(node, { ...node.abilities, models }, this.#takesWork(node));
  }

  /** Gives the job to other nodes, or to this machine if it can run it. */
  #excludeNodeForJob(nodeId: string, run: Pick<AwayRun, 'environment' | 'jobId'>): void {
    this.#countUntaken(nodeId, run, UNTAKEN_MAX);
  }

  #countUntaken(nodeId: string, run: Pick<AwayRun, 'environment' | 'jobId'>, count: number): void {
    const ofJob = this.#untaken.get(jobKey(run)) ?? new Map<string, number>();
    this.#untaken.set(jobKey(run), ofJob.set(nodeId, (ofJob.get(nodeId) ?? 0) + count));
  }

  #untakenBy({ row }: NodeState, run: Pick<AwayRun, 'environment' | 'jobId'>): number {
    return this.#untaken.get(jobKey(run))?.get(row.id) ?? 0;
  }

  firstSequenceOf(name: EnvironmentName, created: string, last: number): number {
    const open = this.#streams.get(name);
    if (open?.stream === created && open.read <= last) return open.read + 1;
    const known = readCursor(this.fleetEnvironment(name).storage.db);
    const read = known?.stream === created ? Math.min(known.sequence, last) : 0;
    this.#streams.set(name, { stream: created, read, open: new Set(), allReadAt: Number.NEGATIVE_INFINITY });
    return read + 1;
  }

  onAllRead(name: EnvironmentName, askedAt: number): void {
    const ends = this.#streams.get(name);
    if (ends !== undefined) ends.allReadAt = askedAt;
  }

  /** Whether a run is on that node now. */
  isCurrent(node: string, key: string): boolean {
    if (this.isStopping) throw new QuarryError('shutting_down', 'Quarry is stopping. Send the request again later.');
    return this.#away.get(key)?.nodeId === node;
  }

  /** Whether the operation of a run keeps such a checkpoint. */
  keepsCheckpoint(key: string, name: string): boolean {
    return this.#away.get(key)?.operation.checkpoints?.test(name) === true;
  }

  #awayRunsOfNode(nodeId: string): Away[] {
    return [...this.#away.values()].filter((away) => away.nodeId === nodeId);
  }

  #takesWork(node: NodeState): boolean {
    const { row, presence } = node;
    const hasSlots = SLOT_CLASSES.some((slot) => (presence?.slots[slot] ?? 0) > 0);
    const isOpen = row.draining === 0 && hasSlots && !this.isContested(node);
    return isOpen && this.isOnline(node) && presence?.version === this.#deps.version;
  }

  /** The nodes that have what the run needs, also those that are away. */
  #ableTo({ operationId, models }: Pick<Wanted, 'operationId' | 'models'>): NodeState[] {
    return [...this.#nodes.values()].filter(({ abilities }) => {
      const names = usableNames(abilities?.models ?? []);
      return abilities?.operations.includes(operationId) === true && models.every((model) => names.includes(model));
    });
  }

  #awayError({ lacks = { need: 'text', language: null }, ...wanted }: Wanted): NodeAwayError {
    const names = this.#ableTo(wanted).map(({ row }) => row.name);
    return new NodeAwayError(names, { models: wanted.models, lacks });
  }

  /** Null for a job that stays, and where what it needs is nowhere: the run on this machine says so. */
  async #travelOf(asked: Asked): Promise<Travel | null> {
    if (this.#nodes.size === 0) return null;
    const { use } = this.fleetEnvironment(asked.environment);
    const { operationId, accountId, jobId, source } = asked;
    const operation = this.#operationInEnvironment(asked.environment, operationId);
    if (operation?.travels === undefined) return null;
    const { environment } = asked;
    const nodes = this.#ableTo({ operationId, models: [] })
      .filter((node) => jobId === null || this.#untakenBy(node, { environment, jobId }) < UNTAKEN_MAX)
      .sort((one, other) => Number(this.#takesWork(other)) - Number(this.#takesWork(one)))
      .map(({ abilities }) => abilities?.models ?? []);
    try {
      const request = operation.request.parse(asked.request) as never;
      const travel = await operation.travels(request, source, { use, accountId, jobId, nodes });
      return this.#link === null && travel?.lacks === undefined ? null : travel;
    } catch (error) {
      if (error instanceof QuarryError) return null;
      throw error;
    }
  }

  #learnNodeAbilities(node: NodeState, known: Abilities, couldWork: boolean): void {
    const { cores, gpu, operations, models, browsers } = known;
    const abilities: Abilities = { cores, gpu, operations, models, browsers };
    const text = JSON.stringify(abilities);
    const isNew = text !== JSON.stringify(node.abilities);
    node.abilities = abilities;
    if (isNew) this.#deps.onAbilities(node.row.id, text);
    if (isNew || couldWork !== this.#takesWork(node)) this.#onPlacesChanged();
  }

  /** Jobs that wait may have another place now. */
  #onPlacesChanged(): void {
    this.#pumpPlaceWaiters();
    void this.#askWaitingRuns();
    this.#deps.onChange();
  }

  /** Asks again what waiting runs need, with the models that are there now. Concurrent calls share a look. */
  #askWaitingRuns(): Promise<void> {
    this.#askAgain = true;
    this.#asking ??= this.#askAll().finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  async #askAll(): Promise<void> {
    while (this.#askAgain) {
      this.#askAgain = false;
      for (const waiter of this.#waiters) {
        if (!this.#waiters.includes(waiter)) continue;
        try {
          waiter.travel = await this.#travelOf(waiter.asked);
        } catch (error) {
          waiter.refuse(error);
        }
      }
      this.#pumpPlaceWaiters();
    }
  }

  /** A node with a free slot, else this machine; in the order in which jobs were claimed. */
  #waitForRunPlace(asked: Assignment, travel: Travel | null, { signal, progress }: RunControl): Promise<Place> {
    return new Promise((resolve, reject) => {
      const abandonPlaceWait = () => waiter.refuse(signal.reason);
      const endPlaceWait = (settle: () => void) => {
        this.#waiters = this.#waiters.filter((other) => other !== waiter);
        signal.removeEventListener('abort', abandonPlaceWait);
        this.#watchModels();
        settle();
      };
      const waiter: Waiter = {
        asked,
        travel,
        take: (place) => endPlaceWait(() => resolve(place)),
        refuse: (error) => endPlaceWait(() => reject(error)),
      };
      if (signal.aborted) return reject(signal.reason);
      signal.addEventListener('abort', abandonPlaceWait, { once: true });
      this.#waiters.push(waiter);
      this.#pumpPlaceWaiters();
      if (this.#waiters.includes(waiter)) {
        progress({
          percent: 0,
          stage: WAITING_STAGE,
          message: say`Waiting for a free slot on this machine or a node.`,
        });
      }
    });
  }

  #pumpPlaceWaiters(): void {
    for (const waiter of this.#waiters) this.#settlePlaceWaiter(waiter);
    this.#watchModels();
  }

  /** Only where a run waits that this machine cannot do. */
  #watchModels(): void {
    if (this.#waiters.some(({ travel }) => travel?.lacks !== undefined)) {
      this.#stopWatch ??= this.#deps.watchModels(() => void this.#askWaitingRuns());
      return;
    }
    this.#stopWatch?.();
    this.#stopWatch = null;
  }

  /** Gives a waiting run a place, if there is one for it now. */
  #settlePlaceWaiter({ asked, travel, take, refuse }: Waiter): void {
    if (travel === null) {
      take(null);
      return;
    }
    const { operationId, environment } = asked;
    const { models } = travel;
    const operation = this.#operationInEnvironment(environment, operationId);
    const slot = slotOf(asked, operation);
    const untakenBy = (node: NodeState) => this.#untakenBy(node, asked);
    const able = this.#ableTo({ operationId, models }).filter(
      (node) => this.#takesWork(node) && (node.presence?.slots[slot] ?? 0) > 0 && untakenBy(node) < UNTAKEN_MAX,
    );
    const freeOf = (node: NodeState) =>
      (node.presence?.slots[slot] ?? 0) - this.busyOf(node, slot) - node.reserved[slot];
    const [best] = able
      .filter((node) => freeOf(node) > 0)
      .sort(
        (one, other) =>
          untakenBy(one) - untakenBy(other) ||
          Number(speedsUp(other, models)) - Number(speedsUp(one, models)) ||
          freeOf(other) - freeOf(one),
      );
    const isHere = travel.lacks === undefined && (this.#local < this.#deps.localSlots() || able.length === 0);
    // A full broker is given nothing for the time of a lease.
    const isRefused = performance.now() - this.#refusedAt < this.#deps.leaseMs;
    const isOffered = best !== undefined && !(isHere && untakenBy(best) > 0);
    if (isOffered && this.#isConnected && !isRefused) {
      // Until the run is known under its key.
      best.reserved[slot] += 1;
      take({ node: best, travel });
    } else if (travel.lacks !== undefined && able.length === 0) {
      const away = this.#awayError({ ...travel, operationId });
      const isInline = operation?.inline !== undefined;
      refuse(isInline ? new QuarryError('engine_unavailable', saidElsewhere(away.message), { retryable: true }) : away);
    } else if (isHere) {
      this.#local += 1;
      take({ node: 'here', travel });
    }
  }

  async #sendRunToNode(
    node: NodeState,
    assignment: Assignment,
    travel: Travel,
    control: RunControl,
  ): Promise<RunOutcome> {
    node.reserved[slotOf(assignment, this.#operationInEnvironment(assignment.environment, assignment.operationId))] -=
      1;
    const [link, files, instance] = [this.#link, this.#files, node.presence?.instance];
    if (link === null || files === null || instance === undefined) throw brokerUnreachable();
    const { environment, jobId, run, accountId, operationId, queueClass, source } = assignment;
    const { spentSeconds, maxSourceBytes } = assignment;
    const { request, models, choices } = travel;
    const away = { environment, jobId, run, accountId, queueClass, operationId, node: node.row.name };
    const { folders } = this.fleetEnvironment(environment);
    const { checkpoints: kept, carries } = this.#operationInEnvironment(environment, operationId) ?? {};
    return this.#followAwayRun(node, away, control, async () => {
      const patterns = [kept, carries].filter((pattern) => pattern !== undefined);
      const checkpoints = await checkpointsOf(folders.workFolderPath(jobId), patterns);
      const token = files.tokenFor({ environment, jobId, run, node: node.row.id });
      const work = { instance, queueClass, operationId, models: [...models], request, source, checkpoints };
      const told = { environment, jobId, run, ...work, choices: { ...choices }, token };
      control.placed(node.row.name);
      control.signal.throwIfAborted();
      const sequence = await link
        .assignRunToNode(node.row.id, { ...told, spentSeconds, maxSourceBytes })
        .catch((error: unknown) => {
          this.#deps.log.warn({ err: error, jobId }, 'The broker did not take a job.');
          this.#refusedAt = performance.now();
          throw brokerUnreachable();
        });
      const sent = this.#away.get(runKey(away));
      if (sent !== undefined) sent.sequence = sequence;
      if (sent?.stage === 'assigned') sent.stage = 'stored';
    });
  }

  #followAwayRun(
    node: NodeState,
    run: AwayRun,
    control: RunControl,
    begin: (() => Promise<void>) | null,
  ): Promise<RunOutcome> {
    const key = runKey(run);
    const { promise, resolve, reject } = Promise.withResolvers<RunOutcome>();
    const operation = this.#operationInEnvironment(run.environment, run.operationId);
    if (operation === undefined) throw new RunLostError('Its operation is not known any more.', true);
    const stage: Away['stage'] = begin === null ? 'begun' : 'assigned';
    const common = { key, run, nodeId: node.row.id, control, operation, stage, sequence: null, missingSince: null };
    this.#away.set(key, { ...common, slot: slotOf(run, operation), resolve, reject });
    const stopFollowedRun = () => {
      if (!this.isStopping) this.#link?.cancelNodeRun(node.row.id, run);
      reject(control.signal.reason);
    };
    control.signal.addEventListener('abort', stopFollowedRun, { once: true });
    if (control.signal.aborted) stopFollowedRun();
    begin?.().catch(reject);
    return promise.finally(() => {
      control.signal.removeEventListener('abort', stopFollowedRun);
      this.#away.delete(key);
      this.#pumpPlaceWaiters();
    });
  }

  /** Loses the runs of nodes whose heartbeats stopped, and runs that their nodes do not have. */
  #checkAwayRuns(): void {
    const now = performance.now();
    const sinceLook = now - this.#lookedAt;
    this.#lookedAt = now;
    // This process itself was frozen: the beats that came meanwhile are read after this.
    if (sinceLook > this.#deps.leaseMs / 2) {
      this.#forgiveSilence(now);
      if (this.#goneSince !== null) this.#goneSince = now;
      return;
    }
    if (!this.#isConnected) {
      if (now - (this.#goneSince ?? now) > LEASES_WITHOUT_BROKER * this.#deps.leaseMs) {
        this.#loseAwayRuns([...this.#away.values()], 'The broker does not come back; the job runs again.', false);
      }
      // Nodes count as away once their leases are over.
      this.#pumpPlaceWaiters();
      return;
    }
    // A run whose end is stored is not lost, however late it is read.
    const isLost = (away: Away, since: number, leases = 1) => {
      const { allReadAt } = this.#streams.get(away.run.environment) ?? { allReadAt: Number.NEGATIVE_INFINITY };
      return now - since > leases * this.#deps.leaseMs && allReadAt > since;
    };
    for (const { row, beatAt } of this.#nodes.values()) {
      const silent = this.#awayRunsOfNode(row.id).filter((away) => isLost(away, beatAt));
      this.#loseAwayRuns(silent, `The node ${row.name} stopped answering; the job runs again.`, true);
    }
    const missingFor = (leases: number) =>
      [...this.#away.values()].filter((away) => away.missingSince !== null && isLost(away, away.missingSince, leases));
    const ended = missingFor(1).filter(({ stage }) => stage === 'begun');
    this.#loseAwayRuns(ended, 'Its node does not run it any more; the job runs again.', true);
    const untaken = missingFor(LEASES_UNTAKEN).filter(({ stage }) => stage !== 'begun');
    for (const { nodeId, run } of untaken) this.#countUntaken(nodeId, run, 1);
    this.#loseAwayRuns(untaken, 'Its node did not take it; the job runs again.', false);
    this.#pumpPlaceWaiters();
  }

  #loseAwayRuns(runs: readonly Away[], message: string, spendsAttempt: boolean): void {
    for (const away of runs) {
      // Nothing that the node still sends is for this run.
      this.#away.delete(away.key);
      this.#link?.cancelNodeRun(away.nodeId, away.run);
      if (away.sequence !== null) this.#link?.withdrawAssignment(away.sequence);
      away.reject(new RunLostError(message, spendsAttempt));
      const { folders } = this.fleetEnvironment(away.run.environment);
      void rm(incomingFolder(folders, away.run), { recursive: true, force: true });
    }
  }

  #cancelRunOnNode(nodeId: string, key: string): void {
    const [environment = '', jobId = '', run = ''] = key.split('/');
    if (this.#environments.has(environment as EnvironmentName)) {
      this.#link?.cancelNodeRun(nodeId, { environment: environment as EnvironmentName, jobId, run: Number(run) });
    }
  }
}

/** A node that has not said anything to this process. */
export function newState(row: NodeRow): NodeState {
  const abilities = row.abilities === null ? null : decodeFleetMessage(Abilities, Buffer.from(row.abilities));
  const unseen = {
    presence: null,
    reserved: { light: 0, heavy: 0 },
    earlier: null,
    contestedAt: Number.NEGATIVE_INFINITY,
  };
  return { ...unseen, row, abilities, beatAt: performance.now() };
}

/** A request that waits for its answer is short. */
function slotOf({ queueClass }: Pick<AwayRun, 'queueClass'>, operation: Operation | undefined): SlotClass {
  return operation?.inline !== undefined || queueClass === 'light' ? 'light' : 'heavy';
}

/** Whether the graphics processor of a node does the work: text models use it, other engines the cores. */
function speedsUp({ abilities }: NodeState, models: readonly string[]): boolean {
  const isText = abilities?.models.some(({ name, kind }) => kind === 'text' && models.includes(name)) === true;
  return isText && abilities?.gpu != null;
}

function brokerUnreachable(): RunLostError {
  return new RunLostError('The broker did not take the job; it runs again.', false);
}

/** The code of a run that lacks a model or data. */
const LACKS = 'model_not_installed';

/** The node lacks what the run needs: it goes on elsewhere, or on this machine, which says what to install. */
class LackingError extends Error {}

/** Models that are gone, or data that only the file names, such as those of its language; null for other ends. */
function lackOfEndedRun(node: string, ended: Ended): LackingError | null {
  if (ended.kind === 'lacking') {
    return new LackingError(`${node} does not have ${new Intl.ListFormat('en').format(ended.models)} any more.`);
  }
  if (ended.kind !== 'failed' || ended.error.code !== LACKS) return null;
  return new LackingError(`${node} lacks what the job needs. ${ended.error.message}`);
}

function awayFailureOf({ code, message, retryable = false }: Extract<Ended, { kind: 'failed' }>['error']): QuarryError {
  // Such as a prompt that is too long for the model, which only the node could count.
  if (!isJobErrorCode(code)) return new QuarryError('engine_failed', saidElsewhere(message), { retryable });
  return new QuarryError(code, saidElsewhere(message), { retryable });
}

function jobKey({ environment, jobId }: Pick<AwayRun, 'environment' | 'jobId'>): string {
  return `${environment}/${jobId}`;
}
