/** Opens the dialog Add from anywhere: a button, a key, the tray, an address. */
import { useSyncExternalStore } from 'react';
import type { Source } from '../uploads/sources.ts';

interface Opened {
  /** What is in the list from the start. */
  sources: readonly Source[];
}

let opened: Opened | null = null;

const listeners = new Set<() => void>();

function setOpened(next: Opened | null): void {
  opened = next;
  for (const listener of listeners) listener();
}

export function openAdd(sources: readonly Source[] = []): void {
  setOpened({ sources });
}

export function closeAdd(): void {
  setOpened(null);
}

/** What the dialog was opened with; null while it is closed. */
export function useOpenedAdd(): Opened | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => opened,
  );
}
