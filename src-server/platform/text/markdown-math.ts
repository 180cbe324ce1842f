/**
 * Formulas of Markdown in `$` and `$$`, which are kept as they are. Threat: signs that nothing closes. Each looks as
 * far as the next sign, and no further than a formula may be long.
 */

import type { MarkedOptions, Token } from 'marked';

const REACH_CHARS = 2000;

/** No price: the signs touch the formula, and no digit follows. */
const INLINE = /^\$(?![\s$])((?:[^$\\\n]|\\.){0,1999}?[^\s$\\]|\\.)\$(?!\d)/;

const DISPLAY = /^\$\$((?:[^$\\]|\\.){1,2000}?)\$\$/s;

/** Alone on its lines. */
const BLOCK = /^\$\$((?:[^$\\]|\\.){1,20000}?)\$\$[ \t]*(?:\n|$)/s;

function readMath(patterns: readonly RegExp[]): (source: string) => (Token & { type: 'math' }) | undefined {
  return (source) => {
    if (!source.startsWith('$')) return undefined;
    for (const pattern of patterns) {
      const match = pattern.exec(source);
      if (match !== null) return { type: 'math', raw: match[0], text: match[1] ?? '' };
    }
    return undefined;
  };
}

export const MATH_EXTENSIONS: NonNullable<MarkedOptions['extensions']> = {
  renderers: {},
  childTokens: {},
  block: [readMath([BLOCK])],
  inline: [readMath([DISPLAY, INLINE])],
  startInline: [
    (source) => {
      const at = source.slice(0, REACH_CHARS).indexOf('$');
      return at === -1 ? undefined : at;
    },
  ],
};
