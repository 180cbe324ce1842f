import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { Failure, Loading, Panel } from './page-elements.tsx';

/** What a list that is read page by page says of itself; an infinite query fits. */
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
  /** How many rows there are so far. */
  count: number;
  /** Stands there when there are none. */
  empty: ReactNode;
  /** Words of the button that reads on. */
  more: string;
  title?: string;
  about?: string;
  aside?: ReactNode;
  children: ReactNode;
}

/** A list on a surface, in every state it can be in: on its way, failed, empty, or with more to come. */
export function PagedPanel({ list, count, empty, more, title, about, aside, children }: PagedPanelProps) {
  return (
    <Panel flush {...(title === undefined ? {} : { title })} {...(about === undefined ? {} : { about })} aside={aside}>
      {list.isPending && <Loading rows={6} />}
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
