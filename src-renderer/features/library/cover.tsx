import '../../styles/covers.css';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { apiPath, errorOf, fetchApi, useEnvironment } from '../../api/client.ts';
import type { LibraryItem } from '../../api/generated/public.ts';
import { Icon } from '../../components/icon.tsx';
import { useObjectUrl } from '../../components/object-url.ts';
import { KIND_LOOKS, shareRead, sourceName } from './item-words.ts';

/** Covers that pass by while the list scrolls load no picture. */
const SETTLE_MS = 120;

interface CoverProps {
  item: LibraryItem;
  /** Over the picture: `42 p`. */
  length?: string | null;
  small?: boolean;
}

/**
 * The picture of an item: its drawn cover, its first lines, or the shape of its sound. It is decoration: the title
 * stands beside it.
 */
export function Cover({ item, length = null, small = false }: CoverProps): ReactNode {
  const { group, icon } = KIND_LOOKS[item.kind];
  const share = small ? null : shareRead(item);
  const drawn = small ? <SmallCover item={item} /> : <Drawn item={item} />;
  return (
    <span className={`${small ? 'thumb' : 'cover'} k-${group}`} data-kind={item.kind} aria-hidden="true">
      {item.cover === null ? drawn : <Picture path={item.cover} meanwhile={drawn} />}
      {item.cover !== null && !small && isWeb(item) && <bdi className="cover-host">{sourceName(item)}</bdi>}
      {item.state !== 'ready' && !small && (
        <span className="cover-state">
          <Icon name={item.state === 'failed' ? 'file-x' : icon} size={20} />
        </span>
      )}
      {length !== null && item.state === 'ready' && <span className="cover-length">{length}</span>}
      {share !== null && (
        <span className="cover-read">
          <span className="cover-share" style={{ width: `${Math.round(share * 100)}%` }} />
        </span>
      )}
    </span>
  );
}

/** The drawn cover. Its address changes with the version, so it is read once. */
function Picture({ path, meanwhile }: { path: string; meanwhile: ReactNode }) {
  const environment = useEnvironment();
  const [settled, setSettled] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(true), SETTLE_MS);
    return () => clearTimeout(timer);
  }, []);
  const picture = useQuery({
    queryKey: ['cover', environment, path],
    enabled: settled,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    queryFn: async ({ signal }) => {
      const answer = await fetchApi(apiPath(environment, path), { signal });
      if (!answer.ok) throw await errorOf(answer);
      return answer.blob();
    },
  });
  const url = useObjectUrl(picture.data);
  if (url !== null) return <img className="cover-picture" src={url} alt="" width={320} height={240} decoding="async" />;
  return picture.isError ? meanwhile : null;
}

function SmallCover({ item: { kind } }: { item: LibraryItem }) {
  return (
    <span className="cover-icon">
      <Icon name={KIND_LOOKS[kind].icon} size={14} />
    </span>
  );
}

function isWeb({ kind }: LibraryItem): boolean {
  return kind === 'site' || kind === 'page';
}

/** The title and the first lines as the kind of thing they are: a sheet of paper, a window, a slide, a sound. */
function Drawn({ item }: { item: LibraryItem }) {
  const { kind, title, excerpt, peaks } = item;
  if (peaks !== null && peaks.length > 0) return <Shape peaks={peaks} />;
  if (kind === 'sound') {
    return (
      <span className="cover-icon">
        <Icon name={KIND_LOOKS[kind].icon} size={28} />
      </span>
    );
  }
  return (
    <span className="cover-sheet">
      {isWeb(item) && <bdi className="cover-bar">{sourceName(item)}</bdi>}
      <span className="cover-title">{title}</span>
      {excerpt !== null && kind !== 'talk' && <span className="cover-lines">{linesOf(excerpt, title)}</span>}
    </span>
  );
}

/** The title stands above already. */
function linesOf(excerpt: string, title: string): string {
  return excerpt.startsWith(title) ? excerpt.slice(title.length).replace(/^[\s\p{P}]+/u, '') : excerpt;
}

/** Bars from the middle of the picture, in its own coordinates. */
const SHAPE = { width: 320, height: 240, margin: 24, tallest: 130, gap: 1.5 };

function Shape({ peaks }: { peaks: readonly number[] }) {
  const { width, height, margin, tallest, gap } = SHAPE;
  const step = (width - 2 * margin) / peaks.length;
  return (
    <svg className="cover-shape" viewBox={`0 0 ${width} ${height}`} focusable="false" aria-hidden="true">
      {peaks.map((peak, index) => {
        const tall = Math.max(3, peak * tallest);
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: peaks are identified by position only.
            key={index}
            x={margin + index * step}
            y={(height - tall) / 2}
            width={Math.max(1, step - gap)}
            height={tall}
            rx={1}
          />
        );
      })}
    </svg>
  );
}
