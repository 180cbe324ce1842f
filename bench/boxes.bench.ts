/**
 * `npm run bench -- boxes <folder> <file.pdf>[:page]…`: draws what Quarry finds on the pages of PDFs, to be looked at: the
 * lines of each block in the colour of its kind, with its number in reading order; of tables the boxes of rows.
 * Writes `name-page.png` into the folder.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Block, NormalizedDocument } from '../workers/documents/blocks.ts';
import { mupdf } from '../workers/documents/pdf/open-pdf.ts';
import { openPdfSubject } from './pdf-subject.ts';

const SCALE = 1.4;

const COLORS: Readonly<Partial<Record<Block['kind'], [number, number, number]>>> = {
  heading: [0.85, 0, 0],
  paragraph: [0, 0.3, 0.9],
  'list-item': [0, 0.6, 0.2],
  table: [0.8, 0, 0.8],
  caption: [0.9, 0.5, 0],
  note: [0.4, 0.4, 0.4],
  code: [0, 0.6, 0.7],
};

const [folder, ...files] = process.argv.slice(2);
if (folder === undefined || files.length === 0) throw new Error('Give a folder for the pictures, and PDFs.');
mkdirSync(folder, { recursive: true });
const work = mkdtempSync(join(tmpdir(), 'quarry boxes '));
const subject = openPdfSubject(work);
for (const file of files) {
  const [, path = file, page = '1'] = /^(.*?)(?::(\d+))?$/.exec(file) ?? [];
  const bytes = readFileSync(path);
  const { textPath } = await subject.extract(path);
  const document = JSON.parse(readFileSync(join(dirname(textPath), 'document.json'), 'utf8')) as NormalizedDocument;
  const png = drawBoxes(bytes, Number(page), document);
  writeFileSync(join(folder, `${basename(path, '.pdf')}-${page}.png`), png);
}
await subject.close();
rmSync(work, { recursive: true, force: true });

function drawBoxes(bytes: Buffer, number: number, { blocks }: NormalizedDocument): Uint8Array {
  const page = mupdf.Document.openDocument(bytes, 'application/pdf').loadPage(number - 1);
  const toPicture = mupdf.Matrix.scale(SCALE, SCALE);
  const pixmap = page.toPixmap(toPicture, mupdf.ColorSpace.DeviceRGB, false, true);
  const device = new mupdf.DrawDevice(toPicture, pixmap);
  const stroke = new mupdf.StrokeState({
    lineCap: 'Butt',
    lineJoin: 'Miter',
    lineWidth: 0.7,
    miterLimit: 10,
    dashPhase: 0,
    dashes: [],
  } as never);
  const font = new mupdf.Font('Helvetica');
  const [left, top] = page.getBounds();
  for (const [order, block] of blocks.entries()) {
    const color = COLORS[block.kind];
    const lines = 'lines' in block ? (block.lines ?? []).filter(([, of]) => of === number) : [];
    if (color === undefined) continue;
    for (const [at, [, , x, y, right, bottom]] of lines.entries()) {
      const path = new mupdf.Path();
      path.rect(x + left, y + top, right + left, bottom + top);
      device.strokePath(path, stroke, mupdf.Matrix.identity, mupdf.ColorSpace.DeviceRGB, color, 1);
      if (at > 0) continue;
      const label = new mupdf.Text();
      label.showString(font, [7, 0, 0, -7, x + left - 12, y + top + 7], String(order));
      device.fillText(label, mupdf.Matrix.identity, mupdf.ColorSpace.DeviceRGB, color, 1);
    }
  }
  device.close();
  return pixmap.asPNG();
}
