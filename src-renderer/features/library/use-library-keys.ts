import { useNavigate } from '@tanstack/react-router';
import { type RefObject, useState } from 'react';
import type { LibraryItem } from '../../api/generated/public.ts';
import { type KeyAction, useKeys } from '../../components/keys.ts';
import type { ItemListHandle } from './item-list.tsx';
import type { Selection } from './selection.ts';
import { library } from './texts.ts';
import type { LibraryActs } from './use-library-acts.ts';

interface LibraryKeys {
  items: readonly LibraryItem[];
  selection: Selection;
  handle: RefObject<ItemListHandle | null>;
  reach: (index: number) => void;
  acts: LibraryActs;
  onFilters: () => void;
  onEscape: () => void;
}

const texts = library.keys;

/** The keyboard of the list. Returns the place of its item; -1 while no key was pressed. */
export function useLibraryKeys(list: LibraryKeys): number {
  const { items, selection, handle, reach, acts } = list;
  const [index, setIndex] = useState(-1);
  const navigate = useNavigate();
  const current = Math.min(index, items.length - 1);
  const move = (step: number, ranges = false) => {
    if (items.length === 0) return;
    const next = current < 0 ? 0 : Math.min(items.length - 1, Math.max(0, current + step));
    setIndex(next);
    reach(next + 1);
    handle.current?.show(next);
    if (ranges) selection.choose(items.slice(Math.min(Math.max(current, 0), next), Math.max(current, next) + 1), true);
  };
  const onItem = (act: (item: LibraryItem, at: number) => void) => () => {
    const item = items[current];
    if (item !== undefined) act(item, current);
  };
  /** The chosen items, or the one of the keyboard, which is chosen by that. */
  const onChosen = (act: (items: readonly LibraryItem[]) => void) => () => {
    if (selection.items.length > 0) return act(selection.items);
    onItem((item, at) => {
      selection.chooseAt(at, true, false);
      act([item]);
    })();
  };
  const row = () => handle.current?.columns() ?? 1;
  useKeys([
    listKey('j', texts.next, () => move(1)),
    listKey('k', texts.previous, () => move(-1)),
    listKey('ArrowDown', texts.next, () => move(row())),
    listKey('ArrowUp', texts.previous, () => move(-row())),
    listKey('ArrowRight', texts.right, () => move(1)),
    listKey('ArrowLeft', texts.left, () => move(-1)),
    listKey('Shift ArrowDown', texts.selectDown, () => move(row(), true)),
    listKey('Shift ArrowUp', texts.selectUp, () => move(-row(), true)),
    listKey(
      'Enter',
      texts.open,
      onItem(({ itemId }) => void navigate({ to: '/items/$itemId', params: { itemId } })),
    ),
    listKey(
      'x',
      texts.select,
      onItem(({ itemId }, at) => selection.chooseAt(at, !selection.ids.has(itemId), false)),
    ),
    listKey('Ctrl a', texts.all, acts.selectAll),
    listKey(
      't',
      texts.tag,
      onChosen(() => acts.onPicker('tags')),
    ),
    listKey(
      'o',
      texts.collect,
      onChosen(() => acts.onPicker('collections')),
    ),
    listKey('e', texts.export, onChosen(acts.exportItems)),
    listKey('l', texts.listen, onChosen(acts.listen)),
    listKey('F2', texts.rename, onItem(acts.rename)),
    listKey('Delete', texts.remove, onChosen(acts.remove)),
    listKey('f', texts.filters, list.onFilters),
    listKey('Escape', texts.clear, list.onEscape),
  ]);
  return current;
}

function listKey(keys: string, name: string, run: () => void): KeyAction {
  return { keys, name, group: 'list', run };
}
