import { createHash } from 'node:crypto';
import { normalUrl } from '../../platform/net/normal-url.ts';
import type { WorkGroup } from './kind.ts';

/** Where an item comes from. `key` is equal for readings of the same source, and null where none can be recognised. */
export interface ItemSource {
  key: string | null;
  name: string | null;
  url: string | null;
  sha256: string | null;
}

/** The source of a request: the bytes of its file, its address, or the words that something is made of. */
export function sourceOfRequest(
  group: WorkGroup,
  { request, upload }: { request: Record<string, unknown>; upload: { sha256: string; fileName: string | null } | null },
): ItemSource {
  if (upload !== null) {
    return { key: fileKey(upload.sha256), name: upload.fileName, url: null, sha256: upload.sha256 };
  }
  const address = [request.sourceUrl, request.url].find((value) => typeof value === 'string');
  if (address !== undefined) {
    return { key: addressKey(address, group === 'crawl'), name: null, url: address, sha256: null };
  }
  const words = [request.prompt, request.messages].find((value) => value !== undefined);
  return { key: words === undefined ? null : madeKey(group, words), name: null, url: null, sha256: null };
}

export function fileKey(sha256: string): string {
  return `file:${sha256}`;
}

/** A site and a file at the same address are two sources. Null for what is no address. */
export function addressKey(address: string, isSite: boolean): string | null {
  const url = normalUrl(address);
  return url === null ? null : `${isSite ? 'site' : 'address'}:${url}`;
}

/** Takes of a sound or a text from the same words are versions of one item. */
function madeKey(group: WorkGroup, words: unknown): string {
  return `made:${group}:${createHash('sha256').update(JSON.stringify(words)).digest('hex')}`;
}
