import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { dataOf, owner, queryIn, useEnvironment } from '../../api/client.ts';
import { clockTime } from '../../components/format.ts';
import { Time } from '../../components/page-elements.tsx';
import { results as texts } from './texts.ts';

/** Notes and sources about the result of a job; nothing without any. */
export function Notes({ jobId }: { jobId: string }): ReactNode {
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
      <summary>{t.count(notes.length)}</summary>
      <ul className="plain-list">
        {notes.map(({ contributionId, text, url, author, status, chunkId, chunk, createdAt }) => (
          <li key={contributionId}>
            <p dir="auto">{text}</p>
            <p className="small dim">
              {url !== null && (
                <a href={url} target="_blank" rel="noreferrer" className="break">
                  {url}
                </a>
              )}
              {author !== null && <span>{author}</span>}
              <Time at={createdAt} />
              {status === 'pending' && <Link to="/contributions">{t.pending}</Link>}
              {chunkId !== null && chunk !== null && (
                <Link to="/jobs/$jobId" params={{ jobId }} search={{ chunk: chunkId }}>
                  {chunk.startSeconds === null ? t.page(chunk.page) : t.second(clockTime(chunk.startSeconds))}
                </Link>
              )}
            </p>
          </li>
        ))}
      </ul>
    </details>
  );
}
