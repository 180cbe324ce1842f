import type { Context } from 'hono';
import { z } from 'zod';
import type { HttpEnv } from '../../platform/http/env.ts';
import { invalidRequest, parseWithSchema } from '../../platform/http/validate.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import { say, tell } from '../../platform/text/say.ts';

/**
 * Tags and metadata of a job. They come in headers, because they belong to the job and not to the request: they change
 * neither what a payment buys nor which answer is repeated.
 */
const TAGS_HEADER = 'Quarry-Tags';

const METADATA_HEADER = 'Quarry-Metadata';

const TAGS_MAX = 16;

const METADATA_MAX = 16;

const METADATA_NAME_CHARS = 64;

const METADATA_VALUE_CHARS = 512;

export const Tag = z
  .string()
  .regex(/^[A-Za-z0-9][\w.:/-]{0,63}$/, say`Give up to 64 letters, digits and . _ : / - with a letter or digit first.`);

const Tags = z.array(Tag).max(TAGS_MAX);

const Metadata = z
  .record(z.string().min(1).max(METADATA_NAME_CHARS), z.string().max(METADATA_VALUE_CHARS))
  .refine((given) => Object.keys(given).length <= METADATA_MAX, `Give at most ${METADATA_MAX} entries.`)
  .refine((given) => isWellFormed(given), say`Give complete Unicode characters.`);

function isWellFormed(metadata: Record<string, string>): boolean {
  return Object.entries(metadata).every((entry) => entry.every((text) => text.isWellFormed()));
}

const LabelHeaders = z.object({ [TAGS_HEADER]: Tags, [METADATA_HEADER]: Metadata });

export interface Labels {
  tags: string[];
  metadata: Record<string, string>;
}

/** Labels of a request; undefined without any. Errors: `invalid_request` naming the header. */
export function labelsOf(context: Context<HttpEnv>): Labels | undefined {
  const [tags = '', metadata = ''] = [TAGS_HEADER, METADATA_HEADER].map((name) => context.req.header(name));
  if (tags === '' && metadata === '') return undefined;
  const names = tags.split(',').flatMap((tag) => (tag.trim() === '' ? [] : [tag.trim()]));
  const given = {
    [TAGS_HEADER]: [...new Set(names)],
    [METADATA_HEADER]: metadata === '' ? {} : metadataJsonOf(metadata),
  };
  const parsed = parseWithSchema(LabelHeaders, given);
  return { tags: parsed[TAGS_HEADER], metadata: parsed[METADATA_HEADER] };
}

function metadataJsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidRequest([{ path: METADATA_HEADER, message: tell`Give a JSON object with texts as values.` }]);
  }
}

/** The columns of a job. */
export function storedLabels(labels: Labels | undefined) {
  return {
    tags: labels === undefined || labels.tags.length === 0 ? null : JSON.stringify(labels.tags),
    metadata:
      labels === undefined || Object.keys(labels.metadata).length === 0 ? null : JSON.stringify(labels.metadata),
  };
}

/** The labels of a stored job, as its object shows them. */
export function presentLabels({ tags, metadata }: { tags: string | null; metadata: string | null }) {
  return {
    tags: tags === null ? undefined : parseOwnJson<string[]>(tags),
    metadata: metadata === null ? undefined : parseOwnJson<Record<string, string>>(metadata),
  };
}

/** The labels of a job that a further request of its account shares; null when they are too many for one job. */
export function joinedLabels(
  job: { tags: string | null; metadata: string | null },
  given: Labels | undefined,
): Labels | null {
  const { tags = [], metadata = {} } = presentLabels(job);
  const joined = {
    tags: [...new Set([...tags, ...(given?.tags ?? [])])],
    metadata: { ...metadata, ...given?.metadata },
  };
  const isFit = joined.tags.length <= TAGS_MAX && Object.keys(joined.metadata).length <= METADATA_MAX;
  return isFit ? joined : null;
}
