import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';

/** RFC 8785 canonical JSON: equal values give equal bytes for hashing and signing. */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('The value has no JSON form.');
  return text;
}

/** Lower-case hex SHA-256 of the canonical form. */
export function canonicalHash(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}

/** Serialised form of half a surrogate pair. Other text may look the same. */
const SURROGATE_ESCAPE = '\\ud';

/**
 * Canonicalises JSON text. Half a surrogate pair (from a damaged document) has no UTF-8 and so no canonical form. It is
 * replaced by U+FFFD.
 */
export function canonicalText(json: string): string {
  const value: unknown = JSON.parse(json);
  return json.includes(SURROGATE_ESCAPE) ? canonicalTextOf(value) : canonicalJson(value);
}

/** Canonicalises plain JSON data in the same way. */
export function canonicalTextOf(value: unknown): string {
  return canonicalJson(wellFormed(value));
}

function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name.toWellFormed(), wellFormed(entry)]));
}
