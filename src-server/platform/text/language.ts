/** The ISO 639 code of a language tag: `en` for `eng`, `en-US` and `en`; null when it is none. */
export function languageCode(tag: string | null | undefined): string | null {
  if (tag == null) return null;
  try {
    return Intl.getCanonicalLocales(tag)[0]?.split('-')[0] ?? null;
  } catch {
    return null;
  }
}
