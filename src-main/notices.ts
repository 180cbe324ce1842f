import { Notification } from 'electron';
import type { Notice } from './notifications.ts';

/** Notices that can still be clicked. The system keeps no more in sight, and a collected object hears no click. */
const HELD_MAX = 20;

const held = new Set<Notification>();

/** Tells by the system's own means, where it has any. */
export function showNotice({ title, body, path }: Notice, open: (path: string) => void): void {
  if (!Notification.isSupported()) return;
  const notification = new Notification({ title, body });
  held.add(notification);
  const [oldest] = held;
  if (held.size > HELD_MAX && oldest !== undefined) held.delete(oldest);
  notification.on('click', () => {
    held.delete(notification);
    open(path);
  });
  notification.show();
}
