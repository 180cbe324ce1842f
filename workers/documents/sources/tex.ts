import { byName } from '../../../src-server/platform/records.ts';
import type { ParseOptions } from '../blocks.ts';
import { displayedLatex } from '../displayed-latex.ts';
import { decodeTextFile } from '../parse-text.ts';
import { DROPPED } from '../tex/characters.ts';
import { expandDefinitions } from '../tex/expand-definitions.ts';
import { splitFalseBranches } from '../tex/false-branches.ts';
import { delimitedSpans } from './spans.ts';

/** Commands whose arguments are names or sizes, besides those that the reader drops. */
const NAMING =
  /^(?:begin|end|input|include|href|[a-z]*cite[a-z]*|[a-z]*ref|item|bibitem|url|path|multicolumn|multirow)$/i;

/** Environments with a size or columns after their name. */
const SIZED =
  /^(?:tabular|tabularx|tabulary|longtable|minipage|multicols|wrapfigure|wraptable|adjustbox|thebibliography)/;

const DRAWING = /\\begin\{((?:tikzpicture|picture|pgfpicture|pspicture|filecontents|comment)\*?)\}/g;

/** Formulas, which the result has as they are written. */
const FORMULA = new RegExp(
  [
    '\\\\begin\\{((?:equation|align(?:at)?|gather|multline|eqnarray|displaymath|math|flalign)\\*?)\\}',
    '\\$\\$|\\$|(?<!\\\\)\\\\[[(]|\\\\\\$',
  ].join('|'),
  'g',
);

const FORMULA_ENDS: Readonly<Record<string, string>> = byName({ $$: '$$', $: '$', '\\[': '\\]', '\\(': '\\)' });

const ARGUMENTS_MAX = 3;

const NAME_MAX = 100;

/** Code, which is text as it is written, and its options. */
const CODE = new RegExp(
  [
    '\\\\begin\\{((?:verbatim|Verbatim|lstlisting|minted|alltt)\\*?)\\}(?:[ \\t]*\\[[^[\\]]*\\])?' +
      '(?:(?<=minted\\}.*)\\{\\w+\\})?',
    String.raw`\\(?:verb|lstinline)\*?([^\w\s{}[\]*])`,
  ].join('|'),
  'g',
);

/** Up to the end of the line, behind an even number of backslashes. */
const COMMENT = /((?<!\\)(?:\\\\)*)%[^\n]*/g;

/**
 * Counts a LaTeX source: the text outside commands, with the source's own commands replaced. Names of commands, options
 * and arguments without text are no letters of the document, but formulas and references show some of them.
 */
export function countTex(bytes: Buffer, { ledger, language }: ParseOptions): void {
  const optional: string[] = [];
  const { kept, skipped } = splitFalseBranches(decodeTextFile(bytes, language).replace(/\r\n?/g, '\n'));
  const source = withoutCopies(expandDefinitions(kept), optional);
  const codeEnd = ([, name, sign]: RegExpExecArray) => sign ?? `\\end{${name}}`;
  // Where the document begins and ends is not found inside comments.
  const plain = [...delimitedSpans(source, CODE, codeEnd)].map(({ text, opener }) =>
    opener === null ? text.replace(COMMENT, '$1') : text,
  );
  const whole = plain.join('');
  const begin = whole.indexOf('\\begin{document}');
  const end = whole.lastIndexOf('\\end{document}');
  if (begin !== -1) optional.push(whole.slice(0, begin));
  if (end > begin) skipped.push(whole.slice(end + '\\end{document}'.length));
  const hidden = skipped.join('\n');
  ledger.addOwedText('', hidden);
  ledger.recordLeftOutText({ reason: 'hidden', where: 'what TeX skips', text: hidden });
  const body = begin === -1 ? whole : whole.slice(begin, end > begin ? end : undefined);
  for (const { text, opener } of delimitedSpans(body, CODE, codeEnd)) {
    if (opener === null) countOutsideCode(text, ledger, optional);
    else {
      ledger.addOwedText('', text.slice(opener.length).replace(/\\end\{\w+\*?\}$/, ''));
      optional.push(opener);
    }
  }
  ledger.mayHold(optional.join('\n'));
}

/** The source without the copies of titles for outlines, which go to `others`. */
function withoutCopies(source: string, others: string[]): string {
  const kept: string[] = [];
  let at = 0;
  for (const { index } of source.matchAll(/\\texorpdfstring\s*\{/g)) {
    if (index < at) continue;
    const copy = closingBracketIndex(source, source.indexOf('{', index));
    const end = source[copy] === '{' ? closingBracketIndex(source, copy) : copy;
    kept.push(source.slice(at, copy));
    others.push(source.slice(copy, end));
    at = end;
  }
  return kept.join('') + source.slice(at);
}

function countOutsideCode(body: string, ledger: ParseOptions['ledger'], optional: string[]): void {
  for (const { text, opener } of delimitedSpans(body, DRAWING, ([, name]) => `\\end{${name}}`)) {
    if (opener === null) countText(text, ledger, optional);
    else if (!opener.includes('comment')) {
      ledger.addOwedText('', text);
      ledger.recordLeftOutText({ reason: 'embedded-picture', where: 'drawing', text });
    }
  }
}

function countText(body: string, ledger: ParseOptions['ledger'], optional: string[]): void {
  const texSpanEnd = ([opener, name]: RegExpExecArray) =>
    name === undefined ? (FORMULA_ENDS[opener] ?? null) : `\\end{${name}}`;
  for (const { text, opener } of delimitedSpans(body, FORMULA, texSpanEnd)) {
    ledger.addOwedText('', opener === null ? textOutside(text, optional) : displayedLatex(text));
  }
}

/** The text outside commands; the rest goes to `others`. */
function textOutside(source: string, others: string[]): string {
  const owed: string[] = [];
  const command = /\\(?:([A-Za-z@]+)\*?|\\\*?\[\s*-?[\d.]+\s*\\?[a-z]+\s*\]|[\s\S])/g;
  let at = 0;
  for (let match = command.exec(source); match !== null; match = command.exec(source)) {
    owed.push(source.slice(at, match.index));
    at = command.lastIndex;
    const name = match[1];
    if (name === undefined) continue;
    others.push(match[0]);
    let left = texArgumentCount(name);
    // What a definition names.
    const named = Object.hasOwn(DROPPED, name) ? /^\s*\\[A-Za-z@]+[#\d]*/.exec(source.slice(at, at + NAME_MAX)) : null;
    if (named !== null) {
      others.push(named[0]);
      at += named[0].length;
      if (name !== 'def') left -= 1;
    }
    for (;;) {
      const gap = left > 0 ? (/^\s*(?=[[{])/.exec(source.slice(at, at + NAME_MAX))?.[0].length ?? 0) : 0;
      if (source[at + gap] !== '[' && (left === 0 || source[at + gap] !== '{')) break;
      at += gap;
      const close = closingBracketIndex(source, at);
      const argument = source.slice(at, close);
      others.push(argument);
      if (source[at] === '{') left -= 1;
      if (name === 'begin' && left === 0 && SIZED.test(argument.slice(1))) left = ARGUMENTS_MAX;
      at = close;
    }
    command.lastIndex = at;
  }
  owed.push(source.slice(at));
  return owed.join('');
}

function texArgumentCount(name: string): number {
  const dropped = Object.hasOwn(DROPPED, name) ? DROPPED[name] : undefined;
  if (dropped !== undefined) return dropped;
  if (/^multi(?:column|row)$/.test(name)) return 2;
  if (/^(?:Cline|title|author|date|address|email|affiliation)$/.test(name)) return 1;
  return NAMING.test(name) ? 1 : 0;
}

/** Index behind the bracket that closes the one at `open`. */
function closingBracketIndex(source: string, open: number): number {
  const [begins, ends] = source[open] === '[' ? ['[', ']'] : ['{', '}'];
  let depth = 0;
  for (let at = open; at < source.length; at += 1) {
    const character = source[at];
    if (character === '\\') at += 1;
    else if (character === begins) depth += 1;
    else if (character === ends) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return source.length;
}
