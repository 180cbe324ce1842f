import type { FitTopicsInput } from './tasks.ts';

/** A dense matrix, row by row. */
export interface Dense {
  rows: number;
  columns: number;
  values: Float32Array;
}

export function denseRow({ columns, values }: Dense, row: number): Float32Array {
  return values.subarray(row * columns, (row + 1) * columns);
}

/** Counts of terms in some chunks, by numbers of their own. */
export interface ChunkTerms extends Omit<FitTopicsInput, 'seed'> {
  /** The numbers that the terms have among all chunks. */
  numbers: Uint32Array;
}
