import '../../styles/watches.css';
import { Button, Modal } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useEnvironment } from '../../api/client.ts';
import type { SiteWatch } from '../../api/generated/owner.ts';
import { jobRecordQuery, sourcesQuery } from '../../api/queries.ts';
import { formatWholeNumber } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { type Fact, PageHead } from '../../components/page-elements.tsx';
import { AddFeed, FEEDS } from './feeds.tsx';
import { AddFolder, FOLDERS } from './folders.tsx';
import { SITES } from './sites.tsx';
import { SourcePanel } from './sources.tsx';
import { watches as texts } from './texts.ts';
import { WatchForm } from './watch-form.tsx';

const route = getRouteApi('/watches');

export function Watches(): ReactNode {
  const environment = useEnvironment();
  const { from } = route.useSearch();
  const navigate = route.useNavigate();
  const list = useQuery(sourcesQuery<SiteWatch>(environment, 'watches'));
  const [adding, setAdding] = useState(false);
  const crawl = useCrawlOf(from);
  const watches = list.data ?? [];
  const closeWatchForm = () => {
    setAdding(false);
    if (from !== undefined) void navigate({ search: {} });
  };
  return (
    <>
      <PageHead title={texts.title} facts={siteWatchFacts(watches)}>
        <Button leftSection={<Icon name="plus" />} onClick={() => setAdding(true)}>
          {texts.add}
        </Button>
        <AddFolder />
        <AddFeed />
      </PageHead>
      <SourcePanel kind={SITES()} />
      <SourcePanel kind={FOLDERS()} />
      <SourcePanel kind={FEEDS()} />
      <Modal opened={adding || crawl !== undefined} onClose={closeWatchForm} title={texts.add} size="lg">
        <WatchForm watch={undefined} crawl={crawl} onClose={closeWatchForm} />
      </Modal>
    </>
  );
}

/** What the crawl of a job read, for a new watch; undefined until it is known. */
function useCrawlOf(jobId: string | undefined): Partial<SiteWatch['crawl']> | undefined {
  const environment = useEnvironment();
  const record = useQuery({ ...jobRecordQuery(environment, jobId ?? ''), enabled: jobId !== undefined });
  if (jobId === undefined || record.data === undefined) return undefined;
  const { map: _, maxAge: __, priority: ___, notify: ____, webhookUrl: _____, ...crawl } = record.data.request;
  return crawl as Partial<SiteWatch['crawl']>;
}

function siteWatchFacts(watches: readonly SiteWatch[]): Fact[] {
  if (watches.length === 0) return [];
  const paused = watches.filter(({ status }) => status === 'paused').length;
  return [
    { said: texts.count({ count: watches.length }) },
    ...(paused > 0 ? [{ said: texts.paused({ count: formatWholeNumber(paused) }) }] : []),
  ];
}
