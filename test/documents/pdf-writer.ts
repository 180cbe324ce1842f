/** Writes small PDFs from content streams, so that a test says exactly what stands where and in which order. */
import { deflateSync } from 'node:zlib';
import { mupdf } from '../../workers/documents/pdf/open-pdf.ts';

export interface WrittenPdf {
  /** Content streams, one a page; `/F1` is Helvetica, `/F2` its bold, `/F3` a font whose glyphs mean nothing. */
  pages: string[];
  /** Entries of the catalogue, such as `/Lang (de)`. */
  catalogue?: string;
  info?: string;
  /** More objects, from number `FIRST_EXTRA` on, without the `obj` and `endobj` lines. */
  extra?: string[];
  /** Entries of every page, such as `/Annots [20 0 R]`. */
  pageEntries?: string;
  /** Entries of every page's resources. */
  resources?: string;
  /** More fonts, such as `/M1 20 0 R`. */
  fonts?: string;
}

/** Number of the first of `extra`. */
export const FIRST_EXTRA = 20;
const PAGES_AT = 1000;

export function writePdf({
  pages,
  catalogue = '',
  info = '',
  extra = [],
  pageEntries = '',
  resources = '',
  fonts: moreFonts = '',
}: WrittenPdf) {
  const objects = new Map<number, string>([
    [1, `<< /Type /Catalog /Pages 2 0 R ${catalogue} >>`],
    [
      2,
      `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, n) => `${PAGES_AT + n * 2} 0 R`).join(' ')}] >>`,
    ],
    [3, '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>'],
    [4, '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>'],
    [5, `<< ${info} >>`],
    [6, MEANINGLESS_FONT],
    [8, MEANINGLESS_MAP],
    [7, '<< /Length 30 >>\nstream\n500 0 0 0 500 500 d1 0 0 500 500 re f\nendstream'],
  ]);
  if (pages.some((content) => content.includes('/F4 '))) {
    objects.set(9, '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 10 0 R >>');
    objects.set(10, ONE_LETTER_MAP);
  }
  for (const [index, body] of extra.entries()) objects.set(FIRST_EXTRA + index, body);
  for (const [index, content] of pages.entries()) {
    const at = PAGES_AT + index * 2;
    const fonts = `/Font << /F1 3 0 R /F2 4 0 R /F3 6 0 R /F4 9 0 R ${moreFonts} >> ${resources}`;
    const entries = `/MediaBox [0 0 612 792] /Resources << ${fonts} >> /Contents ${at + 1} 0 R ${pageEntries}`;
    objects.set(at, `<< /Type /Page /Parent 2 0 R ${entries} >>`);
    objects.set(at + 1, `<< /Length ${Buffer.byteLength(content, 'latin1')} >>\nstream\n${content}\nendstream`);
  }
  return serialize(objects);
}

/** A font of drawn squares whose letters are private code points, as bad exporters embed them. */
const MEANINGLESS_FONT = `<< /Type /Font /Subtype /Type3 /FontBBox [0 0 500 500] /FontMatrix [0.001 0 0 0.001 0 0]
/CharProcs << /g1 7 0 R >> /Encoding << /Type /Encoding /Differences [97 ${'/g1 '.repeat(26)}] >>
/FirstChar 97 /LastChar 122 /Widths [${'600 '.repeat(26)}] /Resources << >> /ToUnicode 8 0 R >>`;
const MAP = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Private def
1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfrange <61> <7A> <E000> endbfrange endcmap end end`;
const MEANINGLESS_MAP = `<< /Length ${MAP.length} >>
stream
${MAP}
endstream`;

/** Maps all glyphs to the letter A. */
const TO_ONE = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /One def
1 begincodespacerange <00> <FF> endcodespacerange
1 beginbfrange <20> <7E> [${'<0041>'.repeat(95)}] endbfrange endcmap end end`;
const ONE_LETTER_MAP = `<< /Length ${TO_ONE.length} >>
stream
${TO_ONE}
endstream`;

function serialize(objects: Map<number, string>): Buffer {
  let text = '%PDF-1.7\n';
  const offsets = new Map<number, number>();
  for (const [number, body] of objects) {
    offsets.set(number, text.length);
    text += `${number} 0 obj\n${body}\nendobj\n`;
  }
  const startOfTable = text.length;
  text += 'xref\n';
  for (const [number, offset] of offsets) text += `${number} 1\n${String(offset).padStart(10, '0')} 00000 n \n`;
  text += `trailer\n<< /Size ${Math.max(...objects.keys()) + 1} /Root 1 0 R /Info 5 0 R >>\nstartxref\n${startOfTable}\n%%EOF`;
  return Buffer.from(text, 'latin1');
}

/** Draws lines of text downwards from a place, measured from the page's top left corner. */
export function text(left: number, top: number, lines: string[], size = 11, font = 'F1'): string {
  const leading = size * 1.25;
  return lines
    .map((line, index) => {
      const escaped = line.replace(/[\\()]/g, '\\$&');
      return `BT /${font} ${size} Tf ${left} ${792 - top - size - index * leading} Td (${escaped}) Tj ET`;
    })
    .join('\n');
}

/** The same PDF under a password. */
export function encryptPdf(pdf: Buffer, passwords: { user?: string; owner: string }): Buffer {
  const document = mupdf.Document.openDocument(pdf, 'application/pdf') as InstanceType<typeof mupdf.PDFDocument>;
  const user = passwords.user === undefined ? '' : `,user-password=${passwords.user}`;
  const saved = document.saveToBuffer(`encrypt=aes-256${user},owner-password=${passwords.owner}`);
  return Buffer.from(saved.asUint8Array());
}

/** A scan of the given PDF: each page is nothing but a picture of the page. */
export function scanPdf(pdf: Buffer, dotsPerInch = 200): Buffer {
  const source = mupdf.Document.openDocument(pdf, 'application/pdf');
  const scan = new mupdf.PDFDocument();
  const scale = dotsPerInch / 72;
  for (let index = 0; index < source.countPages(); index += 1) {
    const pixmap = source
      .loadPage(index)
      .toPixmap([scale, 0, 0, scale, 0, 0], mupdf.ColorSpace.DeviceGray, false, true);
    const image = scan.addImage(new mupdf.Image(pixmap));
    const xobject = scan.newDictionary();
    xobject.put('Scan', image);
    const resources = scan.newDictionary();
    resources.put('XObject', xobject);
    scan.insertPage(-1, scan.addPage([0, 0, 612, 792], 0, resources, 'q 612 0 0 792 0 0 cm /Scan Do Q'));
  }
  return Buffer.from(scan.saveToBuffer('compress').asUint8Array());
}

/** The first page of a PDF as a picture, for the objects of another one. */
export function pictureObject(pdf: Buffer, dotsPerInch = 200): string {
  const scale = dotsPerInch / 72;
  const page = mupdf.Document.openDocument(pdf, 'application/pdf').loadPage(0);
  const pixmap = page.toPixmap([scale, 0, 0, scale, 0, 0], mupdf.ColorSpace.DeviceGray, false, true);
  const [width, height] = [pixmap.getWidth(), pixmap.getHeight()];
  const data = deflateSync(pixmap.getPixels().slice(0, width * height)).toString('latin1');
  const format = '/ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode';
  const size = `/Width ${width} /Height ${height} /Length ${data.length}`;
  return `<< /Type /XObject /Subtype /Image ${size} ${format} >>\nstream\n${data}\nendstream`;
}

/** A page of a PDF as a picture file. */
export function picturePdf(pdf: Buffer, dotsPerInch: number): Buffer {
  const scale = dotsPerInch / 72;
  const page = mupdf.Document.openDocument(pdf, 'application/pdf').loadPage(0);
  return Buffer.from(page.toPixmap([scale, 0, 0, scale, 0, 0], mupdf.ColorSpace.DeviceGray, false, true).asPNG());
}

/** The first page of a PDF on nothing: only its ink is opaque. */
export function clearPicture(pdf: Buffer, dotsPerInch: number): Buffer {
  const scale = dotsPerInch / 72;
  const page = mupdf.Document.openDocument(pdf, 'application/pdf').loadPage(0);
  return Buffer.from(page.toPixmap([scale, 0, 0, scale, 0, 0], mupdf.ColorSpace.DeviceRGB, true, true).asPNG());
}

/** A picture turned clockwise about its middle, on a white sheet that holds all of it. */
export function skewPicture(picture: Buffer, degrees: number): Buffer {
  const image = new mupdf.Image(picture);
  const [width, height] = [image.getWidth(), image.getHeight()];
  const [cosine, sine] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  const wide = Math.ceil(width * cosine + height * Math.abs(sine));
  const high = Math.ceil(height * cosine + width * Math.abs(sine));
  const sheet = new mupdf.Pixmap(mupdf.ColorSpace.DeviceGray, [0, 0, wide, high], false);
  sheet.clear(255);
  const device = new mupdf.DrawDevice(mupdf.Matrix.identity, sheet);
  const left = wide / 2 - (width * cosine - height * sine) / 2;
  const top = high / 2 - (width * sine + height * cosine) / 2;
  device.fillImage(image, [width * cosine, width * sine, -height * sine, height * cosine, left, top], 1);
  device.close();
  return Buffer.from(sheet.asPNG());
}

/** Draws a rule between two places, measured from the page's top left corner. */
export function rule(fromX: number, fromY: number, toX: number, toY: number): string {
  return `0.5 w ${fromX} ${792 - fromY} m ${toX} ${792 - toY} l S`;
}

/** Fills a box, as a bullet or the background of a cell, measured from the page's top left corner. */
export function box(left: number, top: number, width: number, height: number, grey = 0): string {
  return `${grey} g ${left} ${792 - top - height} ${width} ${height} re f 0 g`;
}
