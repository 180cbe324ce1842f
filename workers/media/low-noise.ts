/**
 * Finds what recognisers lose whole sentences to, and people hardly hear: an offset or rumble below the voice, and the
 * hum of the mains, tones of 50 or 60 Hz and their multiples that stand still for most of a recording. Partials of
 * voices and notes move. A clean recording is left as it is: each filter changes a word now and then.
 */

/** A tenth of the usual rates, which holds all tones that are looked for. */
const LOW_RATE = 1000;

const TONES = [50, 100, 150, 200, 250, 300, 350, 400, 60, 120, 180, 240, 360];

/** A tone of hum is this much above what lies this far beside it. */
const ABOVE_DB = 15;

const BESIDE_HZ = [-8, -6, 6, 8];

const LEAST_DB = -60;

/** Share of the seconds with hum, and how far its level may move in most of them. */
const SHARE_MIN = 0.3;

const LEVEL_RANGE_DB = 6;

/** Share of a one-pole filter for 20 Hz at the low rate; four of them pass 0.001 of 100 Hz, and an offset whole. */
const SUBSONIC_SHARE = 0.118;

const SUBSONIC_POLES = 4;

/** Mean power of a second, 1 for full scale: an offset of 0.3 % of it. */
const SUBSONIC_MIN = 1e-5;

const SUBSONIC_SECONDS_SHARE = 0.1;

/** Removes offset and rumble; steeper than one filter of these. */
const HIGH_PASS = ['highpass=f=40:poles=2', 'highpass=f=40:poles=2'];

/** Mains drift by some tenths of a hertz. */
const NOTCH_HZ = 6;

const WINDOW = Float64Array.from({ length: LOW_RATE }, (_, at) => 0.5 - 0.5 * Math.cos((2 * Math.PI * at) / LOW_RATE));

/** Takes any portions of samples; keeps one second, and one number for each second with a tone. */
export class LowNoise {
  readonly #step: number;
  readonly #second = new Float64Array(LOW_RATE);
  readonly #levels = new Map<number, number[]>(TONES.map((tone) => [tone, []]));
  #sum = 0;
  #count = 0;
  #at = 0;
  #seconds = 0;
  readonly #poles = new Float64Array(SUBSONIC_POLES);
  #subsonic = 0;
  #subsonicSeconds = 0;

  constructor(sampleRate: number) {
    this.#step = Math.round(sampleRate / LOW_RATE);
  }

  addNoiseSamples(samples: Float32Array): void {
    for (const sample of samples) {
      this.#sum += sample;
      this.#count += 1;
      if (this.#count < this.#step) continue;
      const value = this.#sum / this.#step;
      this.#second[this.#at] = value;
      this.#addSubsonic(value);
      this.#sum = 0;
      this.#count = 0;
      this.#at += 1;
      if (this.#at === LOW_RATE) this.#measureNoiseSecond();
    }
  }

  /** Filters of FFmpeg that take out what was found; none for a clean recording. */
  noiseFilters(): string[] {
    const found = [...this.#levels].filter(([, levels]) => this.#isHum(levels));
    const notches = found.map(([tone]) => `bandreject=f=${tone}:width_type=h:w=${NOTCH_HZ}`);
    const isOffset = this.#subsonicSeconds > this.#seconds * SUBSONIC_SECONDS_SHARE;
    return isOffset || notches.length > 0 ? [...HIGH_PASS, ...notches] : [];
  }

  #addSubsonic(value: number): void {
    let passed = value;
    for (let pole = 0; pole < SUBSONIC_POLES; pole += 1) {
      const before = this.#poles[pole] ?? 0;
      passed = before + (passed - before) * SUBSONIC_SHARE;
      this.#poles[pole] = passed;
    }
    this.#subsonic += passed * passed;
  }

  #isHum(levels: number[]): boolean {
    if (levels.length === 0 || levels.length < this.#seconds * SHARE_MIN) return false;
    const sorted = levels.toSorted((one, other) => one - other);
    const [low, high] = [0.1, 0.9].map((share) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0);
    return (high ?? 0) - (low ?? 0) <= LEVEL_RANGE_DB;
  }

  #measureNoiseSecond(): void {
    this.#at = 0;
    this.#seconds += 1;
    if (this.#subsonic > SUBSONIC_MIN * LOW_RATE) this.#subsonicSeconds += 1;
    this.#subsonic = 0;
    for (let at = 0; at < LOW_RATE; at += 1) this.#second[at] = (this.#second[at] ?? 0) * (WINDOW[at] ?? 0);
    for (const [tone, levels] of this.#levels) {
      const power = powerAt(this.#second, tone);
      const level = noiseDecibels(power);
      if (level < LEAST_DB) continue;
      const beside = BESIDE_HZ.reduce((sum, hertz) => sum + powerAt(this.#second, tone + hertz), 0) / BESIDE_HZ.length;
      if (level - noiseDecibels(beside) >= ABOVE_DB) levels.push(level);
    }
  }
}

/** The power of one frequency in a second of sound (Goertzel's algorithm); 1 for a tone of full scale. */
function powerAt(second: Float64Array, hertz: number): number {
  const turn = 2 * Math.cos((2 * Math.PI * hertz) / LOW_RATE);
  let [before, last] = [0, 0];
  for (const sample of second) {
    const next = sample + turn * last - before;
    before = last;
    last = next;
  }
  // The window halves the amplitude.
  return ((last * last + before * before - turn * last * before) * 16) / (LOW_RATE * LOW_RATE);
}

function noiseDecibels(power: number): number {
  return 10 * Math.log10(power + 1e-12);
}
