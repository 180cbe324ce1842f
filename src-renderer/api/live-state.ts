import { useSyncExternalStore } from 'react';

/** Whether the stream of all changes is there. */
let connected = false;
/** Streams that something on the screen waits for, and that are not there. */
const away = new Set<object>();
const listeners = new Set<() => void>();

const isLive = () => connected && away.size === 0;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function changed(): void {
  for (const listener of listeners) listener();
}

export function setConnected(value: boolean): void {
  connected = value;
  changed();
}

export function noteAway(stream: object, isAway: boolean): void {
  if (isAway) away.add(stream);
  else away.delete(stream);
  changed();
}

/** Whether all changes of what is on the screen arrive at this moment. */
export function useLiveState(): boolean {
  return useSyncExternalStore(subscribe, isLive);
}
