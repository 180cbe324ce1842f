/** Subtitles of a transcript, as SubRip and WebVTT. */
import type { TranscriptSegment } from '../../src-server/contract/index.ts';

/** What fits on a screen: two lines. */
const LINE_CHARS = 42;
const CUE_CHARS = LINE_CHARS * 2;
/** A cue that is shown for less cannot be read. */
const CUE_SECONDS_MIN = 0.5;

interface Cue {
  start: number;
  end: number;
  lines: string[];
}

export function toSrt(segments: readonly TranscriptSegment[]): string {
  return cuesOf(segments)
    .map(({ start, end, lines }, index) => {
      return `${index + 1}\n${stamp(start, ',')} --> ${stamp(end, ',')}\n${lines.join('\n')}\n`;
    })
    .join('\n');
}

export function toVtt(segments: readonly TranscriptSegment[]): string {
  const cues = cuesOf(segments).map(({ start, end, lines }) => {
    // What looks like markup would be taken for it.
    const text = lines.map((line) => line.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'));
    return `${stamp(start, '.')} --> ${stamp(end, '.')}\n${text.join('\n')}\n`;
  });
  return `WEBVTT\n\n${cues.join('\n')}`;
}

/** A long segment becomes several cues, which share its time by their length. */
function cuesOf(segments: readonly TranscriptSegment[]): Cue[] {
  const cues: Cue[] = [];
  for (const [index, { start, end, text }] of segments.entries()) {
    const parts = broken(text, CUE_CHARS);
    const next = segments[index + 1]?.start ?? Number.POSITIVE_INFINITY;
    const last = Math.max(end, Math.min(start + CUE_SECONDS_MIN, next));
    const total = parts.reduce((sum, part) => sum + part.length, 0);
    let at = start;
    for (const part of parts) {
      const until = at + ((last - start) * part.length) / total;
      cues.push({ start: at, end: until, lines: broken(part, LINE_CHARS) });
      at = until;
    }
  }
  return cues;
}

/** Words in lines of at most so many characters; a word that is longer has a line of its own. */
function broken(text: string, maxChars: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line !== '' && line.length + 1 + word.length > maxChars) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  lines.push(line);
  return lines;
}

function stamp(seconds: number, mark: ',' | '.'): string {
  const total = Math.round(seconds * 1000);
  const two = (value: number) => String(value).padStart(2, '0');
  const milliseconds = String(total % 1000).padStart(3, '0');
  const whole = Math.floor(total / 1000);
  const clock = `${two(Math.floor(whole / 3600))}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
  return `${clock}${mark}${milliseconds}`;
}
