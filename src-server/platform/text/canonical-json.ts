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

/** Integer-like names, which objects list first, in numeric order. */
const NUMBER_NAME = /^(?:0|[1-9]\d*)$/;

/** Serialised form of half a surrogate pair. Other text may look the same. */
const SURROGATE_ESCAPE = '\\ud';

/**
 * Canonicalises JSON text (RFC 8785), several times faster than a manual walk: ordered objects are reused, and the
 * engine serialises. Half a surrogate pair (from a damaged document) has no UTF-8 and so no canonical form. It is
 * replaced by U+FFFD.
 */
export function canonicalText(json: string): string {
  return canonicalTextOf(JSON.parse(json));
}

/** Canonicalises plain JSON data. Its objects may be modified. */
export function canonicalTextOf(value: unknown): string {
  const ordered = inOrder(value);
  if (ordered !== UNRULY) {
    const text = JSON.stringify(ordered);
    if (!text.includes(SURROGATE_ESCAPE)) return text;
  }
  return canonicalJson(mapText(value, (text) => text.toWellFormed()));
}

const UNRULY = Symbol('unruly');

/** The value with sorted names, or UNRULY when an object cannot list them in that order. */
function inOrder(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const entry: unknown = value[index];
      const ordered = inOrder(entry);
      if (ordered === UNRULY) return UNRULY;
      if (ordered !== entry) value[index] = ordered;
    }
    return value;
  }
  return objectInOrder(value as Record<string, unknown>);
}

function objectInOrder(value: Record<string, unknown>): unknown {
  const names = Object.keys(value);
  const isOrdered = names.every((name, index) => index === 0 || (names[index - 1] ?? '') < name);
  if (!isOrdered) names.sort();
  const target: Record<string, unknown> = isOrdered ? value : {};
  for (const name of names) {
    // Assigning `__proto__` does not create a member.
    if (name === '__proto__' || (!isOrdered && NUMBER_NAME.test(name))) return UNRULY;
    const entry = value[name];
    const ordered = inOrder(entry);
    if (ordered === UNRULY) return UNRULY;
    if (!isOrdered || ordered !== entry) target[name] = ordered;
  }
  return target;
}

function mapText(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((entry) => mapText(entry, change));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [change(name), mapText(entry, change)]));
}
