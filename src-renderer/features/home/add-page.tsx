import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { useEnvironment } from '../../api/client.ts';
import { jobRecordQuery } from '../../api/queries.ts';
import { showToast } from '../../components/toast.tsx';
import { texts } from '../../texts.ts';
import { openAdd, useOpenedAdd } from '../add/open-add.ts';
import { sourceFileQuery } from '../run/run-again.ts';
import { addressSources, fileSource, type Source } from '../uploads/sources.ts';
import { Home } from './home.tsx';

const route = getRouteApi('/add');

/** Home with the dialog Add over it, which has an address: `?from=` brings the source of a job. */
export function AddPage(): ReactNode {
  const environment = useEnvironment();
  const navigate = useNavigate();
  const { from } = route.useSearch();
  const record = useQuery({ ...jobRecordQuery(environment, from ?? ''), enabled: from !== undefined });
  const file = useQuery({ ...sourceFileQuery(environment, record.data), enabled: record.data !== undefined });
  const isReady = from === undefined || record.isError || file.isFetched;
  const sources = sourcesOf(record.data?.request, file.data ?? null);
  const opened = useOpenedAdd() !== null;
  const wasOpen = useRef(false);
  const isMissing = from !== undefined && sources.length === 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: opens once, when the source is there.
  useEffect(() => {
    if (!isReady) return;
    if (isMissing) showToast({ icon: 'info', message: texts.add.gone });
    openAdd(sources);
  }, [isReady]);
  // Closing it leaves the address.
  useEffect(() => {
    if (opened) wasOpen.current = true;
    else if (wasOpen.current) void navigate({ to: '/', replace: true });
  }, [opened, navigate]);
  return <Home />;
}

/** What a request read: its file, or its address. */
function sourcesOf(request: Readonly<Record<string, unknown>> | undefined, file: File | null): Source[] {
  if (file !== null) return [fileSource(file)];
  const address = request?.sourceUrl ?? request?.url;
  return typeof address === 'string' ? (addressSources(address) ?? []) : [];
}
