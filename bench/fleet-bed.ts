/** A fleet whose parts are processes that a benchmark can kill or freeze. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { FleetView } from '../src-server/features/fleet/schema.ts';
import { readOwnerToken } from '../src-server/platform/files/data-folder.ts';
import { freePort, spawnWorker } from '../test/harness/fleet.ts';
import { until } from '../test/harness/until.ts';

/** In production 2 and 12 s. See `hasProductionTiming`. */
export const BENCH_TIMING = { beatMs: 200, leaseMs: 3000 };

const READY = /^listening (\S+)\n/;

/** A run, as it noted its begin. */
export interface Begin {
  pid: number;
  /** Of `Date.now()`. */
  at: number;
}

interface Control {
  child: ChildProcess;
  url: Promise<string>;
  ended: Promise<void>;
}

export class FleetBed {
  readonly folder: string;
  /** Of the control node that runs. */
  dataDir: string;
  /** Of all nodes, also of those that the benchmark starts itself. */
  readonly names = new Set<string>();
  readonly workers = new Map<string, ReturnType<typeof spawnWorker>>();
  control: Control;
  readonly #joins = new Map<string, string>();
  #named = 0;

  private constructor(folder: string) {
    this.folder = folder;
    this.dataDir = join(folder, 'data');
    this.control = this.#spawnControl();
  }

  static async open(): Promise<FleetBed> {
    const bed = new FleetBed(await mkdtemp(join(tmpdir(), 'quarry fleet bench ')));
    const ports = { port: await freePort(), brokerPort: await freePort() };
    await bed.call('/admin/fleet', 'PATCH', { enabled: true, localSlots: 0, ...ports });
    return bed;
  }

  startControl(): Promise<string> {
    this.control = this.#spawnControl();
    return this.control.url;
  }

  async call<Answer>(path: string, method = 'GET', body?: unknown): Promise<Answer> {
    const headers = { 'content-type': 'application/json' };
    return this.#ask(path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  }

  upload<Answer>(path: string, form: FormData): Promise<Answer> {
    return this.#ask(path, { method: 'POST', body: form });
  }

  async #ask<Answer>(path: string, init: RequestInit): Promise<Answer> {
    const url = await this.control.url;
    const authorization = `Bearer ${readOwnerToken(this.dataDir)}`;
    const answer = await fetch(url + path, { ...init, headers: { ...init.headers, authorization } });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
    return (text === '' ? null : JSON.parse(text)) as Answer;
  }

  async addWorkers(count: number, slots = 1): Promise<void> {
    for (let one = 0; one < count; one += 1) {
      this.#named += 1;
      const name = `node-${this.#named}`;
      const { join: address } = await this.call<{ join: string }>('/admin/fleet/nodes', 'POST', { name });
      this.#joins.set(name, address);
      this.names.add(name);
      this.startWorker(name, slots);
    }
    await this.allOnline();
  }

  /** Starts the node of that name, also again. */
  startWorker(name: string, slots = 1): void {
    const address = this.#joins.get(name) ?? '';
    this.workers.set(name, spawnWorker(this.folder, address, join(this.folder, name), { slots }));
  }

  /** All nodes are online. */
  allJoined(): Promise<void> {
    return this.#all(({ status }) => status === 'online');
  }

  /** All nodes are online and idle. */
  allOnline(): Promise<void> {
    return this.#all(({ status, busy }) => status === 'online' && busy === 0);
  }

  #all(isReady: (node: FleetView['nodes'][number]) => boolean): Promise<void> {
    return until(async () => {
      const { nodes } = await this.call<Pick<FleetView, 'nodes'>>('/admin/fleet').catch(() => ({ nodes: [] }));
      return [...this.names].every((name) => nodes.some((node) => node.name === name && isReady(node)));
    });
  }

  async submit(label: string, webhookUrl?: string): Promise<string> {
    const body = { label, ...(webhookUrl === undefined ? {} : { webhookUrl }) };
    return (await this.call<{ jobId: string }>('/v1/test/far', 'POST', body)).jobId;
  }

  allDone(jobs: readonly string[]): Promise<void> {
    const statusOf = async (jobId: string) =>
      (await this.call<{ status: string }>(`/v1/jobs/${jobId}`).catch(() => ({ status: 'away' }))).status;
    return until(async () => (await Promise.all(jobs.map(statusOf))).every((one) => /completed|failed/.test(one)));
  }

  /** Runs of a label, in the order in which they began. */
  begins(label: string): Begin[] {
    const path = join(this.folder, 'runs');
    const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
    const of = lines.map((line) => line.split(' ')).filter(([name]) => name === label);
    return of.map(([, pid, at]) => ({ pid: Number(pid), at: Number(at) }));
  }

  brokerPid(): number {
    return Number(readFileSync(join(this.dataDir, 'fleet/broker.pid'), 'utf8'));
  }

  /** Ends that were counted, which a job that ended twice would raise twice. */
  ends(): { completed: number; failed: number } {
    const database = new Database(join(this.dataDir, 'production', 'quarry.db'), { readonly: true });
    const sql = 'select coalesce(sum(completed), 0) as completed, coalesce(sum(failed), 0) as failed from ended_jobs';
    const row = database.prepare(sql).get() as { completed: number; failed: number };
    database.close();
    return row;
  }

  checkpointOf(jobId: string): string {
    return join(this.dataDir, 'production/jobs', jobId.slice(4, 6).toLowerCase(), jobId, 'work/begun.txt');
  }

  async close(): Promise<void> {
    for (const { child } of this.workers.values()) child.kill('SIGKILL');
    this.control.child.kill('SIGTERM');
    await this.control.ended;
    await rm(this.folder, { recursive: true, force: true });
  }

  #spawnControl(): Control {
    const program = join(import.meta.dirname, 'fleet-control.ts');
    const child = spawn(process.execPath, [program, this.folder, this.dataDir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const url = new Promise<string>((resolve, reject) => {
      let said = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        said += text;
        const found = READY.exec(said)?.[1];
        if (found !== undefined) resolve(found);
      });
      child.once('exit', () => reject(new Error('The control node ended.')));
    });
    url.catch(() => undefined);
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    return { child, url, ended };
  }
}
