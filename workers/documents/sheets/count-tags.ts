/** Start tags of a name in a part, counted without parsing. */
export function countTags(bytes: Buffer, name: string): number {
  const start = Buffer.from(`<${name}`);
  let count = 0;
  for (let at = bytes.indexOf(start); at !== -1; at = bytes.indexOf(start, at + start.length)) {
    const next = bytes[at + start.length] ?? 0;
    if (next <= 0x20 || next === 0x3e || next === 0x2f) count += 1;
  }
  return count;
}
