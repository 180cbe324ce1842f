import { Code, SegmentedControl, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { AuditEntry } from '../../api/generated/owner.ts';
import { type AuditFilter, auditQuery } from '../../api/queries.ts';
import { choicesOf } from '../../components/choices.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Empty, Time } from '../../components/page-elements.tsx';
import { PagedPanel } from '../../components/paged-panel.tsx';
import { State } from '../../components/state.tsx';
import { perLanguage } from '../../language/locale.ts';
import { audit as t } from './audit-texts.ts';

const FILTERS: Readonly<Record<keyof typeof t.kinds, AuditFilter>> = {
  change: { kind: 'change' },
  run: { kind: 'run' },
  refused: { outcome: 'refused' },
};

type Choice = keyof typeof FILTERS;

/** Actions of the owner and of keys, newest first. */
export function AuditTable(): ReactNode {
  const [choice, setChoice] = useState<Choice>('change');
  const list = useInfiniteQuery(auditQuery(FILTERS[choice]));
  const entries = list.data?.pages.flatMap((page) => page.entries) ?? [];
  return (
    <PagedPanel
      list={list}
      count={entries.length}
      title={t.title}
      about={t.about}
      more={t.more}
      aside={
        <SegmentedControl
          size="xs"
          transitionDuration={0}
          aria-label={t.kind}
          value={choice}
          data={choicesOf(t.kinds)}
          onChange={setChoice}
        />
      }
      empty={
        <Empty icon="list" title={t.none}>
          {t.noneHow}
        </Empty>
      }
    >
      <DataTable columns={COLUMNS()} rows={entries} rowKey={({ entryId }) => entryId} />
    </PagedPanel>
  );
}

const COLUMNS = perLanguage((): readonly Column<AuditEntry>[] => [
  { title: t.columns.at, width: 120, cell: ({ at }) => <Time at={at} /> },
  { title: t.columns.who, width: 120, className: 'break', cell: ({ keyName }) => keyName ?? t.owner },
  {
    title: t.columns.what,
    className: 'break',
    cell: ({ method, route }) => (
      <Code>
        {method} {route}
      </Code>
    ),
  },
  {
    title: t.columns.target,
    className: 'break',
    cell: ({ target }) => (
      <Text size="sm" ff="monospace">
        {target ?? '–'}
      </Text>
    ),
  },
  {
    title: t.columns.outcome,
    width: 130,
    className: 'break',
    cell: ({ status, code }) => (
      <State tone={code === null && status < 400 ? 'good' : 'bad'}>{code === null ? String(status) : code}</State>
    ),
  },
]);
