import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import type { DocumentResult } from '../../../src-server/features/documents/schema.ts';
import type { Job } from '../../../src-server/features/jobs/schema.ts';
import { clearPicture, picturePdf, skewPicture, text, writePdf } from '../../documents/pdf-writer.ts';
import {
  addNoise,
  type DrawnPage,
  drawColumns,
  drawLetter,
  drawReceipt,
  lightPicture,
  photographPage,
  type Shot,
  seeded,
  toJpeg,
  turnPicture,
} from '../../documents/scan-pictures.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { fileForm } from '../../harness/jobs.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

const fixture = (name: string) => readFileSync(new URL(`../../fixtures/documents/images/${name}`, import.meta.url));

async function read(file: Buffer, name: string): Promise<z.output<typeof DocumentResult>> {
  const init = { method: 'POST', body: fileForm(file, name), headers: { prefer: 'wait=60' } };
  const job = (await (await appliance.owner('/v1/extract/doc', init)).json()) as Job;
  expect(job).toMatchObject({ status: 'completed' });
  return job.result as z.output<typeof DocumentResult>;
}

const textOf = ({ chunks }: { chunks: { text: string }[] }) => chunks.map((chunk) => chunk.text).join('\n');

const wordsOf = (said: string): string[] => said.toLowerCase().match(/[a-z0-9]+/g) ?? [];

/** Share of the words of a text that another has. */
function recall(truth: string, found: string): number {
  const left = wordsOf(found);
  const words = wordsOf(truth);
  const met = words.filter((word) => {
    const at = left.indexOf(word);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
  return met.length / words.length;
}

const LINES = [
  'The lighthouse keeper wrote down every ship that passed,',
  'its name, its flag and the hour of the day. On stormy',
  'nights he wrote little, because the lamp needed him more',
  'than the book did. After forty years the shelves of the',
  'tower held ninety volumes, and nobody had ever read one.',
  'A clerk of the harbour board found them in the spring of',
  '1931 and asked for the keys of the upper room at once.',
];
const page = picturePdf(writePdf({ pages: [text(60, 100, LINES, 14)] }), 150);

const HARBOUR = `Annual Harbour Report The amount of goods handled in the harbour rose by four percent over the last
  year. The main cause was a steady growth of imports through the northern terminal, where two new cranes were put into
  service in March. Dredging of the channel will be completed in October, provided that the weather allows it. The board
  thanks all members of the staff for their work during a difficult season.`;

describe('POST /extract/doc reads a picture that lies askew', () => {
  test('a scan of 72 words, by three degrees', async () => {
    const result = await read(fixture('page-3-degrees.jpg'), 'page.jpg');
    expect(wordsOf(HARBOUR)).toHaveLength(72);
    expect(recall(HARBOUR, textOf(result))).toBeGreaterThanOrEqual(0.97);
    expect(result.warnings).toEqual([]);
    expect(result.doubts).toBeUndefined();
    expect(result.account).toMatchObject({ unit: 'letters', leftOut: [], unexplained: 0 });
  });

  test.each([-44, -10, -3, 0.5, 5, 10, 30])('by %d degrees', async (degrees) => {
    const result = await read(skewPicture(page, degrees), 'page.png');
    expect(recall(LINES.join(' '), textOf(result))).toBeGreaterThanOrEqual(0.97);
    expect(result.warnings).toEqual([]);
  });

  test('sideways and askew', async () => {
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

  test.each([0, 4, -6])('each item with its price on one line, askew by %d degrees', async (degrees) => {
    const picture = degrees === 0 ? fixture('receipt.png') : skewPicture(fixture('receipt.png'), degrees);
    const lines = textOf(await read(picture, 'receipt.png')).split('\n');
    for (const row of rows) expect(lines).toContain(row);
    expect(lines.join('\n')).toContain('BLUE ANCHOR STORE');
  });

  test('each item with its price on one line, on a picture that lies on its side', async () => {
    const receipt = drawReceipt(200);
    const lying = toJpeg(turnPicture(receipt.picture, 90));
    const lines = textOf(await read(lying, 'receipt.jpg')).split('\n');
    const whole = receipt.lines.filter((line) => lines.includes(line));
    expect(whole.length).toBeGreaterThanOrEqual(receipt.lines.length * 0.9);
  });

  test('two columns of text stay apart', async () => {
    const left = LINES.map((line) => line.slice(0, 30));
    const columns = [text(60, 100, left, 10), text(330, 100, ['In 1901 the mole was built', ...left.slice(1)], 10)];
    const found = textOf(await read(picturePdf(writePdf({ pages: [columns.join('\n')] }), 200), 'columns.png'));
    expect(found).toContain('1931');
    expect(found.indexOf('mole was built')).toBeGreaterThan(found.indexOf('1931'));
  });
});

/** Photographs by hand: tilted in a lamp's light, from below, on a bright table, at night, with the edges cut off. */
const SHOTS = {
  tilted: {
    corners: [
      [0.16, 0.05],
      [0.95, 0.12],
      [0.86, 0.96],
      [0.06, 0.9],
    ],
    ground: 70,
    light: [0.95, 0.65, 0.8],
  },
  below: {
    corners: [
      [0.22, 0.1],
      [0.8, 0.08],
      [0.97, 0.95],
      [0.04, 0.97],
    ],
    ground: 80,
    light: [0.9, 0.5, 0.9],
  },
  bright: {
    corners: [
      [0.12, 0.06],
      [0.9, 0.1],
      [0.93, 0.95],
      [0.05, 0.92],
    ],
    ground: 190,
    light: [1, 0.6, 0.8],
  },
  night: {
    corners: [
      [0.1, 0.1],
      [0.9, 0.06],
      [0.95, 0.93],
      [0.05, 0.95],
    ],
    ground: 30,
    light: [0.6, 0.25, 0.8],
  },
  cut: {
    corners: [
      [-0.04, -0.03],
      [1.03, 0.01],
      [1.05, 1.06],
      [-0.02, 1.02],
    ],
    ground: 60,
    light: [1, 0.5, 0.7],
  },
} as const satisfies Record<string, Pick<Shot, 'corners' | 'ground' | 'light'>>;

const photograph = ({ picture }: DrawnPage, shot: keyof typeof SHOTS, size: Shot['size'] = [1700, 2200]) =>
  toJpeg(photographPage(picture, { size, noise: 8, ...SHOTS[shot] }));

describe('POST /extract/doc reads a photographed page', () => {
  test.each(['tilted', 'below', 'bright', 'night', 'cut'] as const)('a letter, %s', async (shot) => {
    const letter = drawLetter(250);
    const result = await read(photograph(letter, shot), 'photo.jpg');
    expect(recall(letter.lines.join(' '), textOf(result))).toBeGreaterThanOrEqual(0.97);
    expect([result.warnings, result.doubts]).toEqual([[], undefined]);
  });

  test('two columns in small letters, in their order', async () => {
    const columns = drawColumns(250);
    const found = textOf(await read(photograph(columns, 'tilted'), 'photo.jpg'));
    expect(recall(columns.lines.join(' '), found)).toBeGreaterThanOrEqual(0.97);
    const placeOf = (line = '') => wordsOf(found).join(' ').indexOf(wordsOf(line).join(' '));
    expect(placeOf(columns.lines[40])).toBeLessThan(placeOf(columns.lines[50]));
  });

  test.each(['tilted', 'below', 'bright'] as const)('a receipt, each item with its price, %s', async (shot) => {
    const receipt = drawReceipt(300);
    const lines = textOf(await read(photograph(receipt, shot, [1000, 2000]), 'receipt.jpg')).split('\n');
    expect(recall(receipt.lines.join(' '), lines.join(' '))).toBeGreaterThanOrEqual(0.95);
    const rows = receipt.lines.filter((line) => /\.\d\d$/.test(line));
    const whole = rows.filter((row) => lines.includes(row));
    expect(whole.length).toBeGreaterThanOrEqual(rows.length * 0.85);
  });

  test('a page whose lower right lies in the shade', async () => {
    const { picture, lines } = drawLetter(150);
    lightPicture(picture, [1, 0.25, 0.6]);
    addNoise(picture, 6, seeded(9));
    const result = await read(toJpeg(picture), 'page.jpg');
    expect(recall(lines.join(' '), textOf(result))).toBeGreaterThanOrEqual(0.97);
    expect(result.warnings).toEqual([]);
  });

  test('what is written beside a tilted sheet is not cut off', async () => {
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
  ])('%s letters', async (_colour, operator) => {
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

  test('a page of which a part is not read', async () => {
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
  ])('a page in %s that was read as English', async (name, code, lines) => {
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
