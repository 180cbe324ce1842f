import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { expect, test } from 'vitest';
import { committedPaths, isWithin, ROOT } from './source-files.ts';

/** What knip does not see: styles and data of the window that nothing names. */
const window = new Map(
  committedPaths()
    .filter((path) => isWithin(path, 'src-renderer'))
    .map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]),
);

/** Read by tools by their names, and the two pages. */
const ENTRIES = /^src-renderer\/(?:package\.json|tsconfig\.json|index\.html|reference\.html)$/;

/** Classes of libraries. */
const FOREIGN = /^(?:mantine|recharts)-/;

function unusedClasses(styles: ReadonlyMap<string, string>, sources: string): string[] {
  const started = new Set(Array.from(sources.matchAll(/([\w-]+)\$\{/g), ([, start]) => start ?? ''));
  const words = new Set(sources.match(/[\w-]+/g));
  const isUsed = (name: string) =>
    words.has(name) || Array.from(name, (_, at) => name.slice(0, at)).some((start) => started.has(start));
  return Array.from(styles).flatMap(([path, css]) => {
    const classes = css.replaceAll(/\/\*.*?\*\//gs, '').match(/(?<=\.)[a-zA-Z][\w-]*(?=[^;{}]*\{)/g) ?? [];
    const unused = [...new Set(classes)].filter((name) => !FOREIGN.test(name) && !isUsed(name));
    return unused.map((name) => `${path}: .${name}`);
  });
}

function unnamedFiles(files: ReadonlyMap<string, string>): string[] {
  const named = new Set<string>();
  for (const [path, text] of files) {
    for (const [, address = ''] of text.matchAll(/['"](\.{0,2}\/[^'"\n?]+)/g))
      named.add(address.startsWith('/') ? join('src-renderer', address) : join(dirname(path), address));
  }
  return Array.from(files.keys()).filter((path) => !/\.tsx?$/.test(path) && !ENTRIES.test(path) && !named.has(path));
}

const isStyle = (path: string) => path.endsWith('.css');
const isSource = (path: string) => /\.(?:tsx?|html)$/.test(path);

test('each class of the styles is one that an element may have', () => {
  const styles = new Map(Array.from(window).filter(([path]) => isStyle(path)));
  const sources = Array.from(window).filter(([path]) => isSource(path));
  expect(unusedClasses(styles, sources.map(([, text]) => text).join('\n'))).toEqual([]);
});

test('each file of the window is named by another', () => {
  expect(unnamedFiles(window)).toEqual([]);
});

test('an unused class and an unnamed file are found', () => {
  const styles = new Map([['a.css', '.used .state-bad, .lost { width: 0.5em; }']]);
  expect(unusedClasses(styles, `class="used" \`state-\${kind}\``)).toEqual(['a.css: .lost']);
  const files = new Map([
    ['src-renderer/a.ts', "import './b.css';"],
    ['src-renderer/b.css', ''],
    ['src-renderer/language/en.json', ''],
  ]);
  expect(unnamedFiles(files)).toEqual(['src-renderer/language/en.json']);
});
