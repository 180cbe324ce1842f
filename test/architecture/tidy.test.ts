import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ESTree } from 'vite';
import { describe, expect, test } from 'vitest';
import {
  committedPaths,
  isWithin,
  lineOf,
  parseSource,
  ROOT,
  type SourceFile,
  sourceFiles,
  visit,
} from './source-files.ts';

const PRODUCT = ['src-main', 'src-renderer', 'src-server', 'workers'];
const AROUND = ['test', 'bench', 'scripts', 'electron.vite.config.ts', 'electron-builder.config.ts', 'knip.config.ts'];
const CLOCK = 'src-server/platform/clock.ts';
/** The files that start child processes. The first one starts the product itself. */
const STARTERS = [
  'src-main/launch.ts',
  ...['process/bound-process', 'process/run-tool', 'rpc/child-process'].map((name) => `src-server/platform/${name}.ts`),
];

const COLUMNS_MAX = 120;
/** Tests quote documents and messages whole, and a quotation broken over lines cannot be found by searching. */
const TEST_COLUMNS_MAX = 160;
const FUNCTION_LINES_MAX = 70;
/** Those that are shorter than what would replace them. */
const SPREAD_LITERALS_MAX = 20;
const CASTS_PER_1000_LINES = 3;
/** What a small folder may have. */
const CASTS_FEW = 3;
/** A migration is a list of statements that is never changed again, and its tables are best read together. */
const MIGRATIONS = /^src-server\/features\/[^/]+\/migrations\.ts$/;
const BLOB_BYTES_MAX = 10 * 1024 * 1024;
/** Written by `npm run generate`, read by the compiler. */
const GENERATED = 'src-renderer/api/generated';
const product = sourceFiles(PRODUCT).filter(({ path }) => !isWithin(path, GENERATED));
const around = sourceFiles(AROUND);
const all = [...product, ...around];

function wideLines(files: readonly SourceFile[], columnsMax: number): string[] {
  return files.flatMap(({ path, lines }) =>
    lines.flatMap((line, index) => (line.length > columnsMax ? [`${path}:${index + 1}: ${line.length} columns.`] : [])),
  );
}

function longFunctions(file: SourceFile): string[] {
  const found: string[] = [];
  visit(file.program, (node) => {
    if (!['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'].includes(node.type)) return;
    const first = lineOf(file, node.start);
    const count = lineOf(file, node.end) - first + 1;
    if (count > FUNCTION_LINES_MAX) found.push(`${file.path}:${first}: a function of ${count} lines; divide it.`);
  });
  return found;
}

/** Each call that the house bans, with what to write instead. */
const BANS: readonly { instead: string; allowedIn: readonly string[]; pattern: RegExp }[] = [
  {
    instead: 'log through the Logger that is handed in; commands write to process.stdout or stderr',
    allowedIn: [],
    pattern: /\bconsole\.\w+\(/,
  },
  {
    instead: 'take a Clock (src-server/platform/clock.ts), which tests can move; durations use performance.now()',
    allowedIn: [CLOCK, 'src-main/log.ts'],
    pattern: /\bDate\.now\(|\bnew Date\(\)/,
  },
  {
    instead: 'take jsonLines (platform/text/json.ts): readline also splits at U+2028, which JSON keeps in a line',
    allowedIn: ['src-server/features/loaders/tika.ts'],
    pattern: /from 'node:readline'/,
  },
  {
    instead: 'do it, or write the reason why not; open ends live elsewhere',
    allowedIn: [],
    pattern: /\b(?:TO[D]O|FIX[M]E|XX[X]|HAC[K])\b/,
  },
  {
    instead: 'the type checker is right until shown otherwise: fix the type, or use @ts-expect-error with the reason',
    allowedIn: [],
    pattern: /@ts-(?:ignore|nocheck)/,
  },
];

function banned(file: SourceFile): string[] {
  return BANS.flatMap(({ instead, allowedIn, pattern }) => {
    if (allowedIn.includes(file.path)) return [];
    const hits = file.lines.flatMap((line, index) => (pattern.test(line) ? [index + 1] : []));
    return hits.map((line) => `${file.path}:${line}: ${pattern.source} is banned: ${instead}.`);
  });
}

/** What a file tells about the machine it was written on. Written so that this file does not tell on itself. */
const TRACES: readonly [string, RegExp][] = [
  ['a path of a machine', /(?<![\w.:/<>-])\/(?:work|root|home\/[a-z]\w*|Users\/[A-Za-z]\w*)\/[\w.]/],
  ['a path of a machine', /\b[A-Z]:\\\\?Users\\/],
  ['a package registry', /\bregistry\.(?:npmjs|yarnpkg|npmmirror)\.\w+|"resolved":\s*"http/],
];

function traces(path: string, text: string): string[] {
  return text
    .split('\n')
    .flatMap((line, index) =>
      TRACES.filter(([, pattern]) => pattern.test(line)).map(([what]) => `${path}:${index + 1}: ${what}.`),
    );
}

/** Every `any`, written as a cast or as a type. */
function anyTypes(file: SourceFile): string[] {
  const found: string[] = [];
  visit(file.program, (node) => {
    if (node.type !== 'TSAnyKeyword') return;
    found.push(`${file.path}:${lineOf(file, node.start)}: any; parse the value with its schema, or name its type.`);
  });
  return found;
}

/** Doc comments that a blank line parts from the code below: editors show them nowhere. The head of a file has one. */
function detachedComments({ path, text }: SourceFile): string[] {
  return [...text.matchAll(/\*\/\n\n/g)].flatMap(({ index }) => {
    const start = text.lastIndexOf('/**', index);
    if (start <= 0) return [];
    const line = text.slice(0, start).split('\n').length;
    return [`${path}:${line}: a doc comment attached to nothing; join it to its code, or write a section's with //.`];
  });
}

/** Tables that find `constructor` and `toString`, which every object has, when a file or a request names them. */
function inheritingTables({ path, text }: SourceFile): string[] {
  const table = /^(?:export )?const \w+:\s(?:Readonly<)?Record<string,[^;]*?>\s=\s(?:\{|Object\.fromEntries)/gm;
  return [...text.matchAll(table)].map(({ index }) => {
    const line = text.slice(0, index).split('\n').length;
    return `${path}:${line}: a table by words; make it with byName.`;
  });
}

/** `...{ a }` and `...(x ? { a } : {})`: write the properties, or `omitUndefined` where undefined is not absent. */
function spreadLiterals(file: SourceFile): string[] {
  const found: string[] = [];
  visit(file.program, (node) => {
    if (node.type !== 'SpreadElement') return;
    const spread = withoutParentheses(node.argument);
    const places = spread.type === 'ConditionalExpression' ? [spread.consequent, spread.alternate] : [spread];
    if (!places.some((place) => withoutParentheses(place).type === 'ObjectExpression')) return;
    found.push(`${file.path}:${lineOf(file, node.start)}: a spread literal; write its properties.`);
  });
  return found;
}

function withoutParentheses(node: ESTree.Expression): ESTree.Expression {
  return node.type === 'ParenthesizedExpression' ? withoutParentheses(node.expression) : node;
}

/** The files that give parsed JSON a type: what Quarry wrote itself, and JSON of any shape. */
const BELIEVERS = ['src-server/platform/own-json.ts', 'workers/documents/parse-json.ts'];
/** Functions that take a value of any shape and find out. */
const CHECKS = /(?:^|\.)(?:parse|safeParse|recordOf|isRecord|String|\w+Of|\w+Fields|\w+Json|\w+Arguments)$/;

/** JSON that becomes a typed value without a check: `JSON.parse` returns `any`. */
function believedJson(file: SourceFile): string[] {
  const found: string[] = [];
  const isParsed = (node: ESTree.Node | null): boolean => {
    if (node === null) return false;
    if (node.type === 'ConditionalExpression') return isParsed(node.consequent) || isParsed(node.alternate);
    if (node.type === 'LogicalExpression') return isParsed(node.left) || isParsed(node.right);
    return node.type === 'CallExpression' && textOf(file, node.callee) === 'JSON.parse';
  };
  visit(file.program, (node) => {
    const isBelieved =
      (node.type === 'TSAsExpression' &&
        isParsed(node.expression) &&
        textOf(file, node.typeAnnotation) !== 'unknown') ||
      (node.type === 'Property' && isParsed(node.value)) ||
      (node.type === 'VariableDeclarator' && isParsed(node.init) && !textOf(file, node.id).endsWith(': unknown')) ||
      (node.type === 'CallExpression' && !CHECKS.test(textOf(file, node.callee)) && node.arguments.some(isParsed));
    if (isBelieved) found.push(`${file.path}:${lineOf(file, node.start)}: parse it with its schema, or parseOwnJson.`);
  });
  return found;
}

function textOf({ text }: SourceFile, { start, end }: ESTree.Node): string {
  return text.slice(start, end);
}

function countCasts({ program, text }: SourceFile): number {
  let count = 0;
  visit(program, (node) => {
    if (node.type !== 'TSAsExpression') return;
    if (text.slice(node.typeAnnotation.start, node.typeAnnotation.end) !== 'const') count += 1;
  });
  return count;
}

/** The folder that a bound holds for: a feature, a folder of the platform, the workers or the window. */
function folderOf(path: string): string {
  const [top = '', second = '', third = ''] = path.split('/');
  if (top === 'src-main' || third === '') return top;
  return top === 'src-server' && ['features', 'platform'].includes(second)
    ? `${top}/${second}/${third}`
    : `${top}/${second}`;
}

function isText(bytes: Buffer): boolean {
  return !bytes.includes(0);
}

describe('the code is tidy', () => {
  test('lines of the product have at most 120 columns, others at most 160', () => {
    expect([...wideLines(product, COLUMNS_MAX), ...wideLines(around, TEST_COLUMNS_MAX)]).toEqual([]);
  });

  test('functions of the product have at most 70 lines', () => {
    const bounded = product.filter(({ path }) => !MIGRATIONS.test(path));
    expect(bounded.flatMap(longFunctions)).toEqual([]);
  });

  test('nothing that is banned is used', () => {
    expect([...product.flatMap(banned), ...all.flatMap(anyTypes)]).toEqual([]);
  });

  test('doc comments are attached to code', () => {
    expect(product.flatMap(detachedComments)).toEqual([]);
  });

  test('objects are written without spread literals', () => {
    const found = product.flatMap(spreadLiterals);
    expect(found.length, found.join('\n')).toBeLessThanOrEqual(SPREAD_LITERALS_MAX);
  });

  test('tables that are asked by foreign words have no inherited names', () => {
    const files = product.filter(({ path }) => isWithin(path, 'src-server') || isWithin(path, 'workers'));
    expect(files.flatMap(inheritingTables)).toEqual([]);
  });

  test('no folder has more casts than its bound', () => {
    const folders = Map.groupBy(product, ({ path }) => folderOf(path));
    const over = [...folders].flatMap(([folder, files]) => {
      const casts = files.reduce((sum, file) => sum + countCasts(file), 0);
      const lines = files.reduce((sum, file) => sum + file.lines.length, 0);
      const most = Math.max(CASTS_FEW, Math.ceil((lines / 1000) * CASTS_PER_1000_LINES));
      return casts > most ? [`${folder}: ${casts} casts, at most ${most}; parse the value, or check it.`] : [];
    });
    expect(over).toEqual([]);
  });

  test('JSON gets a type where it is checked, or where Quarry wrote it', () => {
    const others = product.filter(({ path }) => !BELIEVERS.includes(path));
    expect(others.flatMap(believedJson)).toEqual([]);
  });

  test('only one place starts child processes, with the environment that they may have', () => {
    const pattern = /from 'node:child_process'|require\('node:child_process'\)/;
    const starters = product.filter(({ lines }) => lines.some((line) => pattern.test(line)));
    expect(starters.map(({ path }) => path).sort()).toEqual(STARTERS);
  });

  test('only one place decodes UTF-16 with the decoder of Buffer, which needs an even number of bytes', () => {
    const decoders = product.filter(({ lines }) =>
      lines.some((line) => /\.toString\('(?:utf-?16le|ucs-?2)'/.test(line)),
    );
    expect(decoders.map(({ path }) => path)).toEqual(['src-server/platform/text/encoding.ts']);
  });

  test('tests, benchmarks and scripts leave no open ends either', () => {
    expect(around.flatMap(banned).filter((one) => !/platform\/(?:clock|text\/json)\.ts/.test(one))).toEqual([]);
  });
});

describe('the repository holds what belongs in it', () => {
  const paths = committedPaths();

  test('no file over 10 MB', () => {
    expect(paths.filter((path) => statSync(join(ROOT, path)).size > BLOB_BYTES_MAX)).toEqual([]);
  });

  test('no path of a machine and no registry address', () => {
    const found = paths.flatMap((path) => {
      const bytes = readFileSync(join(ROOT, path));
      return isText(bytes) ? traces(path, bytes.toString()) : [];
    });
    expect(found).toEqual([]);
  });
});

describe('the rules are read from the code, so that they can be broken', () => {
  const planted = (text: string) => parseSource('src-server/platform/planted.ts', text);

  test('a long function is found', () => {
    const body = 'call();\n'.repeat(FUNCTION_LINES_MAX);
    expect(longFunctions(planted(`function f() {\n${body}}`))).toHaveLength(1);
    expect(longFunctions(planted(`function f() {\n${'call();\n'.repeat(FUNCTION_LINES_MAX - 2)}}`))).toEqual([]);
  });

  test.for(['a({ ...{ b } });', 'a({ ...(b ? { c } : {}) });', 'a({ ...(b ? c : { d }) });'])('%s is found', (text) => {
    expect(spreadLiterals(planted(text))).toHaveLength(1);
  });

  test.for([
    'const a = { b: JSON.parse(c) };',
    'const a: B = JSON.parse(c);',
    'take(d ? null : JSON.parse(c));',
    'const a = JSON.parse(c) as B;',
  ])('%s is found', (text) => {
    expect(believedJson(planted(text))).toHaveLength(1);
    expect(believedJson(planted('const a: unknown = JSON.parse(c);'))).toEqual([]);
    expect(believedJson(planted('Schema.parse(JSON.parse(c));'))).toEqual([]);
  });

  test.for([
    'const A: Record<string, number> = { b: 1 };',
    'export const A: Readonly<Record<string, () => B>> = {\n  b: c,\n};',
    'const A: Readonly<Record<string, string>> = Object.fromEntries(b);',
  ])('%s is found', (text) => {
    expect(inheritingTables(planted(text))).toHaveLength(1);
    expect(inheritingTables(planted('const A: Record<string, number> = byName({ b: 1 });'))).toEqual([]);
  });

  test('a cast is counted, a constant is not', () => {
    expect(countCasts(planted('const a = b as string;\nconst c = [1] as const;\nd(e as unknown as F);'))).toBe(3);
    expect(spreadLiterals(planted('a({ ...b, ...c({ d }) });'))).toEqual([]);
  });

  test('a detached doc comment is found, unless it is the head of its file', () => {
    expect(detachedComments(planted('const a = 1;\n\n/** Of b. */\n\nconst b = 1;\n'))).toHaveLength(1);
    expect(detachedComments(planted('/** Of the file. */\n\nconst a = 1;\n\n/** Of b. */\nconst b = 1;\n'))).toEqual(
      [],
    );
  });

  test.for(['console.' + 'log(1)', 'Date.' + 'now()', '// TO' + 'DO later', '// @ts-' + 'ignore'])(
    '%s is found',
    (text) => {
      expect(banned(planted(text))).toHaveLength(1);
    },
  );

  test('any is found as a cast and as a type', () => {
    expect(anyTypes(planted('const a = b as any;\nlet c: Array<any>; // as good as any'))).toHaveLength(2);
  });

  test.for(['"/wo' + 'rk/main/a.ts"', '"/ho' + 'me/ann/a.ts"', 'https://registry.npm' + 'js.org/a'])(
    '%s is found',
    (text) => {
      expect(traces('a', text)).toHaveLength(1);
    },
  );

  test.for(['https://host.example/home/ann/page', './work/a', '/workers/a'])('%s is no trace', (text) => {
    expect(traces('a', text)).toEqual([]);
  });
});
