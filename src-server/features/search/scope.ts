import { indexable, scopeWord } from './words.ts';

/** Account under which approved contributions stand: everybody's. */
export const PUBLIC_ACCOUNT = 'public';

/** `en` of `en-GB`: what a filter compares. */
export function baseLanguage(language: string): string {
  return language.split(/[-_]/, 1)[0]?.toLowerCase() ?? '';
}

/** What of a chunk the index is made from. */
interface Indexed {
  account_id: string;
  job_id?: string | null;
  job_type: string;
  kind: string;
  language?: string | null;
  heading?: string | null;
  text: string;
}

/** The words a chunk is found by. */
export function wordsOf(chunk: Indexed): { scope: string; heading: string; body: string } {
  const scope = [
    scopeWord('account', chunk.account_id),
    scopeWord('type', chunk.job_type),
    scopeWord('kind', chunk.kind),
  ];
  if (chunk.job_id != null) scope.push(scopeWord('job', chunk.job_id));
  if (chunk.language != null) scope.push(scopeWord('language', baseLanguage(chunk.language)));
  return { scope: scope.join(' '), heading: indexable(chunk.heading ?? ''), body: indexable(chunk.text) };
}
