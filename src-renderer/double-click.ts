/** A change that begins later was begun by something else. */
const OF_CLICK_MS = 500;

interface Click {
  at: number;
  changed: boolean;
}

let last: Click | null = null;

/** Something is being changed; if a click has just begun it, by that click. */
export function noteChange(): void {
  if (last !== null && performance.now() - last.at < OF_CLICK_MS) last.changed = true;
}

/**
 * Keeps a double click from changing things twice. The server beside the window answers within milliseconds, so that
 * by the second click a button works again, or another one has moved to its place: the next contribution's, say.
 */
export function ignoreDoubleClicks(): void {
  const onClick = (event: MouseEvent) => {
    // `detail` counts the clicks at one place that follow each other as fast as a double click is on this system; it is
    // 0 for the keyboard's.
    if (event.detail > 1 && last?.changed) {
      event.preventDefault();
      event.stopImmediatePropagation();
      return;
    }
    if (event.detail > 0) last = { at: performance.now(), changed: false };
  };
  window.addEventListener('click', onClick, { capture: true });
}
