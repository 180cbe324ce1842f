/**
 * Gives the focus to the page where it was lost with what it stood on: a link whose page was left, a row that was
 * removed. Otherwise the keyboard begins at the top of the window again, and a screen reader says nothing at all.
 */
export function keepFocus(): void {
  requestAnimationFrame(() => {
    if (document.activeElement !== document.body) return;
    document.getElementById('main')?.focus({ preventScroll: true });
  });
}
