import { Button, Pill } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { adminPath, errorOf, fetchApi, useEnvironment } from '../../api/client.ts';
import type { LibraryItem, SearchHit } from '../../api/generated/public.ts';
import { clockTime, formatWholeNumber, fullTime, joinTexts } from '../../components/format.ts';
import { useObjectUrl } from '../../components/object-url.ts';
import { Cover } from '../library/cover.tsx';
import { lengthOf } from '../library/item-words.ts';
import { search as t } from './texts.ts';

/** A place of an item that is looked at before it is opened. */
export interface ShownPlace {
  item: LibraryItem;
  hit: SearchHit | undefined;
}

interface PlacePreviewProps {
  shown: ShownPlace;
  /** Names of collections by identifier. */
  names: ReadonlyMap<string, string>;
}

/** Pages that are passed by draw no picture. */
const SETTLE_MS = 150;

/** What a place looks like: the page of the hit, or the cover of its item; and what is known of that. */
export function PlacePreview({ shown: { item, hit }, names }: PlacePreviewProps): ReactNode {
  const { itemId, addedAt, tags, collections } = item;
  const isPaged = hit !== undefined && hit.startSeconds === undefined && isPdf(item);
  const named = collections.flatMap((id) => names.get(id) ?? []);
  return (
    <aside className="search-place" aria-label={t.preview}>
      <div className="search-place-head">
        <b className="grow num">{hit === undefined ? item.title : placeWords(item, hit)}</b>
        <Button
          size="compact-sm"
          variant="default"
          renderRoot={(props) => (
            <Link
              {...props}
              to="/items/$itemId"
              params={{ itemId }}
              search={hit === undefined ? {} : { chunk: hit.chunkId }}
            />
          )}
        >
          {t.openHere}
        </Button>
      </div>
      {isPaged ? <PagePicture item={item} page={hit.page} /> : <Cover item={item} length={lengthOf(item)} />}
      <dl className="search-place-facts">
        <dt>{t.facts.added}</dt>
        <dd>{fullTime(addedAt)}</dd>
        {named.length > 0 && (
          <>
            <dt>{t.facts.in}</dt>
            <dd>{joinTexts(named)}</dd>
          </>
        )}
        {tags.length > 0 && (
          <>
            <dt>{t.facts.tags}</dt>
            <dd>
              {tags.map((tag) => (
                <Pill key={tag} size="sm">
                  {tag}
                </Pill>
              ))}
            </dd>
          </>
        )}
      </dl>
    </aside>
  );
}

function isPdf({ kind, source: { name, url } }: LibraryItem): boolean {
  return kind === 'document' && /\.pdf$/i.test(name ?? url?.replace(/[?#].*$/, '') ?? '');
}

/** `Page 4 of 42`, `12:21`, or the heading of a page of a site. */
function placeWords({ pages }: LibraryItem, { startSeconds, url, page, heading }: SearchHit): string {
  if (startSeconds !== undefined) return clockTime(startSeconds);
  if (url !== null) return heading ?? url;
  const shown = formatWholeNumber(page);
  return pages === null ? t.page({ page: shown }) : t.pageOf({ page: shown, pages: formatWholeNumber(pages) });
}

function PagePicture({ item, page: wanted }: { item: LibraryItem; page: number }) {
  const environment = useEnvironment();
  const [page, setPage] = useState(wanted);
  useEffect(() => {
    const timer = setTimeout(() => setPage(wanted), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [wanted]);
  const { jobId } = item;
  const drawn = useQuery({
    queryKey: ['pages', environment, jobId, page],
    queryFn: async ({ signal }) => {
      const answer = await fetchApi(adminPath(environment, `/jobs/${jobId}/pages/${page}`), { signal });
      if (!answer.ok) throw await errorOf(answer);
      return { picture: await answer.blob(), pages: Number(answer.headers.get('x-pages')) };
    },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const url = useObjectUrl(drawn.data?.picture);
  if (drawn.isError) return <Cover item={item} length={lengthOf(item)} />;
  return url === null ? (
    <div className="search-page" />
  ) : (
    <img className="search-page" src={url} alt={t.pageAlt({ page })} />
  );
}
