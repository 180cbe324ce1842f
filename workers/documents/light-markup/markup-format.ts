import { byName } from '../../../src-server/platform/records.ts';

export type LightMarkup = 'rst' | 'asciidoc' | 'org';

/** The language by the ending of a file's name. */
const ENDINGS: Readonly<Record<string, LightMarkup>> = byName({
  rst: 'rst',
  rest: 'rst',
  adoc: 'asciidoc',
  asciidoc: 'asciidoc',
  org: 'org',
});

export function lightMarkupOf(fileName: string | null): LightMarkup {
  return ENDINGS[fileName?.split('.').at(-1)?.toLowerCase() ?? ''] ?? 'rst';
}
