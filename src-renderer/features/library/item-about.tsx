import { Anchor, Button, Radio } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { pageQueryOptions } from '../../api/changes.ts';
import { api, useEnvironment } from '../../api/client.ts';
import type { LibraryItem, LibraryVersion } from '../../api/generated/public.ts';
import { collectionsQuery } from '../../api/library.ts';
import { FRESH_MS } from '../../api/queries.ts';
import { formatByteCount, fullTime, joinTexts } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { Facts, HIDDEN_LABEL, Time } from '../../components/page-elements.tsx';
import { Cover } from './cover.tsx';
import { lengthOf, sourceName } from './item-words.ts';
import { LanguagePicker } from './language-picker.tsx';
import { library, item as texts } from './texts.ts';

interface ItemAboutProps {
  item: LibraryItem;
  versions: readonly LibraryVersion[];
  /** Names of its collections. */
  collections: readonly string[];
  /** The version on the page. */
  shown: number;
  onShow: (version: number) => void;
}

/** Where an item comes from, and its readings. */
export function ItemAbout({ item, versions, collections, shown, onShow }: ItemAboutProps): ReactNode {
  const { source, addedAt, datedAt } = item;
  const t = texts.about;
  return (
    <div className="own-about">
      <Facts
        rows={[
          [t.from, <Source key="source" item={item} />],
          [t.added, fullTime(addedAt)],
          ...(datedAt === null ? [] : [[t.dated, fullTime(datedAt)] as [string, string]]),
          [t.language, <LanguagePicker key="language" item={item} />],
          [t.length, lengthOf(item) ?? '–'],
          ...(collections.length === 0
            ? []
            : [[library.facets.collections, joinTexts(collections)] as [string, string]]),
          ...(source.name !== null && source.url !== null ? [[t.address, source.url] as [string, string]] : []),
          ...(item.bytes === null ? [] : [[t.disk, diskWords(item.bytes, item.originalBytes)] as [string, string]]),
          [t.kept, t.keptUntil],
        ]}
      />
      {versions.length > 1 && (
        <section aria-label={t.versions}>
          <h2>{t.versions}</h2>
          <Radio.Group
            label={t.versions}
            labelProps={HIDDEN_LABEL}
            value={String(shown)}
            onChange={(value) => onShow(Number(value))}
          >
            <ul className="plain-list own-versions">
              {versions.toReversed().map(({ number, createdAt, state }) => (
                <li key={number}>
                  <Radio
                    size="xs"
                    value={String(number)}
                    disabled={state !== 'ready'}
                    label={t.version({ number, isShown: number === item.version })}
                  />
                  <span className="faint small">
                    {state === 'ready' ? <Time at={createdAt} /> : library.states[state]}
                  </span>
                </li>
              ))}
            </ul>
          </Radio.Group>
          <Compare item={item} versions={versions} />
        </section>
      )}
      <Related item={item} />
    </div>
  );
}

/** `6.1 MB, of which the original 4.2 MB` */
function diskWords(bytes: number, originalBytes: number): string {
  const size = formatByteCount(bytes);
  return originalBytes === 0 ? size : texts.about.diskOf({ size, original: formatByteCount(originalBytes) });
}

function Source({ item }: { item: LibraryItem }) {
  const { url, name } = item.source;
  if (name !== null || url === null || !/^https?:\/\//i.test(url)) return sourceName(item);
  return (
    <Anchor href={url} target="_blank" rel="noreferrer" size="sm" className="break">
      {sourceName(item)}
    </Anchor>
  );
}

/** Leads to the difference of the two newest readings. */
function Compare({ item, versions }: { item: LibraryItem; versions: readonly LibraryVersion[] }) {
  const ready = versions.filter(({ state }) => state === 'ready').slice(-2);
  const [a, b] = ready;
  if (a === undefined || b === undefined) return null;
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<Icon name="git-compare-arrows" size={14} />}
      renderRoot={(props) => (
        <Link
          {...props}
          to="/items/$itemId/compare"
          params={{ itemId: item.itemId }}
          search={{ a: a.number, b: b.number }}
        />
      )}
    >
      {texts.about.compare}
    </Button>
  );
}

/** Items that have to do with this one, each with why. */
function Related({ item: { itemId, state, tags, collections: ids } }: { item: LibraryItem }) {
  const environment = useEnvironment();
  const t = texts.about;
  const related = useQuery({
    // Not asked for again with each change of the library: that is a search for each of its words.
    ...pageQueryOptions(['related', environment, itemId, tags, ids], (signal) =>
      api[environment].GET('/library/items/{itemId}/related', { params: { path: { itemId } }, signal }),
    ),
    enabled: state === 'ready',
    staleTime: FRESH_MS,
  });
  const { data: collections = [] } = useQuery(collectionsQuery(environment));
  const names = new Map(collections.map(({ collectionId, name }) => [collectionId, name]));
  if (related.data === undefined) return null;
  return (
    <section aria-label={t.related}>
      <h2>{t.related}</h2>
      {related.data.items.length === 0 ? (
        <p className="small dim">{t.relatedNone}</p>
      ) : (
        <ul className="plain-list own-related">
          {related.data.items.map(({ item, words, collections: shared, tags: alike }) => (
            <li key={item.itemId}>
              <Cover item={item} small />
              <span className="grow">
                <Link className="row-link" to="/items/$itemId" params={{ itemId: item.itemId }}>
                  {item.title}
                </Link>
                <span className="small dim">
                  {whyRelated(words, [...shared.flatMap((id) => names.get(id) ?? []), ...alike])}
                </span>
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function whyRelated(words: readonly string[], together: readonly string[]): string {
  const t = texts.about;
  if (words.length > 0) return t.relatedWords({ words: joinTexts(words.map((word) => `“${word}”`)) });
  return t.relatedTogether({ names: joinTexts(together) });
}
