import { SECOND_MS } from '../../platform/units.ts';

/** How long work that was told to stop has to do so; the pool ends deaf threads well before. */
const STOP_GRACE_MS = 5 * SECOND_MS;

/** Rejects when work that was told to stop still goes on after the grace: nothing an engine does can hold a job. */
export function abandoned(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const begin = () => setTimeout(() => reject(signal.reason), STOP_GRACE_MS).unref();
    if (signal.aborted) begin();
    else signal.addEventListener('abort', begin, { once: true });
  });
}
