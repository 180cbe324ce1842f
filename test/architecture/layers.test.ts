import { describe, expect, test } from 'vitest';
import { LAYERS, layerOf } from './layers.ts';
import { type Import, importsOf, parseSource, type SourceFile, sourceFiles, visit } from './source-files.ts';

const PLACES = ['src-main', 'src-renderer', 'src-server', 'workers'];

/** The functions of storage/jobs-writer.ts that can change a row's status. */
const JOB_WRITERS = new Set(['insertJob', 'changeJob']);

const files = sourceFiles(PLACES);

/** What is wrong with an import, as a sentence; null when nothing is. */
function objection(one: Import): string | null {
  const from = layerOf(one.from);
  const rule = from === null ? undefined : LAYERS[from];
  if (rule === undefined) return `${one.from} lies in no layer: name its folder in test/architecture/layers.ts.`;
  const where = `${one.from}:${one.line}`;
  if (one.isPackage) {
    if (one.target.startsWith('node:') && from !== 'src-renderer') return null;
    return rule.packages.includes(one.target)
      ? null
      : `${where}: the package ${one.target} does not belong to ${from}.`;
  }
  if (one.target === 'package.json' && from === 'composition') return null;
  const to = layerOf(one.target) ?? one.target.split('/')[0] ?? '';
  if (to === from || rule.runs.includes(to) || (one.isType && rule.names.includes(to))) return null;
  return `${where}: ${from} may not ${one.isType ? 'name' : 'run'} ${to} (${one.target}).`;
}

function operationFolder(path: string): string | null {
  return /^src-server\/operations\/([^/]+)\/./.exec(path)?.[1] ?? null;
}

/** Whether the file hands a status to one of the writers of job rows. */
function writesStatus(file: SourceFile): boolean {
  let found = false;
  visit(file.program, (node) => {
    if (node.type !== 'CallExpression' || node.callee.type !== 'Identifier') return;
    if (!JOB_WRITERS.has(node.callee.name)) return;
    for (const argument of node.arguments) {
      visit(argument, (inner) => {
        found ||= inner.type === 'Property' && inner.key.type === 'Identifier' && inner.key.name === 'status';
      });
    }
  });
  return found;
}

const imports = files.flatMap(importsOf);

describe('the import rules of the house', () => {
  test('every import stays within what its layer may run or name', () => {
    expect(imports.length).toBeGreaterThan(0);
    expect(imports.map(objection).filter((one) => one !== null)).toEqual([]);
  });

  test('no operation folder imports another', () => {
    const crossing = imports.filter(({ from, target }) => {
      const own = operationFolder(from);
      const other = operationFolder(target);
      return own !== null && other !== null && own !== other;
    });
    expect(crossing).toEqual([]);
  });

  test('only jobs/transition.ts writes a status', () => {
    const writers = files.filter(writesStatus).map(({ path }) => path);
    expect(writers).toEqual(['src-server/jobs/transition.ts']);
  });

  test('the server never imports electron', () => {
    const outside = imports.filter(({ target, from }) => target === 'electron' && !from.startsWith('src-main/'));
    expect(outside).toEqual([]);
  });
});

describe('the rules are read from the code, so that they can be broken', () => {
  const planted = (from: string, target: string, isType = false): Import => ({
    from,
    target,
    isType,
    isPackage: !target.includes('/'),
    line: 1,
  });

  test.for([
    ['a feature that runs another', planted('src-server/jobs/a.ts', 'src-server/payments/b.ts')],
    ['an edge that runs an engine', planted('src-server/http/a.ts', 'src-server/engines/b.ts')],
    ['a worker that opens the database', planted('workers/a.ts', 'src-server/storage/b.ts')],
    ['a dashboard that runs the contract', planted('src-renderer/a.tsx', 'src-server/contract/b.ts')],
    ['a dashboard that uses Node', planted('src-renderer/a.tsx', 'node:fs')],
    ['a package in a layer that does not own it', planted('src-server/lib/a.ts', 'zod')],
    ['a folder without a rule', planted('src-server/helpers/a.ts', 'zod')],
  ] as const)('%s', ([, one]) => {
    expect(objection(one)).not.toBeNull();
  });

  test('a type may be named where the code may not be run', () => {
    expect(objection(planted('src-server/engines/a.ts', 'workers/tasks.ts', true))).toBeNull();
    expect(objection(planted('src-server/engines/a.ts', 'workers/tasks.ts'))).not.toBeNull();
  });

  test('every way to import is seen', () => {
    const seen = (text: string) => importsOf(parseSource('workers/a.ts', text));
    expect(seen("import { a } from './b.ts'")[0]).toMatchObject({ target: 'workers/b.ts', isType: false });
    expect(seen("import type { a } from './b.ts'")[0]).toMatchObject({ target: 'workers/b.ts', isType: true });
    expect(seen("export { a } from '../b.ts'")[0]).toMatchObject({ target: 'b.ts', isType: false });
    expect(seen("export * from './b.ts'")[0]).toMatchObject({ target: 'workers/b.ts' });
    expect(seen("await import('@scope/name/file')")[0]).toMatchObject({ target: '@scope/name', isPackage: true });
    expect(seen("let a: import('./b.ts').B")[0]).toMatchObject({ target: 'workers/b.ts', isType: true });
  });
});
