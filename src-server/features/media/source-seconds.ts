/** The account of a recording: which of its seconds have words, and why the others have none. */

import { itemAt } from '../../platform/item-at.ts';
import { LEFT_OUT_MAX, type LeftOut, type LeftOutReason, type SourceAccount } from '../../platform/source-account.ts';
import { type Said, say } from '../../platform/text/say.ts';

/** In seconds from the start of the source. */
export interface Span {
  start: number;
  end: number;
}

const SPANS_SHOWN = 5;

const MINUTE_SECONDS = 60;

const HOUR_SECONDS = 3600;

/** Such as `0:24–0:49` or `1:02:03–1:02:10`. */
export function formatSpan({ start, end }: Span): string {
  return `${clockTime(start)}–${clockTime(end)}`;
}

/** The first few of the spans. */
export function formatSpans(spans: readonly Span[]): string {
  const shown = spans.slice(0, SPANS_SHOWN).map(formatSpan).join(', ');
  return spans.length > SPANS_SHOWN ? `${shown} and later` : shown;
}

function clockTime(seconds: number): string {
  const whole = Math.round(seconds);
  const padTwoDigits = (value: number) => String(value).padStart(2, '0');
  const minutes = Math.floor((whole % HOUR_SECONDS) / MINUTE_SECONDS);
  const hours = Math.floor(whole / HOUR_SECONDS);
  const rest = padTwoDigits(whole % MINUTE_SECONDS);
  return hours === 0 ? `${minutes}:${rest}` : `${hours}:${padTwoDigits(minutes)}:${rest}`;
}

/** What is known of the seconds of a source. Spans may overlap and have any order. */
export interface SourceSeconds {
  /** As its container or playlist states it, or what was decoded where that is more. */
  seconds: number;
  /** Segments of the transcript. */
  words: readonly Span[];
  /** Where a detector found speech. */
  speech: readonly Span[];
  /** Where there is sound that is not silence. */
  sounds: readonly Span[];
  /** Gaps, damaged parts, and parts that could not be fetched. */
  damaged: readonly Span[];
  /** Stated by the container or the playlist, but not in the bytes. */
  missing: readonly Span[];
  /** Beyond what is read of a source. */
  overLimit: readonly Span[];
  /** Whether a voice activity model found the speech. */
  isByModel: boolean;
}

/** What belongs to a sentence before and after its words. */
const ROOM_SECONDS = 0.5;

/** Shorter stretches count together. */
const LISTED_SECONDS = 2;

const LISTED_MAX = Math.floor(LEFT_OUT_MAX / 5);

/** Speech without words, and sound without speech, that a warning names. */
const SPEECH_WARNED_SECONDS = 1.5;

const SOUND_WARNED_SECONDS = 10;

export function accountSeconds(source: SourceSeconds): { account: SourceAccount; warnings: Said[] } {
  const speech = unionOf(source.speech);
  const words = unionOf(source.words);
  const near = words.map(({ start, end }) => ({ start: start - ROOM_SECONDS, end: end + ROOM_SECONDS }));
  let rest: Span[] = [{ start: 0, end: source.seconds }];
  const takeFromRest = (spans: readonly Span[]) => {
    const taken = intersectSpans(rest, spans);
    rest = subtractSpans(rest, taken);
    return taken;
  };
  const missing = takeFromRest(unionOf(source.missing));
  const overLimit = takeFromRest(unionOf(source.overLimit));
  const damaged = takeFromRest(unionOf(source.damaged));
  const delivered = takeFromRest(unionOf([...words, ...intersectSpans(unionOf(near), speech)]));
  const wordless = takeFromRest(speech);
  const sounds = takeFromRest(unionOf(source.sounds));
  const leftOut = [
    ...leftOutEntries('over-limit', overLimit),
    ...leftOutEntries('damaged', damaged),
    ...leftOutEntries('no-speech-recognised', unionOf([...wordless, ...sounds])),
    ...leftOutEntries('silence', rest),
  ];
  const account = {
    unit: 'seconds' as const,
    source: roundedSourceSeconds(source.seconds),
    delivered: secondsIn(delivered),
    leftOut,
    unexplained: secondsIn(missing),
  };
  const isLong = (least: number) => (span: Span) => span.end - span.start >= least;
  const unheard = source.isByModel ? wordless.filter(isLong(SPEECH_WARNED_SECONDS)) : [];
  const noise = source.isByModel && words.length > 0 ? sounds.filter(isLong(SOUND_WARNED_SECONDS)) : [];
  const warnings = [
    ...(unheard.length > 0
      ? [say`Speech was found, but no words were recognised in it: ${formatSpans(unheard)}.`]
      : []),
    ...(noise.length > 0
      ? [say`Sound without speech, such as music, was not transcribed: ${formatSpans(noise)}.`]
      : []),
  ];
  return { account, warnings };
}

/** The longest stretches by themselves, the others together. */
function leftOutEntries(reason: LeftOutReason, spans: readonly Span[]): LeftOut[] {
  const long = spans.filter(({ start, end }) => end - start >= LISTED_SECONDS);
  const least = long.map(({ start, end }) => end - start).toSorted((one, other) => other - one)[LISTED_MAX] ?? 0;
  const listed = long.filter(({ start, end }) => end - start > least).slice(0, LISTED_MAX);
  const entries = listed.map((span): LeftOut => ({ reason, count: secondsIn([span]), where: formatSpan(span) }));
  const others = roundedSourceSeconds(secondsIn(spans) - entries.reduce((sum, { count }) => sum + count, 0));
  if (others > 0) entries.push({ reason, count: others, where: listed.length === 0 ? 'whole file' : 'elsewhere' });
  return entries;
}

function secondsIn(spans: readonly Span[]): number {
  return roundedSourceSeconds(spans.reduce((sum, { start, end }) => sum + end - start, 0));
}

function roundedSourceSeconds(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}

/** Ordered and disjoint. */
function unionOf(spans: readonly Span[]): Span[] {
  const union: Span[] = [];
  for (const { start, end } of [...spans].sort((one, other) => one.start - other.start)) {
    const last = union.at(-1);
    if (end <= start) continue;
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else union.push({ start, end });
  }
  return union;
}

/** What is in both. Both are ordered and disjoint. */
function intersectSpans(one: readonly Span[], other: readonly Span[]): Span[] {
  const both: Span[] = [];
  for (let [a, b] = [0, 0]; a < one.length && b < other.length; ) {
    const [first, second] = [itemAt(one, a), itemAt(other, b)];
    const [start, end] = [Math.max(first.start, second.start), Math.min(first.end, second.end)];
    if (end > start) both.push({ start, end });
    if (first.end < second.end) a += 1;
    else b += 1;
  }
  return both;
}

/** What is in the first alone. Both are ordered and disjoint. */
function subtractSpans(one: readonly Span[], other: readonly Span[]): Span[] {
  const ends = [...other, { start: Number.POSITIVE_INFINITY, end: Number.POSITIVE_INFINITY }];
  let before = Number.NEGATIVE_INFINITY;
  const between = ends.map(({ start, end }) => {
    const gap = { start: before, end: start };
    before = end;
    return gap;
  });
  return intersectSpans(one, between);
}
