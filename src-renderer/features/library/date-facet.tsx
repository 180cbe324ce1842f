import { UnstyledButton } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { LibraryCounts } from '../../api/generated/public.ts';
import type { ItemFilter } from '../../api/library.ts';
import { dayBefore } from '../../api/reader-days.ts';
import { serverNow } from '../../api/server-time.ts';
import { DayField } from '../../components/day-field.tsx';
import { formatWholeNumber } from '../../components/format.ts';
import { perLocale } from '../../language/locale.ts';
import { library as texts } from './texts.ts';

/** Months with a bar. */
const MONTHS = 12;

const monthName = perLocale((locale) => new Intl.DateTimeFormat(locale, { month: 'short', timeZone: 'UTC' }));

const wholeMonth = perLocale(
  (locale) => new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' }),
);

interface DateFacetProps {
  filter: ItemFilter;
  /** Of what the other filters leave. */
  counts: Pick<LibraryCounts, 'months' | 'days'>;
  onFilter: (filter: ItemFilter) => void;
}

interface Range {
  from: string;
  to: string | undefined;
}

/** When items were added: a bar for each month of a year, the usual ranges, and any two days. */
export function DateFacet({ filter, counts, onFilter }: DateFacetProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const choose = ({ from, to }: Range, isChosen: boolean) =>
    onFilter({ ...filter, from: isChosen ? undefined : from, to: isChosen ? undefined : to });
  const isChosen = ({ from, to }: Range) => filter.from === from && filter.to === to;
  const ranges = rangesOf(counts, new Date(serverNow()));
  const isOwn = (filter.from ?? filter.to) !== undefined && !ranges.some(isChosen);
  return (
    <fieldset className="facet" aria-label={texts.facets.added}>
      <h2>{texts.facets.added}</h2>
      <Months counts={counts} isChosen={isChosen} onChoose={choose} />
      <ul className="plain-list">
        {ranges.map((range) => (
          <li key={range.from}>
            <UnstyledButton aria-pressed={isChosen(range)} onClick={() => choose(range, isChosen(range))}>
              <span className="facet-name">{range.label}</span>
              <span className="num">{formatWholeNumber(range.count)}</span>
            </UnstyledButton>
          </li>
        ))}
        <li>
          <UnstyledButton className="facet-more" aria-expanded={isOpen || isOwn} onClick={() => setOpen(!isOpen)}>
            {texts.between}
          </UnstyledButton>
        </li>
      </ul>
      {(isOpen || isOwn) && (
        <div className="facet-days">
          <DayField
            isLabelShown
            label={texts.fromDay}
            value={filter.from}
            onDay={(from) => onFilter({ ...filter, from })}
          />
          <DayField isLabelShown label={texts.toDay} value={filter.to} onDay={(to) => onFilter({ ...filter, to })} />
        </div>
      )}
    </fieldset>
  );
}

interface MonthsProps {
  counts: DateFacetProps['counts'];
  isChosen: (range: Range) => boolean;
  onChoose: (range: Range, isChosen: boolean) => void;
}

function Months({ counts, isChosen, onChoose }: MonthsProps) {
  const bars = lastMonths(new Date(serverNow())).map((first) => ({
    first,
    count: counts.months.find(({ value }) => value === first.toISOString().slice(0, 7))?.count ?? 0,
  }));
  const most = Math.max(...bars.map(({ count }) => count));
  if (most === 0) return null;
  const named = [bars[0], bars[MONTHS / 2], bars.at(-1)];
  return (
    <>
      <div className="facet-months">
        {bars.map(({ first, count }) => {
          const range = rangeOfMonth(first);
          const label = texts.inMonth({ month: wholeMonth().format(first), count });
          return (
            <button
              key={range.from}
              type="button"
              className="facet-bar"
              title={label}
              aria-label={label}
              aria-pressed={isChosen(range)}
              disabled={count === 0}
              onClick={() => onChoose(range, isChosen(range))}
            >
              <span style={{ height: `${(count / most) * 100}%` }} />
            </button>
          );
        })}
      </div>
      <div className="facet-names" aria-hidden="true">
        {named.map((bar) => (
          <span key={bar?.first.getTime()}>{bar && monthName().format(bar.first)}</span>
        ))}
      </div>
    </>
  );
}

/** The first days of the last months of this computer, the oldest first, as midnights of UTC. */
function lastMonths(now: Date): Date[] {
  return Array.from(
    { length: MONTHS },
    (_, place) => new Date(Date.UTC(now.getFullYear(), now.getMonth() - MONTHS + 1 + place)),
  );
}

function rangeOfMonth(first: Date): { from: string; to: string } {
  const last = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0));
  return { from: first.toISOString().slice(0, 10), to: last.toISOString().slice(0, 10) };
}

function rangesOf({ days, months }: DateFacetProps['counts'], now: Date): (Range & { label: string; count: number })[] {
  const sumOf = (some: readonly { count: number }[]) => some.reduce((sum, { count }) => sum + count, 0);
  const since = (from: string, label: string) => ({
    label,
    from,
    to: undefined,
    count: sumOf(days.filter(({ value }) => value >= from)),
  });
  const year = String(now.getFullYear());
  return [
    since(dayBefore(now.getTime(), 6), texts.dates.week),
    since(dayBefore(now.getTime(), 29), texts.dates.month),
    {
      label: year,
      from: `${year}-01-01`,
      to: undefined,
      count: sumOf(months.filter(({ value }) => value >= year)),
    },
  ];
}
