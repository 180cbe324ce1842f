/** PageRank over the links within a crawl, by power iteration. */
const DAMPING = 0.85;
const MAX_ITERATIONS = 40;
const PRECISION = 1e-7;

/** `from[i]` links to `to[i]`; ranks sum to 1. */
export function linkRanks(pages: number, from: readonly number[], to: readonly number[]): Float64Array {
  let ranks = new Float64Array(pages).fill(pages === 0 ? 0 : 1 / pages);
  const outgoing = new Uint32Array(pages);
  for (const page of from) outgoing[page] = (outgoing[page] ?? 0) + 1;
  for (let iteration = 0; iteration < MAX_ITERATIONS; iteration += 1) {
    let dangling = 0;
    for (let page = 0; page < pages; page += 1) if (outgoing[page] === 0) dangling += ranks[page] ?? 0;
    const next = new Float64Array(pages).fill((1 - DAMPING + DAMPING * dangling) / pages);
    for (let edge = 0; edge < from.length; edge += 1) {
      const source = from[edge] ?? 0;
      const target = to[edge] ?? 0;
      next[target] = (next[target] ?? 0) + (DAMPING * (ranks[source] ?? 0)) / (outgoing[source] ?? 1);
    }
    const change = next.reduce((sum, rank, page) => sum + Math.abs(rank - (ranks[page] ?? 0)), 0);
    ranks = next;
    if (change < PRECISION) break;
  }
  return ranks;
}
