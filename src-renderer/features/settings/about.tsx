import { Anchor, Group, SegmentedControl, Stack, Text, useMantineColorScheme } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { serverPath } from '../../api/base-path.ts';
import { documentQuery, overviewQuery } from '../../api/queries.ts';
import { choicesOf } from '../../components/choices.ts';
import { Code } from '../../components/code.tsx';
import { LanguageMenu } from '../../components/language-menu.tsx';
import { CopyId, Facts, Panel } from '../../components/page-elements.tsx';
import { texts } from '../../texts.ts';
import { settings as settingsTexts } from '../models/texts.ts';

const t = settingsTexts;

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
