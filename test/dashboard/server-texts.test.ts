import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { compileMessages, eachMessage, type Messages, readMessages, templateOf } from '../../scripts/messages.ts';
import { findTemplate } from '../../src-renderer/language/match-template.ts';
import { type KnownText, readingServerTexts } from '../../src-renderer/language/read-server-text.ts';
import type { MessageModule } from '../../src-server/platform/text/format-message.ts';
import { pagesSaid, saidTogether, say } from '../../src-server/platform/text/say.ts';
import { ROOT } from '../architecture/source-files.ts';

const english = serverMessagesOf('en');

const TEMPLATES = [...english].map(([key, message]) => templateOf(key, message));

/** Languages without one Latin word, but for names of programs, formats and options. */
const OTHER_SCRIPTS = ['ja', 'zh-Hans', 'ar'];

function serverMessagesOf(language: string): Map<string, string> {
  const { server } = readMessages(join(ROOT, 'resources/languages', `${language}.json`));
  return new Map(eachMessage(server as Messages));
}

async function readAs(language: string): Promise<KnownText> {
  const messages = Object.fromEntries(serverMessagesOf(language));
  const source = `data:text/javascript,${encodeURIComponent(compileMessages(messages))}`;
  const { default: make }: MessageModule = await import(source);
  return readingServerTexts(TEMPLATES, make, language, language);
}

/** A value that no template has, and that no text between values contains. */
const wordAt = (index: number) => `w${index}x`;

const madeOf = (texts: readonly string[], valueAt: (index: number) => string) =>
  texts.map((text, index) => `${text}${index < texts.length - 1 ? valueAt(index) : ''}`).join('');

describe('texts of the server in the language of the reader', () => {
  test('each template is found again, with its values', () => {
    const lost = TEMPLATES.filter(([, texts, names]) => {
      const found = findTemplate(TEMPLATES, madeOf(texts, wordAt), () => true);
      const values = names.map((_, index) => wordAt(index));
      // Two templates may differ in the names of their values alone: each language says both alike, see below.
      const shape = TEMPLATES.find(([other]) => other === found?.key)?.[1];
      return shape?.join('{}') !== texts.join('{}') || Object.values(found?.values ?? {}).join() !== values.join();
    });
    expect(lost.map(([key]) => key)).toEqual([]);
  });

  test('a template without words of its own is found only around a text that is known', () => {
    const isSentence = (value: string) => value === 'The file is empty.';
    expect(findTemplate(TEMPLATES, 'note: anything at all', isSentence)).toBeNull();
    expect(findTemplate(TEMPLATES, 'a.txt: The file is empty.', isSentence)).not.toBeNull();
  });

  test.each(['de', 'fr', 'es', 'pt-BR', 'ja', 'zh-Hans', 'ar'])('%s: each text is shown in it', async (language) => {
    const inLanguage = await readAs(language);
    const messages = serverMessagesOf(language);
    const isWordless = (texts: readonly string[]) => !texts.some((text) => /\p{L}/u.test(text));
    const wrong = TEMPLATES.filter(([, texts]) => !isWordless(texts)).flatMap(([key, texts]) => {
      const shown = inLanguage(madeOf(texts, wordAt))?.replaceAll(/[\u2068\u2069]/g, '');
      const [, own, names] = templateOf(key, messages.get(key) ?? '');
      const order = new Map(templateOf(key, english.get(key) ?? '')[2].map((name, index) => [name, index]));
      const wanted = madeOf(own, (index) => wordAt(order.get(names[index] ?? '') ?? -1));
      return shown === wanted ? [] : [`${key}: ${shown}`];
    });
    expect(wrong).toEqual([]);
  });

  test('values are said in the language too: counts, numbers, sizes, languages, sentences within sentences', async () => {
    const inGerman = await readAs('de');
    const german = serverMessagesOf('de');
    expect(inGerman(say`Read ${3} of ${pagesSaid(12)}`)).toContain('12 Seiten');
    const inside = say`The file is empty.`;
    expect(inGerman(say`The pictures could not be read: ${inside}`)).toContain(german.get('theFileIsEmpty') ?? '?');
    expect(inGerman(saidTogether([inside, say`Drawings are not read.`]))).toBe(
      `${german.get('theFileIsEmpty')} ${german.get('drawingsAreNotRead')}`,
    );
    expect(inGerman(say`No speech model for ${'French'} is installed.`)).toContain('Französisch');
    expect(inGerman('1,234 pages')).toBe('1.234 Seiten');
  });

  test.each(OTHER_SCRIPTS)('%s has no English word', (language) => {
    const wrong = [...serverMessagesOf(language)].flatMap(([key, message]) => {
      const plain = message.replaceAll(/\{\w+\}/g, ' ').replaceAll(/sudo [\w ]+|brew install.*|winget install.*/g, ' ');
      // A name of a format, a program, an option or an address stands in the English text as it is, not as a word of it.
      const words = (plain.match(/(?<![\w./`-])[a-z]{3,}(?![\w./`-])/g) ?? []).filter((word) => !NAMES.has(word));
      return words.length === 0 ? [] : [`${key}: ${words.join()}`];
    });
    expect(wrong).toEqual([]);
  });

  test('a text of a foreign program has no message', async () => {
    const inJapanese = await readAs('ja');
    expect(inJapanese('ffmpeg: moov atom not found')).toBeNull();
    expect(inJapanese('')).toBeNull();
  });

  test('a long Arabic name stays whole in a Latin sentence', async () => {
    const inGerman = await readAs('de');
    const name = 'ملف'.repeat(67).slice(0, 200);
    expect(inGerman(say`Reading ${name}`)).toContain(name);
  });
});

/** Names of options and their values, programs and formats, which no language translates. */
const NAMES = new Set([
  ...['ffmpeg', 'npm', 'run', 'zip', 'midi', 'http', 'https'],
  ...['tempo', 'speed', 'language', 'voice', 'render', 'always', 'omitted'],
  // Models of Whisper, and what pages say of links.
  ...['tiny', 'base', 'small', 'medium', 'large', 'nofollow'],
]);
