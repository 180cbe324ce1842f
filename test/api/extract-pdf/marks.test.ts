/** Links to addresses by the rectangles of their annotations, and emphasis by the fonts of words within a paragraph. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mupdf } from '../../../workers/documents/pdf/open-pdf.ts';
import { box, FIRST_EXTRA, rule, text, writePdf } from '../../documents/pdf-writer.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { readDocument } from '../../harness/read-document.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

type Rectangle = [left: number, top: number, right: number, bottom: number];

/** A link whose rectangle is measured from the page's top left corner. */
function link([left, top, right, bottom]: Rectangle, url: string, more = '') {
  const action = `/A << /S /URI /URI (${url}) >>`;
  return `<< /Type /Annot /Subtype /Link /Rect [${left} ${792 - bottom} ${right} ${792 - top}] ${action} ${more} >>`;
}

function linkedPdf(page: string, links: string[], more: Partial<Parameters<typeof writePdf>[0]> = {}) {
  const { pageEntries = '', ...rest } = more;
  const annotations = `/Annots [${links.map((_, at) => `${FIRST_EXTRA + at} 0 R`).join(' ')}]`;
  return writePdf({ pages: [page], extra: links, ...rest, pageEntries: `${annotations} ${pageEntries}` });
}

async function read(pdf: Buffer) {
  const whole = await readDocument(appliance, pdf, 'a.pdf');
  expect(whole.error).toBeNull();
  expect(whole.result.account).toMatchObject({ unexplained: 0, leftOut: [] });
  const file = (whole.result.files as { name: string; url: string }[]).find(({ name }) => name === 'docling.json');
  const docling = await (await appliance.owner(new URL(file?.url ?? '').pathname)).json();
  return { paragraphs: whole.markdown.trim().split('\n\n'), docling };
}

/** Helvetica of 11 points: `The pilots` is 47.7 points wide, `The ` 22.0. */
const SENTENCE = 'The pilots of the harbour know the fairway better than anyone who has not';

test('links are on the words under their rectangles, in each kind of block', async () => {
  const grid = [0, 1, 2].map((row) => rule(72, 400 + row * 18, 272, 400 + row * 18));
  for (const x of [72, 172, 272]) grid.push(rule(x, 400, x, 436));
  const page = [
    text(72, 60, ['Harbour guide'], 20, 'F2'),
    text(72, 100, [SENTENCE, 'sailed it in the fog of the late autumn, as the town will tell you if you ask.']),
    text(72, 150, ['\x95 The first boat', '\x95 The second boat'], 11),
    ...grid,
    text(76, 403, ['Arden'], 10),
    text(176, 403, ['Map'], 10),
    text(76, 421, ['Brill'], 10),
    text(176, 421, ['Map'], 10),
  ].join('\n');
  const { paragraphs, docling } = await read(
    linkedPdf(page, [
      link([70, 58, 220, 84], 'https://harbour.example/'),
      link([94, 101, 121, 113], 'https://pilots.example/'),
      link([94, 101, 121, 113], 'https://pilots.example/'),
      // From the end of a line to the start of the next one.
      link([398, 101, 440, 113], 'https://fog.example/?a=1'),
      link([70, 115, 99, 127], 'https://fog.example/?a=1'),
      link([102, 164, 165, 178], 'mailto:second@boat.example'),
      link([176, 403, 196, 414], 'https://maps.example/arden'),
      link([176, 421, 196, 432], 'https://maps.example/brill'),
    ]),
  );
  expect(paragraphs).toEqual([
    '# [Harbour guide](https://harbour.example/)',
    'The [pilots](https://pilots.example/) of the harbour know the fairway better than anyone who [has not sailed]' +
      '(https://fog.example/?a=1) it in the fog of the late autumn, as the town will tell you if you ask.',
    '- The first boat\n- The [second boat](mailto:second@boat.example)',
    '| Arden | [Map](https://maps.example/arden) |\n| --- | --- |\n| Brill | [Map](https://maps.example/brill) |',
  ]);
  const [heading] = (docling as { texts: { text: string; hyperlink?: string }[] }).texts;
  expect(heading).toMatchObject({ text: 'Harbour guide', hyperlink: 'https://harbour.example/' });
});

test('a link over lines follows its rectangles, and an address that a line end divides is whole', async () => {
  const page = [
    text(72, 100, [SENTENCE, 'sailed it in the fog. See https://maps.example/the/']),
    text(72, 127.5, ['harbour/map and the notes.']),
  ].join('\n');
  const quads = [
    [398, 691, 440, 691, 398, 679, 440, 679],
    [70, 677, 99, 677, 70, 665, 99, 665],
  ].flat();
  const address = 'https://maps.example/the/harbour/map';
  const { paragraphs } = await read(
    linkedPdf(page, [
      link([70, 101, 440, 127], 'https://fog.example/', `/QuadPoints [${quads.join(' ')}]`),
      link([188, 115, 340, 127], address),
      link([72, 129, 129, 141], address),
    ]),
  );
  expect(paragraphs.join(' ')).toContain('who [has not sailed](https://fog.example/) it in');
  expect(paragraphs.join(' ')).toContain(`See <${address}> and the notes.`);
});

test('printed addresses stay as they are, and links of contents and of scripts are none', async () => {
  const page = text(72, 100, ['See https://pilots.example/ or pilots@harbour.example', 'Chapter 1 and the form here']);
  const entry = '<< /Type /Annot /Subtype /Link /Rect [72 665 120 677] /A << /S /GoTo /D [1000 0 R /Fit] >> >>';
  const { paragraphs } = await read(
    linkedPdf(page, [
      link([94, 101, 205, 113], 'https://pilots.example/'),
      link([218, 101, 345, 113], 'mailto:pilots@harbour.example'),
      entry,
      link([180, 115, 220, 127], 'javascript:alert\\(1\\)'),
      link([72, 115, 220, 127], 'https://hidden.example/', '/F 2'),
    ]),
  );
  expect(paragraphs).toEqual(['See <https://pilots.example/> or pilots@harbour.example Chapter 1 and the form here']);
});

test.each([90, 180, 270])('links are right on a page that is turned by %i degrees and cropped', async (turn) => {
  const page = text(72, 100, [SENTENCE, 'sailed it in the fog.']);
  const pageEntries = `/Rotate ${turn} /CropBox [50 300 560 740]`;
  const { paragraphs } = await read(
    linkedPdf(page, [link([94, 101, 121, 113], 'https://pilots.example/')], { pageEntries }),
  );
  expect(paragraphs.join(' ')).toContain('The [pilots](https://pilots.example/) of the harbour');
});

test('a picture with a link has its address once', async () => {
  const page = [
    box(72, 60, 60, 30),
    text(72, 100, ['The pilots of the harbour.'], 11),
    box(72, 140, 60, 30),
    text(72, 190, ['The next paragraph.'], 11),
  ].join('\n');
  const logo = 'https://harbour.example/logo';
  const { paragraphs } = await read(linkedPdf(page, [link([70, 58, 134, 92], logo), link([70, 138, 134, 172], logo)]));
  expect(paragraphs).toEqual([`<${logo}>`, 'The pilots of the harbour.', 'The next paragraph.']);
});

test('links in a line of Arabic are on its words as they are read', async () => {
  const fixture = await readFile(new URL('../../fixtures/documents/cases/arabic-latin-line.pdf', import.meta.url));
  const document = mupdf.Document.openDocument(fixture, 'application/pdf').asPDF();
  const page = document?.loadPage(0);
  for (const word of ['Python', 'البرمجة']) {
    const quads = page?.search(word, 'exact')[0] ?? [];
    const [across, down] = [quads.flatMap((quad) => [quad[0], quad[6]]), quads.flatMap((quad) => [quad[1], quad[7]])];
    const box = [Math.min(...across), Math.min(...down), Math.max(...across), Math.max(...down)] as const;
    page?.createLink([...box], `https://${word === 'Python' ? 'python' : 'code'}.example/`);
  }
  const { paragraphs } = await read(Buffer.from(document?.saveToBuffer('').asUint8Array() ?? []));
  expect(paragraphs.join(' ')).toContain(
    'تعتبر [البرمجة](https://code.example/) بلغة R و [Python](https://python.example/) من الأدوات القوية',
  );
});

/** Words in regular, bold (`F2`) and italic (`I1`) Helvetica, one after the other. */
function words(left: number, top: number, ...runs: [font: 'F1' | 'F2' | 'I1', words: string][]) {
  const shown = runs.map(([font, own]) => `/${font} 11 Tf (${own}) Tj`).join(' ');
  return `BT ${left} ${792 - top - 11} Td ${shown} ET`;
}

const ITALIC = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Oblique /Encoding /WinAnsiEncoding >>';

test('bold and italic words within a paragraph are emphasis; paragraphs, headings and cells in one font are not', async () => {
  const grid = [0, 1, 2].map((row) => rule(72, 400 + row * 18, 272, 400 + row * 18));
  for (const x of [72, 172, 272]) grid.push(rule(x, 400, x, 436));
  const page = [
    text(72, 40, ['Harbour guide'], 20, 'F2'),
    words(72, 100, ['F2', 'Depth.'], ['F1', ' The harbour is called '], ['I1', 'open'], ['F1', ' when each of its']),
    words(72, 114, ['F1', 'basins has '], ['F2', 'ten metres of'], ['F1', ' ']),
    words(
      72,
      128,
      ['F2', 'water'],
      ['F1', ' and more; others are '],
      ['I1', 'shallow'],
      ['F1', ', as the pilots say.'],
    ),
    words(72, 170, ['I1', 'All of this paragraph is in an italic font, as quotations often are in']),
    words(72, 184, ['I1', 'books of that time, so none of its words stands out from the others.']),
    words(72, 220, ['F2', 'T'], ['F1', 'he first letter of this one is an initial, which is no word of its own.']),
    words(72, 260, ['F1', '1. '], ['F2', 'Pilots'], ['F1', ' who know the fairway in the fog']),
    words(72, 274, ['F1', '2. '], ['F2', 'Boats'], ['F1', ' that are not deeper than the fairway']),
    ...grid,
    text(76, 403, ['Port'], 10, 'F2'),
    text(176, 403, ['Boats'], 10, 'F2'),
    text(76, 421, ['Brill'], 10),
    text(176, 421, ['7'], 10),
  ].join('\n');
  const { paragraphs } = await read(writePdf({ pages: [page], fonts: `/I1 ${FIRST_EXTRA} 0 R`, extra: [ITALIC] }));
  expect(paragraphs).toEqual([
    '# Harbour guide',
    '**Depth.** The harbour is called *open* when each of its basins has **ten metres of water** and more; others are *shallow*, as the pilots say.',
    'All of this paragraph is in an italic font, as quotations often are in books of that time, so none of its words stands out from the others.',
    'The first letter of this one is an initial, which is no word of its own.',
    '1. **Pilots** who know the fairway in the fog\n2. **Boats** that are not deeper than the fairway',
    '| Port | Boats |\n| --- | --- |\n| Brill | 7 |',
  ]);
});

test('a bold head in smaller letters begins the paragraph of the text after it, a dash divides no number', async () => {
  const head = (top: number, own: string, rest: string) =>
    `BT /F2 8 Tf 72 ${792 - top - 11} Td (${own}) Tj /F1 11 Tf ( ${rest}) Tj ET`;
  const page = [
    head(100, 'SUMMARY:', 'The harbour proposes to close the old basin, for its quay 737\x96'),
    text(72, 113.75, ['9 is not safe any more, and the boats in it have other places from May on.']),
    head(150, 'FOR FURTHER INFORMATION ABOUT THE BOATS AND THEIR PLACES:', 'Ask'),
    text(72, 163.75, ['the pilots, who are at the harbour on each day of the week but one.']),
  ].join('\n');
  const { paragraphs } = await read(writePdf({ pages: [page] }));
  expect(paragraphs).toEqual([
    expect.stringMatching(/^\*\*SUMMARY:\*\* The harbour .* quay 737–9 is not safe any more, .* from May on\.$/),
    expect.stringMatching(/^(?:\*\*)?FOR FURTHER .* PLACES:(?:\*\*)? Ask the pilots, .* but one\.$/),
  ]);
});
