import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import type { DocumentResult } from '../../../src-server/features/documents/schema.ts';
import type { Job } from '../../../src-server/features/jobs/schema.ts';
import { clearPicture, picturePdf, rule, skewPicture, text, writePdf } from '../../documents/pdf-writer.ts';
import {
  addNoise,
  drawColumns,
  drawLetter,
  drawPicture,
  drawReceipt,
  lightPicture,
  type Picture,
  photographPage,
  SHOTS,
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

async function completeJob(file: Buffer, name: string): Promise<Job> {
  const init = { method: 'POST', body: fileForm(file, name), headers: { prefer: 'wait=60' } };
  const job = (await (await appliance.owner('/v1/extract/doc', init)).json()) as Job;
  expect(job).toMatchObject({ status: 'completed' });
  return job;
}

async function read(file: Buffer, name: string): Promise<z.output<typeof DocumentResult>> {
  return (await completeJob(file, name)).result as z.output<typeof DocumentResult>;
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

const photograph = (picture: Picture, shot: keyof typeof SHOTS, size: Shot['size'] = [1700, 2200]) =>
  toJpeg(photographPage(picture, { size, noise: 8, ...SHOTS[shot] }));

const photographAll = <Name extends keyof typeof SHOTS>(
  picture: Picture,
  names: readonly Name[],
  size?: Shot['size'],
) => names.map((name) => [name, photograph(picture, name, size)] as const);

// Drawn before there is a connection, which would be closed meanwhile.
const letter = drawLetter(250);
const columns = drawColumns(250);
const receipt = drawReceipt(300);
const letters = photographAll(letter.picture, ['tilted', 'below', 'bright', 'night', 'cut']);
const receipts = photographAll(receipt.picture, ['tilted', 'below', 'bright'], [1000, 2000]);
const columnsPhotograph = photograph(columns.picture, 'tilted');

describe('POST /extract/doc reads a photographed page', () => {
  test.each(letters)('a letter, %s', async (_shot, photo) => {
    const result = await read(photo, 'photo.jpg');
    expect(recall(letter.lines.join(' '), textOf(result))).toBeGreaterThanOrEqual(0.97);
    expect([result.warnings, result.doubts]).toEqual([[], undefined]);
  });

  test('two columns in small letters, in their order', async () => {
    const found = textOf(await read(columnsPhotograph, 'photo.jpg'));
    expect(recall(columns.lines.join(' '), found)).toBeGreaterThanOrEqual(0.97);
    const placeOf = (line = '') => wordsOf(found).join(' ').indexOf(wordsOf(line).join(' '));
    expect(placeOf(columns.lines[40])).toBeLessThan(placeOf(columns.lines[50]));
  });

  test.each(receipts)('a receipt, each item with its price, %s', async (_shot, photo) => {
    const lines = textOf(await read(photo, 'receipt.jpg')).split('\n');
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

describe('POST /extract/doc reads ruled tables of a scan', () => {
  const head = ['Harbour', 'Ships', 'Tonnage', 'Depth'];
  const rows = [
    ['Kiel', '1,204', '88,120', '9.5'],
    ['Bari', '977', '61,034', '12.0'],
    ['Rostock', '2,310', '104,977', '14.5'],
    ['Split', '640', '12,005', '7.2'],
  ];
  const [before, after] = ['The table names the ships that were counted in spring.', 'Depths are those at low water.'];

  function drawTable(cells: readonly string[][], matrix = ''): Buffer {
    const sides = [70, 190, 300, 420, 530];
    const rules = sides.map((at) => rule(at, 119, at, 119 + cells.length * 24));
    for (let row = 0; row <= cells.length; row += 1) rules.push(rule(70, 119 + row * 24, 530, 119 + row * 24));
    const texts = cells.flatMap((row, at) =>
      row.map((cell, column) => text((sides[column] ?? 0) + 6, 125 + at * 24, [cell], 11)),
    );
    return writePdf({
      pages: [[matrix, text(70, 80, [before]), ...rules, ...texts, text(70, 300, [after])].join('\n')],
    });
  }

  const tablePhotograph = photograph(drawPicture(drawTable([head, ...rows]), 250), 'tilted');

  async function readTable(picture: Buffer) {
    const job = await completeJob(picture, 'table.png');
    const result = job.result as z.output<typeof DocumentResult>;
    const markdown = await (await appliance.owner(`/v1/jobs/${job.jobId}/files/document.md`)).text();
    const table = markdown
      .split('\n')
      .filter((line) => line.startsWith('|') && !/^[|\s:-]+$/.test(line))
      .map((line) => line.split('|').slice(1, -1))
      .map((cells) => cells.map((cell) => cell.trim()));
    return { result, table };
  }

  test.each([0, 2, -7])('askew by %d degrees', async (degrees) => {
    const picture = picturePdf(drawTable([head, ...rows]), 200);
    const { result, table } = await readTable(degrees === 0 ? picture : skewPicture(picture, degrees));
    expect(table).toEqual([head, ...rows]);
    const found = textOf(result);
    expect(found).toContain(before);
    expect(found.indexOf(after)).toBeGreaterThan(found.indexOf('7.2'));
    expect(result.account).toMatchObject({ unexplained: 0 });
    expect(result.warnings).toEqual([]);
  });

  test('upside down', async () => {
    const { table } = await readTable(picturePdf(drawTable([head, ...rows], '-1 0 0 -1 612 792 cm'), 200));
    expect(table).toEqual([head, ...rows]);
  });

  test('on a photograph', async () => {
    const { table } = await readTable(tablePhotograph);
    expect(table.map((row) => row.length)).toEqual([4, 4, 4, 4, 4]);
    const right = [head, ...rows].flatMap((row, at) => row.filter((cell, column) => cell === table[at]?.[column]));
    expect(right.length).toBeGreaterThanOrEqual(19);
  });

  test('a frame around text is no table', async () => {
    const frame = [rule(50, 90, 560, 90), rule(50, 260, 560, 260), rule(50, 90, 50, 260), rule(560, 90, 560, 260)];
    const pdf = writePdf({ pages: [[...frame, text(60, 100, LINES, 14)].join('\n')] });
    const { result, table } = await readTable(picturePdf(pdf, 150));
    expect(table).toEqual([]);
    expect(recall(LINES.join(' '), textOf(result))).toBeGreaterThanOrEqual(0.97);
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
