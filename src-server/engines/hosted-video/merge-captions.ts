import type { TranscriptSegment } from '../../contract/index.ts';

/** A silence in the captions that is no longer than this is a silence in the video. */
const GAP_MIN_SECONDS = 60;
/** Captions that leave out more than this share of the video are not whole. */
const GAP_SHARE = 0.1;
/** A segment may reach into a caption so far and still be something else. */
const OVERLAP_SECONDS = 0.5;

/** Whether captions leave out so much that the rest is worth listening to. */
export function haveGaps(captions: readonly TranscriptSegment[], durationSeconds: number | null): boolean {
  if (durationSeconds === null) return false;
  let missing = 0;
  let end = 0;
  for (const caption of [...captions, { start: durationSeconds, end: durationSeconds }]) {
    if (caption.start - end >= GAP_MIN_SECONDS) missing += caption.start - end;
    end = Math.max(end, caption.end);
  }
  return missing > durationSeconds * GAP_SHARE;
}

/** Captions win; what was heard fills the places where they say nothing. */
export function mergeCaptions(
  captions: readonly TranscriptSegment[],
  heard: readonly TranscriptSegment[],
): TranscriptSegment[] {
  const added = heard.filter(
    ({ start, end }) =>
      !captions.some((caption) => Math.min(caption.end, end) - Math.max(caption.start, start) > OVERLAP_SECONDS),
  );
  return [...captions, ...added].sort((a, b) => a.start - b.start);
}
