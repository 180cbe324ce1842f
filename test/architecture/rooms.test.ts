import { describe, expect, test } from 'vitest';
import { circlesOf, graphOf } from './circles.ts';
import { writesJobs, writesStatus } from './job-rows.ts';
import { objection } from './objections.ts';
import { isWithinAny, PACKAGES, PURE_FILES, roomOf } from './rooms.ts';
import { type Import, importsOf, parseSource, sourceFiles } from './source-files.ts';

const PLACES = ['src-main', 'src-renderer', 'src-server', 'workers'];

const files = sourceFiles(PLACES);
const imports = files.flatMap(importsOf);
const paths = new Set(files.map(({ path }) => path));
const inside = imports.filter(({ target }) => paths.has(target));

/** Names of the features on both sides of each import, in the server or in the window. */
function featureEdges(kind: 'feature' | 'window', among: readonly Import[]): [string, string][] {
  return among.flatMap(({ from, target }) => {
    const [one, other] = [roomOf(from), roomOf(target)];
    if (one?.kind !== kind || other?.kind !== kind || one.name === '' || other.name === '') return [];
    return [[one.name, other.name]];
  });
}

function fileCircles(among: readonly Import[]): string[][] {
  return circlesOf(graphOf(among.map(({ from, target }) => [from, target] as const)));
}

describe('the rooms of the house', () => {
  test('every file lies in a room', () => {
    expect(files.length).toBeGreaterThan(0);
    expect([...paths].filter((path) => roomOf(path) === null)).toEqual([]);
  });

  test('every import is one that its room may make', () => {
    expect(imports.length).toBeGreaterThan(0);
    expect(imports.map(objection).filter((one) => one !== null)).toEqual([]);
  });

  test('no import circle, type-only imports included', () => {
    expect(fileCircles(inside)).toEqual([]);
  });

  test('features form no circle', () => {
    expect(circlesOf(graphOf(featureEdges('feature', inside)))).toEqual([]);
    expect(circlesOf(graphOf(featureEdges('window', inside)))).toEqual([]);
  });

  test('what a worker may load of the platform loads nothing else', () => {
    const pure = inside.filter(({ from, isType }) => !isType && isWithinAny(from, PURE_FILES));
    expect(pure.filter(({ target }) => !isWithinAny(target, PURE_FILES))).toEqual([]);
  });

  test('every entry of the table of packages is in use', () => {
    const unused = Object.entries(PACKAGES).flatMap(([name, places]) =>
      places.filter((place) => !imports.some(({ from, target }) => target === name && isWithinAny(from, [place]))),
    );
    expect(unused).toEqual([]);
  });
});

describe('only features/jobs changes a job', () => {
  test('transition.ts alone sets a status', () => {
    expect(files.filter(writesStatus).map(({ path }) => path)).toEqual(['src-server/features/jobs/transition.ts']);
  });

  test('no other feature writes the table of jobs', () => {
    const writers = files.filter(writesJobs).map(({ path }) => path);
    expect(writers).toContain('src-server/features/jobs/store.ts');
    expect(writers.filter((path) => !path.startsWith('src-server/features/jobs/'))).toEqual([]);
  });
});

describe('the rules are read from the code, so that they can be broken', () => {
  const planted = (from: string, target: string, isType = false, names: string[] = []): Import => ({
    from,
    target,
    isType,
    names,
    isPackage: !target.includes('/') || target.startsWith('node:') || target.startsWith('@'),
    line: 1,
  });
  const feature = (path: string) => `src-server/features/${path}`;

  test.for([
    ['a platform that knows a feature', planted('src-server/platform/a.ts', feature('jobs/schema.ts'), true)],
    ['a platform that knows the context', planted('src-server/platform/a.ts', 'src-server/context.ts', true)],
    ['an operation that names a feature', planted('src-server/operation.ts', feature('crawl/schema.ts'), true)],
    ['a context that names a feature', planted('src-server/context.ts', feature('media/service.ts'), true)],
    ['a config that runs a feature', planted('src-server/config.ts', feature('jobs/service.ts'))],
    ['an app that knows a feature', planted('src-server/app.ts', feature('jobs/feature.ts'))],
    ['a list of features that looks inside', planted('src-server/features.ts', feature('jobs/service.ts'))],
    ['a feature that reads a foreign store', planted(feature('search/a.ts'), feature('jobs/store.ts'))],
    ['a feature that names a row', planted(feature('search/a.ts'), feature('jobs/store.ts'), true)],
    ['a feature inside another', planted(feature('search/a.ts'), feature('jobs/runner.ts'))],
    ['a feature that knows the app', planted(feature('search/a.ts'), 'src-server/app.ts', true)],
    ['a feature that runs its worker', planted(feature('audio/a.ts'), 'workers/audio/tasks.ts')],
    ['a feature inside its worker', planted(feature('audio/a.ts'), 'workers/audio/sound.ts', true)],
    ['a feature that names foreign tasks', planted(feature('audio/a.ts'), 'workers/media/tasks.ts', true)],
    ['a worker that opens the database', planted('workers/text/a.ts', 'src-server/platform/db/database.ts')],
    ['a worker that runs a feature', planted('workers/text/a.ts', feature('text/schema.ts'))],
    ['a worker that names a service', planted('workers/text/a.ts', feature('text/service.ts'), true)],
    ['a worker that runs operations', planted('workers/a.ts', 'src-server/operation.ts', false, ['Chunk', 'httpUrl'])],
    ['a worker inside another', planted('workers/audio/a.ts', 'workers/pages/tasks.ts')],
    ['a window that runs a schema', planted('src-renderer/a.tsx', feature('jobs/schema.ts'))],
    ['a window that names a service', planted('src-renderer/a.tsx', feature('jobs/service.ts'), true)],
    ['a window that names a schema', planted('src-renderer/a.tsx', feature('jobs/schema.ts'), true)],
    ['a window that uses Node', planted('src-renderer/a.tsx', 'node:fs')],
    ['a component that knows a page', planted('src-renderer/components/a.tsx', 'src-renderer/features/run/a.tsx')],
    ['a shell that runs a page', planted('src-main/a.ts', 'src-renderer/features/run/a.tsx')],
    ['a shell that runs a feature', planted('src-main/a.ts', feature('jobs/schema.ts'))],
    ['a server that imports electron', planted('src-server/platform/a.ts', 'electron')],
    ['a package outside its place', planted(feature('jobs/a.ts'), 'better-sqlite3')],
    ['a package without a place', planted(feature('jobs/a.ts'), 'left-pad')],
    ['a folder without a room', planted('src-server/lib/a.ts', 'src-server/platform/ids.ts')],
    ['a loose file in the root', planted('src-server/helpers.ts', 'src-server/platform/ids.ts')],
  ] as const)('%s', ([, one]) => {
    expect(objection(one)).not.toBeNull();
  });

  test.for([
    planted(feature('search/a.ts'), feature('jobs/service.ts')),
    planted(feature('search/a.ts'), feature('jobs/schema.ts')),
    planted(feature('audio/a.ts'), 'workers/audio/tasks.ts', true),
    planted('workers/audio/a.ts', feature('media/schema.ts'), true),
    planted('workers/documents/a.ts', 'src-server/operation.ts', false, ['Chunk']),
    planted('workers/pages/a.ts', 'workers/documents/blocks.ts'),
    planted('src-renderer/a.tsx', 'src-server/platform/rpc/shell.ts', true),
    planted('src-renderer/a.tsx', 'src-server/platform/text/whole-words.ts'),
    planted('src-main/a.ts', 'src-renderer/api/generated/tables.ts'),
    planted('src-server/features.ts', feature('jobs/feature.ts')),
    planted(feature('search/a.ts'), feature('jobs/feature.ts')),
    planted('src-server/platform/db/a.ts', 'better-sqlite3'),
  ])('$from may import $target', (one) => {
    expect(objection(one)).toBeNull();
  });

  test('a circle of types, and one of features, is found', () => {
    const circle = [planted('workers/a.ts', 'workers/b.ts', true), planted('workers/b.ts', 'workers/a.ts', true)];
    expect(fileCircles(circle)).toEqual([['workers/a.ts', 'workers/b.ts']]);
    expect(fileCircles(circle.slice(1))).toEqual([]);
    const throughOthers = [
      planted(feature('a/service.ts'), feature('b/service.ts')),
      planted(feature('b/schema.ts'), feature('c/schema.ts')),
      planted(feature('c/service.ts'), feature('a/schema.ts')),
    ];
    expect(fileCircles(throughOthers)).toEqual([]);
    expect(circlesOf(graphOf(featureEdges('feature', throughOthers)))).toEqual([['a', 'b', 'c']]);
  });

  test('a change of a status is found', () => {
    const file = (text: string) => parseSource(feature('search/a.ts'), text);
    expect(writesStatus(file("await changeJob(tx, 1, { status: 'failed' }, now)"))).toBe(true);
    expect(writesStatus(file('await changeJob(tx, 1, { stage }, now)'))).toBe(false);
    expect(writesJobs(file("db.updateTable('jobs').set(change)"))).toBe(true);
    expect(writesJobs(file('sql`update jobs set status = 1`'))).toBe(true);
    expect(writesJobs(file("db.selectFrom('jobs')"))).toBe(false);
  });

  test('every way to import is seen', () => {
    const seen = (text: string) => importsOf(parseSource('workers/a.ts', text))[0];
    expect(seen("import { a } from './b.ts'")).toMatchObject({ target: 'workers/b.ts', isType: false, names: ['a'] });
    expect(seen("import * as all from './b.ts'")).toMatchObject({ target: 'workers/b.ts', names: ['*'] });
    expect(seen("import type { a } from './b.ts'")).toMatchObject({ target: 'workers/b.ts', isType: true });
    expect(seen("export { a } from '../b.ts'")).toMatchObject({ target: 'b.ts', isType: false, names: ['a'] });
    expect(seen("export * from './b.ts'")).toMatchObject({ target: 'workers/b.ts', names: ['*'] });
    expect(seen("await import('@scope/name/file')")).toMatchObject({ target: '@scope/name', isPackage: true });
    expect(seen("let a: import('./b.ts').B")).toMatchObject({ target: 'workers/b.ts', isType: true });
  });
});
