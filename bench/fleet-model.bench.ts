/**
 * A simulation, not a measurement: jobs of a fleet of up to 100 nodes, with service times measured on 2 cores. Shows
 * where the thread of the server that holds the queue saturates. Each job passes that thread twice, when it is given
 * out and when it ends, and works on one core of a node in between.
 */

import { seededRandom } from '../test/harness/seeded-random.ts';

/** Milliseconds of the server's own thread, and of the core that does the work. */
const KINDS = {
  'scans of 6 pages': { control: 83, work: 6897 },
  'documents of a page': { control: 3.9, work: 5.4 },
} as const;

const CORES_PER_NODE = 4;
const SIMULATED_HOURS = 2;
const HOUR_MS = 3_600_000;
/** The share of the busy thread above which the next step, a database server, is worth its cost. */
const GATE = 0.7;

interface Outcome {
  controlBusy: number;
  coresBusy: number;
  p50: number;
  p95: number;
}

function simulate(kind: keyof typeof KINDS, jobsPerHour: number, nodes: number): Outcome {
  const { control, work } = KINDS[kind];
  const random = seededRandom(1);
  // Exponential times: real ones vary less between inputs of a size, and more between sizes.
  const about = (mean: number) => -Math.log(1 - random()) * mean;
  const cores = new FreeTimes(nodes * CORES_PER_NODE);
  const visits = new Visits();
  const waits: number[] = [];
  const end = SIMULATED_HOURS * HOUR_MS;
  for (let at = about(HOUR_MS / jobsPerHour); at < end; at += about(HOUR_MS / jobsPerHour)) {
    visits.add(at, () => {
      const given = visits.serve(about(control / 2));
      const done = cores.take(given, about(work));
      visits.add(done, () => {
        waits.push(visits.serve(about(control / 2)) - at);
      });
    });
  }
  visits.run();
  waits.sort((a, b) => a - b);
  const at = (share: number) => waits[Math.floor(waits.length * share)] ?? 0;
  const last = Math.max(end, visits.freeAt);
  return {
    ...{ controlBusy: visits.busy / last, coresBusy: cores.busy / last / (nodes * CORES_PER_NODE) },
    ...{ p50: at(0.5), p95: at(0.95) },
  };
}

/** When each core is free again: a heap, the earliest first. */
class FreeTimes {
  busy = 0;
  readonly #heap: Heap<number>;

  constructor(count: number) {
    this.#heap = new Heap((time) => time);
    for (let core = 0; core < count; core += 1) this.#heap.push(0);
  }

  take(from: number, ms: number): number {
    const end = Math.max(from, this.#heap.pop() ?? 0) + ms;
    this.#heap.push(end);
    this.busy += ms;
    return end;
  }
}

/** The one thread: visits in the order in which they come due. */
class Visits {
  busy = 0;
  freeAt = 0;
  #now = 0;
  readonly #due = new Heap<{ at: number; visit: () => void }>(({ at }) => at);

  add(at: number, visit: () => void): void {
    this.#due.push({ at, visit });
  }

  /** Returns the time at which the visit ends. */
  serve(ms: number): number {
    this.freeAt = Math.max(this.#now, this.freeAt) + ms;
    this.busy += ms;
    return this.freeAt;
  }

  run(): void {
    for (let next = this.#due.pop(); next !== undefined; next = this.#due.pop()) {
      this.#now = next.at;
      next.visit();
    }
  }
}

class Heap<Item> {
  readonly #items: Item[] = [];
  readonly #key: (item: Item) => number;

  constructor(key: (item: Item) => number) {
    this.#key = key;
  }

  push(item: Item): void {
    const items = this.#items;
    let at = items.push(item) - 1;
    for (let up = (at - 1) >> 1; at > 0 && this.#before(at, up); at = up, up = (at - 1) >> 1) this.#swap(at, up);
  }

  pop(): Item | undefined {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (items.length === 0 || last === undefined) return first;
    items[0] = last;
    for (let at = 0; ; ) {
      let least = at;
      for (const child of [2 * at + 1, 2 * at + 2])
        if (child < items.length && this.#before(child, least)) least = child;
      if (least === at) return first;
      this.#swap(at, least);
      at = least;
    }
  }

  #before(a: number, b: number): boolean {
    return this.#key(this.#items[a] as Item) < this.#key(this.#items[b] as Item);
  }

  #swap(a: number, b: number): void {
    const items = this.#items;
    [items[a], items[b]] = [items[b] as Item, items[a] as Item];
  }
}

const percent = (share: number) => `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;
const seconds = (ms: number) => (ms < 1000 ? `${ms.toFixed(0)} ms` : `${(ms / 1000).toFixed(1)} s`);

process.stdout.write('| Jobs | An hour | Nodes of 4 cores | Server thread busy | Cores busy | p50 | p95 |\n');
process.stdout.write('|---|---|---|---|---|---|---|\n');
const ROWS = [
  ...[
    [1000, 1],
    [2000, 1],
    [5000, 3],
    [10_000, 6],
    [20_000, 11],
    [30_000, 17],
    [40_000, 22],
    [40_000, 100],
  ].map(([jobs, nodes]) => ['scans of 6 pages', jobs, nodes] as const),
  ...[
    [10_000, 1],
    [100_000, 1],
    [500_000, 1],
    [800_000, 1],
  ].map(([jobs, nodes]) => ['documents of a page', jobs, nodes] as const),
];
for (const [kind, jobs = 0, nodes = 0] of ROWS) row(kind, jobs, nodes);

function row(kind: keyof typeof KINDS, jobs: number, nodes: number): void {
  const { controlBusy, coresBusy, p50, p95 } = simulate(kind, jobs, nodes);
  const figures = [kind, jobs, nodes, percent(controlBusy), percent(coresBusy), seconds(p50), seconds(p95)];
  process.stdout.write(`| ${figures.join(' | ')} |\n`);
}

process.stdout.write(`\nThe thread is busy for ${GATE * 100} % of the time at `);
process.stdout.write(
  `${Object.entries(KINDS)
    .map(([kind, { control }]) => `${Math.round((GATE * HOUR_MS) / control)} ${kind} an hour`)
    .join(', or ')}.\n`,
);
