import { CUE_LINES, inLines, lineText, type Piece } from '../../src-server/platform/text/subtitle-lines.ts';
import type { SpokenWord } from './word-times.ts';

/** Captions timed by the synthesiser's own word times, so they cannot drift. */
const CUE_SECONDS_MAX = 6;

/** Silence that starts a new cue. */
const GAP_SECONDS = 0.7;

interface Cue {
  words: SpokenWord[];
}

function buildCues(words: readonly SpokenWord[]): Cue[] {
  const cues: Cue[] = [];
  let cue: SpokenWord[] = [];
  for (const word of words) {
    const [first] = cue;
    const last = cue.at(-1);
    if (first !== undefined && last !== undefined) {
      const fits = inLines([...cue, word]).length <= CUE_LINES;
      const late = word.start - last.end > GAP_SECONDS || word.end - first.start > CUE_SECONDS_MAX;
      if (!fits || late || last.endsUtterance) {
        cues.push({ words: cue });
        cue = [];
      }
    }
    cue.push(word);
  }
  if (cue.length > 0) cues.push({ words: cue });
  return cues;
}

/** WebVTT, with the time of each word inside its cue. */
export function toVtt(words: readonly SpokenWord[]): string {
  const cues = buildCues(words).map(({ words: inside }) => {
    const text = renderCueLines(inside, ({ text: spoken, start, goesOn }, isFirst) => {
      const shown = escapeVtt(spoken);
      return { text: isFirst ? shown : `<${formatCueTime(start, '.')}>${shown}`, goesOn };
    });
    const speaker = inside[0]?.speaker;
    const voice = speaker === undefined ? '' : `<v ${escapeVtt(speaker)}>`;
    return `${cueTimeSpan(inside, '.')}\n${voice}${text}\n`;
  });
  return `WEBVTT\n\n${cues.join('\n')}`;
}

/** SubRip has no voices: a name stands before the words where the speaker changes. */
export function toSrt(words: readonly SpokenWord[]): string {
  let before: string | undefined;
  const cues = buildCues(words).map(({ words: inside }, index) => {
    const speaker = inside[0]?.speaker;
    const name = speaker === undefined || speaker === before ? '' : `${speaker}: `;
    before = speaker;
    return `${index + 1}\n${cueTimeSpan(inside, ',')}\n${name}${renderCueLines(inside, (word) => word)}\n`;
  });
  return cues.join('\n');
}

function escapeVtt(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

function renderCueLines(words: readonly SpokenWord[], show: (word: SpokenWord, isFirst: boolean) => Piece): string {
  const lines = inLines(words).map((line) => lineText(line.map((word) => show(word, word === words[0]))));
  return lines.join('\n');
}

function cueTimeSpan(words: readonly SpokenWord[], point: string): string {
  return `${formatCueTime(words[0]?.start ?? 0, point)} --> ${formatCueTime(words.at(-1)?.end ?? 0, point)}`;
}

function formatCueTime(seconds: number, point: string): string {
  const whole = Math.round(seconds * 1000);
  const paddedClockPart = (value: number, digits: number) => String(Math.floor(value)).padStart(digits, '0');
  const clock = [whole / 3_600_000, (whole / 60_000) % 60, (whole / 1000) % 60].map((value) =>
    paddedClockPart(value, 2),
  );
  return `${clock.join(':')}${point}${paddedClockPart(whole % 1000, 3)}`;
}
