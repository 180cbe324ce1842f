const OVERLAYS = '[role="dialog"], [role="menu"], [role="listbox"]';

/** Moves the focus to the page or its open dialog, if nothing has the focus. */
export function focusPage(): void {
  if (document.activeElement !== document.body) return;
  const covering = document.querySelector<HTMLElement>('[role="dialog"]');
  (covering ?? document.getElementById('main'))?.focus({ preventScroll: true });
}

/**
 * Restores the focus after its element was removed: by a page change, or by a change from this or another window.
 * Otherwise the keyboard starts at the top of the window and a screen reader is silent. A MutationObserver is
 * necessary, because no event reports the removal of a focused element. After a dialog or menu, the focus returns to
 * its opener at once; the library does so only after a delay.
 */
export function keepFocus(): void {
  let last: Element | null = null;
  /** The focused element when a dialog or menu opened. */
  const openers = new WeakMap<Element, Element>();
  document.addEventListener('focusin', ({ target, relatedTarget }) => {
    last = target instanceof Element ? target : null;
    const overlay = last?.closest(OVERLAYS);
    if (overlay == null || !(relatedTarget instanceof Element) || overlay.contains(relatedTarget)) return;
    if (!openers.has(overlay)) openers.set(overlay, relatedTarget);
  });
  new MutationObserver(() => {
    if (last === null || last.isConnected) return;
    const opener = openerOf(last, openers);
    last = null;
    if (document.activeElement !== document.body) return;
    opener?.focus({ preventScroll: true });
    focusPage();
  }).observe(document.body, { childList: true, subtree: true });
}

/** The nearest opener that still exists, for an element removed with its dialog or menu. */
function openerOf(gone: Element, openers: WeakMap<Element, Element>): HTMLElement | null {
  for (let one: Element | undefined = gone; one !== undefined; ) {
    const overlay: Element | null = one.closest(OVERLAYS);
    one = overlay === null ? undefined : openers.get(overlay);
    if (one instanceof HTMLElement && one.isConnected) return one;
  }
  return null;
}
