import type { TranscriptSegment } from '../../contract/index.ts';

/** A silence in the captions that is no longer than this is a silence in the video. */
const GAP_MIN_SECONDS = 60;
/** Captions that leave out more than this share of the video are not whole. */
const GAP_SHARE = 0.1;

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
