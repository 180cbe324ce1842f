import { perLocale } from '../language/locale.ts';

const names = perLocale((locale) => new Intl.DisplayNames(locale, { type: 'language' }));

/** `German`; the code for a language without a name. Errors: RangeError for what is no code. */
export function languageName(code: string): string {
  return names().of(code) ?? code;
}

/** The same of a tag that a foreign page wrote; what is no tag as it is. */
export function knownLanguageName(tag: string): string {
  try {
    return languageName(tag);
  } catch (error) {
    if (error instanceof RangeError) return tag;
    throw error;
  }
}
