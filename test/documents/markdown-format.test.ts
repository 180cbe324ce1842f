import { describe, expect, test } from 'vitest';
import { parseMarkdown } from '../../workers/documents/parse-markdown.ts';
import { outline, parseOptions } from './parse-options.ts';

async function read(markdown: string) {
  return await parseMarkdown(Buffer.from(markdown), parseOptions());
}

describe('Markdown becomes blocks', () => {
  test('front matter gives title, author and language and is no text', async () => {
    const document = await read('---\ntitle: "A: b"\nauthors:\n  - Ann\nlang: en\n---\n# Head\n');
    expect(document).toMatchObject({ title: 'A: b', author: 'Ann', language: 'en', format: 'markdown' });
    expect(outline(document)).toEqual(['h1 Head']);
  });

  test('a rule at the beginning is no front matter', async () => {
    expect(outline(await read('---\n\ntext\n'))).toEqual(['paragraph text']);
  });

  test('marks, links, references and tags go; line ends are spaces unless they are meant', async () => {
    const text = 'A **b** `c*d` [e](f) <b>g</b> &amp; \\* h\ni  \nj<br>k\n';
    expect(outline(await read(text))).toEqual(['paragraph A b c*d e g & * h i\nj\nk']);
  });

  test('nested lists, tasks, quotes, tables, code', async () => {
    const text = '> q\n\n3. a\n   - b\n\n     c\n4. d\n\n- [x] e\n\n|f|g|\n|-|-|\n|1|*2*|\n\n```\n  h\n```\n';
    expect(outline(await read(text))).toEqual([
      'paragraph q',
      '3. a',
      '  • b',
      'paragraph c',
      '4. d',
      '• [x] e',
      'table [["f","g"],["1","2"]]',
      'code   h',
    ]);
  });

  test('images give their alternative text as captions, blocks of HTML their text', async () => {
    expect(outline(await read('a ![b](c.png)\n\n<div><h2>d</h2><script>e</script></div>\n'))).toEqual([
      'paragraph a',
      'caption b',
      'h2 d',
    ]);
  });

  test('notes keep their marks, also those of a single word', async () => {
    expect(outline(await read('a[^1] b[^x]\n\n[^1]: one *two*\n[^x]: word\n'))).toEqual([
      'paragraph a[1] b[x]',
      'note 1 one two',
      'note x word',
    ]);
    expect(outline(await read('a[^1]\n\n[^1]: word\n'))).toEqual(['paragraph a[1]', 'note 1 word']);
    const long =
      'a[^1]\n\n[^1]: One.\n\n    Two *of* it.\n\n    Three.\n[^2]: word\n    more\n\nb\n\n    code\n\n- c\n\n  [^3]: In it.\n';
    expect(outline(await read(long))).toEqual([
      ...['paragraph a[1]', 'paragraph b', 'code code', '• c'],
      ...['note 1 One.\nTwo of it.\nThree.', 'note 2 word\nmore', 'note 3 In it.'],
    ]);
  });
});

describe('hostile Markdown ends', () => {
  test.each([
    ['quotes', '>'.repeat(20_000)],
    ['lists', '- '.repeat(20_000)],
  ])('%s without end are refused', async (_, text) => {
    await expect(read(`${text}x`)).rejects.toMatchObject({ code: 'source_too_large' });
  });

  test('marks that nothing closes take no time of their own and lose no text', { timeout: 60_000 }, async () => {
    // Looking on from every mark through all that follows would take many minutes.
    const { blocks } = await read('*a_'.repeat(20_000));
    const letters = blocks.map((block) => ('text' in block ? block.text.replace(/[*_]/g, '') : '')).join('');
    expect(letters).toBe('a'.repeat(20_000));
  });

  test('a text of many pages keeps its emphasis, its links and its addresses', async () => {
    const sentence =
      'One *word* in **ten** stands ~~struck~~ _out_, as [here](http://localhost/a) or www.localhost.test. ';
    const { blocks } = await read(sentence.repeat(1_000));
    const plain = 'One word in ten stands struck out, as here or www.localhost.test. ';
    expect(blocks.map((block) => ('text' in block ? block.text : ''))).toEqual([plain.repeat(1_000).trim()]);
  });

  test('binary content is refused', async () => {
    const bytes = Buffer.from(Array.from({ length: 500 }, (_, index) => (index * 7) % 256));
    await expect(parseMarkdown(bytes, parseOptions())).rejects.toMatchObject({ code: 'unsupported_media' });
  });
});
