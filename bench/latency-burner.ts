/** A task that keeps its thread busy for as long as it is told, for the floor of `latency.bench.ts`. */
export default function burn(milliseconds: number): number {
  const until = performance.now() + milliseconds;
  let turns = 0;
  while (performance.now() < until) turns += 1;
  return turns;
}
