/**
 * WebVTT, SubRip, SubStation Alpha and Timed Text, as people write them. The threat is markup: whatever looks like a
 * tag is left out, and what is left is text and nothing else.
 */
import { Parser } from 'htmlparser2';
import type { TranscriptSegment } from '../../src-server/contract/index.ts';
import { isScript, parseScript } from './script-captions.ts';
import { isTimedText, parseTimedText } from './timed-text.ts';

/** Who types it by hand leaves out zeros and fractions. */
const TIME = '(?:(\\d{1,3}):)?(\\d{1,2}):(\\d{1,2})(?:[.,](\\d{1,9}))?';
const TIMES = new RegExp(`^\\s*${TIME}\\s*-->\\s*${TIME}`);
const CUES_MAX = 100_000;
/** Screens that roll have two or three. */
const ROLLING_LINES_MAX = 4;
/** As read so far: files repeat a few of them thousands of times. */
const CHARACTERS = new Map<string, string>();
const CHARACTERS_MAX = 1000;

export function parseCaptions(source: string): TranscriptSegment[] {
  const text = source.replace(/\r\n?/g, '\n');
  if (isTimedText(text)) return parseTimedText(text);
  if (isScript(text)) return parseScript(text);
  const segments: TranscriptSegment[] = [];
  let before: Cue | null = null;
  for (const cue of cuesOf(text.split('\n'))) {
    const shown = cue.lines.map(plain).filter((line) => line !== '');
    if (shown.length === 0 || cue.end < cue.start) continue;
    add(segments, { ...cue, lines: shown }, before);
    before = { ...cue, lines: shown };
    if (segments.length >= CUES_MAX) break;
  }
  return segments.sort((a, b) => a.start - b.start);
}

interface Cue {
  start: number;
  end: number;
  lines: string[];
}

/** A cue ends with an empty line, or where somebody forgot that, with the times of the next one. */
function* cuesOf(lines: readonly string[]): Generator<Cue> {
  let cue: Cue | null = null;
  for (const line of lines) {
    const times = TIMES.exec(line);
    if (times !== null) {
      if (cue !== null) yield { ...cue, lines: withoutNumber(cue.lines) };
      cue = { start: secondsOf(times.slice(1, 5)), end: secondsOf(times.slice(5, 9)), lines: [] };
    } else if (cue !== null && line.trim() !== '') cue.lines.push(line);
    // Captions that roll begin with a line of one blank.
    else if (cue !== null && (line === '' || cue.lines.length > 0)) {
      yield cue;
      cue = null;
    }
  }
  if (cue !== null) yield cue;
}

/** The number of the cue that follows. */
function withoutNumber(lines: readonly string[]): string[] {
  return /^\s*\d+\s*$/.test(lines.at(-1) ?? '') ? lines.slice(0, -1) : [...lines];
}

/** Captions that roll say each line twice, once as the lower and once as the upper one. */
function add(segments: TranscriptSegment[], { start, end, lines }: Cue, before: Cue | null): void {
  const follows = before !== null && start - before.end < 1;
  const known = follows ? saidBefore(before.lines, lines) : 0;
  const last = segments.at(-1);
  if (known < lines.length) segments.push({ start, end, text: lines.slice(known).join(' ') });
  else if (last !== undefined) last.end = Math.max(last.end, end);
}

/** How many of the first lines are the last ones of the cue before. */
function saidBefore(before: readonly string[], lines: readonly string[]): number {
  const most = Math.min(before.length, lines.length, ROLLING_LINES_MAX);
  for (let count = most; count > 0; count -= 1) {
    if (lines.slice(0, count).every((line, index) => line === before[before.length - count + index])) return count;
  }
  return 0;
}

function secondsOf([hours, minutes, seconds, fraction]: (string | undefined)[]): number {
  const whole = Number(hours ?? 0) * 3600 + Number(minutes) * 60 + Number(seconds);
  return Math.round((whole + Number(`0.${fraction ?? '0'}`)) * 1000) / 1000;
}

/**
 * A tag ends before the next one begins: looking for its end further on would take hours of a file that has none. What
 * begins with a blank or a sign is none: 1 < 2 and 3 > 2.
 */
function plain(markup: string): string {
  return markup
    .replace(/<[/!?a-z\d][^<>]*>/gi, '')
    .replace(/\{\\[^{}]*\}/g, '')
    .replaceAll('\\N', ' ')
    .replace(/&(?:[a-z][a-z\d]{1,30}|#\d{1,7}|#x[\da-f]{1,6});/gi, characterOf)
    .replace(/[\u200e\u200f]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** What a reference of HTML stands for; one that is none stays. */
function characterOf(reference: string): string {
  const known = CHARACTERS.get(reference);
  if (known !== undefined) return known;
  let text = '';
  const parser = new Parser({
    ontext(part) {
      text += part;
    },
  });
  parser.end(reference);
  if (CHARACTERS.size < CHARACTERS_MAX) CHARACTERS.set(reference, text);
  return text;
}
