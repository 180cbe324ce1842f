import type { CoveredSpan, TranscriptSegment } from '../../contract/index.ts';

/** A silence in the captions that is shorter than this, and than a tenth of the video, is a silence in the video. */
const GAP_MIN_SECONDS = 60;
/** Captions that leave out more than this share of the video are not whole. */
const GAP_SHARE = 0.1;

/** Seconds of the video that the captions leave out. */
export function missingSeconds(captions: readonly TranscriptSegment[], durationSeconds: number): number {
  const end = { start: durationSeconds, end: durationSeconds };
  return gapsIn([{ start: 0, end: 0 }, ...captions, end], durationSeconds);
}

/** Whether captions leave out so little that the rest is not worth listening to. */
export function areWhole(captions: readonly TranscriptSegment[], durationSeconds: number): boolean {
  return missingSeconds(captions, durationSeconds) <= durationSeconds * GAP_SHARE;
}

/** From the first caption to the end of the last. A duration of null is taken to be that end. */
export function coveredByCaptions(captions: readonly TranscriptSegment[], durationSeconds: number | null): CoveredSpan {
  const startSeconds = captions.reduce((first, { start }) => Math.min(first, start), captions[0]?.start ?? 0);
  const endSeconds = captions.reduce((last, { end }) => Math.max(last, end), startSeconds);
  const gaps = gapsIn(captions, durationSeconds ?? endSeconds);
  return { startSeconds, endSeconds, durationSeconds: Math.max(0, endSeconds - startSeconds - gaps) };
}

type Span = Pick<TranscriptSegment, 'start' | 'end'>;

/** Seconds of the gaps between spans that count in a video of this length. */
function gapsIn(spans: readonly Span[], durationSeconds: number): number {
  const least = Math.min(GAP_MIN_SECONDS, durationSeconds * GAP_SHARE);
  let missing = 0;
  let end = spans[0]?.end ?? 0;
  for (const span of spans.toSorted((one, other) => one.start - other.start)) {
    if (span.start - end >= least) missing += span.start - end;
    end = Math.max(end, span.end);
  }
  return missing;
}
