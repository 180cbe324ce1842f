/** Environments of LaTeX that show formulas, with or without a star. */

import { byName } from '../../src-server/platform/records.ts';

export const FORMULA_ENVIRONMENT = /^(?:equation|align|alignat|gather|multline|eqnarray|displaymath|math|flalign)\*?$/;

const BEGIN = /^\s*\\begin\{([A-Za-z]+)\*?\}/;

/** Those that stand for dollar signs. */
const PLAIN = /^(?:equation|displaymath|math)$/;

/** What aligns lines within dollar signs. */
const ALIGNED: Readonly<Record<string, string>> = byName({
  align: 'aligned',
  alignat: 'alignedat',
  eqnarray: 'aligned',
  flalign: 'aligned',
  gather: 'gathered',
  multline: 'gathered',
});

/** An environment in the form that formulas between dollar signs have. */
export function displayedLatex(source: string): string {
  const [begin = '', name = ''] = BEGIN.exec(source) ?? [];
  const end = source.lastIndexOf('\\end{');
  if (name === '' || end < begin.length) return source;
  const body = source.slice(begin.length, end);
  if (PLAIN.test(name)) return body;
  const other = ALIGNED[name];
  return other === undefined ? source : `\\begin{${other}}${body}\\end{${other}}`;
}
