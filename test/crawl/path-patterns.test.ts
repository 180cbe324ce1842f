import { expect, test } from 'vitest';
import { matchesPath, pathPattern, pathSegments } from '../../src-server/features/crawl/path-patterns.ts';

function matches(pattern: string, path: string): boolean {
  return matchesPath(pathPattern(pattern), pathSegments(path) ?? []);
}

test.each<[pattern: string, matching: string[], others: string[]]>([
  ['/docs/**', ['/docs', '/docs/', '/docs/a', '/docs/a/b/'], ['/', '/docsx', '/a/docs']],
  ['/docs/*', ['/docs/a', '/docs/a/'], ['/docs', '/docs/a/b']],
  ['/**', ['/', '/a/b'], []],
  ['/', ['/'], ['/a']],
  ['/**/tag/**', ['/tag', '/a/b/tag/c'], ['/tags/a']],
  ['/a/**/b/*.html', ['/a/b/x.html', '/a/b/b/x.html', '/a/x/y/b/x.html'], ['/a/b.html', '/a/b/x.htm']],
  ['/**/a/b/**/c', ['/a/a/b/c', '/a/b/a/c'], ['/a/c/b/c', '/a/b']],
  ['/x-*-*-y', ['/x-1-2-y', '/x---y'], ['/x-y', '/x-1-y', '/x-1/2-y']],
  ['/a*a', ['/aa', '/aba'], ['/a', '/ab']],
  ['/%61/Größe', ['/a/Gr%C3%B6%C3%9Fe'], ['/a/Gr']],
  ['/../a/./b', ['/a/b'], ['/b']],
])('%s', (pattern, matching, others) => {
  expect(matching.filter((path) => !matches(pattern, path))).toEqual([]);
  expect(others.filter((path) => matches(pattern, path))).toEqual([]);
});

test('a path of too many segments is not compared', () => {
  expect(pathSegments('/a'.repeat(64))).toHaveLength(64);
  expect(pathSegments('/a'.repeat(65))).toBeNull();
});
