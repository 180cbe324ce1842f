import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { parseRtf } from '../../workers/documents/rtf/parse-rtf.ts';
import { outline, parseOptions } from './parse-options.ts';

const damaged = { code: 'corrupt_input' };

async function read(body: string, includeComments = false) {
  const bytes = Buffer.from(`{\\rtf1\\ansi\\ansicpg1252 ${body}}`, 'latin1');
  return await parseRtf(bytes, parseOptions({ includeComments }));
}

async function lines(body: string) {
  return outline(await read(body));
}

test('a table of one column is layout: its paragraphs, headings and inner tables are read as such', async () => {
  const inner = '\\pard\\intbl\\itap2 1\\nestcell 2\\nestcell{\\*\\nesttableprops\\trowd\\cellx1\\cellx2\\nestrow}';
  const row = (content: string) => `\\trowd\\cellx4000 ${content}\\pard\\intbl\\cell\\row `;
  const first = row('\\pard\\intbl\\outlinelevel1 Inside\\par \\pard\\intbl One.\\par Two.\\par ');
  expect(await lines(`${first}${row(inner)}\\pard After\\par`)).toEqual([
    'h2 Inside',
    'paragraph One.',
    'paragraph Two.',
    'table [["1","2"]]',
    'paragraph After',
  ]);
});

describe('characters come out as they were written', () => {
  test('code pages of the document and of its fonts', async () => {
    const fonts = '{\\fonttbl{\\f0 A;}{\\f1\\fcharset204 B;}{\\f2\\fcharset128 C;}{\\f3\\fcharset161 D;}}';
    const text = "caf\\'e9 {\\f1 \\'cc\\'e8\\'f0} {\\f2 \\'93\\'fa\\'96\\{} {\\f3 \\'e1} \\'80";
    expect(await lines(fonts + text)).toEqual(['paragraph café Мир 日本 α €']);
  });

  test('Unicode escapes skip as many fallback bytes as the group says', async () => {
    expect(await lines("\\u1084?\\uc2\\u1080\\'3f\\'3fr {\\uc0\\u-4051 x}\\u233\\'3f\\'3f")).toEqual([
      'paragraph миr xé',
    ]);
  });

  test('characters of symbol fonts are what they show, however they are written', async () => {
    const fonts =
      '{\\fonttbl{\\f0 A;}{\\f1\\fcharset2{\\*\\panose 0505}Symbol;}{\\f2\\fcharset2 Wingdings;}{\\f3\\fcharset2 Mine;}}';
    const field = '{\\field{\\*\\fldinst SYMBOL 179 \\\\f "Symbol" \\\\s 12}{\\fldrslt\\f1\\fs24}}';
    const text = `5 {\\f1 m}m at 20\\f1\\u-3920\\'b0\\f0 C ${field} 3 {\\f2\\'fc}{\\f3\\u-3913?\\u-3920?\\'b7x}`;
    expect(await lines(fonts + text)).toEqual(['paragraph 5 μm at 20°C ≥ 3 ✓••x']);
  });

  test('surrogate pairs, quotes, dashes, spaces that do not break', async () => {
    const text = '\\u-10179?\\u-8704? \\ldblquote a\\rdblquote\\~b\\_c\\-d \\emdash  \\{\\}\\\\';
    expect(await lines(text)).toEqual(['paragraph 😀 “a” b-cd — {}\\']);
  });

  test('raised numbers are no part of the number before them', async () => {
    expect(await lines('10{\\super 6} m\\super 2\\nosupersub 3 1{\\super st}')).toEqual(['paragraph 10⁶ m²3 1st']);
  });

  test('raised expressions are no words', async () => {
    const text = 'x{\\super n+1} 2{\\super n} the {\\super 2nd} M{\\super me} e{\\super -kt} a{\\super b}';
    expect(await lines(text)).toEqual(['paragraph xⁿ⁺¹ 2ⁿ the 2nd Mme e⁻ᵏᵗ ab']);
    const others = '10{\\super -1/2} x{\\super N+1} the {\\super co-op} a{\\super n-th} 5{\\super 1/2}';
    expect(await lines(others)).toEqual(['paragraph 10^(-1/2) x^(N+1) the co-op an-th 5^(1/2)']);
  });

  test('DOS code pages', async () => {
    const bytes = Buffer.from("{\\rtf1\\pc \\'82\\'a4}", 'latin1');
    expect(outline(await parseRtf(bytes, parseOptions()))).toEqual(['paragraph éñ']);
  });
});

describe('what is no text of the document stays out', () => {
  test('starred groups, pictures, instructions of fields, hidden text', async () => {
    const body = `a{\\*\\unknown x}{\\pict\\wmetafile8 ffff}{\\field{\\*\\fldinst HYPERLINK "u"}{\\fldrslt link}}{\\v hid} b`;
    expect(await lines(body)).toEqual(['paragraph alink b']);
  });

  test('binary data is stepped over even when it holds braces', async () => {
    expect(await lines('a{\\pict\\bin4 }}}}}b')).toEqual(['paragraph ab']);
  });

  test('the older variant of a text in two variants', async () => {
    expect(await lines('{\\upr{old}{\\*\\ud new}}')).toEqual(['paragraph new']);
  });
});

describe('structure', () => {
  test('headings keep the number that is written before them, and lose a bullet', async () => {
    const item = (mark: string, text: string) => `\\pard\\outlinelevel1{\\listtext ${mark}\\tab}${text}\\par`;
    const body = item('3.1', 'Berths') + item('Article IV.', 'Dues') + item("\\'95", 'Fees') + item('4', '');
    expect(await lines(body)).toEqual(['h2 3.1 Berths', 'h2 Article IV. Dues', 'h2 Fees']);
  });

  test('headings by style and by outline level', async () => {
    const styles = '{\\stylesheet{\\s0 Normal;}{\\s1 heading 2;}{\\s2\\outlinelevel0 Mine;}}';
    const body = '\\pard\\s1 A\\par\\pard\\s2 B\\par\\pard\\outlinelevel2 C\\par\\pard D\\par';
    expect(await lines(styles + body)).toEqual(['h2 A', 'h1 B', 'h3 C', 'paragraph D']);
  });

  test('tables, and tables in their cells', async () => {
    const inner = '\\pard\\intbl\\itap2 x\\nestcell y\\nestcell{\\*\\nesttableprops\\nestrow}{\\nonesttables\\par}';
    const body = `\\pard\\intbl a\\par b\\cell\\pard\\intbl c\\cell\\row ${inner}\\pard\\intbl\\itap1 d\\cell e\\cell\\row\\pard f\\par`;
    expect(await lines(body)).toEqual(['table [["a\\nb","c"],["x | y\\nd","e"]]', 'paragraph f']);
  });

  test('a cell that reaches over several columns keeps those that follow in theirs', async () => {
    const row = (edges: number[], cells: string[]) =>
      `\\trowd ${edges.map((edge) => `\\cellx${edge}`).join('')}\\pard\\intbl ${cells.join('\\cell ')}\\cell\\row `;
    const nested =
      '\\pard\\intbl\\itap2 m\\nestcell n\\nestcell{\\*\\nesttableprops\\trowd\\cellx500\\cellx900\\nestrow}\\pard\\intbl';
    const all =
      row([1000, 2000, 3000], ['a', 'b', 'c']) +
      row([2010, 3000], ['ab', 'c']) +
      row([1000, 2990], ['a', `b ${nested}`, '']) +
      row([3000], ['abc']) +
      row([], ['?', '!']);
    expect(await lines(`${all}\\pard after`)).toEqual([
      'table [["a","b","c"],["ab","","c"],["a","b m | n",""],["abc","",""],["?","!"]]',
      'paragraph after',
    ]);
  });

  test('lists by their marks, and by hanging paragraphs where a writer gives no marks', async () => {
    const body = `{\\listtext\\'b7\\tab}\\ilvl0 a\\par\\pard{\\pntext iv.\\tab}\\ilvl1 b\\par
      \\pard\\li720\\fi-360 2.\\tab c\\par\\pard 3.\\tab d\\par`;
    expect(await lines(body)).toEqual(['• a', '  iv. b', '  2. c', 'paragraph 3. d']);
  });

  test('pages by breaks and by sections, but not by sections that go on on the page', async () => {
    const { blocks, pages } = await read('a\\par\\page b\\par\\sect\\sectd\\sbknone c\\par\\sect\\sectd d\\par');
    expect(blocks.map(({ page }) => page)).toEqual([1, 2, 2, 3]);
    expect(pages).toBe(3);
  });

  test('a large first letter is part of its word', async () => {
    const text = '\\pard\\dropcapli3\\dropcapt1 T\\par \\pard he tide.\\par \\pard\\dropcapli0 A\\par B';
    expect(await lines(text)).toEqual(['paragraph The tide.', 'paragraph A', 'paragraph B']);
  });

  test('a deleted end of a paragraph joins it with the next', async () => {
    const body = '{\\*\\revtbl{Unknown;}{Ann;}}one{\\deleted\\revauthdel1\\par}two\\par';
    expect(await lines(body)).toEqual(['paragraph onetwo']);
    expect((await read('a{\\deleted b}{\\mvf c}{\\mvt d}', true)).changes.map(({ kind }) => kind)).toEqual([
      'deletion',
      'move-from',
      'move-to',
    ]);
  });
});

describe('hostile documents end', () => {
  test('groups without end are refused', async () => {
    await expect(read('{'.repeat(100_000))).rejects.toMatchObject({ code: 'source_too_large' });
  });

  test('a file cut off in the middle is read as far as it goes, and says so', async () => {
    const document = await parseRtf(Buffer.from('{\\rtf1 one\\par two {\\b thr'), parseOptions());
    expect(outline(document)).toEqual(['paragraph one', 'paragraph two thr']);
    expect(document.warnings).toHaveLength(1);
  });

  test('no document, or none with text before it breaks off, is damage', async () => {
    for (const text of ['', '{\\rtf1{\\fonttbl{\\f0', 'plain', '\\\\\\']) {
      await expect(parseRtf(Buffer.from(text), parseOptions())).rejects.toMatchObject(damaged);
    }
  });

  test('lengths of binary data beyond the file, odd escapes and closing braces are survived', async () => {
    expect(await lines("a}}}b\\'zz\\'")).toEqual(['paragraph ab']);
    expect(await lines('a\\bin4294967295 b')).toEqual(['paragraph a']);
  });
});

const pandoc = (() => {
  try {
    execFileSync('pandoc', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

/** Markdown with what word processors are used for, to be written by pandoc and read back. */
const SAMPLE = `# One

Text with *marks*, “quotes”, naïve façade, 中文 and a note.[^n]

1. first
2. second
    - inner

| a | b |
|---|---|
| c d | e |

[^n]: The note itself.
`;

test.skipIf(!pandoc)('what pandoc writes as RTF is read without losing a word (needs pandoc)', async () => {
  const bytes = execFileSync('pandoc', ['-s', '-f', 'markdown', '-t', 'rtf', '--metadata', 'title=T'], {
    input: SAMPLE,
  });
  const text = outline(await parseRtf(bytes, parseOptions())).join('\n');
  for (const word of SAMPLE.replace(/\[\^n\]|[*#|:]/g, ' ').match(/[\p{L}]+/gu) ?? []) expect(text).toContain(word);
});

test('text that looks like a mark is told from one, and only where there are marks', async () => {
  const body = 'a [-b-] {\\revised c}';
  expect(outline(await read(body, true))).toEqual(['paragraph a \\[-b\\-] {+c+}']);
  expect(outline(await read('a [-b-]', true))).toEqual(['paragraph a [-b-]']);
  expect(await lines(body)).toEqual(['paragraph a [-b-] c']);
});

test('words and texts that happen to be names of the language this is written in', async () => {
  expect(await lines('a{\\toString b}\\constructor c')).toEqual(['paragraph abc']);
  expect(outline(await read('{\\revised x}\\par constructor\\par toString', true))).toEqual([
    'paragraph {+x+}',
    'paragraph constructor',
    'paragraph toString',
  ]);
});

test('an author with a very long name is not repeated without end', async () => {
  const authors = `{\\*\\revtbl {;}{${'A'.repeat(90_000)};}{B;}}`;
  const changes = '{\\revised\\revauth1 a}{\\revised\\revauth2 a}';
  await expect(read(authors + changes.repeat(1000), true)).rejects.toMatchObject({ code: 'source_too_large' });
  expect((await read(authors + changes, true)).changes).toHaveLength(2);
});
