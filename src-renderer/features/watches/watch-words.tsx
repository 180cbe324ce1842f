import type { ReactNode } from 'react';
import type { SiteWatch, SiteWatchRun } from '../../api/generated/owner.ts';
import { failureText } from '../../components/failure-text.ts';
import { formatTimeOfDay, formatWholeNumber, joinTexts } from '../../components/format.ts';
import { State, type Tone } from '../../components/state.tsx';
import { watches as texts } from './texts.ts';

const HOUR_MINUTES = 60;

const DAY_MINUTES = 24 * HOUR_MINUTES;

const WEEK_MINUTES = 7 * DAY_MINUTES;

/** An address without what all have. */
export function shortWatchAddress(url: string): string {
  return url.replace(/^https?:\/\//, '').replace(/\/$/, '');
}

/** `Every day at 06:30`. */
export function scheduleOf({ everyMinutes, timeOfDay }: SiteWatch['schedule']): string {
  const every = everyWords(everyMinutes);
  return timeOfDay === null ? every : texts.every.at({ every, time: formatTimeOfDay(timeOfDay) });
}

export function everyWords(minutes: number): string {
  const { every } = texts;
  if (minutes % WEEK_MINUTES === 0) return every.weeks({ count: minutes / WEEK_MINUTES });
  if (minutes % DAY_MINUTES === 0) return every.days({ count: minutes / DAY_MINUTES });
  return minutes % HOUR_MINUTES === 0
    ? every.hours({ count: minutes / HOUR_MINUTES })
    : every.minutes({ count: minutes });
}

const CHANGES = ['changed', 'added', 'removed', 'gone', 'moved'] as const;

/** `3 changed, 1 added`; null until a run is completed. */
export function siteChangesText({ isFirst, counts }: SiteWatchRun): string | null {
  if (counts === null) return null;
  if (isFirst) return texts.first;
  const found = CHANGES.filter((change) => counts[change] > 0).map((change) =>
    texts.counts[change]({ count: formatWholeNumber(counts[change]) }),
  );
  return found.length === 0 ? texts.noChange : joinTexts(found);
}

export function hasChanges({ isFirst, counts }: SiteWatchRun): boolean {
  return counts !== null && !isFirst && CHANGES.some((change) => counts[change] > 0);
}

const TONES: Readonly<Record<SiteWatchRun['status'], Tone>> = { running: 'busy', completed: 'good', failed: 'bad' };

export function RunState({ run }: { run: SiteWatchRun }): ReactNode {
  return (
    <State tone={TONES[run.status]}>
      <span title={run.error === null ? undefined : failureText(run.error)}>{texts.states[run.status]}</span>
    </State>
  );
}
