import type { JobDraft } from '../../contract/index.ts';
import { wholeSlice } from '../../platform/text/strings.ts';

/** Characters of a label: enough to tell jobs apart in a list, and what a search of jobs looks at. */
const LABEL_MAX_CHARS = 200;

/** Fields of a request that say what it is about, the most telling first. */
const TELLING_FIELDS = ['sourceUrl', 'url', 'prompt', 'query'] as const;

/** The name that a request gives its job; null where it gives none. */
export function sourceNameOf({ request }: Pick<JobDraft, 'request'>): string | null {
  return typeof request.sourceName === 'string' ? request.sourceName : null;
}

/**
 * What a job is called where its owner sees it: the name it was given, else its file, its address, or the beginning of
 * its prompt; empty where the request says nothing of the kind.
 */
export function labelOf({ request, upload }: Pick<JobDraft, 'request' | 'upload'>): string {
  const told = [sourceNameOf({ request }), upload?.fileName, ...TELLING_FIELDS.map((name) => request[name])];
  const first = told.find((value): value is string => typeof value === 'string' && value.trim() !== '');
  return wholeSlice(first ?? '', 0, LABEL_MAX_CHARS)
    .replace(/\s+/g, ' ')
    .trim();
}
