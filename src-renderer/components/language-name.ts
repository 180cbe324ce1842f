import { perLocale } from '../language/locale.ts';

const names = perLocale((locale) => new Intl.DisplayNames(locale, { type: 'language' }));

/** `German`; the code for a language without a name. Errors: RangeError for what is no code. */
export function languageName(code: string): string {
  return names().of(code) ?? code;
}
