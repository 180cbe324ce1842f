/** The connection of the control node to the broker. */

import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import {
  AckPolicy,
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream';
import { type KV, Kvm } from '@nats-io/kv';
import {
  type ConnectionOptions,
  connect,
  credsAuthenticator,
  type NatsConnection,
  nanos,
  nkeyAuthenticator,
  usernamePasswordAuthenticator,
} from '@nats-io/transport-node';
import { ENVIRONMENTS, type EnvironmentName } from '../../operation.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import { DAY_MS, GIB, SECOND_MS } from '../../platform/units.ts';
import {
  type Assignment,
  type BrowserOrder,
  browserSubject,
  cancelSubject,
  copySubject,
  decodeFleetMessage,
  Ended,
  encodeFleetMessage,
  PRESENCE_BUCKET,
  Presence,
  SAY_STREAM,
  SAY_SUBJECTS,
  saySubject,
  Told,
  type Wanted,
  WORK_STREAM,
  WORK_SUBJECTS,
  workSubject,
} from './messages.ts';
import type { BrokerLogin } from './schema.ts';

/** A busy machine takes seconds for a new broker and its TLS. */
const CONNECT_MS = 20 * SECOND_MS;

const HANDSHAKE_MS = 5 * SECOND_MS;

/** Of a request. One that a broker lost as it ended is answered by no other. */
const ANSWER_MS = 2 * SECOND_MS;

/** For a broker that is being started again. */
const PATIENCE_MS = 5 * SECOND_MS;

/** A broker that is frozen, or behind a dead network, counts as gone before its silence costs a node its runs. */
const PINGS_A_LEASE = 6;

const PINGS_LOST_MAX = 2;

/** Interval for reading ends that no message announced. */
const LOOK_MS = 2 * SECOND_MS;

const RETRY_MS = SECOND_MS / 2;

/** Ends are kept while the control node is away. */
const ENDS_KEPT_MS = 14 * DAY_MS;

const WORK_KEPT_MS = DAY_MS;

const DELIVERIES = 3;

/** Where the broker is, and how to know it. */
export interface BrokerAddress {
  host: string;
  port: number;
  /** PEM of the one certificate that is accepted; null: the authorities decide. */
  certificate: string | null;
  /** PEM of the authority; null: those of the system. */
  ca: string | null;
  /** Null: the key (nkey). */
  login: BrokerLogin | null;
}

/** How to reach the broker and log in to it. */
export function connectionOptions({ host, port, certificate, ca, login }: BrokerAddress, seed: string) {
  // The pinned certificate states no address of this machine.
  const pinned = certificate === null ? null : { ca: certificate, checkServerIdentity: () => undefined };
  // The client passes no name for a host that is an IP address.
  const checkPeer = (_name: string, peer: PeerCertificate) => checkServerIdentity(host, peer);
  const checked = { ...omitUndefined({ ca: ca ?? undefined }), checkServerIdentity: checkPeer };
  return {
    servers: `${host.includes(':') ? `[${host}]` : host}:${port}`,
    authenticator: authenticatorOf(login, seed),
    tls: pinned ?? checked,
    // A trace for each request costs more than the request.
    noAsyncTraces: true,
  };
}

function authenticatorOf(login: BrokerLogin | null, seed: string) {
  if (login === null) return nkeyAuthenticator(new TextEncoder().encode(seed));
  if (login.kind === 'creds') return credsAuthenticator(new TextEncoder().encode(login.creds));
  return usernamePasswordAuthenticator(login.user, login.password);
}

export interface LinkListeners {
  onPresence(node: string, presence: Presence): void;
  onTold(node: string, told: Told): void;
  /** In the order of the stream. `ended` is null for a message that does not match. */
  onEnded(environment: EnvironmentName, node: string, ended: Ended | null, sequence: number): Promise<void>;
  /** Every end that was stored before that time has been given to `onEnded`. @param askedAt monotonic */
  onAllRead(environment: EnvironmentName, askedAt: number): void;
  onConnected(): void;
  onDisconnected(): void;
  /**
   * First sequence to read. @param stream identifies the stream: a new one counts from 1 again
   * @param last newest sequence: a broker that was restored from a copy has gone back
   */
  firstOf(environment: EnvironmentName, stream: string, last: number): number;
  log: { warn(fields: object, message: string): void };
}

interface LinkOptions {
  address: BrokerAddress;
  seed: string;
  leaseMs: number;
  listeners: LinkListeners;
}

export class Link {
  readonly #connection: NatsConnection;
  readonly #options: LinkOptions;
  readonly #manager: JetStreamManager;
  readonly #client: JetStreamClient;
  readonly #admitted = new Set<string>();
  #bucket: KV;
  readonly #wakes = new Map<EnvironmentName, () => void>();
  #connects = 0;
  #closed = false;

  private constructor(connection: NatsConnection, manager: JetStreamManager, bucket: KV, options: LinkOptions) {
    this.#connection = connection;
    this.#bucket = bucket;
    this.#manager = manager;
    this.#options = options;
    this.#client = jetstream(connection, { timeout: ANSWER_MS });
  }

  /** Waits for a broker that Quarry is starting. Errors: those of the connection. */
  static async openFleetLink(options: LinkOptions): Promise<Link> {
    const connection = await connectWithin(options.address.certificate === null ? 0 : CONNECT_MS, options);
    try {
      const manager = await retryPatiently(() => jetstreamManager(connection, { timeout: ANSWER_MS }));
      const bucket = await retryPatiently(() => makeStores(connection, manager, options.leaseMs));
      const link = new Link(connection, manager, bucket, options);
      link.#listenToNodes();
      return link;
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  /** Makes the queue of a node. Nodes may not make their own. */
  async admitNodeConsumer(node: string): Promise<void> {
    this.#admitted.add(node);
    await this.#makeQueue(node);
    const beat = await this.#bucket.get(node);
    if (beat !== null) this.#hearNodePresence(node, beat.value);
  }

  async #makeQueue(node: string): Promise<void> {
    const queue = {
      durable_name: node,
      filter_subject: workSubject(node),
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(this.#options.leaseMs),
      max_deliver: DELIVERIES,
    };
    await retryPatiently(() => this.#manager.consumers.add(WORK_STREAM, queue));
  }

  async dismissNodeConsumer(node: string): Promise<void> {
    this.#admitted.delete(node);
    await this.#manager.consumers.delete(WORK_STREAM, node).catch(() => false);
    await retryPatiently(() => this.#manager.streams.purge(WORK_STREAM, { filter: workSubject(node) }));
  }

  /** Resolves when the broker has stored the work, with its sequence. */
  async assignRunToNode(node: string, assignment: Assignment): Promise<number> {
    const msgID = `${assignment.jobId}.${assignment.run}.${node}`;
    const data = encodeFleetMessage(assignment);
    return (await retryPatiently(() => this.#client.publish(workSubject(node), data, { msgID, timeout: ANSWER_MS })))
      .seq;
  }

  /** Takes back work that its node has not read. Without effect where it has. */
  withdrawAssignment(sequence: number): void {
    this.#manager.streams.deleteMessage(WORK_STREAM, sequence).catch(() => undefined);
  }

  cancelNodeRun(node: string, run: { environment: EnvironmentName; jobId: string; run: number }): void {
    const { environment, jobId } = run;
    this.#connection.publish(cancelSubject(node), encodeFleetMessage({ environment, jobId, run: run.run }));
  }

  sendWantedModels(node: string, wanted: Wanted): void {
    this.#connection.publish(copySubject(node), encodeFleetMessage(wanted));
  }

  lend(node: string, order: BrowserOrder): void {
    this.#connection.publish(browserSubject(node), encodeFleetMessage(order));
  }

  async closeFleetLink(): Promise<void> {
    this.#closed = true;
    for (const wake of this.#wakes.values()) wake();
    await this.#connection.close();
  }

  #hearNodePresence(node: string, data: Uint8Array): void {
    const presence = decodeFleetMessage(Presence, data);
    if (presence !== null) this.#options.listeners.onPresence(node, presence);
  }

  #listenToNodes(): void {
    const { onTold } = this.#options.listeners;
    this.#connection.subscribe('quarry.tell.*', {
      callback: (_error, message) => {
        const told = decodeFleetMessage(Told, message.data);
        if (told !== null) onTold(lastToken(message.subject), told);
      },
    });
    // A stored end also reaches those who listen: the sign to read the stream.
    this.#connection.subscribe(SAY_SUBJECTS, {
      callback: (_error, message) => this.#wakes.get(message.subject.split('.')[2] as EnvironmentName)?.(),
    });
    // Beats are heard as they are sent; the bucket holds the last one of each node for a control node that starts.
    this.#connection.subscribe(`$KV.${PRESENCE_BUCKET}.*`, {
      callback: (_error, message) => this.#hearNodePresence(lastToken(message.subject), message.data),
    });
    void this.#watchConnection();
    for (const environment of ENVIRONMENTS) void this.#readEnds(environment);
  }

  async #watchConnection(): Promise<void> {
    const { onConnected, onDisconnected } = this.#options.listeners;
    for await (const { type } of this.#connection.status()) {
      if (type === 'reconnect') {
        onConnected();
        this.#connects += 1;
        void this.#restoreNodeStreams();
      }
      if (type === 'disconnect') onDisconnected();
    }
  }

  /** A broker that came back may have lost what it stored, its streams and queues included. */
  async #restoreNodeStreams(): Promise<void> {
    const { leaseMs, listeners } = this.#options;
    while (!this.#closed) {
      try {
        this.#bucket = await makeStores(this.#connection, this.#manager, leaseMs);
        for (const node of this.#admitted) await this.#makeQueue(node);
        return;
      } catch (error) {
        if (this.#closed) return;
        listeners.log.warn({ err: error }, 'The broker came back without its streams; they are made again.');
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref());
      }
    }
  }

  /** Reads by sequence, so that nothing depends on what the broker remembers of its readers. */
  async #readEnds(environment: EnvironmentName): Promise<void> {
    const { listeners } = this.#options;
    let next: number | null = null;
    let connects = 0;
    while (!this.#closed) {
      const woken = new Promise<void>((resolve) => {
        this.#wakes.set(environment, resolve);
        setTimeout(resolve, LOOK_MS).unref();
      });
      try {
        if (connects !== this.#connects) next = null;
        connects = this.#connects;
        if (next === null) {
          const { created, state } = await this.#manager.streams.info(SAY_STREAM);
          next = listeners.firstOf(environment, created, state.last_seq);
        }
        for (;;) {
          const askedAt = performance.now();
          const filter = saySubject(environment, '*');
          const found = await this.#manager.direct.getMessage(SAY_STREAM, { seq: next, next_by_subj: filter });
          if (this.#closed) break;
          if (found === null) {
            listeners.onAllRead(environment, askedAt);
            break;
          }
          await listeners.onEnded(
            environment,
            lastToken(found.subject),
            decodeFleetMessage(Ended, found.data),
            found.seq,
          );
          next = found.seq + 1;
        }
        await woken;
      } catch (error) {
        if (this.#closed) return;
        // Another stream may be there now.
        next = null;
        listeners.log.warn({ err: error }, 'The ends of runs on nodes could not be read; they are read again.');
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref());
      }
    }
  }
}

/** A broker that reads its configuration again answers nothing for a moment. */
export async function retryPatiently<Result>(work: () => Promise<Result>): Promise<Result> {
  const startedAt = performance.now();
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (performance.now() - startedAt > PATIENCE_MS) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS / 2));
    }
  }
}

/** Whether a broker answers there and accepts the key. */
export async function brokerAnswers(address: BrokerAddress, seed: string): Promise<boolean> {
  try {
    const connection = await connectOnce(address, seed, { timeout: HANDSHAKE_MS, reconnect: false });
    await connection.close();
    return true;
  } catch {
    return false;
  }
}

async function connectWithin(
  limitMs: number,
  { address, seed, leaseMs }: Pick<LinkOptions, 'address' | 'seed' | 'leaseMs'>,
): Promise<NatsConnection> {
  const startedAt = performance.now();
  for (;;) {
    try {
      const lasting = { maxReconnectAttempts: -1, reconnectTimeWait: RETRY_MS, ...pingsOf(leaseMs) };
      return await connectOnce(address, seed, { timeout: HANDSHAKE_MS, ignoreAuthErrorAbort: true, ...lasting });
    } catch (error) {
      if (performance.now() - startedAt > limitMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS / 2));
    }
  }
}

/** Options of a connection that notices within two thirds of a lease that the broker does not answer. */
export function pingsOf(leaseMs: number) {
  return { pingInterval: leaseMs / PINGS_A_LEASE, maxPingOut: PINGS_LOST_MAX };
}

function connectOnce(address: BrokerAddress, seed: string, options: ConnectionOptions) {
  return connect({
    ...connectionOptions(address, seed),
    name: 'quarry control',
    ...options,
  });
}

/** Makes what is not there. Returns the bucket of presence. */
async function makeStores(connection: NatsConnection, manager: JetStreamManager, leaseMs: number): Promise<KV> {
  await makeStreams(manager);
  return new Kvm(connection).create(PRESENCE_BUCKET, { ttl: 2 * leaseMs, history: 1 });
}

async function makeStreams(manager: JetStreamManager): Promise<void> {
  const wanted = [
    {
      name: WORK_STREAM,
      subjects: [WORK_SUBJECTS],
      retention: RetentionPolicy.Workqueue,
      storage: StorageType.File,
      max_age: nanos(WORK_KEPT_MS),
    },
    {
      name: SAY_STREAM,
      subjects: [SAY_SUBJECTS],
      retention: RetentionPolicy.Limits,
      storage: StorageType.File,
      max_age: nanos(ENDS_KEPT_MS),
      max_bytes: GIB / 2,
      allow_direct: true,
    },
  ];
  for (const config of wanted) await manager.streams.add(config);
}

function lastToken(subject: string): string {
  return subject.slice(subject.lastIndexOf('.') + 1);
}
