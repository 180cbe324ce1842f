import { useSyncExternalStore } from 'react';

const TICK_MS = 5000;
/** No word of the server is on its way for longer; its clock was set back then. */
const DELAY_MAX_MS = 5000;

/** What to add to this page's own running time for the server's: the browser's clock may be another, or sleep. */
let offsetMs = performance.timeOrigin;
/** Whether the server has said what time it is. */
let told = false;
let shown = offsetMs + performance.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

/** The server's time, in milliseconds since 1970. */
export function serverNow(): number {
  return offsetMs + performance.now();
}

/** The server said what time it is. What was said earlier holds where this word has only been longer on its way. */
export function noteServerTime(now: number): void {
  const offset = now - performance.now();
  if (!told || offset > offsetMs || offset < offsetMs - DELAY_MAX_MS) offsetMs = offset;
  told = true;
  tick();
}

function tick(): void {
  shown = serverNow();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tick, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** A text that depends on the time, renewed when it reads otherwise: by one timer for the whole window. */
export function useTimedText(textAt: (now: number) => string): string {
  // Of now, not of the last tick: what happened since would read as if it were still to come.
  return useSyncExternalStore(subscribe, () => textAt(serverNow()));
}

/** The server's time, renewed every few seconds by one timer for the whole window. */
export function useServerNow(): number {
  return useSyncExternalStore(subscribe, () => shown);
}
