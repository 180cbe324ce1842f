import { useSyncExternalStore } from 'react';
import { bestLanguage, directionOf, isVarietyOf } from '../../src-server/platform/text/format-message.ts';

/** The languages of the window, as BCP 47 tags: the files of resources/languages. */
export const LANGUAGES: readonly string[] = Object.keys(import.meta.glob('../../resources/languages/*.json'))
  .map((path) => path.slice(path.lastIndexOf('/') + 1, -'.json'.length))
  .sort();

export const DEFAULT_LANGUAGE = 'en';

const CHOICE = 'quarry.language';

const listeners = new Set<() => void>();

let shown = { language: DEFAULT_LANGUAGE, locale: DEFAULT_LANGUAGE, drawing: 0 };

/** The language of the window. */
export function shownLanguage(): string {
  return shown.language;
}

/** The reader's locale: of the system's locales the first in the language of the window, such as `en-GB`. */
export function shownLocale(): string {
  return shown.locale;
}

/** Renders again when the language changes. `drawing` changes too when texts came late: see `drawAgain`. */
export function useShownLanguage(): { language: string; drawing: number } {
  return useSyncExternalStore(onLanguage, () => shown);
}

/** Draws the window again, with texts that have come after the first paint. */
export function drawAgain(): void {
  shown = { ...shown, drawing: shown.drawing + 1 };
  for (const listener of listeners) listener();
}

function onLanguage(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The reader's locale for a language. */
export function localeOf(language: string): string {
  return systemLocales().find(isVarietyOf(language)) ?? language;
}

/** Shows dates, numbers and directions in a language whose messages are loaded. */
export function setShownLanguage(language: string): void {
  shown = { ...shown, language, locale: localeOf(language) };
  if (typeof document !== 'undefined') {
    document.documentElement.lang = language;
    document.documentElement.dir = directionOf(language);
  }
  for (const listener of listeners) listener();
}

/** The language chosen in this browser, or null to follow the system. A language that is gone counts as none. */
export function chosenLanguage(): string | null {
  const chosen = storage()?.getItem(CHOICE) ?? null;
  return chosen !== null && LANGUAGES.includes(chosen) ? chosen : null;
}

/** Remembers the language in this browser; null follows the system. */
export function keepLanguage(language: string | null): void {
  if (language === null) storage()?.removeItem(CHOICE);
  else storage()?.setItem(CHOICE, language);
}

/** The first of the system's languages that the window has. */
export function systemLanguage(): string {
  return bestLanguage(systemLocales(), LANGUAGES, DEFAULT_LANGUAGE);
}

/** A label inside a sentence: English writes it with a small letter, `documents` but `PDF documents`. */
export function inSentence(label: string): string {
  const isSmall = shown.language === DEFAULT_LANGUAGE && /^[A-Z][a-z]/.test(label);
  return isSmall ? label.charAt(0).toLowerCase() + label.slice(1) : label;
}

/** `Deutsch`, `日本語`: the name of a language in itself. */
export function ownName(language: string): string {
  const name = new Intl.DisplayNames([language], { type: 'language' }).of(language) ?? language;
  return name.charAt(0).toLocaleUpperCase(language) + name.slice(1);
}

/** A value that is made once for each locale: formats of `Intl` are slow to make. */
export function perLocale<Value>(make: (locale: string) => Value): () => Value {
  const made = new Map<string, Value>();
  return () => {
    const value = made.get(shown.locale) ?? make(shown.locale);
    made.set(shown.locale, value);
    return value;
  };
}

/** A value with texts that is made once for each language, such as the columns of a table. */
export function perLanguage<Value>(make: () => Value): () => Value {
  const made = new Map<string, Value>();
  return () => {
    const value = made.get(shown.language) ?? make();
    made.set(shown.language, value);
    return value;
  };
}

function systemLocales(): readonly string[] {
  return typeof navigator === 'undefined' ? [] : navigator.languages;
}

/** Null where the browser forbids it. */
function storage(): Storage | null {
  try {
    return window.localStorage;
  } catch {
    return null;
  }
}
