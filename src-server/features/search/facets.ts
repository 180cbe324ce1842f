import type { Db } from '../../platform/db/database.ts';
import type { SearchFacets } from './schema.ts';
import { factsOfChunks } from './store.ts';

const VALUES_MAX = 20;

const MONTH_CHARS = 'YYYY-MM'.length;

/** Counts chunks by what can be filtered. */
export function countFacets(db: Db, seqs: ReadonlySet<number>, isComplete: boolean): SearchFacets {
  const counts = { jobTypes: new Counts(), kinds: new Counts(), sources: new Counts(), months: new Counts() };
  for (const { job_type, kind, source, day } of factsOfChunks(db, [...seqs])) {
    counts.jobTypes.countFacet(job_type);
    counts.kinds.countFacet(kind);
    counts.sources.countFacet(source);
    counts.months.countFacet(day?.slice(0, MONTH_CHARS) || null);
  }
  return {
    jobTypes: counts.jobTypes.mostFrequentFacets(),
    kinds: counts.kinds.mostFrequentFacets(),
    sources: counts.sources.mostFrequentFacets(),
    months: counts.months.newestFacets(),
    counted: seqs.size,
    isComplete,
  };
}

class Counts {
  readonly #counts = new Map<string, number>();

  countFacet(value: string | null): void {
    if (value !== null) this.#counts.set(value, (this.#counts.get(value) ?? 0) + 1);
  }

  /** The most frequent values first. */
  mostFrequentFacets(): { value: string; count: number }[] {
    return this.#sortFacets((one, other) => other.count - one.count || one.value.localeCompare(other.value));
  }

  newestFacets(): { value: string; count: number }[] {
    return this.#sortFacets((one, other) => (one.value < other.value ? 1 : -1));
  }

  #sortFacets(order: (one: Facet, other: Facet) => number): Facet[] {
    return [...this.#counts]
      .map(([value, count]) => ({ value, count }))
      .sort(order)
      .slice(0, VALUES_MAX);
  }
}

type Facet = SearchFacets['kinds'][number];
