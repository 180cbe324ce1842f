import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Navigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { omitUndefined } from '../../../src-server/platform/omit-undefined.ts';
import { useEnvironment } from '../../api/client.ts';
import { itemOfJobQuery } from '../../api/library.ts';
import { Failure, PageHead, Skeletons } from '../../components/page-elements.tsx';

const route = getRouteApi('/items/of/$jobId');

/** Leads to the item that has the job as a version, else to the page of the job. */
export function ItemOfJob(): ReactNode {
  const environment = useEnvironment();
  const { jobId } = route.useParams();
  const search = route.useSearch();
  const found = useQuery(itemOfJobQuery(environment, jobId));
  if (found.isPending || found.isError) {
    return (
      <>
        <PageHead title="…" />
        {found.isError ? <Failure error={found.error} retry={() => void found.refetch()} /> : <Skeletons rows={8} />}
      </>
    );
  }
  if (found.data === null) return <Navigate to="/jobs/$jobId" params={{ jobId }} search={search} replace />;
  const { itemId, version } = found.data;
  const place = omitUndefined({ ...search, v: version ?? undefined });
  return <Navigate to="/items/$itemId" params={{ itemId }} search={place} replace />;
}
