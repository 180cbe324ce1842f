import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { committedPaths, ROOT, sourceFiles } from './source-files.ts';

/** A path of a source file, as documents write it: from the root, or from src-server. */
const PATH = /(?<![\w./*-])(?:[\w-]+\/)+[\w.-]+\.(?:tsx?|mjs)\b/g;

const DOCUMENTS = committedPaths().filter(
  (path) => /^[A-Z]+\.md$/.test(path) || path.startsWith('src-server/decisions/'),
);

function missing(text: string): string[] {
  const named = text.match(PATH) ?? [];
  return named.filter((path) => ![path, `src-server/${path}`].some((place) => existsSync(join(ROOT, place))));
}

describe('documents name files that exist', () => {
  test.for(DOCUMENTS)('%s', (path) => {
    expect(missing(readFileSync(join(ROOT, path), 'utf8'))).toEqual([]);
  });

  test('names of code in ARCHITECTURE.md exist', () => {
    const text = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');
    const named = [...text.matchAll(/`([a-z]+[A-Z]\w*)`/g)].map(([, name = '']) => name);
    expect(named.length).toBeGreaterThan(5);
    const code = sourceFiles(['src-main', 'src-renderer', 'src-server', 'workers']).map(({ text: source }) => source);
    const absent = named.filter((name) => !code.some((source) => source.includes(name)));
    expect(absent.filter((name) => name !== 'devDependencies')).toEqual([]);
  });

  test('the glossary names files that hold its terms', () => {
    const text = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');
    const rows = [...(/## Glossary\n([^#]*)/.exec(text)?.[1] ?? '').matchAll(/^\| ([^|`]+) \| `([^`]+)` \|$/gm)];
    expect(rows.length).toBeGreaterThan(15);
    const absent = rows.flatMap(([, terms = '', path = '']) => {
      const file = [path, `src-server/${path}`].map((one) => join(ROOT, one)).find(existsSync) ?? '';
      const content = readFileSync(file, 'utf8')
        .replaceAll(/\s+(?:\*\s+)?/g, ' ')
        .toLowerCase();
      return terms.split(/[,()]/).filter((term) => !content.includes(term.trim().toLowerCase()));
    });
    expect(absent).toEqual([]);
  });

  test('a path that is gone is found', () => {
    const text = 'See `src-server/app.ts`, (`features/jobs/submit.ts`) and `storage/prepared.ts`.';
    expect(missing(text)).toEqual(['storage/prepared.ts']);
  });
});
