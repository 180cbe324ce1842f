/** Captions in Timed Text Markup (TTML, DFXP, SMPTE-TT), as broadcasters give them: paragraphs with times in XML. */
import { Parser } from 'htmlparser2';
import type { TranscriptSegment } from '../../src-server/contract/index.ts';

const ROOT = /<(?:[\w-]+:)?tt[\s>]/;
/** A declaration and comments stand before the root. */
const ROOT_WITHIN_CHARS = 4000;
const CUES_MAX = 100_000;
/** No captions nest so deep. The parser would move its whole stack for each element. */
const DEPTH_MAX = 500;
const CLOCK = /^(\d{1,3}):(\d{1,2}):(\d{1,2})(?:[.,](\d{1,9})|:(\d{1,3})(?:\.\d+)?)?$/;
const OFFSET = /^(\d{1,12}(?:\.\d{1,9})?)(h|ms|m|s|f|t)$/;
const FRAME_RATE_USUAL = 30;

interface Rates {
  frames: number;
  ticks: number;
}

/** An element, with the times of what stands in it. */
interface Span {
  start: number;
  end: number;
  /** What is read goes here; null outside of paragraphs. */
  cue: TranscriptSegment | null;
}

export function isTimedText(text: string): boolean {
  return text.trimStart().startsWith('<') && ROOT.test(text.slice(0, ROOT_WITHIN_CHARS));
}

/** In the order of time. */
export function parseTimedText(text: string): TranscriptSegment[] {
  const cues: TranscriptSegment[] = [];
  const open: Span[] = [];
  let rates: Rates = { frames: FRAME_RATE_USUAL, ticks: 1 };
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        const local = localName(name);
        if (local === 'tt') rates = ratesOf(attributes);
        const around = open.at(-1) ?? { start: 0, end: Number.POSITIVE_INFINITY, cue: null };
        if (local === 'br' && around.cue !== null) around.cue.text += ' ';
        const span = spanIn(around, attributes, rates);
        // What is sung or said in turns has a time for each part.
        const isOwn = local === 'p' || (around.cue !== null && (span.start > around.start || span.end < around.end));
        if (isOwn && cues.length < CUES_MAX) {
          span.cue = { start: span.start, end: span.end, text: '' };
          cues.push(span.cue);
        }
        open.push(span);
        if (open.length > DEPTH_MAX) parser.pause();
      },
      ontext(part) {
        const cue = open.at(-1)?.cue;
        if (cue) cue.text += part;
      },
      onclosetag() {
        open.pop();
      },
    },
    { xmlMode: true },
  );
  parser.end(text);
  return cues
    .map((cue) => ({ ...cue, text: cue.text.replace(/\s+/g, ' ').trim() }))
    .filter((cue) => cue.text !== '' && Number.isFinite(cue.end) && cue.end >= cue.start)
    .sort((a, b) => a.start - b.start);
}

/** Times count from the beginning of what is around. */
function spanIn(around: Span, attributes: Record<string, string>, rates: Rates): Span {
  const [begin, end, length] = ['begin', 'end', 'dur'].map((name) => secondsOf(attributes[name], rates));
  const start = around.start + (begin ?? 0);
  const ends = [around.end];
  if (typeof end === 'number') ends.push(around.start + end);
  if (typeof length === 'number') ends.push(start + length);
  return { start, end: Math.min(...ends), cue: around.cue };
}

function ratesOf(attributes: Record<string, string>): Rates {
  const named = Object.fromEntries(Object.entries(attributes).map(([name, value]) => [localName(name), value]));
  const [times, per] = (named.frameRateMultiplier ?? '1 1')
    .trim()
    .split(/[\s:]+/)
    .map(Number);
  const frames = positive(Number(named.frameRate), FRAME_RATE_USUAL);
  return { frames: frames * positive((times ?? 1) / (per ?? 1), 1), ticks: positive(Number(named.tickRate), 1) };
}

function positive(value: number, otherwise: number): number {
  return Number.isFinite(value) && value > 0 ? value : otherwise;
}

function secondsOf(stamp: string | undefined, { frames, ticks }: Rates): number | null {
  const clock = CLOCK.exec(stamp?.trim() ?? '');
  if (clock !== null) {
    const [, hours, minutes, seconds, fraction = '0', frame = '0'] = clock;
    const whole = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
    return rounded(whole + Number(`0.${fraction}`) + Number(frame) / frames);
  }
  const [, amount, unit = ''] = OFFSET.exec(stamp?.trim() ?? '') ?? [];
  if (amount === undefined) return null;
  const inSeconds: Record<string, number> = { h: 3600, m: 60, s: 1, ms: 0.001, f: 1 / frames, t: 1 / ticks };
  return rounded(Number(amount) * (inSeconds[unit] ?? 1));
}

function rounded(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
