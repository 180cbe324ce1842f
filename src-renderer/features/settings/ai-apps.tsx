import { Button, Checkbox, Group, Stack, Tabs, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useChange } from '../../api/changes.ts';
import { owner } from '../../api/client.ts';
import { documentQuery, keysQuery } from '../../api/queries.ts';
import { namedEntries } from '../../components/choices.ts';
import { Code } from '../../components/code.tsx';
import { Icon } from '../../components/icon.tsx';
import { CopyId, Panel } from '../../components/page-elements.tsx';
import { showToast } from '../../components/toast.tsx';
import { aiApps as t } from './connection-texts.ts';

type App = keyof typeof t.apps;

/** Stands in the text until a key is made. */
const KEY_TO_COME = 'qk_…';

/** What an app needs to connect by MCP. */
function configOf(app: App, url: string, key: string): string {
  const headers = { Authorization: `Bearer ${key}` };
  if (app === 'claude') {
    return `claude mcp add --transport http quarry ${url} --header "Authorization: Bearer ${key}"`;
  }
  if (app === 'other') return `${url}\nAuthorization: Bearer ${key}`;
  const server = app === 'vscode' ? { type: 'http', url, headers } : { url, headers };
  return JSON.stringify({ [app === 'vscode' ? 'servers' : 'mcpServers']: { quarry: server } }, null, 2);
}

/** Where Quarry is reached, without the path of its API. */
function useServerUrl(): string | undefined {
  return useQuery(documentQuery()).data?.servers[0]?.url.replace(/\/v1$/, '');
}

/** Connects AI apps: the text for each, with a key that is made on the spot. */
export function AiApps() {
  const [app, setApp] = useState<App>('claude');
  const [rights, setRights] = useState<string[]>(['read', 'run']);
  const [keys, setKeys] = useState<Partial<Record<App, string>>>({});
  const server = useServerUrl();
  const url = server === undefined ? '…' : `${server}/mcp`;
  const name = t.keyOf({ app: t.apps[app] });
  const make = useChange(() => owner.POST('/admin/keys', { body: { name, scopes: rights } }), {
    renews: [keysQuery().queryKey],
    onDone: (made) => {
      if (made === undefined) return;
      setKeys({ ...keys, [app]: made.key });
      navigator.clipboard.writeText(configOf(app, url, made.key)).then(
        () => showToast({ message: t.copied({ name }) }),
        // The browser may want another click, which the button of the text is.
        () => showToast({ icon: 'info', message: t.made({ name }) }),
      );
    },
  });
  const key = keys[app];
  return (
    <Panel title={t.title} about={t.about}>
      <Stack gap="md">
        <Tabs value={app} onChange={(next) => next !== null && setApp(next as App)} keepMounted={false}>
          <Tabs.List mb="sm" aria-label={t.title}>
            {namedEntries(t.apps).map(([one, label]) => (
              <Tabs.Tab key={one} value={one}>
                {label}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {namedEntries(t.apps).map(([one, label]) => (
            <Tabs.Panel key={one} value={one}>
              <Code value={configOf(one, url, keys[one] ?? KEY_TO_COME)} label={label} />
              <Text size="sm" mt={6} c="dimmed">
                {t.paste[one]}
              </Text>
            </Tabs.Panel>
          ))}
        </Tabs>
        <Checkbox.Group
          label={t.may}
          value={rights}
          onChange={setRights}
          error={rights.length === 0 ? t.chooseSome : undefined}
        >
          <Stack gap="xs" mt={6}>
            <Checkbox value="read" label={t.read} />
            <Checkbox value="run" label={t.run} />
          </Stack>
        </Checkbox.Group>
        <Group>
          <Button
            leftSection={<Icon name="copy" />}
            disabled={rights.length === 0 || server === undefined}
            loading={make.isPending}
            onClick={() => make.mutate()}
          >
            {key === undefined ? t.copy : t.again}
          </Button>
        </Group>
      </Stack>
    </Panel>
  );
}

/** The base address for clients of OpenAI. */
export function OpenAiPrograms() {
  const server = useServerUrl();
  return (
    <Panel title={t.programs} about={t.programsAbout}>
      {server !== undefined && <CopyId value={`${server}/openai/v1`} full label={t.base} />}
    </Panel>
  );
}
