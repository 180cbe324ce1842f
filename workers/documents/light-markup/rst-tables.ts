/** Tables of reStructuredText. One whose text crosses its columns is no table for a reader of columns. */

interface Columns {
  from: number;
  to: number;
}

/** The rows of a table with rules of `=`; null if a text crosses its columns. */
export function simpleTableRows(lines: readonly string[]): string[][] | null {
  const columns = runsOf(lines[0] ?? '', '=');
  const rows: string[][] = [];
  let isNew = true;
  for (const line of lines.slice(1)) {
    if (/^[=\s]+$/.test(line) || /^-[-\s]*$/.test(line) || line.trim() === '') {
      isNew = true;
      continue;
    }
    const cells = cutColumns(line, columns);
    if (cells === null) return null;
    const row = rows.at(-1);
    if (isNew || row === undefined || cells[0] !== '') rows.push(cells);
    else for (const [at, cell] of cells.entries()) row[at] = joinCell(row[at] ?? '', cell);
    isNew = false;
  }
  return rows;
}

function runsOf(rule: string, sign: string): Columns[] {
  const columns: Columns[] = [];
  for (const { index, 0: run } of rule.matchAll(sign === '=' ? /=+/g : /-+|=+/g)) {
    columns.push({ from: index, to: index + run.length });
  }
  return columns;
}

function cutColumns(line: string, columns: readonly Columns[]): string[] | null {
  const cells: string[] = [];
  for (const [at, { from, to }] of columns.entries()) {
    const next = columns[at + 1]?.from;
    if (next !== undefined && line.slice(to, next).trim() !== '') return null;
    cells.push(line.slice(from, next ?? line.length).trim());
  }
  return line.slice(0, columns[0]?.from).trim() === '' ? cells : null;
}

/** The rows of a table in a grid; null if cells span several. */
export function gridTableRows(lines: readonly string[]): string[][] | null {
  const border = (lines[0] ?? '').trimEnd();
  const bars = [...border].flatMap((sign, at) => (sign === '+' ? [at] : []));
  const rows: string[][] = [];
  let isNew = true;
  for (const line of lines) {
    if (/^\+[-=+]+\+\s*$/.test(line)) {
      if (line.trimEnd().replaceAll('=', '-') !== border.replaceAll('=', '-')) return null;
      isNew = true;
      continue;
    }
    if (line.trimEnd().length !== border.length || bars.some((at) => line[at] !== '|')) return null;
    const cells = bars.slice(1).map((to, at) => line.slice((bars[at] ?? 0) + 1, to).trim());
    const row = rows.at(-1);
    if (isNew || row === undefined) rows.push(cells);
    else for (const [at, cell] of cells.entries()) row[at] = joinCell(row[at] ?? '', cell);
    isNew = false;
  }
  return rows;
}

/** Items of a list and lines of verse keep their lines. */
function joinCell(text: string, line: string): string {
  if (line === '' || text === '') return text + line;
  return text + (/^(?:[-*+•|]|\d+\.)\s/.test(line) ? '\v' : ' ') + line;
}

/** The rows of `list-table`: a list of lists. Null for any other content. */
export function listTableRows(lines: readonly string[]): string[][] | null {
  const rows: string[][] = [];
  let indent = 0;
  for (const line of lines) {
    if (line.trim() === '') continue;
    const [head = '', , first, second = ''] = /^(\s*)(?:([*-])\s+)?([*-]\s*)(?=\s|$)/.exec(line) ?? [];
    const row = rows.at(-1);
    if (first !== undefined) {
      rows.push([line.slice(head.length).trim()]);
      indent = head.length - second.length;
    } else if (row !== undefined && /^\s+[*-](?:\s|$)/.test(line) && line.search(/\S/) <= indent) {
      row.push(line.replace(/^\s+[*-]\s*/, '').trim());
    } else if (row !== undefined && line.search(/\S/) > 0) {
      row.push(joinCell(row.pop() ?? '', line.trim()));
    } else return null;
  }
  return rows;
}

/** A field of a line, by the sign after it. */
function fieldBefore(sign: string): RegExp {
  const escaped = `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`;
  return new RegExp(`[^\\S\t]*(?:"((?:[^"]|"")*)"|([^"${escaped}]*))[^\\S\t]*(?:${escaped}|$)`, 'uy');
}

/** The rows of `csv-table`, with commas. */
export function csvTableRows(lines: readonly string[], sign = ','): string[][] {
  const field = fieldBefore(sign);
  return lines
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const cells: string[] = [];
      field.lastIndex = 0;
      for (let found = field.exec(line); found !== null; found = field.exec(line)) {
        cells.push((found[1]?.replaceAll('""', '"') ?? found[2] ?? '').trim());
        if (field.lastIndex >= line.length) {
          if (found[0].endsWith(sign)) cells.push('');
          return cells;
        }
      }
      return [line];
    });
}
