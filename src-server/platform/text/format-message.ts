/** What compiled messages of a catalogue call (scripts/messages.ts). */
export interface MessageFormatters {
  number(value: number): string;
  plural(value: number, forms: Forms): string;
  select(value: unknown, texts: Forms): string;
}

/** Texts by plural category, by a number, or by a word; `other` for all the rest. */
type Forms = Readonly<Record<string, string>>;

/** A message, or messages by key. With values it is a function of them. */
export interface MessageTree {
  [key: string]: string | ((values: Record<string, unknown>) => string) | MessageTree;
}

/** The module of a part of a catalogue. */
export interface MessageModule {
  default: (formatters: MessageFormatters) => MessageTree;
}

/** Isolates the direction of a value: see `fillMessages`. */
const ISOLATES = /[\u2068\u2069]/g;

/**
 * Formatters for messages.
 * @param language BCP 47 tag of the messages, for their plural forms
 * @param locale BCP 47 tag of the reader, for numbers
 */
export function messageFormatters(language: string, locale: string): MessageFormatters {
  const rules = new Intl.PluralRules(language);
  const numbers = new Intl.NumberFormat(locale);
  return {
    number: (value) => numbers.format(value),
    plural: (value, forms) => forms[value] ?? forms[rules.select(value)] ?? forms.other ?? '',
    select: (value, texts) => texts[String(value).replace(ISOLATES, '')] ?? texts.other ?? '',
  };
}

/**
 * Puts messages in the place of others. Objects stay the same, so that who holds one reads the new messages.
 * @param isolates whether values keep their own direction, such as a Latin name in an Arabic text
 */
export function fillMessages(into: MessageTree, from: MessageTree, isolates: boolean): void {
  for (const [key, value] of Object.entries(from)) {
    if (typeof value === 'string') into[key] = value;
    else if (typeof value === 'function') into[key] = isolates ? (values) => value(isolated(values)) : value;
    else {
      const before = into[key];
      const object: MessageTree = typeof before === 'object' ? before : {};
      into[key] = object;
      fillMessages(object, value, isolates);
    }
  }
}

function isolated(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === 'string' ? `\u2068${value}\u2069` : value]),
  );
}

/** Languages written from right to left. Not every engine tells the direction of a locale. */
const RIGHT_TO_LEFT = new Set(['ar', 'fa', 'he', 'ur']);

/** The direction of a language, from its BCP 47 tag. */
export function directionOf(language: string): 'ltr' | 'rtl' {
  return RIGHT_TO_LEFT.has(languageOnly(language)) ? 'rtl' : 'ltr';
}

/** `pt` of `pt-BR`. */
export function languageOnly(tag: string): string {
  return tag.split('-')[0] ?? tag;
}

/** The first of a reader's languages that there is; a variety of one stands for another. */
export function bestLanguage(wanted: readonly string[], languages: readonly string[], otherwise: string): string {
  for (const tag of wanted) {
    const found = languages.find((language) => language === tag) ?? languages.find(isVarietyOf(tag));
    if (found !== undefined) return found;
  }
  return otherwise;
}

/** Whether a tag has the same language, such as `en-GB` for `en`. */
export function isVarietyOf(language: string): (tag: string) => boolean {
  return (tag) => languageOnly(tag) === languageOnly(language);
}
