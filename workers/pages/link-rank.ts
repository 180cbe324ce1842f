/** PageRank over the links within a crawl, by power iteration. */
const DAMPING = 0.85;
const MAX_ITERATIONS = 40;
const PRECISION = 1e-7;

/** `edges`: pairs of the page that links and the page it links to. Ranks sum to 1. */
export function linkRanks(pages: number, edges: Uint32Array): Float64Array {
  let ranks = new Float64Array(pages).fill(pages === 0 ? 0 : 1 / pages);
  let next = new Float64Array(pages);
  const outgoing = new Uint32Array(pages);
  for (let edge = 0; edge < edges.length; edge += 2) {
    const from = edges[edge] ?? 0;
    outgoing[from] = (outgoing[from] ?? 0) + 1;
  }
  for (let iteration = 0; iteration < MAX_ITERATIONS; iteration += 1) {
    let dangling = 0;
    for (let page = 0; page < pages; page += 1) if (outgoing[page] === 0) dangling += ranks[page] ?? 0;
    next.fill((1 - DAMPING + DAMPING * dangling) / pages);
    for (let edge = 0; edge < edges.length; edge += 2) {
      const from = edges[edge] ?? 0;
      const to = edges[edge + 1] ?? 0;
      next[to] = (next[to] ?? 0) + (DAMPING * (ranks[from] ?? 0)) / (outgoing[from] ?? 1);
    }
    let change = 0;
    for (let page = 0; page < pages; page += 1) change += Math.abs((next[page] ?? 0) - (ranks[page] ?? 0));
    [ranks, next] = [next, ranks];
    if (change < PRECISION) break;
  }
  return ranks;
}
