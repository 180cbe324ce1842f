import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useEnvironment } from '../../api/client.ts';
import type { LibraryItem } from '../../api/generated/public.ts';
import type { ItemFilter } from '../../api/library.ts';
import { notify } from '../../components/notify.ts';
import { toastFailure } from '../../components/toast.tsx';
import { setPlaylist } from '../listen/playlist.ts';
import { canListen } from './item-words.ts';
import { gatherItems, SELECTION_MAX, type Selection, useSelection } from './selection.ts';
import { library as texts } from './texts.ts';
import { useItemChanges } from './use-item-changes.ts';

/** Tags, or collections, of the chosen items. */
export type Picker = 'tags' | 'collections' | null;

type Some = readonly LibraryItem[];

export interface LibraryActs {
  selection: Selection;
  /** The place of an item in the list; -1 for all that match. */
  onSelect: (index: number, chosen: boolean, range: boolean) => void;
  selectAll: () => void;
  /** Reads all items that match. */
  gather: (then: (items: Some) => void) => void;
  picker: Picker;
  onPicker: (picker: Picker) => void;
  exported: Some;
  exportItems: (items: Some) => void;
  renamed: LibraryItem | null;
  rename: (item: LibraryItem | null) => void;
  remove: (items: Some) => void;
  /** Reads items aloud, one after the other. */
  listen: (items: Some) => void;
}

interface Listed {
  items: Some;
  filter: ItemFilter;
  deleted: boolean;
}

const NOTHING: Some = [];

/** What can be done with the items of a list, and which of them are chosen. */
export function useLibraryActs({ items, filter, deleted }: Listed): LibraryActs {
  const environment = useEnvironment();
  const selection = useSelection(items);
  const changes = useItemChanges();
  const [picker, onPicker] = useState<Picker>(null);
  const [exported, exportItems] = useState(NOTHING);
  const [renamed, rename] = useState<LibraryItem | null>(null);
  const gather = (then: (items: Some) => void) => {
    void gatherItems(environment, filter, deleted).then((all) => {
      if (all.total > SELECTION_MAX) notify({ message: texts.bulk.most({ count: SELECTION_MAX }) });
      then(all.items);
    }, toastFailure);
  };
  const navigate = useNavigate();
  const listen = (some: Some) => {
    const heard = some.filter(canListen);
    const [first] = heard;
    if (first === undefined) return notify({ message: texts.bulk.listenNone });
    setPlaylist(heard);
    void navigate({ to: '/items/$itemId', params: { itemId: first.itemId }, search: { listen: true } });
  };
  const selectAll = () => gather((found) => selection.choose(found, true));
  return {
    selection,
    gather,
    selectAll,
    picker,
    onPicker,
    exported,
    exportItems,
    renamed,
    rename,
    onSelect: (index, chosen, range) => {
      if (index >= 0) selection.chooseAt(index, chosen, range);
      else if (chosen) selectAll();
      else selection.clear();
    },
    listen,
    remove: (some) => void changes.remove(some).then(selection.clear),
  };
}
