/** An English text of the server: its key, the texts around its values, and the names of the values between them. */
export type Template = readonly [key: string, texts: readonly string[], names: readonly string[]];

export interface FoundTemplate {
  key: string;
  values: Record<string, string>;
}

/**
 * The template that a text was made from: of several the one with the most letters of its own.
 * @param isKnown whether a value has a message. A template without words, such as `{name}: {message}`, needs one.
 */
export function findTemplate(
  templates: readonly Template[],
  text: string,
  isKnown: (value: string) => boolean,
): FoundTemplate | null {
  let best: FoundTemplate | null = null;
  let most = -1;
  for (const [key, texts, names] of templates) {
    const own = texts.reduce((sum, part) => sum + part.length, 0);
    if (own <= most || own > text.length) continue;
    const found = valuesIn(text, texts);
    if (found === null) continue;
    // The last value is the sentence, or the words, that such a template passes on.
    if (isBare(texts) && !found.slice(-1).some((value) => isKnown(value))) continue;
    most = own;
    best = { key, values: Object.fromEntries(names.map((name, index) => [name, found[index] ?? ''])) };
  }
  return best;
}

/** Letters up to which a template says too little to be found by them alone: "Give {value}." */
const BARE_LETTERS = 4;

/** Whether a template has values and hardly a word of its own: any foreign text could have its shape. */
export function isBare(texts: readonly string[]): boolean {
  return texts.length > 1 && texts.join('').replaceAll(/\P{L}/gu, '').length <= BARE_LETTERS;
}

/** The values between the texts of a template, each as short as possible; null where the text has another shape. */
function valuesIn(text: string, parts: readonly string[]): string[] | null {
  const [first = ''] = parts;
  if (parts.length === 1) return text === first ? [] : null;
  const last = parts.at(-1) ?? '';
  const end = text.length - last.length;
  if (!text.startsWith(first) || !text.endsWith(last) || end < first.length) return null;
  const values: string[] = [];
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const next = text.indexOf(part, at);
    if (next < 0 || next + part.length > end) return null;
    values.push(text.slice(at, next));
    at = next + part.length;
  }
  values.push(text.slice(at, end));
  return values.some((value) => value === '') ? null : values;
}
