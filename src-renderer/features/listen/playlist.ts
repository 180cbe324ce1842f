/** Items that are read aloud one after the other, until the window is closed or another one is begun. */
import { useSyncExternalStore } from 'react';

interface Listed {
  itemId: string;
  title: string;
}

let playlist: readonly Listed[] = [];

const listeners = new Set<() => void>();

/** Begins a list; one item has no list. */
export function setPlaylist(items: readonly Listed[]): void {
  playlist = items.length > 1 ? items.map(({ itemId, title }) => ({ itemId, title })) : [];
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export interface PlaylistPlace {
  /** From 1. */
  number: number;
  count: number;
  next: Listed | null;
}

/** Where an item is in the list; null where it is in none. */
export function usePlaylistPlace(itemId: string): PlaylistPlace | null {
  const items = useSyncExternalStore(subscribe, () => playlist);
  const index = items.findIndex((one) => one.itemId === itemId);
  return index < 0 ? null : { number: index + 1, count: items.length, next: items[index + 1] ?? null };
}
