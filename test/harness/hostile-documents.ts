/** Documents made to exhaust or confuse a reader, each a few kilobytes to a few megabytes. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { crc32, createDeflate, deflateRawSync } from 'node:zlib';
import { strToU8, zipSync } from 'fflate';
import { encryptPdf, FIRST_EXTRA, scanPdf, text, writePdf } from '../documents/pdf-writer.ts';
import { wordDocument, wordDocumentOf } from './documents.ts';
import { seededRandom } from './seeded-random.ts';

export interface HostileFile {
  name: string;
  bytes: Uint8Array;
}

const MIB = 2 ** 20;
const FIXTURES = join(import.meta.dirname, '../fixtures/documents');
const W = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const FLIPPED_BYTES = 20;

/** A zip, packed by zlib itself: quick for hundreds of megabytes. */
export function zipOf(files: Readonly<Record<string, Buffer>>): Buffer {
  const fixed = Buffer.from('14000000080000000000', 'hex');
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const [name, content] of Object.entries(files)) {
    const packed = deflateRawSync(content, { level: 1 });
    const sizes = Buffer.alloc(16);
    sizes.writeUInt32LE(crc32(content), 0);
    sizes.writeUInt32LE(packed.length, 4);
    sizes.writeUInt32LE(content.length, 8);
    sizes.writeUInt16LE(name.length, 12);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(at, 10);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), fixed, sizes, Buffer.from(name), packed]);
    directory.push(Buffer.from('PK\x01\x02'), Buffer.from('1400', 'hex'), fixed, sizes, place, Buffer.from(name));
    locals.push(local);
    at += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(locals.length, 4);
  end.writeUInt16LE(locals.length, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...locals, central, Buffer.from('PK\x05\x06'), end]);
}

function bodyDocument(body: Buffer): Buffer {
  const head = `<w:document xmlns:w="${W}"><w:body>`;
  return Buffer.concat([Buffer.from(head), body, Buffer.from('</w:body></w:document>')]);
}

/** A .docx of one paragraph beside so many bytes of pictures. */
export function docxWithMedia(sizeBytes: number): Buffer {
  const body = bodyDocument(Buffer.from('<w:p><w:r><w:t>Beside a picture.</w:t></w:r></w:p>'));
  return zipOf({ 'word/document.xml': body, 'word/media/image.png': Buffer.alloc(sizeBytes) });
}

/** A .docx whose body is `piece` as often as it fits into so many bytes. */
export function repetitiveDocx(piece: string, sizeBytes: number): Buffer {
  const body = Buffer.alloc(Math.floor(sizeBytes / piece.length) * piece.length, piece);
  return zipOf({ 'word/document.xml': bodyDocument(body) });
}

/** 60,000 files in one package. */
export function manyEntriesDocx(): Buffer {
  const files: Record<string, Uint8Array> = { 'word/document.xml': strToU8('<x/>') };
  for (let index = 0; index < 60_000; index += 1) files[`word/media/${index}.png`] = new Uint8Array(0);
  return Buffer.from(zipSync(files, { level: 0 }));
}

/** Two kilobytes of forms that draw each other twelve times, twelve deep: no reader ends. */
export function nestedFormsPdf(): Buffer {
  const form = (calls: string) => `<< /Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << ${calls} >>`;
  const depth = 12;
  const extra = Array.from({ length: depth }, (_, level) => {
    const last = level === depth - 1;
    const content = last ? 'BT /F1 9 Tf 0 0 Td (x) Tj ET' : '/Fx Do '.repeat(12);
    const inner = last ? '/Font << /F1 3 0 R >>' : `/XObject << /Fx ${FIRST_EXTRA + level + 1} 0 R >>`;
    return `${form(inner)} /Length ${content.length} >>\nstream\n${content}\nendstream`;
  });
  return writePdf({ pages: ['/Fx Do'], extra, resources: `/XObject << /Fx ${FIRST_EXTRA} 0 R >>` });
}

/** A page whose drawing program inflates to `sizeBytes`; each `piece` draws or does nothing. */
export async function inflatingPdf(piece: string, sizeBytes: number): Promise<Buffer> {
  const packed = await deflated(Buffer.from(piece), sizeBytes);
  const stream = `<< /Filter /FlateDecode /Length ${packed.length} >>\nstream\n${packed.toString('latin1')}\nendstream`;
  const pdf = writePdf({ pages: [''], extra: [stream] }).toString('latin1');
  return Buffer.from(pdf.replace('/Contents 1001 0 R', `/Contents ${FIRST_EXTRA} 0 R`), 'latin1');
}

/** A page that is one picture of so many pixels on each side, all of them black. */
export async function hugePicturePdf(sidePixels: number): Promise<Buffer> {
  const packed = await deflated(Buffer.alloc(MIB), sidePixels * sidePixels);
  return picturePdf(sidePixels, `/ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode`, packed);
}

/** The same in JBIG2, where a hundred bytes say how large the picture is. */
export function hugeJbig2Pdf(sidePixels: number): Buffer {
  const information = Buffer.alloc(30);
  information.writeUInt8(48, 4);
  information.writeUInt8(1, 6);
  information.writeUInt32BE(19, 7);
  information.writeUInt32BE(sidePixels, 11);
  information.writeUInt32BE(sidePixels, 15);
  const endOfPage = Buffer.from('00000001310001' + '00000000', 'hex');
  const data = Buffer.concat([information, endOfPage]);
  return picturePdf(sidePixels, '/ColorSpace /DeviceGray /BitsPerComponent 1 /Filter /JBIG2Decode', data);
}

/** A page of 200,000 points each way. */
export function widePagePdf(content: string): Buffer {
  const pdf = writePdf({ pages: [content] }).toString('latin1');
  return Buffer.from(pdf.replace('[0 0 612 792]', '[0 0 2e5 2e5]'), 'latin1');
}

function picturePdf(sidePixels: number, entries: string, data: Buffer): Buffer {
  const head = `<< /Type /XObject /Subtype /Image /Width ${sidePixels} /Height ${sidePixels} ${entries}`;
  return writePdf({
    pages: ['q 612 0 0 792 0 0 cm /Im Do Q'],
    extra: [`${head} /Length ${data.length} >>\nstream\n${data.toString('latin1')}\nendstream`],
    resources: `/XObject << /Im ${FIRST_EXTRA} 0 R >>`,
  });
}

/** Packed piece by piece: what it inflates to never exists here. */
async function deflated(piece: Buffer, sizeBytes: number): Promise<Buffer> {
  const block = Buffer.alloc(Math.max(1, Math.floor(MIB / piece.length)) * piece.length, piece);
  const times = Math.ceil(sizeBytes / block.length);
  const blocks = Readable.from(Array.from({ length: times }, () => block));
  return buffer(blocks.pipe(createDeflate({ level: 1 })));
}

/** Honest documents of every format, which the damaged ones are made from. */
export function honestFiles(): HostileFile[] {
  const page = writePdf({ pages: [text(60, 100, ['The harbour was quiet in the morning.'], 12)] });
  const fixtures = ['harbour', 'office'].flatMap((folder) => {
    const names = readdirSync(join(FIXTURES, folder)).filter((name) => name !== 'README.md');
    return names.map((name) => ({ name, bytes: readFileSync(join(FIXTURES, folder, name)) }));
  });
  return [
    ...fixtures,
    { name: 'honest.docx', bytes: wordDocument(['The harbour was quiet.', 'No ship had come in.']) },
    { name: 'honest.pdf', bytes: page },
    { name: 'scan.pdf', bytes: scanPdf(page, 100) },
    { name: 'honest.html', bytes: strToU8('<!doctype html><title>A page</title><p>The harbour was quiet.</p>') },
    { name: 'honest.md', bytes: strToU8('# The harbour\n\nIt was *quiet*.\n') },
  ];
}

/** Each honest file cut off, and with bytes flipped where the seed says. */
export function damagedFiles(variants: number): HostileFile[] {
  const random = seededRandom(11);
  return honestFiles().flatMap(({ name, bytes }) => {
    const flipped = Array.from({ length: variants }, (_, index) => {
      const copy = Uint8Array.from(bytes);
      for (let count = 0; count < FLIPPED_BYTES; count += 1) {
        copy[Math.floor(random() * copy.length)] = Math.floor(random() * 256);
      }
      return { name: `flipped-${index}-${name}`, bytes: copy };
    });
    const cut = Array.from({ length: variants }, (_, index) => ({
      name: `cut-${index}-${name}`,
      bytes: bytes.subarray(0, Math.floor(random() * bytes.length)),
    }));
    return [...flipped, ...cut];
  });
}

/** Files of the wrong kind, and small ones that only say that they are large. */
export function confusingFiles(): HostileFile[] {
  const random = seededRandom(5);
  const noise = Uint8Array.from({ length: 5000 }, () => Math.floor(random() * 256));
  const pdf = writePdf({ pages: [text(60, 100, ['A page under a password.'])] });
  const entities = `<!DOCTYPE d [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY x SYSTEM "file:///etc/hostname">]>`;
  const laughs = `${entities}<w:document xmlns:w="${W}"><w:body><w:p><w:r><w:t>&b;&x;</w:t></w:r></w:p></w:body></w:document>`;
  const nested = (open: string, close: string, depth: number) =>
    wordDocumentOf(`${open.repeat(depth)}<w:p><w:r><w:t>deep</w:t></w:r></w:p>${close.repeat(depth)}`);
  return [
    { name: 'empty.docx', bytes: new Uint8Array(0) },
    { name: 'empty.pdf', bytes: new Uint8Array(0) },
    { name: 'noise.docx', bytes: noise },
    { name: 'noise.pdf', bytes: Buffer.concat([Buffer.from('%PDF-1.7\n'), noise]) },
    { name: 'noise.doc', bytes: Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), noise]) },
    { name: 'pdf-named.docx', bytes: pdf },
    { name: 'docx-named.pdf', bytes: wordDocument(['Words of a Word document.']) },
    { name: 'password.pdf', bytes: encryptPdf(pdf, { user: 'secret', owner: 'boss' }) },
    { name: 'owner.pdf', bytes: encryptPdf(pdf, { owner: 'boss' }) },
    { name: 'laughs.docx', bytes: zipSync({ 'word/document.xml': strToU8(laughs) }) },
    { name: 'controls.docx', bytes: nested('<w:sdt><w:sdtContent>', '</w:sdtContent></w:sdt>', 4900) },
    { name: 'endless.docx', bytes: nested('<w:sdt>', '</w:sdt>', 20_000) },
    { name: 'tables.docx', bytes: nested('<w:tbl><w:tr><w:tc>', '</w:tc></w:tr></w:tbl>', 3000) },
    { name: 'groups.rtf', bytes: strToU8(`{\\rtf1 ${'{'.repeat(100_000)}x`) },
    { name: 'elements.html', bytes: strToU8(`<!doctype html>${'<div>'.repeat(50_000)}deep`) },
    { name: 'jbig2.pdf', bytes: hugeJbig2Pdf(100_000) },
    { name: 'wide.pdf', bytes: widePagePdf(text(60, 100, ['Small text on a page of enormous size.'])) },
    { name: 'wide-drawing.pdf', bytes: widePagePdf('0 0 200000 200000 re f') },
  ];
}

/** What unpacks to hundreds of megabytes, and what takes for ever. */
export async function bombs(): Promise<HostileFile[]> {
  return [
    { name: 'text-1gb.docx', bytes: repetitiveDocx('x'.repeat(1000), 1000 * MIB) },
    { name: 'paragraphs-190mb.docx', bytes: repetitiveDocx('<w:p><w:r><w:t>word</w:t></w:r></w:p>', 190 * MIB) },
    { name: 'paragraphs-20mb.docx', bytes: repetitiveDocx('<w:p><w:r><w:t>word</w:t></w:r></w:p>', 20 * MIB) },
    { name: 'entries.docx', bytes: manyEntriesDocx() },
    { name: 'forms.pdf', bytes: nestedFormsPdf() },
    { name: 'spaces-500mb.pdf', bytes: await inflatingPdf(' ', 500 * MIB) },
    { name: 'operators.pdf', bytes: await operatorsPdf() },
    { name: 'picture.pdf', bytes: await hugePicturePdf(20_000) },
  ];
}

/** One and a half million operators that each show a word. */
export function operatorsPdf(): Promise<Buffer> {
  const piece = 'BT /F1 9 Tf 60 60 Td (hello world) Tj ET ';
  return inflatingPdf(piece, 1_500_000 * piece.length);
}
