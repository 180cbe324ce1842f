import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { adminPath, dataOf, owner, queryIn, requestJson, useEnvironment } from '../../api/client.ts';
import type { ModeratedContribution } from '../../api/generated/owner.ts';
import { jobKey } from '../../api/queries.ts';
import { useForeignText } from '../../components/foreign-text.ts';
import { clockTime } from '../../components/format.ts';
import { Time } from '../../components/page-elements.tsx';
import { showToast, toastFailure } from '../../components/toast.tsx';
import { correctionReachText } from './correction-reach.ts';
import { results as texts } from './texts.ts';

/** Publishes a note or takes it back, and says where it is then. */
function Decide(props: { contributionId: string; jobId: string; isPublished: boolean }): ReactNode {
  const { contributionId, jobId, isPublished } = props;
  const environment = useEnvironment();
  const client = useQueryClient();
  const decide = useMutation({
    mutationFn: (): Promise<ModeratedContribution> => {
      const act = isPublished ? 'reject' : 'approve';
      const body = isPublished ? { reason: texts.selection.takenBack } : {};
      return requestJson(adminPath(environment, `/contributions/${contributionId}/${act}`), { method: 'POST', body });
    },
    onSuccess: async (decided) => {
      await client.invalidateQueries({ queryKey: jobKey(environment, jobId) });
      await client.invalidateQueries({ queryKey: ['contributions', environment] });
      showToast({ message: isPublished ? texts.selection.withdrawn : correctionReachText(decided) });
    },
    onError: toastFailure,
  });
  return (
    <Button size="compact-xs" variant="subtle" loading={decide.isPending} onClick={() => decide.mutate()}>
      {isPublished ? texts.notes.withdraw : texts.notes.publish}
    </Button>
  );
}

/** Notes and sources about the result of a job; nothing without any. */
export function Notes({ jobId }: { jobId: string }): ReactNode {
  const foreign = useForeignText();
  const environment = useEnvironment();
  const listed = useQuery({
    // The events of contributions refresh all queries of this name.
    queryKey: ['contributions', environment, 'of', jobId],
    queryFn: ({ signal }) =>
      dataOf(
        owner.GET('/admin/jobs/{jobId}/notes', {
          params: { path: { jobId }, query: queryIn(environment, {}) },
          signal,
        }),
      ),
  });
  const notes = listed.data?.notes ?? [];
  const t = texts.notes;
  if (notes.length === 0) return null;
  return (
    <details className="notes">
      <summary>{t.count({ notes: notes.length })}</summary>
      <ul className="plain-list">
        {notes.map(({ contributionId, text, quote, url, author, status, chunkId, chunk, createdAt }) => (
          <li key={contributionId}>
            {quote !== null && (
              <q {...foreign} className="dim">
                {quote}
              </q>
            )}
            <p dir="auto">{text}</p>
            <p className="small dim">
              {url !== null && (
                <a href={url} target="_blank" rel="noreferrer" className="break">
                  <bdi dir="ltr">{url}</bdi>
                </a>
              )}
              {author !== null && <span>{author}</span>}
              <Time at={createdAt} />
              {status === 'pending' && <Link to="/contributions">{t.pending}</Link>}
              {chunkId !== null && chunk !== null && (
                <Link to="/jobs/$jobId" params={{ jobId }} search={{ chunk: chunkId }}>
                  {chunk.startSeconds === null
                    ? t.page({ page: chunk.page })
                    : t.second({ time: clockTime(chunk.startSeconds) })}
                </Link>
              )}
              <Decide {...{ contributionId, jobId }} isPublished={status === 'approved'} />
            </p>
          </li>
        ))}
      </ul>
    </details>
  );
}
