import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api/client.ts';
import { texts } from '../../components/texts.ts';
import type { Media } from './shapes.ts';

interface Shape {
  /** From 0 to 1; none while there is nothing to show. */
  peaks: readonly number[];
  /** Why there are none. */
  note: string | null;
}

/** The shape of a recording: what its result holds, else what the server measures; null where nobody knows one. */
export function useSoundPeaks({ peaksUrl }: Media, known: readonly number[]): Shape | null {
  const measured = useQuery({
    queryKey: ['peaks', peaksUrl],
    queryFn: ({ signal }) => ask<{ peaks: number[] }>(peaksUrl ?? '', { signal }),
    enabled: peaksUrl !== null && known.length === 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  if (known.length > 0) return { peaks: known, note: null };
  if (peaksUrl === null) return null;
  if (measured.isError) return { peaks: [], note: texts.jobs.noShape(measured.error.message) };
  return { peaks: measured.data?.peaks ?? [], note: measured.isPending ? texts.jobs.measuring : null };
}
