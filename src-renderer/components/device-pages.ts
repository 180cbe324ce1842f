import { IS_DEVICE } from '../api/session.ts';

/** Pages for reading and making. All others are for the owner at the computer. */
const DEVICE_PAGES: readonly string[] = ['/', '/library', '/items', '/jobs', '/search', '/make', '/add'];

/** Whether this window leads to a page. */
export function isOfDevice(page: string): boolean {
  return !IS_DEVICE || DEVICE_PAGES.includes(page);
}
