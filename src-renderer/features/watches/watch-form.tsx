import { Button, Group, Modal, NumberInput, Select, Stack, TagsInput, Text, TextInput } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useChange } from '../../api/changes.ts';
import { fieldErrors, owner, queryIn, useEnvironment } from '../../api/client.ts';
import type { SiteWatch } from '../../api/generated/owner.ts';
import { watchesKey } from '../../api/queries.ts';
import { Failure } from '../../components/page-elements.tsx';
import { texts as all } from '../../texts.ts';
import { SecretField } from '../webhooks/secret-field.tsx';
import { watches as texts } from './texts.ts';
import { everyWords } from './watch-words.tsx';

const INTERVALS = [15, 60, 360, 720, 1440, 2880, 10_080, 40_320];

const DAY_MINUTES = 1440;

const DEPTHS = ['0', '1', '2', '3'];

/** Fields that show their own errors. */
const FIELDS = [
  ...['name', 'crawl.url', 'crawl.maxPages', 'crawl.include', 'crawl.exclude'],
  ...['schedule.timeOfDay', 'webhook.url', 'webhook.secret'],
];

const SITEMAP_CHOICES = Object.entries(texts.form.sitemaps).map(([value, label]) => ({ value, label }));

type Crawl = SiteWatch['crawl'];

type WebhookEvents = NonNullable<SiteWatch['webhook']>['events'];

interface WatchDialogProps {
  /** The watch to change; without one, a new watch. */
  watch?: SiteWatch | undefined;
  /** What a new watch crawls. */
  crawl?: Partial<Crawl> | undefined;
  opened: boolean;
  onClose: () => void;
}

export function WatchDialog({ opened, onClose, ...form }: WatchDialogProps): ReactNode {
  const title = form.watch === undefined ? texts.add : texts.edit;
  return (
    <Modal opened={opened} onClose={onClose} title={title}>
      <WatchForm {...form} onClose={onClose} />
    </Modal>
  );
}

function WatchForm({ watch, crawl: given, onClose }: Omit<WatchDialogProps, 'opened'>) {
  const [crawl, setCrawl] = useState<Partial<Crawl>>(watch?.crawl ?? { depth: 1, ...given });
  const [schedule, setSchedule] = useState(watch?.schedule ?? { everyMinutes: DAY_MINUTES, timeOfDay: null });
  const [name, setName] = useState(watch?.name ?? '');
  const [webhook, setWebhook] = useState({ url: watch?.webhook?.url ?? '', secret: '' });
  const save = useSave(watch, onClose);
  const refused = fieldErrors(save.error);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (save.error !== null) form.current?.querySelector<HTMLElement>('input[aria-invalid="true"]')?.focus();
  }, [save.error]);
  const t = texts.form;
  const startsOver = watch !== undefined && JSON.stringify(crawl) !== JSON.stringify(watch.crawl);
  return (
    <form
      ref={form}
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate({ crawl, schedule, name, webhook });
      }}
    >
      <Stack>
        <CrawlFields crawl={crawl} setCrawl={setCrawl} refused={refused} />
        <ScheduleFields schedule={schedule} setSchedule={setSchedule} refused={refused} />
        <TextInput
          label={t.name}
          description={t.nameHint}
          value={name}
          error={refused.name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <WebhookFields before={watch?.webhook ?? null} webhook={webhook} setWebhook={setWebhook} refused={refused} />
        {startsOver && (
          <Text size="sm" c="var(--q-wait)">
            {t.startsOver}
          </Text>
        )}
        {save.isError && FIELDS.every((field) => errorAt(field, refused) === undefined) && (
          <Failure error={save.error} />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {all.common.cancel}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {watch === undefined ? t.watch : all.common.save}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

type Refused = Record<string, string>;

interface CrawlFieldsProps {
  crawl: Partial<Crawl>;
  setCrawl: (crawl: Partial<Crawl>) => void;
  refused: Refused;
}

function CrawlFields({ crawl, setCrawl, refused }: CrawlFieldsProps) {
  const t = texts.form;
  return (
    <>
      <TextInput
        label={t.url}
        description={t.urlHint}
        placeholder="https://"
        required
        value={crawl.url ?? ''}
        error={refused['crawl.url']}
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
          error={refused['crawl.maxPages']}
          placeholder={t.maxPagesHint}
          onChange={(value) => setCrawl(withField(crawl, 'maxPages', typeof value === 'number' ? value : undefined))}
        />
      </Group>
      <TagsInput
        label={t.include}
        description={t.includeHint}
        value={crawl.include ?? []}
        error={errorAt('crawl.include', refused)}
        onChange={(value) => setCrawl(withField(crawl, 'include', value.length === 0 ? undefined : value))}
      />
      <TagsInput
        label={t.exclude}
        description={t.excludeHint}
        value={crawl.exclude ?? []}
        error={errorAt('crawl.exclude', refused)}
        onChange={(value) => setCrawl(withField(crawl, 'exclude', value.length === 0 ? undefined : value))}
      />
      <Select
        label={t.sitemap}
        data={SITEMAP_CHOICES}
        value={crawl.sitemap ?? 'skip'}
        allowDeselect={false}
        onChange={(value) => setCrawl(withField(crawl, 'sitemap', value as Crawl['sitemap']))}
      />
    </>
  );
}

interface Webhook {
  url: string;
  secret: string;
}

interface WebhookFieldsProps {
  before: SiteWatch['webhook'];
  webhook: Webhook;
  setWebhook: (webhook: Webhook) => void;
  refused: Refused;
}

function WebhookFields({ before, webhook, setWebhook, refused }: WebhookFieldsProps) {
  const t = texts.form;
  const isSame = webhook.url === before?.url;
  return (
    <>
      <TextInput
        label={t.webhook}
        description={t.webhookHint}
        placeholder="https://"
        value={webhook.url}
        error={refused['webhook.url']}
        onChange={(event) => setWebhook({ ...webhook, url: event.currentTarget.value })}
      />
      {webhook.url !== '' && (
        <SecretField
          secret={webhook.secret}
          setSecret={(secret) => setWebhook({ ...webhook, secret })}
          error={refused['webhook.secret']}
          {...(before?.hasSecret ? { hint: isSame ? t.secretKept : t.secretLost } : {})}
        />
      )}
    </>
  );
}

interface ScheduleFieldsProps {
  schedule: SiteWatch['schedule'];
  setSchedule: (schedule: SiteWatch['schedule']) => void;
  refused: Refused;
}

function ScheduleFields({ schedule, setSchedule, refused }: ScheduleFieldsProps) {
  const t = texts.form;
  return (
    <Group grow align="flex-start">
      <Select
        label={t.every}
        data={intervalsWith(schedule.everyMinutes)}
        value={String(schedule.everyMinutes)}
        allowDeselect={false}
        onChange={(value) => setSchedule(scheduleEvery(Number(value), schedule.timeOfDay))}
      />
      {schedule.everyMinutes % DAY_MINUTES === 0 && (
        <TextInput
          type="time"
          label={t.time}
          value={schedule.timeOfDay ?? ''}
          error={refused['schedule.timeOfDay']}
          onChange={({ currentTarget: { value } }) =>
            setSchedule({ ...schedule, timeOfDay: value === '' ? null : value })
          }
        />
      )}
    </Group>
  );
}

interface Entered {
  crawl: Partial<Crawl>;
  schedule: SiteWatch['schedule'];
  name: string;
  webhook: Webhook;
}

function useSave(watch: SiteWatch | undefined, onDone: () => void) {
  const environment = useEnvironment();
  const query = queryIn(environment, {});
  return useChange(
    ({ crawl, schedule, name, webhook }: Entered) => {
      const given = { crawl: { ...crawl, url: crawl.url ?? '' }, schedule };
      if (watch === undefined) {
        const named = name.trim() === '' ? {} : { name };
        const body = { ...given, ...named, ...(webhook.url === '' ? {} : { webhook: webhookOf(webhook) }) };
        return owner.POST('/admin/watches', { params: { query }, body });
      }
      // A webhook that stays keeps its secret, which the window does not know.
      const isSame = webhook.url === (watch.webhook?.url ?? '') && webhook.secret === '';
      const called = webhook.url === '' ? null : webhookOf(webhook, watch.webhook?.events);
      const body = { ...given, name: name.trim() === '' ? null : name, ...(isSame ? {} : { webhook: called }) };
      return owner.PATCH('/admin/watches/{watchId}', { params: { path: { watchId: watch.watchId }, query }, body });
    },
    { renews: [watchesKey(environment)], onDone, showsError: true },
  );
}

function webhookOf({ url, secret }: Webhook, events?: WebhookEvents) {
  return { url, ...(events === undefined ? {} : { events }), ...(secret === '' ? {} : { secret }) };
}

/** Without the field where it has no value. */
function withField<Key extends keyof Crawl>(crawl: Partial<Crawl>, key: Key, value: Crawl[Key] | undefined) {
  const { [key]: _, ...others } = crawl;
  return (value === undefined ? others : { ...crawl, [key]: value }) as Partial<Crawl>;
}

/** The error of a field, or of an item of its list. */
function errorAt(path: string, refused: Refused): string | undefined {
  return refused[path] ?? Object.entries(refused).find(([one]) => one.startsWith(`${path}.`))?.[1];
}

function scheduleEvery(everyMinutes: number, timeOfDay: string | null): SiteWatch['schedule'] {
  return { everyMinutes, timeOfDay: everyMinutes % DAY_MINUTES === 0 ? timeOfDay : null };
}

/** The usual intervals, and the one that is set. */
function intervalsWith(minutes: number) {
  const all = [...new Set([...INTERVALS, minutes])].toSorted((one, other) => one - other);
  return all.map((value) => ({ value: String(value), label: everyWords(value) }));
}
