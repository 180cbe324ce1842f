/** Crawler directives of pages: meta robots and X-Robots-Tag. */

import { wholeSlice } from '../../src-server/platform/text/strings.ts';

/** The name by which a page addresses this crawler. */
export const PRODUCT = 'quarry';
/** X-Robots-Tag directives with a value; before a colon any other name is a crawler's. */
const VALUED = new Set(['unavailable_after', 'max-snippet', 'max-image-preview', 'max-video-preview', 'tdm-policy']);

/**
 * Directives of X-Robots-Tag, one line per header. Directives after a crawler's name apply to that crawler only: those
 * for this crawler are returned without the name, others keep it and have no effect.
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
