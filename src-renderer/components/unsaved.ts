import { useBlocker } from '@tanstack/react-router';
import { texts } from '../texts.ts';
import { askFirst } from './confirm.tsx';

/**
 * Asks before the window leaves a page with unsaved changes, also when the tab or the desktop window closes. Changes of
 * the page's own search parameters, such as its tab, do not ask.
 */
export function useUnsavedGuard(changed: boolean): void {
  useBlocker({
    disabled: !changed,
    enableBeforeUnload: changed,
    shouldBlockFn: ({ current, next }) => {
      if (current.pathname === next.pathname) return false;
      const { title, about, leave, stay } = texts.unsaved;
      return new Promise<boolean>((resolve) => {
        const resolveBlocked = (blocked: boolean) => () => resolve(blocked);
        askFirst({ title, about, yes: leave, no: stay, onYes: resolveBlocked(false), onNo: resolveBlocked(true) });
      });
    },
  });
}
