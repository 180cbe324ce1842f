/** Ways to hide text from people by attributes alone. A stylesheet may hide more; that is not seen here. */
const WAYS: readonly [string, RegExp][] = [
  ['display: none', /(?:^|;)\s*display\s*:\s*none/i],
  ['visibility: hidden', /(?:^|;)\s*visibility\s*:\s*(?:hidden|collapse)/i],
  ['opacity: 0', /(?:^|;)\s*opacity\s*:\s*0(?:\.0+)?\s*(?:;|!|$)/i],
  ['font-size: 0', /(?:^|;)\s*font-size\s*:\s*[01](?:\.\d+)?\s*(?:px|pt|em|rem|%)?\s*(?:;|!|$)/i],
  ['off screen', /(?:^|;)\s*(?:left|top|right|text-indent|margin-left)\s*:\s*-\d{3,}/i],
  ['clipped', /(?:^|;)\s*(?:clip\s*:\s*rect\(\s*0|clip-path\s*:\s*inset\(\s*(?:50|100)%)/i],
];
const COLOUR = /(?:^|;)\s*color\s*:\s*([^;!]+)/i;
const BACKGROUND = /(?:^|;)\s*background(?:-color)?\s*:\s*([^;!]+)/i;
/** Names by which stylesheets hide text for people who see, and keep it for those who listen. */
const HIDDEN_CLASS = /(?:^|\s)(?:sr-only|visually-?hidden|screen-reader-text|d-none)(?:\s|$)/i;

/** How an element's attributes hide what is in it, or null. */
export function hidingOf(attributes: Readonly<Record<string, string>>): string | null {
  if (attributes.hidden !== undefined) return 'hidden attribute';
  const { style, class: classes } = attributes;
  if (style !== undefined) {
    const way = WAYS.find(([, pattern]) => pattern.test(style));
    if (way !== undefined) return way[0];
    const colour = COLOUR.exec(style)?.[1]?.trim().toLowerCase();
    if (colour !== undefined && colour === BACKGROUND.exec(style)?.[1]?.trim().toLowerCase()) {
      return 'colour of its background';
    }
  }
  return classes !== undefined && HIDDEN_CLASS.test(classes) ? 'class for screen readers' : null;
}

/** Two patterns: one for both would look from every width through all that follows. */
const TINY_WIDTH = /(?:^|[;\s])width:\s*[01]px/i;
const TINY_HEIGHT = /(?:^|[;\s])height:\s*[01]px/i;

/** An image that nobody sees: it counts readers. */
export function isPixel({ width, height, style = '' }: Readonly<Record<string, string>>): boolean {
  const tiny = (size: string | undefined) => size !== undefined && /^[01](px)?$/.test(size.trim());
  return (tiny(width) && tiny(height)) || (TINY_WIDTH.test(style) && TINY_HEIGHT.test(style));
}
