import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { omitUndefined } from '../../../src-server/platform/omit-undefined.ts';
import { api, useEnvironment } from '../../api/client.ts';
import type { LibraryItem, LibraryManyChange } from '../../api/generated/public.ts';
import { libraryKey } from '../../api/library.ts';
import type { EnvironmentName } from '../../api/names.ts';
import type { IconName } from '../../components/icon.tsx';
import { showToast, toastFailure } from '../../components/toast.tsx';
import { library as texts } from './texts.ts';

type Change = Omit<LibraryManyChange, 'items' | 'filter'>;

interface Told {
  message: string;
  icon?: IconName;
  /** Takes the change back. */
  undo?: { items: readonly LibraryItem[]; change: Change };
}

type ChangeItems = (items: readonly LibraryItem[], change: Change, told: Told) => Promise<void>;

/** Changes of one item or many, told after they are made, with Undo. */
export function useItemChanges() {
  const environment = useEnvironment();
  const client = useQueryClient();
  return useMemo(() => {
    const renew = () => client.invalidateQueries({ queryKey: libraryKey(environment) });
    const send = async (items: readonly LibraryItem[], change: Change) => {
      if (items.length === 0) return;
      const body = { items: items.map(({ itemId }) => itemId), ...change };
      await api[environment].POST('/library/changes', { body });
      await renew();
    };
    const changeItems: ChangeItems = async (items, change, { message, icon, undo }) => {
      try {
        await send(items, change);
        const onUndo = undo && (() => void send(undo.items, undo.change).catch(toastFailure));
        showToast({ message, ...omitUndefined({ icon, onUndo }) });
      } catch (error) {
        toastFailure(error);
      }
    };
    return { ...changesBy(changeItems), ...changesIn(environment, changeItems, renew) };
  }, [environment, client]);
}

/** Changes with Undo. */
function changesBy(changeItems: ChangeItems) {
  return {
    setTag: (all: readonly LibraryItem[], tag: string, wanted: boolean) => {
      const items = all.filter(({ tags }) => tags.includes(tag) !== wanted);
      const [add, remove]: Change[] = [{ addTags: [tag] }, { removeTags: [tag] }];
      const [change = {}, back = {}] = wanted ? [add, remove] : [remove, add];
      const message = wanted ? texts.pick.tagged({ tag }) : texts.pick.untagged({ tag });
      return changeItems(items, change, { message, icon: 'tag', undo: { items, change: back } });
    },
    setCollection: (all: readonly LibraryItem[], id: string, name: string, wanted: boolean) => {
      const items = all.filter(({ collections }) => collections.includes(id) !== wanted);
      const [add, remove]: Change[] = [{ addTo: [id] }, { removeFrom: [id] }];
      const [change = {}, back = {}] = wanted ? [add, remove] : [remove, add];
      const message = wanted ? texts.pick.collected({ name }) : texts.pick.uncollected({ name });
      return changeItems(items, change, { message, icon: 'folder-plus', undo: { items, change: back } });
    },
    remove: (items: readonly LibraryItem[]) =>
      changeItems(
        items,
        { deleted: true },
        {
          message: texts.bulk.removed({ count: items.length }),
          icon: 'trash-2',
          undo: { items, change: { deleted: false } },
        },
      ),
    bringBack: (items: readonly LibraryItem[]) =>
      changeItems(
        items,
        { deleted: false },
        { message: texts.deleted.backAbout({ count: items.length }), undo: { items, change: { deleted: true } } },
      ),
  };
}

/** Changes that cannot be undone, or make something new. */
function changesIn(environment: EnvironmentName, changeItems: ChangeItems, renew: () => Promise<void>) {
  return {
    /** Removes items for good. */
    removeNow: async (items: readonly LibraryItem[]) => {
      try {
        for (const { itemId } of items) {
          const params = { path: { itemId }, query: { now: 'true' as const } };
          await api[environment].DELETE('/library/items/{itemId}', { params });
        }
        showToast({ message: texts.deleted.gone({ count: items.length }), icon: 'trash-2' });
      } catch (error) {
        toastFailure(error);
      }
      await renew();
    },
    /** Makes a collection, by hand unless it has a filter. */
    makeCollection: async (name: string, items: readonly LibraryItem[]) => {
      try {
        const { data } = await api[environment].POST('/library/collections', { body: { name } });
        if (data === undefined) return;
        await changeItems(items, { addTo: [data.collectionId] }, { message: texts.pick.collected({ name }) });
      } catch (error) {
        toastFailure(error);
      }
    },
  };
}
