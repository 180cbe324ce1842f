import { defaultRangeExtractor, type Range } from '@tanstack/react-virtual';
import { type FocusEvent, type Key, useCallback, useRef, useState } from 'react';

/**
 * Of a list in which only the rows in view exist: keeps the row that has the focus, wherever the list is scrolled to,
 * with those beside it. Otherwise the focus would go with it, and the keyboard begin at the top of the page again; and
 * the Tab key, held down, would come to the end of the rows before the list has been scrolled. Rows say `data-index`,
 * and are followed by their keys: others may be put before them.
 * @param keyOf must stay the same function while the rows do
 */
export function useFocusedRow(keyOf: (index: number) => Key) {
  const [focused, setFocused] = useState<Key | null>(null);
  const lastIndex = useRef(-1);
  const rangeExtractor = useCallback(
    (range: Range) => {
      const shown = defaultRangeExtractor(range);
      if (focused === null) return shown;
      const at = nearestIndexOf(focused, { keyOf, count: range.count, near: lastIndex.current });
      if (at < 0) return shown;
      lastIndex.current = at;
      const kept = [at - 1, at, at + 1].filter((index) => index >= 0 && index < range.count);
      return [...new Set([...shown, ...kept])].sort((one, other) => one - other);
    },
    [focused, keyOf],
  );
  const onFocus = ({ target }: FocusEvent) => {
    const index = Number(target.closest('[data-index]')?.getAttribute('data-index') ?? -1);
    lastIndex.current = index;
    setFocused(index < 0 ? null : keyOf(index));
  };
  const onBlur = ({ currentTarget, relatedTarget }: FocusEvent) => {
    // On its way to another row the focus is nowhere for a moment, in which that row must not go.
    if (!currentTarget.contains(relatedTarget)) setFocused(null);
  };
  return { rangeExtractor, watch: { onFocus, onBlur } };
}

/** Looks around where it was: few rows come or go at once, and lists are long. */
function nearestIndexOf(
  key: Key,
  { keyOf, count, near }: { keyOf: (index: number) => Key; count: number; near: number },
): number {
  for (let away = 0; away <= Math.max(near, count - near); away += 1) {
    for (const index of [near + away, near - away]) {
      if (index >= 0 && index < count && keyOf(index) === key) return index;
    }
  }
  return -1;
}
