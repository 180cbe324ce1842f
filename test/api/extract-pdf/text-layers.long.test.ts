import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Job } from '../../../src-server/features/jobs/schema.ts';
import { FIRST_EXTRA, pictureObject, text, writePdf } from '../../documents/pdf-writer.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { CHROMIUM_ARGS, chromiumFile } from '../../harness/chromium.ts';
import { fileForm } from '../../harness/jobs.ts';

/** Text that a PDF holds as characters is never replaced by what is recognised from its picture. */
const chromium = chromiumFile();
const PRINT_LIMIT_MS = 600_000;

let appliance: Appliance;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quarry layers '));
  appliance = await startAppliance();
});
afterAll(async () => {
  await appliance.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Read {
  text: string;
  recognized: number[];
}

interface Result {
  chunks: { text: string }[];
  document: { ocr?: { pages: number[] } };
  warnings: string[];
}

async function send(pdf: Uint8Array): Promise<Job> {
  const init = { method: 'POST', body: fileForm(pdf, 'layers.pdf'), headers: { prefer: 'wait=60' } };
  return (await (await appliance.owner('/v1/extract/pdf', init)).json()) as Job;
}

async function resultOf(pdf: Uint8Array): Promise<Result> {
  const job = await send(pdf);
  expect(job).toMatchObject({ jobType: 'extract/pdf', status: 'completed' });
  return job.result as unknown as Result;
}

async function read(pdf: Uint8Array): Promise<Read> {
  const result = await resultOf(pdf);
  return { text: result.chunks.map((chunk) => chunk.text).join('\n'), recognized: result.document.ocr?.pages ?? [] };
}

async function print(name: string, pages: readonly string[]): Promise<Buffer> {
  const [page, pdf] = [join(folder, `${name}.html`), join(folder, `${name}.pdf`)];
  const body = pages.map((content) => `<section style="break-after: page">${content}</section>`).join('');
  writeFileSync(page, `<!doctype html><html lang="en"><head><meta charset="utf-8"></head><body>${body}</body></html>`);
  const own = ['--headless', `--user-data-dir=${join(folder, 'browser')}`, '--no-pdf-header-footer'];
  const args = [...CHROMIUM_ARGS, ...own, `--print-to-pdf=${pdf}`, pathToFileURL(page).href];
  await promisify(execFile)(chromium as string, args, { timeout: PRINT_LIMIT_MS });
  return readFileSync(pdf);
}

/** A font that embeds no glyphs: its codes are those of Unicode. A range of codes may not go over 256. */
const RANGES = Array.from({ length: 256 }, (_, high) => {
  const byte = high.toString(16).padStart(2, '0');
  return `<${byte}00> <${byte}FF> <${byte}00>`;
});
const UNICODE_MAP = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Any def
1 begincodespacerange <0000> <FFFF> endcodespacerange 256 beginbfrange
${RANGES.join('\n')} endbfrange endcmap end end`;
const DESCENDANT = '/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /DW 1000';
const UNICODE_FONT = [
  `<< /Type /Font /Subtype /Type0 /BaseFont /Any /Encoding /Identity-H
/DescendantFonts [${FIRST_EXTRA + 1} 0 R] /ToUnicode ${FIRST_EXTRA + 2} 0 R >>`,
  `<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Any ${DESCENDANT} /FontDescriptor ${FIRST_EXTRA + 3} 0 R >>`,
  `<< /Length ${UNICODE_MAP.length} >>\nstream\n${UNICODE_MAP}\nendstream`,
  '<< /Type /FontDescriptor /FontName /Any /Flags 4 /FontBBox [0 -200 1000 800] /Ascent 800 /Descent -200 >>',
];
const unicodeText = (left: number, top: number, line: string, size = 20) => {
  const hex = Buffer.from(line, 'utf16le').swap16().toString('hex');
  return `BT /U ${size} Tf ${left} ${792 - top - size} Td <${hex}> Tj ET`;
};
/** A PDF with that font and, as `/Picture`, the picture of a page. */
const unicodePdf = (pages: string[], picture = writePdf({ pages: [''] })) =>
  writePdf({
    pages,
    extra: [...UNICODE_FONT, pictureObject(picture)],
    resources: `/Font << /F1 3 0 R /F3 6 0 R /U ${FIRST_EXTRA} 0 R >> /XObject << /Picture ${FIRST_EXTRA + UNICODE_FONT.length} 0 R >>`,
  });
const draw = (left: number, bottom: number, width: number, height: number) =>
  `q ${width} 0 0 ${height} ${left} ${bottom} cm /Picture Do Q`;
/** Ink beside the text, as on most title pages. */
const RULES = '60 640 490 6 re f 60 400 490 6 re f';

const TITLES = {
  Russian: 'Глава первая',
  Greek: 'Κεφάλαιο α΄',
  Czech: 'Žluťoučký kůň',
  Turkish: 'Işığın gölgesi',
  Chinese: '第一章 港口',
};

describe('POST /extract/pdf of short pages', () => {
  test.each(Object.entries(TITLES))(
    'keeps the letters of a title in %s and recognises nothing',
    async (_language, title) => {
      const page = `${unicodeText(60, 200, title)}\n${RULES}`;
      expect(await read(unicodePdf([page]))).toEqual({ text: title, recognized: [] });
    },
  );

  test.skipIf(chromium === null)('recognises none of the title pages that a browser printed', async () => {
    const { Chinese: _, ...printed } = TITLES;
    const titles = Object.values(printed);
    const pages = titles.map((title) => `<h1 style="font-size: 60px; border: 1px solid #ccc">${title}</h1>`);
    const { text: all, recognized } = await read(await print('titles', pages));
    for (const title of titles) expect(all).toContain(title);
    expect(recognized).toEqual([]);
  });
});

const SENTENCES = [
  'The harbour was quiet in the morning,',
  'and no ship had come in for a week.',
  'Nobody knew when the next would land.',
];
const scanned = writePdf({ pages: [text(60, 200, SENTENCES, 12)] });
const WHOLE_PAGE = draw(0, 0, 612, 792);

describe('POST /extract/pdf of scans', () => {
  test.each([
    ['that is not painted', `${WHOLE_PAGE} 3 Tr ${unicodeText(60, 200, 'Гавань')}`],
    ['under the picture', `${unicodeText(60, 200, 'Гавань')} ${WHOLE_PAGE}`],
  ])('keeps the text of an earlier recognition %s', async (_how, content) => {
    expect(await read(unicodePdf([content], scanned))).toEqual({ text: 'Гавань', recognized: [] });
  });

  test.each([
    ['a page number', 'стр. 7'],
    ['a long stamp', 'Загружено из библиотеки порта 23 ноября 2026 года'],
  ])('reads the picture and keeps %s that was printed on it', async (_what, stamp) => {
    const { text: all, recognized } = await read(
      unicodePdf([`${WHOLE_PAGE} ${unicodeText(60, 40, stamp, 11)}`], scanned),
    );
    expect(recognized).toEqual([1]);
    expect(all.replaceAll('\n', ' ').replace(/ +/g, ' ')).toBe(`${stamp} ${SENTENCES.join(' ')}`);
  });
});

describe('POST /extract/pdf of pages with pictures', () => {
  const picture = writePdf({ pages: [text(60, 200, SENTENCES, 24)] });

  test('reads the picture, the text above it and the caption below it, in this order', async () => {
    const page = [
      unicodeText(60, 40, 'Глава 1', 16),
      draw(60, 180, 400, 518),
      unicodeText(60, 640, 'Рис. 1. Гавань', 11),
    ];
    const { text: all, recognized } = await read(unicodePdf([page.join('\n')], picture));
    expect(recognized).toEqual([1]);
    const places = ['Глава 1', ...SENTENCES, 'Рис. 1. Гавань'].map((part) => all.replaceAll('\n', ' ').indexOf(part));
    expect(places).not.toContain(-1);
    expect(places).toEqual([...places].sort((a, b) => a - b));
  });

  test('leaves a logo alone', async () => {
    const page = [draw(480, 660, 90, 116), unicodeText(60, 100, 'Уважаемые гости'), unicodeText(60, 140, 'Ждём вас')];
    const { text: all, recognized } = await read(unicodePdf([page.join('\n')], picture));
    expect([all.replaceAll('\n', ' ').replace(/ +/g, ' '), recognized]).toEqual(['Уважаемые гости Ждём вас', []]);
  });

  test('leaves a background alone that text lies over', async () => {
    const lines = Array.from({ length: 12 }, (_, line) =>
      unicodeText(60, 80 + line * 50, `Строка ${line + 1} доклада`),
    );
    const { recognized } = await read(unicodePdf([[WHOLE_PAGE, ...lines].join('\n')], picture));
    expect(recognized).toEqual([]);
  });
});

describe('POST /extract/pdf of pictures in another script', () => {
  const RUSSIAN =
    'Гавань была тихой утром, и ни один корабль не приходил уже неделю. Никто не знал, когда придёт следующий.';
  let picture: Buffer;
  beforeAll(async () => {
    if (chromium !== null) picture = await print('russian', [`<p style="font: 16pt serif">${RUSSIAN} ${RUSSIAN}</p>`]);
  });

  test.skipIf(chromium === null)('keeps the text and says which pages were not read, and why', async () => {
    const pdf = unicodePdf([unicodeText(60, 100, 'Глава первая: гавань', 14), draw(0, 0, 612, 792)], picture);
    const { chunks, document, warnings } = await resultOf(pdf);
    expect(chunks.map((chunk) => chunk.text).join(' ')).toBe('Глава первая: гавань');
    expect(document.ocr).toBeUndefined();
    expect(warnings.join(' ')).toMatch(/language is ru\..*page 2\..*ocr-rus is not installed/);
  });

  test.skipIf(chromium === null)('fails where nothing else is there to read, and names the missing data', async () => {
    const pdf = unicodePdf([draw(0, 0, 612, 792)], picture).toString('latin1');
    const job = await send(Buffer.from(pdf.replace('/Type /Catalog', '/Type /Catalog /Lang (ru)'), 'latin1'));
    expect(job).toMatchObject({ status: 'failed', error: { code: 'model_not_installed' } });
    expect(job.error?.message).toContain('ocr-rus');
  });

  test.skipIf(chromium === null)('says that it doubts English where nothing states a language', async () => {
    const { warnings } = await resultOf(unicodePdf([draw(0, 0, 612, 792)], picture));
    expect(warnings.join(' ')).toMatch(/read as English, with doubt on page 1\..*`language`/);
  });
});

test('POST /extract/pdf replaces only the lines whose characters have no meaning', async () => {
  const broken = text(60, 300, ['squares without a meaning here', 'and another line of these'], 12, 'F3');
  const page = [unicodeText(60, 100, 'Строка с настоящими буквами', 14), broken, draw(60, 60, 300, 388)];
  const { text: all, recognized } = await read(
    unicodePdf([page.join('\n')], writePdf({ pages: [text(60, 200, SENTENCES, 30)] })),
  );
  expect(recognized).toEqual([1]);
  expect(all).toContain('Строка с настоящими буквами');
  expect(all).toContain('no ship');
  expect(all).not.toMatch(/\p{Co}/u);
});
