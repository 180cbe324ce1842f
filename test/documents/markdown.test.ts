import fc from 'fast-check';
import { Marked } from 'marked';
import { describe, expect, test } from 'vitest';
import type { Block, NormalizedDocument } from '../../workers/documents/blocks.ts';
import { writeMarkdown } from '../../workers/documents/write-markdown.ts';

function markdownOf(...blocks: Block[]): string {
  const document: NormalizedDocument = {
    ...{ format: 'text', title: null, author: null, language: null, pages: 1, revisions: 'none' },
    ...{ blocks, comments: [], changes: [], warnings: [] },
  };
  return writeMarkdown(document);
}

/** What a GFM reader makes of it, as tags and text. */
function htmlOf(...blocks: Block[]): string {
  return new Marked({ gfm: true }).parse(markdownOf(...blocks), { async: false });
}

function textOf(html: string): string {
  return html
    .replace(/<br>\n?/g, '\n')
    .replace(/<[^>]*>/g, '')
    .replace(/&(lt|gt|amp|quot|#39);/g, (_, name: string) => ({ lt: '<', gt: '>', amp: '&', quot: '"' })[name] ?? "'");
}

const paragraph = (text: string): Block => ({ kind: 'paragraph', text, page: 1 });

const hostile = fc
  .array(
    fc.constantFrom(
      ...[
        '#',
        '*',
        '_',
        '`',
        '[',
        ']',
        '(',
        ')',
        '<',
        '>',
        '!',
        '\\',
        '|',
        '~',
        '-',
        '+',
        '=',
        '&',
        '.',
        '1',
        '1.',
        '1)',
      ],
      ...['a', 'b c', ' ', '\n', '---', '===', '```', '<b>', '&amp;', '* * *', '- [ ] x', '    ', 'www.example.org'],
      ...['https://', 'https://example.org/a_b*c', 'HTTP://x.org/?q=(1)&r=[2].', 'me_too@example.org', 'ftp://x'],
    ),
    { minLength: 1, maxLength: 14 },
  )
  // Blocks hold neither white space at the ends of their lines nor empty lines.
  .map((parts) =>
    parts
      .join('')
      .split('\n')
      .map((line) => line.replace(/ +/g, ' ').trim())
      .filter(Boolean)
      .join('\n'),
  )
  .filter((text) => text !== '');

describe('every character of the text means itself', () => {
  test('in a paragraph', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const html = htmlOf(paragraph(text));
        expect(html.match(/<(?!\/?p>|br>|a |\/a>)[^>]*>/g)).toBeNull();
        expect(textOf(html).trimEnd()).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  test.each(['# #', 'a ##', 'a #  ', '#', '\\# #', 'C#'])('in the heading %j, whose end is no closing mark', (text) => {
    const html = htmlOf({ kind: 'heading', level: 2, text, page: 1 });
    expect(textOf(html).trim()).toBe(text.trim());
  });

  test('in a heading, which stays one line', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const html = htmlOf({ kind: 'heading', level: 2, text, page: 1 });
        expect(html).toMatch(/^<h2>.*<\/h2>\n$/);
        expect(textOf(html).trim()).toBe(text.replaceAll('\n', ' '));
      }),
      { numRuns: 500 },
    );
  });

  test('in a list item', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const html = htmlOf({ kind: 'list-item', depth: 0, marker: '3.', text, page: 1 });
        expect(html).toMatch(/^<ol start="3">\n<li>/);
        expect(textOf(html).trim()).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  test('in the cells of a table, whose columns it cannot move', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(hostile, { minLength: 3, maxLength: 3 }), { minLength: 2, maxLength: 4 }),
        (rows) => {
          const html = htmlOf({ kind: 'table', rows, page: 1 });
          const cells = Array.from(html.matchAll(/<t[dh]>([\s\S]*?)<\/t[dh]>/g), ([, cell]) => textOf(cell ?? ''));
          expect(cells).toEqual(rows.flat());
        },
      ),
      { numRuns: 300 },
    );
  });

  test('in a table with merged cells, which is HTML', () => {
    const rows = [
      ['<b>|&amp;', ''],
      ['tall\nline', 'x'],
      ['', 'y'],
    ];
    const spans = [
      { row: 0, column: 0, rows: 1, columns: 2 },
      { row: 1, column: 0, rows: 2, columns: 1 },
    ];
    expect(markdownOf({ kind: 'table', rows, spans, page: 1 })).toBe(
      '<table>\n<tr><th colspan="2">&lt;b&gt;|&amp;amp;</th></tr>\n' +
        '<tr><td rowspan="2">tall<br>line</td><td>x</td></tr>\n<tr><td>y</td></tr>\n</table>\n',
    );
  });

  test('in code, whatever fences it holds', () => {
    const html = htmlOf({ kind: 'code', text: 'a\n```\n<b>\n~~~', page: 1 });
    expect(html).toBe('<pre><code>a\n```\n&lt;b&gt;\n~~~\n</code></pre>\n');
  });
});

test('lists nest, and keep markers that Markdown does not know', () => {
  const item = (depth: number, marker: string, text: string): Block => ({
    kind: 'list-item',
    depth,
    marker,
    text,
    page: 1,
  });
  const html = htmlOf(item(0, '1.', 'one'), item(1, '•', 'dot'), item(2, 'iv.', 'four'), item(0, '2.', 'two'));
  expect(html.replace(/\n/g, '')).toBe(
    '<ol><li>one<ul><li>dot<ul><li>iv. four</li></ul></li></ul></li><li>two</li></ol>',
  );
});

test('a link leads to its address and cannot leave its brackets', () => {
  const url = 'https://example.org/a>(b) c';
  const linked = (text: string, start: number, end: number): Block => {
    return { kind: 'paragraph', text, page: 1, marks: [{ kind: 'link', start, end, url }] };
  };
  const block = linked('see [this] now', 4, 10);
  const bare = linked('https://a.org/b_c', 0, 17);
  expect(textOf(htmlOf(bare))).toBe('https://a.org/b_c\n');
  expect(htmlOf(block)).toBe('<p>see <a href="https://example.org/a%3E%28b%29%20c">[this]</a> now</p>\n');
});
