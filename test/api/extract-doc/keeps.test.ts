/** The guide that says what each format keeps is true for small documents of each format. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeDocx, p, r } from '../../documents/make-docx.ts';
import { rule, text, writePdf } from '../../documents/pdf-writer.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { type ReadDocument, readDocument } from '../../harness/read-document.ts';
import { BOLD, field, IN_TABLE, modifier, ROW_END, word97 } from '../../harness/word-97.ts';
import { zipTexts } from '../../harness/zip-texts.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

const fixture = (name: string) => readFile(new URL(`../../fixtures/documents/office/${name}`, import.meta.url));

/** How the result shows each construct of the samples. */
const SHOWN: Readonly<Record<string, (read: ReadDocument) => boolean>> = {
  Headings: ({ markdown }) => /^#+ (?:Chapter|Deck|Harvest|By quarter)$/m.test(markdown),
  Lists: ({ markdown }) => /^ *- (?:Item|Returns fell)$/m.test(markdown),
  Tables: ({ markdown }) => /(?:\| (?:Arden \| 12|Block A \| Pinot Noir|Q1 \| 1,204) \||>Arden<.*>12<)/.test(markdown),
  'Merged cells': ({ markdown }) => /colspan="2">Wide</.test(markdown),
  Links: ({ markdown }) => markdown.includes('[pilots](https://pilots.example/)'),
  Emphasis: ({ markdown }) => /\*\*strong\*\*/.test(markdown) && !markdown.includes('\\*'),
  Code: ({ markdown }) => /```\w*\nlet a = 1;?\n```/.test(markdown),
  Quotations: ({ markdown }) => /^> Quoted\.$/m.test(markdown),
  Footnotes: ({ markdown }) => /\[\^\w+\](?!:)/.test(markdown) && /^\[\^\w+\]: Noted\.$/m.test(markdown),
  Formulas: ({ markdown }) => /(?<!\\)\$x\^\{?2\}?\$/.test(markdown),
  'Descriptions of pictures': ({ markdown }) => markdown.includes('A red boat'),
  Comments: ({ result }) => (result.comments as { text: string }[]).some(({ text: own }) => own === 'Remark.'),
  'Tracked changes': ({ result }) => (result.changes as unknown[]).length === 1,
  Pages: ({ document }) => Number(document.pages) > 1,
};

interface Sample {
  content: Uint8Array | string;
  name: string;
  /** Constructs that the sample does not have, which other tests try. */
  untried?: string[];
}

/** What the fixtures from other programs do not have. */
const OF_FIXTURES = [
  'Merged cells',
  'Links',
  'Emphasis',
  'Formulas',
  'Descriptions of pictures',
  'Comments',
  'Tracked changes',
];

const SAMPLES: Readonly<Record<string, () => Sample | Promise<Sample>>> = {
  Word: () => ({ content: word(), name: 'a.docx' }),
  'Word 97': () => ({
    content: word97(
      [
        { runs: ['Chapter'], style: 1 },
        { runs: ['Arden'], end: '\u0007', properties: [modifier(IN_TABLE, 1)] },
        { runs: ['12'], end: '\u0007', properties: [modifier(IN_TABLE, 1)] },
        { runs: [], end: '\u0007', properties: [modifier(IN_TABLE, 1), modifier(ROW_END, 1)] },
        {
          runs: [
            `The ${field(' HYPERLINK "https://pilots.example/" ', 'pilots')} are `,
            { text: 'strong', properties: [modifier(BOLD, 1)] },
            '.',
          ],
        },
        { runs: ['let a = 1;'], style: 2 },
        { runs: ['Quoted.'], style: 3, end: '\f' },
        { runs: ['Next page'] },
      ],
      [{ name: 'Normal' }, { name: 'heading 1', builtIn: 1 }, { name: 'HTML', builtIn: 101 }, { name: 'Quote' }],
    ),
    name: 'a.doc',
    untried: ['Lists', 'Merged cells', 'Footnotes', 'Comments', 'Tracked changes'],
  }),
  'OpenDocument text': () => ({ content: openDocument(), name: 'a.odt' }),
  RTF: () => ({ content: RTF, name: 'a.rtf' }),
  HTML: () => ({ content: `<html><body>${HTML}</body></html>`, name: 'a.html' }),
  EPUB: () => ({ content: epub(), name: 'a.epub' }),
  Markdown: () => ({ content: MARKDOWN, name: 'a.md' }),
  LaTeX: () => ({ content: LATEX, name: 'a.tex' }),
  XML: () => ({ content: ARTICLE, name: 'a.nxml' }),
  reStructuredText: () => ({ content: RST, name: 'a.rst' }),
  AsciiDoc: () => ({ content: ASCIIDOC, name: 'a.adoc' }),
  Org: () => ({ content: ORG, name: 'a.org' }),
  PDF: () => ({ content: pdf(), name: 'a.pdf', untried: ['Code', 'Formulas', 'Comments'] }),
  PowerPoint: () => ({ content: slides(), name: 'a.pptx' }),
  Excel: () => ({ content: workbook(), name: 'a.xlsx' }),
  'Excel 97': async () => ({ content: await fixture('harvest.xls'), name: 'a.xls', untried: OF_FIXTURES }),
  'OpenDocument sheets': () => ({ content: openSheets(), name: 'a.ods' }),
  'OpenDocument slides': () => ({ content: openSlides(), name: 'a.odp' }),
  'Separated values': () => ({ content: 'Port,Boats\nArden,12\nBrill,7\n', name: 'a.csv' }),
  Mail: () => ({ content: mail(), name: 'a.eml' }),
  'Plain text': () => ({ content: 'Chapter\n\n- Item\n\nArden 12\n', name: 'a.txt' }),
};

const control = (content: string, properties = '') => `<w:tc><w:tcPr>${properties}</w:tcPr>${content}</w:tc>`;
function word(): Buffer {
  const math = `<m:oMath><m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath>`;
  const body = [
    p('Chapter', '<w:outlineLvl w:val="0"/>'),
    p('Item', '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'),
    `<w:tbl><w:tr>${control(p('Wide'), '<w:gridSpan w:val="2"/>')}</w:tr><w:tr>${control(p('Arden'))}${control(p('12'))}</w:tr></w:tbl>`,
    `<w:p>${r('The ')}<w:hyperlink r:id="l">${r('pilots')}</w:hyperlink>${r(' are ')}<w:r><w:rPr><w:b/></w:rPr><w:t>strong</w:t></w:r><w:r>
      <w:footnoteReference w:id="2"/></w:r>${r(' if ')}${math}${r(' fits.')}</w:p>`,
    p('let a = 1;', '<w:pStyle w:val="Code"/>'),
    p('Quoted.', '<w:pStyle w:val="Quote"/>'),
    `<w:p><w:r><w:drawing><wp:inline><wp:docPr id="1" name="p" descr="A red boat"/></wp:inline></w:drawing></w:r></w:p>`,
    `<w:p><w:ins w:id="1" w:author="A">${r('Added. ')}</w:ins>${r('Rest')}<w:r><w:commentReference w:id="0"/></w:r></w:p>`,
    `<w:p><w:r><w:br w:type="page"/></w:r>${r('Next page')}</w:p>`,
  ].join('');
  return makeDocx({
    body,
    parts: {
      footnotes: `<w:footnote w:id="2">${p('Noted.')}</w:footnote>`,
      comments: `<w:comment w:id="0" w:author="A">${p('Remark.')}</w:comment>`,
      styles: `<w:style w:type="paragraph" w:styleId="Code"><w:name w:val="HTML Preformatted"/></w:style>
        <w:style w:type="paragraph" w:styleId="Quote"><w:name w:val="Quote"/></w:style>`,
      numbering: `<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/>
        <w:lvlText w:val="•"/></w:lvl></w:abstractNum>
        <w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>`,
    },
    relationships: [{ id: 'l', type: 'hyperlink', target: 'https://pilots.example/', external: true }],
  });
}

const O = 'urn:oasis:names:tc:opendocument:xmlns';
function openDocument(): Uint8Array {
  const cell = (content: string, attributes = '') =>
    `<table:table-cell ${attributes}><text:p>${content}</text:p></table:table-cell>`;
  const math = '<math xmlns="http://www.w3.org/1998/Math/MathML"><msup><mi>x</mi><mn>2</mn></msup></math>';
  return zipTexts({
    mimetype: 'application/vnd.oasis.opendocument.text',
    'content.xml': `<office:document-content xmlns:office="${O}:office:1.0" xmlns:text="${O}:text:1.0"
      xmlns:table="${O}:table:1.0" xmlns:style="${O}:style:1.0"
      xmlns:fo="${O}:xsl-fo-compatible:1.0" xmlns:svg="${O}:svg-compatible:1.0" xmlns:dc="http://purl.org/dc/elements/1.1/"
      xmlns:draw="${O}:drawing:1.0" xmlns:xlink="http://www.w3.org/1999/xlink"><office:automatic-styles>
      <style:style style:name="B" style:family="text"><style:text-properties fo:font-weight="bold"/></style:style>
      <style:style style:name="Next" style:family="paragraph"><style:paragraph-properties fo:break-before="page"/></style:style>
      </office:automatic-styles><office:body><office:text>
      <text:tracked-changes><text:changed-region text:id="c"><text:insertion><office:change-info><dc:creator>A</dc:creator></office:change-info>
      </text:insertion></text:changed-region></text:tracked-changes>
      <text:h text:outline-level="1">Chapter</text:h><text:list><text:list-item><text:p>Item</text:p></text:list-item></text:list>
      <table:table><table:table-row>${cell('Wide', 'table:number-columns-spanned="2"')}<table:covered-table-cell/></table:table-row>
      <table:table-row>${cell('Arden')}${cell('12')}</table:table-row></table:table>
      <text:p>The <text:a xlink:href="https://pilots.example/">pilots</text:a> are <text:span text:style-name="B">strong</text:span>
      <text:note text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body><text:p>Noted.</text:p></text:note-body>
      </text:note> if <draw:frame><draw:object xlink:href="./Object 1"/></draw:frame> fits.</text:p>
      <text:p text:style-name="Preformatted_20_Text">let a = 1;</text:p><text:p text:style-name="Quotations">Quoted.</text:p>
      <text:p><draw:frame><draw:image xlink:href="p.png"/><svg:desc>A red boat</svg:desc></draw:frame></text:p>
      <text:p><text:change-start text:change-id="c"/>Added. <text:change-end text:change-id="c"/>Rest<office:annotation><dc:creator>A</dc:creator>
      <text:p>Remark.</text:p></office:annotation></text:p>
      <text:p text:style-name="Next">Next page</text:p></office:text></office:body></office:document-content>`,
    'Object 1/content.xml': math,
  });
}

function openSlides(): Uint8Array {
  const frame = (content: string, attributes = '') =>
    `<draw:frame ${attributes}><draw:text-box>${content}</draw:text-box></draw:frame>`;
  const cell = (content: string, attributes = '') =>
    `<table:table-cell ${attributes}><text:p>${content}</text:p></table:table-cell>`;
  const math = '<math xmlns="http://www.w3.org/1998/Math/MathML"><msup><mi>x</mi><mn>2</mn></msup></math>';
  return zipTexts({
    mimetype: 'application/vnd.oasis.opendocument.presentation',
    'content.xml': `<office:document-content xmlns:office="${O}:office:1.0" xmlns:text="${O}:text:1.0"
      xmlns:table="${O}:table:1.0" xmlns:style="${O}:style:1.0" xmlns:presentation="${O}:presentation:1.0"
      xmlns:fo="${O}:xsl-fo-compatible:1.0" xmlns:svg="${O}:svg-compatible:1.0" xmlns:dc="http://purl.org/dc/elements/1.1/"
      xmlns:draw="${O}:drawing:1.0" xmlns:xlink="http://www.w3.org/1999/xlink"><office:automatic-styles>
      <style:style style:name="B" style:family="text"><style:text-properties fo:font-weight="bold"/></style:style>
      </office:automatic-styles><office:body><office:presentation><draw:page>
      ${frame('<text:p><text:span text:style-name="B">Chapter</text:span></text:p>', 'presentation:class="title"')}
      ${frame('<text:list><text:list-item><text:p>Item</text:p></text:list-item></text:list>')}
      <draw:frame><table:table><table:table-row>${cell('Wide', 'table:number-columns-spanned="2"')}<table:covered-table-cell/></table:table-row>
      <table:table-row>${cell('Arden')}${cell('12')}</table:table-row></table:table></draw:frame>
      ${frame(`<text:p>The <text:a xlink:href="https://pilots.example/">pilots</text:a> are <text:span text:style-name="B">strong</text:span>
        if <draw:frame><draw:object xlink:href="./Object 1"/></draw:frame> fits.</text:p>`)}
      <draw:frame><draw:image xlink:href="p.png"/><svg:desc>A red boat</svg:desc></draw:frame>
      <office:annotation><dc:creator>A</dc:creator><text:p>Remark.</text:p></office:annotation></draw:page>
      <draw:page>${frame('<text:p>Next page</text:p>')}</draw:page></office:presentation></office:body></office:document-content>`,
    'Object 1/content.xml': math,
  });
}

function openSheets(): Uint8Array {
  const cell = (content: string, attributes = '') => `<table:table-cell ${attributes}>${content}</table:table-cell>`;
  return zipTexts({
    mimetype: 'application/vnd.oasis.opendocument.spreadsheet',
    'content.xml': `<office:document-content xmlns:office="${O}:office:1.0" xmlns:text="${O}:text:1.0"
      xmlns:table="${O}:table:1.0" xmlns:style="${O}:style:1.0" xmlns:fo="${O}:xsl-fo-compatible:1.0"
      xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xlink="http://www.w3.org/1999/xlink"><office:automatic-styles>
      <style:style style:name="B" style:family="text"><style:text-properties fo:font-weight="bold"/></style:style>
      </office:automatic-styles><office:body><office:spreadsheet><table:table table:name="Chapter">
      <table:table-row>${cell('<office:annotation><dc:creator>A</dc:creator><text:p>Remark.</text:p></office:annotation><text:p>Arden</text:p>')}
      ${cell('<text:p>12</text:p>', 'office:value="12"')}</table:table-row>
      <table:table-row>${cell('<text:p>Wide</text:p>', 'table:number-columns-spanned="2"')}<table:covered-table-cell/></table:table-row>
      <table:table-row/>
      <table:table-row>${cell('<text:p><text:a xlink:href="https://pilots.example/">pilots</text:a></text:p>')}
      ${cell('<text:p>are <text:span text:style-name="B">strong</text:span></text:p>')}</table:table-row></table:table>
      <table:table table:name="Other"><table:table-row>${cell('<text:p>Next page</text:p>')}</table:table-row></table:table>
      </office:spreadsheet></office:body></office:document-content>`,
  });
}

const RTF = String.raw`{\rtf1\ansi{\stylesheet{\s1\outlinelevel0 heading 1;}{\s2 Quote;}{\s3 HTML Preformatted;}}
{\pard\s1\outlinelevel0 Chapter\par}
{\*\listtable{\list{\listlevel\levelnfc23{\leveltext\'01\u8226 ?;}{\levelnumbers;}}\listid1}}
{\*\listoverridetable{\listoverride\listid1\listoverridecount0\ls1}}
{\pard\ls1\ilvl0{\listtext\'95\tab}Item\par}
\trowd\clmgf\cellx1000\clmrg\cellx2000\pard\intbl Wide\cell\cell\row\trowd\cellx1000\cellx2000\pard\intbl Arden\cell 12\cell\row
\pard The {\field{\*\fldinst HYPERLINK "https://pilots.example/"}{\fldrslt pilots}} are {\b strong}{\super\chftn{\footnote\pard\chftn Noted.}}.\par
\pard\s3 let a = 1;\par
\pard\s2 Quoted.\par
{\pict\wmetafile8}\pard
{\revised\revauth0 Added. }Rest{\atnid A}{\*\atnauthor A}\chatn{\*\annotation\pard Remark.}\par
\page Next page\par}`;

const HTML = `<h1>Chapter</h1><ul><li>Item</li></ul><table><tr><th colspan="2">Wide</th></tr><tr><td>Arden</td><td>12</td></tr></table>
<p>The <a href="https://pilots.example/">pilots</a> are <b>strong</b><sup><a href="#fn1" id="fnref1">1</a>
  </sup> if <math xmlns="http://www.w3.org/1998/Math/MathML"><msup><mi>x</mi><mn>2</mn></msup></math> fits.</p>
<pre><code>let a = 1;</code></pre><blockquote><p>Quoted.</p></blockquote><p><img src="p.png" alt="A red boat"/></p><p><ins>Added.</ins> Rest</p>
<section class="footnotes"><ol><li id="fn1"><p>Noted. <a href="#fnref1">↩</a></p></li></ol></section>`;

function epub(): Uint8Array {
  const chapter = (body: string) =>
    `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title></head><body>${body}</body></html>`;
  return zipTexts({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': '<container><rootfiles><rootfile full-path="b.opf"/></rootfiles></container>',
    'b.opf': `<package xmlns="http://www.idpf.org/2007/opf"><metadata/><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>
      <item id="b" href="b.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/><itemref idref="b"/></spine></package>`,
    'a.xhtml': chapter(HTML),
    'b.xhtml': chapter('<p>Next page</p>'),
  });
}

const MARKDOWN = `# Chapter

- Item

| Port | Boats |
| --- | --- |
| Arden | 12 |

<table><tr><th colspan="2">Wide</th></tr><tr><td>a</td><td>b</td></tr></table>

The [pilots](https://pilots.example/) are **strong**[^1] if $x^2$ fits. ![A red boat](p.png)

\`\`\`js
let a = 1;
\`\`\`

> Quoted.

[^1]: Noted.
`;

const ARTICLE = `<article xmlns:mml="http://www.w3.org/1998/Math/MathML" xmlns:xlink="http://www.w3.org/1999/xlink"
  article-type="x"><body><sec><title>Chapter</title><list list-type="bullet"><list-item><p>Item</p></list-item></list>
  <table-wrap><table><tr><td colspan="2">Wide</td></tr><tr><td>Arden</td><td>12</td></tr></table></table-wrap>
  <p>The <ext-link xlink:href="https://pilots.example/">pilots</ext-link> are <bold>strong</bold><fn><p>Noted.</p></fn>
  if <mml:math><mml:msup><mml:mi>x</mml:mi><mml:mn>2</mml:mn></mml:msup></mml:math> fits.</p>
  <code>let a = 1;</code><disp-quote><p>Quoted.</p></disp-quote><fig><graphic xlink:href="a.png"><alt-text>A red boat</alt-text>
  </graphic></fig></sec></body></article>`;

const LATEX = String.raw`\documentclass{article}\usepackage{hyperref}\begin{document}
\section{Chapter}
\begin{itemize}\item Item\end{itemize}
\begin{tabular}{ll}\multicolumn{2}{l}{Wide}\\Arden & 12\end{tabular}

The \href{https://pilots.example/}{pilots} are \textbf{strong}\footnote{Noted.} if $x^2$ fits.

\begin{verbatim}
let a = 1;
\end{verbatim}
\begin{quote}Quoted.\end{quote}
\includegraphics[alt={A red boat}]{p.png}
\newpage Next page
\end{document}`;

const RST = `Chapter
=======

- Item

+-------+-------+
| Wide          |
+-------+-------+
| Arden | 12    |
+-------+-------+

The \`pilots <https://pilots.example/>\`_ are **strong** [1]_ if :math:\`x^2\` fits.

.. code-block:: js

   let a = 1;

..

   Quoted.

.. image:: p.png
   :alt: A red boat

.. [1] Noted.
`;

const ASCIIDOC = `= Deck

== Chapter

* Item

|===
|Port |Boats

|Arden |12

2+|Wide
|===

The https://pilots.example/[pilots] are **strong**footnote:[Noted.] if stem:[x^2] fits.

[source,js]
----
let a = 1;
----

[quote]
Quoted.

image::p.png[A red boat]
`;

const ORG = `* Chapter

- Item

| Port  | Boats |
|-------+-------|
| Arden | 12    |

The [[https://pilots.example/][pilots]] are *strong*[fn:1] if $x^2$ fits.

#+BEGIN_SRC js
let a = 1;
#+END_SRC

#+BEGIN_QUOTE
Quoted.
#+END_QUOTE

[fn:1] Noted.
`;

function pdf(): Buffer {
  const grid = [0, 1, 2].map((row) => rule(72, 200 + row * 18, 272, 200 + row * 18));
  for (const x of [72, 272]) grid.push(rule(x, 200, x, 236));
  grid.push(rule(172, 218, 172, 236));
  const page = [
    text(72, 60, ['Chapter'], 20, 'F2'),
    text(72, 100, ['Each boat']),
    `BT /F1 7 Tf 121.8 ${792 - 106} Td (1) Tj ET`,
    text(128, 100, ['has pilots enough to tell the size of its text, which is that of most lines, and']),
    text(72, 113.75, ['they are']),
    text(116, 113.75, ['strong'], 11, 'F2'),
    text(152, 113.75, ['in the fog.']),
    text(72, 140, ['\x95 Item', '\x95 Item'], 11),
    ...grid,
    text(76, 203, ['Wide'], 10),
    text(76, 221, ['Arden'], 10),
    text(176, 221, ['12'], 10),
    text(72, 700, ['1 Noted.'], 8),
  ];
  const link = `<< /Subtype /Link /Rect [149.5 680 178.5 691] /A << /S /URI /URI (https://pilots.example/) >> >>`;
  return writePdf({ pages: [page.join('\n'), text(72, 60, ['The second page.'])], pageEntries: `/Annots [${link}]` });
}

const FORMATS = 'http://schemas.openxmlformats.org';
const relations = (...all: [id: string, type: string, target: string, external?: true][]) =>
  `<Relationships xmlns="${FORMATS}/package/2006/relationships">${all
    .map(
      ([id, type, target, external]) =>
        `<Relationship Id="${id}" Type="${FORMATS}/officeDocument/2006/relationships/${type}" Target="${target}"${external ? ' TargetMode="External"' : ''}/>`,
    )
    .join('')}</Relationships>`;

function slides(): Uint8Array {
  const namespaces = `xmlns:p="${FORMATS}/presentationml/2006/main" xmlns:a="${FORMATS}/drawingml/2006/main"
    xmlns:r="${FORMATS}/officeDocument/2006/relationships" xmlns:m="${FORMATS}/officeDocument/2006/math"`;
  const run = (own: string, properties = '') => `<a:r><a:rPr>${properties}</a:rPr><a:t>${own}</a:t></a:r>`;
  const shape = (body: string, holder = '') =>
    `<p:sp><p:nvSpPr><p:nvPr>${holder}</p:nvPr></p:nvSpPr><p:txBody>${body}</p:txBody></p:sp>`;
  const cell = (own: string, attributes = '') =>
    `<a:tc ${attributes}><a:txBody><a:p>${run(own)}</a:p></a:txBody></a:tc>`;
  const math =
    '<m:oMath><m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath>';
  const slide = (content: string) => `<p:sld ${namespaces}><p:cSld><p:spTree>${content}</p:spTree></p:cSld></p:sld>`;
  return zipTexts({
    '_rels/.rels': relations(['r', 'officeDocument', 'ppt/presentation.xml']),
    'ppt/presentation.xml': `<p:presentation ${namespaces}><p:sldIdLst><p:sldId r:id="a"/><p:sldId r:id="b"/></p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relations(
      ['a', 'slide', 'slides/slide1.xml'],
      ['b', 'slide', 'slides/slide2.xml'],
      ['c', 'commentAuthors', 'commentAuthors.xml'],
    ),
    'ppt/commentAuthors.xml': `<p:cmAuthorLst ${namespaces}><p:cmAuthor id="0" name="A"/></p:cmAuthorLst>`,
    'ppt/comments/comment1.xml': `<p:cmLst ${namespaces}><p:cm authorId="0" dt="2024-07-01T10:00:00"><p:text>Remark.</p:text></p:cm></p:cmLst>`,
    'ppt/slides/slide1.xml': slide(
      shape(`<a:p>${run('Chapter')}</a:p>`, '<p:ph type="title"/>') +
        shape(`<a:p><a:pPr><a:buChar char="•"/></a:pPr>${run('Item')}</a:p>`) +
        `<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tr>${cell('Wide', 'gridSpan="2"')}${cell('', 'hMerge="1"')}</a:tr>
        <a:tr>${cell('Arden')}${cell('12')}</a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>` +
        shape(
          `<a:p>${run('The ')}${run('pilots', '<a:hlinkClick r:id="l"/>')}${run(' are ')}<a:r><a:rPr b="1"/><a:t>strong</a:t>
          </a:r>${run(' if ')}${math}${run(' fits.')}</a:p>`,
        ) +
        '<p:pic><p:nvPicPr><p:cNvPr id="9" name="p" descr="A red boat"/></p:nvPicPr></p:pic>',
    ),
    'ppt/slides/_rels/slide1.xml.rels': relations(
      ['l', 'hyperlink', 'https://pilots.example/', true],
      ['c', 'comments', '../comments/comment1.xml'],
    ),
    'ppt/slides/slide2.xml': slide(shape(`<a:p>${run('Next page')}</a:p>`)),
  });
}

function workbook(): Uint8Array {
  const sheet = `xmlns="${FORMATS}/spreadsheetml/2006/main"`;
  const cell = (at: string, own: string) => `<c r="${at}" t="inlineStr"><is><t>${own}</t></is></c>`;
  return zipTexts({
    '_rels/.rels': relations(['r', 'officeDocument', 'xl/workbook.xml']),
    'xl/workbook.xml': `<workbook ${sheet} xmlns:r="${FORMATS}/officeDocument/2006/relationships"><sheets><sheet name="Chapter" r:id="a"/>
      <sheet name="Other" r:id="b"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations(
      ['a', 'worksheet', 'worksheets/sheet1.xml'],
      ['b', 'worksheet', 'worksheets/sheet2.xml'],
    ),
    'xl/worksheets/sheet1.xml': `<worksheet ${sheet} xmlns:r="${FORMATS}/officeDocument/2006/relationships"><sheetData>
      <row r="1">${cell('A1', 'Arden')}${cell('B1', '12')}</row><row r="2">${cell('A2', 'Wide')}</row>
      <row r="4">${cell('A4', 'pilots')}<c r="B4" t="inlineStr"><is><r><t>are </t></r><r><rPr><b/></rPr>
      <t>strong</t></r></is></c></row></sheetData><mergeCells><mergeCell ref="A2:B2"/></mergeCells><hyperlinks>
      <hyperlink ref="A4" r:id="l"/></hyperlinks></worksheet>`,
    'xl/worksheets/_rels/sheet1.xml.rels': relations(
      ['l', 'hyperlink', 'https://pilots.example/', true],
      ['c', 'comments', '../comments1.xml'],
    ),
    'xl/comments1.xml': `<comments ${sheet}><authors><author>A</author></authors><commentList><comment ref="A1" authorId="0"><text><t>Remark.</t>
      </text></comment></commentList></comments>`,
    'xl/worksheets/sheet2.xml': `<worksheet ${sheet}><sheetData><row r="1">${cell('A1', 'Next page')}</row></sheetData></worksheet>`,
  });
}

function mail(): string {
  return [
    'From: a@mail.example',
    'Subject: Deck',
    'MIME-Version: 1.0',
    'Content-Type: text/html; charset=utf-8',
    '',
    `<html><body>${HTML}</body></html>`,
  ].join('\r\n');
}

/** The rows of the guide's table: what it says of each construct, by format. */
async function claimsOfGuide(): Promise<Map<string, Map<string, string>>> {
  const guide = await readFile(new URL('../../../resources/reference/formats.md', import.meta.url), 'utf8');
  const rows = guide.split('\n').filter((line) => line.startsWith('| '));
  const cells = rows.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  const [head = [], ...others] = cells;
  return new Map(
    others.map(([format = '', ...claims]) => [format, new Map(claims.map((claim, at) => [head[at + 1] ?? '', claim]))]),
  );
}

test('the guide has a row for each format, and a column for each construct', async () => {
  const claims = await claimsOfGuide();
  expect([...claims.keys()]).toEqual(expect.arrayContaining(Object.keys(SAMPLES)));
  for (const row of claims.values()) {
    expect([...row.keys()].filter((name) => name !== 'Hidden parts')).toEqual(Object.keys(SHOWN));
    expect([...row].filter(([name, claim]) => name !== 'Hidden parts' && !/^(?:yes|text|–)$/.test(claim))).toEqual([]);
  }
});

test.each(Object.keys(SAMPLES))('%s keeps what the guide says', async (format) => {
  const sample = await SAMPLES[format]?.();
  if (sample === undefined) return;
  const { content, name, untried = [] } = sample;
  const claims = (await claimsOfGuide()).get(format);
  const plain = await readDocument(appliance, content, name);
  const marked = await readDocument(appliance, content, name, { options: JSON.stringify({ includeComments: true }) });
  expect(plain.error).toBeNull();
  const isListed = (construct: string) => /^(?:Comments|Tracked changes)$/.test(construct);
  const tried = Object.keys(SHOWN).filter((construct) => !untried.includes(construct));
  const kept = tried.filter((construct) => SHOWN[construct]?.(isListed(construct) ? marked : plain) === true);
  expect(kept).toEqual(tried.filter((construct) => claims?.get(construct) === 'yes'));
});
