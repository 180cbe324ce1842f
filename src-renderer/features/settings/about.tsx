import { Anchor, Group, SegmentedControl, Stack, Text, useMantineColorScheme } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { serverPath } from '../../api/base-path.ts';
import { pageQueryOptions } from '../../api/changes.ts';
import { api, useEnvironment } from '../../api/client.ts';
import { documentQuery, modelsQuery, overviewQuery } from '../../api/queries.ts';
import { choicesOf } from '../../components/choices.ts';
import { Code } from '../../components/code.tsx';
import { formatByteCount } from '../../components/format.ts';
import { LanguageMenu } from '../../components/language-menu.tsx';
import { CopyId, Facts, Panel } from '../../components/page-elements.tsx';
import { texts } from '../../texts.ts';
import { library } from '../library/texts.ts';
import { settings as settingsTexts } from '../models/texts.ts';

const t = settingsTexts;

/** Where the library lives, and what takes room on the disk. */
export function Place() {
  const overview = useQuery(overviewQuery());
  const models = useQuery(modelsQuery());
  const environment = useEnvironment();
  const counts = useQuery(
    pageQueryOptions(['library', environment, 'size'], (signal) => api[environment].GET('/library/counts', { signal })),
  );
  const disk = overview.data?.disk;
  const installed = models.data?.models.filter((model) => model.installed) ?? [];
  const unused = installed.filter(({ lastUsedAt }) => lastUsedAt === null);
  const sizeOf = (some: typeof installed) => some.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return (
    <Panel title={t.place}>
      <Facts
        rows={[
          [t.folder, disk?.folder === undefined ? '…' : <CopyId key="f" value={disk.folder} full label={t.folder} />],
          [
            texts.overview.disk,
            disk === undefined
              ? '…'
              : texts.overview.diskOf({
                  free: formatByteCount(disk.freeBytes),
                  total: formatByteCount(disk.totalBytes),
                }),
          ],
          [t.items, counts.data === undefined ? '…' : library.items({ count: counts.data.total })],
          [
            t.models,
            <span key="models">
              {t.modelsOf({ size: formatByteCount(sizeOf(installed)), count: installed.length })}
              {unused.length > 0 && (
                <>
                  {' '}
                  <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/models" />}>
                    {t.unusedModels({ count: unused.length, size: formatByteCount(sizeOf(unused)) })}
                  </Anchor>
                </>
              )}
            </span>,
          ],
        ]}
      />
      <Text size="sm" mt="sm" c="dimmed">
        {t.folderAbout}
      </Text>
    </Panel>
  );
}

/** The base addresses of both environments, and the owner's token. */
export function Addresses() {
  const document = useQuery(documentQuery());
  const [production, staging] = document.data?.servers ?? [];
  return (
    <>
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
    </>
  );
}

export function Appearance() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <>
      <Panel title={texts.language.title}>
        <LanguageMenu />
      </Panel>
      <Panel title={t.colours}>
        <SegmentedControl
          aria-label={t.colours}
          value={colorScheme}
          data={choicesOf(t.colourChoices)}
          onChange={setColorScheme}
        />
        <Text size="sm" mt="sm" c="dimmed">
          {t.coloursAbout}
        </Text>
      </Panel>
    </>
  );
}

export function About() {
  const overview = useQuery(overviewQuery());
  return (
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
  );
}
