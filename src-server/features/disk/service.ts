/** What takes room on the disk, so that the parts add up to what the data folder takes. */

import type { EnvironmentName } from '../../operation.ts';
import { yieldToEventLoop } from '../../platform/concurrency.ts';
import type { RunTask, TaskMap } from '../../platform/pool/worker-pool.ts';
import { byName } from '../../platform/records.ts';
import { MINUTE_MS } from '../../platform/units.ts';
import type { Jobs } from '../jobs/service.ts';
import type { Library } from '../library/service.ts';
import type { DiskPart, DiskUse } from './schema.ts';

/** CPU time for a folder of millions of files. */
const MEASURE_LIMIT_MS = 5 * MINUTE_MS;

/** Jobs that are looked up together. */
const LOOKED_UP_TOGETHER = 1000;

interface DiskDeps {
  dataDir: string;
  runTask: RunTask;
}

/** Who knows what the jobs of an environment are. */
export interface JobOwners {
  jobs: Pick<Jobs, 'watchedAmong'>;
  library: Pick<Library, 'placesOf'>;
}

type Measured = TaskMap['measure-data']['output'];

export class Disk {
  readonly #deps: DiskDeps;
  #measuring: Promise<Measured> | null = null;

  constructor(deps: DiskDeps) {
    this.#deps = deps;
  }

  /** The parts as an environment sees them. Measured each time; concurrent calls share the measurement. */
  async diskUse(environment: EnvironmentName, owners: JobOwners): Promise<DiskUse> {
    const { bytes, jobs, others } = await this.#measure();
    const parts = new Parts();
    const own = new Map<string, number>();
    for (const [path, size] of jobs) {
      const [of = '', jobId = ''] = path.split('/');
      if (of === environment) own.set(jobId, size);
      else parts.addTo('otherEnvironment', size, 1);
    }
    for (const [path, size] of others) parts.addTo(partOfPath(path, environment), size);
    await addJobs(own, owners, parts);
    return { folder: this.#deps.dataDir, bytes, parts: parts.sorted() };
  }

  /** Of all files below any folder. */
  async bytesOf(folder: string): Promise<number> {
    return (await this.#measureFolder(folder)).bytes;
  }

  #measure(): Promise<Measured> {
    this.#measuring ??= this.#measureFolder(this.#deps.dataDir).finally(() => {
      this.#measuring = null;
    });
    return this.#measuring;
  }

  #measureFolder(folder: string): Promise<Measured> {
    const limits = { accountId: 'disk', timeLimitMs: MEASURE_LIMIT_MS };
    return this.#deps.runTask('measure-data', { folder }, limits);
  }
}

class Parts {
  readonly #parts = new Map<DiskPart, { bytes: number; originals: number; jobs: number }>();

  addTo(part: DiskPart, bytes: number, jobs = 0, originals = 0): void {
    const sum = this.#parts.get(part) ?? { bytes: 0, originals: 0, jobs: 0 };
    this.#parts.set(part, {
      bytes: sum.bytes + bytes,
      originals: sum.originals + originals,
      jobs: sum.jobs + jobs,
    });
  }

  sorted(): DiskUse['parts'] {
    return [...this.#parts]
      .map(([part, sums]) => ({ part, ...sums }))
      .filter(({ bytes }) => bytes > 0)
      .sort((one, other) => other.bytes - one.bytes);
  }
}

async function addJobs(sizes: ReadonlyMap<string, number>, { jobs, library }: JobOwners, parts: Parts): Promise<void> {
  const all = [...sizes.keys()];
  for (let start = 0; start < all.length; start += LOOKED_UP_TOGETHER) {
    const some = all.slice(start, start + LOOKED_UP_TOGETHER);
    const places = library.placesOf(some);
    const watched = jobs.watchedAmong(some);
    for (const jobId of some) {
      const place = places.get(jobId);
      const size = sizes.get(jobId) ?? 0;
      if (place?.isDeleted === true) parts.addTo('deleted', size, 1);
      else if (place !== undefined) parts.addTo(place.kind, size, 1, Math.min(size, place.originalBytes));
      else parts.addTo(watched.has(jobId) ? 'watches' : 'callers', size, 1);
    }
    await yieldToEventLoop();
  }
}

const TOP_PARTS: Readonly<Record<string, DiskPart>> = byName({
  models: 'models',
  tools: 'programs',
  compiled: 'programs',
});

/** Of what belongs to no job. */
function partOfPath(path: string, environment: EnvironmentName): DiskPart {
  const [top = '', name] = path.split('/');
  if (name === undefined) {
    if (/^(?:before-restore-|\.restoring$)/.test(top)) return 'replaced';
    return TOP_PARTS[top] ?? 'others';
  }
  if (top !== environment) return 'otherEnvironment';
  if (name.startsWith('search.db')) return 'search';
  if (name.startsWith('quarry.db')) return 'databases';
  return name === 'watches' ? 'watches' : 'others';
}
