/** Computes how much of a recording its transcript covers, and the warnings when that is less than all. */

import type { Decoded } from '../../../workers/media/tasks.ts';
import type { Probe } from './probe.ts';
import type { CoveredSpan } from './schema.ts';

/** Containers round their length, and the last frame may be held for a while. */
const TOLERANCE_SECONDS = 2;

const TOLERANCE_SHARE = 0.02;

/** Shorter gaps come from recorders that drop a packet now and then. */
const GAP_MIN_SECONDS = 1;

/** What was decoded of a file. Fields are null for tracks the file lacks or that were not requested. */
interface DecodedTracks {
  sound: Decoded | null;
  /** Length of the sound, filled gaps included. */
  heardSeconds: number | null;
  pictures: Decoded | null;
}

/** The covered span, and warnings for missing or damaged parts. */
export function coverage(probe: Probe, tracks: DecodedTracks): { covered: CoveredSpan; warnings: string[] } {
  const { sound, pictures } = tracks;
  const decoded = sound ?? pictures;
  if (decoded === null) throw new Error('Neither audio nor video was decoded.');
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

/** Merges the reports of recordings that follow each other in one file. */
export function joined(all: readonly Decoded[]): Decoded {
  const sum = (of: (one: Decoded) => number) => all.reduce((total, one) => total + of(one), 0);
  return {
    startSeconds: all[0]?.startSeconds ?? 0,
    endSeconds: sum(({ endSeconds }) => endSeconds),
    soundSeconds: sum(({ soundSeconds }) => soundSeconds),
    damage: { parts: sum(({ damage }) => damage.parts), places: sum(({ damage }) => damage.places) },
  };
}
