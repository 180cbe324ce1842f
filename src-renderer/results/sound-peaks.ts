import { useQuery } from '@tanstack/react-query';
import { errorOf, send } from '../api/client.ts';
import type { Media } from './shapes.ts';

/** What a browser can decode at once without holding up the window; a longer recording is shown without its shape. */
const FILE_MAX_BYTES = 20_000_000;
const SAMPLE_RATE = 8000;
const PEAKS = 400;

/** The shape of a recording, computed from its sound in this window; empty while it is not known, or cannot be. */
export function useSoundPeaks(media: Media | null): readonly number[] {
  const peaks = useQuery({
    queryKey: ['peaks', media?.url],
    queryFn: ({ signal }) => peaksOf(media?.url ?? '', signal),
    enabled: media !== null && media.sizeBytes <= FILE_MAX_BYTES,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  return peaks.data ?? [];
}

async function peaksOf(url: string, signal: AbortSignal): Promise<number[]> {
  const answer = await send(url, { signal });
  if (!answer.ok) throw await errorOf(answer);
  const decoder = new OfflineAudioContext(1, 1, SAMPLE_RATE);
  const samples = (await decoder.decodeAudioData(await answer.arrayBuffer())).getChannelData(0);
  const step = Math.max(1, Math.ceil(samples.length / PEAKS));
  const peaks: number[] = [];
  for (let from = 0; from < samples.length; from += step) {
    let peak = 0;
    for (let at = from; at < Math.min(from + step, samples.length); at += 1) {
      peak = Math.max(peak, Math.abs(samples[at] ?? 0));
    }
    peaks.push(peak);
  }
  const loudest = Math.max(...peaks, Number.EPSILON);
  return peaks.map((peak) => peak / loudest);
}
