/** Opens the dialog Add from anywhere: a button, a key, the tray, an address. */
import { useSyncExternalStore } from 'react';
import type { EarlierReading } from '../uploads/reading.ts';
import type { Source } from '../uploads/sources.ts';

interface Opened {
  /** What is in the list from the start. */
  sources: readonly Source[];
  /** What was read before and how: the choices of its kind begin with it. */
  earlier: Earlier | null;
}

export interface Earlier extends EarlierReading {
  name: string;
}

let opened: Opened | null = null;

const listeners = new Set<() => void>();

function setOpened(next: Opened | null): void {
  opened = next;
  for (const listener of listeners) listener();
}

export function openAdd(sources: readonly Source[] = [], earlier: Earlier | null = null): void {
  setOpened({ sources, earlier });
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
