import '../../styles/disk.css';
import { Anchor, Button, Checkbox, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { omitUndefined } from '../../../src-server/platform/omit-undefined.ts';
import { pageQueryOptions, useChange } from '../../api/changes.ts';
import { api, owner, queryIn, useEnvironment } from '../../api/client.ts';
import type { DiskUse } from '../../api/generated/owner.ts';
import type { LibraryItem, LibraryOriginalsRequest } from '../../api/generated/public.ts';
import { type ItemKind, itemsQuery, libraryKey } from '../../api/library.ts';
import type { EnvironmentName } from '../../api/names.ts';
import { modelsQuery } from '../../api/queries.ts';
import { askFirst } from '../../components/confirm.tsx';
import { formatByteCount } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { wordsBy } from '../../components/literals.ts';
import { Failure, Panel, Rows, Skeletons } from '../../components/page-elements.tsx';
import { showToast } from '../../components/toast.tsx';
import { texts } from '../../texts.ts';
import { KIND_LOOKS, KINDS } from '../library/item-words.ts';
import { library } from '../library/texts.ts';
import { useItemChanges } from '../library/use-item-changes.ts';
import { settings } from '../models/texts.ts';
import { anchorOf } from './anchor.ts';
import { disk as t } from './disk-texts.ts';
import { hoursWords } from './kept.tsx';

const LARGEST = 6;

interface Part {
  name: string;
  bytes: number;
  /** Whose stone it has. */
  tone: string;
  /** The way to less. */
  way: ReactNode;
}

type Use = DiskUse['parts'][number];

const diskQuery = (environment: EnvironmentName) =>
  // Measured again when the library changes: originals go only after their covers are drawn.
  pageQueryOptions([...libraryKey(environment), 'disk'], (signal) =>
    owner.GET('/admin/disk', { params: { query: queryIn(environment, {}) }, signal }),
  );

interface Terms {
  deletedDays: number;
  /** How long results of API callers are kept. */
  retentionHours: number;
}

/**
 * What takes room on the disk, by kind and by item, with the way to less.
 * @param terms undefined while they are not known
 */
export function Disk({ terms }: { terms: Terms | undefined }): ReactNode {
  const environment = useEnvironment();
  const use = useQuery(diskQuery(environment));
  const models = useQuery(modelsQuery());
  if (use.isError) return <Failure error={use.error} retry={() => void use.refetch()} />;
  if (use.data === undefined) {
    return (
      <>
        <p className="small dim" role="status">
          {t.measuring}
        </p>
        <Skeletons rows={4} />
      </>
    );
  }
  const unused = models.data?.models.filter(({ installed, lastUsedAt }) => installed && lastUsedAt === null) ?? [];
  return (
    <>
      <Panel title={t.title} about={t.about({ size: formatByteCount(use.data.bytes) })}>
        <Parts parts={use.data.parts.map((one) => presentPart(one, { environment, terms, unused }))} />
      </Panel>
      <Largest deletedDays={terms?.deletedDays} />
    </>
  );
}

interface About {
  environment: EnvironmentName;
  terms: Terms | undefined;
  unused: readonly { sizeBytes: number }[];
}

function presentPart({ part, bytes, originals }: Use, { environment, terms, unused }: About): Part {
  const kind = KINDS.find((one) => one === part);
  if (kind !== undefined) return partOfKind(kind, bytes, originals);
  const other = environment === 'production' ? 'staging' : 'production';
  const name = part === 'otherEnvironment' ? texts.shell.environments[other] : (wordsBy(t.kinds)[part] ?? part);
  return { name, bytes, tone: TONES[part] ?? 'disk-rest', way: wayOf(part, terms, unused) };
}

const TONES: Readonly<Record<string, string>> = {
  models: 'k-other',
  deleted: 'disk-deleted',
  callers: 'disk-callers',
  watches: 'k-crawl',
  search: 'k-search',
};

function wayOf(part: Use['part'], terms: Terms | undefined, unused: About['unused']): ReactNode {
  const unusedBytes = unused.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  switch (part) {
    case 'models':
      return unused.length > 0 ? (
        <Way to="/models">{t.unused({ count: unused.length, size: formatByteCount(unusedBytes) })}</Way>
      ) : null;
    case 'deleted':
      return <Way to="/library/deleted">{t.empty}</Way>;
    case 'callers':
      return terms === undefined ? null : <CallersGo term={hoursWords(terms.retentionHours)} />;
    case 'watches':
      return <Way to="/watches">{t.watchesOf}</Way>;
    default:
      return null;
  }
}

function Way({ to, children }: { to: '/models' | '/library/deleted' | '/watches'; children: ReactNode }) {
  return (
    <Anchor size="xs" renderRoot={(props) => <Link {...props} to={to} />}>
      {children}
    </Anchor>
  );
}

/** Results of callers go by themselves: the way to less is the setting of their term, on this page. */
function CallersGo({ term }: { term: string }) {
  return (
    <Anchor
      size="xs"
      aria-label={t.callersGoOf({ term })}
      renderRoot={(props) => (
        <Link
          {...props}
          to="/settings/$section"
          params={{ section: 'storage' }}
          hash={anchorOf(settings.names.retentionHours ?? '')}
        />
      )}
    >
      {t.callersGo({ term })}
    </Anchor>
  );
}

function partOfKind(kind: ItemKind, bytes: number, originals: number): Part {
  const name = library.kinds[kind];
  return {
    name,
    bytes,
    tone: `k-${KIND_LOOKS[kind].group}`,
    way: (
      <>
        {originals > 0 && <OriginalsOf kind={kind} name={name} bytes={originals} />}
        <LargestOf kind={kind} name={name} />
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
      <ul className="plain-list disk-parts" aria-label={t.title}>
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
