/** Texts that are not of the window: titles, transcripts, passages and quotations. */
import { createContext, useContext } from 'react';

/** The language of what is read on a page, as a BCP 47 tag; null where it is not known. */
export const ContentLanguage = createContext<string | null>(null);

/**
 * Attributes of a text in a language of its own: a screen reader speaks it in that, not in the language of the window,
 * and it runs as its script does. A language that is not known is `""`, which inherits none.
 */
export function foreignText(language: string | null): { lang: string; dir: 'auto' } {
  return { lang: language ?? '', dir: 'auto' };
}

/** Those of a text of the content that is read. */
export function useForeignText(): { lang: string; dir: 'auto' } {
  return foreignText(useContext(ContentLanguage));
}
