/** The row of `cells` (vectors of the vector's length, one after the other) that is nearest to a vector. */
export function nearestCell(cells: Float32Array, vector: Float32Array): number {
  let best = 0;
  let most = Number.NEGATIVE_INFINITY;
  for (const [cell, near] of nearnessOf(cells, vector).entries()) {
    if (near > most) [best, most] = [cell, near];
  }
  return best;
}

/** The dot product of each row of `cells` with a vector. */
export function nearnessOf(cells: Float32Array, vector: Float32Array): number[] {
  const size = vector.length;
  return Array.from({ length: size === 0 ? 0 : cells.length / size }, (_, cell) => {
    let sum = 0;
    for (let at = 0; at < size; at += 1) sum += (cells[cell * size + at] ?? 0) * (vector[at] ?? 0);
    return sum;
  });
}
