/** The broker, nats-server: as a child process of this one, or one that the owner runs. */

import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { QuarryError } from '../../platform/errors.ts';
import { startService } from '../../platform/process/run-tool.ts';
import { tell } from '../../platform/text/say.ts';
import { SECOND_MS } from '../../platform/units.ts';
import type { Certificate } from './certificate.ts';
import {
  browserSubject,
  cancelSubject,
  copySubject,
  inboxOf,
  presenceSubject,
  tellSubject,
  WORK_STREAM,
} from './messages.ts';

/** Debian puts it in a folder that is not on the PATH of users. */
const FURTHER_FOLDERS = ['/usr/sbin', '/usr/local/sbin', '/usr/local/bin', '/opt/homebrew/bin'];

const STORE_MAX = '2GB';

const RESTART_MS = SECOND_MS / 2;

const STOP_MS = 5 * SECOND_MS;

const STOP_LOOK_MS = 20;

/** Path of nats-server. Errors: `engine_unavailable`, with the command that installs it. */
export function findBroker(environment: NodeJS.ProcessEnv = process.env, platform = process.platform): string {
  const { QUARRY_NATS_SERVER: setting, PATH = '' } = environment;
  const isWindows = platform === 'win32';
  const name = isWindows ? 'nats-server.exe' : 'nats-server';
  const folders = [...PATH.split(delimiter).filter((folder) => folder !== ''), ...(isWindows ? [] : FURTHER_FOLDERS)];
  const found = setting ? [setting] : folders.map((folder) => join(folder, name));
  const path = found.find((candidate) => existsSync(candidate));
  if (path !== undefined) return path;
  const where = setting
    ? tell`There is no nats-server at ${setting}.`
    : tell`The broker, nats-server, is not installed.`;
  throw new QuarryError(
    'engine_unavailable',
    tell`${where} Install it (Debian and Ubuntu: sudo apt install nats-server; macOS: brew install nats-server;
      Windows: winget install NATSAuthors.NATSServer), or give the address of one you run.`,
  );
}

export interface BrokerUser {
  publicKey: string;
  /** Null for the control node, which may do everything. */
  node: string | null;
}

interface BrokerOptions {
  binary: string;
  folder: string;
  host: string;
  port: number;
  certificate: Certificate;
  users: readonly BrokerUser[];
  /** Whether a broker answers to this machine's key. */
  answers(): Promise<boolean>;
  log: { warn(fields: object, message: string): void };
}

/** Starts the broker again when it ends. One that a killed server left behind is used on. */
export class Broker {
  readonly #options: BrokerOptions;
  #child: ReturnType<typeof startService> | null = null;
  #adoptedPid: number | null = null;
  #closed = false;

  constructor(options: BrokerOptions) {
    this.#options = options;
  }

  get #brokerConfigPath(): string {
    return join(this.#options.folder, 'broker.conf');
  }

  /** Pid of the broker's process. */
  get brokerPid(): number | null {
    return this.#child?.pid ?? this.#adoptedPid;
  }

  async startBroker(): Promise<void> {
    await this.#writeBrokerConfig(this.#options.users);
    if (await this.#options.answers()) {
      this.#adoptedPid = this.#pidInFile();
      this.#reloadBrokerConfig();
      return;
    }
    this.#launchBrokerProcess();
  }

  /** The users of the broker are now these. One that is gone is disconnected. */
  async admitBrokerUsers(users: readonly BrokerUser[]): Promise<void> {
    await this.#writeBrokerConfig(users);
    this.#reloadBrokerConfig();
  }

  /** Called when an adopted broker does not answer any more. */
  relaunchBroker(): void {
    if (this.#closed || this.#child !== null || this.#isAlive()) return;
    this.#adoptedPid = null;
    this.#launchBrokerProcess();
  }

  async closeBroker(): Promise<void> {
    this.#closed = true;
    const { brokerPid: pid } = this;
    if (pid === null) return;
    signalBrokerProcess(pid, 'SIGTERM');
    const startedAt = performance.now();
    // The next start must not take it for one that goes on.
    while (signalBrokerProcess(pid, 0) && this.brokerPid !== null && performance.now() - startedAt < STOP_MS)
      await sleep(STOP_LOOK_MS);
  }

  #launchBrokerProcess(): void {
    const { binary, log } = this.#options;
    const child = startService(binary, ['-c', this.#brokerConfigPath]);
    this.#child = child;
    const onBrokerEnded = (fields: object) => {
      if (this.#child !== child) return;
      this.#child = null;
      if (this.#closed) return;
      log.warn(fields, 'The broker ended; it is started again. Its log is broker.log in the folder fleet.');
      setTimeout(() => this.#closed || this.#child !== null || this.#launchBrokerProcess(), RESTART_MS).unref();
    };
    child.once('error', (error) => onBrokerEnded({ err: error }));
    child.once('exit', (code, by) => onBrokerEnded({ code, signal: by }));
  }

  #reloadBrokerConfig(): void {
    if (this.brokerPid !== null) signalBrokerProcess(this.brokerPid, 'SIGHUP');
  }

  #isAlive(): boolean {
    return this.#adoptedPid !== null && signalBrokerProcess(this.#adoptedPid, 0);
  }

  #pidInFile(): number | null {
    const pid = Number(readFileSync(join(this.#options.folder, 'broker.pid'), 'utf8').trim());
    return Number.isInteger(pid) && pid > 1 ? pid : null;
  }

  async #writeBrokerConfig(users: readonly BrokerUser[]): Promise<void> {
    const { folder, host, port, certificate } = this.#options;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const quotedConfigPath = (name: string) => JSON.stringify(join(folder, name));
    const secret = { mode: 0o600 };
    await writeFile(join(folder, 'certificate.pem'), certificate.certificate, secret);
    await writeFile(join(folder, 'key.pem'), certificate.key, secret);
    const config = [
      `listen: ${JSON.stringify(host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`)}`,
      'server_name: quarry',
      `pid_file: ${quotedConfigPath('broker.pid')}`,
      `log_file: ${quotedConfigPath('broker.log')}`,
      'logfile_size_limit: 10MB',
      'write_deadline: "10s"',
      `jetstream { store_dir: ${quotedConfigPath('broker')}, max_file_store: ${STORE_MAX} }`,
      `tls { cert_file: ${quotedConfigPath('certificate.pem')}, key_file: ${quotedConfigPath('key.pem')} }`,
      `authorization { users: [\n${users.map(userLine).join(',\n')}\n] }`,
    ];
    const text = `${config.join('\n')}\n`;
    const known = await readFile(this.#brokerConfigPath, 'utf8').catch(() => null);
    if (known !== text) await writeFile(this.#brokerConfigPath, text, secret);
  }
}

/** What a node may say and hear: its own work, ends and heartbeat, and nothing of other nodes. */
export function userLine({ publicKey, node }: BrokerUser): string {
  if (node === null) return `  { nkey: ${publicKey} }`;
  const publish = [
    `quarry.say.*.${node}`,
    tellSubject(node),
    presenceSubject(node),
    `$JS.API.CONSUMER.INFO.${WORK_STREAM}.${node}`,
    `$JS.API.CONSUMER.MSG.NEXT.${WORK_STREAM}.${node}`,
    `$JS.ACK.${WORK_STREAM}.${node}.>`,
  ];
  const subscribe = [`${inboxOf(node)}.>`, cancelSubject(node), copySubject(node), browserSubject(node)];
  const subjectListText = (subjects: string[]) => `[${subjects.map((subject) => JSON.stringify(subject)).join(', ')}]`;
  const permissions = `{ publish: ${subjectListText(publish)}, subscribe: ${subjectListText(subscribe)} }`;
  return `  { nkey: ${publicKey}, permissions: ${permissions} }`;
}

function signalBrokerProcess(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}
