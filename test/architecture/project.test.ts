import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { committedPaths, ROOT } from './source-files.ts';

const paths = committedPaths();

type Overrides = { readonly [name: string]: string | Overrides };

/** Every override with its path, such as `node-av > werift`. */
function namesOf(overrides: Overrides, above: readonly string[] = []): string[] {
  return Object.entries(overrides).flatMap(([name, value]) =>
    typeof value === 'string' ? [[...above, name].join(' > ')] : namesOf(value, [...above, name]),
  );
}

function sharedNumbers(names: readonly string[]): string[] {
  const numbers = names.map((name) => /^\d{3}/.exec(name)?.[0] ?? name);
  return numbers.filter((number, index) => numbers.indexOf(number) !== index);
}

/** Compiled by the checks, so an editor must find the same options. */
function editorConfigOf(path: string): string | null {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const file = join(folder, 'tsconfig.json');
    if (paths.includes(file)) return file;
    if (folder === '.') return null;
  }
}

function includedBy(config: string, path: string): boolean {
  const { include } = JSON.parse(readFileSync(join(ROOT, config), 'utf8'));
  const folder = dirname(config);
  return include.some((place: string) => `${path}/`.startsWith(place === '.' ? `${folder}/` : `${place}/`));
}

describe('a new contributor finds', () => {
  test('a reason for each override of a package', () => {
    const reasons = namesOf(manifest['//overrides']);
    expect(reasons).toEqual(namesOf(manifest.overrides));
    expect(namesOf({ a: 'b', c: { d: 'e' } })).toEqual(['a', 'c > d']);
  });

  test('one decision for each number', () => {
    const decisions = paths.filter((path) => path.startsWith('src-server/decisions/')).map((path) => basename(path));
    expect(decisions.length).toBeGreaterThan(0);
    expect(sharedNumbers(decisions)).toEqual([]);
    expect(sharedNumbers(['001-a.md', '002-b.md', '001-c.md'])).toEqual(['001']);
  });

  test('the decisions that comments name', () => {
    const known = new Set(paths.flatMap((path) => /^src-server\/decisions\/(\d{3})-/.exec(path)?.[1] ?? []));
    const named = paths
      .filter((path) => /\.(tsx?|md)$/.test(path) && !path.startsWith('test/'))
      .flatMap((path) => [...readFileSync(join(ROOT, path), 'utf8').matchAll(/\bdecisions?[ /](\d{3})\b/g)])
      .map(([, number = '']) => number);
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((number) => !known.has(number))).toEqual([]);
  });

  test('a tsconfig.json above every source file, which includes it', () => {
    const sources = paths.filter(
      (path) => /\.tsx?$/.test(path) && !/^(resources|test\/(openai|payments)\/)/.test(path),
    );
    expect(sources.length).toBeGreaterThan(0);
    const lost = sources.filter((path) => !includedBy(editorConfigOf(path) ?? 'tsconfig.json', path));
    expect(lost).toEqual([]);
  });

  test('the version of Node that the project brings', () => {
    const wanted = readFileSync(join(ROOT, '.nvmrc'), 'utf8').trim();
    expect(manifest.devDependencies.node.split('.')[0]).toBe(wanted);
  });
});
