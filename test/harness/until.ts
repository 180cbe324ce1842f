const POLL_MS = 20;
const WAIT_MS = 600_000;

/** Waits for a condition. The bound only ends a test that would hang; no guarantee rests on it. */
export async function until(condition: () => Promise<boolean> | boolean, waitMs = WAIT_MS): Promise<void> {
  const deadline = performance.now() + waitMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error('What the test waits for does not happen.');
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
