import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useEnvironment } from '../../api/client.ts';
import type { LibraryFound, LibraryItem, SearchHit } from '../../api/generated/public.ts';
import { serverNow } from '../../api/server-time.ts';
import { foreignText } from '../../components/foreign-text.ts';
import { clockTime, formatWholeNumber, joinTexts, shortDate } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { texts } from '../../texts.ts';
import { Cover } from '../library/cover.tsx';
import { KIND_LOOKS, lengthOf, sourceName } from '../library/item-words.ts';
import { type FoundQuery, placesQuery } from './found-query.ts';
import type { ShownPlace } from './place-preview.tsx';
import { search as t } from './texts.ts';

interface FoundItemProps {
  found: LibraryFound['items'][number];
  query: FoundQuery;
  /** A place is looked at, by mouse or keyboard. */
  onShow: (place: ShownPlace) => void;
}

/** One item once: its cover, title and day, and the places with the words. */
export function FoundItem({ found: { item, places, count, copies }, query, onShow }: FoundItemProps): ReactNode {
  const { itemId, kind, title, addedAt } = item;
  const [isWhole, setWhole] = useState(false);
  const all = useQuery({ ...placesQuery(useEnvironment(), query, itemId), enabled: isWhole });
  const shown = all.data ?? places;
  const hidden = count - shown.length;
  return (
    <article className="found" aria-label={title}>
      <Link to="/items/$itemId" params={{ itemId }} tabIndex={-1} aria-hidden="true" className="found-cover">
        <Cover item={item} length={lengthOf(item)} />
      </Link>
      <div className="found-words">
        <div className="hit-head">
          <Link to="/items/$itemId" params={{ itemId }} className="found-title" {...foreignText(item.language)}>
            {title}
          </Link>
          <span className={`found-kind k-${KIND_LOOKS[kind].group}`}>
            <Icon name={KIND_LOOKS[kind].icon} size={14} />
          </span>
          <span className="small dim nowrap">{shortDate(addedAt, serverNow())}</span>
          <bdi className="small dim truncate">{sourceName(item)}</bdi>
        </div>
        {shown.length > 0 && (
          <ul className="plain-list found-places">
            {shown.map((hit) => (
              <li key={hit.chunkId}>
                <Place item={item} hit={hit} onShow={onShow} />
              </li>
            ))}
          </ul>
        )}
        {hidden > 0 && !isWhole && (
          <button type="button" className="link-button small" onClick={() => setWhole(true)}>
            {t.morePlaces({ count: hidden })}
          </button>
        )}
        {hidden > 0 && all.data !== undefined && (
          <p className="small dim">{t.notShown({ count: formatWholeNumber(hidden) })}</p>
        )}
        {copies.length > 0 && <Copies items={copies} />}
      </div>
    </article>
  );
}

/** Items with the same text, which the list leaves out: how many, and which. */
function Copies({ items }: { items: readonly LibraryItem[] }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="small dim found-copies">
      {t.copies({ count: items.length })}{' '}
      {!isOpen && (
        <button type="button" className="link-button" onClick={() => setOpen(true)}>
          {t.showCopies}
        </button>
      )}
      {isOpen && (
        <ul className="plain-list">
          {items.map((item) => (
            <li key={item.itemId}>
              <Link to="/items/$itemId" params={{ itemId: item.itemId }} {...foreignText(item.language)}>
                {item.title}
              </Link>{' '}
              {shortDate(item.addedAt, serverNow())} <bdi>{sourceName(item)}</bdi>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

interface PlaceProps extends Pick<FoundItemProps, 'onShow'> {
  item: LibraryItem;
  hit: SearchHit;
}

function Place({ item, hit, onShow }: PlaceProps) {
  const { itemId } = item;
  const { chunkId, kind, originalText } = hit;
  const place = placeOf(hit);
  const show = () => onShow({ item, hit });
  const looked = { onMouseEnter: show, onFocus: show };
  const notes = [
    kind !== 'text' && (texts.common.chunkKinds[kind] ?? kind),
    originalText !== undefined && t.corrected,
  ].filter((note) => note !== false);
  return (
    <Link to="/items/$itemId" params={{ itemId }} search={{ chunk: chunkId }} className="found-place" {...looked}>
      <b className="num">{place}</b>
      <span className="hit-text" dir="auto">
        <span lang={foreignText(item.language).lang}>{withHighlights(hit)}</span>
        {notes.length > 0 && <span className="small dim"> {joinTexts(notes)}</span>}
      </span>
    </Link>
  );
}

/** Where in its item a place is: a second, a page of a site by its heading, or the page of a document. */
function placeOf({ startSeconds, url, page, heading }: SearchHit): string {
  if (startSeconds !== undefined) return clockTime(startSeconds);
  if (url !== null) return heading ?? shortUrl(url);
  return t.page({ page: formatWholeNumber(page) });
}

/** `tidemills.example/notes` of an address. */
function shortUrl(url: string): string {
  return url.replace(/^https?:\/\/(?:www\.)?/, '').replace(/\/$/, '');
}

function withHighlights({ snippet, highlights }: SearchHit) {
  let at = 0;
  const parts = [...highlights]
    .sort((one, other) => one.start - other.start)
    .flatMap(({ start, end }) => {
      const before = snippet.slice(at, start);
      at = end;
      return [before, <mark key={start}>{snippet.slice(start, end)}</mark>];
    });
  return [...parts, snippet.slice(at)];
}
