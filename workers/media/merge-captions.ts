import type { TranscriptSegment } from '../../src-server/contract/index.ts';

/** A segment may reach into a caption so far and still be something else. */
const OVERLAP_SECONDS = 0.5;

/** Captions win; what was heard fills the places where they say nothing. */
export function mergeCaptions(
  captions: readonly TranscriptSegment[],
  heard: readonly TranscriptSegment[],
): TranscriptSegment[] {
  if (captions.length === 0) return [...heard];
  // Each is looked at once: a day of speech against all cues of a stranger's file would be a billion looks.
  const cues = captions.filter(({ start, end }) => end - start > OVERLAP_SECONDS).sort((a, b) => a.start - b.start);
  let begun = 0;
  let latestEnd = Number.NEGATIVE_INFINITY;
  const added = [...heard]
    .sort((a, b) => a.end - b.end)
    .filter(({ start, end }) => {
      for (; begun < cues.length && end - (cues[begun] as TranscriptSegment).start > OVERLAP_SECONDS; begun += 1) {
        latestEnd = Math.max(latestEnd, (cues[begun] as TranscriptSegment).end);
      }
      return end - start <= OVERLAP_SECONDS || latestEnd - start <= OVERLAP_SECONDS;
    });
  return [...captions, ...added].sort((a, b) => a.start - b.start);
}
