/**
 * Latent semantic indexing: the dominant directions of the matrix of terms and chunks, by subspace iteration from
 * random ones (Halko, Martinsson and Tropp). The matrix stays sparse; the dense blocks take (terms + chunks) ×
 * dimensions × 4 bytes. Cosines do not change when a basis is turned, so the directions are not separated into singular
 * vectors, which would take longer than all the rest.
 */

import type { TaskContext } from '../../src-server/platform/pool/worker-pool.ts';
import { nearestCell } from '../../src-server/platform/text/vectors.ts';
import type { FitTopicsInput, FitTopicsOutput } from './tasks.ts';

const ITERATIONS = 5;

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

/** A dense matrix, row by row. */
interface Dense {
  rows: number;
  columns: number;
  values: Float32Array;
}

/** Errors: the signal's reason. */
export function fitTopics(
  { terms, starts, indexes, counts, dimensions, seed }: FitTopicsInput,
  { signal, progress }: TaskContext,
): FitTopicsOutput {
  const rows = starts.length - 1;
  const weights = entropyWeights(terms, starts, indexes, counts);
  const matrix = { rows, columns: terms, starts, indexes, values: Float32Array.from(counts, Math.log1p) };
  scaleSparseRows(matrix, weights);
  const random = randomNumbers(seed);
  const columns = Math.min(dimensions, rows, terms);
  let basis: Dense = { rows: terms, columns, values: Float32Array.from({ length: terms * columns }, random) };
  for (let round = 0; round < ITERATIONS; round += 1) {
    progress((100 * round) / ITERATIONS, STAGE, 'Learning related words');
    signal.throwIfAborted();
    // Either side spans the same directions. The smaller one costs less: few chunks have many terms.
    const left = multiplySparse(matrix, rows < terms ? basis : orthonormalBasis(basis));
    basis = timesTransposed(matrix, rows < terms ? orthonormalBasis(left) : left);
  }
  signal.throwIfAborted();
  basis = orthonormalBasis(basis);
  const chunks = multiplySparse(matrix, basis);
  for (let row = 0; row < rows; row += 1) normalizeVector(denseRow(chunks, row));
  return {
    dimensions: basis.columns,
    weights,
    vectors: basis.values,
    cells: clusterChunkCells(chunks, random, signal),
  };
}

/** Log-entropy: a term that is spread evenly over all chunks weighs least, a term of one chunk 1. */
function entropyWeights(terms: number, starts: Uint32Array, indexes: Uint32Array, counts: Uint16Array): Float32Array {
  const totals = new Float64Array(terms);
  for (const [at, term] of indexes.entries()) totals[term] = (totals[term] ?? 0) + (counts[at] ?? 0);
  const entropy = new Float64Array(terms);
  for (const [at, term] of indexes.entries()) {
    const share = (counts[at] ?? 0) / (totals[term] ?? 1);
    entropy[term] = (entropy[term] ?? 0) + share * Math.log(share);
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

function denseRow({ columns, values }: Dense, row: number): Float32Array {
  return values.subarray(row * columns, (row + 1) * columns);
}

function normalizeVector(vector: Float32Array): void {
  let square = 0;
  for (const value of vector) square += value * value;
  const length = Math.sqrt(square) || 1;
  for (const [at, value] of vector.entries()) vector[at] = value / length;
}

/** Centres of cells of near chunks (spherical k-means). A search reads only the cells near to its query. */
function clusterChunkCells(chunks: Dense, random: () => number, signal: AbortSignal): Float32Array {
  const { rows, columns } = chunks;
  const count = Math.max(1, Math.min(CELLS_MAX, Math.floor(rows / CHUNKS_PER_CELL)));
  const cells: Dense = { rows: count, columns, values: new Float32Array(count * columns) };
  if (rows === 0) return cells.values;
  const randomRowIndex = () => Math.floor(((random() + 1) / 2) * rows);
  for (let cell = 0; cell < count; cell += 1) denseRow(cells, cell).set(denseRow(chunks, randomRowIndex()));
  for (let round = 0; round < CELL_ROUNDS && count > 1; round += 1) {
    signal.throwIfAborted();
    const sums: Dense = { rows: count, columns, values: new Float32Array(count * columns) };
    for (let row = 0; row < rows; row += 1) {
      const chunk = denseRow(chunks, row);
      const sum = denseRow(sums, nearestCell(cells.values, chunk));
      for (let at = 0; at < columns; at += 1) sum[at] = (sum[at] ?? 0) + (chunk[at] ?? 0);
    }
    for (let cell = 0; cell < count; cell += 1) {
      const sum = denseRow(sums, cell);
      if (sum.every((value) => value === 0)) sum.set(denseRow(chunks, randomRowIndex()));
      normalizeVector(sum);
    }
    cells.values = sums.values;
  }
  return cells.values;
}
