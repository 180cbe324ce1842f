import '../../styles/collections.css';
import { ActionIcon, Button, Group, Menu, Modal, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useRouterState } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useChange } from '../../api/changes.ts';
import { api, useEnvironment } from '../../api/client.ts';
import type { LibraryCollection } from '../../api/generated/public.ts';
import { collectionsQuery, libraryKey } from '../../api/library.ts';
import { formatWholeNumber } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { unlessUndone } from '../../components/toast.tsx';
import { collections as t } from './texts.ts';

/** One that is made has no identifier yet. */
type Named = Pick<LibraryCollection, 'name'> & { collectionId: string | null };

/** The collections in the rail: each one click away, renamed and deleted where they stand. */
export function CollectionsNav({ onNavigate }: { onNavigate?: (() => void) | undefined }): ReactNode {
  const environment = useEnvironment();
  const { data: all = [] } = useQuery(collectionsQuery(environment));
  const [going, setGoing] = useState<readonly string[]>([]);
  const [named, setNamed] = useState<Named | null>(null);
  const remove = useRemove((id, isGoing) =>
    setGoing((before) => (isGoing ? [...before, id] : before.filter((one) => one !== id))),
  );
  return (
    <section className="rail-collections" aria-label={t.title}>
      <div className="half">
        <span className="half-name">{t.title}</span>
        <ActionIcon
          size="sm"
          variant="subtle"
          color="gray"
          aria-label={t.make}
          onClick={() => setNamed({ collectionId: null, name: '' })}
        >
          <Icon name="plus" size={14} />
        </ActionIcon>
      </div>
      <ul className="plain-list">
        {all
          .filter(({ collectionId }) => !going.includes(collectionId))
          .map((collection) => (
            <Entry
              key={collection.collectionId}
              collection={collection}
              onNavigate={onNavigate}
              onRename={() => setNamed(collection)}
              onRemove={() => remove(collection)}
            />
          ))}
      </ul>
      <Modal
        opened={named !== null}
        onClose={() => setNamed(null)}
        title={named?.collectionId === null ? t.make : t.rename}
        closeButtonProps={{ 'aria-label': t.close }}
        attributes={{ header: { role: 'presentation' } }}
      >
        {named !== null && <NameForm named={named} onDone={() => setNamed(null)} />}
      </Modal>
    </section>
  );
}

interface EntryProps {
  collection: LibraryCollection;
  onNavigate: (() => void) | undefined;
  onRename: () => void;
  onRemove: () => void;
}

function Entry({ collection, onNavigate, onRename, onRemove }: EntryProps) {
  const { collectionId, name, filter, count } = collection;
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const isHere = path === `/library/c/${collectionId}`;
  return (
    <li className="page-item">
      <Link
        to="/library/c/$collectionId"
        params={{ collectionId }}
        className="page-link"
        title={name}
        aria-current={isHere ? 'page' : undefined}
        onClick={onNavigate}
      >
        {filter === null ? <span className="collection-mark" /> : <Icon name="list-filter" />}
        <span className="page-name truncate">{name}</span>
      </Link>
      <span className="collection-count">{formatWholeNumber(count)}</span>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon className="collection-more" size="sm" variant="subtle" color="gray" aria-label={t.acts({ name })}>
            <Icon name="ellipsis" size={14} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<Icon name="pencil" size={14} />} onClick={onRename}>
            {t.rename}
          </Menu.Item>
          <Menu.Item c="var(--q-bad)" leftSection={<Icon name="trash-2" size={14} />} onClick={onRemove}>
            {t.remove}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </li>
  );
}

function NameForm({ named, onDone }: { named: Named; onDone: () => void }) {
  const environment = useEnvironment();
  const [name, setName] = useState(named.name);
  const save = useChange(
    () => {
      const body = { name };
      if (named.collectionId === null) return api[environment].POST('/library/collections', { body });
      const params = { path: { collectionId: named.collectionId } };
      return api[environment].PATCH('/library/collections/{collectionId}', { params, body });
    },
    { renews: [libraryKey(environment)], showsError: true, onDone },
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() !== '') save.mutate();
      }}
    >
      <TextInput
        label={t.name}
        value={name}
        maxLength={100}
        data-autofocus
        error={save.isError ? save.error.message : undefined}
        onFocus={(event) => event.currentTarget.select()}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Group mt="md">
        <Button type="submit" loading={save.isPending} disabled={name.trim() === ''}>
          {t.save}
        </Button>
      </Group>
    </form>
  );
}

/** Deletes a collection when the time for Undo has passed; until then it is hidden. Its items stay. */
function useRemove(onGoing: (collectionId: string, isGoing: boolean) => void) {
  const environment = useEnvironment();
  const client = useQueryClient();
  const navigate = useNavigate();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  return ({ collectionId, name }: LibraryCollection) => {
    onGoing(collectionId, true);
    if (path === `/library/c/${collectionId}`) void navigate({ to: '/library' });
    unlessUndone({
      id: `collection ${collectionId}`,
      message: t.removing({ name }),
      onUndo: () => onGoing(collectionId, false),
      apply: async () => {
        await api[environment].DELETE('/library/collections/{collectionId}', { params: { path: { collectionId } } });
        await client.invalidateQueries({ queryKey: libraryKey(environment) });
      },
    });
  };
}
