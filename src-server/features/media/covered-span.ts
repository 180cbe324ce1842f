/** Computes how much of a recording its transcript covers, and the warnings when that is less than all. */

import type { Decoded } from '../../../workers/media/tasks.ts';
import { type Said, say } from '../../platform/text/say.ts';
import type { StreamSeconds } from './fetch-stream.ts';
import type { Probe } from './probe.ts';
import type { CoveredSpan } from './schema.ts';
import { formatSpan, formatSpans, type Span } from './source-seconds.ts';

/** Containers round their length, and the last frame may be held for a while. */
const TOLERANCE_SECONDS = 1;

/** The last part of a stream is often a little shorter than stated. */
const STREAM_TOLERANCE_SECONDS = 0.6;

const TOLERANCE_SHARE = 0.01;

/** Shorter gaps come from recorders that drop a packet now and then. */
const GAP_MIN_SECONDS = 1;

/** What was decoded of a file. Fields are null for tracks the file lacks or that were not requested. */
interface DecodedTracks {
  sound: Decoded | null;
  /** Length of the sound, filled gaps included. */
  heardSeconds: number | null;
  pictures: Decoded | null;
}

interface Coverage {
  covered: CoveredSpan;
  /** Stated by the container or the playlist, but not in the bytes. */
  missing: Span[];
  /** About missing and damaged parts. */
  warnings: Said[];
}

/** @param stream what the playlist states; null for a file */
export function computeCoverage(probe: Probe, tracks: DecodedTracks, stream: StreamSeconds | null): Coverage {
  const { sound, pictures } = tracks;
  const decoded = sound ?? pictures;
  if (decoded === null) throw new Error('Neither audio nor video was decoded.');
  const covered = heardSpan(decoded, sound === null ? null : tracks.heardSeconds);
  const { missing, warnings } = missingAtEnd(probe, Math.max(decoded.endSeconds, covered.endSeconds), stream);
  return {
    covered,
    missing,
    warnings: [
      ...warnings,
      ...gapWarnings(covered),
      ...partsWarning(sound, (parts) => say`Pieces of sound that are damaged and could not be decoded: ${parts}.`),
      ...partsWarning(pictures, (parts) => say`Pictures that are damaged and could not be decoded: ${parts}.`),
      ...(decoded.damage.places > 0
        ? [say`Damaged places in the structure of the file: ${decoded.damage.places}.`]
        : []),
    ],
  };
}

function partsWarning(decoded: Decoded | null, warningOf: (parts: number) => Said): Said[] {
  const parts = decoded?.damage.parts ?? 0;
  return parts === 0 ? [] : [warningOf(parts)];
}

function heardSpan(decoded: Decoded, heardSeconds: number | null): CoveredSpan {
  if (heardSeconds === null) return roundedCoveredSpan(0, decoded.endSeconds, decoded.endSeconds);
  const start = Math.min(decoded.startSeconds, heardSeconds);
  return roundedCoveredSpan(start, heardSeconds, Math.min(decoded.soundSeconds, heardSeconds - start));
}

function roundedCoveredSpan(startSeconds: number, endSeconds: number, durationSeconds: number): CoveredSpan {
  return {
    startSeconds: clampedSeconds(startSeconds),
    endSeconds: clampedSeconds(endSeconds),
    durationSeconds: clampedSeconds(durationSeconds),
  };
}

/** What was stated and does not follow after the last second that was read. */
function missingAtEnd(
  { durationSeconds: stated, durationIsGuessed }: Probe,
  end: number,
  stream: StreamSeconds | null,
): Pick<Coverage, 'missing' | 'warnings'> {
  if (stream !== null) {
    const at = Math.max(end, ...stream.damaged.map((span) => span.end));
    const isEnough = stream.seconds - at <= Math.max(STREAM_TOLERANCE_SECONDS, stream.toleranceSeconds);
    const missing = isEnough ? [] : [{ start: at, end: stream.seconds }];
    const never = [...stream.missing, ...missing];
    if (never.length === 0) return { missing, warnings: [] };
    return {
      missing,
      warnings: [say`The playlist of the stream states more than its parts hold: ${formatSpans(never)}.`],
    };
  }
  if (stated === null || durationIsGuessed || !isShort(end, stated)) return { missing: [], warnings: [] };
  const missing = { start: end, end: stated };
  const warning = say`The file states a length of ${formatTenths(stated)} s, but ends at ${formatTenths(end)} s:
    it is cut or damaged, and ${formatSpan(missing)} is missing.`;
  return { missing: [missing], warnings: [warning] };
}

function gapWarnings({ startSeconds, endSeconds, durationSeconds }: CoveredSpan): Said[] {
  const gaps = endSeconds - startSeconds - durationSeconds;
  return gaps >= GAP_MIN_SECONDS ? [say`Within the recording ${formatTenths(gaps)} s of sound are missing.`] : [];
}

function isShort(seconds: number, expected: number): boolean {
  return expected - seconds > Math.max(TOLERANCE_SECONDS, expected * TOLERANCE_SHARE);
}

function formatTenths(seconds: number): string {
  return seconds.toFixed(1);
}

function clampedSeconds(seconds: number): number {
  return Math.round(Math.max(0, seconds) * 1000) / 1000;
}

/** Merges the reports of recordings that follow each other in one file. */
export function mergeDecodedReports(all: readonly Decoded[]): Decoded {
  const sumDecoded = (of: (one: Decoded) => number) => all.reduce((total, one) => total + of(one), 0);
  const gaps: Decoded['gaps'] = [];
  let before = 0;
  for (const one of all) {
    for (const [from, to] of one.gaps) gaps.push([before + from, before + to]);
    before += one.endSeconds;
  }
  return {
    startSeconds: all[0]?.startSeconds ?? 0,
    endSeconds: before,
    soundSeconds: sumDecoded(({ soundSeconds }) => soundSeconds),
    gaps,
    damage: { parts: sumDecoded(({ damage }) => damage.parts), places: sumDecoded(({ damage }) => damage.places) },
  };
}
