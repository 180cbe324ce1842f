import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { useEnvironment } from '../../api/client.ts';
import type { JobRecord } from '../../api/generated/owner.ts';
import { jobQuery, jobRecordQuery } from '../../api/queries.ts';
import { showToast } from '../../components/toast.tsx';
import { workOfOperation } from '../../components/work.ts';
import { texts } from '../../texts.ts';
import { type Earlier, openAdd, useOpenedAdd } from '../add/open-add.ts';
import { sourceFileQuery } from '../run/run-again.ts';
import { readingOfRequest } from '../uploads/reading.ts';
import { addressSources, fileSource, isKnownFile, type Source } from '../uploads/sources.ts';
import { Home } from './home.tsx';

const route = getRouteApi('/add');

/**
 * Home with the dialog Add over it, which has an address: `?from=` brings the source of a job and its choices, with
 * `other` its choices alone.
 */
export function AddPage(): ReactNode {
  const environment = useEnvironment();
  const navigate = useNavigate();
  const { from, other = false } = route.useSearch();
  const record = useQuery({ ...jobRecordQuery(environment, from ?? ''), enabled: from !== undefined });
  const job = useQuery({ ...jobQuery(environment, from ?? ''), enabled: from !== undefined });
  const jobType = job.data?.jobType ?? '';
  const wantsFile = record.data !== undefined && !other;
  const file = useQuery({ ...sourceFileQuery(environment, record.data), enabled: wantsFile });
  const isKnown = record.data !== undefined && job.data !== undefined && (other || file.isFetched);
  const isReady = from === undefined || record.isError || job.isError || isKnown;
  const sources = other || record.data === undefined ? [] : sourcesOf(jobType, record.data, file.data ?? null);
  const opened = useOpenedAdd() !== null;
  const wasOpen = useRef(false);
  const isMissing = from !== undefined && !other && sources.length === 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: opens once, when the source is there.
  useEffect(() => {
    if (!isReady) return;
    if (isMissing) showToast({ icon: 'info', message: texts.add.gone });
    openAdd(sources, record.data === undefined ? null : earlierOf(jobType, record.data));
  }, [isReady]);
  // Closing it leaves the address.
  useEffect(() => {
    if (opened) wasOpen.current = true;
    else if (wasOpen.current) void navigate({ to: '/', replace: true });
  }, [opened, navigate]);
  return <Home />;
}

/** Null for a job that read no source. */
function earlierOf(jobType: string, { request, source, label }: JobRecord): Earlier | null {
  if (workOfOperation(jobType).takes === null) return null;
  return { ...readingOfRequest(jobType, request), name: source?.fileName ?? label };
}

/** What a request read: its file, or its address. A name that tells no kind is read as before. */
function sourcesOf(jobType: string, { request }: JobRecord, file: File | null): Source[] {
  const again = { isAgain: true };
  const before = { ...again, operationId: jobType, work: workOfOperation(jobType) };
  if (file !== null) return [{ ...fileSource(file), ...(isKnownFile(file) ? again : before) }];
  const address = request.sourceUrl ?? request.url;
  if (typeof address !== 'string') return [];
  return (addressSources(address) ?? []).map((source) => ({ ...source, ...before }));
}
