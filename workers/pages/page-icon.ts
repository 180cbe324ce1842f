/** Finds the icon of a site in its first page. */

import { readFile } from 'node:fs/promises';
import { Parser } from 'htmlparser2';
import { normalUrl } from '../../src-server/platform/net/normal-url.ts';
import { KIB } from '../../src-server/platform/units.ts';
import type { FoundIcon, PageIconInput } from './tasks.ts';

/** The head of a page is within them. */
const HEAD_CHARS = 256 * KIB;

const DATA_CHARS_MAX = 128 * KIB;

/** Icons of this many pixels are drawn without loss. */
const WANTED_PIXELS = 64;

interface StatedIcon {
  href: string;
  pixels: number;
}

/** The stated icon of pixels that is nearest to 64 of them; null without one. Its bytes where the page holds them. */
export async function readPageIcon({ path, url }: PageIconInput): Promise<FoundIcon> {
  const html = (await readFile(path, 'utf8')).slice(0, HEAD_CHARS);
  const { icons, base } = statedIcons(html);
  const nearest = icons.toSorted((one, other) => distance(one) - distance(other))[0];
  if (nearest === undefined) return { url: null, bytes: null };
  if (nearest.href.startsWith('data:')) return { url: null, bytes: bytesOfData(nearest.href) };
  return { url: normalUrl(nearest.href, normalUrl(base ?? '', url) ?? url), bytes: null };
}

function distance({ pixels }: StatedIcon): number {
  return pixels < WANTED_PIXELS ? 2 * (WANTED_PIXELS - pixels) : pixels - WANTED_PIXELS;
}

function statedIcons(html: string): { icons: StatedIcon[]; base: string | null } {
  const icons: StatedIcon[] = [];
  let base: string | null = null;
  const parser = new Parser({
    onopentag: (name, { rel = '', href, sizes = '', type = '' }) => {
      if (href === undefined) return;
      if (name === 'base') base ??= href;
      const isIcon = /(?:^|\s)(?:apple-touch-)?icon(?:$|\s)/i.test(rel);
      // Covers are drawn from pixels.
      const isSvg = /svg/i.test(type) || /\.svg(?:$|[?#])/i.test(href);
      if (name !== 'link' || !isIcon || isSvg) return;
      const stated = Number(/(\d{1,4})x\d/i.exec(sizes)?.[1] ?? (/apple/i.test(rel) ? 180 : 32));
      icons.push({ href: href.trim(), pixels: stated });
    },
  });
  parser.end(html);
  return { icons, base };
}

/** Null for what is too long or damaged. */
function bytesOfData(address: string): Uint8Array | null {
  const [, isBase64, data] = /^data:[^,]*?(;base64)?,(.*)$/is.exec(address) ?? [];
  if (data === undefined || data.length > DATA_CHARS_MAX) return null;
  try {
    return new Uint8Array(Buffer.from(decodeURIComponent(data), isBase64 === undefined ? 'utf8' : 'base64'));
  } catch {
    return null;
  }
}
