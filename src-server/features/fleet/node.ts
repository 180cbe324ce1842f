/** A node: runs assignments of its control node. It has no database, and knows no account, payment or other job. */

import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Consumer, type JetStreamClient, type JsMsg, jetstream } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import type { Operation, ProgressReport, UseService } from '../../operation.ts';
import { inParallel } from '../../platform/concurrency.ts';
import { QuarryError } from '../../platform/errors.ts';
import { JobFolders } from '../../platform/files/job-folders.ts';
import type { FileKind } from '../../platform/files/kinds.ts';
import type { ModelFacts } from '../../platform/model-facts.ts';
import { serializeError } from '../../platform/rpc/errors.ts';
import { tell } from '../../platform/text/say.ts';
import { SECOND_MS } from '../../platform/units.ts';
import type { LendBrowser } from '../crawl/schema.ts';
import { type RunControl, requireOperation, runAssignment } from '../jobs/service.ts';
import { checkpointsOf, RESULT_FILE } from './away-files.ts';
import { readJoin } from './join.ts';
import { connectionOptions, pingsOf, retryPatiently } from './link.ts';
import {
  type Abilities,
  Assignment,
  BrowserOrder,
  browserSubject,
  Cancel,
  cancelSubject,
  copySubject,
  decodeFleetMessage,
  type Ended,
  encodeFleetMessage,
  type FileRef,
  inboxOf,
  type Joined,
  type Presence,
  presenceSubject,
  RunEvent,
  runKey,
  saySubject,
  type Told,
  tellSubject,
  usableNames,
  Wanted,
  WORK_STREAM,
} from './messages.ts';
import { NodeBrowsers } from './node-browsers.ts';
import { NodeClient, RunOverError } from './node-client.ts';
import { NodeCopies } from './node-copies.ts';
import { fileDigestOf, fleetFileSizeOf } from './run-files.ts';

/** Requests to a broker that is being started again are lost, so they are short. */
const PULL_MS = 2 * SECOND_MS;

const PUBLISH_MS = 2 * SECOND_MS;

const CONNECT_MS = 10 * SECOND_MS;

const STOP_MS = 5 * SECOND_MS;

const PROGRESS_EVERY_MS = SECOND_MS / 4;

const CHECKPOINT_EVERY_MS = 15 * SECOND_MS;

const RECONNECT_MS = SECOND_MS / 2;

/** Files of a run that are sent at the same time. */
const UPLOADS = 4;

export interface NodeOptions {
  /** See `writeJoin`. */
  join: string;
  /** Private folder of this node. */
  folder: string;
  version: string;
  cores: number;
  gpu: string | null;
  /** Runs at once. */
  slots: Presence['slots'];
  /** Those that travel. */
  operations: readonly Operation[];
  use: UseService;
  models(): Promise<ModelFacts[]>;
  /** Calls `onChange` when `models` may have changed. Returns a function that ends the watch. */
  watchModels(onChange: () => void): () => void;
  modelsFolder: string;
  /** Browsers for crawls of the control node at once; 0 where there is none. */
  browsers(): number;
  lendBrowser: LendBrowser;
  /** Free bytes at a folder. The default asks the file system. */
  freeBytes?: ((folder: string) => Promise<number>) | undefined;
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
  checkpointEveryMs?: number;
}

export interface RunningNode {
  name: string;
  /** Resolves when the control node has ended the connection: the node was removed, or its key is refused. */
  ended: Promise<Error>;
  /** Returns running jobs to the control node. */
  close(): Promise<void>;
}

/**
 * Errors: `invalid_request` for no address, `source_unreachable`, `forbidden` for a key or certificate that
 * is refused, `conflict` for another version.
 */
export async function startNode(options: NodeOptions): Promise<RunningNode> {
  const address = readJoin(options.join);
  const client = await NodeClient.openNodeClient(address);
  const joined = await client.joinControlNode(options.version);
  const { host, pinned, ...how } = joined.broker;
  const broker = { ...how, host: host ?? address.host, certificate: pinned ? client.certificate : null };
  const joining = {
    ...connectionOptions(broker, address.seed),
    name: joined.name,
    inboxPrefix: inboxOf(address.node),
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_MS,
    timeout: CONNECT_MS,
    ...pingsOf(joined.leaseMs),
  };
  // It may be reading its new list of nodes, or be started again.
  const connection = await retryPatiently(() => connect(joining)).catch((cause: unknown) => {
    const isRefused = /authori[sz]ation/i.test(String(cause));
    const code = isRefused ? 'forbidden' : 'source_unreachable';
    const message = isRefused
      ? tell`The key of this node is refused. Create the node again in the settings.`
      : tell`The broker does not answer on ${broker.host}, port ${broker.port}.`;
    throw new QuarryError(code, message, { cause });
  });
  const node = new Node(options, { id: address.node, joined, client, connection });
  await node.startFleetNode();
  return node;
}

interface Parts {
  id: string;
  joined: Joined;
  client: NodeClient;
  connection: NatsConnection;
}

interface ActiveRun {
  key: string;
  message: JsMsg;
  abort: AbortController;
  done: Promise<void>;
}

class Node implements RunningNode {
  readonly #options: NodeOptions;
  readonly #parts: Parts;
  readonly #stream: JetStreamClient;
  readonly #folders: JobFolders;
  readonly #instance = randomUUID();
  readonly #active = new Map<string, ActiveRun>();
  /** Runs that are over, whose work the broker may deliver again when an acknowledgement was lost. */
  readonly #over = new Set<string>();
  readonly ended: Promise<Error>;
  #beat: NodeJS.Timeout | null = null;
  readonly #copies: NodeCopies;
  readonly #browsers: NodeBrowsers;
  #models: ModelFacts[] = [];
  /** The last look at the models. */
  #looking: Promise<void> = Promise.resolve();
  #looks = 0;
  #stopWatch: (() => void) | null = null;
  #closing = false;
  #freed: () => void = () => {};

  constructor(options: NodeOptions, parts: Parts) {
    this.#options = options;
    this.#parts = parts;
    this.#stream = jetstream(parts.connection, { timeout: PUBLISH_MS });
    this.#folders = new JobFolders(join(options.folder, 'jobs'));
    const { modelsFolder, freeBytes, log } = options;
    const onChange = () => {
      this.#sayPresence();
      void this.#lookAtModels();
    };
    this.#copies = new NodeCopies({ client: parts.client, modelsFolder, freeBytes, log, onChange });
    const { browsers: limit, lendBrowser: lend } = options;
    this.#browsers = new NodeBrowsers({ client: parts.client, limit, lend, timing: parts.joined, log });
    this.ended = parts.connection.closed().then((cause) => {
      for (const { abort } of this.#active.values()) abort.abort(new RunOverError());
      const message = 'The control node has ended the connection: this node was removed, or its key is refused.';
      return new QuarryError('forbidden', message, { cause });
    });
  }

  get name(): string {
    return this.#parts.joined.name;
  }

  async startFleetNode(): Promise<void> {
    const { id, connection, joined } = this.#parts;
    connection.subscribe(cancelSubject(id), {
      callback: (_error, { data }) => {
        const run = decodeFleetMessage(Cancel, data);
        if (run !== null) this.#active.get(runKey(run))?.abort.abort(new RunOverError());
      },
    });
    connection.subscribe(copySubject(id), {
      callback: (_error, { data }) => {
        const wanted = decodeFleetMessage(Wanted, data);
        if (wanted !== null) this.#copies.setWantedCopies(wanted);
      },
    });
    connection.subscribe(browserSubject(id), {
      callback: (_error, { data }) => {
        const order = decodeFleetMessage(BrowserOrder, data);
        if (order !== null) this.#browsers.orderNodeBrowser(order);
      },
    });
    await this.#lookAtModels();
    this.#sayPresence();
    this.#stopWatch = this.#options.watchModels(() => void this.#lookAtModels());
    this.#beat = setInterval(() => {
      this.#sayPresence();
      if (this.#looks === 0) void this.#lookAtModels();
    }, joined.beatMs);
    void this.#pullAssignments();
  }

  async close(): Promise<void> {
    this.#closing = true;
    this.#freed();
    this.#stopWatch?.();
    this.#copies.closeNodeCopies();
    // Before it returns its jobs, so that none comes back.
    this.#sayPresence();
    const runs = [...this.#active.values()];
    for (const { abort } of runs) abort.abort(new StoppedError());
    await Promise.race([
      Promise.all([this.#browsers.closeNodeBrowsers(), ...runs.map(({ done }) => done)]),
      sleep(STOP_MS),
    ]);
    if (this.#beat !== null) clearInterval(this.#beat);
    await this.#parts.connection.close();
    this.#parts.client.closeNodeClient();
  }

  /**
   * Reads which models are there, and says at once what changed. Apart from the heartbeat, which must not wait for a
   * text server. Looks follow each other, so that none puts an older list in place. Never rejects.
   */
  #lookAtModels(): Promise<void> {
    this.#looks += 1;
    this.#looking = this.#looking.then(async () => {
      const models = await this.#options.models().catch(() => this.#models);
      this.#looks -= 1;
      if (JSON.stringify(models) === JSON.stringify(this.#models)) return;
      this.#models = models;
      this.#sayPresence();
    });
    return this.#looking;
  }

  /** Which of the models are not there now. */
  async #missingModelsOf(models: readonly string[]): Promise<string[]> {
    if (models.length === 0) return [];
    await this.#lookAtModels();
    const names = usableNames(this.#models);
    return models.filter((model) => !names.includes(model));
  }

  /** The heartbeat, for the control node and for the leases of the broker. */
  #sayPresence(): void {
    const { version, cores, gpu } = this.#options;
    const slots = this.#closing ? { light: 0, heavy: 0 } : this.#options.slots;
    const { connection, id } = this.#parts;
    const active = [...this.#active.keys()];
    const operations = this.#options.operations.map(({ id }) => id);
    const abilities: Abilities = { cores, gpu, operations, models: this.#models, browsers: this.#options.browsers() };
    const { modelCopyStates: copies } = this.#copies;
    const presence: Presence = { instance: this.#instance, version, slots, ...abilities, active, copies };
    if (connection.isClosed()) return;
    connection.publish(presenceSubject(id), encodeFleetMessage(presence));
    for (const { message } of this.#active.values()) message.working();
  }

  async #pullAssignments(): Promise<void> {
    let consumer: Consumer | null = null;
    // The control node counts each kind.
    const slots = this.#options.slots.light + this.#options.slots.heavy;
    while (!this.#closing && !this.#parts.connection.isClosed()) {
      if (this.#active.size >= slots) {
        await new Promise<void>((resolve) => {
          this.#freed = resolve;
        });
        continue;
      }
      try {
        consumer ??= await this.#stream.consumers.get(WORK_STREAM, this.#parts.id);
        const message = await consumer.next({ expires: PULL_MS });
        if (message !== null) this.#takeAssignmentMessage(message);
      } catch (error) {
        this.#options.log.warn({ err: error }, 'The broker does not answer; it is asked again.');
        consumer = null;
        await sleep(RECONNECT_MS);
      }
    }
  }

  #takeAssignmentMessage(message: JsMsg): void {
    const assignment = decodeFleetMessage(Assignment, message.data);
    // Work for an earlier process of this node: the control node runs it again by itself.
    if (assignment === null || assignment.instance !== this.#instance) {
      message.term();
      return;
    }
    const key = runKey(assignment);
    if (this.#active.has(key)) {
      message.working();
      return;
    }
    if (this.#over.has(key)) {
      message.ack();
      return;
    }
    const run: ActiveRun = { key, message, abort: new AbortController(), done: Promise.resolve() };
    this.#active.set(key, run);
    const { jobId, operationId } = assignment;
    this.#options.log.info({ jobId, operationId }, 'A job has begun.');
    run.done = this.#runNodeAssignment(assignment, run.abort.signal)
      .catch((error: unknown) => this.#options.log.warn({ err: error, jobId }, 'A job was dropped.'))
      .finally(() => {
        message.ack();
        this.#active.delete(key);
        this.#over.add(key);
        this.#sayPresence();
        this.#freed();
      });
  }

  async #runNodeAssignment(assignment: Assignment, signal: AbortSignal): Promise<void> {
    const { environment, jobId, run } = assignment;
    const folders = new JobFolders(join(this.#folders.root, `${environment}-${run}`));
    const of = { environment, jobId, run };
    try {
      const models = await this.#missingModelsOf(assignment.models);
      const lacks = models.length > 0;
      const ended: Ended = lacks
        ? { ...of, kind: 'lacking', models }
        : await this.#assignmentOutcome(assignment, folders, signal);
      await this.#publishRunEnd(ended, signal);
    } catch (error) {
      if (signal.reason instanceof StoppedError) await this.#publishRunEnd({ ...of, kind: 'returned' });
      else if (!(error instanceof RunOverError) && !signal.aborted) {
        const { code, message, retryable } = serializeError(error);
        if (code === 'internal') this.#options.log.warn({ err: error, jobId }, 'A job failed unexpectedly.');
        const told = { code, message, retryable };
        await this.#publishRunEnd({ ...of, kind: 'failed', error: told }, signal);
      }
    } finally {
      await folders.removeJobFolder(jobId).catch(() => undefined);
    }
  }

  async #assignmentOutcome(assignment: Assignment, folders: JobFolders, signal: AbortSignal): Promise<Ended> {
    const { environment, jobId, run, source, checkpoints, operationId } = assignment;
    const transfers = this.#parts.client.run(assignment.token, signal);
    await folders.prepareJobFolder(jobId);
    if (source !== null) await transfers.download('source', folders.sourceFolderPath(jobId), source.sizeBytes);
    for (const { name, sizeBytes } of checkpoints) {
      const path = name.split('/').map(encodeURIComponent).join('/');
      await transfers.download(`checkpoints/${path}`, join(folders.workFolderPath(jobId), name), sizeBytes);
    }
    const operation = requireOperation(this.#options.operations, operationId);
    const leave = await operation.admit?.(assignment.request as never, { use: this.#options.use, isOwner: true });
    const { checkpoints: pattern } = operation;
    const keeper =
      pattern === undefined
        ? null
        : this.#keepCheckpoints(folders.workFolderPath(jobId), pattern, { transfers, checkpoints });
    try {
      const outcome = await runAssignment(
        { operations: this.#options.operations, folders, use: this.#options.use },
        { ...assignment, accountId: 'node', source: source && { ...source, kind: source.kind as FileKind }, ...POLICY },
        this.#controlOf(assignment, signal),
      );
      await keeper?.stop();
      const filesFolder = folders.filesFolderPath(jobId);
      const files = await resultFilesOf(filesFolder);
      const resultPath = join(folders.jobFolderPath(jobId), RESULT_FILE);
      await writeFile(resultPath, outcome.result.body, { mode: 0o600 });
      const result = await refOf(resultPath, RESULT_FILE);
      // Files of the same content are one upload.
      const uploads = new Map(files.map((file) => [file.sha256, { ...file, path: join(filesFolder, file.name) }]));
      uploads.set(result.sha256, { ...result, path: resultPath });
      await inParallel([...uploads.values()], UPLOADS, signal, (file) => transfers.uploadRunFile(file.path, file));
      const { furtherEvent = null, sourceBytes } = outcome;
      const facts = { chunksBytes: outcome.result.chunksBytes, furtherEvent, sourceBytes };
      return { environment, jobId, run, kind: 'completed', result, files, ...facts };
    } finally {
      await keeper?.stop();
      leave?.();
    }
  }

  /** Sends finished parts of the work to the control node, where they outlive this node. */
  #keepCheckpoints(
    folder: string,
    pattern: RegExp,
    { transfers, checkpoints }: { transfers: ReturnType<NodeClient['run']>; checkpoints: readonly FileRef[] },
  ) {
    const sent = new Map(checkpoints.map(({ name, sha256 }) => [name, sha256]));
    let sending = Promise.resolve();
    const sendFreshCheckpoints = async () => {
      const found = await checkpointsOf(folder, [pattern]);
      const fresh = found.filter(({ name, sha256 }) => sent.get(name) !== sha256);
      if (fresh.length === 0) return;
      for (const file of fresh) await transfers.uploadRunFile(join(folder, file.name), file);
      await transfers.announceCheckpoints(fresh);
      for (const { name, sha256 } of fresh) sent.set(name, sha256);
    };
    const timer = setInterval(() => {
      sending = sending.then(sendFreshCheckpoints).catch(() => undefined);
    }, this.#options.checkpointEveryMs ?? CHECKPOINT_EVERY_MS);
    return {
      stop: async () => {
        clearInterval(timer);
        await sending;
      },
    };
  }

  #controlOf(
    { environment, jobId, run }: Assignment,
    signal: AbortSignal,
  ): Pick<RunControl, 'signal' | 'progress' | 'emit'> {
    const tellControlNode = (told: Told) => {
      const { connection, id } = this.#parts;
      if (!connection.isClosed()) connection.publish(tellSubject(id), encodeFleetMessage(told));
    };
    let toldAt = 0;
    return {
      signal,
      progress: (progress: ProgressReport) => {
        const now = performance.now();
        if (now - toldAt < PROGRESS_EVERY_MS) return;
        toldAt = now;
        tellControlNode({ environment, jobId, run, kind: 'progress', progress });
      },
      emit: (name, data) =>
        tellControlNode({ environment, jobId, run, kind: 'event', event: RunEvent.parse(name), data }),
    };
  }

  /** Resolves when the broker has stored the end. It may be away for long. */
  async #publishRunEnd(ended: Ended, signal?: AbortSignal): Promise<void> {
    const subject = saySubject(ended.environment, this.#parts.id);
    const msgID = `${ended.jobId}.${ended.run}.${this.#parts.id}.${ended.kind}`;
    for (;;) {
      signal?.throwIfAborted();
      try {
        await this.#stream.publish(subject, encodeFleetMessage(ended), { msgID, timeout: PUBLISH_MS });
        return;
      } catch (error) {
        if (this.#parts.connection.isClosed() || (signal === undefined && this.#closing)) throw error;
        await sleep(RECONNECT_MS);
      }
    }
  }
}

/** The node stops by itself. */
class StoppedError extends Error {}

/** Nodes fetch nothing. */
const POLICY = { fetchPolicy: { allowHttp: false, privateHost: null } };

async function resultFilesOf(folder: string): Promise<FileRef[]> {
  await mkdir(folder, { recursive: true });
  return checkpointsOf(folder, [/^[A-Za-z0-9][A-Za-z0-9._-]{0,120}$/]);
}

async function refOf(path: string, name: string): Promise<FileRef> {
  return { name, sha256: await fileDigestOf(path), sizeBytes: (await fleetFileSizeOf(path)) ?? 0 };
}

export async function clearFolder(folder: string): Promise<void> {
  await rm(join(folder, 'jobs'), { recursive: true, force: true });
}
