/** Links and emphasis of slides, workbooks and old Word documents in the result. */
import { utils, write } from '@e965/xlsx';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { presentation97, record, words } from '../../harness/presentation-97.ts';
import { readDocument } from '../../harness/read-document.ts';
import {
  BOLD,
  CHARACTER_STYLE,
  field,
  IN_TABLE,
  ITALIC,
  modifier,
  ROW_END,
  STRUCK,
  word97,
} from '../../harness/word-97.ts';
import { zipTexts } from '../../harness/zip-texts.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

const FORMATS = 'http://schemas.openxmlformats.org';
const OFFICE = `${FORMATS}/officeDocument/2006/relationships`;

type Relation = [id: string, type: string, target: string, mode?: 'External'];

const relations = (...all: Relation[]) =>
  `<Relationships xmlns="${FORMATS}/package/2006/relationships">${all
    .map(([id, type, target, mode = 'Internal']) => {
      return `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}" TargetMode="${mode}"/>`;
    })
    .join('')}</Relationships>`;

const LINK: Relation = ['l', 'hyperlink', 'https://pilots.example/', 'External'];

describe('a PowerPoint presentation', () => {
  const NAMESPACES = `xmlns:p="${FORMATS}/presentationml/2006/main" xmlns:a="${FORMATS}/drawingml/2006/main"
    xmlns:c="${FORMATS}/drawingml/2006/chart" xmlns:r="${OFFICE}"`;
  const run = (text: string, attributes = '', inner = '') =>
    `<a:r><a:rPr ${attributes}>${inner}</a:rPr><a:t>${text}</a:t></a:r>`;
  const paragraph = (...runs: string[]) => `<a:p>${runs.join('')}</a:p>`;
  const shape = (body: string, facts = '', holder = '') =>
    `<p:sp><p:nvSpPr><p:cNvPr id="2" name="s">${facts}</p:cNvPr><p:nvPr>${holder}</p:nvPr></p:nvSpPr><p:txBody>${body}</p:txBody></p:sp>`;

  async function readSlide(shapes: string, ...own: Relation[]) {
    const content = zipTexts({
      '_rels/.rels': relations(['r', 'officeDocument', 'ppt/presentation.xml']),
      'ppt/presentation.xml': `<p:presentation ${NAMESPACES}><p:sldIdLst><p:sldId r:id="a"/></p:sldIdLst></p:presentation>`,
      'ppt/_rels/presentation.xml.rels': relations(['a', 'slide', 'slides/slide1.xml']),
      'ppt/slides/slide1.xml': `<p:sld ${NAMESPACES}><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`,
      'ppt/slides/_rels/slide1.xml.rels': relations(LINK, ...own),
    });
    const { markdown, document, result } = await readDocument(appliance, content, 'a.pptx');
    return { lines: markdown.trim().split(/\n+/), document, result };
  }

  test('marks the emphasis of words, and not the look of a whole box, title or head of a table', async () => {
    const title = '<p:ph type="title"/>';
    const cell = (text: string, attributes = '') =>
      `<a:tc><a:txBody>${paragraph(run(text, attributes))}</a:txBody></a:tc>`;
    const table = `<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tr>${cell('Port', 'b="1"')}${cell('Boats', 'b="1"')}</a:tr>
      <a:tr>${cell('Arden', 'b="1"')}${cell('12')}</a:tr><a:tr>${cell('Brill', 'b="1"')}${cell('7', 'i="1"')}</a:tr></a:tbl>
      </a:graphicData></a:graphic></p:graphicFrame>`;
    const { lines } = await readSlide(
      shape(paragraph(run('Har', 'b="1"'), run('bour')), '', title) +
        shape(
          paragraph(run('All of the box ', 'b="1"'), run('is bold', 'b="1"')) +
            paragraph(run('to its end', 'b="1" i="1"')),
        ) +
        shape(
          paragraph(
            run('Now '),
            run('slow', 'b="1"'),
            run('ly ', 'b="true"'),
            run('and '),
            run('never', 'i="1" strike="sngStrike"'),
          ),
        ) +
        shape(paragraph(run('No longer true', 'strike="sngStrike"'))) +
        table,
    );
    expect(lines).toEqual([
      '# Harbour',
      'All of the box is bold',
      '*to its end*',
      'Now **slowly** and *~~never~~*',
      '~~No longer true~~',
      '| Port | Boats |',
      '| --- | --- |',
      '| Arden | 12 |',
      '| Brill | *7* |',
    ]);
  });

  test('keeps links of words, shapes and pictures, and no address that is not to be followed', async () => {
    const click = (id: string) => `<a:hlinkClick r:id="${id}"/>`;
    const cell = `<a:tc><a:txBody>${paragraph(run('in a cell', '', click('l')))}</a:txBody></a:tc>`;
    const { lines } = await readSlide(
      shape(paragraph(run('The '), run('pilots ', '', click('l')), run('of', 'b="1"', click('l')), run(' Arden'))) +
        shape(paragraph(run('The whole shape')) + paragraph(run('in two lines')), click('l')) +
        shape(paragraph(run('A slide', '', click('s')), run(' and '), run('a script', '', click('j')))) +
        `<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tr>${cell}</a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>` +
        `<p:pic><p:nvPicPr><p:cNvPr id="9" name="p" descr="A red boat">${click('l')}</p:cNvPr></p:nvPicPr></p:pic>`,
      ['s', 'slide', 'slide1.xml'],
      ['j', 'hyperlink', 'javascript:alert(1)', 'External'],
    );
    const linked = (text: string) => `[${text}](https://pilots.example/)`;
    expect(lines).toEqual([
      '# Slide 1',
      `The ${linked('pilots **of**')} Arden`,
      linked('The whole shape'),
      linked('in two lines'),
      'A slide and a script',
      `| ${linked('in a cell')} |`,
      '| --- |',
      linked('A red boat'),
    ]);
  });

  test('says which slide has a chart that is missing', async () => {
    const chart =
      '<p:graphicFrame><a:graphic><a:graphicData><c:chart r:id="c"/></a:graphicData></a:graphic></p:graphicFrame>';
    const { result } = await readSlide(shape(paragraph(run('Harvest'))) + chart, [
      'c',
      'chart',
      '../charts/chart1.xml',
    ]);
    expect(result.warnings).toEqual([expect.stringMatching(/^Slide 1 .*chart or diagram .*missing/)]);
  });
});

describe('OpenDocument slides', () => {
  const O = 'urn:oasis:names:tc:opendocument:xmlns';
  const bold = (text: string) => `<text:span text:style-name="B">${text}</text:span>`;
  const frame = (...lines: string[]) =>
    `<draw:frame><draw:text-box>${lines.map((line) => `<text:p>${line}</text:p>`).join('')}</draw:text-box></draw:frame>`;
  const cell = (...lines: string[]) =>
    `<table:table-cell>${lines.map((line) => `<text:p>${line}</text:p>`).join('')}</table:table-cell>`;

  test('mark words alone, and link what a shape links to', async () => {
    const content = zipTexts({
      mimetype: 'application/vnd.oasis.opendocument.presentation',
      'content.xml': `<office:document-content xmlns:office="${O}:office:1.0" xmlns:text="${O}:text:1.0" xmlns:draw="${O}:drawing:1.0"
        xmlns:table="${O}:table:1.0" xmlns:style="${O}:style:1.0" xmlns:fo="${O}:xsl-fo-compatible:1.0" xmlns:xlink="http://www.w3.org/1999/xlink">
        <office:automatic-styles><style:style style:name="B" style:family="text"><style:text-properties fo:font-weight="bold"/></style:style>
        </office:automatic-styles><office:body><office:presentation><draw:page>
        ${frame(bold('All bold'), bold('to its end'))}${frame('Go ', `${bold('slow')} here`)}
        <draw:a xlink:href="https://pilots.example/">${frame('The whole shape')}</draw:a>
        <draw:frame><table:table><table:table-row>${cell(bold('Port'))}${cell(bold('Boats'))}</table:table-row>
        <table:table-row>${cell(bold('Ar'), 'den')}${cell('12')}</table:table-row></table:table></draw:frame>
        </draw:page></office:presentation></office:body></office:document-content>`,
    });
    const { markdown } = await readDocument(appliance, content, 'a.odp');
    expect(markdown.trim().split(/\n+/)).toEqual([
      '# Slide 1',
      'All bold',
      'to its end',
      'Go',
      '**slow** here',
      '[The whole shape](https://pilots.example/)',
      '| Port | Boats |',
      '| --- | --- |',
      '| **Ar**<br>den | 12 |',
    ]);
  });
});

describe('a workbook', () => {
  const SHEET = `xmlns="${FORMATS}/spreadsheetml/2006/main" xmlns:r="${OFFICE}"`;
  const cell = (at: string, content: string) => `<c r="${at}" t="inlineStr"><is>${content}</is></c>`;
  const plain = (at: string, text: string) => cell(at, `<t>${text}</t>`);
  const run = (text: string, look = '') => `<r><rPr>${look}</rPr><t xml:space="preserve">${text}</t></r>`;

  const book = (sheet: string, strings = '') =>
    zipTexts({
      '_rels/.rels': relations(['r', 'officeDocument', 'xl/workbook.xml']),
      'xl/workbook.xml': `<workbook ${SHEET}><sheets><sheet name="Harbour" r:id="a"/></sheets></workbook>`,
      'xl/_rels/workbook.xml.rels': relations(
        ['a', 'worksheet', 'worksheets/sheet1.xml'],
        ['s', 'sharedStrings', 'sharedStrings.xml'],
      ),
      'xl/sharedStrings.xml': `<sst ${SHEET}>${strings}</sst>`,
      'xl/worksheets/sheet1.xml': `<worksheet ${SHEET}>${sheet}</worksheet>`,
      'xl/worksheets/_rels/sheet1.xml.rels': relations(LINK, ['j', 'hyperlink', 'javascript:alert(1)', 'External']),
    });
  const linked = (text: string, place = '') => `[${text}](https://pilots.example/${place})`;

  test('links the cells of its links and of HYPERLINK, also in titles, ranges and merged cells', async () => {
    const formula = '<c r="B3" t="str"><f>HYPERLINK("https://pilots.example/b","a formula")</f><v>a formula</v></c>';
    const sheet = `<sheetData><row r="1">${plain('A1', 'The pilots')}</row><row r="2">${plain('A2', 'Port')}${plain('B2', 'Page')}${plain('E2', 'Wide')}</row>
      <row r="3">${plain('A3', 'Arden')}${formula}</row><row r="4">${plain('A4', 'Brill')}${plain('B4', 'x')}${plain('E4', 'y')}</row>
      <row r="6">${plain('A6', 'a script')}</row></sheetData><mergeCells><mergeCell ref="B2:C2"/></mergeCells><hyperlinks>
      <hyperlink ref="A1" r:id="l" location="top"/><hyperlink ref="B3:E4" r:id="l"/><hyperlink ref="A3" location="Other!A1"/>
      <hyperlink ref="A6" r:id="j"/></hyperlinks>`;
    const { markdown, document } = await readDocument(appliance, book(sheet), 'a.xlsx');
    expect(document.format).toBe('xlsx');
    expect(markdown.trim().split(/\n+/)).toEqual([
      '# Harbour',
      linked('The pilots', '#top'),
      '<table>',
      '<tr><th>Port</th><th colspan="2">Page</th><th>Wide</th></tr>',
      '<tr><td>Arden</td><td><a href="https://pilots.example/b">a formula</a></td><td></td><td></td></tr>',
      '<tr><td>Brill</td><td><a href="https://pilots.example/">x</a></td><td></td><td><a href="https://pilots.example/">y</a></td></tr>',
      '</table>',
      'a script',
    ]);
    // With comments the text is cleaned at the end.
    const marked = await readDocument(appliance, book(sheet), 'a.xlsx', { options: '{"includeComments":true}' });
    expect(marked.markdown).toBe(markdown);
  });

  test('marks words of a text in the cell or among the shared ones, and not the look of a cell', async () => {
    const strings = `<si>${run('All', '<b/>')}${run(' bold', '<b/>')}</si><si>${run('A ')}${run('slow', '<b val="1"/><i val="0"/>')}${run(' tide')}
      <rPh><t>x</t></rPh></si>
      <si>${run('m')}${run('2', '<b/><vertAlign val="superscript"/>')}${run(' ')}${run('gone', '<strike/>')}</si>`;
    const shared = (at: string, index: number) => `<c r="${at}" t="s"><v>${index}</v></c>`;
    const sheet = `<sheetData><row r="1">${shared('A1', 0)}${shared('B1', 1)}</row><row r="2">${shared('A2', 2)}
      ${cell('B2', run('in ') + run('place', '<i/>'))}</row></sheetData>`;
    const { markdown } = await readDocument(appliance, book(sheet, strings), 'a.xlsx');
    expect(markdown.split('\n').slice(2, -1)).toEqual([
      '| All bold | A **slow** tide |',
      '| --- | --- |',
      '| m² ~~gone~~ | in *place* |',
    ]);
  });

  test.each(['xls', 'xlsb'] as const)('of the kind .%s links its cells', async (bookType) => {
    const sheet = utils.aoa_to_sheet([
      ['Port', 'Page'],
      ['Arden', 'pilots'],
      ['Brill', 'x'],
    ]);
    sheet.B2.l = { Target: 'https://pilots.example/' };
    sheet.B3.l = { Target: '#Other!A1' };
    const file = write({ SheetNames: ['Harbour'], Sheets: { Harbour: sheet } }, { type: 'buffer', bookType });
    const { markdown } = await readDocument(appliance, file, `a.${bookType}`);
    expect(markdown).toContain(`| Arden | ${linked('pilots')} |\n| Brill | x |`);
  });
});

describe('a Word 97 document', () => {
  test('marks what its runs state beside their styles, and no link or emphasis past the end of a paragraph', async () => {
    const styled = (text: string, code: number, value = 1) => ({ text, properties: [modifier(code, value)] });
    const styles = [
      { name: 'Normal' },
      { name: 'Loud', properties: [modifier(BOLD, 1)] },
      { name: 'Strong', isCharacter: true, properties: [modifier(BOLD, 1)] },
    ];
    const cell = (runs: (string | ReturnType<typeof styled>)[], end = '\u0007') => {
      return { runs, end, properties: [modifier(IN_TABLE, 1)] };
    };
    const rowEnd = { runs: [], end: '\u0007', properties: [modifier(IN_TABLE, 1), modifier(ROW_END, 1)] };
    const file = word97(
      [
        {
          runs: [
            'A ',
            styled('slow', CHARACTER_STYLE, 2),
            ' and ',
            styled('low', ITALIC),
            ' tide, ',
            styled('gone', STRUCK),
          ],
        },
        { runs: ['A loud line, ', styled('all bold', BOLD), ', ', styled('as its style', BOLD, 0x80)], style: 1 },
        { runs: [styled('Unlike its style', BOLD, 0x81), ' and ', styled('like it', BOLD, 0x80)] },
        { runs: [field(' HYPERLINK "https://pilots.example/" \\l "top" ', 'The pilots'), ` ${field(' PAGE ', '3')}`] },
        {
          runs: [
            field(' HYPERLINK \\l "top" ', 'the top'),
            ' or ',
            field('HYPERLINK "javascript:alert(1)"', 'a script'),
          ],
        },
        { runs: ['\u0013HYPERLINK "https://pilots.example/"\u0014over two'] },
        { runs: ['paragraphs\u0015'] },
        cell([styled('Port', BOLD)]),
        cell([styled('Boats', BOLD)]),
        rowEnd,
        cell([styled('Ar', BOLD)], '\r'),
        cell(['den']),
        cell(['12']),
        rowEnd,
      ],
      styles,
    );
    const { markdown } = await readDocument(appliance, file, 'a.doc');
    expect(markdown.trim().split(/\n+/)).toEqual([
      'A **slow** and *low* tide, ~~gone~~',
      'A loud line, all bold, as its style',
      '**Unlike its style** and like it',
      '[The pilots](https://pilots.example/#top) 3',
      'the top or a script',
      '[over two](https://pilots.example/)',
      'paragraphs',
      '| Port | Boats |',
      '| --- | --- |',
      '| **Ar**<br>den | 12 |',
    ]);
  });
});

test('a PowerPoint 97 presentation marks words and links', async () => {
  const style = (...runs: [length: number, flags: number][]) => {
    const paragraph = Buffer.alloc(10);
    paragraph.writeUInt32LE(1000, 0);
    const characters = runs.map(([length, flags]) => {
      const bytes = Buffer.alloc(10);
      bytes.writeUInt32LE(length, 0);
      bytes.writeUInt32LE(0x3, 4);
      bytes.writeUInt16LE(flags, 8);
      return bytes;
    });
    return record(0x0fa1, Buffer.concat([paragraph, ...characters]));
  };
  const click = record(0x0ff2, [record(0x0ff3, words(0, 7, 0, 0))]);
  const characters = (text: string) => record(0x0fa0, Buffer.from(text, 'utf16le'));
  const shape = (top: number, texts: Buffer[], facts: Buffer[] = []) => {
    const anchor = Buffer.alloc(8);
    for (const [index, edge] of [top, 0, 400, top + 50].entries()) anchor.writeInt16LE(edge, index * 2);
    return record(0xf004, [
      record(0xf010, anchor),
      record(0xf011, facts),
      record(0xf00d, [record(0x0f9f, words(4)), ...texts]),
    ]);
  };
  const file = presentation97(
    [
      {
        shapes: [
          shape(0, [characters('A slow and low tide'), style([2, 0], [4, 1], [5, 0], [3, 2], [100, 0])]),
          shape(100, [characters('Bold\rto its end'), style([100, 1])]),
          shape(200, [characters('The pilots'), click, record(0x0fdf, words(4, 10))]),
          shape(300, [characters('The shape')], [click]),
        ],
      },
    ],
    { links: { 7: 'https://pilots.example/' } },
  );
  const { markdown } = await readDocument(appliance, file, 'a.ppt');
  expect(markdown.trim().split(/\n+/)).toEqual([
    '# Slide 1',
    'A **slow** and *low* tide',
    'Bold',
    'to its end',
    'The [pilots](https://pilots.example/)',
    '[The shape](https://pilots.example/)',
  ]);
});
