import type { callOf } from '../jobs/service.ts';
import type { StoredUpload } from './files.ts';
import type { BatchItem } from './schema.ts';

const MAX_SOURCE_NAME = 300;

/** What an item reads, as it is stored. */
export type ItemSource = { url: string; name: string | null } | { upload: StoredUpload };

export type ItemError = NonNullable<BatchItem['error']>;

export function callSourceOf(source: ItemSource, number: number): Parameters<typeof callOf>[2] {
  if ('url' in source) return { address: source.url, name: source.name ?? undefined };
  const name = source.upload.fileName ?? `File ${number + 1}`;
  return { file: `upload:${source.upload.sha256}`, name: name.slice(0, MAX_SOURCE_NAME).toWellFormed() };
}
