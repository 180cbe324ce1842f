/**
 * Topics of collections of like chunks. One space of topics for all subjects of an account blurs each of them, so
 * chunks are first sorted into collections by the main directions of all, and each collection gets topics of its own.
 *
 * Latent semantic indexing: the dominant directions of the matrix of terms and chunks, by subspace iteration from
 * random ones (Halko, Martinsson and Tropp). The matrix stays sparse; the dense blocks take (terms + chunks) ×
 * dimensions × 4 bytes. Cosines do not change when a basis is turned, so the directions are not separated into singular
 * vectors, which would take longer than all the rest.
 */

import type { TaskContext } from '../../src-server/platform/pool/worker-pool.ts';
import { say } from '../../src-server/platform/text/say.ts';
import { nearestCell } from '../../src-server/platform/text/vectors.ts';
import { holdOutSpans, worthOfTopics } from './check-topics.ts';
import { type ChunkTerms, type Dense, denseRow } from './matrix.ts';
import type { FitTopicsInput, FitTopicsOutput, TopicCollection, TopicSpace } from './tasks.ts';

const ITERATIONS = 5;

/** Chunks of a collection, about: enough to learn from, few enough to be of one subject. */
const COLLECTION_CHUNKS = 1500;

/** The chunks of a smaller collection go to others. */
const COLLECTION_CHUNKS_MIN = 100;

/** Directions by which chunks are sorted. */
const SORTER_DIMENSIONS = 50;

const SORTER_ROUNDS = 12;

const DIMENSIONS_MAX = 150;

/** Topics join what goes together only if they are fewer than the chunks; so few are kept apart. */
const DIMENSIONS_MIN = 16;

const CHUNKS_PER_DIMENSION = 6;

/** From so many chunks on, a term of a single one is no topic. */
const RARE_FROM_CHUNKS = 200;

/** Terms in more than this share of the chunks tell nothing apart. */
const COMMON_SHARE = 0.5;

/** A direction that is this near to the others is none of its own: the corpus has fewer. */
const RANK_TOLERANCE = 1e-7;

/** A term that is in all chunks alike still counts a little: a corpus may be one repeated text. */
const WEIGHT_MIN = 0.02;

const CELLS_MAX = 64;

/** Fewer chunks are compared one by one as quickly. */
const CHUNKS_PER_CELL = 200;

const CELL_ROUNDS = 6;

const STAGE = 'fitting-topics';

/** Chunks by terms in compressed rows, weighted and with rows of length 1. */
interface Sparse {
  rows: number;
  columns: number;
  starts: Uint32Array;
  indexes: Uint32Array;
  values: Float32Array;
}

/** Errors: the signal's reason. */
export function fitTopics(input: FitTopicsInput, context: TaskContext): FitTopicsOutput {
  const random = randomNumbers(input.seed);
  const rows = Array.from({ length: input.starts.length - 1 }, (_, row) => row);
  const wanted = Math.round(rows.length / COLLECTION_CHUNKS);
  const { sorter, groups } = wanted > 1 ? sortChunks(input, rows, wanted, random, context) : unsorted(rows);
  const collections = groups.map((group, at) => {
    context.progress((100 * (at + 1)) / (groups.length + 1), STAGE, say`Learning related words`);
    return fitCollection(chunkTermsOf(input, group), random, context.signal);
  });
  return { sorter, collections };
}

function unsorted(rows: readonly number[]) {
  const none = { dimensions: 0, terms: new Uint32Array(), weights: new Float32Array(), vectors: new Float32Array() };
  return { sorter: { ...none, cells: new Float32Array() }, groups: [rows] };
}

/** Sorts chunks into about so many collections. */
function sortChunks(
  input: FitTopicsInput,
  rows: readonly number[],
  wanted: number,
  random: () => number,
  { signal }: TaskContext,
): { sorter: TopicSpace; groups: readonly (readonly number[])[] } {
  const all = chunkTermsOf(input, rows);
  const { space, chunks } = fitSpace(all, SORTER_DIMENSIONS, random, signal);
  const found = clusterChunks(chunks, wanted, SORTER_ROUNDS, random, signal);
  const members = membersOf(chunks, found);
  const large = Array.from({ length: wanted }, (_, cell) => cell).filter(
    (cell) => (members[cell]?.length ?? 0) >= COLLECTION_CHUNKS_MIN,
  );
  const { columns } = chunks;
  const cells = new Float32Array(large.length * columns);
  for (const [at, cell] of large.entries())
    cells.set(found.subarray(cell * columns, (cell + 1) * columns), at * columns);
  return large.length < 2 ? unsorted(rows) : { sorter: { ...space, cells }, groups: membersOf(chunks, cells) };
}

/** The rows that are nearest to each of the cells. */
function membersOf(chunks: Dense, cells: Float32Array): number[][] {
  const members: number[][] = Array.from({ length: cells.length / chunks.columns }, () => []);
  for (let row = 0; row < chunks.rows; row += 1) members[nearestCell(cells, denseRow(chunks, row))]?.push(row);
  return members;
}

function fitCollection(terms: ChunkTerms, random: () => number, signal: AbortSignal): TopicCollection {
  const rows = terms.starts.length - 1;
  const dimensions = Math.min(DIMENSIONS_MAX, Math.max(DIMENSIONS_MIN, Math.ceil(rows / CHUNKS_PER_DIMENSION)));
  // What is held out is a few words of some chunks: topics learned without them are as good.
  const { kept, spans } = holdOutSpans(terms, random);
  const { space, chunks } = fitSpace(kept, dimensions, random, signal);
  const count = Math.max(1, Math.min(CELLS_MAX, Math.floor(rows / CHUNKS_PER_CELL)));
  const cells = clusterChunks(chunks, count, CELL_ROUNDS, random, signal);
  return { ...space, cells, worth: worthOfTopics(kept, spans, space, chunks) };
}

/** Terms of some chunks. In many chunks those of one, and those of most, are left out. */
function chunkTermsOf(input: FitTopicsInput, rows: readonly number[]): ChunkTerms {
  const { starts, indexes, counts } = input;
  const found = new Uint32Array(input.terms);
  const eachOf = (row: number, work: (term: number, at: number) => void) => {
    for (let at = starts[row] ?? 0; at < (starts[row + 1] ?? 0); at += 1) work(indexes[at] ?? 0, at);
  };
  for (const row of rows) eachOf(row, (term) => (found[term] = (found[term] ?? 0) + 1));
  const isLarge = rows.length >= RARE_FROM_CHUNKS;
  const present = Array.from(found.keys()).filter((term) => (found[term] ?? 0) > 0);
  const telling = present.filter((term) => {
    const chunks = found[term] ?? 0;
    return !isLarge || (chunks > 1 && chunks <= rows.length * COMMON_SHARE);
  });
  // A corpus may be one repeated text.
  const numbers = Uint32Array.from(telling.length > 0 ? telling : present);
  const own = new Int32Array(input.terms).fill(-1);
  for (const [at, term] of numbers.entries()) own[term] = at;
  const kept: { indexes: number[]; counts: number[] } = { indexes: [], counts: [] };
  const ends = rows.map((row) => {
    eachOf(row, (term, at) => {
      if ((own[term] ?? -1) < 0) return;
      kept.indexes.push(own[term] ?? 0);
      kept.counts.push(counts[at] ?? 0);
    });
    return kept.indexes.length;
  });
  return {
    terms: numbers.length,
    numbers,
    starts: Uint32Array.from([0, ...ends]),
    indexes: Uint32Array.from(kept.indexes),
    counts: Uint16Array.from(kept.counts),
  };
}

/** The main directions of chunks, and where each chunk lies among them. Errors: the signal's reason. */
function fitSpace(
  { terms, numbers, starts, indexes, counts }: ChunkTerms,
  dimensions: number,
  random: () => number,
  signal: AbortSignal,
): { space: Omit<TopicSpace, 'cells'>; chunks: Dense } {
  const rows = starts.length - 1;
  const weights = entropyWeights(terms, starts, indexes, counts);
  const matrix = { rows, columns: terms, starts, indexes, values: Float32Array.from(counts, Math.log1p) };
  scaleSparseRows(matrix, weights);
  const columns = Math.min(dimensions, rows, terms);
  let basis: Dense = { rows: terms, columns, values: Float32Array.from({ length: terms * columns }, random) };
  for (let round = 0; round < ITERATIONS; round += 1) {
    signal.throwIfAborted();
    // Either side spans the same directions. The smaller one costs less: few chunks have many terms.
    const left = multiplySparse(matrix, rows < terms ? basis : orthonormalBasis(basis));
    basis = timesTransposed(matrix, rows < terms ? orthonormalBasis(left) : left);
  }
  signal.throwIfAborted();
  basis = orthonormalBasis(basis);
  const chunks = multiplySparse(matrix, basis);
  for (let row = 0; row < rows; row += 1) normalizeVector(denseRow(chunks, row));
  return { space: { dimensions: basis.columns, terms: numbers, weights, vectors: basis.values }, chunks };
}

/** Log-entropy: a term that is spread evenly over all chunks weighs least, a term of one chunk 1. */
function entropyWeights(terms: number, starts: Uint32Array, indexes: Uint32Array, counts: Uint16Array): Float32Array {
  const totals = new Float64Array(terms);
  for (const [at, term] of indexes.entries()) totals[term] = (totals[term] ?? 0) + (counts[at] ?? 0);
  const entropy = new Float64Array(terms);
  for (const [at, term] of indexes.entries()) {
    const share = (counts[at] ?? 0) / (totals[term] ?? 1);
    // What is held out leaves a count of 0.
    if (share > 0) entropy[term] = (entropy[term] ?? 0) + share * Math.log(share);
  }
  const chunks = Math.max(2, starts.length - 1);
  return Float32Array.from(entropy, (one) => Math.max(WEIGHT_MIN, 1 + one / Math.log(chunks)));
}

function scaleSparseRows({ rows, starts, indexes, values }: Sparse, weights: Float32Array): void {
  for (let row = 0; row < rows; row += 1) {
    const [from = 0, to = 0] = [starts[row], starts[row + 1]];
    let square = 0;
    for (let at = from; at < to; at += 1) {
      const value = (values[at] ?? 0) * (weights[indexes[at] ?? 0] ?? 0);
      values[at] = value;
      square += value * value;
    }
    const length = Math.sqrt(square) || 1;
    for (let at = from; at < to; at += 1) values[at] = (values[at] ?? 0) / length;
  }
}

/** Numbers from -1 to 1, the same for the same seed. */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 31 - 1;
  };
}

function multiplySparse(matrix: Sparse, block: Dense): Dense {
  const { rows, starts, indexes, values } = matrix;
  const { columns } = block;
  const out = new Float32Array(rows * columns);
  for (let row = 0; row < rows; row += 1) {
    const to = row * columns;
    for (let at = starts[row] ?? 0; at < (starts[row + 1] ?? 0); at += 1) {
      const value = values[at] ?? 0;
      const from = (indexes[at] ?? 0) * columns;
      for (let column = 0; column < columns; column += 1) {
        out[to + column] = (out[to + column] ?? 0) + value * (block.values[from + column] ?? 0);
      }
    }
  }
  return { rows, columns, values: out };
}

function timesTransposed(matrix: Sparse, block: Dense): Dense {
  const { rows, starts, indexes, values } = matrix;
  const { columns } = block;
  const out = new Float32Array(matrix.columns * columns);
  for (let row = 0; row < rows; row += 1) {
    const from = row * columns;
    for (let at = starts[row] ?? 0; at < (starts[row + 1] ?? 0); at += 1) {
      const value = values[at] ?? 0;
      const to = (indexes[at] ?? 0) * columns;
      for (let column = 0; column < columns; column += 1) {
        out[to + column] = (out[to + column] ?? 0) + value * (block.values[from + column] ?? 0);
      }
    }
  }
  return { rows: matrix.columns, columns, values: out };
}

/** The products of all pairs of columns. Four rows at a time: the result is larger than the nearest cache. */
function gramMatrix({ rows, columns, values }: Dense): Float64Array {
  const out = new Float64Array(columns * columns);
  const four = new Float64Array(4 * columns);
  for (let row = 0; row < rows; row += 4) {
    four.fill(0);
    four.set(values.subarray(row * columns, Math.min(row + 4, rows) * columns));
    for (let one = 0; one < columns; one += 1) {
      const a = four[one] ?? 0;
      const b = four[columns + one] ?? 0;
      const c = four[2 * columns + one] ?? 0;
      const d = four[3 * columns + one] ?? 0;
      for (let other = one; other < columns; other += 1) {
        out[one * columns + other] =
          (out[one * columns + other] ?? 0) +
          a * (four[other] ?? 0) +
          b * (four[columns + other] ?? 0) +
          c * (four[2 * columns + other] ?? 0) +
          d * (four[3 * columns + other] ?? 0);
      }
    }
  }
  for (let one = 0; one < columns; one += 1) {
    for (let other = 0; other < one; other += 1) out[one * columns + other] = out[other * columns + one] ?? 0;
  }
  return out;
}

/** The factor of a matrix of products: lower triangular, with zeros for columns that depend on those before. */
function choleskyFactor(products: Float64Array, size: number): Float64Array {
  const factor = new Float64Array(size * size);
  for (let row = 0; row < size; row += 1) {
    for (let column = 0; column <= row; column += 1) {
      let sum = products[row * size + column] ?? 0;
      for (let k = 0; k < column; k += 1) {
        sum -= (factor[row * size + k] ?? 0) * (factor[column * size + k] ?? 0);
      }
      const pivot = factor[column * size + column] ?? 0;
      if (row !== column) factor[row * size + column] = pivot === 0 ? 0 : sum / pivot;
      else factor[row * size + row] = sum > RANK_TOLERANCE * (products[row * size + row] ?? 0) ? Math.sqrt(sum) : 0;
    }
  }
  return factor;
}

/** The same space with columns of length 1 at right angles; dependent columns are left out. */
function orthonormalBasis(block: Dense): Dense {
  const { rows, columns, values } = block;
  const factor = transposeSquare(choleskyFactor(gramMatrix(block), columns), columns);
  const kept = Array.from({ length: columns }, (_, at) => at).filter((at) => factor[at * columns + at] !== 0);
  const out = new Float32Array(rows * kept.length);
  const rest = new Float64Array(columns);
  for (let row = 0; row < rows; row += 1) {
    rest.set(values.subarray(row * columns, (row + 1) * columns));
    for (const [at, column] of kept.entries()) {
      const from = column * columns;
      const solved = (rest[column] ?? 0) / (factor[from + column] ?? 0);
      out[row * kept.length + at] = solved;
      // The sums of later columns do not wait for each other, unlike the parts of one sum.
      for (let later = column + 1; later < columns; later += 1) {
        rest[later] = (rest[later] ?? 0) - solved * (factor[from + later] ?? 0);
      }
    }
  }
  return { rows, columns: kept.length, values: out };
}

function transposeSquare(values: Float64Array, size: number): Float64Array {
  return values.map((_, at) => values[(at % size) * size + Math.floor(at / size)] ?? 0);
}

function normalizeVector(vector: Float32Array): void {
  let square = 0;
  for (const value of vector) square += value * value;
  const length = Math.sqrt(square) || 1;
  for (const [at, value] of vector.entries()) vector[at] = value / length;
}

/** Centres of cells of near chunks (spherical k-means). A search reads only the cells near to its query. */
function clusterChunks(
  chunks: Dense,
  count: number,
  rounds: number,
  random: () => number,
  signal: AbortSignal,
): Float32Array {
  const { rows, columns } = chunks;
  const cells: Dense = { rows: count, columns, values: new Float32Array(count * columns) };
  if (rows === 0) return cells.values;
  const randomRowIndex = () => Math.floor(((random() + 1) / 2) * rows);
  for (let cell = 0; cell < count; cell += 1) denseRow(cells, cell).set(denseRow(chunks, randomRowIndex()));
  for (let round = 0; round < rounds && count > 1; round += 1) {
    signal.throwIfAborted();
    const sums: Dense = { rows: count, columns, values: new Float32Array(count * columns) };
    for (const [cell, members] of membersOf(chunks, cells.values).entries()) {
      const sum = denseRow(sums, cell);
      for (const row of members) {
        for (const [at, value] of denseRow(chunks, row).entries()) sum[at] = (sum[at] ?? 0) + value;
      }
      if (sum.every((value) => value === 0)) sum.set(denseRow(chunks, randomRowIndex()));
      normalizeVector(sum);
    }
    cells.values = sums.values;
  }
  return cells.values;
}
