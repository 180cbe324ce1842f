import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { apiPath, errorOf, fetchApi, useEnvironment } from '../../api/client.ts';
import type { LibraryItem } from '../../api/generated/public.ts';
import { clockTime } from '../../components/format.ts';
import { Icon, type IconName } from '../../components/icon.tsx';
import { useObjectUrl } from '../../components/object-url.ts';
import type { Kind } from '../../components/work.ts';
import { home as t } from './texts.ts';

/** The icon of each kind of item, and whose stone it has. */
const LOOKS: Record<LibraryItem['kind'], { icon: IconName; group: Kind }> = {
  document: { icon: 'file-text', group: 'read' },
  talk: { icon: 'captions', group: 'transcribe' },
  page: { icon: 'globe', group: 'crawl' },
  site: { icon: 'globe', group: 'crawl' },
  sound: { icon: 'speech', group: 'speak' },
  text: { icon: 'pen-line', group: 'write' },
};

/** `42 pages`, `48:10`, `240 words`; null where nothing is known. */
function lengthOf({ kind, pages, words, seconds }: LibraryItem): string | null {
  if (seconds !== null && (kind === 'talk' || kind === 'sound')) return clockTime(seconds);
  if (pages !== null && (kind === 'site' || pages > 1)) return t.pages(pages);
  return words === null ? null : t.words(words);
}

/** The file or the address, for people; what was made here has neither. */
function sourceName({ source, title }: LibraryItem): string {
  const address = source.url?.replace(/^https?:\/\/(www\.)?/, '').replace(/\/$/, '');
  const name = source.name ?? address ?? t.made;
  return name === title ? (address ?? '') : name;
}

/** Cover, title and one line. */
export function ItemCard({ item }: { item: LibraryItem }) {
  const { icon, group } = LOOKS[item.kind];
  const { state } = item;
  return (
    <ItemLink item={item}>
      <ItemCover item={item} length={state === 'ready' ? lengthOf(item) : null} />
      <b className="home-title">{item.title}</b>
      <span className={`small home-source k-${group}`} data-state={state}>
        <Icon name={icon} size={14} />
        <span className="truncate">{state === 'ready' ? sourceName(item) : t.states[state]}</span>
      </span>
    </ItemLink>
  );
}

/** What was begun: its cover, where it was left, and how much is left. */
export function BegunCard({ item }: { item: LibraryItem }) {
  const { position, pages, seconds } = item;
  const isHeard = position?.seconds !== undefined;
  return (
    <ItemLink item={item}>
      <ItemCover item={item} length={null} />
      <span className="home-words">
        <b className="home-title">{item.title}</b>
        <span className="small num">
          {isHeard ? clockTime(position.seconds ?? 0) : t.page(position?.page ?? 1, pages)}
        </span>
        {isHeard && seconds !== null && (
          <span className="small dim num">{t.left(clockTime(Math.max(0, seconds - (position.seconds ?? 0))))}</span>
        )}
      </span>
    </ItemLink>
  );
}

function ItemLink({ item: { jobId }, children }: { item: LibraryItem; children: ReactNode }) {
  return (
    <Link to="/jobs/$jobId" params={{ jobId }} className="home-item">
      {children}
    </Link>
  );
}

/** The drawn cover, or a sheet with the first words. It is decoration: the title stands below it. */
function ItemCover({ item, length }: { item: LibraryItem; length: string | null }) {
  const { kind, cover, title, excerpt, peaks, position, pages, seconds } = item;
  const { icon, group } = LOOKS[kind];
  const share = position?.page !== undefined ? position.page / (pages ?? 1) : (position?.seconds ?? 0) / (seconds ?? 1);
  return (
    <span className={`home-cover k-${group}`} aria-hidden="true">
      {cover !== null ? (
        <Picture path={cover} />
      ) : kind === 'sound' && peaks !== null && peaks.length > 0 ? (
        <Shape peaks={peaks} />
      ) : kind === 'sound' || kind === 'talk' ? (
        <span className="home-drawn">
          <Icon name={icon} size={28} />
        </span>
      ) : (
        <span className="home-sheet">
          <b>{title}</b>
          {excerpt}
        </span>
      )}
      {length !== null && <span className="home-length">{length}</span>}
      {position !== null && (
        <span className="home-share">
          <span style={{ width: `${Math.round(Math.min(1, share) * 100)}%` }} />
        </span>
      )}
    </span>
  );
}

/** Its address changes with the version, so it is read once. */
function Picture({ path }: { path: string }) {
  const environment = useEnvironment();
  const drawn = useQuery({
    queryKey: ['cover', environment, path],
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    queryFn: async ({ signal }) => {
      const answer = await fetchApi(apiPath(environment, path), { signal });
      if (!answer.ok) throw await errorOf(answer);
      return answer.blob();
    },
  });
  const url = useObjectUrl(drawn.data);
  return url === null ? null : <img src={url} alt="" width={320} height={240} decoding="async" />;
}

/** Width of one bar of the shape of a sound and the gap after it, in units of the drawing. */
const BAR = 3;

const STEP = 5;

const TALL = 100;

function Shape({ peaks }: { peaks: readonly number[] }) {
  return (
    <svg viewBox={`0 0 ${peaks.length * STEP} ${TALL}`} preserveAspectRatio="none" focusable="false" aria-hidden="true">
      {peaks.map((peak, index) => {
        const height = Math.max(BAR, peak * TALL);
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: bars never move.
            key={index}
            x={index * STEP}
            y={(TALL - height) / 2}
            width={BAR}
            height={height}
            fill="currentColor"
          />
        );
      })}
    </svg>
  );
}
