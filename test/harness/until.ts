import { machineLoad } from '../../src-server/platform/process/work-limit.ts';

const POLL_MS = 20;

/** On an idle machine. Seconds of a busy one count less. */
const WAIT_MS = 90_000;

/** Waits for a condition. The bound only ends a test that would hang; no guarantee rests on it. */
export async function until(condition: () => Promise<boolean> | boolean, waitMs = WAIT_MS): Promise<void> {
  let leftMs = waitMs;
  let lookedAt = performance.now();
  while (!(await condition())) {
    if (leftMs < 0) throw new Error('What the test waits for does not happen.');
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    const now = performance.now();
    leftMs -= (now - lookedAt) / machineLoad();
    lookedAt = now;
  }
}
