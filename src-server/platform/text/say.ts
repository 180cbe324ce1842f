/**
 * Texts that readers of the window see: warnings, failures, progress. The wire, logs and the command line have them in
 * English. The window finds the template of an English text again, and shows its message in the reader's language
 * (src-renderer/language/server-texts.ts). So results keep the one text that they were stored with.
 */
declare const SAID: unique symbol;

/** A text made by `say`: the catalogues have a message for it. */
export type Said = string & { readonly [SAID]: true };

/**
 * An English text whose template is a message of the catalogues: `npm run generate` copies it into the part `server` of
 * `resources/languages/en.json`. A line break and the spaces after it count as one space. Values may be said too.
 */
export function say(parts: TemplateStringsArray, ...values: readonly (string | number)[]): Said {
  const said = parts.map((part, index) => `${part.replaceAll(/\n\s*/g, ' ')}${values[index] ?? ''}`);
  return saidElsewhere(said.join(''));
}

/**
 * A text for those who run the service or call its API, such as of nodes and of the connection to other programs: no
 * page of creators shows it in a sentence, and it stays English, as logs do.
 */
export function tell(parts: TemplateStringsArray, ...values: readonly (string | number)[]): Said {
  return say(parts, ...values);
}

/** A text that was said elsewhere, in another thread or in a stored result, or that a foreign program wrote. */
export function saidElsewhere(text: string): Said {
  return text as Said;
}

/** Several sentences, one after the other. */
export function saidTogether(sentences: readonly Said[]): Said {
  return saidElsewhere(sentences.join(' '));
}

/** `3, 5, 8 and 4 more`. */
export function listedUpTo(items: readonly (string | number)[], most: number): string {
  const shown = items.slice(0, most).join(', ');
  return items.length > most ? say`${shown} and ${items.length - most} more` : shown;
}

/** `1 page`, `12 pages`. */
export function pagesSaid(count: number): Said {
  return count === 1 ? say`1 page` : say`${count} pages`;
}

/** `1 sitemap`, `12 sitemaps`. */
export function sitemapsSaid(count: number): Said {
  return count === 1 ? say`1 sitemap` : say`${count} sitemaps`;
}

/** `1 minute`, `12 minutes`. */
export function minutesSaid(count: number): Said {
  return count === 1 ? say`1 minute` : say`${count} minutes`;
}
