/** Tells something in a corner of the window. What draws it is loaded with the first message. */
import type { NotificationData } from '@mantine/notifications';
import { useSyncExternalStore } from 'react';

let isWanted = false;

const listeners = new Set<() => void>();

const loaded = () => import('@mantine/notifications');

/** Shows a message; one with the same `id` is replaced. */
export function notify(message: NotificationData): void {
  want();
  // Messages keep their order: the first load settles them all.
  void loaded().then(({ notifications }) => notifications.show(message));
}

export function hideNotification(id: string): void {
  void loaded().then(({ notifications }) => notifications.hide(id));
}

function want(): void {
  if (isWanted) return;
  isWanted = true;
  for (const listener of listeners) listener();
}

/** Whether there was a message yet. */
export function useHasMessages(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isWanted,
  );
}
