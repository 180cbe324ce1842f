/** Conditions, their ends, and code in which they are text. */
const TOKEN = new RegExp(
  [
    String.raw`\\begin\{((?:verbatim|Verbatim|lstlisting|minted|alltt)\*?)\}`,
    String.raw`(?<!\\)\\(if(?!f\b|thenelse\b)[A-Za-z@]*|else|fi)(?![A-Za-z@])`,
    String.raw`(?<!\\)%[^\n]*`,
  ].join('|'),
  'g',
);

/** A LaTeX source without what `\iffalse` skips, and what that is. A condition that does not end is kept. */
export function splitFalseBranches(source: string): { kept: string; skipped: string[] } {
  if (!source.includes('\\iffalse')) return { kept: source, skipped: [] };
  const kept: string[] = [];
  const skipped: string[] = [];
  const token = new RegExp(TOKEN);
  /** Open conditions; `from` is where the skipped text of an `\iffalse` begins, or null behind its `\else`. */
  const open: { isFalse: boolean; from: number | null }[] = [];
  let at = 0;
  const skip = (from: number, to: number, end: number) => {
    kept.push(source.slice(at, from));
    skipped.push(source.slice(from, to).replace('\\iffalse', ''));
    at = end;
  };
  for (let match = token.exec(source); match !== null; match = token.exec(source)) {
    const [whole, environment, word] = match;
    const outer = open.find(({ from }) => from !== null);
    if (environment !== undefined && outer === undefined) {
      const end = source.indexOf(`\\end{${environment}}`, token.lastIndex);
      if (end === -1) break;
      token.lastIndex = end;
    } else if (word?.startsWith('if') === true) {
      const isFalse = word === 'iffalse' && outer === undefined;
      open.push({ isFalse, from: isFalse ? match.index : null });
    } else if (word !== undefined) {
      const condition = word === 'fi' ? open.pop() : open.at(-1);
      if (condition?.isFalse !== true) continue;
      const end = match.index + whole.length;
      // Behind an `\else`, only the end of the condition is no text.
      if (condition.from === null) skip(match.index, match.index, end);
      else skip(condition.from, match.index, end);
      condition.from = null;
    }
  }
  kept.push(source.slice(at));
  return { kept: kept.join(''), skipped };
}
