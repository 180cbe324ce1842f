import { Anchor, Badge, Button, Group, SegmentedControl, Select, Stack, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { apiPath, ask, useEnvironment } from '../../api/client.ts';
import type { SearchAnswer, SearchHit } from '../../api/generated/public.ts';
import { ONLY_ASKED, operationsQuery } from '../../api/queries.ts';
import { clockTime } from '../../components/format.ts';
import { Empty, Failure, PageHead, Panel, Skeletons } from '../../components/page-elements.tsx';
import { texts } from '../../texts.ts';

const route = getRouteApi('/search');

const RESULTS = 30;

type Mode = 'hybrid' | 'lexical' | 'semantic';

/** Search over all chunks. The query is in the URL. */
export function Search() {
  const environment = useEnvironment();
  const { q = '', mode = 'hybrid', jobType } = route.useSearch();
  const t = texts.search;
  const found = useQuery({
    queryKey: ['search', environment, q, mode, jobType],
    enabled: q !== '',
    // Each search is a job with webhooks, so never refetch automatically.
    staleTime: Number.POSITIVE_INFINITY,
    meta: ONLY_ASKED,
    queryFn: ({ signal }) => {
      const body = { query: q, mode, limit: RESULTS, ...(jobType ? { filter: { jobType } } : {}) };
      return ask<SearchAnswer>(apiPath(environment, '/search'), { method: 'POST', body, signal });
    },
  });
  return (
    <>
      <PageHead title={t.title} about={t.about} />
      <Stack gap="md">
        <Question key={q} />
        {q === '' && (
          <Panel>
            <Empty icon="search" title={t.start}>
              {t.startHow}
            </Empty>
          </Panel>
        )}
        {q !== '' && found.isPending && <Skeletons rows={5} height={60} />}
        {found.isError && <Failure error={found.error} retry={() => void found.refetch()} />}
        {found.data && <Hits answer={found.data} />}
      </Stack>
    </>
  );
}

function Question() {
  const environment = useEnvironment();
  const client = useQueryClient();
  const { q = '', mode = 'hybrid', jobType } = route.useSearch();
  const navigate = route.useNavigate();
  const operations = useQuery(operationsQuery());
  const [words, setWords] = useState(q);
  const t = texts.search;
  const extracting = operations.data?.flatMap(({ id }) => (/^(crawl|extract)/.test(id) ? [id] : [])) ?? [];
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const wanted = words.trim();
        // Drop an older result of the same query.
        void client.resetQueries({ queryKey: ['search', environment, wanted] });
        if (wanted !== q) void navigate({ search: (all) => ({ ...all, q: wanted }) });
      }}
    >
      <Group align="flex-end" gap="sm" wrap="wrap">
        <TextInput
          flex="1 1 280px"
          label={t.query}
          value={words}
          onChange={(event) => setWords(event.currentTarget.value)}
        />
        <Select
          label={t.jobType}
          placeholder={t.anyType}
          clearable
          data={extracting}
          value={jobType ?? null}
          onChange={(value) =>
            void navigate({ search: ({ jobType: _, ...rest }) => (value ? { ...rest, jobType: value } : rest) })
          }
        />
        <SegmentedControl
          aria-label={t.mode}
          value={mode}
          data={Object.entries(t.modes).map(([value, label]) => ({ value, label }))}
          onChange={(value) => void navigate({ search: (all) => ({ ...all, mode: value as Mode }) })}
        />
        <Button type="submit">{t.go}</Button>
      </Group>
    </form>
  );
}

function Hits({ answer }: { answer: SearchAnswer }) {
  const t = texts.search;
  if (answer.results.length === 0) {
    return (
      <Panel>
        <Empty icon="search" title={t.none}>
          {t.noneHow}
        </Empty>
        <Warnings of={answer} />
      </Panel>
    );
  }
  const legs = answer.legs.map((leg) => t.legs[leg] ?? leg).join(', ');
  return (
    <Panel title={t.found(answer.results.length, legs)}>
      <Warnings of={answer} />
      {answer.results.map((hit) => (
        <Hit key={hit.chunkId} hit={hit} />
      ))}
    </Panel>
  );
}

/** Why a search method was not available. */
function Warnings({ of: { warnings } }: { of: SearchAnswer }) {
  return warnings.map((warning) => (
    <Text key={warning} size="sm" c="dimmed" px="md" py={6}>
      {warning}
    </Text>
  ));
}

function Hit({ hit }: { hit: SearchHit }) {
  const t = texts.search;
  const name = hit.sourceName ?? hit.url ?? hit.jobId ?? t.contribution;
  return (
    <article className="chunk">
      <Group gap="xs" mb={6}>
        {hit.jobId === null ? (
          <Text fw={600} className="hit-name">
            {name}
          </Text>
        ) : (
          <Anchor
            fw={600}
            className="hit-name"
            renderRoot={(props) => (
              <Link {...props} to="/jobs/$jobId" params={{ jobId: hit.jobId ?? '' }} search={{ chunk: hit.chunkId }} />
            )}
          >
            {name}
          </Anchor>
        )}
        {hit.startSeconds === undefined && hit.url === null && (
          <Badge variant="default">{texts.jobs.page(hit.page)}</Badge>
        )}
        {hit.startSeconds !== undefined && <Badge variant="default">{t.at(clockTime(hit.startSeconds))}</Badge>}
        {hit.kind !== 'text' && <Badge variant="default">{texts.jobs.chunkKinds[hit.kind] ?? hit.kind}</Badge>}
        {hit.originalText !== undefined && <Badge variant="default">{t.corrected}</Badge>}
        {hit.heading !== null && (
          <Text size="sm" c="dimmed" className="truncate" maw={420}>
            {hit.heading}
          </Text>
        )}
        <Text size="xs" c="dimmed" ml="auto">
          {t.score(Math.round(hit.score * 100))}
        </Text>
      </Group>
      <div className="chunk-text">{withHighlights(hit)}</div>
    </article>
  );
}

function withHighlights({ snippet, highlights }: SearchHit) {
  let at = 0;
  const parts = [...highlights]
    .sort((one, other) => one.start - other.start)
    .flatMap(({ start, end }) => {
      const before = snippet.slice(at, start);
      at = end;
      return [before, <mark key={start}>{snippet.slice(start, end)}</mark>];
    });
  return [...parts, snippet.slice(at)];
}
