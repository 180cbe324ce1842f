import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UrlIndex } from '../../src-server/platform/net/url-index.ts';
import type { TaskContext } from '../../src-server/platform/pool/worker-pool.ts';
import { pagesSaid, say } from '../../src-server/platform/text/say.ts';
import { TOKEN_COUNTING } from '../../src-server/platform/text/tokens.ts';
import { DETECTORS } from './guardrails.ts';
import { writingFiles } from './page-files.ts';
import { DigestPages, type PageSummary, writeDigest } from './site-digest.ts';
import { EDGE_INTS, type PageNode, partFile, readJsonLinesSync } from './site-parts.ts';
import type { RankSiteInput, RankSiteOutput } from './tasks.ts';

/** Further links do not affect ranks and are left out of graph.json. */
const MAX_EDGES = 2_000_000;

const PAIR_BYTES = EDGE_INTS * Uint32Array.BYTES_PER_ELEMENT;

/** Ranks all pages by the links between them; writes graph.json and llms.txt. Errors: `cancelled`. */
export function rankSite(input: RankSiteInput, context: TaskContext): RankSiteOutput {
  const edges = readEdges(input);
  const ranks = linkRanks(input.totalPages, edges);
  const digestPages = new DigestPages(input.rootUrl);
  const files = ['graph.json', 'llms.txt'].map((name) => join(input.outputFolder, name));
  const digest = writingFiles(files, (graph, digestFile) => {
    graph?.writeText('{"nodes":[\n');
    for (const node of nodesOf(input, ranks)) {
      context.progress(0, 'finishing', say`Ranking ${pagesSaid(input.totalPages)}`);
      context.signal.throwIfAborted();
      const { url, depth, title, rank } = node;
      const line = JSON.stringify({ url, depth, title, rank: roundedRank(rank) });
      graph?.writeText(digestPages.isDigestEmpty ? line : `,\n${line}`);
      digestPages.addDigestPage(node);
    }
    graph?.writeText('\n],"edges":[\n');
    for (let edge = 0; edge < edges.length; edge += 2) {
      graph?.writeText(`${edge === 0 ? '' : ',\n'}[${edges[edge]},${edges[edge + 1]}]`);
    }
    graph?.writeText('\n]}\n');
    const text = writeDigest(digestPages);
    digestFile?.writeText(text);
    return text;
  });
  const shared = new Float64Array(new SharedArrayBuffer(ranks.byteLength));
  shared.set(ranks.map(roundedRank));
  return { ranks: shared.buffer, digest, detectors: DETECTORS, tokenCounting: TOKEN_COUNTING };
}

/** All pages by number, with their summaries. */
function* nodesOf(input: RankSiteInput, ranks: Float64Array): Generator<PageSummary & { depth: number }> {
  const index = new UrlIndex(input.index);
  let page = 0;
  for (let part = 0; part < input.parts; part += 1) {
    for (const node of readJsonLinesSync<PageNode>(partFile(input.folder, part, 'nodes'))) {
      yield { ...node, url: index.urlOfPage(page), rank: ranks[page] ?? 0 };
      page += 1;
    }
  }
}

function readEdges({ folder, parts }: RankSiteInput): Uint32Array {
  const read: Buffer[] = [];
  let room = MAX_EDGES * PAIR_BYTES;
  for (let part = 0; part < parts && room > 0; part += 1) {
    const bytes = readFileSync(partFile(folder, part, 'edges')).subarray(0, room);
    read.push(bytes);
    room -= bytes.length;
  }
  const whole = Buffer.concat(read);
  return new Uint32Array(whole.buffer.slice(whole.byteOffset, whole.byteOffset + whole.length));
}

function roundedRank(rank: number): number {
  return Number(rank.toPrecision(6));
}

/** PageRank over the links within a crawl, by power iteration. */
const DAMPING = 0.85;

const MAX_ITERATIONS = 40;

const PRECISION = 1e-7;

/** `edges`: pairs of source and target page. Ranks sum to 1. */
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
