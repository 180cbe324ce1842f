/**
 * Texts that the server wrote in English, in the reader's language. The API stays English, and stored results keep
 * their texts, so the window finds the template of a text again and shows its message with the values of the text.
 *
 * `Accept-Language` is not used: answers would depend on who asked first, caches and golden results would differ by
 * reader, and what a job has stored is in one language.
 */
import type { MessageModule } from '../../src-server/platform/text/format-message.ts';
import type { Template } from '../../src-server/platform/text/match-template.ts';
import { type KnownText, readingServerTexts } from '../../src-server/platform/text/read-server-text.ts';
import { DEFAULT_LANGUAGE, localeOf } from './locale.ts';

const CATALOGUES = import.meta.glob<MessageModule>('../../resources/languages/*.json', { query: '?server' });

const TEMPLATES = import.meta.glob<{ default: readonly Template[] }>('../../resources/languages/en.json', {
  query: '?templates',
});

/** Null for readers of English, and until the messages are there. */
let inLanguage: KnownText | null = null;

/** Words of operations, which the server names in English. */
let wordOf: KnownText = () => null;

/** Says how words that are no messages of the server are found. Asked where a text is shown. */
export function knowWords(find: KnownText): void {
  wordOf = find;
}

let isAskedEarly = false;

/** Loads the messages of a language; the function that it returns shows them. */
export async function loadServerTexts(language: string): Promise<() => void> {
  const load = CATALOGUES[`../../resources/languages/${language}.json`];
  const [loadTemplates] = Object.values(TEMPLATES);
  if (language === DEFAULT_LANGUAGE || load === undefined || loadTemplates === undefined) {
    return () => {
      inLanguage = null;
    };
  }
  const [{ default: make }, { default: templates }] = await Promise.all([load(), loadTemplates()]);
  const known = readingServerTexts(templates, make, {
    language,
    locale: localeOf(language),
    wordOf: (word) => wordOf(word),
  });
  return () => {
    inLanguage = known;
  };
}

/** Whether a text was shown in English because the messages were not there yet. */
export function wasAskedEarly(): boolean {
  return isAskedEarly;
}

/** A text of the server in the reader's language. English where it comes from a foreign program. */
export function serverText(text: string): string {
  return knownServerText(text) ?? text;
}

/** The same, or null where no message has this text. For readers of English the text itself. */
export function knownServerText(text: string): string | null {
  if (inLanguage !== null) return inLanguage(text);
  isAskedEarly = true;
  return text;
}
