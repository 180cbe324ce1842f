/** How much of a recording a transcript covers, and the warnings where that is not all of it. */

import type { Probe } from './probe.ts';
import type { CoveredSpan } from './schema.ts';

/** Containers round their length, and the last picture may be shown for a while. */
const TOLERANCE_SECONDS = 2;

const TOLERANCE_SHARE = 0.02;

/** Shorter gaps are the work of recorders that drop a piece now and then. */
const GAP_MIN_SECONDS = 1;

/** What was decoded of a file; null for what it does not have, or what was not asked for. */
interface DecodedTracks {
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

/** What ffmpeg reports while it decodes: where the sound begins, how much of it there is, and what is damaged. */

/** Options for ffmpeg that make it report. Levels are named, so that no title in a file passes for an error. */
export const REPORTING = ['-v', 'level+repeat+info', '-nostats', '-progress', 'pipe:1'];

/** A part that failed to decode; newer versions of ffmpeg use the second form. */
const FAILED_PART = /\[error\] Error (?:while decoding stream|submitting packet to decoder)/;

const FIRST_FRAME = /ashowinfo@first\S* @ \w+\].* pts_time:(-?[\d.]+)/;

const SAMPLES = /astats@sound\S* @ \w+\].* Number of samples: (\d+)/;

const OUT_TIME = /^out_time_us=(\d+)/;

/** Errors by kind, as counts. */
interface Damage {
  /** Pieces of sound, or pictures, that could not be decoded. */
  parts: number;
  /** Places where the structure of the file is broken. */
  places: number;
}

export interface Decoded {
  startSeconds: number;
  /** Where the last of the tracks ends. */
  endSeconds: number;
  /** Sound that was decoded; what gaps were filled with does not count. */
  soundSeconds: number;
  damage: Damage;
}

export class DecodeReport {
  /** How lines begin that tell of the container; null where a decoder's begin alike. */
  readonly #container: string | null;
  #startSeconds: number | null = null;
  #endSeconds = 0;
  #samples = 0;
  #parts = 0;
  #places = 0;

  /** Both as ffmpeg names them. */
  constructor({ format, codec }: { format: string; codec: string | null }) {
    this.#container = format === codec ? null : `[${format} @ `;
  }

  /** For sound at `sampleRate`: makes ffmpeg tell where it begins and count it before gaps are filled with silence. */
  static filters(sampleRate: number): string {
    return (
      `aresample=${sampleRate},asplit[sound][copy];[copy]aselect='eq(n,0)',ashowinfo@first,anullsink;` +
      '[sound]astats@sound=measure_perchannel=none:measure_overall=Number_of_samples'
    );
  }

  /** A line of standard error. */
  readError(line: string): void {
    if (FAILED_PART.test(line)) this.#parts += 1;
    else if (this.#container !== null && line.startsWith(this.#container) && line.includes('] [error] ')) {
      this.#places += 1;
    }
    const [, start] = FIRST_FRAME.exec(line) ?? [];
    if (start !== undefined) this.#startSeconds ??= Math.max(0, Number(start));
    this.#samples += Number(SAMPLES.exec(line)?.[1] ?? 0);
  }

  /** A line of standard output. Returns the seconds that are done; null where the line is about something else. */
  readProgress(line: string): number | null {
    const [, micros] = OUT_TIME.exec(line) ?? [];
    if (micros === undefined) return null;
    this.#endSeconds = Math.max(this.#endSeconds, Number(micros) / 1e6);
    return this.#endSeconds;
  }

  decoded(sampleRate: number): Decoded {
    return {
      startSeconds: this.#startSeconds ?? 0,
      endSeconds: this.#endSeconds,
      soundSeconds: this.#samples / sampleRate,
      damage: { parts: this.#parts, places: this.#places },
    };
  }
}

/** Of recordings that follow each other in one file. */
export function joined(all: readonly Decoded[]): Decoded {
  const sum = (of: (one: Decoded) => number) => all.reduce((total, one) => total + of(one), 0);
  return {
    startSeconds: all[0]?.startSeconds ?? 0,
    endSeconds: sum(({ endSeconds }) => endSeconds),
    soundSeconds: sum(({ soundSeconds }) => soundSeconds),
    damage: { parts: sum(({ damage }) => damage.parts), places: sum(({ damage }) => damage.places) },
  };
}
