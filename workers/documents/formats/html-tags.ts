/** What the tags of HTML mean for text, as data. */

/** Content that is never part of what a reader sees. */
export const SKIPPED_TAGS = new Set([
  ...['script', 'style', 'template', 'noscript', 'svg', 'iframe', 'object', 'canvas', 'audio', 'video', 'datalist'],
  ...['annotation', 'annotation-xml', 'noframes', 'rp'],
]);

/** Tags that end the text before them and begin a new one. */
export const BLOCK_TAGS = new Set([
  ...['address', 'article', 'aside', 'blockquote', 'body', 'center', 'dd', 'details', 'dialog', 'dir', 'div', 'dl'],
  ...['dt', 'fieldset', 'figcaption', 'figure', 'footer', 'form', 'frameset', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
  ...['head', 'header', 'hgroup', 'hr', 'html', 'legend', 'li', 'listing', 'main', 'menu', 'nav', 'ol', 'optgroup'],
  ...['option', 'p', 'plaintext', 'pre', 'search', 'section', 'select', 'summary', 'table', 'tbody', 'td', 'tfoot'],
  ...['th', 'thead', 'title', 'tr', 'ul', 'xmp', 'caption', 'textarea'],
]);

/** Tags without content: they open nothing, whatever follows them. */
export const VOID_TAGS = new Set([
  ...['area', 'base', 'basefont', 'br', 'col', 'embed', 'frame', 'hr', 'img', 'input', 'link', 'meta', 'param'],
  ...['source', 'track', 'wbr'],
]);

export const LIST_TAGS = new Set(['ul', 'ol', 'menu', 'dir']);
export const CELL_TAGS = new Set(['td', 'th']);
export const CODE_TAGS = new Set(['pre', 'listing', 'xmp', 'plaintext']);
export const CAPTION_TAGS = new Set(['figcaption', 'caption']);

const HEADING_LEVELS = new Map([1, 2, 3, 4, 5, 6].map((level) => [`h${level}`, level]));

/** Level of a heading tag, or null. */
export function headingLevel(tag: string): number | null {
  return HEADING_LEVELS.get(tag) ?? null;
}

/** Whether attributes hide an element from every reader. */
export function isHidden(attributes: Readonly<Record<string, string>>): boolean {
  if (attributes.hidden !== undefined && attributes.hidden !== 'until-found') return true;
  const style = attributes.style;
  return style !== undefined && /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(style);
}
