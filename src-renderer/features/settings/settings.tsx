import { Anchor, Button, Group, NumberInput, Select, Stack, Switch, TagsInput, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { serverPath } from '../../api/base-path.ts';
import { ApiError, requestJson } from '../../api/client.ts';
import type { Settings } from '../../api/generated/owner.ts';
import { documentQuery, overviewQuery, settingsQuery } from '../../api/queries.ts';
import { Code } from '../../components/code.tsx';
import { formatByteCount, humanizeName } from '../../components/format.ts';
import { CopyId, Facts, Failure, PageHead, Panel, Skeletons } from '../../components/page-elements.tsx';
import { useUnsavedGuard } from '../../components/unsaved.ts';
import { texts } from '../../texts.ts';
import { AuditTable } from './audit-table.tsx';
import { Devices } from './devices.tsx';
import { Keys } from './keys.tsx';
import { Nodes } from './nodes.tsx';
import { Sessions } from './sessions.tsx';

/** All settings of the server, and information about the appliance. */
export function SettingsPage() {
  const settings = useQuery(settingsQuery());
  const t = texts.settings;
  return (
    <>
      <PageHead title={t.title} about={t.about} />
      <div className="settings">
        {settings.isPending && <Skeletons rows={8} />}
        {settings.isError && <Failure error={settings.error} retry={() => void settings.refetch()} />}
        {settings.data && <SettingsForm settings={settings.data} />}
        {/* Below the form: before it is there, they would be pushed down. */}
        {!settings.isPending && (
          <>
            <Devices />
            <Keys />
            <Nodes />
            <Sessions />
            <AuditTable />
            <About />
          </>
        )}
      </div>
    </>
  );
}

/** Unsaved input, and the stored value when editing began, which may change meanwhile. */
interface Typed {
  value: unknown;
  over: unknown;
}

const isSameJson = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

function withoutDone(
  typed: Record<string, Typed>,
  isDone: (name: string, entry: Typed) => boolean,
): Record<string, Typed> {
  return Object.fromEntries(Object.entries(typed).filter(([name, entry]) => !isDone(name, entry)));
}

function SettingsForm({ settings }: { settings: Settings }) {
  const client = useQueryClient();
  const [typed, setTyped] = useState<Record<string, Typed>>({});
  const stored: Record<string, unknown> = { ...settings };
  const changes = Object.entries(typed).filter(([name, { value }]) => !isSameJson(value, stored[name]));
  const save = useMutation({
    mutationFn: (change: Record<string, unknown>) =>
      requestJson<Settings>('/admin/settings', { method: 'PATCH', body: change }),
    onSuccess: (next, sent) => {
      notifications.show({ message: texts.settings.saved });
      client.setQueryData(settingsQuery().queryKey, next);
      // Keep input typed while the request ran.
      setTyped((all) =>
        withoutDone(all, (name, { value }) => Object.hasOwn(sent, name) && isSameJson(value, sent[name])),
      );
    },
  });
  const changed = changes.length > 0;
  useUnsavedGuard(changed);
  const errors = errorsBySetting(save.error);
  const typeSetting = (name: string, value: unknown) =>
    setTyped((all) => ({ ...all, [name]: { value, over: all[name]?.over ?? stored[name] } }));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(Object.fromEntries(changes.map(([name, { value }]) => [name, value])));
      }}
    >
      {settingSections(settings).map(([title, names]) => (
        <Panel key={title} title={title}>
          <Stack gap="md">
            {names.map((name) => (
              <div key={name}>
                <SettingField
                  name={name}
                  stored={settings[name]}
                  value={typed[name] === undefined ? settings[name] : typed[name].value}
                  error={errors[name]}
                  onChange={(next) => typeSetting(name, next)}
                />
                <ChangedElsewhere
                  typed={typed[name]}
                  stored={settings[name]}
                  onTake={() => setTyped((all) => withoutDone(all, (one) => one === name))}
                />
              </div>
            ))}
          </Stack>
        </Panel>
      ))}
      {save.isError && <Failure error={save.error} />}
      <div className="save-bar" data-changed={changed}>
        <span role="status" className="grow">
          {changed && texts.settings.unsaved(changes.length)}
        </span>
        <Button variant="default" disabled={!changed} onClick={() => setTyped({})}>
          {texts.settings.revert}
        </Button>
        <Button type="submit" disabled={!changed} loading={save.isPending}>
          {texts.common.save}
        </Button>
      </div>
    </form>
  );
}

/** Warns that another window changed a setting that has unsaved input here. */
function ChangedElsewhere(props: { typed: Typed | undefined; stored: unknown; onTake: () => void }) {
  const { typed, stored, onTake } = props;
  const t = texts.settings;
  const isNews = typed !== undefined && !isSameJson(typed.over, stored) && !isSameJson(typed.value, stored);
  return (
    <div role="status">
      {isNews && (
        <Group gap="xs" mt={6}>
          <Text size="sm" c="var(--q-wait)" className="break">
            {t.changedElsewhere(settingValueText(stored))}
          </Text>
          <Button size="compact-xs" variant="default" onClick={onTake}>
            {t.takeStored}
          </Button>
        </Group>
      )}
    </div>
  );
}

function settingValueText(value: unknown): string {
  const t = texts.settings;
  if (typeof value === 'boolean') return value ? t.on : t.off;
  const text = Array.isArray(value) ? value.join(', ') : String(value ?? '');
  return text === '' ? t.empty : text;
}

type SettingName = keyof Settings;

/** Settings with a page of their own. */
const ELSEWHERE: readonly SettingName[] = ['jobViews'];

const SPEECH_SERVER = ['speechServerUrl', 'speechServerModel', 'speechServerVoices'] as const;

const SECTIONS: [title: string, names: SettingName[]][] = [
  [texts.settings.sections.storage, ['retentionHours', 'lowDiskMb']],
  [texts.settings.sections.backup, ['backupFolder', 'backupEveryHours', 'backupsKept']],
  [
    texts.settings.sections.access,
    ['publicUrl', 'trustedProxies', 'allowedOrigins', 'allowPrivateNetworks', 'allowHttpWebhooks'],
  ],
  [
    texts.settings.sections.crawling,
    ['crawlMaxPages', 'crawlMaxMinutes', 'crawlDelayMs', 'crawlRender', 'watchRunsKept', 'watchDiffsMb'],
  ],
  [
    texts.settings.sections.models,
    ['modelMirrorUrl', 'textModel', 'textModelIdleMinutes', 'textServerUrl', ...SPEECH_SERVER, 'pronunciations'],
  ],
  [texts.settings.sections.sizes, ['documentLimitMb', 'videoLimitMb', 'jsonLimitMb']],
];

/** All settings of the server in reading order. Unknown ones come last. */
function settingSections(settings: Settings): [title: string, names: SettingName[]][] {
  const known = new Set<string>([...SECTIONS.flatMap(([, names]) => names), ...ELSEWHERE]);
  const rest = (Object.keys(settings) as SettingName[]).filter((name) => !known.has(name));
  return rest.length === 0 ? SECTIONS : [...SECTIONS, [texts.settings.sections.others, rest]];
}

/** Error messages by setting. */
function errorsBySetting(error: unknown): Record<string, string> {
  const errors = error instanceof ApiError ? (error.problem.errors ?? []) : [];
  return Object.fromEntries(errors.map(({ path, message }) => [path.split('.')[0] ?? path, message]));
}

interface SettingFieldProps {
  name: string;
  /** Decides the type of the field, because the input may be empty. */
  stored: unknown;
  value: unknown;
  error: string | undefined;
  onChange: (value: unknown) => void;
}

/** The field for a setting, by the type of its value. New settings of the server need no code here. */
function SettingField({ name, stored, value, error, onChange }: SettingFieldProps) {
  const label = texts.settings.names[name] ?? humanizeName(name);
  const shared = { label, description: texts.settings.hints[name], error };
  if (typeof stored === 'boolean') {
    return <Switch {...shared} checked={value === true} onChange={(event) => onChange(event.currentTarget.checked)} />;
  }
  if (typeof stored === 'number') {
    // An empty field stays empty: a 0 would precede the next digit.
    const number = typeof value === 'number' ? value : '';
    const changeSettingNumber = (next: number | string) => onChange(next === '' ? '' : Number(next));
    return <NumberInput {...shared} maw={420} value={number} min={0} onChange={changeSettingNumber} />;
  }
  const choices = texts.settings.choices[name];
  if (choices !== undefined) {
    const data = Object.entries(choices).map(([one, label]) => ({ value: one, label }));
    return <Select {...shared} maw={420} data={data} value={String(value)} allowDeselect={false} onChange={onChange} />;
  }
  if (Array.isArray(value)) return <TagsInput {...shared} value={value.map(String)} onChange={onChange} />;
  const text = value === null ? '' : String(value);
  return (
    <TextInput
      {...shared}
      value={text}
      onChange={(event) => onChange(event.currentTarget.value === '' ? null : event.currentTarget.value)}
    />
  );
}

function About() {
  const overview = useQuery(overviewQuery());
  const document = useQuery(documentQuery());
  const t = texts.settings;
  const [production, staging] = document.data?.servers ?? [];
  const disk = overview.data?.disk;
  return (
    <>
      <Panel title={t.data}>
        <Facts
          rows={[
            [
              t.folder,
              disk?.folder === undefined ? '…' : <CopyId key="folder" value={disk.folder} full label={t.folder} />,
            ],
            [
              texts.overview.disk,
              disk === undefined
                ? '…'
                : texts.overview.diskOf(formatByteCount(disk.freeBytes), formatByteCount(disk.totalBytes)),
            ],
          ]}
        />
        <Text size="sm" mt="sm" c="dimmed">
          {t.folderAbout}
        </Text>
      </Panel>
      <Panel title={t.addresses}>
        <Facts
          rows={[
            [
              t.production,
              production === undefined ? '…' : <CopyId key="p" value={production.url} full label={t.production} />,
            ],
            [t.staging, staging === undefined ? '…' : <CopyId key="s" value={staging.url} full label={t.staging} />],
          ]}
        />
      </Panel>
      <Panel title={t.tokens}>
        <Stack gap="sm">
          <Text size="sm">{t.tokensAbout}</Text>
          <Code value="npm run token" label={t.tokens} />
        </Stack>
      </Panel>
      <Panel title={t.aboutTitle}>
        <Stack gap="sm">
          <Facts
            rows={[
              [t.version, overview.data?.version ?? '…'],
              [t.licence, t.licenceName],
            ]}
          />
          <Group>
            <Anchor href={serverPath('/reference')} size="sm">
              {t.reference}
            </Anchor>
            <Anchor href={serverPath('/openapi.json')} size="sm">
              {t.openapi}
            </Anchor>
          </Group>
        </Stack>
      </Panel>
    </>
  );
}
