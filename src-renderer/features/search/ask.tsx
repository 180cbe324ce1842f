import { Anchor, Button, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useChange } from '../../api/changes.ts';
import { api, dataOf, owner, useEnvironment } from '../../api/client.ts';
import type { InstallChoice, SearchAnswer } from '../../api/generated/public.ts';
import { needsQuery } from '../../api/queries.ts';
import { clockTime, formatWholeNumber } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { Failure } from '../../components/page-elements.tsx';
import { InstallDialog } from '../models/install-dialog.tsx';
import { search as searchTexts } from './texts.ts';

const t = searchTexts;

const HITS_READ = 10;

interface AskProps {
  query: string;
  mode: 'hybrid' | 'lexical' | 'semantic';
  filter: object;
}

/** Answers the query as a question, by quotations that open their places. */
export function Ask({ query, mode, filter }: AskProps): ReactNode {
  const environment = useEnvironment();
  const ask = useMutation({
    mutationFn: async () => {
      const body = { query, mode, filter, limit: HITS_READ, offset: 0, facets: false, answer: true };
      return dataOf(api[environment].POST('/search', { body }));
    },
  });
  const found = ask.data && 'results' in ask.data ? ask.data : undefined;
  return (
    <section className="ask" aria-label={t.answer}>
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<Icon name="sparkles" size={14} />}
        loading={ask.isPending}
        onClick={() => ask.mutate()}
      >
        {t.ask}
      </Button>
      {ask.isPending && (
        <span className="small dim" role="status">
          {t.reading}
        </span>
      )}
      {ask.isError && <Failure error={ask.error} retry={() => ask.mutate()} />}
      {found && <Answer found={found} />}
    </section>
  );
}

function Answer({ found: { answer, answerNeeds, warnings } }: { found: SearchAnswer }) {
  if (answerNeeds !== undefined) {
    return <Install need="text" reason={answerNeeds.reason} choices={answerNeeds.choices} what={t.textModel} />;
  }
  if (answer == null) return <Text size="sm">{warnings.at(-1)}</Text>;
  if (!answer.isFound) return <Text size="sm">{t.notSaid}</Text>;
  return (
    <div className="ask-answer">
      {answer.citations.map(({ quote, chunkId, jobId, page, startSeconds, sourceName, url }) => {
        const place = startSeconds === undefined ? t.page(formatWholeNumber(page)) : t.play(clockTime(startSeconds));
        const name = sourceName ?? url ?? t.contribution;
        return (
          <blockquote key={`${chunkId} ${quote}`}>
            <span>{quote}</span>
            {jobId === null ? (
              <Text size="sm" c="dimmed">
                {name}
              </Text>
            ) : (
              <Anchor
                size="sm"
                className="hit-place"
                renderRoot={(props) => (
                  <Link {...props} to="/items/of/$jobId" params={{ jobId }} search={{ chunk: chunkId }} />
                )}
              >
                <Icon name={startSeconds === undefined ? 'file-text' : 'play'} size={14} />
                {t.openAt(name, url === null ? place : t.onThePage)}
              </Anchor>
            )}
          </blockquote>
        );
      })}
      <Text size="sm" c="dimmed">
        {t.quotedBy(answer.model)}
      </Text>
    </div>
  );
}

/** Suggests an embedding model where none is installed. */
export function SuggestModel(): ReactNode {
  const needs = useQuery(needsQuery());
  const need = needs.data?.needs.find((one) => one.need === 'embedding');
  if (need === undefined || need.ready || need.choices.length === 0) return null;
  return <Install need="embedding" reason={t.betterMeaning} choices={need.choices} what={t.meaningModel} />;
}

interface InstallProps {
  need: 'text' | 'embedding';
  reason: string;
  choices: readonly InstallChoice[];
  /** Name of what is installed. */
  what: string;
}

function Install({ need, reason, choices, what }: InstallProps) {
  const [asks, setAsks] = useState(false);
  const install = useChange(
    (name: string) => owner.POST('/admin/models/{name}/install', { params: { path: { name } } }),
    { renews: [needsQuery().queryKey] },
  );
  return (
    <div className="suggest">
      <Text size="sm" c="dimmed">
        {install.isSuccess ? t.installing : reason}
      </Text>
      {!install.isSuccess && (
        <Button size="compact-sm" variant="default" loading={install.isPending} onClick={() => setAsks(true)}>
          {t.chooseModel}
        </Button>
      )}
      <InstallDialog
        {...{ need, reason, choices }}
        name={what}
        opened={asks}
        onClose={() => setAsks(false)}
        onInstall={({ name }) => install.mutateAsync(name)}
      />
    </div>
  );
}
