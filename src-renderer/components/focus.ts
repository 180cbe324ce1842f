/** A dialog that closes gives the focus back to what opened it, and does so a moment later. */
const GIVEN_BACK_WITHIN_MS = 50;

/** Gives the focus to the page, or to the dialog that covers it, where nothing has it. */
export function focusPage(): void {
  if (document.activeElement !== document.body) return;
  const covering = document.querySelector<HTMLElement>('[role="dialog"]');
  (covering ?? document.getElementById('main'))?.focus({ preventScroll: true });
}

/**
 * Gives the focus to the page where it was lost with what it stood on: a link whose page was left, a row that was
 * removed, by this window or another. Otherwise the keyboard begins at the top of the window again, and a screen reader
 * says nothing at all. Watched for, as no event tells of an element that is removed with the focus on it.
 */
export function keepFocus(): void {
  let last: Element | null = null;
  document.addEventListener('focusin', ({ target }) => {
    last = target instanceof Element ? target : null;
  });
  new MutationObserver(() => {
    if (last === null || last.isConnected) return;
    last = null;
    setTimeout(focusPage, GIVEN_BACK_WITHIN_MS);
  }).observe(document.body, { childList: true, subtree: true });
}
