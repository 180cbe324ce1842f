import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clearPicture, picturePdf, skewPicture, text, writePdf } from '../../documents/pdf-writer.ts';
import { addNoise, drawLetter, drawPicture, seeded, toJpeg, turnPicture } from '../../documents/scan-pictures.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { LINES, picturesAt, recall, textOf, wordsOf } from '../../harness/pictures.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

const fixture = (name: string) => readFileSync(new URL(`../../fixtures/documents/images/${name}`, import.meta.url));

const page = picturePdf(writePdf({ pages: [text(60, 100, LINES, 14)] }), 150);

const { read } = picturesAt(() => appliance);

const HARBOUR = `Annual Harbour Report The amount of goods handled in the harbour rose by four percent over the last
  year. The main cause was a steady growth of imports through the northern terminal, where two new cranes were put into
  service in March. Dredging of the channel will be completed in October, provided that the weather allows it. The board
  thanks all members of the staff for their work during a difficult season.`;

describe('POST /extract/doc reads a picture that lies askew', () => {
  test('a scan of 72 words, by three degrees', { tags: ['long'] }, async () => {
    const result = await read(fixture('page-3-degrees.jpg'), 'page.jpg');
    expect(wordsOf(HARBOUR)).toHaveLength(72);
    expect(recall(HARBOUR, textOf(result))).toBeGreaterThanOrEqual(0.97);
    expect(result.warnings).toEqual([]);
    expect(result.doubts).toBeUndefined();
    expect(result.account).toMatchObject({ unit: 'letters', leftOut: [], unexplained: 0 });
  });

  test.each([-44, -3, 10])('by %d degrees', async (degrees) => {
    const result = await read(skewPicture(page, degrees), 'page.png');
    expect(recall(LINES.join(' '), textOf(result))).toBeGreaterThanOrEqual(0.97);
    expect(result.warnings).toEqual([]);
  });

  test('sideways and askew', { tags: ['long'] }, async () => {
    const sideways = writePdf({ pages: [`0 -1 1 0 -90 702 cm\n${text(120, 300, [...LINES, ...LINES], 12)}`] });
    const result = await read(skewPicture(picturePdf(sideways, 150), 4), 'page.png');
    expect(recall([...LINES, ...LINES].join(' '), textOf(result))).toBeGreaterThanOrEqual(0.97);
  });
});

describe('POST /extract/doc reads a list of items and prices', () => {
  const rows = [
    'Mooring rope 24mm 34.00',
    'Fender cylindrical 85.50',
    'Shackle 10mm x2 7.80',
    'Marine paint 1L 19.95',
    'SUBTOTAL 147.25',
    'VAT 20% 29.45',
    'TOTAL GBP 176.70',
  ];

  test.each([0, 4])(
    'each item with its price on one line, askew by %d degrees',
    { tags: ['long'] },
    async (degrees) => {
      const picture = degrees === 0 ? fixture('receipt.png') : skewPicture(fixture('receipt.png'), degrees);
      const lines = textOf(await read(picture, 'receipt.png')).split('\n');
      for (const row of rows) expect(lines).toContain(row);
      expect(lines.join('\n')).toContain('BLUE ANCHOR STORE');
    },
  );

  test('two columns of text stay apart', { tags: ['long'] }, async () => {
    const left = LINES.map((line) => line.slice(0, 30));
    const columns = [text(60, 100, left, 10), text(330, 100, ['In 1901 the mole was built', ...left.slice(1)], 10)];
    const found = textOf(await read(picturePdf(writePdf({ pages: [columns.join('\n')] }), 200), 'columns.png'));
    expect(found).toContain('1931');
    expect(found.indexOf('mole was built')).toBeGreaterThan(found.indexOf('1931'));
  });
});

describe('POST /extract/doc reads a photographed page', () => {
  test('what is written beside a tilted sheet is not cut off', { tags: ['long'] }, async () => {
    const sheet = 'q 0.99 0.12 -0.12 0.99 40 -40 cm 1 g 140 300 380 300 re f 0 g';
    const content = ['0.7 g 0 0 612 792 re f 0 g', text(40, 30, LINES, 13), text(40, 640, LINES.toReversed(), 13)];
    const pdf = writePdf({ pages: [[...content, sheet, text(160, 260, LINES.slice(0, 4), 12), 'Q'].join('\n')] });
    const found = textOf(await read(picturePdf(pdf, 150), 'page.png'));
    expect(recall([...LINES, ...LINES].join(' '), found)).toBeGreaterThanOrEqual(0.97);
  });
});

describe('POST /extract/doc reads letters on transparent ground', () => {
  test.each([
    ['white', '1 1 1 rg'],
    ['pale yellow', '1 1 0.8 rg'],
    ['black', '0 0 0 rg'],
  ])('%s letters', { tags: ['long'] }, async (_colour, operator) => {
    const ink = writePdf({ pages: [`${operator}\n${text(60, 100, LINES, 14)}`] });
    const result = await read(clearPicture(ink, 150), 'clear.png');
    expect(recall(LINES.join(' '), textOf(result))).toBeGreaterThanOrEqual(0.97);
  });

  test('white and black letters in one picture', async () => {
    const ink = `1 1 1 rg\n${text(60, 100, LINES.slice(0, 3), 14)}\n0 0 0 rg\n${text(60, 400, LINES.slice(3), 14)}`;
    const result = await read(clearPicture(writePdf({ pages: [ink] }), 150), 'clear.png');
    expect(recall(LINES.join(' '), textOf(result))).toBeGreaterThanOrEqual(0.97);
  });
});

test('POST /extract/doc reads small light letters of a dark screen', { tags: ['long'] }, async () => {
  const shown = `0.12 g 0 0 612 792 re f 0.55 g\n${text(40, 60, [...LINES, ...LINES], 10)}`;
  const picture = drawPicture(writePdf({ pages: [shown] }), 72);
  addNoise(picture, 10, seeded(3));
  const found = textOf(await read(toJpeg(picture), 'screen.jpg'));
  expect(recall([...LINES, ...LINES].join(' '), found)).toBeGreaterThanOrEqual(0.96);
});

describe('POST /extract/doc says what it doubts', () => {
  test('letters that no word of the language has', async () => {
    const nonsense = [
      'The keeper wrote down every ship that passed,',
      'xqvz kwjjf vvqpz zxkcj hgqwv pfzzq vkxjq wqzzt',
    ];
    const result = await read(picturePdf(writePdf({ pages: [text(60, 100, nonsense, 14)] }), 150), 'page.png');
    expect(result.doubts).toEqual([
      { reason: 'unlikely-letters', page: 1, quote: expect.stringMatching(/^xqvz/) as unknown },
    ]);
    expect(result.warnings).toEqual([expect.stringContaining('page 1') as unknown]);
    expect(textOf(result)).toContain('xqvz');
  });

  test('single words, with what stands before them and their place on the page', async () => {
    const drawn = drawLetter(60);
    const picture = turnPicture(drawn.picture, 2);
    addNoise(picture, 14, seeded(4));
    const result = await read(toJpeg(picture), 'page.jpg');
    const doubts = (result.doubts ?? []).filter(({ reason }) => reason === 'unsure-word');
    expect(doubts.length).toBeGreaterThan(0);
    expect(doubts.length).toBeLessThan(40);
    const shown = textOf(result).replaceAll(/\s+/g, ' ');
    for (const { quote, before = '', page: number, box = [] } of doubts) {
      expect(shown).toContain(`${before} ${quote}`.trim());
      expect(number).toBe(1);
      const [left = -1, top = -1, right = 2, bottom = 2] = box;
      expect([left >= 0, right > left, right <= 1, top >= 0, bottom > top, bottom <= 1]).not.toContain(false);
      expect((right - left) * (bottom - top)).toBeLessThan(0.02);
    }
    expect((await read(page, 'page.png')).doubts).toBeUndefined();
  });

  test('a page of which a part is not read', { tags: ['long'] }, async () => {
    const [cosine, sine] = [Math.cos(0.7), Math.sin(0.7)];
    const slanted = `q ${cosine} ${sine} ${-sine} ${cosine} 330 -150 cm\n${text(60, 300, LINES, 12)}\nQ`;
    const pdf = writePdf({ pages: [`${text(60, 60, LINES.slice(0, 4), 14)}\n${slanted}`] });
    const result = await read(picturePdf(pdf, 150), 'page.png');
    expect(recall(LINES.slice(0, 4).join(' '), textOf(result))).toBeGreaterThanOrEqual(0.97);
    expect(result.warnings.join('\n')).toMatch(/Page 1 was probably not read whole: about \d+ %/);
  });

  test.each([
    [
      'German',
      'de',
      [
        'Der Hafen liegt an der Mündung und ist nicht sehr tief,',
        'aber die Schiffe kommen mit der Flut.',
        'Man hat ihn vor vielen Jahren gebaut,',
        'und wir sehen von hier aus auch das Meer.',
      ],
    ],
    [
      'French',
      'fr',
      [
        'Le port est dans la ville et les bateaux sont',
        'sur le quai, mais il ne fait pas beau.',
        'Nous avons vu que les hommes ne sont pas',
        'avec eux, et elle est dans la maison.',
      ],
    ],
  ])('a page in %s that was read as English', { tags: ['long'] }, async (name, code, lines) => {
    const result = await read(picturePdf(writePdf({ pages: [text(60, 100, lines, 14)] }), 150), 'page.png');
    expect(result.doubts).toContainEqual({
      reason: 'other-language',
      page: 1,
      quote: expect.stringMatching(/^(?:Der|Le) /) as unknown,
    });
    expect(result.warnings.join(' ')).toContain(`Page 1 is probably in ${name}, but read as English`);
    expect(result.warnings.join(' ')).toContain(`\`${code}\``);
  });

  test('nothing about a clean page', async () => {
    const result = await read(page, 'page.png');
    expect([result.warnings, result.doubts]).toEqual([[], undefined]);
  });
});
