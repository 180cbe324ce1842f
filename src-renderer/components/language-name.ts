const english = new Intl.DisplayNames('en', { type: 'language' });

/** `German`; the code for a language without a name. Errors: RangeError for what is no code. */
export function languageName(code: string): string {
  return english.of(code) ?? code;
}
