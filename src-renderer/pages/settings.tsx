import { Anchor, Button, Grid, Group, NumberInput, Stack, Switch, TagsInput, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../api/client.ts';
import { documentQuery, overviewQuery, settingsQuery } from '../api/queries.ts';
import type { Settings } from '../api/types.ts';
import { Code, CopyId, Facts, Failure, Loading, PageHead, Panel } from '../components/parts.tsx';
import { fieldLabel } from '../forms/schema-value.ts';
import { texts } from '../texts.ts';

/** Everything the owner can change, field by field as the server names it, and facts about this appliance. */
export function SettingsPage() {
  const settings = useQuery(settingsQuery());
  const t = texts.settings;
  return (
    <>
      <PageHead title={t.title} about={t.about} />
      <Grid gap="md">
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <Panel>
            {settings.isPending && <Loading rows={8} />}
            {settings.isError && <Failure error={settings.error} retry={() => void settings.refetch()} />}
            {settings.data && <SettingsForm key={JSON.stringify(settings.data)} settings={settings.data} />}
          </Panel>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <About />
        </Grid.Col>
      </Grid>
    </>
  );
}

function SettingsForm({ settings }: { settings: Settings }) {
  const client = useQueryClient();
  const [change, setChange] = useState<Record<string, unknown>>({});
  const save = useMutation({
    mutationFn: () => ask<Settings>('/admin/settings', { method: 'PATCH', body: change }),
    onSuccess: (next) => {
      notifications.show({ message: texts.settings.saved });
      client.setQueryData(settingsQuery().queryKey, next);
    },
  });
  const changed = Object.keys(change).length > 0;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <Stack gap="lg">
        {Object.entries(settings).map(([name, value]) => (
          <SettingField
            key={name}
            name={name}
            value={Object.hasOwn(change, name) ? change[name] : value}
            onChange={(next) => setChange((all) => ({ ...all, [name]: next }))}
          />
        ))}
        {save.isError && <Failure error={save.error} />}
        <Group>
          <Button type="submit" disabled={!changed} loading={save.isPending}>
            {texts.common.save}
          </Button>
          <Button variant="default" disabled={!changed} onClick={() => setChange({})}>
            {texts.settings.revert}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface SettingFieldProps {
  name: string;
  value: unknown;
  onChange: (value: unknown) => void;
}

/** The field for a setting, by the kind of value it has: a new setting of the server appears by itself. */
function SettingField({ name, value, onChange }: SettingFieldProps) {
  const shared = { label: texts.settings.names[name] ?? fieldLabel(name), description: texts.settings.hints[name] };
  if (typeof value === 'boolean') {
    return <Switch {...shared} checked={value} onChange={(event) => onChange(event.currentTarget.checked)} />;
  }
  if (typeof value === 'number') {
    return <NumberInput {...shared} maw={260} value={value} min={1} onChange={(next) => onChange(Number(next))} />;
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
  return (
    <Stack gap="md">
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
            <Anchor href="/reference" size="sm">
              {t.reference}
            </Anchor>
            <Anchor href="/openapi.json" size="sm">
              {t.openapi}
            </Anchor>
          </Group>
        </Stack>
      </Panel>
    </Stack>
  );
}
