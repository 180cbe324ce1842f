import { type RefCallback, useCallback } from 'react';

/** The strip at the bottom of a job's page. */
const STRIP_HEIGHT = 40;

/**
 * A pane that stays beside text that scrolls. One that is taller than the window first scrolls to its end, so that it
 * needs no scroll bar of its own.
 */
export function useStickyPane(): RefCallback<HTMLElement> {
  return useCallback((pane: HTMLElement | null) => {
    if (pane === null) return;
    const placeStickyPane = () => {
      pane.style.top = `${Math.min(0, innerHeight - STRIP_HEIGHT - pane.offsetHeight)}px`;
    };
    const watcher = new ResizeObserver(placeStickyPane);
    watcher.observe(pane);
    addEventListener('resize', placeStickyPane);
    return () => {
      watcher.disconnect();
      removeEventListener('resize', placeStickyPane);
    };
  }, []);
}
