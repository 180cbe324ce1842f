import { readFile } from 'node:fs/promises';
import { unzipSync, zipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeDocx, p, r } from '../../documents/make-docx.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { wordDocument } from '../../harness/documents.ts';
import { readDocument } from '../../harness/read-document.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

const read = (content: Uint8Array, name = 'file.docx') => readDocument(appliance, content, name);
const fixture = (name: string) => readFile(new URL(`../../fixtures/documents/cases/${name}`, import.meta.url));

const MHT = [
  'MIME-Version: 1.0',
  'Content-Type: multipart/related; boundary="b"',
  '',
  '--b',
  'Content-Type: text/html; charset="utf-8"',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  '<html><body><h2>Archived</h2><table><tr><td>Kiel</td><td>9=2E5</td></tr></table></body></html>',
  '--b--',
].join('\r\n');

/** A document that embeds files between two paragraphs of its own. */
function embedding(files: Record<string, string>, around = (chunks: string) => chunks): Buffer {
  const names = Object.keys(files);
  const chunks = names.map((_, at) => `<w:altChunk r:id="c${at}"/>`).join('');
  return makeDocx({
    body: p('Before.') + around(chunks) + p('After.'),
    relationships: names.map((target, at) => ({ id: `c${at}`, type: 'aFChunk', target })),
    files: Object.fromEntries(Object.entries(files).map(([name, text]) => [`word/${name}`, text])),
  });
}

/** With a file of bytes in the place of the text. */
function withBytes(document: Buffer, name: string, bytes: Uint8Array): Buffer {
  return Buffer.from(zipSync({ ...unzipSync(document), [`word/${name}`]: bytes }));
}

describe('a document embedded in a Word document', () => {
  test('is text of it: htmldocx.docx', async () => {
    const { markdown, warnings } = await read(await fixture('htmldocx.docx'));
    expect(markdown).toContain('# Report\n\nAll words of this file are in the chunk.');
    expect(warnings).toEqual([]);
  });

  test.each([
    ['HTML', 'a.html', '<html><body><h2>Page</h2><p>Text.</p></body></html>', '## Page\n\nText.'],
    ['a fragment of HTML', 'a.htm', 'Hello <b>big</b> <i>world</i>', 'Hello **big** _world_'],
    [
      'XHTML',
      'a.xhtml',
      '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body><p>X.</p></body></html>',
      'X.',
    ],
    ['a web archive', 'a.mht', MHT, '## Archived\n\n'],
    ['RTF', 'a.rtf', String.raw`{\rtf1\ansi Caf\'e9.\par}`, 'Café.'],
    ['a plain text', 'a.txt', 'Plain words.', 'Plain words.'],
  ])('is read at its place: %s', async (_what, name, content, markdown) => {
    const result = await read(embedding({ [name]: content }));
    expect(result.markdown.replaceAll('*', '').replaceAll('_', '')).toMatch(/^Before\.\n\n[\s\S]+\n\nAfter\.\s*$/);
    expect(result.markdown.replaceAll('*', '').replaceAll('_', '')).toContain(
      markdown.replaceAll('*', '').replaceAll('_', ''),
    );
    expect(result.warnings).toEqual([]);
  });

  test('may be a Word document, also in it another, to a depth', async () => {
    const inner = withBytes(embedding({ 'a.docx': '' }), 'a.docx', wordDocument(['Inmost.']));
    const outer = withBytes(embedding({ 'a.docx': '' }), 'a.docx', inner);
    expect((await read(outer)).text).toBe('Before.\n\nBefore.\n\nInmost.\n\nAfter.\n\nAfter.');
    let deep = outer;
    for (let depth = 0; depth < 4; depth += 1) deep = withBytes(embedding({ 'a.docx': '' }), 'a.docx', deep);
    expect((await read(deep)).warnings).toEqual([
      expect.stringContaining('A document embedded in this one was not read'),
    ]);
  });

  test('has notes with numbers of their own after the text, and so have the files of an archive', async () => {
    const noted = (text: string, note: string, chunk = '') =>
      makeDocx({
        body: `<w:p>${r(text)}<w:r><w:footnoteReference w:id="2"/></w:r>${r(' on')}</w:p>${chunk}`,
        parts: { footnotes: `<w:footnote w:id="2">${p(note)}</w:footnote>` },
        relationships: [{ id: 'c', type: 'aFChunk', target: 'a.docx' }],
      });
    const inner = noted('Inner', 'Of the inner.');
    const outer = withBytes(noted('Outer', 'Of the outer.', '<w:altChunk r:id="c"/>'), 'a.docx', inner);
    const { text, markdown } = await read(outer);
    expect(text).toBe('Outer[1] on\n\nInner[2] on\n\n[1] Of the outer.\n\n[2] Of the inner.');
    expect(markdown).toBe('Outer[^1] on\n\nInner[^2] on\n\n[^1]: Of the outer.\n\n[^2]: Of the inner.\n');
    const archive = zipSync({ 'one.docx': inner, 'two.docx': noted('Next', 'Of the next.') });
    expect((await read(archive, 'all.zip')).markdown).toBe(
      '# one.docx\n\nInner[^1] on\n\n[^1]: Of the inner.\n\n# two.docx\n\nNext[^1-2] on\n\n[^1-2]: Of the next.\n',
    );
  });

  test('stays in its cell, and keeps the order of several', async () => {
    const cell = (content: string) => `<w:tc>${content}</w:tc>`;
    const table = (chunks: string) => `<w:tbl><w:tr>${cell(p('Left'))}${cell(chunks + p(''))}</w:tr></w:tbl>`;
    const { markdown } = await read(embedding({ 'a.html': '<p>One.</p>', 'b.html': '<p>Two.</p>' }, table));
    expect(markdown).toContain('| Left | One.<br>Two. |');
    const spanning = (chunks: string) =>
      `<w:tbl><w:tr>${cell(`<w:tcPr><w:vMerge w:val="restart"/></w:tcPr>${p('Left')}`)}${cell(chunks + p(''))}</w:tr>
       <w:tr>${cell(`<w:tcPr><w:vMerge/></w:tcPr>${p('')}`)}${cell(p('Below'))}</w:tr></w:tbl>`;
    expect((await read(embedding({ 'a.html': '<p>One.</p>' }, spanning))).text).toMatch(/Left.*One\.[\s\S]*Below/);
  });

  test.each([
    ['missing', makeDocx({ body: `${p('Own.')}<w:altChunk r:id="none"/>` })],
    ['a program', embedding({ 'a.bin': 'MZ\u0090\u0000'.padEnd(600, '\u0000') })],
    [
      'elsewhere',
      makeDocx({
        body: `${p('Own.')}<w:altChunk r:id="x"/>`,
        relationships: [{ id: 'x', type: 'aFChunk', target: 'file:///other.html', external: true }],
      }),
    ],
  ])('that is %s is said', async (_what, bytes) => {
    const { status, warnings } = await read(bytes);
    expect(status).toBe('completed');
    expect(warnings).toEqual([expect.stringContaining('A document embedded in this one was not read')]);
  });
});

test('a package whose comment is cut off, or that has bytes behind it, is read', async () => {
  const whole = makeDocx({ body: p('Whole.') });
  const cut = Buffer.from(whole);
  cut.writeUInt16LE(1, cut.length - 2);
  for (const bytes of [cut, Buffer.concat([whole, Buffer.from('\r\n')])])
    expect(await read(bytes)).toMatchObject({ text: 'Whole.', warnings: [] });
});

/** A content control. */
const control = (content: string, isEmpty = true) =>
  `<w:sdt><w:sdtPr><w:rPr><w:rStyle w:val="PlaceholderText"/></w:rPr><w:id w:val="1"/>` +
  `${isEmpty ? '<w:showingPlcHdr/>' : ''}<w:text/></w:sdtPr><w:sdtContent>${content}</w:sdtContent></w:sdt>`;

describe('an empty content control', () => {
  test('shows no text of the document: placeholder.docx', async () => {
    const { text, warnings, result } = await read(await fixture('placeholder.docx'));
    expect(text).toBe('Name:');
    expect(warnings).toEqual([]);
    const prompt = { reason: 'hidden', count: 20, where: 'word/document.xml', sample: 'Click here to enter text.' };
    expect(result.account).toMatchObject({ source: 24, delivered: 4, unexplained: 0, leftOut: [prompt] });
  });

  test('has no text in a line, a paragraph, a cell and around a row; a filled one has', async () => {
    const cell = (content: string) => `<w:tc>${content}</w:tc>`;
    const table =
      `<w:tbl><w:tr>${cell(p('A'))}${control(cell(p('Choose an item.')))}${cell(p('C'))}</w:tr>` +
      `${control(`<w:tr>${cell(p('Click here.'))}${cell(p('Click here.'))}${cell(p('F'))}</w:tr>`, false)}</w:tbl>`;
    const body =
      `<w:p>${r('Date: ')}${control(r('Click to enter a date.'))}${r(' end')}</w:p>` +
      control(p('Click or tap here to enter text.')) +
      `<w:p>${r('Name: ')}${control(r('Ida Moss'), false)}</w:p>${table}` +
      control(`<w:p>${control(r('Inner.'), false)}</w:p>`);
    const { text, markdown } = await read(makeDocx({ body }));
    expect(text).toContain('Date: end');
    expect(text).toContain('Name: Ida Moss');
    expect(text).not.toMatch(/Click to|Choose|tap here|Inner/);
    expect(markdown).toContain('| A |  | C |');
    expect(markdown).toContain('| Click here. | Click here. | F |');
  });

  test('that is stated as filled keeps its text', async () => {
    const filled = control(r('Kept.')).replace('<w:showingPlcHdr/>', '<w:showingPlcHdr w:val="0"/>');
    expect((await read(makeDocx({ body: `<w:p>${filled}</w:p>` }))).text).toBe('Kept.');
  });

  test('whose text is not its prompt, as programs leave the flag, keeps the text', async () => {
    const block = (name: string, text: string) =>
      `<w:docPart><w:docPartPr><w:name w:val="${name}"/></w:docPartPr><w:docPartBody>${p(text)}</w:docPartBody></w:docPart>`;
    const flagged = (name: string, content: string) =>
      `<w:sdt><w:sdtPr><w:placeholder><w:docPart w:val="${name}"/></w:placeholder><w:showingPlcHdr/></w:sdtPr>
      <w:sdtContent>${content}</w:sdtContent></w:sdt>`;
    const bytes = makeDocx({
      body: `<w:p>${flagged('A', r('Ida ') + r('Moss'))}${flagged('A', r('Your') + r(' name'))}${flagged('Unknown', r('Other.'))}</w:p>`,
      files: {
        'word/glossary/document.xml': `<w:glossaryDocument xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">
          <w:docParts>${block('A', 'Your name')}</w:docParts></w:glossaryDocument>`,
      },
      relationships: [{ id: 'g', type: 'glossaryDocument', target: 'glossary/document.xml' }],
    });
    const { text, warnings, result } = await read(bytes);
    expect(text).toBe('Ida Moss');
    expect(warnings).toEqual([]);
    expect(result.account).toMatchObject({ delivered: 7, unexplained: 0 });
  });

  test('has no equation', async () => {
    const math = '<m:oMath><m:r><m:t>Type equation here.</m:t></m:r></m:oMath>';
    const { text } = await read(makeDocx({ body: `<w:p>${r('Sum:')}${control(math)}</w:p><w:p>${math}</w:p>` }));
    expect(text).toBe('Sum:\n\nType equation here.');
  });
});
