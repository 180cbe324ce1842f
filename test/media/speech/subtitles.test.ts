/** Subtitles by the rules of broadcasters: their layout, the files of a job, and the video that carries them. */
import { describe, expect, test } from 'vitest';
import { subtitleStyleOf } from '../../../src-server/features/media/subtitle-style.ts';
import { toWordsVtt } from '../../../workers/media/caption-files.ts';
import { toSrt } from '../../../workers/media/captions.ts';
import { layOutCues, layoutWarnings } from '../../../workers/media/subtitle-layout.ts';

type Style = NonNullable<ReturnType<typeof subtitleStyleOf>>;

const NETFLIX = subtitleStyleOf({ preset: 'netflix' }) as Style;

/** Words that take this many seconds each, without pauses. */
function spoken(text: string, each: number, start = 0) {
  const words = text.split(' ').map((word, index) => {
    return { text: word, start: start + index * each, end: start + (index + 1) * each };
  });
  return { start, end: start + words.length * each, text, words };
}

const SENTENCES =
  'The committee met on Tuesday to discuss the budget for the next year, but nobody had read the report that the ' +
  'treasurer sent around. After a long silence the chairman proposed to adjourn the meeting, and everyone agreed.';

describe('the layout of subtitles', () => {
  test('keeps lines, durations and gaps within the style, and every word in order', () => {
    for (const preset of ['netflix', 'netflix-children', 'youtube'] as const) {
      const style = subtitleStyleOf({ preset }) as Style;
      const cues = layOutCues([spoken(SENTENCES, 0.4), spoken(SENTENCES, 0.4, 15.2)], style, 'en');
      expect(cues.flatMap(({ lines }) => lines).join(' ')).toBe(`${SENTENCES} ${SENTENCES}`);
      for (const [index, { start, end, lines }] of cues.entries()) {
        expect(lines.length).toBeLessThanOrEqual(2);
        for (const line of lines) expect(line.length).toBeLessThanOrEqual(style.lineChars);
        expect(end - start).toBeGreaterThanOrEqual(style.minSeconds - 0.001);
        expect(end - start).toBeLessThanOrEqual(style.maxSeconds + 0.001);
        expect((cues[index + 1]?.start ?? Number.POSITIVE_INFINITY) - end).toBeGreaterThan(style.gapSeconds - 0.001);
      }
      expect(layoutWarnings(cues, style)).toEqual([]);
    }
  });

  test('divides at phrases, never between an article and its noun', () => {
    const cues = layOutCues([spoken(SENTENCES, 0.3)], NETFLIX, 'en');
    expect(cues.map(({ lines }) => lines)).toEqual([
      ['The committee met on Tuesday', 'to discuss the budget for the next year,'],
      ['but nobody had read the report', 'that the treasurer sent around.'],
      ['After a long silence the chairman proposed', 'to adjourn the meeting,'],
      ['and everyone agreed.'],
    ]);
    const german = 'Wir treffen uns am nächsten Dienstag vor dem Bahnhof, weil der Zug nach Hamburg früher fährt.';
    const lines = layOutCues([spoken(german, 0.35)], NETFLIX, 'de').flatMap((cue) => cue.lines);
    for (const line of lines) expect(line).not.toMatch(/ (der|dem|am|vor|nach|weil)$/);
  });

  test('merges short segments, ends at pauses, and stays for the shortest time', () => {
    const segments = [
      spoken('Yes,', 0.3),
      spoken('of course.', 0.3, 0.35),
      spoken('Why?', 0.2, 4),
      spoken('So.', 0.2, 9),
    ];
    const cues = layOutCues(segments, NETFLIX, 'en');
    expect(cues.map(({ lines }) => lines)).toEqual([['Yes, of course.'], ['Why?'], ['So.']]);
    expect(cues[1]).toMatchObject({ start: 4, end: 4.833 });
  });

  test('counts what the speech does not allow', () => {
    const fast = layOutCues([spoken(SENTENCES, 0.1)], NETFLIX, 'en');
    const [warning, ...others] = layoutWarnings(fast, NETFLIX);
    expect(warning).toMatch(/^Subtitles that need more than 20 characters per second, .*: \d of \d\.$/);
    expect(others).toEqual([]);
    const word = 'Donaudampfschifffahrtsgesellschaftskapitänsmütze';
    expect(layoutWarnings(layOutCues([spoken(`${word} da.`, 2)], NETFLIX, 'de'), NETFLIX)).toEqual([
      'Subtitles with a word longer than 42 characters: 1 of 1.',
    ]);
  });

  test('takes times that overlap, go back or have no length, and separates speakers', () => {
    const still = (text: string, at: number) => ({ ...spoken(text, 0, at), end: at });
    const cues = layOutCues(
      [still('one two three', 5), still('four', 5), spoken('five six', 3, 4), { start: 5, end: 5, text: '' }],
      NETFLIX,
      null,
    );
    expect(cues.flatMap(({ lines }) => lines).join(' ')).toBe('one two three four five six');
    for (const [index, { start, end }] of cues.entries()) {
      expect(end).toBeGreaterThan(start);
      expect(cues[index + 1]?.start ?? end).toBeGreaterThanOrEqual(end);
    }
    const both = [
      { ...spoken('Are you there?', 0.3), speaker: 'Ann' },
      { ...spoken('Yes.', 0.3, 0.95), speaker: 'Ben' },
    ];
    expect(layOutCues(both, NETFLIX, 'en').map(({ speaker }) => speaker)).toEqual(['Ann', 'Ben']);
  });

  test('divides a script without blanks between its words', () => {
    const text = '今日は天気がいいので公園で友達と一緒に散歩をしてから図書館で本を読みました。明日は雨が降るそうです。';
    const cues = layOutCues([{ start: 0, end: 14, text }], NETFLIX, 'ja');
    expect(cues.flatMap(({ lines }) => lines).join('')).toBe(text);
    for (const { lines } of cues) for (const line of lines) expect(line.length).toBeLessThanOrEqual(21);
  });
});

test('the standard preset alone is the layout without options', () => {
  expect(subtitleStyleOf(undefined)).toBeNull();
  expect(subtitleStyleOf({ preset: 'standard' })).toBeNull();
  expect(subtitleStyleOf({ lineChars: 30 })).toMatchObject({ lineChars: 30, lines: 2, minSeconds: 0.5 });
  const segments = [spoken(SENTENCES, 0.3)];
  expect(toSrt(segments, { style: null, language: 'en' })).toBe(toSrt(segments));
});

test('WebVTT with word times has each word after the first at its time, and escapes markup', () => {
  const timed = toWordsVtt([spoken('One <i> & three.', 1, 3)]);
  expect(timed).toBe(
    'WEBVTT\n\n00:00:03.000 --> 00:00:07.000\n' +
      'One <00:00:04.000>&lt;i&gt; <00:00:05.000>&amp; <00:00:06.000>three.\n',
  );
  expect(toWordsVtt([{ start: 0, end: 1, text: 'No times.' }])).toBeNull();
});
