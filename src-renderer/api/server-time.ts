import { useSyncExternalStore } from 'react';

const TICK_MS = 5000;

/** What to add to this page's own running time for the server's: the browser's clock may be another, or sleep. */
let offsetMs = performance.timeOrigin;
let shown = offsetMs + performance.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

/** The server's time, in milliseconds since 1970. */
export function serverNow(): number {
  return offsetMs + performance.now();
}

/** The server said what time it is. */
export function noteServerTime(now: number): void {
  offsetMs = now - performance.now();
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
  return useSyncExternalStore(subscribe, () => textAt(shown));
}

/** The server's time, renewed every few seconds by one timer for the whole window. */
export function useServerNow(): number {
  return useSyncExternalStore(subscribe, () => shown);
}
