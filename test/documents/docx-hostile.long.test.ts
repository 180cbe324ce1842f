import { randomBytes } from 'node:crypto';
import { strToU8, zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { damagesOf } from '../../workers/documents/zip-package.ts';
import { docxWithMedia, manyEntriesDocx, repetitiveDocx, zipOf } from '../harness/hostile-documents.ts';
import { makeDocx, p, parse, r, texts } from './make-docx.ts';

/** Which error a file ends with, and that its message shows nothing of the machine. It may name a part of the file. */
async function refusalOf(bytes: Buffer): Promise<string> {
  const error = await parse(bytes).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ name: 'QuarryError' });
  const { code, message } = error as { code: string; message: string };
  expect(message).toMatch(/^[A-Z].*\.$/);
  expect(message).not.toMatch(/(?:^|\s)\/|node_modules|\.ts/);
  return code;
}

describe('damaged and mistaken files', () => {
  const whole = makeDocx({ body: p('hello '.repeat(2000)) });

  test.each([
    ['no bytes', Buffer.alloc(0)],
    ['random bytes', randomBytes(5000)],
    ['a truncated file', whole.subarray(0, Math.floor(whole.length * 0.7))],
    ['a PDF named docx', Buffer.from('%PDF-1.7\n1 0 obj\n<<>>\nendobj\n')],
  ])('%s: corrupt_input', async (_, bytes) => {
    expect(await refusalOf(bytes)).toBe('corrupt_input');
  });

  test('a flipped byte in the content is noticed by its checksum', async () => {
    const bytes = Buffer.from(zipSync({ 'word/document.xml': strToU8('<w:document/>') }, { level: 0 }));
    const at = bytes.indexOf('document/>');
    bytes[at] = 'D'.charCodeAt(0);
    expect(await refusalOf(bytes)).toBe('corrupt_input');
  });

  test('XML that is not well-formed is damaged, not read in part', async () => {
    const files = { 'word/document.xml': '<w:document xmlns:w="x"><w:body><w:p>' };
    expect(await refusalOf(makeDocx({ body: '', files }))).toBe('corrupt_input');
  });

  test('a zip that is no Word document says so', async () => {
    expect(await refusalOf(Buffer.from(zipSync({ 'a.txt': strToU8('x') })))).toBe('unsupported_media');
  });

  test('a document with a password is encrypted_input, another OLE file is not', async () => {
    const ole = Buffer.from('d0cf11e0a1b11ae1', 'hex');
    const stream = Buffer.from('EncryptedPackage', 'utf16le');
    expect(await refusalOf(Buffer.concat([ole, Buffer.alloc(1024), stream]))).toBe('encrypted_input');
    expect(await refusalOf(Buffer.concat([ole, Buffer.alloc(1024)]))).toBe('unsupported_media');
  });
});

describe('files made to exhaust the reader', () => {
  test('a zip of one entry, as the next tests make it, is read where it is small', async () => {
    const document =
      '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>x' +
      '</w:t></w:r></w:p></w:body></w:document>';
    expect(texts(await parse(zipOf({ 'word/document.xml': Buffer.from(document) })))).toEqual(['x']);
  });

  test('60,000 entries are refused', async () => {
    expect(await refusalOf(manyEntriesDocx())).toBe('source_too_large');
  });

  test('what inflates past the limit is refused while it inflates', async () => {
    const content = Buffer.alloc(300 * 1024 * 1024);
    const bomb = zipOf({ 'word/document.xml': content });
    expect(bomb.length).toBeLessThan(content.length / 200);
    const before = process.memoryUsage().arrayBuffers;
    expect(await refusalOf(bomb)).toBe('source_too_large');
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(content.length);
  });

  test.each([
    ['190 MB of paragraphs', 190],
    ['20 MB of tiny paragraphs', 25],
  ])('%s are refused when there are too many to be read', async (_what, megabytes) => {
    const piece = '<w:p><w:r/></w:p>';
    expect(await refusalOf(repetitiveDocx(piece, megabytes * 2 ** 20))).toBe('source_too_large');
  });

  test('20 MB of small paragraphs are read to the last', async () => {
    const piece = '<w:p><w:r><w:t>a word or two</w:t></w:r></w:p>';
    const sizeBytes = 20 * 2 ** 20;
    const { blocks } = await parse(repetitiveDocx(piece, sizeBytes));
    expect(blocks).toHaveLength(Math.floor(sizeBytes / piece.length));
  });

  test('a lie about the inflated size changes nothing', async () => {
    const bytes = makeDocx({ body: p('x'.repeat(100_000)) });
    const name = Buffer.from('word/document.xml');
    const central = bytes.lastIndexOf(name) - 46;
    bytes.writeUInt32LE(10, central + 24);
    expect(texts(await parse(bytes))).toEqual(['x'.repeat(100_000)]);
  });

  test('300 MB of media are not unpacked', async () => {
    const bytes = docxWithMedia(300 * 2 ** 20);
    const before = process.memoryUsage().arrayBuffers;
    expect(texts(await parse(bytes))).toEqual(['Beside a picture.']);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(bytes.length * 10);
  });

  test('media are never looked into, not even to find them damaged', async () => {
    const bytes = makeDocx({ body: p('small'), files: { 'word/media/image.png': 'picture '.repeat(1000) } });
    const name = 'word/media/image.png';
    bytes.fill(0xff, bytes.indexOf(name) + name.length, bytes.indexOf(name) + name.length + 10);
    expect(texts(await parse(bytes))).toEqual(['small']);
  });

  test('millions of elements are refused', async () => {
    expect(await refusalOf(makeDocx({ body: '<w:r/>'.repeat(2_000_001) }))).toBe('source_too_large');
  });

  test('more text than a document may hold is refused', async () => {
    expect(await refusalOf(makeDocx({ body: p('word '.repeat(4_000_001)) }))).toBe('source_too_large');
  });

  test.each([
    ['billion laughs', '<!DOCTYPE d [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>', '&b;'],
    ['an external entity', '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/hostname">]>', '&x;'],
    ['an entity nobody declared', '', '&nope;'],
  ])('%s is refused', async (_, doctype, text) => {
    const document =
      `${doctype}<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>` +
      `<w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:body></w:document>`;
    expect(await refusalOf(makeDocx({ body: '', files: { 'word/document.xml': document } }))).toBe('corrupt_input');
  });

  test('a document type in any other part leaves that part out', async () => {
    const files = { 'word/styles.xml': '<!DOCTYPE d [<!ENTITY a "a">]><w:styles/>' };
    const bytes = makeDocx({ body: p('x'), files });
    expect(texts(await parse(bytes))).toEqual(['x']);
    expect(await damagesOf(bytes)).toEqual([{ name: 'word/styles.xml', rest: expect.any(String) }]);
  });
});

describe('nesting', () => {
  const nested = (open: string, close: string, inner: string, depth: number) =>
    open.repeat(depth) + inner + close.repeat(depth);

  test('5,000 content controls around a paragraph are read', async () => {
    const body = nested('<w:sdt><w:sdtContent>', '</w:sdtContent></w:sdt>', p('deep'), 4900);
    expect(texts(await parse(makeDocx({ body })))).toEqual(['deep']);
  });

  test('3,000 tables in each other are read, and keep their text', async () => {
    const body = nested('<w:tbl><w:tr><w:tc>', '</w:tc></w:tr></w:tbl>', p('deep'), 3000);
    expect(texts(await parse(makeDocx({ body })))).toEqual(['deep']);
  });

  test('runs, text boxes and equations in each other are read', async () => {
    const runs = `<w:p>${nested('<w:r><w:ruby><w:rubyBase>', '</w:rubyBase></w:ruby></w:r>', r('run'), 2000)}</w:p>`;
    const boxes = nested('<w:p><w:r><w:pict><w:txbxContent>', '</w:txbxContent></w:pict></w:r></w:p>', p('box'), 1000);
    const maths = `<w:p><m:oMath>${nested('<m:rad><m:e>', '</m:e></m:rad>', '<m:r><m:t>x</m:t></m:r>', 2000)}</m:oMath></w:p>`;
    const read = texts(await parse(makeDocx({ body: runs + boxes + maths })));
    expect(read.slice(0, 2)).toEqual(['run', 'box']);
    expect(read[2]).toMatch(/^√\(√\(.*x.*\)\)$/);
  });

  test('nesting without end is refused', async () => {
    const body = nested('<w:sdt>', '</w:sdt>', p('deep'), 20_000);
    expect(await refusalOf(makeDocx({ body }))).toBe('source_too_large');
  });

  test('styles that are based on each other in a ring end', async () => {
    const style = (id: string, base: string) =>
      `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${id}"/><w:basedOn w:val="${base}"/></w:style>`;
    const parts = { styles: style('A', 'B') + style('B', 'A') };
    const { blocks } = await parse(makeDocx({ body: p('x', '<w:pStyle w:val="A"/>'), parts }));
    expect(blocks).toEqual([{ kind: 'paragraph', text: 'x', page: 1 }]);
  });
});

test('a document too large for the fuller reader is read to the last word, tables and all', async () => {
  const rows = Array.from(
    { length: 30_000 },
    (_, index) => `<w:tr><w:tc>${p(`k${index}`)}</w:tc><w:tc>${p('v')}</w:tc></w:tr>`,
  );
  const document = await parse(makeDocx({ body: `${p('first')}<w:tbl>${rows.join('')}</w:tbl>${p('last')}` }));
  const read = texts(document);
  expect(read).toHaveLength(30_002);
  expect([read[0], read[1], read.at(-2), read.at(-1)]).toEqual(['first', 'k0 | v', 'k29999 | v', 'last']);
});
