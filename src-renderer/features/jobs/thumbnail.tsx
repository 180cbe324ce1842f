import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { adminPath, errorOf, fetchApi, useEnvironment } from '../../api/client.ts';
import type { ListedJob } from '../../api/generated/owner.ts';
import { KindTile } from '../../components/kind.tsx';
import { useObjectUrl } from '../../components/object-url.ts';
import { type Work, workOfOperation } from '../../components/work.ts';

/** Twice the size on the page, for sharp screens. */
const WIDTH_PIXELS = 88;

/** Rows that pass by while the list scrolls draw no picture. */
const SETTLE_MS = 400;

/** The first page of a PDF, or the tile of the job's kind. */
export function Thumbnail({ job, work }: { job: ListedJob; work: Work }): ReactNode {
  const tile = <KindTile work={work} />;
  const { reads } = workOfOperation(job.jobType);
  const isOfPages = reads.length > 0 && reads.every((kind) => kind === 'pdf');
  return isOfPages && job.status === 'completed' ? <FirstPage jobId={job.jobId} tile={tile} /> : tile;
}

function FirstPage({ jobId, tile }: { jobId: string; tile: ReactNode }): ReactNode {
  const environment = useEnvironment();
  const [settled, setSettled] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(true), SETTLE_MS);
    return () => clearTimeout(timer);
  }, []);
  const drawn = useQuery({
    queryKey: ['thumbnail', environment, jobId],
    enabled: settled,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    queryFn: async ({ signal }) => {
      const answer = await fetchApi(adminPath(environment, `/jobs/${jobId}/pages/1`, { width: String(WIDTH_PIXELS) }), {
        signal,
      });
      if (!answer.ok) throw await errorOf(answer);
      return answer.blob();
    },
  });
  const url = useObjectUrl(drawn.data);
  return url === null ? tile : <img className="thumbnail" src={url} alt="" />;
}
