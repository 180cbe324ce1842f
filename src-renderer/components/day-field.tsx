import { ActionIcon, Button, Input, InputBase, Popover, UnstyledButton } from '@mantine/core';
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { directionOf } from '../../src-server/platform/text/format-message.ts';
import { firstWeekday, localDay } from '../api/reader-days.ts';
import { serverNow } from '../api/server-time.ts';
import { perLocale, shownLanguage, shownLocale } from '../language/locale.ts';
import { messages } from '../language/start-messages.ts';
import { formatWholeNumber } from './format.ts';
import { Icon, type IconName } from './icon.tsx';

const DAY_MS = 86_400_000;

const DAYS_OF_WEEK = 7;

/** The months shown are those of the calendar that days are sent in, whatever the usual one of a locale is. */
const format = (options: Intl.DateTimeFormatOptions) =>
  perLocale((locale) => new Intl.DateTimeFormat(locale, { ...options, calendar: 'gregory', timeZone: 'UTC' }));

const shortDay = format({ day: 'numeric', month: 'short', year: 'numeric' });
const wholeDay = format({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
const monthOfYear = format({ month: 'long', year: 'numeric' });
const weekday = format({ weekday: 'long' });
const shortWeekday = format({ weekday: 'short' });
const narrowWeekday = format({ weekday: 'narrow' });

/** Letters that fit above a column. Arabic has no shorter names than the whole ones, and letters instead. */
const WEEKDAY_LETTERS = 4;

interface DayFieldProps {
  label: string;
  /** Whether the label stands above the field; without it, it is heard, and seen where no day is chosen. */
  isLabelShown?: boolean;
  /** `2026-11-22`. */
  value: string | undefined;
  onDay: (day: string | undefined) => void;
}

/**
 * A day in the reader's language, chosen from a month whose weeks begin as their locale says. The browser's own field
 * speaks the browser's language.
 */
export function DayField({ label, isLabelShown = false, value, onDay }: DayFieldProps): ReactNode {
  const [opened, setOpened] = useState(false);
  const choose = (day: string | undefined) => {
    setOpened(false);
    onDay(day);
  };
  const t = messages.common.day;
  const shown = value === undefined ? t.any : shortDay().format(Date.parse(value));
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-start" trapFocus returnFocus>
      <Popover.Target>
        <InputBase
          component="button"
          type="button"
          pointer
          size={isLabelShown ? 'xs' : 'sm'}
          label={isLabelShown ? label : undefined}
          aria-label={`${label}: ${shown}`}
          leftSection={<Icon name="calendar" size={14} />}
          onClick={() => setOpened(!opened)}
        >
          {value !== undefined || isLabelShown ? shown : <Input.Placeholder>{label}</Input.Placeholder>}
        </InputBase>
      </Popover.Target>
      <Popover.Dropdown aria-label={label} className="day-choice">
        <MonthOfDays chosen={value} onDay={choose} />
        {value !== undefined && (
          <Button variant="subtle" size="compact-sm" onClick={() => choose(undefined)}>
            {t.any}
          </Button>
        )}
      </Popover.Dropdown>
    </Popover>
  );
}

/** A month of days: arrows go by days and weeks, Page Up and Page Down by months, with Shift by years. */
function MonthOfDays({ chosen, onDay }: { chosen: string | undefined; onDay: (day: string) => void }) {
  const today = localDay(serverNow());
  const [at, setAt] = useState(chosen ?? today);
  const grid = useRef<HTMLTableElement>(null);
  const isMoving = useRef(false);
  useEffect(() => {
    if (isMoving.current) grid.current?.querySelector<HTMLElement>(`[data-day="${at}"]`)?.focus();
    isMoving.current = false;
  }, [at]);
  const moveByKey = (event: KeyboardEvent) => {
    const to = dayByKey(event, at);
    if (to === null) return;
    event.preventDefault();
    isMoving.current = true;
    setAt(to);
  };
  const t = messages.common.day;
  const turn = (icon: IconName, label: string, months: number) => (
    <ActionIcon variant="subtle" aria-label={label} title={label} onClick={() => setAt(monthsLater(at, months))}>
      <Icon name={icon} size={16} />
    </ActionIcon>
  );
  const month = monthOfYear().format(Date.parse(at));
  const weeks = weeksOf(at, firstWeekday(shownLocale()));
  return (
    <>
      <div className="day-months">
        {turn('chevrons-left', t.yearBefore, -12)}
        {turn('chevron-left', t.monthBefore, -1)}
        <span aria-live="polite">{month}</span>
        {turn('chevron-right', t.monthAfter, 1)}
        {turn('chevrons-right', t.yearAfter, 12)}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table of days is a grid. */}
      <table ref={grid} role="grid" aria-label={month} className="day-grid" onKeyDown={moveByKey}>
        <thead>
          <tr>
            {weeks[1]?.map((day) => (
              <th key={day} scope="col" aria-label={weekday().format(Date.parse(day ?? ''))}>
                {weekdayHead(Date.parse(day ?? ''))}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map((week) => (
            <tr key={week.find((day) => day !== null)}>
              {week.map((day, column) => (
                // biome-ignore lint/a11y/useAriaPropsSupportedByRole: a cell of a grid can be selected.
                <td key={day ?? `none ${column}`} aria-selected={day === null ? undefined : day === chosen}>
                  {day !== null && <DayButton {...{ day, chosen, onDay }} isAt={day === at} isToday={day === today} />}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

interface DayButtonProps {
  day: string;
  chosen: string | undefined;
  /** Whether the keys go on from here. */
  isAt: boolean;
  isToday: boolean;
  onDay: (day: string) => void;
}

function DayButton({ day, chosen, isAt, isToday, onDay }: DayButtonProps) {
  return (
    <UnstyledButton
      data-day={day}
      data-autofocus={isAt || undefined}
      data-chosen={day === chosen || undefined}
      tabIndex={isAt ? 0 : -1}
      aria-label={wholeDay().format(Date.parse(day))}
      aria-current={isToday ? 'date' : undefined}
      onClick={() => onDay(day)}
    >
      {formatWholeNumber(Number(day.slice(-2)))}
    </UnstyledButton>
  );
}

function weekdayHead(time: number): string {
  const short = shortWeekday().format(time);
  return short.length <= WEEKDAY_LETTERS ? short : narrowWeekday().format(time);
}

/** Where a key leads to from a day; null for keys that lead nowhere. */
function dayByKey({ key, shiftKey }: KeyboardEvent, day: string): string | null {
  const ahead = directionOf(shownLanguage()) === 'rtl' ? -1 : 1;
  const passed = (weekdayOf(day) - firstWeekday(shownLocale()) + DAYS_OF_WEEK) % DAYS_OF_WEEK;
  switch (key) {
    case 'ArrowLeft':
      return daysLater(day, -ahead);
    case 'ArrowRight':
      return daysLater(day, ahead);
    case 'ArrowUp':
      return daysLater(day, -DAYS_OF_WEEK);
    case 'ArrowDown':
      return daysLater(day, DAYS_OF_WEEK);
    case 'Home':
      return daysLater(day, -passed);
    case 'End':
      return daysLater(day, DAYS_OF_WEEK - 1 - passed);
    case 'PageUp':
      return monthsLater(day, shiftKey ? -12 : -1);
    case 'PageDown':
      return monthsLater(day, shiftKey ? 12 : 1);
    default:
      return null;
  }
}

/** From 0 for Sunday. */
function weekdayOf(day: string): number {
  return new Date(day).getUTCDay();
}

function daysLater(day: string, days: number): string {
  return withinCalendar(Date.parse(day) + days * DAY_MS, day);
}

/** The same day of another month, or its last one. */
function monthsLater(day: string, months: number): string {
  const date = new Date(day);
  const first = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months);
  const length = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months + 1, 0)).getUTCDate();
  return withinCalendar(first + (Math.min(date.getUTCDate(), length) - 1) * DAY_MS, day);
}

/** The day of a time; the other day where its year has not four digits, as filters want it. */
function withinCalendar(time: number, other: string): string {
  const year = new Date(time).getUTCFullYear();
  return year >= 1000 && year <= 9999 ? new Date(time).toISOString().slice(0, 10) : other;
}

/** The days of a month by weeks, with null for those of other months. The second week is a whole one. */
function weeksOf(day: string, first: number): (string | null)[][] {
  const date = new Date(day);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  const length = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const before = (new Date(Date.UTC(year, month)).getUTCDay() - first + DAYS_OF_WEEK) % DAYS_OF_WEEK;
  return Array.from({ length: Math.ceil((before + length) / DAYS_OF_WEEK) }, (_, week) =>
    Array.from({ length: DAYS_OF_WEEK }, (__, column) => {
      const number = week * DAYS_OF_WEEK + column - before + 1;
      const isOfMonth = number >= 1 && number <= length;
      return isOfMonth ? new Date(Date.UTC(year, month, number)).toISOString().slice(0, 10) : null;
    }),
  );
}
