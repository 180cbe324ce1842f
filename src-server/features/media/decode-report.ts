/** What ffmpeg reports while it decodes: where the sound begins, how much of it there is, and what is damaged. */

/** Options for ffmpeg that make it report. Levels are named, so that no title in a file passes for an error. */
export const REPORTING = ['-v', 'level+repeat+info', '-nostats', '-progress', 'pipe:1'];

/** A part that failed to decode; newer versions of ffmpeg use the second form. */
const FAILED_PART = /\[error\] Error (?:while decoding stream|submitting packet to decoder)/;
const FIRST_FRAME = /ashowinfo@first\S* @ \w+\].* pts_time:(-?[\d.]+)/;
const SAMPLES = /astats@sound\S* @ \w+\].* Number of samples: (\d+)/;
const OUT_TIME = /^out_time_us=(\d+)/;

/** Errors by kind, as counts. */
export interface Damage {
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
