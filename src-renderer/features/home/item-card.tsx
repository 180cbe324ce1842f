import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { LibraryItem } from '../../api/generated/public.ts';
import { foreignText } from '../../components/foreign-text.ts';
import { clockTime } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { Cover } from '../library/cover.tsx';
import { KIND_LOOKS, lengthOf, sourceName } from '../library/item-words.ts';
import { home as t } from './texts.ts';

/** Cover, title and one line. */
export function ItemCard({ item }: { item: LibraryItem }) {
  const { icon, group } = KIND_LOOKS[item.kind];
  const { state } = item;
  return (
    <ItemLink item={item}>
      <Cover item={item} length={lengthOf(item)} />
      <b className="home-title" {...foreignText(item.language)}>
        {item.title}
      </b>
      <span className={`small home-source k-${group}`} data-state={state}>
        <Icon name={icon} size={14} />
        <bdi className="truncate">{state === 'ready' ? sourceName(item) : t.states[state]}</bdi>
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
      <Cover item={item} />
      <span className="home-words">
        <b className="home-title" {...foreignText(item.language)}>
          {item.title}
        </b>
        <span className="small num">
          {isHeard
            ? clockTime(position.seconds ?? 0)
            : pages === null
              ? t.page({ page: position?.page ?? 1 })
              : t.pageOf({ page: position?.page ?? 1, pages })}
        </span>
        {isHeard && seconds !== null && (
          <span className="small dim num">
            {t.left({ time: clockTime(Math.max(0, seconds - (position.seconds ?? 0))) })}
          </span>
        )}
      </span>
    </ItemLink>
  );
}

function ItemLink({ item: { itemId }, children }: { item: LibraryItem; children: ReactNode }) {
  return (
    <Link to="/items/$itemId" params={{ itemId }} className="home-item">
      {children}
    </Link>
  );
}
