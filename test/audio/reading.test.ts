import { describe, expect, test } from 'vitest';
import { speechLines } from '../../src-server/platform/text/speech-text.ts';
import { readEnglish, spokenEnglish } from '../../src-server/platform/text/spoken-english.ts';
import { spokenTexts } from '../../workers/audio/utterances.ts';
import { MARKUP, READINGS } from './english-readings.ts';

const FLITE = { engine: 'flite', voice: 'slt' } as const;

/** What is read otherwise than it should be. */
function misread(cases: Readonly<Record<string, string>>, read: (text: string) => string): string[] {
  return Object.entries(cases).flatMap(([written, said]) => {
    const given = read(written);
    return given === said ? [] : `${written}: ${given} (not: ${said})`;
  });
}

describe('English is read as people say it:', () => {
  test.each(Object.entries(READINGS))('%s', (_subject, cases) => {
    expect(misread(cases, (text) => spokenEnglish(text))).toEqual([]);
    // The same within a sentence.
    const inside = Object.fromEntries(
      Object.entries(cases).map(([written, said]) => [`well ${written}`, `well ${said}`]),
    );
    expect(misread(inside, (text) => spokenEnglish(text))).toEqual([]);
  });

  test('markup and pictures', () => {
    expect(misread(MARKUP, (text) => spokenEnglish(speechLines(text)))).toEqual([]);
  });

  test('with the day first for British readers', () => {
    expect(spokenEnglish('3/4/2026', true)).toBe('April third, twenty twenty-six');
    expect(spokenEnglish('3/4/2026')).toBe('March fourth, twenty twenty-six');
  });

  test('in time that grows with the text, whatever it is made of', () => {
    for (const sign of [
      '1',
      '1,',
      '$1 ',
      '1/',
      'a.',
      'A.',
      '@a',
      '#',
      '1-',
      '(1',
      'IX',
      'a_',
      '1:0',
      '+1 ',
      '"',
      "'",
    ]) {
      const startedAt = performance.now();
      readEnglish(sign.repeat(20_000 / sign.length));
      // Far above what it takes; quadratic work takes minutes.
      expect(performance.now() - startedAt).toBeLessThan(20_000);
    }
  });
});

describe('the pronunciations of the owner', () => {
  test('come before all other rules, in English and in other languages', () => {
    const lexicon = { Łódź: 'woodge', 'Dr.': 'dee are', SQL: 'squeal' };
    const english = spokenTexts('Dr. No of Łódź writes SQL.', FLITE, { language: 'en', lexicon });
    expect(english.map(({ spoken }) => spoken)).toEqual(['dee are No of woodge writes squeal.']);
    const model = {
      family: 'vits',
      files: { model: '', tokens: '', lexicon: '', dataFolder: '' },
      speakers: [],
      language: 'de',
    } as const;
    const speaker = { engine: 'neural', model, speakerId: 0, language: null, threads: 1 } as const;
    const german = spokenTexts('Am 2026-11-23 in Łódź, 5 km.', speaker, { language: 'de', lexicon });
    expect(german.map(({ spoken }) => spoken)).toEqual(['Am 23. November 2026 in woodge, 5 km.']);
  });
});
