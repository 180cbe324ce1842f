import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { type ESTree, parseSync } from 'vite';

export const ROOT = dirname(dirname(import.meta.dirname));

export interface SourceFile {
  /** From the project's root, with forward slashes. */
  path: string;
  text: string;
  lines: readonly string[];
  program: ESTree.Program;
}

/** Everything that is or would be committed, from the project's root. */
export function committedPaths(): string[] {
  const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  // A file deleted but not yet staged is still listed.
  return list.split('\0').filter((path) => path !== '' && existsSync(join(ROOT, path)));
}

/** The code of the given top-level places, parsed as the runtime parses it. */
export function sourceFiles(places: readonly string[]): SourceFile[] {
  return committedPaths()
    .filter((path) => /\.(ts|tsx|mjs)$/.test(path) && places.some((place) => isWithin(path, place)))
    .map((path) => parseSource(path, readFileSync(join(ROOT, path), 'utf8')));
}

export function isWithin(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`);
}

export function parseSource(path: string, text: string): SourceFile {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} does not parse: ${errors[0]?.message}`);
  return { path, text, lines: text.split('\n'), program };
}

export interface Import {
  from: string;
  line: number;
  /** A path of the project (`src-server/platform/ids.ts`), or a package's name; Node's own modules keep `node:`. */
  target: string;
  isPackage: boolean;
  /** Erased before it runs. */
  isType: boolean;
  /** What it takes, by the names of the exporting file; `*` for all of it. */
  names: readonly string[];
}

/** Every import of a file: static, re-exported, dynamic and `import('…')` types. Computed addresses are not seen. */
export function importsOf(file: SourceFile): Import[] {
  const found: Import[] = [];
  const add = (node: ESTree.Node, specifier: unknown, isType: boolean, names = ['*']) => {
    if (typeof specifier !== 'string') return;
    const isPackage = !specifier.startsWith('.');
    const target = isPackage
      ? packageName(specifier)
      : posix.normalize(posix.join(posix.dirname(file.path), specifier.split('?')[0] ?? ''));
    found.push({ from: file.path, line: lineOf(file, node.start), target, isPackage, isType, names });
  };
  visit(file.program, (node) => {
    // `import { type A }` still loads the module: verbatimModuleSyntax keeps it for its side effects.
    if (node.type === 'ImportDeclaration') {
      const names = node.specifiers.map((one) => (one.type === 'ImportSpecifier' ? nameOf(one.imported) : '*'));
      add(node, node.source.value, node.importKind === 'type', names);
    } else if (node.type === 'ExportNamedDeclaration') {
      const names = node.specifiers.map(({ local }) => nameOf(local));
      add(node, node.source?.value, node.exportKind === 'type', names);
    }
    if (node.type === 'ExportAllDeclaration') add(node, node.source.value, node.exportKind === 'type');
    else if (node.type === 'ImportExpression') add(node, 'value' in node.source ? node.source.value : null, false);
    else if (node.type === 'TSImportType') add(node, node.source.value, true);
  });
  return found;
}

function nameOf(name: ESTree.ModuleExportName): string {
  return name.type === 'Literal' ? String(name.value) : name.name;
}

function packageName(specifier: string): string {
  if (specifier.startsWith('node:')) return specifier;
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

export function lineOf(file: SourceFile, offset: number): number {
  return file.text.slice(0, offset).split('\n').length;
}

/** Calls back for every node, parents first. */
export function visit(node: ESTree.Node, enter: (node: ESTree.Node) => void): void {
  enter(node);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (isNode(child)) visit(child, enter);
    }
  }
}

function isNode(value: unknown): value is ESTree.Node {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
}
