/** The subtitle files of a transcript. */

import type { TranscriptSegment } from '../../src-server/features/media/schema.ts';
import { byName } from '../../src-server/platform/records.ts';
import type { Said } from '../../src-server/platform/text/say.ts';
import { type CaptionNote, type Cue, cuesOfSegments, cueTimestamp, toSrt, toVtt, withNotes } from './captions.ts';
import { layoutWarnings } from './subtitle-layout.ts';
import type { SubtitleLayout } from './tasks.ts';

/** WebVTT in which each word has its time, for players that light up words. */
export const WORDS_VTT = 'transcript.words.vtt';

interface CaptionFiles {
  /** By name; the one with word times only where words are timed. */
  files: Record<string, string>;
  /** What the style asks for and the speech does not allow. */
  warnings: Said[];
}

/** @param notes comments for WebVTT; SubRip has none */
export function captionFiles(
  segments: readonly TranscriptSegment[],
  layout: SubtitleLayout,
  notes: readonly CaptionNote[] = [],
): CaptionFiles {
  const timed = toWordsVtt(segments, layout, notes);
  return {
    files: {
      'transcript.srt': toSrt(segments, layout),
      'transcript.vtt': toVtt(segments, layout, notes),
      ...(timed === null ? {} : { [WORDS_VTT]: timed }),
    },
    warnings: layout.style === null ? [] : layoutWarnings(cuesOfSegments(segments, layout), layout.style),
  };
}

/** Null where no word is timed. */
export function toWordsVtt(
  segments: readonly TranscriptSegment[],
  layout?: SubtitleLayout,
  notes: readonly CaptionNote[] = [],
): string | null {
  if (!segments.some(({ words = [] }) => words.length > 0)) return null;
  const starts = startsOf(segments);
  let place = 0;
  const cues = cuesOfSegments(segments, layout);
  const written = cues.map((cue) => {
    let last = Math.round(cue.start * 1000);
    const until = Math.round(cue.end * 1000);
    const text = [...cue.lines.join('\n')].map((letter) => {
      if (/\s/u.test(letter)) return letter;
      const at = Math.round((starts.get(place) ?? 0) * 1000);
      place += letter.length;
      // A time lies after the start of the cue and before its end; times never go back.
      if (at <= last || at >= until) return ESCAPED[letter] ?? letter;
      last = at;
      return `<${cueTimestamp(at / 1000, '.')}>${ESCAPED[letter] ?? letter}`;
    });
    return `${cueTimestamp(cue.start, '.')} --> ${cueTimestamp(cue.end, '.')}\n${voiceOf(cue)}${text.join('')}\n`;
  });
  return `WEBVTT\n\n${withNotes(written, cues, notes).join('\n')}`;
}

const ESCAPED: Readonly<Record<string, string>> = byName({ '&': '&amp;', '<': '&lt;', '>': '&gt;' });

function voiceOf({ speaker }: Cue): string {
  return speaker === undefined ? '' : `<v ${[...speaker].map((letter) => ESCAPED[letter] ?? letter).join('')}>`;
}

/** The time of each timed word, by the number of characters before it that are no blanks. */
function startsOf(segments: readonly TranscriptSegment[]): Map<number, number> {
  const starts = new Map<number, number>();
  let place = 0;
  for (const { text, words = [] } of segments) {
    const letters = text.replace(/\s+/g, '');
    let within = 0;
    if (words.map((word) => word.text.replace(/\s+/g, '')).join('') === letters) {
      for (const word of words) {
        starts.set(place + within, word.start);
        within += word.text.replace(/\s+/g, '').length;
      }
    }
    place += letters.length;
  }
  return starts;
}
