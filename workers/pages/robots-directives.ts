/** What pages say to crawlers: directives of meta robots and of X-Robots-Tag. */

import { wholeSlice } from '../../src-server/platform/text/strings.ts';

/** The name by which a page may speak to this crawler alone. */
export const PRODUCT = 'quarry';
/** Directives of X-Robots-Tag that have a value of their own, where others would name a crawler. */
const VALUED = new Set(['unavailable_after', 'max-snippet', 'max-image-preview', 'max-video-preview', 'tdm-policy']);

/**
 * What X-Robots-Tag says, one line for each header. What follows a crawler's name is for that crawler alone: for this
 * one it is as if it were for all; for others it keeps the name, and binds nobody here.
 */
export function headerDirectives(header: string): string[] {
  const found: string[] = [];
  for (const line of header.split('\n')) {
    let agent = '';
    for (const directive of directivesOf(line)) {
      const [, name = '', rest = ''] = /^([a-z][a-z0-9_-]*)\s*:\s*(.*)$/.exec(directive) ?? [];
      if (name === '' || VALUED.has(name)) {
        found.push(agent === '' ? directive : `${agent}: ${directive}`);
        continue;
      }
      agent = name === PRODUCT ? '' : name;
      if (rest !== '') found.push(agent === '' ? rest : directive);
    }
  }
  return found;
}

export function directivesOf(content: string): string[] {
  return content
    .toLowerCase()
    .split(',')
    .map((directive) => wholeSlice(directive.trim(), 0, 60))
    .filter((directive) => directive !== '')
    .slice(0, 20);
}
