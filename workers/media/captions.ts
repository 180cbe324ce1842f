/** Subtitles of a transcript, as SubRip and WebVTT. */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TranscriptSegment } from '../../src-server/features/media/schema.ts';
import type { TaskContext } from '../../src-server/platform/pool/worker-pool.ts';
import {
  CUE_LINES,
  inLines,
  lineText,
  type Piece,
  splitUnspacedRun,
} from '../../src-server/platform/text/subtitle-lines.ts';
import { layOutCues } from './subtitle-layout.ts';
import type { SubtitleLayout, WriteSubtitlesInput } from './tasks.ts';

/** A shorter cue cannot be read. */
const CUE_SECONDS_MIN = 0.5;

export interface Cue {
  start: number;
  end: number;
  lines: string[];
  speaker?: string;
}

/** Writes the subtitle tracks of a file. */
export async function writeSubtitles(
  { outputFolder, tracks }: WriteSubtitlesInput,
  { signal }: TaskContext,
): Promise<null> {
  await mkdir(outputFolder, { recursive: true });
  for (const { name, cues } of tracks) {
    if (cues.length === 0) continue;
    await writeFile(join(outputFolder, `${name}.srt`), toSrt(cues), { signal });
    await writeFile(join(outputFolder, `${name}.vtt`), toVtt(cues), { signal });
  }
  return null;
}

export function toSrt(segments: readonly TranscriptSegment[], layout?: SubtitleLayout): string {
  return cuesOfSegments(segments.map(withPrefix), layout)
    .map(({ start, end, lines }, index) => {
      return `${index + 1}\n${cueTimestamp(start, ',')} --> ${cueTimestamp(end, ',')}\n${lines.join('\n')}\n`;
    })
    .join('\n');
}

/** SubRip has no voices: the name comes before the text where the speaker changes. */
function withPrefix(
  segment: TranscriptSegment,
  index: number,
  segments: readonly TranscriptSegment[],
): TranscriptSegment {
  const { speaker, text, words, ...rest } = segment;
  if (speaker === undefined || speaker === segments[index - 1]?.speaker) return segment;
  const prefix = `${speaker}:`;
  const named = { ...rest, speaker, text: `${prefix} ${text}` };
  if (words === undefined) return named;
  // As many words as in the text, so that the times of the others still fit.
  const start = words[0]?.start ?? segment.start;
  return { ...named, words: [...prefix.split(/\s+/).map((word) => ({ start, end: start, text: word })), ...words] };
}

export function toVtt(
  segments: readonly TranscriptSegment[],
  layout?: SubtitleLayout,
  notes: readonly CaptionNote[] = [],
): string {
  const cues = cuesOfSegments(segments, layout);
  const written = cues.map(({ start, end, lines, speaker }) => {
    const text = lines.map(escapeCaptionText).join('\n');
    const spoken = speaker === undefined ? text : `<v ${escapeCaptionText(speaker)}>${text}`;
    return `${cueTimestamp(start, '.')} --> ${cueTimestamp(end, '.')}\n${spoken}\n`;
  });
  return `WEBVTT\n\n${withNotes(written, cues, notes).join('\n')}`;
}

/** A comment of WebVTT, which players do not show. */
export interface CaptionNote {
  /** Time that it is about; null for the whole file. */
  seconds: number | null;
  text: string;
}

/** Each comment before the cue of its time, or before all of them. */
export function withNotes(
  written: readonly string[],
  cues: readonly Cue[],
  notes: readonly CaptionNote[],
): readonly string[] {
  if (notes.length === 0) return written;
  const byCue = Map.groupBy(notes, ({ seconds }) => {
    const at = seconds === null ? 0 : cues.findIndex(({ end }) => end > seconds);
    return at < 0 ? cues.length : at;
  });
  const notesBeforeCue = (cue: number) => (byCue.get(cue) ?? []).map(({ text }) => noteOf(text));
  return [...written.flatMap((cue, index) => [...notesBeforeCue(index), cue]), ...notesBeforeCue(cues.length)];
}

/** An empty line would end the comment, and an arrow would make a cue of it. */
function noteOf(text: string): string {
  const lines = escapeCaptionText(text)
    .split(/\r\n|[\r\n]/)
    .filter((line) => line.trim() !== '');
  return `NOTE ${lines.join('\n')}\n`;
}

/** Text that would be read as markup. */
function escapeCaptionText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Cues in the style of a layout; without one they follow the segments, and a long segment has several. */
export function cuesOfSegments(segments: readonly TranscriptSegment[], layout?: SubtitleLayout): Cue[] {
  if (layout?.style) return layOutCues(segments, layout.style, layout.language);
  const cues: Cue[] = [];
  for (const [index, segment] of segments.entries()) {
    const { start, end, text, speaker } = segment;
    const parts = cueTextParts(text);
    const next = segments[index + 1]?.start ?? Number.POSITIVE_INFINITY;
    const last = Math.max(end, Math.min(start + CUE_SECONDS_MIN, next));
    const beginnings = beginningsOf(parts, { ...segment, end: last });
    for (const [place, part] of parts.entries()) {
      const until = beginnings[place + 1] ?? last;
      const cue = { start: beginnings[place] ?? start, end: until, lines: part.map(lineText) };
      cues.push(speaker === undefined ? cue : { ...cue, speaker });
    }
  }
  return cues;
}

/** The text of each cue: its lines, two at a time. */
function cueTextParts(text: string): Piece[][][] {
  const lines = inLines(text.split(/\s+/).flatMap(splitUnspacedRun));
  return lines.flatMap((_, index) => (index % CUE_LINES === 0 ? [lines.slice(index, index + CUE_LINES)] : []));
}

/** Start of each part: the time of its first word if words are timed, else proportional to length. */
function beginningsOf(parts: readonly Piece[][][], { start, end, text, words }: TranscriptSegment): number[] {
  const timed = words !== undefined && words.length === text.split(/\s+/).length ? words : null;
  const lengths = parts.map((part) => part.flat().reduce((sum, piece) => sum + piece.text.length, 0));
  const total = lengths.reduce((sum, length) => sum + length, 0);
  let [passedWords, passedChars] = [0, 0];
  return parts.map((part, index) => {
    const shared = start + ((end - start) * passedChars) / total;
    const spoken = index === 0 ? start : timed?.[passedWords]?.start;
    passedWords += part.flat().filter(({ goesOn }) => !goesOn).length;
    passedChars += lengths[index] ?? 0;
    return spoken ?? shared;
  });
}

export function cueTimestamp(seconds: number, mark: ',' | '.'): string {
  const total = Math.round(seconds * 1000);
  const padTimestampPart = (value: number) => String(value).padStart(2, '0');
  const milliseconds = String(total % 1000).padStart(3, '0');
  const whole = Math.floor(total / 1000);
  const clock = [whole / 3600, (whole / 60) % 60, whole % 60]
    .map((part) => padTimestampPart(Math.floor(part)))
    .join(':');
  return `${clock}${mark}${milliseconds}`;
}
