/** How much of a recording a transcript covers, and the warnings where that is not all of it. */
import type { CoveredSpan } from '../../contract/index.ts';
import type { Decoded } from './decode-report.ts';
import type { Probe } from './probe.ts';

/** Containers round their length, and the last picture may be shown for a while. */
const TOLERANCE_SECONDS = 2;
const TOLERANCE_SHARE = 0.02;
/** Shorter gaps are the work of recorders that drop a piece now and then. */
const GAP_MIN_SECONDS = 1;

/** What was decoded of a file; null for what it does not have, or what was not asked for. */
export interface DecodedTracks {
  sound: Decoded | null;
  /** Length of the sound with its gaps filled. */
  heardSeconds: number | null;
  pictures: Decoded | null;
}

/** What the transcript covers, and warnings for what is missing or damaged. */
export function coverage(probe: Probe, tracks: DecodedTracks): { covered: CoveredSpan; warnings: string[] } {
  const { sound, pictures } = tracks;
  const decoded = sound ?? pictures;
  if (decoded === null) throw new Error('Neither sound nor pictures were decoded.');
  const covered = spanOf(decoded, sound === null ? null : tracks.heardSeconds);
  return {
    covered,
    warnings: [
      ...lengthWarnings(probe, decoded, covered),
      ...partsWarning('Pieces of sound', sound),
      ...partsWarning('Pictures', pictures),
      ...(decoded.damage.places > 0 ? [`Damaged places in the structure of the file: ${decoded.damage.places}.`] : []),
    ],
  };
}

function partsWarning(what: string, decoded: Decoded | null): string[] {
  const parts = decoded?.damage.parts ?? 0;
  return parts === 0 ? [] : [`${what} that are damaged and could not be decoded: ${parts}.`];
}

function spanOf(decoded: Decoded, heardSeconds: number | null): CoveredSpan {
  if (heardSeconds === null) return span(0, decoded.endSeconds, decoded.endSeconds);
  const start = Math.min(decoded.startSeconds, heardSeconds);
  return span(start, heardSeconds, Math.min(decoded.soundSeconds, heardSeconds - start));
}

function span(startSeconds: number, endSeconds: number, durationSeconds: number): CoveredSpan {
  return {
    startSeconds: rounded(startSeconds),
    endSeconds: rounded(endSeconds),
    durationSeconds: rounded(durationSeconds),
  };
}

function lengthWarnings(probe: Probe, decoded: Decoded, covered: CoveredSpan): string[] {
  const { durationSeconds: stated, durationIsGuessed } = probe;
  const warnings: string[] = [];
  const end = Math.max(decoded.endSeconds, covered.endSeconds);
  if (stated !== null && !durationIsGuessed && isShort(end, stated)) {
    warnings.push(`The file states a length of ${shown(stated)} s, but ends at ${shown(end)} s: it is cut or damaged.`);
  }
  const gaps = covered.endSeconds - covered.startSeconds - covered.durationSeconds;
  if (gaps >= GAP_MIN_SECONDS) warnings.push(`Within the recording ${shown(gaps)} s of sound are missing.`);
  return warnings;
}

function isShort(seconds: number, expected: number): boolean {
  return expected - seconds > Math.max(TOLERANCE_SECONDS, expected * TOLERANCE_SHARE);
}

function shown(seconds: number): string {
  return seconds.toFixed(1);
}

function rounded(seconds: number): number {
  return Math.round(Math.max(0, seconds) * 1000) / 1000;
}
