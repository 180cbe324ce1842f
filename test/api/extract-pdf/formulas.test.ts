/** Formulas of PDFs, drawn with the fonts and places that TeX uses. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FIRST_EXTRA, text, writePdf } from '../../documents/pdf-writer.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { readDocument } from '../../harness/read-document.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

/** A font without its program, whose glyphs from code 65 on have these names and a width of half their size. */
function font(name: string, names: readonly string[]): string {
  const encoding = `<< /Type /Encoding /Differences [65 ${names.map((one) => `/${one}`).join(' ')}] >>`;
  return `<< /Type /Font /Subtype /Type1 /BaseFont /ABCDEF+${name} /FirstChar 0 /LastChar 255
/Widths [${'500 '.repeat(256)}] /Encoding ${encoding} >>`;
}

/** Codes of names that no list of glyphs has stay unknown, as those of the extension font do. */
const EXTENSION_CODES = ['parenleftbigx', 'parenrightbigx'];

const EXTENSION = `<< /Type /Font /Subtype /Type1 /BaseFont /ABCDEF+CMEX10 /FirstChar 0 /LastChar 255
/Widths [${'1000 '.repeat(256)}] /Encoding << /Type /Encoding /Differences [18 /${EXTENSION_CODES.join(' /')}
88 /summationdisplay /productdisplay /integraldisplay] >> >>`;

const ITALIC = [...'abcdefghijklmnopqrstuvwxyz', 'alpha', 'beta', 'pi', 'sigma'];

const SIGNS = ['minus', 'element', 'lessequal', 'radical', 'infinity', 'arrowright', 'S'];

const FONTS = '/MI 20 0 R /SY 21 0 R /EX 22 0 R /RM 23 0 R';

const EXTRA = [
  font('CMMI10', ITALIC),
  font('CMSY10', SIGNS),
  EXTENSION,
  '<< /Type /Font /Subtype /Type1 /BaseFont /ABCDEF+CMR10 /FirstChar 0 /LastChar 255 ' +
    `/Widths [${'500 '.repeat(256)}] /Encoding /WinAnsiEncoding >>`,
];

/** A glyph by its name, at a place from the top left corner. */
type Drawn = [name: string, x: number, baseline: number, size?: number];

function draw(...glyphs: Drawn[]): string {
  return glyphs
    .map(([name, x, baseline, size = 10]) => {
      const [of, code] = codeOf(name);
      return `BT /${of} ${size} Tf ${x} ${792 - baseline} Td <${code.toString(16).padStart(2, '0')}> Tj ET`;
    })
    .join('\n');
}

function codeOf(name: string): [font: string, code: number] {
  if (name === '∑') return ['EX', 88];
  if (name === '⟮') return ['EX', 18];
  if (name === '⟯') return ['EX', 19];
  if (ITALIC.includes(name)) return ['MI', 65 + ITALIC.indexOf(name)];
  if (SIGNS.includes(name)) return ['SY', 65 + SIGNS.indexOf(name)];
  return ['RM', name.charCodeAt(0)];
}

/** A bar of a fraction or root, as TeX fills it. */
const bar = (x: number, y: number, width: number) => `${x} ${792 - y} ${width} 0.4 re f`;

const ABOVE = text(72, 100, ['The harbour counts its ships by the rule that follows here,'], 10);

const BELOW = text(72, 240, ['and the keeper writes the number into the book of the day.'], 10);

async function read(...content: string[]) {
  const page = [ABOVE, ...content, BELOW].join('\n');
  expect(FIRST_EXTRA).toBe(20);
  return readDocument(appliance, writePdf({ pages: [page], extra: EXTRA, fonts: FONTS }), 'paper.pdf');
}

/** e = m c², from x on. */
const ENERGY = draw(['e', 200, 170], ['=', 210, 170], ['m', 220, 170], ['c', 226, 170], ['2', 232, 166, 7]);

describe('a formula on a line of its own is LaTeX', () => {
  test.each([
    ['scripts', ENERGY, 'e=mc^{2}'],
    [
      'Greek letters with both scripts',
      draw(['alpha', 200, 170], ['i', 206, 172, 7], ['2', 206, 165, 7], ['lessequal', 216, 170], ['pi', 226, 170]),
      '\\alpha_{i}^{2} \\leq \\pi',
    ],
    [
      'a fraction in a fraction',
      [
        draw(['x', 200, 170], ['=', 210, 170], ['a', 226, 155], ['b', 222, 163], ['c', 230, 163]),
        draw(['+', 226, 163]),
        bar(220, 157.5, 18),
        bar(219, 167.5, 20),
        draw(['2', 226, 178]),
      ].join('\n'),
      'x=\\frac{\\frac{a}{b+c}}{2}',
    ],
    [
      'a sum with limits and a root',
      [
        draw(
          ['s', 200, 170],
          ['=', 210, 170],
          ['∑', 222, 160],
          ['i', 222, 182, 7],
          ['=', 226, 182, 7],
          ['1', 230, 182, 7],
        ),
        draw(['n', 225, 158, 7], ['radical', 240, 168], ['x', 246, 170], ['i', 251, 172, 7]),
        bar(245, 161, 10),
      ].join('\n'),
      's=\\sum_{i=1}^{n} \\sqrt{x_{i}}',
    ],
    [
      'large brackets around a fraction, and a number',
      [
        draw(['y', 200, 170], ['=', 210, 170], ['⟮', 218, 156, 10], ['a', 230, 163], ['b', 230, 177], ['⟯', 238, 156]),
        bar(229, 167.5, 7),
        draw(['2', 249, 160, 7], ['(', 330, 170], ['3', 335, 170], [')', 340, 170]),
      ].join('\n'),
      'y=\\left(\\frac{a}{b}\\right)^{2} \\tag{3}',
    ],
    [
      'two rows',
      [ENERGY, draw(['minus', 210, 190], ['b', 218, 190], ['=', 226, 190], ['c', 234, 190])].join('\n'),
      '\\begin{aligned}e&=mc^{2} \\\\ -b&=c\\end{aligned}',
    ],
  ])('with %s', async (_what, content, latex) => {
    const { markdown, warnings, result } = await read(content);
    const [, found = markdown] = /\$\$([^$]*)\$\$/.exec(markdown) ?? [];
    expect(found.replaceAll(/\s+/g, ' ').trim()).toBe(latex);
    expect([warnings, result.doubts]).toEqual([[], undefined]);
    expect(result.account).toMatchObject({ unexplained: 0, leftOut: [] });
  });
});

/** Words in the upright font around a formula that begins at the place it is given. */
function sentence(before: string, formula: (x: number) => string, after: string): string[] {
  const words = (x: number, letters: string) => `BT /RM 10 Tf ${x} ${792 - 170} Td (${letters}) Tj ET`;
  const start = 72 + 5 * before.length + 4;
  const content = formula(start);
  const end = Math.max(...[...content.matchAll(/Tf ([\d.]+)/g)].map(([, x]) => Number(x)));
  return [words(72, before), content, words(end + 9, after)];
}

describe('a formula within a sentence is LaTeX', () => {
  test.each([
    ['a script', (x: number) => draw(['m', x, 170], ['i', x + 5, 172, 7]), 'm_{i}'],
    [
      'a number with a script of signs',
      (x: number) => draw(['1', x, 170], ['0', x + 5, 170], ['minus', x + 10, 166, 7], ['3', x + 14, 166, 7]),
      '10^{-3}',
    ],
    [
      'both scripts over each other',
      (x: number) =>
        draw(['m', x, 170], ['2', x + 5, 166, 7], ['i', x + 5, 173, 7], ['lessequal', x + 11, 170], ['3', x + 18, 170]),
      'm_{i}^{2} \\leq 3',
    ],
    [
      'a function and brackets',
      (x: number) =>
        draw(
          ['f', x, 170],
          ['(', x + 5, 170],
          ['x', x + 10, 170],
          [')', x + 15, 170],
          ['=', x + 22, 170],
          ['3', x + 29, 170],
        ),
      'f(x)=3',
    ],
    [
      'a small root',
      (x: number) =>
        [draw(['radical', x, 162.6], ['x', x + 5.5, 170], ['i', x + 11, 172, 7]), bar(x + 5, 162.2, 10)].join('\n'),
      '\\sqrt{x_{i}}',
    ],
    [
      'an accent',
      (x: number) => draw(['^', x, 170], ['x', x, 170], ['=', x + 7, 170], ['3', x + 14, 170]),
      '\\hat{x}=3',
    ],
  ])('with %s', async (_what, content, latex) => {
    const { markdown, warnings, result } = await read(...sentence('Let the mass', content, 'be the weight of a ship.'));
    expect(markdown).toContain(`Let the mass $${latex}$ be the weight of a ship.`);
    expect([warnings, result.doubts]).toEqual([[], undefined]);
    expect(result.account).toMatchObject({ unexplained: 0, leftOut: [] });
  });

  test('and a letter that is raised at a word is none', async () => {
    const raised = (x: number) => draw(['a', x - 4, 166, 7]);
    const { markdown } = await read(...sentence('Read it word for word', raised, 'and the note at the foot.'));
    expect(markdown).not.toContain('$');
  });

  test('and words in a font for mathematics stay words', async () => {
    const words = [...'see the tide rise'].flatMap((letter, at): Drawn[] =>
      letter === ' ' ? [] : [[letter, 100 + 5 * at, 170]],
    );
    const { markdown } = await read(draw(...words));
    expect(markdown).toContain('see the tide rise');
  });

  test('but for a row of a table', async () => {
    const row = draw(['p', 100, 170], ['=', 110, 170], ['0', 120, 170], ['1', 180, 170], ['2', 240, 170]);
    expect((await read(row)).markdown).not.toContain('$$');
  });
});

describe('rows and columns between tall brackets', () => {
  const cells = draw(['a', 225, 160], ['b', 245, 160], ['c', 225, 172], ['x', 245, 172]);

  test('are a matrix', async () => {
    const { markdown } = await read(draw(['m', 200, 168], ['=', 209, 168], ['⟮', 217, 153], ['⟯', 252, 153]), cells);
    expect(markdown).toContain('m=\\begin{pmatrix}a & b \\\\ c & x\\end{pmatrix}');
  });
});

test('a formula whose signs are in no clear order is text and a doubt', async () => {
  const glyphs = draw(['a', 200, 170], ['=', 210, 170], ['b', 220, 166], ['c', 226, 174], ['alpha', 232, 163]);
  const { markdown, warnings, result } = await read(glyphs);
  expect(markdown).not.toContain('$');
  expect(result.doubts).toEqual([{ reason: 'unclear-formula', quote: expect.stringContaining('='), page: 1 }]);
  expect(warnings).toEqual([expect.stringMatching(/^Some formulas of page 1 may be wrong/)]);
  expect(result.account).toMatchObject({ unexplained: 0 });
});

test('scripts of scripts, 1,000 deep, end as text with a doubt, and no letter is lost', async () => {
  const deep = Array.from({ length: 1000 }, (_, at): Drawn => {
    const letter = at === 1 ? '=' : (ITALIC[at % 26] ?? '');
    return [letter, 150 + at * 0.35, 200 - at * 0.05, Math.max(3, 10 * 0.99 ** at)];
  });
  const { markdown, result } = await read(draw(...deep));
  expect(markdown).not.toContain('$');
  expect(result.account).toMatchObject({ unit: 'letters', leftOut: [], unexplained: 0 });
  expect(JSON.stringify(result.doubts)).toContain('unclear-formula');
});
