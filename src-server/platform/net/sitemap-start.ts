/** How much of a file is looked at: generators put their name, and more, before the first tag. */
const LOOKED_AT_CHARS = 16_384;
/** Marks of order and encoding, declarations, comments. */
const BEFORE_FIRST_TAG = /^(?:\ufeff|\s|<\?[^>]*>|<!--[\s\S]*?-->)*/;
const LIST_TAG = /^<(?:\w+:)?(?:urlset|sitemapindex|rss|feed)[\s>]/i;

/** Whether a text is a list of addresses by its first tag, whatever its server calls it. */
export function opensSitemap(text: string): boolean {
  return LIST_TAG.test(text.slice(0, LOOKED_AT_CHARS).replace(BEFORE_FIRST_TAG, ''));
}
