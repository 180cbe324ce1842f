import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { pageQueryOptions, useChange } from '../../api/changes.ts';
import { errorsByField, owner } from '../../api/client.ts';
import type { Places as PlacesView } from '../../api/generated/owner.ts';
import { askFirst } from '../../components/confirm.tsx';
import { FolderField } from '../../components/folder-field.tsx';
import { formatByteCount } from '../../components/format.ts';
import { Failure, Panel, Rows, Skeletons } from '../../components/page-elements.tsx';
import { State } from '../../components/state.tsx';
import { showToast, toastFailure } from '../../components/toast.tsx';
import { serverText } from '../../language/server-texts.ts';
import { texts } from '../../texts.ts';
import { places as t } from './disk-texts.ts';

type Movable = NonNullable<PlacesView['move']>['what'];

const placesQuery = () => pageQueryOptions(['places'], (signal) => owner.GET('/admin/places', { signal }));

const renews = [placesQuery().queryKey];

/** Where data and models live: each folder shown or copied, and moved at the next start. */
export function Places(): ReactNode {
  const places = useQuery(placesQuery());
  const [moving, setMoving] = useState<Movable | null>(null);
  if (places.isError) return <Failure error={places.error} retry={() => void places.refetch()} />;
  if (places.data === undefined) return <Skeletons rows={3} />;
  const { data, models, move, former } = places.data;
  const free = t.free({ free: formatByteCount(data.freeBytes), total: formatByteCount(data.totalBytes) });
  return (
    <Panel title={t.title}>
      <Stack gap="sm" align="stretch">
        <Rows label={t.title}>
          <Place what="data" folder={data.folder} about={free} move={move} onMove={() => setMoving('data')} />
          <Place
            what="models"
            folder={models.folder}
            about={models.isGiven ? t.given : ''}
            move={move}
            missing={models.missing}
            {...(!models.isGiven && { onMove: () => setMoving('models') })}
          />
        </Rows>
        {former.length > 0 && <Former folders={former} />}
      </Stack>
      <Modal
        opened={moving !== null}
        onClose={() => setMoving(null)}
        title={moving === null ? '' : t.ask({ name: t[moving] })}
        size="lg"
      >
        {moving !== null && <MoveForm what={moving} onClose={() => setMoving(null)} />}
      </Modal>
    </Panel>
  );
}

interface PlaceProps {
  what: Movable;
  folder: string;
  about: string;
  move: PlacesView['move'];
  missing?: string | null;
  /** Absent where the folder is fixed. */
  onMove?: () => void;
}

function Place({ what, folder, about, move, missing = null, onMove }: PlaceProps) {
  const name = t[what];
  const asked = move?.what === what ? move : null;
  return (
    <li className="place">
      <span className="grow">
        <b>{name}</b>
        <span className="small break mono">
          <bdi dir="ltr">{folder}</bdi>
        </span>
        {about !== '' && <span className="small dim">{about}</span>}
        {missing !== null && <State tone="bad">{t.missing({ folder: missing })}</State>}
        {asked !== null && <Asked move={asked} />}
      </span>
      <Group gap="xs">
        <ShowFolder folder={folder} name={name} />
        {onMove !== undefined && (
          <Button variant="default" size="sm" aria-label={t.actionOf({ action: t.move, name })} onClick={onMove}>
            {t.move}
          </Button>
        )}
      </Group>
    </li>
  );
}

/** The desktop app opens the file manager; a browser may run on another machine, and copies the path. */
function ShowFolder({ folder, name }: { folder: string; name: string }) {
  const shell = window.quarry;
  const action = shell === undefined ? t.copy : t.show;
  const showFolder = () =>
    shell === undefined
      ? navigator.clipboard.writeText(folder).then(() => showToast({ message: t.copied, icon: 'copy' }))
      : shell.showFolder(folder);
  return (
    <Button
      variant="default"
      size="sm"
      aria-label={t.actionOf({ action, name })}
      onClick={() => void showFolder().catch(toastFailure)}
    >
      {action}
    </Button>
  );
}

function Asked({ move: { to, failure } }: { move: NonNullable<PlacesView['move']> }) {
  const cancel = useChange(() => owner.DELETE('/admin/places/move', {}), { renews });
  return (
    <Stack gap={4} align="flex-start">
      <State tone={failure === null ? 'warn' : 'bad'}>
        {failure === null ? t.waits({ to }) : t.failed({ to, why: serverText(failure) })}
      </State>
      <Button size="compact-sm" variant="default" loading={cancel.isPending} onClick={() => cancel.mutate()}>
        {failure === null ? t.cancel : t.dismiss}
      </Button>
    </Stack>
  );
}

function MoveForm({ what, onClose }: { what: Movable; onClose: () => void }) {
  const [to, setTo] = useState('');
  const ask = useChange((path: string) => owner.POST('/admin/places/move', { body: { what, to: path } }), {
    renews,
    onDone: onClose,
    showsError: true,
  });
  const error = errorsByField(ask.error).to;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        ask.mutate(to.trim());
      }}
    >
      <Stack gap="md">
        <Text size="sm">{t.askAbout}</Text>
        <FolderField
          label={t.path}
          hint={t.pathHint}
          choose={t.choose}
          path={to}
          error={error}
          onChange={(path) => {
            setTo(path);
            ask.reset();
          }}
        />
        {ask.isError && error === undefined && <Failure error={ask.error} />}
        <Group gap="sm">
          <Button type="submit" disabled={to.trim() === ''} loading={ask.isPending}>
            {t.yes}
          </Button>
          <Button variant="subtle" onClick={onClose}>
            {texts.common.cancel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** What moves to other disks left, until it is deleted. */
function Former({ folders }: { folders: readonly string[] }) {
  const remove = useChange(() => owner.DELETE('/admin/places/former', {}), { renews });
  const ask = () =>
    askFirst({
      title: t.deleteFormer,
      about: t.deleteFormerAbout,
      yes: t.deleteFormer,
      no: texts.common.cancel,
      onYes: () => remove.mutate(),
    });
  return (
    <div>
      {folders.map((folder) => (
        <Text key={folder} size="sm" className="break">
          {t.former({ folder })}
        </Text>
      ))}
      <Button mt="xs" size="xs" variant="default" c="var(--q-bad)" loading={remove.isPending} onClick={ask}>
        {t.deleteFormer}
      </Button>
    </div>
  );
}
