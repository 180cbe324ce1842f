const LESS_THAN = 0x3c;

const SLASH = 0x2f;

const COLON = 0x3a;

const GREATER_THAN = 0x3e;

const SPACE = 0x20;

/** Longest prefix of a name. */
const MAX_PREFIX = 32;

/** Counts the start tags of a local name, with any prefix, without parsing the part. */
export function countTags(bytes: Buffer, local: string): number {
  let count = 0;
  for (let at = bytes.indexOf(local); at !== -1; at = bytes.indexOf(local, at + local.length)) {
    const next = bytes[at + local.length] ?? 0;
    const ends = next <= SPACE || next === GREATER_THAN || next === SLASH;
    if (ends && startsTag(bytes, at)) count += 1;
  }
  return count;
}

/** Whether the name at `at` follows the start of a tag, directly or after a prefix. */
function startsTag(bytes: Buffer, at: number): boolean {
  if (bytes[at - 1] === LESS_THAN) return true;
  if (bytes[at - 1] !== COLON) return false;
  const before = bytes.subarray(Math.max(0, at - MAX_PREFIX), at);
  const tag = before.subarray(before.lastIndexOf(LESS_THAN) + 1);
  return tag.length < before.length && tag[0] !== SLASH && !tag.includes(SPACE);
}
