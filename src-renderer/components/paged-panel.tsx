import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { Failure, Panel, Skeletons } from './page-elements.tsx';

/** The state of a paged list; an infinite query fits. */
interface PagedList {
  isPending: boolean;
  isError: boolean;
  error: unknown;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  refetch: () => unknown;
  fetchNextPage: () => unknown;
}

interface PagedPanelProps {
  list: PagedList;
  /** Number of loaded rows. */
  count: number;
  /** Shown if there are no rows. */
  empty: ReactNode;
  /** Label of the button that loads more. */
  more: string;
  title?: string;
  about?: string;
  aside?: ReactNode;
  children: ReactNode;
}

/** A paged list in all its states: loading, failed, empty, or with more rows to load. */
export function PagedPanel({ list, count, empty, more, title, about, aside, children }: PagedPanelProps) {
  return (
    <Panel {...(title === undefined ? {} : { title })} {...(about === undefined ? {} : { about })} aside={aside}>
      {list.isPending && <Skeletons rows={6} />}
      {list.isError && <Failure error={list.error} retry={() => void list.refetch()} />}
      {!list.isPending && !list.isError && count === 0 && empty}
      {count > 0 && children}
      {list.hasNextPage && (
        <Group justify="center" p="sm">
          <Button
            variant="default"
            size="xs"
            loading={list.isFetchingNextPage}
            onClick={() => void list.fetchNextPage()}
          >
            {more}
          </Button>
        </Group>
      )}
    </Panel>
  );
}
