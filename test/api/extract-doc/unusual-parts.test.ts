/** Parts of files that readers pass over: nothing in them is lost or changed in silence. */
import { strToU8, zipSync } from 'fflate';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SourceAccount } from '../../../src-server/platform/source-account.ts';
import { makeDocx, p, r } from '../../documents/make-docx.ts';
import { FIRST_EXTRA, text, writePdf } from '../../documents/pdf-writer.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { fileForm, finished } from '../../harness/jobs.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(async () => {
  await appliance.close();
});

async function read(bytes: Uint8Array | string, name: string) {
  const operation = name.endsWith('.pdf') ? 'pdf' : 'doc';
  const answer = await appliance.owner(`/v1/extract/${operation}`, { method: 'POST', body: fileForm(bytes, name) });
  const job = await finished(appliance.owner, ((await answer.json()) as { jobId: string }).jobId);
  expect(job.error, JSON.stringify(job.error)).toBeUndefined();
  const result = job.result as unknown as { chunks: { text: string }[]; account: SourceAccount; warnings: string[] };
  expect(result.account.unexplained).toBe(0);
  return {
    ...result,
    words: result.chunks
      .map((chunk) => chunk.text)
      .join('\n')
      .split(/\s+/),
  };
}

const xhtml = (body: string) =>
  `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body>${body}</body></html>`;
const EMPTY_TAGS =
  '<p>First</p><script src="x.js"/><p>second</p><textarea/><p>third<![CDATA[ <fourth> & ]]>fifth</p><iframe/><p>last</p>';
const ALL_WORDS = ['First', 'second', 'third', '<fourth>', '&', 'fifth', 'last'];

test('reads what stands after empty tags of XHTML, as a file and in a book', async () => {
  expect((await read(xhtml(EMPTY_TAGS), 'page.xhtml')).words).toEqual(ALL_WORDS);
  const opf = `<package xmlns="http://www.idpf.org/2007/opf"><metadata/><manifest>
    <item id="a" href="text/../a.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>`;
  const book = zipSync({
    mimetype: strToU8('application/epub+zip'),
    'META-INF/container.xml': strToU8('<container><rootfiles><rootfile full-path="b.opf"/></rootfiles></container>'),
    'b.opf': strToU8(opf),
    'a.xhtml': strToU8(xhtml(EMPTY_TAGS)),
  });
  const result = await read(book, 'book.epub');
  expect(result.words).toEqual(ALL_WORDS);
  expect(result.warnings).toEqual([]);
});

test.each([
  ['12345678901234567890', '{"id": 12345678901234567890}'],
  ['12.50', '[12.50]'],
  ['1e-7', '{"a": {"b": [1e-7]}}'],
  ['0.12345678901234567', '{"n": 0.12345678901234567}'],
  ['900719925474099267', '{"n": 1}\n{"n": 900719925474099267}'],
])('keeps the number %s of a JSON file as it is written', async (number, json) => {
  expect((await read(json, 'numbers.json')).words).toContain(number);
});

const CUES = `1
00:00:01,000 --> 00:00:02,000
First

2
00:00:05,000 --> 00:00:03,000
backwards

3
00:00:06,000 -> 00:00:07,000
arrow

4
00:00:08,000 --> 00:00:09,000
line

after a blank
`;

test('reads each value of a name that a JSON object repeats', async () => {
  const json = '{"tide":"high","log":{"a":1,"a":"two","b":[{"c":"x"},{"c":"y"}]},"tide":"low","tide":{"when":"noon"}}';
  const words = (await read(json, 'log.json')).words.join(' ');
  for (const line of ['tide: high', 'tide: low', 'a: 1', 'a: two', 'when: noon']) expect(words).toContain(line);
});

test('reads captions with damaged times and empty lines', async () => {
  const spoken = ['First', 'backwards', 'arrow', 'line', 'after', 'a', 'blank'];
  expect((await read(CUES, 'talk.srt')).words).toEqual(spoken);
  const vtt = `WEBVTT\nKind: captions\n\nNOTE not said\n\n${CUES.replaceAll(',', '.')}\n\nNOTE nor this\n\nname\n00:20.000 --> 00:21.000\nlast\n`;
  expect((await read(vtt, 'talk.vtt')).words).toEqual([...spoken, 'last']);
});

test('reads the outputs of a notebook that have no plain text, and the lines of a failure', async () => {
  const data = (form: object) => ({ output_type: 'display_data', data: form });
  const outputs = [
    data({ 'text/html': '<p>page</p>' }),
    data({ 'text/latex': '$formula$' }),
    data({ 'application/json': { key: 'value' } }),
    { output_type: 'error', ename: 'KeyError', evalue: 'pier', traceback: ['\u001b[31mline 3\u001b[0m'] },
  ];
  const notebook = { nbformat: 4, metadata: {}, cells: [{ cell_type: 'code', source: 'run()', outputs }] };
  const { words } = await read(JSON.stringify(notebook), 'a.ipynb');
  expect(words.join(' ')).toBe('run() page $formula$ {"key":"value"} line 3 KeyError: pier');
});

const mail = (type: string, body: string) =>
  `From: a@mail.example\r\nSubject: Tide\r\nContent-Type: ${type}\r\n\r\n${body}`;
const PART = '--real\r\nContent-Type: text/plain\r\n\r\nThe boats leave at noon.\r\n--real--\r\n';

test.each([
  ['without a boundary', mail('multipart/mixed', PART)],
  ['with a wrong boundary', mail('multipart/mixed; boundary=other', PART)],
  ['with parts but none inside', mail('multipart/mixed; boundary=real', 'The boats leave at noon.\r\n')],
  [
    'whose page is a picture',
    mail(
      'multipart/alternative; boundary=real',
      `${PART.replace('--real--\r\n', '')}--real\r\nContent-Type: text/html\r\n\r\n<img src="x">\r\n--real--\r\n`,
    ),
  ],
])('reads the body of a mail %s', async (_how, bytes) => {
  expect((await read(bytes, 'a.eml')).words.join(' ')).toBe('Tide From: a@mail.example The boats leave at noon.');
});

const stream = (entries: string, content: string) =>
  `<< ${entries} /Length ${content.length} >>\nstream\n${content}\nendstream`;
const page = text(60, 100, ['Harbour report']);
const file = (name: string) => `<< /Type /Filespec /F (${name}) /UF (${name}) /EF << /F ${FIRST_EXTRA + 1} 0 R >> >>`;

test('names the files attached to a PDF and to its pages', async () => {
  const extra = [
    file('tides.txt'),
    stream('/Type /EmbeddedFile', 'High tide at noon'),
    `<< /Type /Annot /Subtype /FileAttachment /Rect [10 10 30 30] /FS ${file('piers.txt')} >>`,
  ];
  const pdf = writePdf({
    pages: [page],
    extra,
    catalogue: `/Names << /EmbeddedFiles << /Names [(tides.txt) ${FIRST_EXTRA} 0 R] >> >>`,
    pageEntries: `/Annots [${FIRST_EXTRA + 2} 0 R]`,
  });
  expect((await read(pdf, 'a.pdf')).warnings).toEqual([
    'Attached files are not read: "tides.txt", "piers.txt". Save them and send them one by one.',
  ]);
});

test('tells the text of a form that no page of a PDF shows', async () => {
  const form = `<xdp><template><value><text>Your name</text></value></template><datasets><f>Ada Lovelace</f></datasets></xdp>`;
  const pdf = (catalogue: string) => writePdf({ pages: [page], extra: [stream('', form)], catalogue });
  const left = { reason: 'unsupported-part', count: 19, where: 'form (XFA)', sample: 'Your name Ada Lovelace' };
  const undrawn = await read(pdf(`/AcroForm << /XFA ${FIRST_EXTRA} 0 R /Fields [] >>`), 'a.pdf');
  expect(undrawn.account.leftOut).toEqual([left]);
  const asked = pdf(`/NeedsRendering true /AcroForm << /XFA [(template) ${FIRST_EXTRA} 0 R] /Fields [3 0 R] >>`);
  expect((await read(asked, 'a.pdf')).account.leftOut).toEqual([left]);
  const drawn = await read(pdf(`/AcroForm << /XFA ${FIRST_EXTRA} 0 R /Fields [3 0 R] >>`), 'a.pdf');
  expect(drawn.account.leftOut).toEqual([]);
});

test('lists descriptions of pictures in the tags of a PDF', async () => {
  const figure = (alt: string) => `<< /Type /StructElem /S /Figure /P ${FIRST_EXTRA} 0 R /Alt ${alt} >>`;
  // The second figure names itself as its child.
  const circular = `<< /Type /StructElem /S /Figure /Alt <FEFF004B00E40069> /K ${FIRST_EXTRA + 1} 0 R >>`;
  const pdf = writePdf({
    pages: [page],
    extra: [`<< /Type /StructTreeRoot /K [${figure('(Boats at noon)')} ${FIRST_EXTRA + 1} 0 R] >>`, circular],
    catalogue: `/StructTreeRoot ${FIRST_EXTRA} 0 R`,
  });
  const { account, warnings } = await read(pdf, 'a.pdf');
  expect(account.leftOut).toMatchObject([
    { reason: 'embedded-picture', where: 'descriptions of pictures', sample: 'Boats at noon Käi' },
  ]);
  expect(warnings).toEqual([]);
});

test('reads what a redaction only marks, and lists what it will show', async () => {
  const redaction = '<< /Type /Annot /Subtype /Redact /Rect [50 680 200 700] /OverlayText (Withheld) >>';
  const pdf = writePdf({ pages: [page], extra: [redaction], pageEntries: `/Annots [${FIRST_EXTRA} 0 R]` });
  const { words, account } = await read(pdf, 'a.pdf');
  expect(words).toEqual(['Harbour', 'report']);
  expect(account.leftOut).toEqual([{ reason: 'hidden', count: 8, where: 'page 1', sample: 'Withheld' }]);
});

const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const relations = (list: readonly (readonly [type: string, target: string])[]) => {
  const links = list.map(([type, to], id) => `<Relationship Id="r${id}" Type="${RELATIONS}/${type}" Target="${to}"/>`);
  return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${links.join('')}</Relationships>`;
};
const zip = (files: Record<string, string>) =>
  zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])), { level: 0 });

test('reads the text boxes of sheets, and says which have charts that are not there', async () => {
  const sheets = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  const xlsx = zip({
    '_rels/.rels': relations([['officeDocument', 'xl/workbook.xml']]),
    'xl/workbook.xml': `<workbook xmlns="${sheets}" xmlns:r="${RELATIONS}"><sheets><sheet name="Piers" r:id="r0"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations([['worksheet', 'worksheets/sheet1.xml']]),
    'xl/worksheets/sheet1.xml': `<worksheet xmlns="${sheets}"><sheetData><row r="1"><c r="A1"><v>120</v></c></row></sheetData></worksheet>`,
    'xl/worksheets/_rels/sheet1.xml.rels': relations([['drawing', '../drawings/drawing1.xml']]),
    'xl/drawings/_rels/drawing1.xml.rels': relations([['chart', '../charts/chart1.xml']]),
    'xl/drawings/drawing1.xml': `<d:wsDr xmlns:d="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing"
      xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><d:sp><d:txBody><a:p><a:r><a:t>Closed</a:t></a:r><a:br/>
      <a:r><a:t>in May</a:t></a:r></a:p></d:txBody></d:sp><d:graphicFrame><c:chart r:id="r0" xmlns:r="${RELATIONS}"
      xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"/></d:graphicFrame></d:wsDr>`,
  });
  const names = ['office', 'table', 'text', 'drawing'].map(
    (name) => `xmlns:${name.replace('drawing', 'draw')}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`,
  );
  const ods = zip({
    mimetype: 'application/vnd.oasis.opendocument.spreadsheet',
    'content.xml': `<office:document-content ${names.join(' ')}><office:body><office:spreadsheet><table:table table:name="Piers">
      <table:shapes><draw:frame><draw:text-box><text:p>Closed <text:span>in</text:span><text:s/>May</text:p></draw:text-box></draw:frame>
      <draw:frame><draw:object/></draw:frame></table:shapes><table:table-row><table:table-cell><text:p>120</text:p></table:table-cell>
      </table:table-row></table:table></office:spreadsheet></office:body></office:document-content>`,
  });
  for (const [bytes, name] of [
    [xlsx, 'a.xlsx'],
    [ods, 'a.ods'],
  ] as const) {
    const { words, warnings } = await read(bytes, name);
    expect(words).toEqual(['Piers', '120', 'Closed', 'in', 'May']);
    expect(warnings).toEqual(['Charts and other drawings are not read, in the sheets "Piers".']);
  }
});

const mark = (type: string) => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
const instruction = (text: string) => `<w:r><w:instrText>${text}</w:instrText></w:r>`;

test('reads WordArt and watermarks, and fields that have letters but no result', async () => {
  const art = (text: string) =>
    `<w:p>${r('beside')}<w:r><w:pict><v:shape><v:textpath string="${text}"/></v:shape></w:pict></w:r></w:p>`;
  const equation = `<w:p>${r('half ')}${mark('begin')}${instruction(' EQ \\f(1;2) ')}${mark('end')}${r(' as ')}
    ${mark('begin')}${instruction('EQ \\s\\up8(UB)')}${mark('separate')}${mark('end')}${r(' is')}</w:p>`;
  const docx = makeDocx({
    body: `${p('First')}${art('Harbour fair')}${equation}${p('last')}<w:sectPr><w:headerReference r:id="pheader1"/></w:sectPr>`,
    parts: { header1: art('DRAFT') },
  });
  const { words, warnings, account } = await read(docx, 'a.docx');
  const all = 'First beside Harbour fair half 1/2 as (UB) is last beside DRAFT';
  expect(words.join(' ')).toBe(all);
  expect([warnings, account.source]).toEqual([[], all.replace(/[^\w]/g, '').length]);
});

test('lists guides of ruby, fields inside instructions and building blocks, which are no text', async () => {
  const ruby = `<w:p><w:r><w:ruby><w:rt>${r('かんじ')}</w:rt><w:rubyBase>${r('漢字')}</w:rubyBase></w:ruby></w:r></w:p>`;
  const nested = `<w:p>${mark('begin')}${instruction('IF ')}${mark('begin')}${instruction('NAME')}${mark('separate')}
    ${r('inner')}${mark('end')}${instruction('= 1')}${mark('separate')}${r('outer')}${mark('end')}</w:p>`;
  // The field of this paragraph never ends.
  const open = `<w:p>${mark('begin')}${instruction('IF ')}</w:p><w:p>${mark('begin')}${instruction('NAME')}
    ${mark('separate')}${r('kept')}${mark('end')}</w:p>`;
  const w = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
  const glossary = `<w:glossaryDocument ${w}><w:docPartBody>${p('Yours truly')}</w:docPartBody></w:glossaryDocument>`;
  const docx = makeDocx({ body: ruby + nested + open, files: { 'word/glossary/document.xml': glossary } });
  const { words, warnings, account } = await read(docx, 'a.docx');
  expect([words, warnings]).toEqual([['漢字', 'outer', 'kept'], []]);
  expect(account.leftOut.map(({ reason, where, sample }) => [reason, where, sample])).toEqual([
    ['hidden', 'word/document.xml', 'inner'],
    ['unsupported-part', 'word/document.xml', 'かんじ'],
    ['hidden', 'word/glossary/document.xml', 'Yours truly'],
  ]);
});

test('reads equations, boxes and chosen entries of Rich Text, and lists descriptions', async () => {
  const field = (instruct: string, result: string) => `{\\field{\\*\\fldinst ${instruct}}{\\fldrslt ${result}}}`;
  const form = (properties: string) => field(`{ FORMDROPDOWN }{\\*\\formfield{${properties}}}`, '');
  const list = '{\\*\\ffname Port}{\\*\\ffl Hull}{\\*\\ffl Goole}';
  const property = (name: string, value: string) => `{\\sp{\\sn ${name}}{\\sv ${value}}}`;
  const rtf = `{\\rtf1\\ansi half ${field(' EQ \\\\f(1;2) ', '')} shown ${field('EQ \\\\f(3;4)', 'result')}\\par
    ${form(`\\fftype2\\ffres1${list}`)} ${form(`\\fftype2\\ffres25\\ffdefres0${list}`)} ${form('\\fftype1\\ffres1')}
    ${field('HYPERLINK "https://127.0.0.1/tides"', 'tides')}\\par
    {\\shp{\\*\\shpinst${property('wzDescription', 'A pier')}${property('gtextUNICODE', 'DRAFT')}}}
    {\\pict{\\*\\picprop${property('wzDescription', 'A crane')}${property('wzName', 'Picture 1')}}00}last}`;
  const { words, warnings, account } = await read(rtf, 'a.rtf');
  expect(words.join(' ')).toBe('half 1/2 shown result Goole Hull \u2612 tides last');
  expect(warnings).toEqual([]);
  expect(account.leftOut.map(({ reason, count, sample }) => [reason, count, sample])).toEqual([
    ['embedded-picture', 11, 'A pier A crane'],
    ['unsupported-part', 5, 'DRAFT'],
  ]);
});

test('lists what TeX skips', async () => {
  const tex = String.raw`\documentclass{article}\begin{document}First $\iff$ \iffalse no \iff \ifx\a\b never\fi{} more\else yes\fi{} and
\begin{verbatim}
\iffalse kept\fi
\end{verbatim}
last % \iffalse
\end{document}
Behind the end`;
  const { words, account } = await read(tex, 'a.tex');
  expect(words.join(' ').replace(/\s+/g, ' ')).toContain('First $\\iff$ yes and');
  expect(words).toEqual(expect.arrayContaining(['kept\\fi', 'last']));
  expect(account.leftOut).toMatchObject([{ reason: 'hidden', where: 'what TeX skips', count: 33 }]);
});

test.each([
  ['a.csv', 'sep=;\nHull;12\nGoole;15\n'],
  ['a.html', '<p>&copy 2024 Hull &notin; &reg'.concat(' &copy boats'.repeat(20), '</p>')],
  ['a.json', JSON.stringify({ harbours: Array.from({ length: 40 }, (_, id) => ({ name: `h${id}`, at: [id, [1]] })) })],
  [
    'a.rtf',
    String.raw`{\rtf1\mac Caf\'8e \'8e\'8e\'8e\'8e\'8e\'8e\'8e\'8e\'8e\'8e {\upr{for readers without Unicode}{\*\ud{\u1047?\u1048?}}}}`,
  ],
])('warns of nothing in %s', async (name, content) => {
  expect((await read(content, name)).warnings).toEqual([]);
});

test('lists printed headers of sheets and pages of a book that its order lacks', async () => {
  const sheets = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  const xlsx = zip({
    '_rels/.rels': relations([['officeDocument', 'xl/workbook.xml']]),
    'xl/workbook.xml': `<workbook xmlns="${sheets}" xmlns:r="${RELATIONS}"><sheets><sheet name="Piers" r:id="r0"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations([['worksheet', 'worksheets/sheet1.xml']]),
    'xl/worksheets/sheet1.xml': `<worksheet xmlns="${sheets}"><sheetData><row r="1"><c r="A1"><v>120</v></c></row></sheetData>
      <headerFooter differentFirst="1"><oddHeader>&amp;L&amp;"Arial,Bold"Harbour office</oddHeader><oddFooter>&amp;P</oddFooter></headerFooter></worksheet>`,
  });
  expect((await read(xlsx, 'a.xlsx')).account.leftOut).toEqual([
    { reason: 'repeated-header-or-footer', count: 0, where: 'sheet Piers', sample: 'Harbour office' },
  ]);
  const item = (id: string) => `<item id="${id}" href="${id}.xhtml" media-type="application/xhtml+xml"/>`;
  const book = zip({
    'META-INF/container.xml': '<container><rootfiles><rootfile full-path="b.opf"/></rootfiles></container>',
    'b.opf': `<package xmlns="http://www.idpf.org/2007/opf"><metadata/><manifest>${item('a')}${item('b')}</manifest>
      <spine><itemref idref="a"/></spine></package>`,
    'a.xhtml': xhtml('<p>First</p>'),
    'b.xhtml': xhtml('<p>Answers</p>'),
    'extra/c.html': xhtml('<p>Unlisted</p>'),
  });
  const { words, account } = await read(book, 'b.epub');
  expect(words).toEqual(['First']);
  expect(account.leftOut).toEqual([
    { reason: 'unsupported-part', count: 7, where: 'b.xhtml', sample: 'Answers' },
    { reason: 'unsupported-part', count: 8, where: 'extra/c.html', sample: 'Unlisted' },
  ]);
});

test('reads filled fields of pages, and lists labels of buttons and hints', async () => {
  const page = `<p><form><label>Port <input value="Hull"></label><input type="hidden" value="token"><input type=checkbox value="yes">
    <textarea placeholder="Remarks">Calm</textarea><input type="email" placeholder="you@mail"><input type="submit" value="Send">
    <select><optgroup label="Humber"><option value="g">Goole</option></optgroup></select><div hidden><input value="x"></div></form>`;
  const { words, account, warnings } = await read(page, 'form.html');
  expect(words).toEqual(['Port', 'Hull', 'Calm', 'Humber', 'Goole']);
  expect(account.leftOut).toMatchObject([
    { reason: 'navigation', sample: 'Remarks you@mail Send' },
    { reason: 'hidden', sample: 'x' },
  ]);
  expect(warnings).toEqual([]);
});

test('counts letters of symbol fonts and mails of a digest as they are read', async () => {
  const fonts = String.raw`{\fonttbl{\f0 Arial;}{\f1\fcharset2 Symbol;}}`;
  const letters = String.raw`{\f1 abgdepqrsl}`.repeat(4);
  const field = String.raw`{\field{\*\fldinst SYMBOL 119 \\f "Symbol"}{\fldrslt}}`;
  const rtf = await read(String.raw`{\rtf1${fonts}First ${field} ${letters} \f1\u-3999?}`, 'a.rtf');
  expect(rtf.words.join(' ')).toBe(`First ω ${'αβγδεπθρσλ'.repeat(4)} α`);
  expect(rtf.warnings).toEqual([]);
  const inner = (text: string) =>
    `--b\r\n\r\nFrom: c@mail.example\r\nSubject: Lock ${text}\r\n\r\nThe lock at ${text} opens.\r\n`;
  const digest = await read(
    mail('multipart/digest; boundary=b', `${inner('Hull')}${inner('Goole')}--b--\r\n`),
    'a.eml',
  );
  expect(digest.words.join(' ')).toContain('The lock at Goole opens.');
  expect(digest.warnings).toEqual([]);
});

const OFFICE = 'urn:oasis:names:tc:opendocument:xmlns:';
const open = (element: string, body: string) =>
  `<office:${element} ${['office', 'text', 'table', 'draw', 'style', 'presentation', 'chart']
    .map((name) => `xmlns:${name}="${OFFICE}${name}:1.0"`)
    .join(' ')} xmlns:xlink="http://www.w3.org/1999/xlink">${body}</office:${element}>`;
const content = (body: string) => open('document-content', `<office:body>${body}</office:body>`);
const object = (name: string) => `<draw:frame><draw:object xlink:href="./${name}"/></draw:frame>`;
const row = (...cells: string[]) =>
  `<table:table-row>${cells.map((cell) => `<table:table-cell><text:p>${cell}</text:p></table:table-cell>`).join('')}</table:table-row>`;

test('reads charts, sheets and formulas in OpenDocument texts', async () => {
  const table = `<table:table>${row('', 'Boats')}${row('Hull', '120')}${row('Goole', '15')}</table:table>`;
  const math =
    '<math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mi>distance</mi><mo>=</mo><mi>speed</mi><mi>duration</mi></semantics></math>';
  const odt = zip({
    mimetype: 'application/vnd.oasis.opendocument.text',
    'content.xml': content(
      `<office:text><text:p>First ${object('Object 1')} last</text:p>${object('Object 2')}${object('Object 3')}
       <text:p><draw:frame><draw:object-ole xlink:href="./Object 4"/></draw:frame></text:p></office:text>`,
    ),
    'Object 1/content.xml': math,
    'Object 2/content.xml': content(
      `<office:chart><chart:chart><chart:title><text:p>Boats at the piers</text:p></chart:title>${table}</chart:chart></office:chart>`,
    ),
    'Object 3/content.xml': content(
      `<office:spreadsheet><table:table><table:shapes>${object('Object 5')}</table:shapes>${row('Tide', '4 m')}</table:table></office:spreadsheet>`,
    ),
    'Object 3/Object 5/content.xml': content('<office:text><text:p>The log in the sheet</text:p></office:text>'),
    'Object 4': 'binary',
  });
  const { words, account, warnings } = await read(odt, 'a.odt');
  const plain = words.join(' ').replace(/[|\s-]+/g, ' ');
  expect(plain).toContain('First distance=speedduration last Boats at the piers Boats Hull 120 Goole 15');
  expect(plain).toContain('Tide 4 m');
  expect(plain).toContain('The log in the sheet');
  expect(account.leftOut).toEqual([
    { reason: 'unsupported-part', count: 0, where: 'content.xml', sample: './Object 4' },
  ]);
  expect(warnings).toEqual([]);
});

test('lists footers and fixed texts of OpenDocument slides', async () => {
  const frame = (text: string, role = '') =>
    `<draw:frame${role === '' ? '' : ` presentation:class="${role}"`}><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame>`;
  const master = (name: string, text: string) =>
    `<style:master-page style:name="${name}">${frame(text)}${frame('Click here', 'title')}${frame('6/12/26', 'date-time')}</style:master-page>`;
  const odp = zip({
    mimetype: 'application/vnd.oasis.opendocument.presentation',
    'content.xml': content(
      `<office:presentation><presentation:footer-decl presentation:name="f">Harbour office</presentation:footer-decl>
       <draw:page draw:master-page-name="a" presentation:use-footer-name="f">${frame('Boats', 'title')}</draw:page></office:presentation>`,
    ),
    'styles.xml': open(
      'document-styles',
      `<office:master-styles>${master('a', 'Port of Hull')}${master('b', 'Unused')}</office:master-styles>`,
    ),
  });
  const { words, account } = await read(odp, 'a.odp');
  expect(words).toEqual(['Boats']);
  expect(account.leftOut).toEqual([
    { reason: 'repeated-header-or-footer', count: 13, where: 'content.xml', sample: 'Harbour office' },
    { reason: 'repeated-header-or-footer', count: 10, where: 'styles.xml', sample: 'Port of Hull' },
  ]);
});

test('reads boxes of notes pages, and lists fixed texts of the layouts of slides', async () => {
  const names =
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"';
  const shape = (text: string, type = '') =>
    `<p:sp><p:nvSpPr><p:nvPr>${type === '' ? '' : `<p:ph type="${type}"/>`}</p:nvPr></p:nvSpPr>
     <p:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp>`;
  const part = (element: string, shapes: string) =>
    `<p:${element} ${names}><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:${element}>`;
  const table = `<p:graphicFrame><a:tbl><a:tr><a:tc><a:txBody><a:p><a:r><a:t>Tide</a:t></a:r></a:p></a:txBody></a:tc></a:tr></a:tbl></p:graphicFrame>`;
  const pptx = zip({
    '_rels/.rels': relations([['officeDocument', 'ppt/presentation.xml']]),
    'ppt/presentation.xml': `<p:presentation ${names} xmlns:r="${RELATIONS}"><p:sldIdLst><p:sldId id="256" r:id="r0"/></p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relations([['slide', 'slides/slide1.xml']]),
    'ppt/slides/slide1.xml': part('sld', shape('Boats', 'title')),
    'ppt/slides/_rels/slide1.xml.rels': relations([
      ['slideLayout', '../slideLayouts/slideLayout1.xml'],
      ['notesSlide', '../notesSlides/notesSlide1.xml'],
    ]),
    'ppt/slideLayouts/slideLayout1.xml': part('sldLayout', shape('Port of Hull') + shape('Click here', 'title')),
    'ppt/slideLayouts/_rels/slideLayout1.xml.rels': relations([['slideMaster', '../slideMasters/slideMaster1.xml']]),
    'ppt/slideMasters/slideMaster1.xml': part('sldMaster', shape('Confidential')),
    'ppt/notesSlides/notesSlide1.xml': part(
      'notes',
      shape('Wait', 'body') + shape('Box') + table + shape('7', 'sldNum'),
    ),
  });
  const { words, account, warnings } = await read(pptx, 'a.pptx');
  expect(words).toEqual(['Boats', 'Notes', 'Wait', 'Box', 'Tide']);
  const reason = 'repeated-header-or-footer';
  expect(account.leftOut).toEqual([
    { reason, count: 1, where: 'slide 1', sample: '7' },
    { reason, count: 10, where: 'slideLayout1', sample: 'Port of Hull' },
    { reason, count: 12, where: 'slideMaster1', sample: 'Confidential' },
  ]);
  expect(warnings).toEqual([]);
});
