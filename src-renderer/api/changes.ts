/** One typed hook for changes and one for reads, over the generated clients: pages need no types of their own. */
import {
  type QueryKey,
  queryOptions,
  type UseMutationResult,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { omitUndefined } from '../../src-server/platform/omit-undefined.ts';
import { toastFailure } from '../components/toast.tsx';
import { dataOf } from './client.ts';

/** An answer of the clients in `client.ts`; they reject with `ApiError` for every error status. */
type Answer<Data> = Promise<{ data?: Data }>;

interface ChangeOptions<Variables, Data> {
  /** Queries that the change makes stale, by the start of their keys. */
  renews?: readonly QueryKey[];
  onDone?: (data: Data | undefined, variables: Variables) => void;
  /** The page shows the error itself, beside its field or form. Otherwise a toast does. */
  showsError?: boolean;
}

/**
 * A change of the server's data:
 *
 *     const cancel = useChange((jobId: string) =>
 *       owner.POST('/admin/jobs/{jobId}/cancel', { params: { path: { jobId }, query: queryIn(environment, {}) } }));
 *     cancel.mutate(job.jobId);
 */
export function useChange<Variables = void, Data = unknown>(
  send: (variables: Variables) => Answer<Data>,
  { renews = [], onDone, showsError = false }: ChangeOptions<Variables, Data> = {},
): UseMutationResult<Data | undefined, Error, Variables> {
  const client = useQueryClient();
  return useMutation<Data | undefined, Error, Variables>({
    mutationFn: async (variables: Variables) => (await send(variables)).data,
    onSuccess: async (data, variables) => {
      onDone?.(data, variables);
      await Promise.all(renews.map((queryKey) => client.invalidateQueries({ queryKey })));
    },
    ...omitUndefined({ onError: showsError ? undefined : toastFailure }),
  });
}

/**
 * Options of `useQuery` for a read that only one page needs; reads of several pages are in `queries.ts`:
 *
 *     const media = useQuery(read(['media'], (signal) => owner.GET('/admin/media', { signal })));
 */
export function pageQueryOptions<Data>(queryKey: QueryKey, get: (signal: AbortSignal) => Answer<Data>) {
  return queryOptions({ queryKey, queryFn: ({ signal }) => dataOf(get(signal)) });
}
