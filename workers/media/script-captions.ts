/** Captions of (Advanced) SubStation Alpha, which say beside each line how it is drawn, sung and moved. */
import type { TranscriptSegment } from '../../src-server/contract/index.ts';

const EVENTS = /^[ \t]*\[Events\][ \t]*$/im;
const FORMAT = /^[ \t]*Format:([^\n]*)$/im;
const LINE = /^[ \t]*Dialogue:([^\n]*)$/gim;
const TIME = /^\s*(\d{1,3}):(\d{1,2}):(\d{1,2})(?:[.,](\d{1,3}))?\s*$/;
/** Layer, start, end, style, speaker, three margins, effect; what follows is text, with the commas in it. */
const USUAL_FIELDS = ['layer', 'start', 'end', 'style', 'name', 'marginl', 'marginr', 'marginv', 'effect', 'text'];
const LINES_MAX = 100_000;
const OVERRIDES = /(\{[^{}]*\})/;

export function isScript(text: string): boolean {
  return EVENTS.test(text);
}

/** In the order of time; what several layers say at one time is said once. */
export function parseScript(text: string): TranscriptSegment[] {
  const fields = fieldsOf(text);
  const segments: TranscriptSegment[] = [];
  const said = new Set<string>();
  for (const [, line = ''] of text.matchAll(LINE)) {
    const segment = segmentOf(line, fields);
    const key = JSON.stringify(segment);
    if (segment === null || said.has(key)) continue;
    said.add(key);
    segments.push(segment);
    if (segments.length >= LINES_MAX) break;
  }
  return segments.sort((a, b) => a.start - b.start);
}

function fieldsOf(text: string): string[] {
  const events = text.slice(EVENTS.exec(text)?.index ?? 0);
  const fields = FORMAT.exec(events)?.[1]
    ?.split(',')
    .map((name) => name.trim().toLowerCase());
  return fields?.includes('start') && fields.includes('end') && fields.at(-1) === 'text' ? fields : USUAL_FIELDS;
}

function segmentOf(line: string, fields: readonly string[]): TranscriptSegment | null {
  const values = line.split(',');
  const start = secondsOf(values[fields.indexOf('start')]);
  const end = secondsOf(values[fields.indexOf('end')]);
  const text = shownIn(values.slice(fields.length - 1).join(','));
  return start === null || end === null || end < start || text === '' ? null : { start, end, text };
}

/** What can be read of a line: not how it looks, nor the lines that a pen draws. */
function shownIn(line: string): string {
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

function secondsOf(stamp: string | undefined): number | null {
  const found = TIME.exec(stamp ?? '');
  if (found === null) return null;
  const [, hours, minutes, seconds, fraction = '0'] = found;
  const whole = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return whole + Number(fraction.padEnd(3, '0')) / 1000;
}
