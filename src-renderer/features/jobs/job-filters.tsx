import { Button, Group, Menu, Popover, SegmentedControl, Select, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useRef, useState } from 'react';
import { requestJson } from '../../api/client.ts';
import type { Settings } from '../../api/generated/owner.ts';
import type { JobStatus } from '../../api/names.ts';
import { operationsQuery, settingsQuery } from '../../api/queries.ts';
import { choicesOf } from '../../components/choices.ts';
import { DayField } from '../../components/day-field.tsx';
import { Icon } from '../../components/icon.tsx';
import { usePageSearch } from '../../components/keys.ts';
import { toastFailure } from '../../components/toast.tsx';
import { workOfOperation } from '../../components/work.ts';
import { texts } from '../../texts.ts';
import { type DateRange, PERIODS, type Period } from './period.ts';
import { TagFilter } from './tags.tsx';
import { useTypedFilter } from './typed-filter.ts';

const route = getRouteApi('/jobs');

const SEARCH_MAX_CHARS = 200;

/** Filters by status, operation, tag and text, stored in the URL, and saved views. */
export function JobFilters({ tags }: { tags: readonly string[] }): ReactNode {
  const { status, jobType, text = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const operations = useQuery(operationsQuery());
  const field = useRef<HTMLInputElement>(null);
  usePageSearch(field, texts.jobs.search);
  const [words, setWords] = useTypedFilter(text, (next) => {
    void navigate({ search: ({ text: _, ...rest }) => (next ? { ...rest, text: next } : rest), replace: true });
  });
  return (
    <Group mb="sm" gap="sm" wrap="wrap" align="flex-start">
      <SegmentedControl
        aria-label={texts.jobs.status}
        value={status ?? ''}
        data={[{ value: '', label: texts.common.all }, ...choicesOf(texts.jobs.statuses)]}
        onChange={(value) =>
          void navigate({
            search: ({ status: _, ...rest }) => (value ? { ...rest, status: value as JobStatus } : rest),
          })
        }
      />
      <Select
        aria-label={texts.jobs.type}
        placeholder={texts.jobs.anyType}
        clearable
        w={150}
        data={operations.data?.map(({ id }) => ({ value: id, label: workOfOperation(id).plural })) ?? []}
        value={jobType ?? null}
        onChange={(value) =>
          void navigate({ search: ({ jobType: _, ...rest }) => (value ? { ...rest, jobType: value } : rest) })
        }
      />
      <Dates />
      <TagFilter known={tags} />
      <TextInput
        ref={field}
        type="search"
        aria-label={texts.jobs.search}
        placeholder={texts.jobs.searchHint}
        leftSection={<Icon name="search" size={16} />}
        value={words}
        maxLength={SEARCH_MAX_CHARS}
        onChange={(event) => setWords(event.currentTarget.value)}
        flex={1}
        miw={160}
        maw={340}
      />
      <JobViews />
    </Group>
  );
}

/** When a job was accepted: the last days, or from one day to another. */
function Dates(): ReactNode {
  const { period, from, to } = route.useSearch();
  const navigate = route.useNavigate();
  const [asked, setAsked] = useState(false);
  const between = asked || from !== undefined || to !== undefined;
  const setJobDateRange = (range: DateRange) =>
    void navigate({
      search: ({ period: _, from: __, to: ___, ...rest }) => ({ ...rest, ...range }) as typeof rest,
    });
  const t = texts.jobs.dates;
  return (
    <>
      <Select
        aria-label={t.title}
        placeholder={t.any}
        clearable
        w={150}
        leftSection={<Icon name="calendar" size={14} />}
        data={[
          ...PERIODS.map((value) => ({ value, label: t[value] as string })),
          { value: 'between', label: t.between },
        ]}
        value={between ? 'between' : (period ?? null)}
        onChange={(value) => {
          setAsked(value === 'between');
          setJobDateRange(value === null || value === 'between' ? {} : { period: value as Period });
        }}
      />
      {between && (
        <>
          <DayField label={t.from} value={from} onDay={(day) => setJobDateRange({ from: day, to })} />
          <DayField label={t.to} value={to} onDay={(day) => setJobDateRange({ from, to: day })} />
        </>
      )}
    </>
  );
}

type View = Settings['jobViews'][number];

/** Saved views. The server stores them for all browsers and the desktop window. */
function JobViews(): ReactNode {
  const search = route.useSearch();
  const client = useQueryClient();
  const settings = useQuery(settingsQuery());
  const t = texts.jobs.views;
  const views = settings.data?.jobViews ?? [];
  const keep = useMutation({
    // Not the generated client: it requires every setting that has a default.
    mutationFn: (jobViews: View[]) => requestJson<Settings>('/admin/settings', { method: 'PATCH', body: { jobViews } }),
    onSuccess: (next) => client.setQueryData(settingsQuery().queryKey, next),
    onError: toastFailure,
  });
  const addSavedView = (name: string) => {
    const { environment: _, ...filter } = search;
    const others = views.filter((view) => view.name !== name);
    keep.mutate([...others, { name, ...filter } as View]);
  };
  return (
    <Group gap="xs">
      <Menu>
        <Menu.Target>
          <Button variant="default">{t.title}</Button>
        </Menu.Target>
        <Menu.Dropdown>
          {views.length === 0 && <Menu.Item disabled>{t.none}</Menu.Item>}
          {views.map(({ name, ...filter }) => (
            <Menu.Item key={name} renderRoot={(props) => <Link {...props} to="/jobs" search={filter} />}>
              {name}
            </Menu.Item>
          ))}
          {views.length > 0 && <Menu.Divider />}
          {views.map(({ name }) => (
            <Menu.Item key={name} color="red" onClick={() => keep.mutate(views.filter((view) => view.name !== name))}>
              {t.forget({ name })}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {Object.keys(search).some((name) => name !== 'environment') && <KeepView onKeep={addSavedView} />}
    </Group>
  );
}

function KeepView({ onKeep }: { onKeep: (name: string) => void }) {
  const [open, setOpen] = useState(false);
  const [name, setName] = useState('');
  const t = texts.jobs.views;
  return (
    <Popover opened={open} onChange={setOpen} trapFocus returnFocus withArrow>
      <Popover.Target>
        <Button variant="default" onClick={() => setOpen(!open)}>
          {t.keep}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            onKeep(name.trim());
            setOpen(false);
            setName('');
          }}
        >
          <Group align="flex-end" gap="xs">
            <TextInput
              label={t.name}
              value={name}
              maxLength={80}
              onChange={(event) => setName(event.currentTarget.value)}
              data-autofocus
            />
            <Button type="submit" disabled={name.trim() === ''}>
              {texts.common.save}
            </Button>
          </Group>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}
