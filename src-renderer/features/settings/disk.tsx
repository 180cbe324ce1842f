import '../../styles/disk.css';
import { Anchor, Button, Checkbox, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { omitUndefined } from '../../../src-server/platform/omit-undefined.ts';
import { useChange } from '../../api/changes.ts';
import { api, useEnvironment } from '../../api/client.ts';
import type { LibraryCounts, LibraryItem, LibraryOriginalsRequest } from '../../api/generated/public.ts';
import { type ItemKind, itemCountsQuery, itemsQuery, libraryKey } from '../../api/library.ts';
import { modelsQuery } from '../../api/queries.ts';
import { askFirst } from '../../components/confirm.tsx';
import { formatByteCount } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { Failure, Panel, Rows, Skeletons } from '../../components/page-elements.tsx';
import { showToast } from '../../components/toast.tsx';
import { KIND_LOOKS, KINDS } from '../library/item-words.ts';
import { library } from '../library/texts.ts';
import { useItemChanges } from '../library/use-item-changes.ts';
import { disk as t } from './disk-texts.ts';

const LARGEST = 6;

interface Part {
  name: string;
  bytes: number;
  /** Whose stone it has. */
  tone: string;
  /** The way to less. */
  way: ReactNode;
}

/**
 * What takes room on the disk, by kind and by item, with the way to less.
 * @param deletedDays days that deleted items stay; undefined while they are not known
 */
export function Disk({ deletedDays }: { deletedDays: number | undefined }): ReactNode {
  const environment = useEnvironment();
  const counts = useQuery(itemCountsQuery(environment, {}));
  const deleted = useQuery(itemCountsQuery(environment, {}, true));
  const models = useQuery(modelsQuery());
  if (counts.isError) return <Failure error={counts.error} retry={() => void counts.refetch()} />;
  if (counts.data === undefined) return <Skeletons rows={4} />;
  const installed = models.data?.models.filter((model) => model.installed) ?? [];
  const unused = installed.filter(({ lastUsedAt }) => lastUsedAt === null);
  const sizeOf = (some: typeof installed) => some.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const parts: Part[] = [
    ...counts.data.sizes.map(partOfKind),
    {
      name: t.models,
      bytes: sizeOf(installed),
      tone: 'k-other',
      way: unused.length > 0 && (
        <Anchor size="xs" renderRoot={(props) => <Link {...props} to="/models" />}>
          {t.unused({ count: unused.length, size: formatByteCount(sizeOf(unused)) })}
        </Anchor>
      ),
    },
    {
      name: t.deleted,
      bytes: deleted.data?.bytes ?? 0,
      tone: 'disk-deleted',
      way: (
        <Anchor size="xs" renderRoot={(props) => <Link {...props} to="/library/deleted" />}>
          {t.empty}
        </Anchor>
      ),
    },
  ];
  return (
    <>
      <Panel title={t.title} about={t.about}>
        <Parts parts={parts.filter(({ bytes }) => bytes > 0)} />
      </Panel>
      <Largest deletedDays={deletedDays} />
    </>
  );
}

function partOfKind({ value: kind, bytes, originals }: LibraryCounts['sizes'][number]): Part {
  const known = KINDS.find((one) => one === kind);
  const name = t.kind(kind);
  return {
    name,
    bytes,
    tone: known === undefined ? 'k-other' : `k-${KIND_LOOKS[known].group}`,
    way: known !== undefined && (
      <>
        {originals > 0 && <OriginalsOf kind={known} name={name} bytes={originals} />}
        <LargestOf kind={known} name={name} />
      </>
    ),
  };
}

/** “37 GB are originals. Make smaller”. */
function OriginalsOf({ kind, name, bytes }: { kind: ItemKind; name: string; bytes: number }) {
  const removal = useOriginalsRemoval();
  const size = formatByteCount(bytes);
  return (
    <span>
      {t.originals({ size })}{' '}
      <Anchor
        component="button"
        type="button"
        size="xs"
        aria-label={t.smallerOf({ kind: name })}
        onClick={() => removal.ask({ filter: { kind } }, { size, items: name })}
      >
        {t.smaller}
      </Anchor>
    </span>
  );
}

/** Asks, and then removes original files for good. */
function useOriginalsRemoval() {
  const environment = useEnvironment();
  const removal = useChange(
    (body: LibraryOriginalsRequest) => api[environment].POST('/library/originals/removal', { body }),
    {
      renews: [libraryKey(environment)],
      onDone: (done) => showToast({ message: t.freed({ size: formatByteCount(done?.bytes ?? 0) }), icon: 'trash-2' }),
    },
  );
  const ask = (body: LibraryOriginalsRequest, { size, items }: { size: string; items: string }) =>
    askFirst({
      title: t.smallerTitle({ size }),
      about: t.smallerAbout({ items }),
      yes: t.smallerNow,
      no: library.rename.keep,
      onYes: () => removal.mutate(body),
    });
  return { ask };
}

function LargestOf({ kind, name }: { kind: ItemKind; name: string }) {
  return (
    <Anchor
      size="xs"
      aria-label={t.largestOf({ kind: name })}
      renderRoot={(props) => <Link {...props} to="/library" search={{ kind, sort: 'size', view: 'list' }} />}
    >
      {t.largestFirst}
    </Anchor>
  );
}

function Parts({ parts }: { parts: readonly Part[] }) {
  const all = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  if (all === 0) return <p className="dim">{t.none}</p>;
  return (
    <>
      <div className="room-bar" aria-hidden="true">
        {parts.map(({ name, bytes, tone }) => (
          <span key={name} className={tone} style={{ flexGrow: bytes / all }} />
        ))}
      </div>
      <ul className="plain-list disk-parts">
        {parts.map(({ name, bytes, tone, way }) => (
          <li key={name}>
            <span className={`disk-mark ${tone}`} />
            <span className="grow">
              {name}
              <span className="disk-way">{way}</span>
            </span>
            <b className="num">{formatByteCount(bytes)}</b>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The items that take most, chosen and deleted here, with Undo. */
function Largest({ deletedDays }: { deletedDays: number | undefined }) {
  const environment = useEnvironment();
  const listed = useQuery(itemsQuery(environment, { filter: {}, sort: 'size' }, 0));
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const changes = useItemChanges();
  const removal = useOriginalsRemoval();
  const items = (listed.data?.items ?? []).slice(0, LARGEST);
  if (items.length === 0) return null;
  const some = items.filter(({ itemId }) => chosen.has(itemId));
  const bytes = some.reduce((sum, item) => sum + (item.bytes ?? 0), 0);
  const withOriginal = some.filter(({ originalBytes }) => originalBytes > 0);
  const originals = formatByteCount(withOriginal.reduce((sum, { originalBytes }) => sum + originalBytes, 0));
  const choose = (itemId: string) =>
    setChosen(new Set(chosen.has(itemId) ? [...chosen].filter((one) => one !== itemId) : [...chosen, itemId]));
  return (
    <Panel
      title={t.largest}
      {...omitUndefined({ about: deletedDays === undefined ? undefined : t.largestAbout({ days: deletedDays }) })}
      aside={
        <Anchor
          size="sm"
          renderRoot={(props) => <Link {...props} to="/library" search={{ sort: 'size', view: 'list' }} />}
        >
          {t.all}
        </Anchor>
      }
    >
      <Rows label={t.largest}>
        {items.map((item) => (
          <LargeItem key={item.itemId} item={item} isChosen={chosen.has(item.itemId)} onChoose={choose} />
        ))}
      </Rows>
      <Group mt="sm" gap="sm">
        <Button
          variant="default"
          c="var(--q-bad)"
          leftSection={<Icon name="trash-2" />}
          disabled={some.length === 0}
          onClick={() => void changes.remove(some).then(() => setChosen(new Set()))}
        >
          {some.length === 0 ? t.freeNone : t.free({ count: some.length, size: formatByteCount(bytes) })}
        </Button>
        {withOriginal.length > 0 && (
          <Button
            variant="default"
            onClick={() =>
              removal.ask(
                { items: withOriginal.map(({ itemId }) => itemId) },
                { size: originals, items: library.items({ count: withOriginal.length }) },
              )
            }
          >
            {t.smallerSome({ size: originals })}
          </Button>
        )}
      </Group>
    </Panel>
  );
}

interface LargeItemProps {
  item: LibraryItem;
  isChosen: boolean;
  onChoose: (itemId: string) => void;
}

function LargeItem({ item: { itemId, title, kind, versions, bytes }, isChosen, onChoose }: LargeItemProps) {
  return (
    <li>
      <Checkbox aria-label={t.choose({ title })} checked={isChosen} onChange={() => onChoose(itemId)} />
      <span className={`disk-kind k-${KIND_LOOKS[kind].group}`}>
        <Icon name={KIND_LOOKS[kind].icon} size={14} />
      </span>
      <Link to="/items/$itemId" params={{ itemId }} className="row-link truncate grow">
        {title}
      </Link>
      {versions > 1 && <span className="small dim nowrap">{t.versions({ count: versions })}</span>}
      <b className="num nowrap">{formatByteCount(bytes ?? 0)}</b>
    </li>
  );
}
