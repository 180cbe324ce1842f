/** Whether processes keep the intervals of production: short ones find lost nodes soon, and cost much of a small job. */
export function hasProductionTiming(): boolean {
  return process.env.QUARRY_TEST_TIMING === 'production';
}
