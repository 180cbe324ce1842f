import { defaultRangeExtractor, type Range } from '@tanstack/react-virtual';
import { type FocusEvent, useCallback, useState } from 'react';

/**
 * Of a list in which only the rows in view exist: keeps the row that has the focus, wherever the list is scrolled to,
 * with those beside it. Otherwise the focus would go with it, and the keyboard begin at the top of the page again; and
 * the Tab key, held down, would come to the end of the rows before the list has been scrolled. Rows say `data-index`.
 */
export function useFocusedRow() {
  const [focused, setFocused] = useState(-1);
  const rangeExtractor = useCallback(
    (range: Range) => {
      const shown = defaultRangeExtractor(range);
      if (focused < 0) return shown;
      const kept = [focused - 1, focused, focused + 1].filter((index) => index >= 0 && index < range.count);
      return [...new Set([...shown, ...kept])].sort((one, other) => one - other);
    },
    [focused],
  );
  const onFocus = ({ target }: FocusEvent) =>
    setFocused(Number(target.closest('[data-index]')?.getAttribute('data-index') ?? -1));
  const onBlur = ({ currentTarget, relatedTarget }: FocusEvent) => {
    // On its way to another row the focus is nowhere for a moment, in which that row must not go.
    if (!currentTarget.contains(relatedTarget)) setFocused(-1);
  };
  return { rangeExtractor, watch: { onFocus, onBlur } };
}
