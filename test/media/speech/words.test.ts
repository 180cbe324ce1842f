import { describe, expect, test } from 'vitest';
import { toVtt } from '../../../workers/media/captions.ts';
import { wordsFromTokens } from '../../../workers/media/listener.ts';
import { timedBySpeech } from '../../../workers/media/speech-times.ts';
import { cleanSegments } from '../../../workers/media/write-transcript.ts';

const token = (text: string | Uint8Array, start: number, end: number) => ({ bytes: Buffer.from(text), start, end });
const SEGMENT = { start: 1, end: 5 };

describe('words of an engine’s tokens', () => {
  test('begin where a space does, and keep the punctuation that follows', () => {
    const tokens = [
      token(' Tomor', 1, 1.5),
      token('row', 1.5, 1.8),
      token(',', 1.8, 1.9),
      token(' maybe', 2, 2.4),
      token('.', 2.4, 2.5),
    ];
    expect(wordsFromTokens(tokens, SEGMENT)).toEqual([
      { start: 1, end: 1.9, text: 'Tomorrow,' },
      { start: 2, end: 2.5, text: 'maybe.' },
    ]);
  });

  test('are whole characters where a token ends within one', () => {
    const [first, second] = [Buffer.from(' Grü').subarray(0, 4), Buffer.from(' Grüße').subarray(4)];
    expect(wordsFromTokens([token(first, 1, 2), token(second, 2, 3)], SEGMENT)).toEqual([
      { start: 1, end: 3, text: 'Grüße' },
    ]);
  });

  test('are single tokens in a script that writes no spaces', () => {
    const tokens = [token('今日', 1, 2), token('は', 2, 3), token('。', 3, 3.2)];
    expect(wordsFromTokens(tokens, SEGMENT).map(({ text }) => text)).toEqual(['今日', 'は。']);
  });

  test('lie within their segment and never go back in time', () => {
    const tokens = [token(' one', 0, 0.5), token(' two', 3, 4), token(' three', 2, 9)];
    expect(wordsFromTokens(tokens, SEGMENT)).toEqual([
      { start: 1, end: 1, text: 'one' },
      { start: 3, end: 4, text: 'two' },
      { start: 3, end: 5, text: 'three' },
    ]);
  });
});

describe('times corrected by where speech was found', () => {
  const speech: [number, number][] = [
    [1, 3],
    [4, 6],
  ];
  const said = (start: number, end: number, words?: [number, number][]) => ({
    ...{ start, end, text: 'said' },
    ...(words === undefined ? {} : { words: words.map(([from, to]) => ({ start: from, end: to, text: 'word' })) }),
  });
  const spans = (items: readonly { start: number; end: number }[] = []) => items.map(({ start, end }) => [start, end]);

  test('a start in a pause, or in the end of a stretch, moves to the next; one that was just missed moves back', () => {
    const starts = (segments: [number, number][]) =>
      spans(
        timedBySpeech(
          segments.map(([start, end]) => said(start, end)),
          speech,
          10,
        ),
      );
    expect(starts([[0, 3], [3.1, 6]])).toEqual([[1, 3], [4, 6]]); // biome-ignore format: pairs
    expect(starts([[1.2, 2.9], [2.9, 6]])).toEqual([[1, 2.9], [4, 6]]); // biome-ignore format: pairs
    expect(starts([[1, 4.1], [4.1, 6]])).toEqual([[1, 4], [4, 6]]); // biome-ignore format: pairs
    // Two sentences without a pause between them.
    expect(starts([[1, 2], [2, 3]])).toEqual([[1, 2], [2, 3]]); // biome-ignore format: pairs
    expect(starts([[7, 8]])).toEqual([[7, 8]]);
  });

  test('words that lie in a pause are said after it, and each has a length', () => {
    const [segment] = timedBySpeech([said(3.2, 6, [[3.2, 3.2], [3.3, 3.9], [4.01, 4.01], [4.5, 7]])], speech, 10); // biome-ignore format: pairs
    expect(spans(segment?.words)).toEqual([
      [4, 4.02],
      [4.02, 4.04],
      [4.04, 4.06],
      [4.5, 6],
    ]);
  });

  test('segments without length get one, in order and within the file; too many words have no times', () => {
    const nothing = (words: number) => said(6, 6, new Array<[number, number]>(words).fill([6, 6]));
    const timed = timedBySpeech([nothing(3), nothing(3), nothing(90)], speech, 1.5);
    expect(timed.map(({ words }) => words?.length)).toEqual([3, 3, undefined]);
    const times = timed.flatMap(({ start, end }) => [start, end]);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(timed.every(({ start, end }) => end > start && start >= 0 && end <= 1.5)).toBe(true);
  });
});

test('a repetition that is cut from a segment’s text is cut from its words', () => {
  const said = ['so', 'so', 'so', 'so', 'so', 'it', 'goes'];
  const words = said.map((text, index) => ({ text, start: index, end: index + 1 }));
  const { segments, dropped } = cleanSegments([{ start: 0, end: 7, text: said.join(' '), words }]);
  expect(dropped).toBe(1);
  expect(segments[0]?.text).toBe('so it goes');
  expect(segments[0]?.words?.map(({ text, start }) => [text, start])).toEqual([
    ['so', 0],
    ['it', 5],
    ['goes', 6],
  ]);
});

test('a sentence of many repetitions has each of its phrases once', () => {
  const said = Array.from({ length: 100_000 }, (_, word) => Math.floor(word / 5));
  const { segments } = cleanSegments([{ start: 0, end: 1, text: said.join(' ') }]);
  expect(segments[0]?.text).toBe([...new Set(said)].join(' '));
});

test('a repetition with speech of its own was said; one without is the recogniser’s', () => {
  const heard = Array.from({ length: 8 }, (_, index) => ({
    start: index * 4,
    end: index * 4 + 3,
    text: 'Close the door.',
  }));
  const speech = heard.map(({ start, end }): [number, number] => [start + 0.2, end - 0.3]);
  const all = cleanSegments(heard, { speech, lacksSpeech: false });
  expect([all.segments.length, all.dropped]).toEqual([8, 0]);
  const none = cleanSegments(heard, { speech: speech.slice(0, 2), lacksSpeech: false });
  expect([none.segments.length, none.dropped]).toEqual([4, 4]);
  const music = cleanSegments(heard, { speech, lacksSpeech: true });
  expect([music.segments.length, music.dropped]).toEqual([4, 4]);
  const drill = 'no no no no no no';
  const said = cleanSegments([{ start: 0, end: 4, text: drill }], { speech: [[0, 4]], lacksSpeech: false });
  expect(said.segments[0]?.text).toBe(drill);
});

test('what neither recogniser nor detector vouches for is left out, and handed over', () => {
  const segments = [
    { start: 0, end: 2, text: 'Thank you for watching.', confidence: 0.2 },
    { start: 3, end: 5, text: 'Open the red door.', confidence: 0.2 },
    { start: 6, end: 8, text: 'See you on Friday.', confidence: 0.9 },
  ];
  const { segments: kept, unlikely } = cleanSegments(segments, { speech: [[3, 5]], lacksSpeech: false });
  expect(kept.map(({ text }) => text)).toEqual(['Open the red door.', 'See you on Friday.']);
  expect(unlikely.map(({ text }) => text)).toEqual(['Thank you for watching.']);
});

test('what is sung was said; names of noises were not', () => {
  const heard = ['♪ I will always love you ♪', '♪ Music ♪', '[BLANK_AUDIO]', '*music*', '♪♪'];
  const { segments } = cleanSegments(heard.map((text, start) => ({ start, end: start + 1, text })));
  expect(segments.map(({ text }) => text)).toEqual(['♪ I will always love you ♪']);
});

test('captions of a script without blanks have lines that fit a screen', () => {
  const text = '今日はとても天気がいいので、公園まで散歩に行きました。そこで友達に会って、一緒にお弁当を食べました。';
  const lines = toVtt([{ start: 0, end: 9, text }])
    .split('\n')
    .filter((line) => /^[^\d\w]/.test(line));
  expect(lines.join('')).toBe(text);
  expect(lines.filter((line) => line.length > 21 || /^[、。]/.test(line))).toEqual([]);
});

test('no caption has more than two lines, however the words fall', () => {
  const text = Array.from({ length: 40 }, (_, index) => 'w'.repeat(8 + ((index * 7) % 19))).join(' ');
  const cues = toVtt([{ start: 0, end: 60, text }])
    .split('\n\n')
    .slice(1)
    .map((cue) => cue.trim().split('\n').slice(1));
  expect(cues.flat().join(' ')).toBe(text);
  expect(cues.filter((lines) => lines.length > 2 || lines.some((line) => line.length > 42))).toEqual([]);
});

test('a caption that continues a long sentence appears when its first word is said', () => {
  const said = Array.from({ length: 24 }, (_, index) => `word${index}`);
  // Slow at first, then fast: by length alone the second caption would come too late.
  const words = said.map((text, index) => ({ text, start: index < 11 ? index * 0.1 : 1.1 + index, end: index + 2 }));
  const text = said.join(' ');
  const timed = toVtt([{ start: 0, end: 30, text, words }]);
  const second = /--> .*\nword.*\n(?:word.*\n)?\n(\d\d:\d\d:\d\d\.\d{3}) --> .*\n(word\d+)/.exec(timed);
  const first = words.find((word) => word.text === second?.[2]);
  expect(second?.[1]).toBe(`00:00:${(first?.start ?? 0).toFixed(3).padStart(6, '0')}`);
  const shared = toVtt([{ start: 0, end: 30, text }]);
  expect(shared).not.toContain(`\n${second?.[1]} -->`);
});
