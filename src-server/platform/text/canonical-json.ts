import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';

/** RFC 8785 canonical JSON: the same value always gives the same bytes, so it can be hashed and signed. */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('The value has no JSON form.');
  return text;
}

/** Lower-case hex SHA-256 of the canonical form. */
export function canonicalHash(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}

/** Names that an object lists before all others, by value. */
const NUMBER_NAME = /^(?:0|[1-9]\d*)$/;

/** What stands in serialised text for half a surrogate pair, among others that only look like it. */
const SURROGATE_ESCAPE = '\\ud';

/**
 * The RFC 8785 form of JSON text, several times faster than walking it by hand: what is in order stays as it is, and
 * the engine writes the text. Half of a surrogate pair (from a damaged document) has no UTF-8 and so no canonical form:
 * U+FFFD stands in its place.
 */
export function canonicalText(json: string): string {
  return canonicalTextOf(JSON.parse(json));
}

/** The same of a value that is plain JSON data; its objects may be changed. */
export function canonicalTextOf(value: unknown): string {
  const ordered = inOrder(value);
  if (ordered !== UNRULY) {
    const text = JSON.stringify(ordered);
    if (!text.includes(SURROGATE_ESCAPE)) return text;
  }
  return canonicalJson(mapText(value, (text) => text.toWellFormed()));
}

const UNRULY = Symbol('unruly');

/** The value with all names in order, or UNRULY where an object cannot be made to list them so. */
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
    // Assigned, it would not become a member.
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
