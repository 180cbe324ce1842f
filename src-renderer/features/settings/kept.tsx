import '../../styles/disk.css';
import { Select } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { requestJson } from '../../api/client.ts';
import type { Settings } from '../../api/generated/owner.ts';
import { settingsQuery } from '../../api/queries.ts';
import { choicesOf } from '../../components/choices.ts';
import { Panel } from '../../components/page-elements.tsx';
import { showToast, toastFailure } from '../../components/toast.tsx';
import { settings as texts } from '../models/texts.ts';
import { anchorOf } from './anchor.ts';

/** Settings that are saved at once, each with Undo. */
export const KEPT = ['deletedDays', 'originals', 'retentionHours'] as const;

const DAY_HOURS = 24;

const DELETED_DAYS = [7, 30, 90, 365];

const RETENTION_HOURS = [1, 3, 7, 30, 90, 365].map((days) => days * DAY_HOURS);

/** How long things are kept: what is never deleted by itself, and when the rest goes. */
export function Kept({ settings: { deletedDays, originals, retentionHours } }: { settings: Settings }): ReactNode {
  const save = useSaveSetting();
  const t = texts.kept;
  return (
    <Panel title={texts.sections.storage}>
      <ul className="plain-list kept">
        <li>
          <span className="grow">
            <b>{t.items}</b>
            <span className="small dim">{t.itemsAbout}</span>
          </span>
        </li>
        <Term
          name="deletedDays"
          value={String(deletedDays)}
          data={termsOf(DELETED_DAYS, deletedDays, (days) => t.days({ days }))}
          onChange={(value) => save({ deletedDays: Number(value) }, { deletedDays })}
        />
        <Term
          name="originals"
          value={originals}
          data={choicesOf(texts.choices.originals)}
          onChange={(value) => save({ originals: value as Settings['originals'] }, { originals })}
        />
        <Term
          name="retentionHours"
          value={String(retentionHours)}
          data={termsOf(RETENTION_HOURS, retentionHours, hoursWords)}
          onChange={(value) => save({ retentionHours: Number(value) }, { retentionHours })}
        />
      </ul>
    </Panel>
  );
}

/** `3 days`, or hours that are no whole days. */
export function hoursWords(hours: number): string {
  const days = hours / DAY_HOURS;
  return Number.isInteger(days) ? texts.kept.days({ days }) : texts.kept.hours({ hours });
}

/** The usual terms, and the one in force. */
function termsOf(usual: readonly number[], now: number, words: (term: number) => string) {
  return [...new Set([...usual, now])]
    .sort((one, other) => one - other)
    .map((term) => ({ value: String(term), label: words(term) }));
}

interface TermProps {
  name: (typeof KEPT)[number];
  value: string;
  data: { value: string; label: string }[];
  onChange: (value: string) => void;
}

function Term({ name, value, data, onChange }: TermProps) {
  const label = texts.names[name] ?? name;
  return (
    <li id={anchorOf(label)}>
      <span className="grow">
        <b>{label}</b>
        <span className="small dim">{texts.hints[name]}</span>
      </span>
      <Select
        aria-label={label}
        w={210}
        data={data}
        value={value}
        allowDeselect={false}
        onChange={(next) => {
          if (next !== null && next !== value) onChange(next);
        }}
      />
    </li>
  );
}

/** Saves at once; Undo saves the former value. */
function useSaveSetting(): (change: Partial<Settings>, before: Partial<Settings>) => void {
  const client = useQueryClient();
  const send = async (change: Partial<Settings>) => {
    const next = await requestJson<Settings>('/admin/settings', { method: 'PATCH', body: change });
    client.setQueryData(settingsQuery().queryKey, next);
  };
  return (change, before) =>
    void send(change).then(
      () => showToast({ message: texts.saved, onUndo: () => void send(before).catch(toastFailure) }),
      toastFailure,
    );
}
