import { Group, NumberInput, Select, TagsInput, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { SiteWatch } from '../../api/generated/owner.ts';
import { choicesOf } from '../../components/choices.ts';
import { formatTimeOfDay } from '../../components/format.ts';
import { texts as all } from '../../texts.ts';
import { SecretField } from '../webhooks/secret-field.tsx';
import { type ErrorAt, IntervalField, SourceForm, sentName } from './source-form.tsx';
import { useSaveSource } from './source-kind.ts';
import { watches as texts } from './texts.ts';

const INTERVALS = [15, 60, 360, 720, 1440, 2880, 10_080, 40_320];

const DAY_MINUTES = 1440;

const DEPTHS = ['0', '1', '2', '3'];

/** Fields that show their own errors. */
const FIELDS = [
  ...['crawl.url', 'crawl.maxPages', 'crawl.include', 'crawl.exclude'],
  ...['schedule.timeOfDay', 'webhook.url', 'webhook.secret'],
];

const SITEMAP_CHOICES = choicesOf(texts.form.sitemaps);

type Crawl = SiteWatch['crawl'];

interface WatchFormProps {
  /** The watch to change; without one, a new watch. */
  watch: SiteWatch | undefined;
  /** What a new watch crawls. */
  crawl?: Partial<Crawl> | undefined;
  onClose: () => void;
}

export function WatchForm({ watch, crawl: given, onClose }: WatchFormProps): ReactNode {
  const [entered, setEntered] = useState(() => enteredSiteWatchOf(watch, given));
  const save = useSaveSource(
    'watches',
    watch?.watchId ?? null,
    (form: Entered) => siteWatchRequestBody(form, watch),
    onClose,
  );
  const setSiteWatchEntry = (change: Partial<Entered>) => setEntered({ ...entered, ...change });
  const startsOver = watch !== undefined && JSON.stringify(entered.crawl) !== JSON.stringify(watch.crawl);
  return (
    <SourceForm
      {...{ entered, setEntered, save, onClose }}
      fields={FIELDS}
      submit={watch === undefined ? texts.form.watch : all.common.save}
      nameHint={texts.form.nameHint}
      after={(errorAt) => (
        <>
          <WebhookFields before={watch?.webhook ?? null} {...{ entered, set: setSiteWatchEntry, errorAt }} />
          {startsOver && (
            <Text size="sm" c="var(--q-wait)">
              {texts.form.startsOver}
            </Text>
          )}
        </>
      )}
    >
      {(errorAt) => (
        <>
          <CrawlFields crawl={entered.crawl} setCrawl={(crawl) => setSiteWatchEntry({ crawl })} errorAt={errorAt} />
          <ScheduleFields
            schedule={entered.schedule}
            setSchedule={(schedule) => setSiteWatchEntry({ schedule })}
            errorAt={errorAt}
          />
        </>
      )}
    </SourceForm>
  );
}

interface Entered {
  name: string;
  crawl: Partial<Crawl>;
  schedule: SiteWatch['schedule'];
  webhook: { url: string; secret: string };
}

function enteredSiteWatchOf(watch: SiteWatch | undefined, given: Partial<Crawl> | undefined): Entered {
  return {
    name: watch?.name ?? '',
    crawl: watch?.crawl ?? { depth: 1, ...given },
    schedule: watch?.schedule ?? { everyMinutes: DAY_MINUTES, timeOfDay: null },
    webhook: { url: watch?.webhook?.url ?? '', secret: '' },
  };
}

/** The body of a request. A webhook that stays keeps its secret, which the window does not know. */
function siteWatchRequestBody(
  { name, crawl, schedule, webhook: { url, secret } }: Entered,
  watch: SiteWatch | undefined,
) {
  const before = watch?.webhook;
  const isSame = url === (before?.url ?? '') && secret === '';
  const called = { url, events: before?.events, secret: secret === '' ? undefined : secret };
  return {
    name: sentName(name, watch === undefined),
    crawl: { ...crawl, url: crawl.url ?? '' },
    schedule,
    webhook: isSame ? undefined : url === '' ? null : called,
  };
}

interface CrawlFieldsProps {
  crawl: Partial<Crawl>;
  setCrawl: (crawl: Partial<Crawl>) => void;
  errorAt: ErrorAt;
}

function CrawlFields({ crawl, setCrawl, errorAt }: CrawlFieldsProps) {
  const t = texts.form;
  return (
    <>
      <TextInput
        label={t.url}
        description={t.urlHint}
        placeholder="https://"
        required
        value={crawl.url ?? ''}
        error={errorAt('crawl.url')}
        onChange={(event) => setCrawl({ ...crawl, url: event.currentTarget.value })}
        data-autofocus
      />
      <Group grow align="flex-start">
        <Select
          label={t.depth}
          data={DEPTHS}
          value={String(crawl.depth ?? 1)}
          allowDeselect={false}
          onChange={(value) => setCrawl({ ...crawl, depth: Number(value) })}
        />
        <NumberInput
          label={t.maxPages}
          min={1}
          allowDecimal={false}
          value={crawl.maxPages ?? ''}
          error={errorAt('crawl.maxPages')}
          placeholder={t.maxPagesHint}
          onChange={(value) => setCrawl(withField(crawl, 'maxPages', typeof value === 'number' ? value : undefined))}
        />
      </Group>
      <TagsInput
        label={t.include}
        description={t.includeHint}
        value={crawl.include ?? []}
        error={errorAt('crawl.include')}
        onChange={(value) => setCrawl(withField(crawl, 'include', value.length === 0 ? undefined : value))}
      />
      <TagsInput
        label={t.exclude}
        description={t.excludeHint}
        value={crawl.exclude ?? []}
        error={errorAt('crawl.exclude')}
        onChange={(value) => setCrawl(withField(crawl, 'exclude', value.length === 0 ? undefined : value))}
      />
      <Select
        label={t.sitemap}
        data={SITEMAP_CHOICES}
        value={crawl.sitemap ?? 'skip'}
        allowDeselect={false}
        onChange={(value) => setCrawl(withField(crawl, 'sitemap', value ?? undefined))}
      />
    </>
  );
}

interface WebhookFieldsProps {
  before: SiteWatch['webhook'];
  entered: Entered;
  set: (change: Partial<Entered>) => void;
  errorAt: ErrorAt;
}

function WebhookFields({ before, entered: { webhook }, set, errorAt }: WebhookFieldsProps) {
  const t = texts.form;
  const kept = before?.hasSecret === true ? { hint: webhook.url === before.url ? t.secretKept : t.secretLost } : {};
  return (
    <>
      <TextInput
        label={t.webhook}
        description={t.webhookHint}
        placeholder="https://"
        value={webhook.url}
        error={errorAt('webhook.url')}
        onChange={(event) => set({ webhook: { ...webhook, url: event.currentTarget.value } })}
      />
      {webhook.url !== '' && (
        <SecretField
          secret={webhook.secret}
          setSecret={(secret) => set({ webhook: { ...webhook, secret } })}
          error={errorAt('webhook.secret')}
          {...kept}
        />
      )}
    </>
  );
}

interface ScheduleFieldsProps {
  schedule: SiteWatch['schedule'];
  setSchedule: (schedule: SiteWatch['schedule']) => void;
  errorAt: ErrorAt;
}

function ScheduleFields({ schedule, setSchedule, errorAt }: ScheduleFieldsProps) {
  const t = texts.form;
  return (
    <Group grow align="flex-start">
      <IntervalField
        label={t.every}
        intervals={INTERVALS}
        minutes={schedule.everyMinutes}
        onChange={(minutes) => setSchedule(scheduleEvery(minutes, schedule.timeOfDay))}
      />
      {schedule.everyMinutes % DAY_MINUTES === 0 && (
        <Select
          label={t.time}
          clearable
          data={timesOfDay(schedule.timeOfDay).map((value) => ({ value, label: formatTimeOfDay(value) }))}
          value={schedule.timeOfDay}
          error={errorAt('schedule.timeOfDay')}
          onChange={(timeOfDay) => setSchedule({ ...schedule, timeOfDay })}
        />
      )}
    </Group>
  );
}

/** Every half hour, and the time that is set: a field of the browser's own would speak the browser's language. */
function timesOfDay(set: string | null): string[] {
  const halves = Array.from(
    { length: 48 },
    (_, half) => `${String(half >> 1).padStart(2, '0')}:${half % 2 ? '30' : '00'}`,
  );
  return [...new Set(set === null ? halves : [...halves, set])].sort();
}

/** Without the field where it has no value. */
function withField<Key extends keyof Crawl>(crawl: Partial<Crawl>, key: Key, value: Crawl[Key] | undefined) {
  const { [key]: _, ...others } = crawl;
  return (value === undefined ? others : { ...crawl, [key]: value }) as Partial<Crawl>;
}

function scheduleEvery(everyMinutes: number, timeOfDay: string | null): SiteWatch['schedule'] {
  return { everyMinutes, timeOfDay: everyMinutes % DAY_MINUTES === 0 ? timeOfDay : null };
}
