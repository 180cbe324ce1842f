import { Parser } from 'htmlparser2';
import type { TranscriptSegment } from '../../src-server/features/media/schema.ts';
import { decodeText } from '../../src-server/platform/text/decode-text.ts';
import type { ReadCaptionsInput, ReadCaptionsOutput } from './tasks.ts';

/** Reads a caption file in any encoding; other files give no segments. */
export function readCaptions({ body, language }: ReadCaptionsInput): ReadCaptionsOutput {
  const { text } = decodeText(body, { language });
  const { segments, copies, beyond } = parseCaptions(text);
  const delivered = segments.reduce((sum, segment) => sum + countCaptionLetters(segment.text), 0);
  return { segments, letters: { source: lettersInCaptions(text), delivered, copies, beyond } };
}

// WebVTT, SubRip, SubStation Alpha and Timed Text, including hand-written ones. Threat: markup. Everything like a tag
// is removed, and the rest is plain text.

/** Hand-written times may omit zeros and fractions. */
const TIME = '(?:(\\d{1,3}):)?(\\d{1,2}):(\\d{1,2})(?:[.,](\\d{1,9}))?';

const TIMES = new RegExp(`^\\s*${TIME}\\s*-->\\s*${TIME}`);

const CUES_MAX = 100_000;

/** A cue that comes again sooner is held on the screen. */
const PAUSE_SECONDS = 1;

/** Fewer show no habit. */
const ROLLING_CUES_MIN = 2;

/** Roll-up captions have two or three lines. */
const ROLLING_LINES_MAX = 4;

/** Cache: files repeat a few character references thousands of times. */
const CHARACTERS = new Map<string, string>();

const CHARACTERS_MAX = 1000;

interface ParsedCaptions {
  /** Sorted by time. */
  segments: TranscriptSegment[];
  /** Letters of lines that the file shows again. */
  copies: number;
  /** Cues beyond the most that are kept. */
  beyond: number;
}

export function parseCaptions(source: string): ParsedCaptions {
  const text = source.replace(/\r\n?/g, '\n');
  if (isTimedText(text)) return parseTimedText(text);
  if (isScript(text)) return parseScript(text);
  const read: Cue[] = [];
  let beyond = 0;
  for (const cue of parseCaptionCues(text.split('\n'))) {
    const lines = cue.lines.map(stripCaptionMarkup).filter((line) => line !== '');
    if (lines.length === 0) continue;
    if (read.length < CUES_MAX) read.push({ ...cue, lines });
    else beyond += 1;
  }
  const rolls = isRollUp(read);
  const segments: TranscriptSegment[] = [];
  let copies = 0;
  for (const [index, cue] of read.entries()) copies += addCaptionSegment(segments, cue, read[index - 1] ?? null, rolls);
  return { segments: segments.sort((a, b) => a.start - b.start), copies, beyond };
}

/** Most cues of several lines begin with the end of the cue before. */
function isRollUp(cues: readonly Cue[]): boolean {
  let [tall, rolling] = [0, 0];
  for (const [index, { lines }] of cues.entries()) {
    const before = cues[index - 1];
    if (before === undefined || lines.length < 2) continue;
    tall += 1;
    const known = repeatedLines(before.lines, lines);
    if (known > 0 && known < lines.length) rolling += 1;
  }
  return rolling >= ROLLING_CUES_MIN && rolling * 2 > tall;
}

interface Cue {
  start: number;
  end: number;
  lines: string[];
}

/** A line of times that are not valid, such as `00:00:15,000 -> 00:00:16,000`. */
const LOOSE_TIMES = /^\s*\d[\d:.,]*\s*-{1,2}>/;

/** Blocks of WebVTT that are no cues. */
const ASIDE = /^(?:NOTE|STYLE|REGION)(?:\s|$)/;

/**
 * A cue ends at an empty line or, if that is missing, at the times of the next cue. Text without times after an empty
 * line belongs to the cue before, as players show it.
 */
function* parseCaptionCues(lines: readonly string[]): Generator<Cue> {
  let cue: Cue | null = null;
  let end: number | null = null;
  let isAside = false;
  for (const [index, line] of lines.entries()) {
    const times = TIMES.exec(line);
    const isLoose = times === null && end !== null && LOOSE_TIMES.test(line);
    if (times !== null || isLoose) {
      if (cue !== null) yield { ...cue, lines: withoutNumber(cue.lines) };
      const start: number = times === null ? (end ?? 0) : captionTimeSeconds(times.slice(1, 5));
      end = times === null ? start : Math.max(start, captionTimeSeconds(times.slice(5, 9)));
      cue = { start, end, lines: [] };
      isAside = false;
    } else if (cue !== null && line.trim() !== '') cue.lines.push(line);
    // Roll-up captions start with a line of one blank.
    else if (cue !== null && (line === '' || cue.lines.length > 0)) {
      yield cue;
      cue = null;
    } else if (line.trim() === '') isAside = false;
    else if (end !== null && !isAside && !isCueName(lines, index)) {
      isAside = ASIDE.test(line);
      if (!isAside) cue = { start: end, end, lines: [line] };
    }
  }
  if (cue !== null) yield cue;
}

/** The line before the times: a number, or in WebVTT any name. */
function isCueName(lines: readonly string[], index: number): boolean {
  const next = lines[index + 1] ?? '';
  const isNext = TIMES.test(next) || LOOSE_TIMES.test(next);
  return isNext && (/^\s*\d+\s*$/.test(lines[index] ?? '') || /^\uFEFF?WEBVTT/.test(lines[0] ?? ''));
}

/** Removes the number of the following cue. */
function withoutNumber(lines: readonly string[]): string[] {
  return /^\s*\d+\s*$/.test(lines.at(-1) ?? '') ? lines.slice(0, -1) : [...lines];
}

/**
 * Roll-up captions show each line twice, first as the lower and then as the upper one, also after a pause. A whole cue
 * that comes again after a pause is said again. Returns the letters of what was shown before.
 */
function addCaptionSegment(
  segments: TranscriptSegment[],
  { start, end, lines }: Cue,
  before: Cue | null,
  rolls: boolean,
): number {
  const isClose = before !== null && start - before.end < PAUSE_SECONDS;
  const repeated = before === null ? 0 : repeatedLines(before.lines, lines);
  const known = isClose || (rolls && repeated < lines.length) ? repeated : 0;
  const last = segments.at(-1);
  if (known < lines.length) segments.push({ start, end, text: lines.slice(known).join(' ') });
  else if (last !== undefined) last.end = Math.max(last.end, end);
  return lines.slice(0, known).reduce((sum, line) => sum + countCaptionLetters(line), 0);
}

/** Count of leading lines that repeat the end of the previous cue. */
function repeatedLines(before: readonly string[], lines: readonly string[]): number {
  const most = Math.min(before.length, lines.length, ROLLING_LINES_MAX);
  for (let count = most; count > 0; count -= 1) {
    if (lines.slice(0, count).every((line, index) => line === before[before.length - count + index])) return count;
  }
  return 0;
}

function captionTimeSeconds([hours, minutes, seconds, fraction]: (string | undefined)[]): number {
  const whole = Number(hours ?? 0) * 3600 + Number(minutes) * 60 + Number(seconds);
  return Math.round((whole + Number(`0.${fraction ?? '0'}`)) * 1000) / 1000;
}

/**
 * A tag ends before the next one starts: searching for its end further on would take hours in a file without one. A
 * bracket before a blank or an operator is text: 1 < 2 and 3 > 2.
 */
function stripCaptionMarkup(markup: string): string {
  return markup
    .replace(/<[/!?a-z\d][^<>]*>/gi, '')
    .replace(/\{\\[^{}]*\}/g, '')
    .replaceAll('\\N', ' ')
    .replace(/&(?:[a-z][a-z\d]{1,30}|#\d{1,7}|#x[\da-f]{1,6});/gi, characterOf)
    .replace(/[\u200e\u200f]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** The character of an HTML reference; other text stays. */
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

// (Advanced) SubStation Alpha captions, whose lines mix text with drawing and karaoke commands.

const EVENTS = /^[ \t]*\[Events\][ \t]*$/im;

const FORMAT = /^[ \t]*Format:([^\n]*)$/im;

const LINE = /^[ \t]*Dialogue:([^\n]*)$/gim;

const SCRIPT_TIME = /^\s*(\d{1,3}):(\d{1,2}):(\d{1,2})(?:[.,](\d{1,3}))?\s*$/;

/** Layer, start, end, style, speaker, three margins, effect; then the text, which may contain commas. */
const USUAL_FIELDS = ['layer', 'start', 'end', 'style', 'name', 'marginl', 'marginr', 'marginv', 'effect', 'text'];

const OVERRIDES = /(\{[^{}]*\})/;

function isScript(text: string): boolean {
  return EVENTS.test(text);
}

/** Sorted by time; text repeated in several layers occurs once. */
function parseScript(text: string): ParsedCaptions {
  const fields = dialogueFields(text);
  const segments: TranscriptSegment[] = [];
  const seen = new Set<string>();
  let [copies, beyond] = [0, 0];
  for (const [, line = ''] of text.matchAll(LINE)) {
    const segment = segmentOf(line, fields);
    if (segment === null) continue;
    const key = JSON.stringify(segment);
    if (seen.has(key)) copies += countCaptionLetters(segment.text);
    else if (segments.length >= CUES_MAX) beyond += 1;
    else {
      seen.add(key);
      segments.push(segment);
    }
  }
  return { segments: segments.sort((a, b) => a.start - b.start), copies, beyond };
}

function dialogueFields(text: string): string[] {
  const events = text.slice(EVENTS.exec(text)?.index ?? 0);
  const fields = FORMAT.exec(events)?.[1]
    ?.split(',')
    .map((name) => name.trim().toLowerCase());
  return fields?.includes('start') && fields.includes('end') && fields.at(-1) === 'text' ? fields : USUAL_FIELDS;
}

function segmentOf(line: string, fields: readonly string[]): TranscriptSegment | null {
  const values = line.split(',');
  const start = scriptSeconds(values[fields.indexOf('start')]);
  const end = scriptSeconds(values[fields.indexOf('end')]);
  const text = readableText(values.slice(fields.length - 1).join(','));
  return start === null || end === null || end < start || text === '' ? null : { start, end, text };
}

/** The readable text of a line, without styles and drawings. */
function readableText(line: string): string {
  let isDrawing = false;
  const shown = line.split(OVERRIDES).map((part, index) => {
    const isOverride = index % 2 === 1;
    const scale = isOverride ? /\\p(\d)/.exec(part)?.[1] : undefined;
    if (scale !== undefined) isDrawing = scale !== '0';
    return isOverride || isDrawing ? '' : part;
  });
  return shown
    .join('')
    .replace(/\\[Nnh]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

function scriptSeconds(stamp: string | undefined): number | null {
  const found = SCRIPT_TIME.exec(stamp ?? '');
  if (found === null) return null;
  const [, hours, minutes, seconds, fraction = '0'] = found;
  const whole = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return whole + Number(fraction.padEnd(3, '0')) / 1000;
}

// Timed Text Markup (TTML, DFXP, SMPTE-TT), as broadcasters use it: timed paragraphs in XML.

const ROOT = /<(?:[\w-]+:)?tt[\s>]/;

/** A declaration and comments precede the root. */
const ROOT_WITHIN_CHARS = 4000;

/** Bound on nesting: the parser copies its stack for each element. */
const DEPTH_MAX = 500;

const CLOCK = /^(\d{1,3}):(\d{1,2}):(\d{1,2})(?:[.,](\d{1,9})|:(\d{1,3})(?:\.\d+)?)?$/;

const OFFSET = /^(\d{1,12}(?:\.\d{1,9})?)(h|ms|m|s|f|t)$/;

const FRAME_RATE_USUAL = 30;

interface Rates {
  frames: number;
  ticks: number;
}

/** An element with the times of its content. */
interface Span {
  start: number;
  end: number;
  /** Target of text; null outside paragraphs. */
  cue: TranscriptSegment | null;
}

function isTimedText(text: string): boolean {
  return text.trimStart().startsWith('<') && ROOT.test(text.slice(0, ROOT_WITHIN_CHARS));
}

function parseTimedText(text: string): ParsedCaptions {
  const cues: TranscriptSegment[] = [];
  let beyond = 0;
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
        // Karaoke and dialogue time each part.
        const isOwn = local === 'p' || (around.cue !== null && (span.start > around.start || span.end < around.end));
        if (isOwn) {
          span.cue = { start: span.start, end: span.end, text: '' };
          if (cues.length < CUES_MAX) cues.push(span.cue);
          else beyond += 1;
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
  const segments = cues
    .map((cue) => ({ ...cue, text: cue.text.replace(/\s+/g, ' ').trim() }))
    .filter((cue) => cue.text !== '' && Number.isFinite(cue.end) && cue.end >= cue.start)
    .sort((a, b) => a.start - b.start);
  return { segments, copies: 0, beyond };
}

/** Times are relative to the enclosing element. */
function spanIn(around: Span, attributes: Record<string, string>, rates: Rates): Span {
  const [begin, end, length] = ['begin', 'end', 'dur'].map((name) => timedTextSeconds(attributes[name], rates));
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
  const frames = positiveNumberOr(Number(named.frameRate), FRAME_RATE_USUAL);
  return {
    frames: frames * positiveNumberOr((times ?? 1) / (per ?? 1), 1),
    ticks: positiveNumberOr(Number(named.tickRate), 1),
  };
}

function positiveNumberOr(value: number, otherwise: number): number {
  return Number.isFinite(value) && value > 0 ? value : otherwise;
}

function timedTextSeconds(stamp: string | undefined, { frames, ticks }: Rates): number | null {
  const clock = CLOCK.exec(stamp?.trim() ?? '');
  if (clock !== null) {
    const [, hours, minutes, seconds, fraction = '0', frame = '0'] = clock;
    const whole = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
    return roundCaptionSeconds(whole + Number(`0.${fraction}`) + Number(frame) / frames);
  }
  const [, amount, unit = ''] = OFFSET.exec(stamp?.trim() ?? '') ?? [];
  if (amount === undefined) return null;
  const inSeconds: Record<string, number> = { h: 3600, m: 60, s: 1, ms: 0.001, f: 1 / frames, t: 1 / ticks };
  return roundCaptionSeconds(Number(amount) * (inSeconds[unit] ?? 1));
}

function roundCaptionSeconds(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

const LETTERS = /[\p{L}\p{N}]/gu;

/** Counts the letters of a caption file apart from the parsers above, line by line. */
function countCaptionLetters(text: string): number {
  return text.match(LETTERS)?.length ?? 0;
}

function lettersInCaptions(source: string): number {
  const text = source.replace(/\r\n?/g, '\n');
  if (isTimedText(text))
    return countCaptionLetters(
      stripCaptionMarkup(text.replace(/<head[\s>][\s\S]*?<\/head>/i, '').replace(/<[^<>]*>/g, ' ')),
    );
  if (isScript(text)) {
    const lines = [...text.matchAll(LINE)].map(([, line = '']) =>
      line
        .split(',')
        .slice(USUAL_FIELDS.length - 1)
        .join(','),
    );
    return lines.reduce((sum, line) => sum + countCaptionLetters(readableText(line)), 0);
  }
  let letters = 0;
  let hasCue = false;
  for (const block of text.split(/\n\n+/)) {
    if (ASIDE.test(block)) continue;
    const lines = block.split('\n');
    const first = lines.findIndex((line) => line.includes('-->') || (hasCue && LOOSE_TIMES.test(line)));
    if (first === -1 && !hasCue) continue;
    hasCue = true;
    for (const [index, line] of lines.entries()) {
      const isTimes = line.includes('-->') || LOOSE_TIMES.test(line);
      const isNumber = /^\s*\d+\s*$/.test(line) && /->/.test(lines[index + 1] ?? '');
      if (index > first && !isTimes && !isNumber) letters += countCaptionLetters(stripCaptionMarkup(line));
    }
  }
  return letters;
}
