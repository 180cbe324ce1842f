import type { SpokenWord } from './word-times.ts';

/** Captions by the times at which the words were synthesised, so that they cannot drift. */

/** Two lines that are read at a glance, as the guidelines of broadcasters have it. */
const LINE_CHARS = 42;
const CUE_CHARS = LINE_CHARS * 2;
const CUE_SECONDS_MAX = 6;
/** Silence after which a new cue begins. */
const GAP_SECONDS = 0.7;

interface Cue {
  words: SpokenWord[];
}

function cuesOf(words: readonly SpokenWord[]): Cue[] {
  const cues: Cue[] = [];
  let cue: SpokenWord[] = [];
  for (const word of words) {
    const [first] = cue;
    const last = cue.at(-1);
    if (first !== undefined && last !== undefined) {
      const chars = cue.reduce((sum, { text }) => sum + text.length + 1, word.text.length);
      const late = word.start - last.end > GAP_SECONDS || word.end - first.start > CUE_SECONDS_MAX;
      if (chars > CUE_CHARS || late || last.endsUtterance) {
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
  const cues = cuesOf(words).map(({ words: inside }) => {
    const text = lines(inside, ({ text, start }, index) => {
      const shown = text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
      return index === 0 ? shown : `<${time(start, '.')}>${shown}`;
    });
    return `${span(inside, '.')}\n${text}\n`;
  });
  return `WEBVTT\n\n${cues.join('\n')}`;
}

export function toSrt(words: readonly SpokenWord[]): string {
  const cues = cuesOf(words).map(({ words: inside }, index) => {
    return `${index + 1}\n${span(inside, ',')}\n${lines(inside, ({ text }) => text)}\n`;
  });
  return cues.join('\n');
}

function lines(words: readonly SpokenWord[], show: (word: SpokenWord, index: number) => string): string {
  let text = '';
  let chars = 0;
  for (const [index, word] of words.entries()) {
    const breaks = chars > 0 && chars + 1 + word.text.length > LINE_CHARS;
    text += `${index === 0 ? '' : breaks ? '\n' : ' '}${show(word, index)}`;
    chars = breaks ? word.text.length : chars + 1 + word.text.length;
  }
  return text;
}

function span(words: readonly SpokenWord[], point: string): string {
  return `${time(words[0]?.start ?? 0, point)} --> ${time(words.at(-1)?.end ?? 0, point)}`;
}

function time(seconds: number, point: string): string {
  const whole = Math.round(seconds * 1000);
  const part = (value: number, digits: number) => String(Math.floor(value)).padStart(digits, '0');
  const clock = [whole / 3_600_000, (whole / 60_000) % 60, (whole / 1000) % 60].map((value) => part(value, 2));
  return `${clock.join(':')}${point}${part(whole % 1000, 3)}`;
}
