import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Key } from '../../api/generated/owner.ts';
import { documentQuery, operationsQuery } from '../../api/queries.ts';
import { Code } from '../../components/code.tsx';
import { operationOf } from '../../components/work.ts';
import { keys as t } from './key-texts.ts';

export type MadeKey = Pick<Key, 'name' | 'scopes'> & { key: string };

/** Scopes with which some call of an OpenAI client works. */
const OPEN_AI = ['admin', 'run', 'run:generate/text', 'run:generate/audio', 'run:extract/video'];

/** The key, shown once, with texts to paste into tools. */
export function NewKey({ made: { key, scopes }, onClose }: { made: MadeKey; onClose: () => void }) {
  const production = useQuery(documentQuery()).data?.servers[0]?.url;
  const operations = useQuery(operationsQuery());
  const id = permittedExample(scopes);
  const example = operations.data?.find((one) => one.id === id)?.example;
  return (
    <Stack>
      <Text size="sm" role="status">
        {t.shownOnce}
      </Text>
      <Code value={key} label={t.key.toLowerCase()} />
      {production !== undefined && example !== undefined && (
        <Named title={t.curl} value={keyCurlCommand(`${production}/${id}`, key, example)} />
      )}
      {production !== undefined && scopes.some((scope) => OPEN_AI.includes(scope)) && (
        <Named title={t.openAi} value={openAiClient(production, key)} />
      )}
      <Group justify="flex-end">
        {/* The form that had the focus is gone. */}
        <Button autoFocus onClick={onClose}>
          {t.close}
        </Button>
      </Group>
    </Stack>
  );
}

function Named({ title, value }: { title: string; value: string }) {
  return (
    <div>
      <Text size="sm" fw={550} mb={6}>
        {title}
      </Text>
      <Code value={value} label={title} />
    </div>
  );
}

/** An operation that the key may call. */
function permittedExample(scopes: readonly string[]): string {
  const own = scopes.find((scope) => scope.startsWith('run:'))?.slice('run:'.length);
  return own ?? (scopes.includes('run') ? operationOf('speak') : operationOf('search'));
}

function keyCurlCommand(url: string, key: string, example: unknown): string {
  const body = JSON.stringify(example).replaceAll("'", "'\\''");
  const headers = [`-H 'Authorization: Bearer ${key}'`, `-H 'Content-Type: application/json'`];
  return [`curl '${url}'`, ...headers, `-d '${body}'`].join(' \\\n  ');
}

function openAiClient(production: string, key: string): string {
  return `OPENAI_BASE_URL=${production.replace(/\/v1$/, '/openai/v1')}\nOPENAI_API_KEY=${key}`;
}
