import { UnstyledButton } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { LibraryCounts } from '../../api/generated/public.ts';
import type { ItemFilter, ItemKind } from '../../api/library.ts';
import { formatWholeNumber } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { DateFacet } from './date-facet.tsx';
import { KIND_LOOKS, KINDS, languageName } from './item-words.ts';
import { library as texts } from './texts.ts';

/** Values of a filter that are shown first. */
const SHOWN = 6;

interface Value {
  value: string;
  label: ReactNode;
  count: number;
}

interface FacetsProps {
  filter: ItemFilter;
  counts: LibraryCounts;
  /** By date, of what the other filters leave; absent where dates are chosen elsewhere. */
  ofDates?: Pick<LibraryCounts, 'months' | 'days'> | undefined;
  /** Names of collections by identifier. */
  names: ReadonlyMap<string, string>;
  /** The page of a collection offers no others. */
  hasCollections: boolean;
  onFilter: (filter: ItemFilter) => void;
}

/** What narrows the list, with the number of items that each value leaves. A click narrows, another one widens. */
export function Facets(props: FacetsProps): ReactNode {
  const { filter, counts, ofDates, names, hasCollections, onFilter } = props;
  const { kinds, tags, collections, languages, speakers, sources } = texts.facets;
  const facetProps = <Name extends 'kind' | 'tag' | 'collection' | 'language' | 'speaker' | 'source'>(name: Name) => ({
    chosen: filter[name],
    onChoose: (value: string) => onFilter({ ...filter, [name]: filter[name] === value ? undefined : value }),
  });
  return (
    <div className="facets-pane">
      {ofDates !== undefined && <DateFacet filter={filter} counts={ofDates} onFilter={onFilter} />}
      <Facet title={kinds} {...facetProps('kind')} values={kindValues(counts)} />
      <Facet title={tags} {...facetProps('tag')} values={counts.tags.map(asValue)} />
      {hasCollections && (
        <Facet
          title={collections}
          {...facetProps('collection')}
          values={counts.collections.flatMap(({ value, count }) => {
            const label = names.get(value);
            return label === undefined ? [] : [{ value, count, label }];
          })}
        />
      )}
      <Facet
        title={languages}
        {...facetProps('language')}
        values={counts.languages.map(({ value, count }) => ({ value, count, label: languageName(value) }))}
      />
      <Facet title={speakers} {...facetProps('speaker')} values={counts.speakers.map(asValue)} />
      <Facet
        title={sources}
        {...facetProps('source')}
        values={counts.sources.map(({ value, count }) => ({ value, count, label: sourceWord(value) }))}
      />
    </div>
  );
}

/** `Files` for `file`. */
function sourceWord(source: string): string {
  return Object.entries(texts.sourceNames).find(([name]) => name === source)?.[1] ?? source;
}

const asValue = ({ value, count }: { value: string; count: number }): Value => ({ value, count, label: value });

function kindValues({ kinds }: LibraryCounts): Value[] {
  return KINDS.flatMap((kind: ItemKind) => {
    const count = kinds.find(({ value }) => value === kind)?.count ?? 0;
    if (count === 0) return [];
    const { icon, group } = KIND_LOOKS[kind];
    const label = (
      <>
        <span className={`kind k-${group}`}>
          <Icon name={icon} size={14} />
        </span>
        {texts.kinds[kind]}
      </>
    );
    return [{ value: kind, count, label }];
  });
}

interface FacetProps {
  title: string;
  values: readonly Value[];
  chosen: string | undefined;
  onChoose: (value: string) => void;
}

function Facet({ title, values, chosen, onChoose }: FacetProps) {
  const [isLong, setLong] = useState(false);
  if (values.length === 0) return null;
  const shown = isLong ? values : values.filter(({ value }, place) => place < SHOWN || value === chosen);
  const hidden = values.length - shown.length;
  return (
    // A group, not a landmark: the rail has one of this name.
    <fieldset className="facet" aria-label={title}>
      <h2>{title}</h2>
      <ul className="plain-list">
        {shown.map(({ value, label, count }) => (
          <li key={value}>
            <UnstyledButton aria-pressed={value === chosen} onClick={() => onChoose(value)}>
              <span className="facet-name">{label}</span>
              <span className="num">{formatWholeNumber(count)}</span>
            </UnstyledButton>
          </li>
        ))}
        {(hidden > 0 || isLong) && (
          <li>
            <UnstyledButton className="facet-more" onClick={() => setLong(!isLong)}>
              {isLong ? texts.less : texts.more({ count: hidden })}
            </UnstyledButton>
          </li>
        )}
      </ul>
    </fieldset>
  );
}
