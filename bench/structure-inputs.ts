/** Documents of known structure for the benchmark of PDF structure, as HTML and as LaTeX. */

export interface TruthItem {
  text: string;
  depth: number;
}

export interface TruthCell {
  text: string;
  rowSpan?: number;
  colSpan?: number;
}

export type TruthBlock =
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'paragraph'; text: string }
  | { kind: 'list'; isOrdered: boolean; items: TruthItem[] }
  | { kind: 'code'; lines: string[] }
  | { kind: 'table'; rows: TruthCell[][] };

const WORDS = `harbour quick answer people morning considered international report between season water number brought
letter according different evening company question society towards window history measure further garden business
remember possible country against machine several general public direction certain minute picture without national
example family present moment condition surface thought distance pressure beautiful difficult`.split(/\s+/);

/** The same in every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Rows of a table over several pages. */
const LONG_ROWS = 50;

const CODE = [
  [
    'function total(items) {',
    '  let sum = 0;',
    '  for (const item of items) {',
    '    sum += item.price;',
    '  }',
    '',
    '  return sum;',
    '}',
  ],
  ['def greet(name):', '    if name is None:', '        return "nobody"', '    return "hello " + name'],
  ['$ make install', 'copying 12 files', 'done'],
  ['{', '  "name": "quarry",', '  "ports": [80, 443],', '  "nested": {', '    "deep": true', '  }', '}'],
  ['SELECT id, name', 'FROM people', 'WHERE age > 30', 'ORDER BY name'],
];

/** A document of sections, each with running text, a list, code and a table. */
export function truthDocument(seed: number, sections = 6): TruthBlock[] {
  const random = seeded(seed);
  const pick = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)] as Value;
  const words = (count: number) => Array.from({ length: count }, () => pick(WORDS)).join(' ');
  const sentence = (count: number) => {
    const text = words(count);
    return `${text[0]?.toUpperCase()}${text.slice(1)}.`;
  };
  const title = (count: number) => {
    const text = words(count);
    return `${text[0]?.toUpperCase()}${text.slice(1)}`;
  };
  const paragraph = () => ({
    kind: 'paragraph' as const,
    text: Array.from({ length: 3 }, () => sentence(8 + Math.floor(random() * 14))).join(' '),
  });
  const blocks: TruthBlock[] = [{ kind: 'heading', level: 1, text: title(12) }, paragraph()];
  for (let section = 0; section < sections; section += 1) {
    blocks.push({ kind: 'heading', level: 2, text: title(2 + (section % 3)) }, paragraph());
    blocks.push(listOf(section, sentence, random), paragraph());
    blocks.push({ kind: 'heading', level: 3, text: title(3) }, paragraph());
    blocks.push({ kind: 'code', lines: CODE[section % CODE.length] as string[] }, paragraph());
    blocks.push({ kind: 'table', rows: tableOf(section, words, sentence, random) }, paragraph());
  }
  return blocks;
}

function listOf(section: number, sentence: (count: number) => string, random: () => number): TruthBlock {
  const items: TruthItem[] = [];
  for (let item = 0; item < 4 + (section % 3); item += 1) {
    items.push({ depth: 0, text: sentence(2 + Math.floor(random() * 20)) });
    if (item % 2 === 1) items.push({ depth: 1, text: sentence(4) }, { depth: 1, text: sentence(25) });
  }
  return { kind: 'list', isOrdered: section % 2 === 1, items };
}

/** Plain, multi-line, spanning and numeric tables in turn. */
function tableOf(
  section: number,
  words: (count: number) => string,
  sentence: (count: number) => string,
  random: () => number,
): TruthCell[][] {
  const columns = 3 + (section % 3);
  const number = () => String(Math.floor(random() * 10_000) / 100);
  const head = Array.from({ length: columns }, () => ({ text: words(1) }));
  const rows: TruthCell[][] = [head];
  const count = section === 4 ? LONG_ROWS : section % 4 === 1 ? 4 : 4 + section;
  for (let row = 0; row < count; row += 1) {
    rows.push(
      Array.from({ length: columns }, (_, column) => {
        if (section % 4 === 1 && column > 0) return { text: sentence(3 + Math.floor(random() * 12)) };
        if (section % 4 === 3 && column === 1 && row % 3 === 1) return { text: '' };
        return { text: column === 0 ? `${words(1)} ${row + 1}` : number() };
      }),
    );
  }
  if (section % 4 === 2) {
    rows[0] = [{ text: words(1) }, { text: words(2), colSpan: columns - 1 }];
    rows[2] = [{ text: words(1), rowSpan: 2 }, ...(rows[2]?.slice(1) ?? [])];
    rows[3] = rows[3]?.slice(1) ?? [];
  }
  return rows;
}

/** The rows with an empty cell for each place that a span covers. */
export function spreadRows(rows: readonly TruthCell[][]): string[][] {
  const grid: (string | undefined)[][] = rows.map(() => []);
  for (const [y, row] of rows.entries()) {
    let x = 0;
    for (const { text, rowSpan = 1, colSpan = 1 } of row) {
      while (grid[y]?.[x] !== undefined) x += 1;
      for (let down = 0; down < rowSpan; down += 1) {
        for (let right = 0; right < colSpan; right += 1) {
          const line = grid[y + down];
          if (line !== undefined) line[x + right] = down === 0 && right === 0 ? text : '';
        }
      }
    }
  }
  return grid.map((row) => Array.from(row, (cell) => cell ?? ''));
}

/** Styles of tables and lists as web pages have them. */
export const HTML_STYLES: Readonly<Record<string, string>> = {
  plain: 'table { border-collapse: collapse } td, th { border: 1px solid black; padding: 4px }',
  separate: 'table { border: 1px solid } td, th { border: 1px solid grey }',
  site: `body { font: 15px/1.5 sans-serif } table { border-collapse: collapse; width: 100% }
    th { background: #eef; text-align: left } td, th { padding: 6px 10px; border-bottom: 1px solid #ddd }
    pre { background: #f4f4f4; padding: 10px; border-radius: 6px } ul { list-style: square }`,
  zebra: `body { font: 14px sans-serif } table { border-collapse: collapse }
    tr:nth-child(odd) { background: #e4e4e4 } td, th { padding: 6px 12px; text-align: left }
    pre { border: 1px solid #aaa; padding: 8px } h2 { border-bottom: 1px solid #ccc }`,
  boxed: `body { font: 12px serif; columns: 1 } table { border-collapse: collapse; width: 100% }
    td, th { border: 2px solid #555; padding: 2px 5px; vertical-align: top } th { background: #ddd }
    pre { font-family: monospace; font-size: 11px } ul { list-style: circle }`,
};

export function toHtml(blocks: readonly TruthBlock[], style: string): string {
  const body = blocks.map((block) => {
    if (block.kind === 'heading') return `<h${block.level}>${escapeHtml(block.text)}</h${block.level}>`;
    if (block.kind === 'paragraph') return `<p>${escapeHtml(block.text)}</p>`;
    if (block.kind === 'code') return `<pre><code>${escapeHtml(block.lines.join('\n'))}</code></pre>`;
    if (block.kind === 'list') return htmlList(block.items, block.isOrdered ? 'ol' : 'ul');
    const rows = block.rows.map((row, index) => {
      const tag = index === 0 ? 'th' : 'td';
      const cells = row.map(
        ({ text, rowSpan = 1, colSpan = 1 }) =>
          `<${tag} rowspan="${rowSpan}" colspan="${colSpan}">${escapeHtml(text)}</${tag}>`,
      );
      return `<tr>${cells.join('')}</tr>`;
    });
    return `<table><thead>${rows[0]}</thead><tbody>${rows.slice(1).join('\n')}</tbody></table>`;
  });
  return `<!doctype html><meta charset="utf-8"><title>x</title><style>${style}</style><body>${body.join('\n')}</body>`;
}

function htmlList(items: readonly TruthItem[], tag: string): string {
  let written = `<${tag}>`;
  for (const [index, { text, depth }] of items.entries()) {
    const before = items[index - 1]?.depth ?? 0;
    if (depth > before) written += `<${tag}>`;
    if (depth < before) written += `</li></${tag}></li>`;
    else if (index > 0 && depth === before) written += '</li>';
    written += `<li>${escapeHtml(text)}`;
  }
  return `${written}${'</li>'}${items.at(-1)?.depth === 1 ? `</${tag}></li>` : ''}</${tag}>`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/** `hline` rules every cell, `booktabs` three lines a table. */
export const LATEX_STYLES: Readonly<Record<string, { tables: 'hline' | 'booktabs'; preamble: string }>> = {
  article: {
    tables: 'hline',
    preamble: '\\documentclass{article}\\usepackage[margin=3cm]{geometry}\\usepackage{longtable}',
  },
  booktabs: {
    tables: 'booktabs',
    preamble: '\\documentclass[11pt]{article}\\usepackage[margin=2.5cm]{geometry}\\usepackage{booktabs,longtable}',
  },
  sans: {
    tables: 'hline',
    preamble:
      '\\documentclass[12pt,a4paper]{article}\\usepackage{longtable}\\renewcommand{\\familydefault}{\\sfdefault}',
  },
};

export function toLatex(blocks: readonly TruthBlock[], style: string): string {
  const { tables, preamble } = LATEX_STYLES[style] ?? { tables: 'hline', preamble: '' };
  const body = blocks.map((block) => {
    if (block.kind === 'heading' && block.level === 1) return `\\title{${escapeLatex(block.text)}}\\date{}\\maketitle`;
    if (block.kind === 'heading') return `\\${block.level === 2 ? '' : 'sub'}section{${escapeLatex(block.text)}}`;
    if (block.kind === 'paragraph') return escapeLatex(block.text);
    if (block.kind === 'code') return `\\begin{verbatim}\n${block.lines.join('\n')}\n\\end{verbatim}`;
    if (block.kind === 'list') return latexList(block.items, block.isOrdered ? 'enumerate' : 'itemize');
    return latexTable(block.rows, tables);
  });
  return `${preamble}\n\\begin{document}\n${body.join('\n\n')}\n\\end{document}\n`;
}

function latexList(items: readonly TruthItem[], name: string): string {
  let written = `\\begin{${name}}\n`;
  for (const [index, { text, depth }] of items.entries()) {
    const before = items[index - 1]?.depth ?? 0;
    if (depth > before) written += `\\begin{${name}}\n`;
    if (depth < before) written += `\\end{${name}}\n`;
    written += `\\item ${escapeLatex(text)}\n`;
  }
  return `${written}${items.at(-1)?.depth === 1 ? `\\end{${name}}\n` : ''}\\end{${name}}`;
}

function latexTable(rows: readonly TruthCell[][], style: 'hline' | 'booktabs'): string {
  const grid = spreadRows(rows);
  const columns = grid[0]?.length ?? 0;
  const isLong = rows.flat().some(({ text }) => text.length > 30);
  const column = isLong ? `p{${(11 / columns).toFixed(1)}cm}` : 'l';
  const bar = style === 'hline' ? '|' : '';
  const spec = `${bar}${Array.from({ length: columns }, () => column).join(bar)}${bar}`;
  const written = grid.map((row, y) => {
    const cells: string[] = [];
    for (let x = 0; x < columns; x += 1) {
      const span = rows[y]?.find(({ text, colSpan = 1 }) => colSpan > 1 && text === row[x])?.colSpan ?? 1;
      const text = escapeLatex(row[x] ?? '');
      cells.push(span > 1 ? `\\multicolumn{${span}}{${x === 0 ? bar : ''}c${bar}}{${text}}` : text);
      x += span - 1;
    }
    const isSpanned = rows[y]?.some(({ rowSpan = 1 }) => rowSpan > 1) === true;
    const line = isSpanned ? `\\cline{2-${columns}}` : '\\hline';
    const rule = style === 'hline' ? line : y === 0 ? '\\midrule' : '';
    return `${cells.join(' & ')} \\\\ ${rule}`;
  });
  const isOverPages = rows.length > LONG_ROWS;
  const [top, bottom] = style === 'hline' ? ['\\hline', ''] : ['\\toprule', '\\bottomrule'];
  if (isOverPages) {
    const [head = '', ...body] = written;
    return `\\begin{longtable}{${spec}}${top}\n${head}\n\\endhead\n${body.join('\n')}${bottom}\n\\end{longtable}`;
  }
  return `\\begin{center}\\begin{tabular}{${spec}}${top}\n${written.join('\n')}${bottom}\n\\end{tabular}\\end{center}`;
}

function escapeLatex(text: string): string {
  return text.replace(/[&%$#_{}]/g, '\\$&');
}
