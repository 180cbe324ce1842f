/** HTML tags by their effect on text. */
import { byName } from '../../../src-server/platform/records.ts';
import type { LeftOutReason } from '../../../src-server/platform/source-account.ts';

/** Content that readers never see. */
const SKIPPED_TAGS = new Set([
  ...['script', 'style', 'template', 'noscript', 'svg', 'iframe', 'object', 'canvas', 'audio', 'video', 'datalist'],
  ...['annotation', 'annotation-xml', 'noframes', 'rp'],
]);

/** Why the text of such a tag is left out; null for tags without text of the page. */
const SKIPPED_REASONS: Readonly<Record<string, LeftOutReason | null>> = byName({
  script: null,
  style: null,
  template: null,
  noscript: 'hidden',
  datalist: 'hidden',
  annotation: 'hidden',
  'annotation-xml': 'hidden',
  svg: 'embedded-picture',
});

/** Why the text of a skipped tag is left out; null if it is no text of the page. */
export function skippedReason(tag: string): LeftOutReason | null {
  const reason = SKIPPED_REASONS[tag];
  return reason === undefined ? 'unsupported-part' : reason;
}

/** Text of the page that a frame holds in itself; null for other elements. */
export function framedText(tag: string, { srcdoc }: Readonly<Record<string, string>>): string | null {
  return tag === 'iframe' && srcdoc !== undefined ? srcdoc.replace(/<[^<>]*>/g, '\n') : null;
}

/** Kinds of inputs whose value is no text that a browser shows. */
const WITHOUT_TEXT = new Set(['hidden', 'password', 'checkbox', 'radio', 'file', 'image', 'color', 'range']);

const BUTTONS = new Set(['submit', 'reset', 'button']);

/**
 * Text that an element of a form has in its attributes; null without any. A hint is that of an empty field or the label
 * of a button.
 */
export function formText(
  tag: string,
  attributes: Readonly<Record<string, string>>,
): { text: string; isHint: boolean } | null {
  if (tag !== 'input' && tag !== 'textarea' && tag !== 'optgroup' && tag !== 'option') return null;
  const { type = 'text', value = '', placeholder = '', label = '' } = attributes;
  const kind = type.toLowerCase();
  if (isHiddenElement(attributes) || (tag === 'input' && WITHOUT_TEXT.has(kind))) return null;
  if (tag === 'optgroup') return label === '' ? null : { text: label, isHint: false };
  if (tag === 'option') return label === '' ? null : { text: label, isHint: true };
  if (tag === 'input' && value !== '') return { text: value, isHint: BUTTONS.has(kind) };
  return placeholder === '' ? null : { text: placeholder, isHint: true };
}

/** Whether no browser shows the text of a tag, with or without scripts. */
export function isTextless(tag: string): boolean {
  switch (tag.length) {
    case 4:
      return tag === 'head';
    case 5:
      return tag === 'style' || tag === 'title';
    case 6:
      return tag === 'script';
    default:
      return tag === 'template';
  }
}

/** Tags that end the current text and start a new one. */
export const BLOCK_TAGS = new Set([
  ...['address', 'article', 'aside', 'blockquote', 'body', 'center', 'dd', 'details', 'dialog', 'dir', 'div', 'dl'],
  ...['dt', 'fieldset', 'figcaption', 'figure', 'footer', 'form', 'frameset', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
  ...['head', 'header', 'hgroup', 'hr', 'html', 'legend', 'li', 'listing', 'main', 'menu', 'nav', 'ol', 'optgroup'],
  ...['option', 'p', 'plaintext', 'pre', 'search', 'section', 'select', 'summary', 'table', 'tbody', 'td', 'tfoot'],
  ...['th', 'thead', 'title', 'tr', 'ul', 'xmp', 'caption', 'textarea'],
]);

/** Tags without content. */
export const VOID_TAGS = new Set([
  ...['area', 'base', 'basefont', 'br', 'col', 'embed', 'frame', 'hr', 'img', 'input', 'link', 'meta', 'param'],
  ...['source', 'track', 'wbr'],
]);

/** Tags of inline markup. */
const INLINE_TAGS = new Set([
  'a',
  'code',
  'tt',
  'kbd',
  'samp',
  'b',
  'strong',
  'i',
  'em',
  's',
  'strike',
  'del',
  'sub',
  'sup',
  'img',
  'dt',
]);
const LIST_TAGS = new Set(['ul', 'ol', 'menu', 'dir']);
const CELL_TAGS = new Set(['td', 'th']);
const CODE_TAGS = new Set(['pre', 'listing', 'xmp', 'plaintext']);
export const CAPTION_TAGS = new Set(['figcaption', 'caption']);

/** The kind of a tag as flags: one look-up for all is several times faster than one per set. */
export const VOID = 1;
export const SKIPPED = 2;
export const BLOCK = 4;
export const LIST = 8;
export const CELL = 16;
export const CODE = 32;
export const INLINE = 64;
const kinds = new Map<string, number>();
for (const [flag, names] of [
  [VOID, VOID_TAGS],
  [SKIPPED, SKIPPED_TAGS],
  [BLOCK, BLOCK_TAGS],
  [LIST, LIST_TAGS],
  [CELL, CELL_TAGS],
  [CODE, CODE_TAGS],
  [INLINE, INLINE_TAGS],
] as const) {
  for (const name of names) kinds.set(name, (kinds.get(name) ?? 0) | flag);
}

export function kindsOf(tag: string): number {
  return kinds.get(tag) ?? 0;
}

const HEADING_LEVELS = new Map([1, 2, 3, 4, 5, 6].map((level) => [`h${level}`, level]));

/** Level of a heading tag, or null. */
export function headingTagLevel(tag: string): number | null {
  return HEADING_LEVELS.get(tag) ?? null;
}

/** Whether attributes hide an element from all readers. */
export function isHiddenElement(attributes: Readonly<Record<string, string>>): boolean {
  if (attributes.hidden !== undefined && attributes.hidden !== 'until-found') return true;
  const style = attributes.style;
  return style !== undefined && /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(style);
}
