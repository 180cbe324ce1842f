import { Button, Group, NumberInput, Select, Stack, Switch, TagsInput, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { errorsByField, requestJson } from '../../api/client.ts';
import type { Settings } from '../../api/generated/owner.ts';
import { settingsQuery } from '../../api/queries.ts';
import { namedEntries } from '../../components/choices.ts';
import { humanizeName, joinTexts } from '../../components/format.ts';
import { Icon, type IconName } from '../../components/icon.tsx';
import { notify } from '../../components/notify.ts';
import { Failure, PageHead, Panel, Skeletons } from '../../components/page-elements.tsx';
import { useUnsavedGuard } from '../../components/unsaved.ts';
import { perLanguage } from '../../language/locale.ts';
import { texts } from '../../texts.ts';
import { settings as settingsTexts } from '../models/texts.ts';
import { About, Addresses, Appearance } from './about.tsx';
import { AiApps, OpenAiPrograms } from './ai-apps.tsx';
import { anchorOf } from './anchor.ts';
import { AuditTable } from './audit-table.tsx';
import { Backups } from './backups.tsx';
import { BrowserPanel } from './browser.tsx';
import { Devices } from './devices.tsx';
import { Disk } from './disk.tsx';
import { KEPT, Kept } from './kept.tsx';
import { Keys } from './keys.tsx';
import { Mirrors } from './mirrors.tsx';
import { Nodes } from './nodes.tsx';
import { Places } from './places.tsx';
import { Sessions } from './sessions.tsx';

/** The settings of a section, with the lists that belong to it; a search finds settings of all sections. */
export function SettingsPage() {
  const { section: named } = useParams({ strict: false });
  const current = SECTION_NAMES.find((name) => name === named) ?? 'storage';
  const [words, setWords] = useState('');
  const t = settingsTexts;
  return (
    <div className="settings-page">
      <div className="settings-side">
        <PageHead title={t.title} />
        <TextInput
          aria-label={t.search}
          placeholder={t.search}
          leftSection={<Icon name="search" />}
          value={words}
          onChange={(event) => setWords(event.currentTarget.value)}
        />
        {words.trim() === '' ? <SectionLinks current={current} /> : <Found words={words} />}
      </div>
      <div className="settings">
        <SectionContent key={current} section={current} />
      </div>
    </div>
  );
}

type SectionName = keyof typeof settingsTexts.parts;

const SECTION_NAMES = namedEntries(settingsTexts.parts).map(([name]) => name);

const SECTION_ICONS = {
  storage: 'hard-drive',
  reading: 'book-open',
  voices: 'speech',
  connections: 'plug',
  service: 'globe',
  look: 'sun-moon',
  about: 'info',
} as const satisfies Record<SectionName, IconName>;

function SectionLinks({ current }: { current: SectionName }) {
  return (
    <nav aria-label={settingsTexts.title} className="settings-nav">
      {namedEntries(settingsTexts.parts).map(([name, { title, about }]) => (
        <Link
          key={name}
          to="/settings/$section"
          params={{ section: name }}
          {...(name === current ? { 'aria-current': 'page' as const } : { 'aria-current': undefined })}
        >
          <Icon name={SECTION_ICONS[name]} />
          <span>
            <b>{title}</b>
            <span className="small">{about}</span>
          </span>
        </Link>
      ))}
    </nav>
  );
}

/** Settings and lists whose name or description has all the words. */
function Found({ words }: { words: string }) {
  const wanted = words.toLowerCase().split(/\s+/);
  const t = settingsTexts;
  const found = namedEntries(t.parts).flatMap(([section, { title, about, lists }]) =>
    [
      ...SECTIONS()[section].flatMap(([, names]) => names.map((name) => t.names[name] ?? humanizeName(name))),
      ...Object.values<string>(lists),
    ]
      .map((label) => ({ section, title, label }))
      .filter(({ label }) => {
        const text = `${label} ${title} ${about} ${hintOf(label)}`.toLowerCase();
        return wanted.every((word) => text.includes(word));
      }),
  );
  return (
    <nav aria-label={t.found({ count: found.length })} className="settings-nav">
      <p className="small dim" role="status">
        {t.found({ count: found.length })}
      </p>
      {found.map(({ section, title, label }) => (
        <Link key={`${section} ${label}`} to="/settings/$section" params={{ section }} hash={anchorOf(label)}>
          <Icon name={SECTION_ICONS[section]} />
          <span>
            <b>{label}</b>
            <span className="small">{title}</span>
          </span>
        </Link>
      ))}
    </nav>
  );
}

/** The description below a setting, by its label. */
function hintOf(label: string): string {
  const { names, hints } = settingsTexts;
  const name = Object.keys(names).find((one) => names[one] === label);
  return (name !== undefined && hints[name]) || '';
}

function SectionContent({ section }: { section: SectionName }) {
  const settings = useQuery(settingsQuery());
  const needsForm = SECTIONS()[section].length > 0;
  if (needsForm && settings.isPending) return <Skeletons rows={8} />;
  return (
    <>
      {section === 'connections' && <AiApps />}
      {section === 'storage' && (
        <>
          <Places />
          <Disk terms={settings.data} />
        </>
      )}
      {needsForm && settings.isError && <Failure error={settings.error} retry={() => void settings.refetch()} />}
      {needsForm && settings.data && <SettingsForm settings={settings.data} section={section} />}
      {section === 'reading' && <BrowserPanel />}
      {section === 'storage' && (
        <>
          <Backups />
          <Mirrors />
          {settings.data && <Kept settings={settings.data} />}
        </>
      )}
      {section === 'connections' && (
        <>
          <OpenAiPrograms />
          <Keys />
          <Devices />
          <Sessions />
        </>
      )}
      {section === 'service' && (
        <>
          <Nodes />
          <AuditTable />
          <Addresses />
        </>
      )}
      {section === 'look' && <Appearance />}
      {section === 'about' && <About />}
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

function SettingsForm({ settings, section }: { settings: Settings; section: SectionName }) {
  const client = useQueryClient();
  const [typed, setTyped] = useState<Record<string, Typed>>({});
  const stored: Record<string, unknown> = { ...settings };
  const changes = Object.entries(typed).filter(([name, { value }]) => !isSameJson(value, stored[name]));
  const save = useMutation({
    mutationFn: (change: Record<string, unknown>) =>
      requestJson<Settings>('/admin/settings', { method: 'PATCH', body: change }),
    onSuccess: (next, sent) => {
      notify({ message: settingsTexts.saved });
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
      {settingGroups(settings, section).map(([title, names]) => (
        <Panel key={title} title={title}>
          <Stack gap="md">
            {names.map((name) => (
              <div key={name} id={anchorOf(settingsTexts.names[name] ?? humanizeName(name))}>
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
          {changed && settingsTexts.unsaved({ count: changes.length })}
        </span>
        <Button variant="default" disabled={!changed} onClick={() => setTyped({})}>
          {settingsTexts.revert}
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
  const t = settingsTexts;
  const isNews = typed !== undefined && !isSameJson(typed.over, stored) && !isSameJson(typed.value, stored);
  return (
    <div role="status">
      {isNews && (
        <Group gap="xs" mt={6}>
          <Text size="sm" c="var(--q-wait)" className="break">
            {t.changedElsewhere({ value: settingValueText(stored) })}
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
  const t = settingsTexts;
  if (typeof value === 'boolean') return value ? t.on : t.off;
  const text = Array.isArray(value) ? joinTexts(value) : String(value ?? '');
  return text === '' ? t.empty : text;
}

type SettingName = keyof Settings;

/** Settings with a page of their own. */
const ELSEWHERE: readonly SettingName[] = ['jobViews'];

const SPEECH_SERVER = ['speechServerUrl', 'speechServerModel', 'speechServerVoices'] as const;

type SettingGroup = [title: string, names: SettingName[]];

const { sections: groups } = settingsTexts;

/** The settings of each section, in groups. */
const SECTIONS = perLanguage(
  (): Record<SectionName, SettingGroup[]> => ({
    storage: [
      [groups.storage, [...KEPT]],
      [groups.disk, ['lowDiskMb']],
      [groups.backup, ['backupFolder', 'backupEveryHours', 'backupsKept']],
    ],
    reading: [
      [
        groups.crawling,
        ['crawlMaxPages', 'crawlMaxMinutes', 'crawlDelayMs', 'crawlRender', 'watchRunsKept', 'watchDiffsMb'],
      ],
      [groups.models, ['modelMirrorUrl', 'textModel', 'textModelIdleMinutes', 'textServerUrl']],
      [groups.sizes, ['documentLimitMb', 'videoLimitMb', 'jsonLimitMb']],
    ],
    voices: [[groups.voices, ['pronunciations', ...SPEECH_SERVER]]],
    connections: [],
    service: [
      [groups.access, ['publicUrl', 'trustedProxies', 'allowedOrigins', 'allowPrivateNetworks', 'allowHttpWebhooks']],
    ],
    look: [],
    about: [],
  }),
);

/** The settings of a section in reading order. Unknown ones come last, among those of the service. */
function settingGroups(settings: Settings, section: SectionName): SettingGroup[] {
  if (section === 'storage') return SECTIONS().storage.filter(([title]) => title !== groups.storage);
  if (section !== 'service') return SECTIONS()[section];
  const all = Object.values(SECTIONS()).flatMap((some) => some.flatMap(([, names]) => names));
  const known = new Set<string>([...all, ...ELSEWHERE]);
  const rest = (Object.keys(settings) as SettingName[]).filter((name) => !known.has(name));
  return rest.length === 0 ? SECTIONS().service : [...SECTIONS().service, [groups.others, rest]];
}

/** Error messages by setting. */
function errorsBySetting(error: unknown): Record<string, string> {
  return Object.fromEntries(
    Object.entries(errorsByField(error)).map(([path, said]) => [path.split('.')[0] ?? path, said]),
  );
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
  const label = settingsTexts.names[name] ?? humanizeName(name);
  const shared = { label, description: settingsTexts.hints[name], error };
  if (typeof stored === 'boolean') {
    return <Switch {...shared} checked={value === true} onChange={(event) => onChange(event.currentTarget.checked)} />;
  }
  if (typeof stored === 'number') {
    // An empty field stays empty: a 0 would precede the next digit.
    const number = typeof value === 'number' ? value : '';
    const changeSettingNumber = (next: number | string) => onChange(next === '' ? '' : Number(next));
    return <NumberInput {...shared} maw={420} value={number} min={0} onChange={changeSettingNumber} />;
  }
  const choices = settingsTexts.choices[name];
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
