/** The keyboard of the window: pages register keys while shown; the palette and the sheet of keys list them. */

import { type RefObject, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { parseOwnJson } from '../../src-server/platform/own-json.ts';
import type { IconName } from './icon.tsx';

export interface KeyAction {
  /** One key (`c`, `/`, `Enter`), two in sequence (`n c`), or one with Ctrl or Shift (`Ctrl a`, `Shift ArrowDown`). */
  keys: string;
  /** What it does, as in a menu: "Copy the whole text". */
  name: string;
  icon?: IconName;
  /** The heading in the sheet of keys. Actions of `list` are not in the palette. */
  group: 'page' | 'list' | 'run' | 'window';
  run: () => void;
  /** Only in the sheet of keys, not in the palette. */
  onlyKey?: boolean;
}

/** The second key of a sequence comes within this time. */
const SEQUENCE_MS = 1500;

let registered: readonly (readonly KeyAction[])[] = [];

let all: readonly KeyAction[] = [];

const listeners = new Set<() => void>();

function setRegisteredKeys(next: readonly (readonly KeyAction[])[]): void {
  registered = next;
  const flat = next.flat();
  // The frame may register after its page, but the page's keys come last and win.
  all = [...flat.filter(({ group }) => group === 'window'), ...flat.filter(({ group }) => group !== 'window')];
  for (const listener of listeners) listener();
}

function subscribeToKeys(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** All keys that work now, those of the frame first. */
export function useKeyActions(): readonly KeyAction[] {
  return useSyncExternalStore(subscribeToKeys, () => all);
}

/**
 * Registers keys while the component is mounted. A page replaces the frame's action of the same key. Keys do nothing
 * while someone types, or while a dialog or menu is open.
 *
 *     useKeys([{ keys: 'c', name: 'Copy the whole text', icon: 'copy', group: 'page', run: copy }]);
 */
export function useKeys(actions: readonly KeyAction[]): void {
  // The names decide when to register again; `run` is read when the key is pressed.
  const latest = useRef(actions);
  latest.current = actions;
  const names = JSON.stringify(actions.map(({ run: _, ...described }) => described));
  const registration = useMemo(() => {
    const described = parseOwnJson<Omit<KeyAction, 'run'>[]>(names);
    return described.map((one, index): KeyAction => ({ ...one, run: () => latest.current[index]?.run() }));
  }, [names]);
  useEffect(() => {
    setRegisteredKeys([...registered, registration]);
    return () => setRegisteredKeys(registered.filter((one) => one !== registration));
  }, [registration]);
}

const OVERLAYS = '[role="dialog"], [role="menu"], [role="listbox"]';

const WRITABLE = 'input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable="true"]';

/** Whether a key belongs to a field, an open layer, the browser or the focused control. */
function isOthers(event: KeyboardEvent): boolean {
  const { target, key, defaultPrevented, altKey } = event;
  if (defaultPrevented || altKey || !(target instanceof Element)) return true;
  const overlays = [...document.querySelectorAll(OVERLAYS)];
  if (target.closest(WRITABLE) !== null || overlays.some((one) => one.checkVisibility())) return true;
  return (key === 'Enter' || key === ' ') && target.closest('a, button, summary, input') !== null;
}

/** The names of a pressed key, the one that says most first. Letters need no Shift: it changes them. */
function namesOf({ key, ctrlKey, metaKey, shiftKey }: KeyboardEvent): string[] {
  if (ctrlKey || metaKey) return [`Ctrl ${key}`];
  return shiftKey && key.length > 1 ? [`Shift ${key}`, key] : [key];
}

/** Follows the keyboard. Called once, by the frame. */
export function useKeyboard(): void {
  useEffect(() => {
    let first = { key: '', at: 0 };
    const onKey = (event: KeyboardEvent) => {
      if (isOthers(event)) return;
      const sequence = `${first.key} ${event.key}`;
      const recent = event.timeStamp - first.at < SEQUENCE_MS && !event.ctrlKey && !event.metaKey;
      // The last registered action wins: that of the page.
      const found =
        (recent ? all.findLast(({ keys }) => keys === sequence) : undefined) ??
        namesOf(event).reduce<KeyAction | undefined>(
          (one, name) => one ?? all.findLast(({ keys }) => keys === name),
          undefined,
        );
      first = { key: event.key, at: event.timeStamp };
      if (found === undefined) return;
      event.preventDefault();
      first = { key: '', at: 0 };
      found.run();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}

interface ListKeys {
  count: number;
  onOpen: (index: number) => void;
  /** Absent: the list has nothing to select. */
  onSelect?: (index: number) => void;
  /** Scrolls a row of a virtualised list into view. */
  onMove?: (index: number) => void;
  /** Names of the actions in the sheet of keys. */
  names: { next: string; previous: string; open: string; select: string };
}

/** `j` `k` `x` and Enter in a list. Give the current row `aria-current`; -1 while no key was pressed. */
export function useListKeys({ count, onOpen, onSelect, onMove, names }: ListKeys): number {
  const [index, setIndex] = useState(-1);
  const current = Math.min(index, count - 1);
  const moveKeySelection = (step: number) => {
    if (count === 0) return;
    const next = Math.min(count - 1, Math.max(0, current + step));
    setIndex(next);
    onMove?.(next);
  };
  const actOnSelected = (act: (index: number) => void) => () => {
    if (current >= 0) act(current);
  };
  useKeys([
    { keys: 'j', name: names.next, group: 'list', run: () => moveKeySelection(1) },
    { keys: 'k', name: names.previous, group: 'list', run: () => moveKeySelection(-1) },
    { keys: 'Enter', name: names.open, group: 'list', run: actOnSelected(onOpen) },
    ...(onSelect === undefined
      ? []
      : [{ keys: 'x', name: names.select, group: 'list' as const, run: actOnSelected(onSelect) }]),
  ]);
  return current;
}

/** `/` moves the focus to the search field of the page. */
export function usePageSearch(field: RefObject<HTMLInputElement | null>, name: string): void {
  useKeys([{ keys: '/', name, icon: 'search', group: 'page', run: () => field.current?.focus() }]);
}
