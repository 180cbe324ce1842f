import { Anchor, Button, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useId, useState } from 'react';
import { useChange } from '../../api/changes.ts';
import { owner, useEnvironment } from '../../api/client.ts';
import type { InstallChoice } from '../../api/generated/public.ts';
import { needsQuery } from '../../api/queries.ts';
import { CopyButton } from '../../components/copy.tsx';
import { clockTime, formatWholeNumber } from '../../components/format.ts';
import { Failure } from '../../components/page-elements.tsx';
import { serverText } from '../../language/server-texts.ts';
import { InstallDialog } from '../models/install-dialog.tsx';
import { answerQuery, type Citation, type FoundQuery, type LibraryAnswer } from './found-query.ts';
import { search as searchTexts } from './texts.ts';

const t = searchTexts;

/** Answers the query as a question, by quotations that open their places. They appear while they are written. */
export function Ask({ query }: { query: FoundQuery }): ReactNode {
  const title = useId();
  const client = useQueryClient();
  const [written, setWritten] = useState<readonly Citation[]>([]);
  const options = answerQuery(useEnvironment(), query, ({ index, ...citation }) =>
    setWritten((before) => Object.assign([...before], { [index]: citation })),
  );
  const { data, error, isFetching, refetch } = useQuery(options);
  const askAgain = () => {
    setWritten([]);
    void refetch();
  };
  const stop = () => void client.cancelQueries({ queryKey: options.queryKey });
  // A model may leave out the first of several.
  const cited = data?.answer?.citations ?? Object.values(written);
  return (
    <section className="ask" aria-labelledby={title} aria-busy={isFetching}>
      <header>
        <h2 id={title}>{t.answer}</h2>
        {data?.answer && <span className="small dim">{t.chosenBy({ model: data.answer.model })}</span>}
        {/* One button, so that the focus stays where it is. */}
        <Button size="compact-sm" variant="default" onClick={isFetching ? stop : askAgain}>
          {isFetching ? t.stop : t.askAgain}
        </Button>
      </header>
      {cited.length > 0 && <Quotations cited={cited} />}
      <footer>
        <span role="status" className="small dim">
          {isFetching ? (written.length === 0 ? t.reading : t.writing) : statusOf(data, error)}
        </span>
        {cited.length > 0 && !isFetching && (
          <CopyButton
            label={t.copySources}
            text={cited.map((one) => t.cited({ words: one.quote, place: placeOf(one) })).join('\n')}
          />
        )}
      </footer>
      {error && !isFetching && <Failure error={error} retry={askAgain} />}
      {data?.answerNeeds && <Install {...data.answerNeeds} about={t.answerHow} what={t.textModel} onReady={refetch} />}
    </section>
  );
}

/** What is announced when the model has ended; what is missing is said where it can be mended. */
function statusOf(data: LibraryAnswer | undefined, error: Error | null): string {
  if (error) return '';
  if (data === undefined) return t.stopped;
  const { answer, answerNeeds, warnings } = data;
  if (answerNeeds) return serverText(answerNeeds.reason);
  if (answer === null) return warnings.map(serverText).join(' ');
  return answer.isFound ? t.quotations({ count: answer.citations.length }) : t.notSaid;
}

function Quotations({ cited }: { cited: readonly Citation[] }) {
  // A quotation keeps its number while it is written.
  const numbered = cited.map((citation, index) => ({ number: index + 1, citation }));
  return (
    <>
      {numbered.map(({ number, citation }) => (
        <blockquote key={number}>
          {citation.quote}{' '}
          <Place citation={citation} label={t.source({ number, place: placeOf(citation) })} className="ask-cite">
            {number}
          </Place>
        </blockquote>
      ))}
      <ol className="plain-list ask-sources" aria-label={t.sources}>
        {numbered.map(({ number, citation }) => (
          <li key={number}>
            <span className="ask-cite" aria-hidden="true">
              {number}
            </span>
            <Place citation={citation}>{placeOf(citation)}</Place>
          </li>
        ))}
      </ol>
    </>
  );
}

interface PlaceProps {
  citation: Citation;
  label?: string;
  className?: string;
  children: ReactNode;
}

/** Opens the item at the quoted place. */
function Place({ citation: { jobId, chunkId }, label, className, children }: PlaceProps) {
  if (jobId === null) return <span className={className}>{children}</span>;
  return (
    <Anchor
      inherit
      aria-label={label}
      className={className}
      renderRoot={(props) => <Link {...props} to="/items/of/$jobId" params={{ jobId }} search={{ chunk: chunkId }} />}
    >
      {children}
    </Anchor>
  );
}

function placeOf({ page, startSeconds, sourceName, url }: Citation): string {
  const place =
    startSeconds === undefined ? t.page({ page: formatWholeNumber(page) }) : t.play({ time: clockTime(startSeconds) });
  return t.openAt({ name: sourceName ?? url ?? t.contribution, place: url === null ? place : t.onThePage });
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
  /** Shown beside the button, in place of the reason. */
  about?: string;
  choices: readonly InstallChoice[];
  /** Name of what is installed. */
  what: string;
  /** Called when it is there. */
  onReady?: () => unknown;
}

function Install({ need, reason, about = reason, choices, what, onReady }: InstallProps) {
  const isReady = useQuery(needsQuery()).data?.needs.find((one) => one.need === need)?.ready === true;
  useEffect(() => {
    if (isReady) onReady?.();
  }, [isReady, onReady]);
  const [asks, setAsks] = useState(false);
  const install = useChange(
    (name: string) => owner.POST('/admin/models/{name}/install', { params: { path: { name } } }),
    { renews: [needsQuery().queryKey] },
  );
  return (
    <div className="suggest">
      <Text size="sm" c="dimmed">
        {install.isSuccess ? (onReady ? t.installing : t.installingMeaning) : about}
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
