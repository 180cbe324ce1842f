/** The parts of a fleet that is on: broker, connection, and the server of files. */

import { createHash, createSecretKey, type KeyObject, randomBytes, X509Certificate } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { QuarryError } from '../../platform/errors.ts';
import { SecretFile } from '../../platform/files/private-files.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import { tell } from '../../platform/text/say.ts';
import { Broker, type BrokerUser, findBroker, userLine } from './broker.ts';
import type { Browsers } from './browsers.ts';
import { type Certificate, makeCertificate } from './certificate.ts';
import type { Copies } from './copies.ts';
import type { Dispatcher } from './dispatcher.ts';
import { isSignedWith, joinText, newKeyPair, publicKeyOf, writeJoin } from './join.ts';
import { type BrokerAddress, brokerAnswers, Link } from './link.ts';
import { runKey } from './messages.ts';
import { RunFiles } from './run-files.ts';
import type { BrokerLogin, FleetChoices } from './schema.ts';
import type { NodeRow } from './store.ts';

const KEY_BYTES = 32;

export interface ControlDeps {
  /** Private folder of the fleet in the data folder. */
  folder: string;
  version: string;
  beatMs: number;
  leaseMs: number;
  dispatcher: Dispatcher;
  copies: Copies;
  browsers: Browsers;
  nodes(): readonly NodeRow[];
  now(): number;
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
}

interface Secrets {
  certificate: Certificate;
  /** Of the control node for the broker (nkey seed). */
  seed: string;
  /** HMAC key of the tokens for files. */
  tokenKey: KeyObject;
}

export class Control {
  readonly #deps: ControlDeps;
  readonly #choices: FleetChoices;
  readonly #secrets: Secrets;
  readonly #address: BrokerAddress;
  #broker: Broker | null = null;
  #files: RunFiles | null = null;
  #link: Link | null = null;
  #watch: NodeJS.Timeout | null = null;

  private constructor(deps: ControlDeps, choices: FleetChoices, login: BrokerLogin | null) {
    this.#deps = deps;
    this.#choices = choices;
    this.#secrets = readSecrets(deps.folder, deps.now());
    this.#address = brokerAddressOf(choices, login, this.#secrets.certificate);
  }

  /** Errors: `engine_unavailable` without a broker, `conflict` for a port that is taken, those of the connection. */
  static async openFleetControl(deps: ControlDeps, choices: FleetChoices, login: BrokerLogin | null): Promise<Control> {
    const control = new Control(deps, choices, login);
    try {
      await control.#startFleetControl();
      return control;
    } catch (error) {
      await control.closeFleetControl();
      throw error;
    }
  }

  /** Makes the credentials of a node. The seed is in the address alone. */
  newNode(node: string): { publicKey: string; join: string } {
    const { publicKey, seed } = newKeyPair();
    const { host, port } = this.#choices;
    const { raw } = new X509Certificate(this.#secrets.certificate.certificate);
    const fingerprint = createHash('sha256').update(raw).digest('hex');
    return { publicKey, join: writeJoin({ host, port, node, seed, fingerprint }) };
  }

  /** The list of nodes changed. */
  async admitFleetNode(added: string | null, removed: string | null): Promise<void> {
    await this.#broker?.admitBrokerUsers(this.#brokerUsersOfNodes());
    if (added !== null) await this.#link?.admitNodeConsumer(added);
    if (removed !== null) await this.#link?.dismissNodeConsumer(removed);
  }

  async closeFleetControl(): Promise<void> {
    if (this.#watch !== null) clearInterval(this.#watch);
    this.#deps.dispatcher.detachDispatcherLink();
    this.#deps.copies.link = null;
    this.#deps.browsers.endBrowserSessions();
    await this.#files?.closeRunFiles();
    await this.#link?.closeFleetLink();
    await this.#broker?.closeBroker();
  }

  async #startFleetControl(): Promise<void> {
    const { choices, deps } = { choices: this.#choices, deps: this.#deps };
    const { dispatcher, copies, browsers, log, leaseMs, beatMs } = deps;
    const { certificate, seed } = this.#secrets;
    if (choices.brokerUrl === null) {
      this.#broker = new Broker({
        binary: findBroker(),
        folder: deps.folder,
        host: bindHost(choices.host),
        port: choices.brokerPort,
        certificate,
        users: this.#brokerUsersOfNodes(),
        log,
        answers: () => brokerAnswers(this.#address, seed),
      });
      await this.#broker.startBroker();
    }
    this.#files = new RunFiles({
      certificate,
      key: this.#secrets.tokenKey,
      now: deps.now,
      log,
      foldersOf: (environment) => dispatcher.fleetEnvironment(environment).folders,
      isCurrent: (run) => dispatcher.isCurrent(run.node, runKey(run)),
      keeps: (run, name) => dispatcher.keepsCheckpoint(runKey(run), name),
      isWanted: ({ node, model }) => copies.isWanted(node, model),
      modelFile: ({ node, model }, sha256) => copies.copyFilePath(node, model, sha256),
      isSignedBy: (node, text, signature) => {
        const row = deps.nodes().find(({ id }) => id === node);
        return row !== undefined && isSignedWith(row.public_key, text, signature);
      },
      join: (...claims) => this.#joinFleetNode(...claims),
      onUpgrade: browsers.onUpgrade,
    });
    await this.#files.listenForNodes(bindHost(choices.host), choices.port);
    const listeners = {
      onPresence: (node: string, presence: Parameters<Dispatcher['onPresence']>[1]) => {
        dispatcher.onPresence(node, presence);
        copies.onPresence(node, presence);
      },
      onTold: (node: string, told: Parameters<Dispatcher['onTold']>[1]) => dispatcher.onTold(node, told),
      onEnded: (...end: Parameters<Dispatcher['onEnded']>) => dispatcher.onEnded(...end),
      onAllRead: (...read: Parameters<Dispatcher['onAllRead']>) => dispatcher.onAllRead(...read),
      firstOf: (...of: Parameters<Dispatcher['firstSequenceOf']>) => dispatcher.firstSequenceOf(...of),
      onConnected: () => dispatcher.onBrokerConnected(),
      onDisconnected: () => {
        dispatcher.onBrokerDisconnected();
        this.#broker?.relaunchBroker();
      },
      log,
    };
    this.#link = await Link.openFleetLink({ address: this.#address, seed, leaseMs, listeners }).catch((error) => {
      throw this.#explainBrokerFailure(error);
    });
    const { link, files } = { link: this.#link, files: this.#files };
    copies.link = {
      want: (node, wanted) => link.sendWantedModels(node, wanted),
      tokenFor: (node, model) => files.tokenFor({ node, model }),
    };
    for (const { id } of deps.nodes()) await this.#link.admitNodeConsumer(id);
    dispatcher.attachDispatcherLink(this.#link, this.#files);
    browsers.attachBrowserLink(this.#link);
    this.#watch = setInterval(() => {
      // A broker that another process left behind may end without notice.
      this.#broker?.relaunchBroker();
      browsers.loseAbsentSessions();
    }, beatMs);
    this.#watch.unref();
  }

  #joinFleetNode(node: string, version: string, signature: string) {
    const row = this.#deps.nodes().find(({ id }) => id === node);
    if (row === undefined) {
      throw new QuarryError('forbidden', 'This node was removed. Create it again in the settings.');
    }
    if (!isSignedWith(row.public_key, joinText(node, version), signature)) {
      throw new QuarryError('forbidden', 'The key of this node is refused. Create the node again in the settings.');
    }
    if (version !== this.#deps.version) {
      const message =
        `This node runs Quarry ${version || 'of an unknown version'}, its control node ${this.#deps.version}. ` +
        'Install the same version on both.';
      throw new QuarryError('conflict', message);
    }
    const { beatMs, leaseMs } = this.#deps;
    const own = this.#choices.brokerUrl === null;
    const { host, port, ca, login } = this.#address;
    const broker = { host: own ? null : host, port, pinned: own, ca, login };
    return { version: this.#deps.version, name: row.name, broker, beatMs, leaseMs };
  }

  #brokerUsersOfNodes(): BrokerUser[] {
    return usersOf(this.#secrets.seed, this.#deps.nodes());
  }

  #explainBrokerFailure(cause: unknown): QuarryError {
    const { host, port } = this.#address;
    const own = this.#choices.brokerUrl === null;
    const advice = own
      ? tell`Another program may use the port; the log of the broker is broker.log in the folder fleet of the data
        folder.`
      : tell`Start it with JetStream and TLS, and add the users that this page shows, or give a login.`;
    return new QuarryError('engine_unavailable', tell`The broker does not answer on ${host}, port ${port}. ${advice}`, {
      cause,
    });
  }
}

function brokerAddressOf(
  { brokerUrl, brokerCa: ca, brokerPort, host }: FleetChoices,
  login: BrokerLogin | null,
  { certificate }: Certificate,
): BrokerAddress {
  if (brokerUrl === null) {
    const near = isLoopback(host) ? host : '127.0.0.1';
    return { host: near, port: brokerPort, certificate, ca: null, login: null };
  }
  const [, name = '', port = ''] = /^tls:\/\/(.+):(\d+)$/.exec(brokerUrl) ?? [];
  return { host: name.replace(/^\[|\]$/g, ''), port: Number(port), certificate: null, ca, login };
}

function usersOf(seed: string, nodes: readonly NodeRow[]): BrokerUser[] {
  const ofNodes = nodes.map(({ id, public_key }) => ({ publicKey: public_key, node: id }));
  return [{ publicKey: publicKeyOf(seed), node: null }, ...ofNodes];
}

/** The users of the owner's broker, for its configuration by hand: needed before it lets this machine in. */
export function brokerConfigOf(folder: string, nodes: readonly NodeRow[], now: number): string {
  return `${usersOf(readSecrets(folder, now).seed, nodes).map(userLine).join(',\n')}\n`;
}

/** The dialled address may belong to a router, so only loopback is bound by name. */
function bindHost(host: string): string {
  return isLoopback(host) ? host : '0.0.0.0';
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\./.test(host);
}

function readSecrets(folder: string, now: number): Secrets {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const keptFleetSecret = (name: string, make: () => string) => {
    const file = new SecretFile(join(folder, name));
    const known = file.readSecret();
    if (known !== null) return known;
    const made = make();
    file.writeSecret(made);
    return made;
  };
  const certificate = parseOwnJson<Certificate>(
    keptFleetSecret('certificate', () => JSON.stringify(makeCertificate(now))),
  );
  const seed = keptFleetSecret('control-key', () => newKeyPair().seed);
  const tokenKey = createSecretKey(
    keptFleetSecret('token-key', () => randomBytes(KEY_BYTES).toString('hex')),
    'hex',
  );
  return { certificate, seed, tokenKey };
}
