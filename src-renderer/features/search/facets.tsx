import { UnstyledButton } from '@mantine/core';
import type { ReactNode } from 'react';
import type { SearchAnswer } from '../../api/generated/public.ts';
import { formatWholeNumber } from '../../components/format.ts';
import { search as searchTexts } from './texts.ts';

type Facets = NonNullable<SearchAnswer['facets']>;

/** What of the search a facet narrows. */
export interface Narrowed {
  jobType?: string | undefined;
  source?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

/** Values of a facet that are shown. */
const SHOWN = 6;

interface Value {
  value: string;
  label: string;
  count: number;
  isChosen: boolean;
  /** Without the limit if it is chosen. */
  narrowed: Narrowed;
}

interface FacetBarProps {
  facets: Facets;
  chosen: Narrowed;
  /** Name of a kind of job. */
  kindOf: (jobType: string) => string;
  onChange: (narrowed: Narrowed) => void;
}

/** Counts of the matches by kind, source and month. A click narrows the search, another widens it again. */
export function FacetBar({ facets, chosen, kindOf, onChange }: FacetBarProps): ReactNode {
  const t = searchTexts;
  const kinds = facets.jobTypes.map(({ value, count }) => {
    const isChosen = chosen.jobType === value;
    return { value, count, label: kindOf(value), isChosen, narrowed: { jobType: isChosen ? undefined : value } };
  });
  const sources = facets.sources.map(({ value, count }) => {
    const isChosen = chosen.source === value;
    return { value, count, label: value, isChosen, narrowed: { source: isChosen ? undefined : value } };
  });
  const months = facets.months.map(({ value, count }) => {
    const { from, to } = daysOf(value);
    const isChosen = chosen.from === from && chosen.to === to;
    const narrowed = isChosen ? { from: undefined, to: undefined } : { from, to };
    return { value, count, label: facetMonthName(value), isChosen, narrowed };
  });
  return (
    <div className="facets">
      <Facet name={t.kind} values={kinds} onChange={onChange} />
      <Facet name={t.source} values={sources} onChange={onChange} />
      <Facet name={t.month} values={months} onChange={onChange} />
    </div>
  );
}

/** One value narrows nothing. */
function Facet({ name, values, onChange }: { name: string; values: Value[]; onChange: FacetBarProps['onChange'] }) {
  if (values.length < 2 && !values.some(({ isChosen }) => isChosen)) return null;
  return (
    <fieldset className="facet" aria-label={name}>
      <span className="small dim">{name}</span>
      {values.slice(0, SHOWN).map(({ value, label, count, isChosen, narrowed }) => (
        <UnstyledButton
          key={value}
          className="facet-value"
          aria-pressed={isChosen}
          title={label}
          onClick={() => onChange(narrowed)}
        >
          <span className="facet-label">{label}</span> <span className="dim">{formatWholeNumber(count)}</span>
        </UnstyledButton>
      ))}
    </fieldset>
  );
}

function daysOf(month: string): { from: string; to: string } {
  const [year = 0, index = 1] = month.split('-').map(Number);
  const last = new Date(Date.UTC(year, index, 0)).getUTCDate();
  return { from: `${month}-01`, to: `${month}-${last}` };
}

const monthFormat = new Intl.DateTimeFormat('en', { month: 'short', year: 'numeric', timeZone: 'UTC' });

function facetMonthName(month: string): string {
  return monthFormat.format(new Date(`${month}-01T00:00:00Z`));
}
