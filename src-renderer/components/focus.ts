import { type RefObject, useEffect, useRef } from 'react';

const OVERLAYS = '[role="dialog"], [role="menu"], [role="listbox"]';

/** Moves the focus to the page or its open dialog, if nothing has the focus. */
export function focusPage(): void {
  if (document.activeElement !== document.body) return;
  const covering = document.querySelector<HTMLElement>('[role="dialog"]');
  (covering ?? document.getElementById('main'))?.focus({ preventScroll: true });
}

/** Whether the focus is on nothing that somebody chose. */
export function isFocusNowhere(): boolean {
  return document.activeElement === document.body || document.activeElement === document.getElementById('main');
}

/**
 * The focus goes where the keys of a list go, and to the row that takes the place of a removed one, so that a screen
 * reader says the row and what opens from it returns there.
 * @param rows changes when the rows do
 */
export function useRowFocus(
  box: RefObject<HTMLElement | null>,
  { current, rows, selector }: { current: number; rows: unknown; selector: string },
): void {
  const before = useRef(current);
  // biome-ignore lint/correctness/useExhaustiveDependencies: other rows may have taken the focus away.
  useEffect(() => {
    const isMoved = before.current !== current;
    before.current = current;
    if (current < 0 || !(isMoved || isFocusNowhere())) return;
    box.current?.querySelector<HTMLElement>(selector)?.focus({ preventScroll: true });
  }, [box, current, rows, selector]);
}

/**
 * Restores the focus after its element was removed: by a page change, or by a change from this or another window.
 * Otherwise the keyboard starts at the top of the window and a screen reader is silent. A MutationObserver is
 * necessary, because no event reports the removal of a focused element. After a dialog or menu, the focus returns to
 * its opener at once; the library does so only after a delay. On the same page it returns to where it was before.
 */
export function keepFocus(): void {
  let last: Element | null = null;
  /** The focused element when a dialog or menu opened. */
  const openers = new WeakMap<Element, Element>();
  const trail: Visited[] = [];
  /** What comes back after its text is read again, or the language has changed. */
  let awaited: { selector: string; path: string } | null = null;
  document.addEventListener('focusin', ({ target, relatedTarget }) => {
    last = target instanceof Element ? target : null;
    if (!isFocusNowhere()) awaited = null;
    if (last !== null) trail.push({ element: last, path: location.pathname });
    if (trail.length > TRAIL_LENGTH) trail.shift();
    const overlay = last?.closest(OVERLAYS);
    if (overlay == null || !(relatedTarget instanceof Element) || overlay.contains(relatedTarget)) return;
    if (!openers.has(overlay)) openers.set(overlay, relatedTarget);
  });
  new MutationObserver(() => {
    if (awaited?.path === location.pathname && isFocusNowhere())
      document.querySelector<HTMLElement>(awaited.selector)?.focus(STAY);
    if (last === null || last.isConnected) return;
    const opener = openerOf(last, openers);
    last = null;
    if (document.activeElement !== document.body) return;
    const before = trail.findLast(isPlace);
    awaited = before === undefined || canFocus(before.element) ? null : returningPlace(before.element);
    const again = awaited === null ? before?.element : document.querySelector(awaited.selector);
    const next = opener ?? again;
    if (next instanceof HTMLElement) next.focus(STAY);
    focusPage();
  }).observe(document.body, { childList: true, subtree: true });
}

const STAY = { preventScroll: true };

/** The button of a passage, and fields with `data-returns`, are made anew and take the focus again. */
function returningPlace(gone: Element): { selector: string; path: string } | null {
  const name = ['data-passage', 'data-returns'].find((one) => (gone.getAttribute(one) ?? '') !== '');
  if (name === undefined) return null;
  return { selector: `[${name}="${gone.getAttribute(name)}"]`, path: location.pathname };
}

interface Visited {
  element: Element;
  /** Of the page. */
  path: string;
}

const TRAIL_LENGTH = 16;

/** Something on this page that can have the focus, or comes back. */
function isPlace({ element, path }: Visited): boolean {
  return path === location.pathname && (canFocus(element) || returningPlace(element) !== null);
}

function canFocus(element: Element): boolean {
  return element.isConnected && element.checkVisibility() && !element.matches(':disabled');
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
