import { type ReactNode, useMemo } from 'react';
import type { LibraryCounts } from '../../api/generated/public.ts';
import { perLocale } from '../../language/locale.ts';
import { library as texts } from './texts.ts';

interface TimelineProps {
  months: LibraryCounts['months'];
  /** The month of the first item in view, `2026-11`. */
  current: string;
  /** Goes to the first item of a month, by its place in the list. */
  onGo: (index: number) => void;
}

const monthName = perLocale((locale) => new Intl.DateTimeFormat(locale, { month: 'short', timeZone: 'UTC' }));

/** Months with a mark of their own; older ones stand by their year. */
const NAMED = 18;

/** Goes to a date, from the counts of months: nothing is loaded before. */
export function Timeline({ months, current, onGo }: TimelineProps): ReactNode {
  const marks = useMemo(() => marksOf(months), [months]);
  if (months.length < 2) return null;
  return (
    <nav className="timeline-months" aria-label={texts.timeline}>
      {marks.map(({ month, label, full, isYear, first }) => (
        <button
          key={`${month} ${isYear}`}
          type="button"
          className={isYear ? 'month-year' : ''}
          title={full}
          aria-label={full}
          {...(!isYear && month === current ? { 'aria-current': true } : {})}
          onClick={() => onGo(first)}
        >
          {label}
        </button>
      ))}
    </nav>
  );
}

interface Mark {
  month: string;
  label: string;
  full: string;
  isYear: boolean;
  first: number;
}

function marksOf(months: LibraryCounts['months']): Mark[] {
  const marks: Mark[] = [];
  let first = 0;
  let known = '';
  for (const [place, { value: month, count }] of months.entries()) {
    const year = month.slice(0, 4);
    if (year !== known) marks.push({ month, label: year, full: year, isYear: true, first });
    known = year;
    if (place < NAMED) {
      const name = monthName().format(new Date(`${month}-01T00:00:00Z`));
      marks.push({ month, label: name, full: `${name} ${year}`, isYear: false, first });
    }
    first += count;
  }
  return marks;
}
