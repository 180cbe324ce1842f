const OVERLAYS = '[role="dialog"], [role="menu"], [role="listbox"]';

/** Gives the focus to the page, or to the dialog that covers it, where nothing has it. */
export function focusPage(): void {
  if (document.activeElement !== document.body) return;
  const covering = document.querySelector<HTMLElement>('[role="dialog"]');
  (covering ?? document.getElementById('main'))?.focus({ preventScroll: true });
}

/**
 * Gives the focus to the page where it was lost with what it stood on: a link whose page was left, a row that was
 * removed, by this window or another. Otherwise the keyboard begins at the top of the window again, and a screen reader
 * says nothing at all. Watched for, as no event tells of an element that is removed with the focus on it. What was lost
 * with a dialog or a menu goes to what opened it, at once: the library gives it back too, but only some time later.
 */
export function keepFocus(): void {
  let last: Element | null = null;
  /** What had the focus when a dialog or a menu took it. */
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

/** What is still there of what opened the dialog or menu that went with this element, or the one that opened that. */
function openerOf(gone: Element, openers: WeakMap<Element, Element>): HTMLElement | null {
  for (let one: Element | undefined = gone; one !== undefined; ) {
    const overlay: Element | null = one.closest(OVERLAYS);
    one = overlay === null ? undefined : openers.get(overlay);
    if (one instanceof HTMLElement && one.isConnected) return one;
  }
  return null;
}
