import { useSyncExternalStore } from 'react';

const TICK_MS = 5000;
/** Maximum delay of a time message. A larger step means that the server's clock was set back. */
const DELAY_MAX_MS = 5000;

/** Server time minus this page's monotonic clock. The browser's clock may differ or sleep. */
let offsetMs = performance.timeOrigin;
/** Whether the server has sent its time. */
let synced = false;
let shown = offsetMs + performance.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

/** The server's time, in milliseconds since 1970. */
export function serverNow(): number {
  return offsetMs + performance.now();
}

/** Records the server's time. An earlier offset stays if this message was only delayed. */
export function noteServerTime(now: number): void {
  const offset = now - performance.now();
  if (!synced || offset > offsetMs || offset < offsetMs - DELAY_MAX_MS) offsetMs = offset;
  synced = true;
  tickServerTime();
}

function tickServerTime(): void {
  shown = serverNow();
  for (const listener of listeners) listener();
}

function subscribeToServerTime(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tickServerTime, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** A text that depends on the time. One timer for the whole window updates it. */
export function useTimedText(textAt: (now: number) => string): string {
  // Use the current time, not the last tick: recent events would otherwise appear in the future.
  return useSyncExternalStore(subscribeToServerTime, () => textAt(serverNow()));
}

/** The server's time. One timer for the whole window updates it every few seconds. */
export function useServerNow(): number {
  return useSyncExternalStore(subscribeToServerTime, () => shown);
}
