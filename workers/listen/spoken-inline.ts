/** Text within a line of Markdown, as it is read aloud. */

import { byName } from '../../src-server/platform/records.ts';
import type { LeftUnread } from './tasks.ts';

const ENTITIES: Readonly<Record<string, string>> = byName({
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  nbsp: ' ',
  apos: "'",
});

/** A hundred letters hold every address that somebody would want to hear. */
const PICTURE = /!\[([^\]\n]{0,300})\]\([^()\s]{0,2000}(?:\s+"[^"]{0,300}")?\)/g;

const ADDRESS = String.raw`<[^<>\n]{0,2000}>|[^()\s]{0,2000}(?:\([^()\s]{0,200}\))?`;

const LINK = new RegExp(String.raw`\[([^[\]\n]{1,500})\]\((?:${ADDRESS})(?:\s+"[^"]{0,300}")?\)`, 'g');

/** Counts what is left out in `left`. */
export function spokenInline(text: string, left: LeftUnread): string {
  return text
    .replace(/<!--[^>]{0,5000}-->/g, ' ')
    .replace(PICTURE, (_, about: string) => {
      left.pictures += 1;
      return about.trim() === '' ? ' ' : ` Picture: ${about.trim()}. `;
    })
    .replace(LINK, '$1')
    .replace(/<(https?:\/\/[^\s<>]{1,2000})>/g, (_, address: string) => siteOf(address))
    .replace(/\bhttps?:\/\/[^\s<>()\]]{1,2000}/g, siteOf)
    .replace(/\[\^[^\]\n]{1,100}\]/g, '')
    .replace(/\$([^$\n]{1,300})\$/g, (whole, inside: string) => formulaSaid(whole, inside, left))
    .replace(/<\/?[a-z][^<>]{0,500}>/gi, ' ')
    .replace(/`+([^`\n]+)`+/g, '$1')
    .replace(/(\*{1,3}|~~)(?=\S)([^*~\n]+?)(?<=\S)\1/g, '$2')
    .replace(/(?<![\p{L}\p{N}])(_{1,3})(?=\S)([^_\n]+?)(?<=\S)\1(?![\p{L}\p{N}])/gu, '$2')
    .replace(/&(amp|lt|gt|quot|nbsp|apos);/g, (_, name: string) => ENTITIES[name] ?? '')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}

/** The name of the site: nobody wants to hear the rest. */
function siteOf(address: string): string {
  const end = /[.,;:!?]+$/.exec(address)?.[0] ?? '';
  const host = /^https?:\/\/(?:www\.)?([^/?#:]+)/.exec(address)?.[1];
  return host === undefined ? address : `${host}${end}`;
}

/** Sums of money stand between dollar signs, too. */
function formulaSaid(whole: string, inside: string, left: LeftUnread): string {
  if (!/[\\^_={}]/.test(inside)) return whole;
  left.formulas += 1;
  return 'a formula';
}
