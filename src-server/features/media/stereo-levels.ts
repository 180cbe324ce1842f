/**
 * Whether the two sides of a track cancel each other out in one. A cable that is soldered the wrong way round turns one
 * side upside down: listeners hear it, and the mean of both is silence. More channels are two sides first, as they are
 * for whoever has two ears.
 */

/** Below it a side holds nothing that could be lost. */
const SOUNDING_DB = -50;
/** Sides that have nothing in common lose 3 dB in their mean; a side that is alone loses 6. */
const CANCELLED_DB = 12;
/** Of the seconds that sound. */
const CANCELLED_SHARE = 0.1;
const DECIBELS_PER_TENFOLD = 10;

const SIDES = 'aformat=channel_layouts=stereo';
const LEVELS = 'astats=metadata=1:reset=1:measure_overall=none:measure_perchannel=RMS_level';
const LEVEL_LINE = /ametadata@(sides|mix)\S* @ \w+\] \[info\] lavfi\.astats\.([12])\.RMS_level=(-?[\d.]+|-inf)$/;

export class StereoLevels {
  /** Of the second that is being read: left and right. */
  #sides: [number, number] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  #sounding = 0;
  #cancelled = 0;
  /** What each side holds of the seconds in which they cancel each other out. */
  readonly #lost: [number, number] = [0, 0];

  /** The mean of both sides, for a track at `sampleRate`; ffmpeg says how loud both and their mean are. */
  static filters(sampleRate: number): string[] {
    return [
      ...[SIDES, `asetnsamples=n=${sampleRate}:p=0`, LEVELS, 'ametadata@sides=mode=print'],
      ...['pan=mono|c0=0.5*c0+0.5*c1', LEVELS, 'ametadata@mix=mode=print'],
    ];
  }

  /** One side alone. */
  static sideFilters(side: 0 | 1): string[] {
    return [SIDES, `pan=mono|c0=c${side}`];
  }

  /** A line that ffmpeg said. */
  read(line: string): void {
    const [, which, channel, level] = LEVEL_LINE.exec(line) ?? [];
    if (level === undefined) return;
    const decibels = level === '-inf' ? Number.NEGATIVE_INFINITY : Number(level);
    if (which === 'sides') this.#sides[channel === '1' ? 0 : 1] = decibels;
    // Of the mean there is one channel; what is told of a second was left by the sides.
    else if (channel === '1') this.#close(decibels);
  }

  /** The side to listen to instead of the mean; null where the mean has everything. */
  sideToHear(): 0 | 1 | null {
    if (this.#sounding === 0 || this.#cancelled / this.#sounding < CANCELLED_SHARE) return null;
    return this.#lost[1] > this.#lost[0] ? 1 : 0;
  }

  #close(mix: number): void {
    const loudest = Math.max(...this.#sides);
    if (loudest < SOUNDING_DB) return;
    this.#sounding += 1;
    if (mix >= loudest - CANCELLED_DB) return;
    this.#cancelled += 1;
    for (const side of [0, 1] as const) this.#lost[side] += 10 ** (this.#sides[side] / DECIBELS_PER_TENFOLD);
  }
}
