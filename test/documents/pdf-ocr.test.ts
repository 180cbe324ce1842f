import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MINUTE_MS } from '../../src-server/platform/units.ts';
import type { RecognizedPage, RecognizeTextInput } from '../../workers/documents/tasks.ts';
import { ENGLISH, openPdfBed } from './pdf-bed.ts';
import { FIRST_EXTRA, picturePdf, scanPdf, skewPicture, text, writePdf } from './pdf-writer.ts';
import { drawLetter, mapToUnitSquare, photographPage, toJpeg } from './scan-pictures.ts';

let bed: Awaited<ReturnType<typeof openPdfBed>>;
beforeAll(async () => {
  bed = await openPdfBed();
});
afterAll(() => bed.close());

const SENTENCES = [
  'The harbour was quiet in the morning,',
  'and no ship had come in for a week.',
  'Nobody knew when the next would land.',
];
const printed = writePdf({ pages: [text(60, 100, SENTENCES, 12)] });
const textOf = (chunks: { text: string }[]) => chunks.map((chunk) => chunk.text).join('\n');

describe('pages without a usable text layer', () => {
  test('a scanned page is read from its picture, with its confidence told', async () => {
    const { result, filesFolder } = await bed.extract(scanPdf(printed));
    expect(textOf(result.chunks)).toBe(SENTENCES.join(' '));
    expect(result.document.ocr).toMatchObject({ pages: [1], language: 'eng' });
    expect(result.document.ocr?.meanConfidence).toBeGreaterThan(80);
    expect(result.files.map((file) => file.name)).toContain('ocr.jsonl');
    const [line] = (await readFile(join(filesFolder, 'ocr.jsonl'), 'utf8')).trim().split('\n');
    const page = JSON.parse(line ?? '') as RecognizedPage;
    const [left, top] = page.lines[0]?.box ?? [0, 0];
    expect([page.number, page.lines.length]).toEqual([1, SENTENCES.length]);
    expect(Math.abs(left / page.scale - 60)).toBeLessThan(5);
    expect(Math.abs(top / page.scale - 102)).toBeLessThan(8);
    expect(page.lines[0]?.words).toHaveLength(7);
  });

  test('text whose font maps all glyphs to one letter is read from its picture', async () => {
    const broken = text(60, 100, [...SENTENCES, 'The end.'], 12, 'F4');
    const { result } = await bed.extract(writePdf({ pages: [broken] }));
    expect(textOf(result.chunks).replace(/\s+/gu, ' ')).toBe([...SENTENCES, 'The end.'].join(' '));
    expect(result.account?.leftOut).toMatchObject([{ reason: 'damaged', where: 'page 1' }]);
    expect(result.account?.unexplained).toBe(0);
  });

  test.each([
    ['sideways, its head to the right', '0 -1 1 0 -90 702 cm', 270],
    ['sideways, its head to the left', '0 1 -1 0 702 90 cm', 90],
    ['upside down', '-1 0 0 -1 612 792 cm', 180],
  ])('a page that was scanned %s is read as if it lay right', { tags: ['long'] }, async (_how, matrix, turned) => {
    const lines = [...SENTENCES, ...SENTENCES, ...SENTENCES];
    const lying = writePdf({ pages: [`${matrix}\n${text(120, 300, lines, 12)}`] });
    const { result, filesFolder } = await bed.extract(scanPdf(lying));
    expect(textOf(result.chunks)).toBe(lines.join(' '));
    const page = JSON.parse(await readFile(join(filesFolder, 'ocr.jsonl'), 'utf8')) as RecognizedPage;
    expect(page.turned).toBe(turned);
    expect(page.width > page.height).toBe(turned !== 180);
    const tops = page.lines.map(({ box: [, top] }) => top);
    expect(tops).toEqual([...tops].sort((a, b) => a - b));
    expect(page.lines.every(({ box: [left, top, right, bottom] }) => right - left > 5 * (bottom - top))).toBe(true);
  });

  test('only the pages that need it are recognised, and the others keep their own text', async () => {
    const mixed = writePdf({
      pages: [
        text(60, 100, ['This page has its own text layer.']),
        '',
        text(60, 100, ['squares without a meaning here'], 12, 'F3'),
      ],
    });
    const { result } = await bed.extract(mixed);
    expect(result.document.ocr?.pages).toEqual([3]);
    expect(textOf(result.chunks)).toContain('This page has its own text layer.');
  });

  test('two scanned pages keep their order and their numbers', { tags: ['long'] }, async () => {
    const two = writePdf({
      pages: [text(60, 100, ['This was written first of all.'], 14), text(60, 100, ['This was written later on.'], 14)],
    });
    const { document } = await bed.extract(scanPdf(two));
    expect(document.blocks.map((block) => [block.page, 'text' in block ? block.text : ''])).toEqual([
      [1, 'This was written first of all.'],
      [2, 'This was written later on.'],
    ]);
  });

  test('a language that is not installed fails the job only when it is needed, and says which', async () => {
    await expect(bed.extract(scanPdf(printed), { language: 'de' })).rejects.toMatchObject({
      code: 'model_not_installed',
      message: expect.stringContaining('de'),
    });
    expect((await bed.extract(printed, { language: 'de' })).result.chunks).toHaveLength(1);
  });

  test('a language that only the document states falls back to English, with a warning', {
    tags: ['long'],
  }, async () => {
    const scan = scanPdf(printed).toString('latin1');
    const stated = Buffer.from(scan.replace(/\/Type\s*\/Catalog/, '/Type/Catalog/Lang(de)'), 'latin1');
    const { result } = await bed.extract(stated);
    expect(result.document.ocr?.language).toBe('eng');
    expect(result.warnings.join(' ')).toContain('de');
    expect(textOf(result.chunks)).toContain('harbour');
  });
});

test.each([
  ['Гавань', 'ru'],
  ['Гавань была тихой утром, и ни один корабль не приходил уже неделю, писал смотритель маяка', 'ru'],
  ['Κεφάλαιο', 'el'],
  ['第一章 港口', 'zh'],
  ['Der Hafen war am Morgen ruhig und seit einer Woche war kein Schiff mehr gekommen', 'de'],
  ['Harbour', null],
  ['7', null],
])('the language of “%s” is %s', async (said, language) => {
  const found = bed.pool.run('detect-language', { text: said }, { accountId: 'owner', timeLimitMs: MINUTE_MS });
  expect(await found).toEqual({ language });
});

describe('pictures', () => {
  const middleOf = ([left, top, right, bottom]: [number, number, number, number]) =>
    [(left + right) / 2, (top + bottom) / 2] as const;

  async function recognize(bytes: Buffer, changes: Partial<RecognizeTextInput> = {}) {
    const path = join(bed.folder, `picture ${randomBytes(4).toString('hex')}`);
    await writeFile(path, bytes);
    const input: RecognizeTextInput = { source: { kind: 'image', path }, model: ENGLISH, layout: 'page', ...changes };
    return bed.pool.run('recognize-text', input, { accountId: 'owner', timeLimitMs: MINUTE_MS });
  }

  test('a picture file is read, as a page and as a frame', async () => {
    const picture = picturePdf(printed, 150);
    expect((await recognize(picture)).text.replaceAll('\n', ' ')).toBe(SENTENCES.join(' '));
    const frame = await recognize(picture, { layout: 'frame' });
    expect(frame.text).toContain('harbour');
    expect(frame.confidence).toBeGreaterThan(70);
  });

  test.each([-4, 3, 9])(
    'words of a picture askew by %d degrees are found where they are shown',
    { tags: ['long'] },
    async (degrees) => {
      const upright = await recognize(picturePdf(printed, 150));
      const askew = await recognize(skewPicture(picturePdf(printed, 150), degrees));
      expect(askew.text).toBe(upright.text);
      expect(Math.abs(askew.skew - degrees)).toBeLessThan(0.3);
      const turn = (degrees * Math.PI) / 180;
      for (const [index, { box }] of upright.lines.flatMap(({ words }) => words).entries()) {
        const [x, y] = middleOf(box);
        const [right, down] = [x - upright.width / 2, y - upright.height / 2];
        const shown = [
          askew.width / 2 + right * Math.cos(turn) - down * Math.sin(turn),
          askew.height / 2 + right * Math.sin(turn) + down * Math.cos(turn),
        ] as const;
        const found = middleOf(askew.lines.flatMap(({ words }) => words)[index]?.box ?? [0, 0, 0, 0]);
        expect(Math.hypot(found[0] - shown[0], found[1] - shown[1])).toBeLessThan(8);
      }
    },
  );

  test('words of a photographed page are found where the photograph shows them', { tags: ['long'] }, async () => {
    const { picture } = drawLetter(200);
    const upright = await recognize(toJpeg(picture));
    const corners = [
      [0.16, 0.05],
      [0.95, 0.12],
      [0.86, 0.96],
      [0.06, 0.9],
    ] as const;
    const [width, height] = [1700, 2200];
    const shot = { size: [width, height], corners, ground: 70, light: [0.95, 0.65, 0.8], noise: 6 } as const;
    const photo = await recognize(toJpeg(photographPage(picture, shot)));
    expect([photo.width, photo.height]).toEqual([width, height]);
    expect(photo.skew).toBeGreaterThan(3);
    const toPage = mapToUnitSquare(corners.map(([x, y]) => [x * width, y * height]));
    const known = upright.lines.flatMap(({ words }) => words).map(({ box, text }) => ({ text, place: middleOf(box) }));
    const inPlace = known.filter(({ text, place: [x, y] }) =>
      photo.lines.some(({ words }) =>
        words.some((word) => {
          const [u, v] = toPage(...middleOf(word.box));
          return word.text === text && Math.hypot(u * picture.width - x, v * picture.height - y) < 10;
        }),
      ),
    );
    expect(inPlace.length).toBeGreaterThanOrEqual(known.length * 0.97);
  });

  test('a picture without text gives no text and no confidence', async () => {
    expect(await recognize(picturePdf(writePdf({ pages: [''] }), 100))).toMatchObject({
      text: '',
      confidence: null,
      lines: [],
    });
  });

  test.each([
    ['no bytes', Buffer.alloc(0)],
    ['random bytes', randomBytes(4000)],
    ['the head of a PNG and nothing else', picturePdf(printed, 72).subarray(0, 40)],
  ])('%s end in a clear error, and the thread goes on to read', { tags: ['long'] }, async (_name, bytes) => {
    await expect(recognize(bytes)).rejects.toMatchObject({ code: 'corrupt_input' });
    expect((await recognize(picturePdf(printed, 150))).text).toContain('harbour');
  });

  test('a picture of a few bytes that stands for ten thousand million pixels is refused before it is decoded', async () => {
    const png = picturePdf(printed, 72);
    png.writeUInt32BE(100_000, 16);
    png.writeUInt32BE(100_000, 20);
    await expect(recognize(png)).rejects.toMatchObject({
      code: expect.stringMatching(/^(source_too_large|corrupt_input)$/),
    });
  });

  test('trained data that cannot be read is named as missing', async () => {
    const path = join(bed.folder, 'broken.traineddata');
    await writeFile(path, randomBytes(3000));
    const broken = recognize(picturePdf(printed, 100), { model: { name: 'xyz', path } });
    await expect(broken).rejects.toMatchObject({
      code: 'model_not_installed',
      message: expect.stringContaining('xyz'),
    });
  });
});

test('text that was turned into curves is found by its ink', { tags: ['long'] }, async () => {
  const bars = Array.from({ length: 40 }, (_, index) => `${60 + index * 12} 500 6 60 re f`).join('\n');
  const { result } = await bed.extract(writePdf({ pages: [bars], extra: [], catalogue: `/X ${FIRST_EXTRA}` }));
  expect(result.document.ocr?.pages).toEqual([1]);
});
