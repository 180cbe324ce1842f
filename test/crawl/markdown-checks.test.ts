import { expect, test } from 'vitest';
import { writeMarkdown } from '../../workers/documents/write-markdown.ts';
import { readContent } from '../../workers/pages/main-content.ts';
import { MARKDOWN_CHECKS, MARKDOWN_PAGES, MARKDOWN_URL } from '../harness/markdown-checks.ts';
import { UNWATCHED } from '../harness/task-context.ts';

/** A card in prose is a teaser of another page there, and tabs in code are written as spaces. */
const MISSED = [
  'a card link: its heading',
  'a card link: its address',
  'code with fences, empty lines and tabs: a tab',
];

test('pages of generators as Markdown: all of 128 checks but three', async () => {
  expect(MARKDOWN_CHECKS).toHaveLength(128);
  const missed: string[] = [];
  for (const { name, html } of MARKDOWN_PAGES) {
    const { blocks } = await readContent(html, MARKDOWN_URL, UNWATCHED);
    const document = {
      format: 'html',
      title: null,
      author: null,
      language: null,
      pages: 1,
      revisions: 'none',
    } as const;
    const markdown = writeMarkdown({ ...document, blocks, comments: [], changes: [], warnings: [] });
    const checks = MARKDOWN_CHECKS.filter(({ page }) => page === name);
    missed.push(...checks.flatMap((check) => (check.passes(markdown) ? [] : [`${name}: ${check.name}`])));
  }
  expect(missed.sort()).toEqual(MISSED.toSorted());
});
