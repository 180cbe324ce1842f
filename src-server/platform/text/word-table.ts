/** A table of words as text, `Mr: mister; Mrs: missus`: entries end at a semicolon or line break. */
export function wordTable(text: string): Readonly<Record<string, string>> {
  const entries = text.split(/;\s+|\n\s*/).flatMap((entry) => {
    const [, key, word] = /^(.+?): (.+)$/.exec(entry.trim()) ?? [];
    return key === undefined || word === undefined ? [] : [[key, word] as const];
  });
  return Object.fromEntries(entries);
}
