import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NormalizedDocument } from '../../workers/documents/blocks.ts';
import { writePlainText } from '../../workers/documents/write-text.ts';
import { parse } from './make-docx.ts';

const PANDOC = 'pandoc';
const hasPandoc = canRun(PANDOC);
const MARKDOWN = `
---
title: Report on things
author: Ann Author
---

# Überblick {#a}

First paragraph with *emphasis*, ~~nothing~~, a [link](https://example.org/x) and a note.[^1] Größe, 中文, русский.

## Lists

1. one
    a. one a
    b. one b
2. two

- dot
    - dash

## Tables

| Fruit | Price |
|-------|------:|
| Apple | 1.20  |
| Pear  | 2.40  |

: Prices of fruit

> A quotation that stands apart.

Term
:   Its definition.

\`\`\`
code();
\`\`\`

[^1]: What the note says.
`;

function canRun(command: string): boolean {
  try {
    execFileSync(command, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe.skipIf(!hasPandoc)(
  `a document written by pandoc${hasPandoc ? '' : ' (skipped: pandoc is not installed)'}`,
  () => {
    let folder: string;
    let path: string;
    let document: NormalizedDocument;

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'quarry pandoc '));
      path = join(folder, 'made.docx');
      execFileSync(PANDOC, ['-f', 'markdown', '-o', path], { input: MARKDOWN });
      document = await parse(readFileSync(path));
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    test('holds every word that pandoc itself reads back, in its order', () => {
      const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
      const read = wordsOf(writePlainText(document).text);
      const expected = wordsOf(execFileSync(PANDOC, ['--wrap=none', '-t', 'plain', path], { encoding: 'utf8' }));
      const counts = new Map<string, number>();
      for (const word of read) counts.set(word, (counts.get(word) ?? 0) + 1);
      const missing = expected.filter((word) => {
        const left = counts.get(word) ?? 0;
        counts.set(word, left - 1);
        return left <= 0;
      });
      // pandoc shows a table's caption a second time, after the table.
      expect(missing).toEqual(['prices', 'of', 'fruit']);
      const places = expected
        .filter((word) => expected.indexOf(word) === expected.lastIndexOf(word))
        .map((word) => read.indexOf(word));
      expect(places).toEqual([...places].sort((a, b) => a - b));
    });

    test('has the structure it was written with', () => {
      const kinds = document.blocks.map((block) => block.kind);
      expect(document).toMatchObject({ title: 'Report on things', author: 'Ann Author', revisions: 'none' });
      expect(
        document.blocks.filter((block) => block.kind === 'heading').map((block) => [block.level, block.text]),
      ).toEqual([
        [1, 'Report on things'],
        [1, 'Überblick'],
        [2, 'Lists'],
        [2, 'Tables'],
      ]);
      expect(
        document.blocks.filter((block) => block.kind === 'list-item').map((block) => `${block.marker} ${block.text}`),
      ).toEqual(['1. one', 'a. one a', 'b. one b', '2. two', '• dot', '• dash']);
      expect(document.blocks.find((block) => block.kind === 'table')).toMatchObject({
        rows: [
          ['Fruit', 'Price'],
          ['Apple', '1.20'],
          ['Pear', '2.40'],
        ],
      });
      expect(document.blocks.find((block) => block.kind === 'caption')?.text).toBe('Prices of fruit');
      expect(document.blocks.find((block) => block.kind === 'code')?.text).toBe('code();');
      expect(kinds.at(-1)).toBe('note');
    });
  },
);
