import { Button, Group, Modal, NumberInput, Select, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useChange } from '../../api/changes.ts';
import { fieldErrors, owner, queryIn, useEnvironment } from '../../api/client.ts';
import type { SiteWatch } from '../../api/generated/owner.ts';
import { watchesKey } from '../../api/queries.ts';
import { Failure } from '../../components/page-elements.tsx';
import { texts as all } from '../../texts.ts';
import { watches as texts } from './texts.ts';
import { everyWords } from './watch-words.tsx';

const INTERVALS = [15, 60, 360, 720, 1440, 2880, 10_080, 40_320];

const DAY_MINUTES = 1440;

const DEPTHS = ['0', '1', '2', '3'];

/** Fields that show their own errors. */
const FIELDS = ['name', 'crawl.url', 'crawl.maxPages', 'schedule.timeOfDay', 'webhook.url'];

type Crawl = SiteWatch['crawl'];

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
    <Modal opened={opened} onClose={onClose} title={title} closeButtonProps={{ 'aria-label': all.common.close }}>
      <WatchForm {...form} onClose={onClose} />
    </Modal>
  );
}

function WatchForm({ watch, crawl: given, onClose }: Omit<WatchDialogProps, 'opened'>) {
  const [crawl, setCrawl] = useState<Partial<Crawl>>(watch?.crawl ?? { depth: 1, ...given });
  const [schedule, setSchedule] = useState(watch?.schedule ?? { everyMinutes: DAY_MINUTES, timeOfDay: null });
  const [name, setName] = useState(watch?.name ?? '');
  const [webhook, setWebhook] = useState(watch?.webhook?.url ?? '');
  const save = useSave(watch, onClose);
  const refused = fieldErrors(save.error);
  const t = texts.form;
  const startsOver = watch !== undefined && JSON.stringify(crawl) !== JSON.stringify(watch.crawl);
  return (
    <form
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
        <TextInput
          label={t.webhook}
          description={t.webhookHint}
          placeholder="https://"
          value={webhook}
          error={refused['webhook.url']}
          onChange={(event) => setWebhook(event.currentTarget.value)}
        />
        {startsOver && (
          <Text size="sm" c="var(--q-wait)">
            {t.startsOver}
          </Text>
        )}
        {save.isError && !FIELDS.some((field) => refused[field] !== undefined) && <Failure error={save.error} />}
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
          onChange={(value) => setCrawl(withMaxPages(crawl, value))}
        />
      </Group>
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
  webhook: string;
}

function useSave(watch: SiteWatch | undefined, onDone: () => void) {
  const environment = useEnvironment();
  const query = queryIn(environment, {});
  return useChange(
    ({ crawl, schedule, name, webhook }: Entered) => {
      const given = { crawl: { ...crawl, url: crawl.url ?? '' }, schedule };
      if (watch === undefined) {
        const named = name.trim() === '' ? {} : { name };
        const called = webhook === '' ? {} : { webhook: { url: webhook } };
        return owner.POST('/admin/watches', { params: { query }, body: { ...given, ...named, ...called } });
      }
      // A webhook that stays keeps its secret, which the window does not know.
      const called =
        webhook === (watch.webhook?.url ?? '') ? {} : { webhook: webhook === '' ? null : { url: webhook } };
      const body = { ...given, name: name.trim() === '' ? null : name, ...called };
      return owner.PATCH('/admin/watches/{watchId}', { params: { path: { watchId: watch.watchId }, query }, body });
    },
    { renews: [watchesKey(environment)], onDone, showsError: true },
  );
}

function withMaxPages({ maxPages: _, ...crawl }: Partial<Crawl>, value: string | number): Partial<Crawl> {
  return typeof value === 'number' ? { ...crawl, maxPages: value } : crawl;
}

function scheduleEvery(everyMinutes: number, timeOfDay: string | null): SiteWatch['schedule'] {
  return { everyMinutes, timeOfDay: everyMinutes % DAY_MINUTES === 0 ? timeOfDay : null };
}

/** The usual intervals, and the one that is set. */
function intervalsWith(minutes: number) {
  const all = [...new Set([...INTERVALS, minutes])].toSorted((one, other) => one - other);
  return all.map((value) => ({ value: String(value), label: everyWords(value) }));
}
