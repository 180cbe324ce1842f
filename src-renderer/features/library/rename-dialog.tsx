import { Button, Group, Modal, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { omitUndefined } from '../../../src-server/platform/omit-undefined.ts';
import { useChange } from '../../api/changes.ts';
import { api, useEnvironment } from '../../api/client.ts';
import type { LibraryItem } from '../../api/generated/public.ts';
import { libraryKey } from '../../api/library.ts';
import { library as texts } from './texts.ts';

/** The longest title. */
export const TITLE_MAX = 500;

/** Gives an item a title; null takes that of its source again. */
export function useRename(itemId: string, onDone?: () => void) {
  const environment = useEnvironment();
  return useChange(
    (title: string | null) =>
      api[environment].PATCH('/library/items/{itemId}', { params: { path: { itemId } }, body: { title } }),
    { renews: [libraryKey(environment)], ...omitUndefined({ onDone }) },
  );
}

/** Renames an item of a list. */
export function RenameDialog({ item, onClose }: { item: LibraryItem | null; onClose: () => void }): ReactNode {
  return (
    <Modal opened={item !== null} onClose={onClose} title={texts.rename.title}>
      {item !== null && <RenameForm item={item} onClose={onClose} />}
    </Modal>
  );
}

function RenameForm({ item, onClose }: { item: LibraryItem; onClose: () => void }) {
  const [title, setTitle] = useState(item.title);
  const rename = useRename(item.itemId, onClose);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (title.trim() !== '') rename.mutate(title);
      }}
    >
      <TextInput
        label={texts.rename.label}
        value={title}
        maxLength={TITLE_MAX}
        data-autofocus
        onFocus={(event) => event.currentTarget.select()}
        onChange={(event) => setTitle(event.currentTarget.value)}
      />
      <Group mt="md" gap="sm">
        <Button type="submit" loading={rename.isPending} disabled={title.trim() === ''}>
          {texts.rename.save}
        </Button>
        {item.titleGiven && (
          <Button variant="subtle" onClick={() => rename.mutate(null)}>
            {texts.rename.found}
          </Button>
        )}
      </Group>
    </form>
  );
}
