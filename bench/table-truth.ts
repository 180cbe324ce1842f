/** Tables with their truth: of ICDAR 2013, of camelot's tests, of MarkItDown's tests and of docling's tests. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** A cell over rows and columns, both ends included, from 0. */
export interface TruthCell {
  row: number;
  endRow: number;
  column: number;
  endColumn: number;
  text: string;
}

/** The part of a table that is on one page. */
export interface PageTable {
  /** From 1. */
  page: number;
  cells: TruthCell[];
}

/** A PDF with the cells of its tables, or with rows of texts that its tables have on the pages. */
export type TableCase = { path: string; set: string } & (
  | { tables: PageTable[] }
  | { name: string; rows: string[][]; pages: readonly number[] | null; isSpanRepeated: boolean }
);

const STRUCTURE = '-str.xml';

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** All cases below a folder, by set and name. */
export function findTableCases(folder: string): TableCase[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  const paths = names.map((name) => join(folder, name));
  return paths.flatMap((path) => {
    const stem = basename(path);
    if (stem.endsWith(STRUCTURE)) return icdarCase(path);
    if (stem === 'data.py' && existsSync(join(dirname(path), 'files/health.pdf'))) return camelotCases(dirname(path));
    if (basename(dirname(path)) === 'expected_outputs' && stem.endsWith('.md')) return markdownCase(path);
    if (basename(dirname(path)) === 'groundtruth' && stem.endsWith('.json')) return doclingCase(path);
    return [];
  });
}

function icdarCase(path: string): TableCase[] {
  const pdf = `${path.slice(0, -STRUCTURE.length)}.pdf`;
  if (!existsSync(pdf)) return [];
  const regions = readFileSync(path, 'utf8').matchAll(/<region([^>]*)>(.*?)<\/region>/gsu);
  const tables = [...regions].map(([, attributes = '', content = '']) => ({
    page: Number(attributeOf(attributes, 'page') ?? 1),
    cells: [...content.matchAll(/<cell([^>]*)>(.*?)<\/cell>/gsu)].map(([, own = '', inner = '']) =>
      icdarCell(own, inner),
    ),
  }));
  return [{ path: pdf, set: `ICDAR 2013, ${basename(dirname(path)).replace('competition-dataset-', '')}`, tables }];
}

function icdarCell(attributes: string, content: string): TruthCell {
  const place = (name: string) => attributeOf(attributes, name);
  const row = Number(place('start-row') ?? 0);
  const column = Number(place('start-col') ?? 0);
  const text = /<content>(.*?)<\/content>/su.exec(content)?.[1] ?? '';
  return {
    row,
    endRow: Number(place('end-row') ?? row),
    column,
    endColumn: Number(place('end-col') ?? column),
    text: text.replace(/&(#x?)?(\w+);/gu, (whole, code: string | undefined, name: string) => {
      if (code === undefined) return ENTITIES[name] ?? whole;
      return String.fromCodePoint(Number.parseInt(name, code === '#x' ? 16 : 10));
    }),
  };
}

function attributeOf(attributes: string, name: string): string | null {
  return new RegExp(`\\b${name}=["']([^"']*)["']`, 'u').exec(attributes)?.[1] ?? null;
}

/** What camelot's tests expect of which page: the names of its data frames. */
const CAMELOT: readonly (readonly [file: string, frame: string, page?: number])[] = [
  ['health.pdf', 'data_stream'],
  ['clockwise_table_2.pdf', 'data_stream_table_rotated'],
  ['anticlockwise_table_2.pdf', 'data_stream_table_rotated'],
  ['tabula/12s0324.pdf', 'data_stream_two_tables_1'],
  ['tabula/12s0324.pdf', 'data_stream_two_tables_2'],
  ['tabula/us-007.pdf', 'data_stream_table_areas'],
  ['mexican_towns.pdf', 'data_stream_columns'],
  ['tabula/m27.pdf', 'data_stream_split_text'],
  ['superscript.pdf', 'data_stream_flag_size'],
  ['detect_vertical_false.pdf', 'data_stream_strip_text'],
  ['edge_tol.pdf', 'data_stream_edge_tol'],
  ['stream_inner_outer_columns.pdf', 'data_stream_inner_outer_columns'],
  ['tabula/S2MNCEbirdisland.pdf', 'data_stream_duplicated_text'],
  ['column_span_1.pdf', 'data_lattice', 2],
  ['clockwise_table_1.pdf', 'data_lattice_table_rotated'],
  ['anticlockwise_table_1.pdf', 'data_lattice_table_rotated'],
  ['twotables_2.pdf', 'data_lattice_two_tables_1'],
  ['twotables_2.pdf', 'data_lattice_two_tables_2'],
  ['table_region.pdf', 'data_lattice_table_regions'],
  ['background_lines_1.pdf', 'data_lattice_process_background'],
  ['row_span_1.pdf', 'data_lattice_copy_text'],
  ['column_span_2.pdf', 'data_lattice_shift_text_left_top'],
  ['tabula/arabic.pdf', 'data_arabic'],
  ['split_text_lattice.pdf', 'data_lattice_split_text'],
  ['vertical_header.pdf', 'data_hybrid_vertical_headers'],
];

function camelotCases(folder: string): TableCase[] {
  const print =
    'import json,runpy,sys\nprint(json.dumps({k:v for k,v in runpy.run_path(sys.argv[1]).items() if k[:4]=="data"}))';
  const json = execFileSync('python3', ['-c', print, join(folder, 'data.py')], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  const frames = JSON.parse(json) as Record<string, string[][]>;
  return CAMELOT.map(([file, name, page]) => ({
    path: join(folder, 'files', file),
    set: "camelot's frames",
    name: `${file} ${name}`,
    // Camelot marks small letters with a tag.
    rows: (frames[name] ?? []).map((row) => row.map((cell) => cell.replace(/<\/?s>/gu, ''))),
    pages: page === undefined ? null : [page],
    // This frame repeats a cell over several rows in each of them.
    isSpanRepeated: name === 'data_lattice_copy_text',
  }));
}

function markdownCase(path: string): TableCase[] {
  const pdf = join(dirname(dirname(path)), `${basename(path, '.md')}.pdf`);
  const rows = markdownRows(readFileSync(path, 'utf8'));
  return existsSync(pdf) && rows.length > 0
    ? [{ path: pdf, set: "MarkItDown's rows", name: basename(pdf), rows, pages: null, isSpanRepeated: false }]
    : [];
}

/** The rows of all tables in a Markdown text. */
export function markdownRows(text: string): string[][] {
  return markdownTables(text).flat();
}

export function markdownTables(text: string): string[][][] {
  const tables: string[][][] = [];
  let open: string[][] | null = null;
  for (const line of text.split('\n').map((one) => one.trim())) {
    if (!line.startsWith('|') || !line.endsWith('|')) {
      open = null;
      continue;
    }
    if (/^\|[\s|:-]+\|$/u.test(line) && line.includes('-')) continue;
    if (open === null) {
      open = [];
      tables.push(open);
    }
    const cells = line.slice(1, -1).split(/(?<!\\)\|/u);
    open.push(
      cells.map((cell) =>
        cell
          .replace(/<br\s*\/?>/gu, ' ')
          .replaceAll('\\', '')
          .trim(),
      ),
    );
  }
  return tables;
}

interface DoclingTable {
  prov: { page_no: number }[];
  data: {
    table_cells: {
      text: string;
      start_row_offset_idx: number;
      end_row_offset_idx: number;
      start_col_offset_idx: number;
      end_col_offset_idx: number;
    }[];
  };
}

function doclingCase(path: string): TableCase[] {
  const pdf = join(dirname(dirname(path)), 'sources', `${basename(path, '.json')}.pdf`);
  const document = JSON.parse(readFileSync(path, 'utf8')) as { tables?: DoclingTable[] };
  const tables = (document.tables ?? []).map(({ prov, data }) => ({
    page: prov[0]?.page_no ?? 1,
    cells: data.table_cells.map((cell) => ({
      row: cell.start_row_offset_idx,
      endRow: cell.end_row_offset_idx - 1,
      column: cell.start_col_offset_idx,
      endColumn: cell.end_col_offset_idx - 1,
      text: cell.text,
    })),
  }));
  return existsSync(pdf) && tables.length > 0 ? [{ path: pdf, set: "docling's tables", tables }] : [];
}
