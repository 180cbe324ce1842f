/** Photographs of pages, and tables of scans: drawn with perspective, light and noise. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { picturePdf, rule, skewPicture, text, writePdf } from '../../documents/pdf-writer.ts';
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
import { LINES, picturesAt, recall, textOf, wordsOf } from '../../harness/pictures.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

const { completeJob, read } = picturesAt(() => appliance);

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
    expect(result.warnings).toEqual([]);
    // A word that is hard to read may be doubted, and nothing else.
    const doubts = result.doubts ?? [];
    expect(doubts.filter(({ reason }) => reason !== 'unsure-word')).toEqual([]);
    expect(doubts.length).toBeLessThanOrEqual(letter.lines.join(' ').split(' ').length / 100);
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

  test('each item with its price on one line, on a picture that lies on its side', async () => {
    const lying = toJpeg(turnPicture(receipt.picture, 90));
    const lines = textOf(await read(lying, 'receipt.jpg')).split('\n');
    const whole = receipt.lines.filter((line) => lines.includes(line));
    expect(whole.length).toBeGreaterThanOrEqual(receipt.lines.length * 0.9);
  });

  test('a page whose lower right lies in the shade', async () => {
    const { picture, lines } = drawLetter(150);
    lightPicture(picture, [1, 0.25, 0.6]);
    addNoise(picture, 6, seeded(9));
    const result = await read(toJpeg(picture), 'page.jpg');
    expect(recall(lines.join(' '), textOf(result))).toBeGreaterThanOrEqual(0.97);
    expect(result.warnings).toEqual([]);
  });
});

const page = picturePdf(writePdf({ pages: [text(60, 100, LINES, 14)] }), 150);

describe('POST /extract/doc reads a picture that lies askew', () => {
  test.each([-10, 0.5, 5, 30])('by %d degrees', async (degrees) => {
    const result = await read(skewPicture(page, degrees), 'page.png');
    expect(recall(LINES.join(' '), textOf(result))).toBeGreaterThanOrEqual(0.97);
    expect(result.warnings).toEqual([]);
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
    const result = job.result as Awaited<ReturnType<typeof read>>;
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
