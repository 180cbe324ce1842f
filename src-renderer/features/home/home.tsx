import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useEnvironment } from '../../api/client.ts';
import { jobsQuery } from '../../api/queries.ts';
import { IS_DEVICE } from '../../api/session.ts';
import { PageHead, Skeletons } from '../../components/page-elements.tsx';
import { texts } from '../../texts.ts';
import { NeedsYou } from '../overview/needs-you.tsx';
import { Running } from '../overview/running.tsx';
import { AddFiles } from '../uploads/uploads.tsx';
import { FirstRun } from './first-run.tsx';

/** Before the first job, a page for new owners. */
export function Home(): ReactNode {
  const jobs = useInfiniteQuery(jobsQuery(useEnvironment(), {}));
  if (jobs.isPending) {
    return (
      <>
        <PageHead title={texts.shell.names.home} />
        <Skeletons rows={8} />
      </>
    );
  }
  if (jobs.data?.pages[0]?.jobs.length === 0) return <FirstRun />;
  return (
    <>
      <PageHead title={texts.shell.names.home}>
        <AddFiles filled />
      </PageHead>
      <Running />
      {!IS_DEVICE && <NeedsYou />}
    </>
  );
}
