/**
 * WebVTT and SubRip, as people write them. The threat is markup: whatever looks like a tag is left out, and what is
 * left is text and nothing else.
 */
import type { TranscriptSegment } from '../../src-server/contract/index.ts';

const TIME = '(?:(\\d{1,3}):)?(\\d{1,2}):(\\d{2})[.,](\\d{1,3})';
const TIMES = new RegExp(`^\\s*${TIME}\\s*-->\\s*${TIME}`);
const CUES_MAX = 100_000;
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  nbsp: ' ',
  lrm: '',
  rlm: '',
  '#39': "'",
};

export function parseCaptions(text: string): TranscriptSegment[] {
  const segments: TranscriptSegment[] = [];
  for (const block of text.replace(/\r\n?/g, '\n').split(/\n[ \t]*\n/)) {
    if (segments.length >= CUES_MAX) break;
    const lines = block.split('\n');
    const at = lines.findIndex((line) => TIMES.test(line));
    const times = at === -1 ? null : TIMES.exec(lines[at] ?? '');
    if (times === null) continue;
    const words = plain(lines.slice(at + 1).join(' '));
    const [start, end] = [secondsOf(times.slice(1, 5)), secondsOf(times.slice(5, 9))];
    if (words !== '' && end >= start) add(segments, { start, end, text: words });
  }
  return segments.sort((a, b) => a.start - b.start);
}

/** Captions that roll say each line twice, once as the lower and once as the upper one. */
function add(segments: TranscriptSegment[], segment: TranscriptSegment): void {
  const last = segments.at(-1);
  if (last !== undefined && last.text === segment.text && segment.start - last.end < 1) last.end = segment.end;
  else segments.push(segment);
}

function secondsOf([hours, minutes, seconds, fraction]: (string | undefined)[]): number {
  const whole = Number(hours ?? 0) * 3600 + Number(minutes) * 60 + Number(seconds);
  return whole + Number((fraction ?? '0').padEnd(3, '0')) / 1000;
}

/** A tag ends before the next one begins: looking for its end further on would take hours of a file that has none. */
function plain(markup: string): string {
  return markup
    .replace(/<[^<>]*>/g, '')
    .replace(/\{\\[^{}]*\}/g, '')
    .replace(/&([a-z]+|#39);/g, (whole, name: string) => ENTITIES[name] ?? whole)
    .replace(/\s+/g, ' ')
    .trim();
}
