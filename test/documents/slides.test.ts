import { readFileSync } from 'node:fs';
import { strToU8, zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { parseOdp } from '../../workers/documents/odp/parse-odp.ts';
import { parsePptx } from '../../workers/documents/pptx/parse-pptx.ts';
import { zipTexts } from '../harness/zip-texts.ts';
import { outline, parseOptions } from './parse-options.ts';

const OFFICE = new URL('../fixtures/documents/office/', import.meta.url);
const DRAWING = 'http://schemas.openxmlformats.org/drawingml/2006';
const DOCUMENT = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006/relationships';
const NAMESPACES = [
  'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"',
  `xmlns:a="${DRAWING}/main" xmlns:dgm="${DRAWING}/diagram" xmlns:c="${DRAWING}/chart" xmlns:r="${DOCUMENT}"`,
  'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"',
].join(' ');

const relations = (...targets: [id: string, type: string, target: string][]) =>
  `<Relationships xmlns="${PACKAGE}">${targets
    .map(([id, type, target]) => `<Relationship Id="${id}" Type="${DOCUMENT}/${type}" Target="${target}"/>`)
    .join('')}</Relationships>`;

/** A presentation of one slide with these shapes. */
function pptx(shapes: string, others: Record<string, string> = {}, slide = ''): Buffer {
  const parts = {
    '_rels/.rels': relations(['a', 'officeDocument', 'ppt/presentation.xml']),
    'ppt/presentation.xml': `<p:presentation ${NAMESPACES}><p:sldIdLst><p:sldId r:id="s"/></p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relations(
      ['s', 'slide', 'slides/slide1.xml'],
      ['w', 'commentAuthors', 'commentAuthors.xml'],
    ),
    'ppt/slides/slide1.xml': `<p:sld ${NAMESPACES} ${slide}><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`,
    ...others,
  };
  return Buffer.from(zipTexts(parts));
}

const run = (text: string) => `<a:r><a:t>${text}</a:t></a:r>`;
const paragraph = (text: string, properties = '') => `<a:p>${properties}${run(text)}</a:p>`;
const shape = (body: string, placeholder = '') =>
  `<p:sp><p:nvSpPr><p:nvPr>${placeholder}</p:nvPr></p:nvSpPr><p:txBody>${body}</p:txBody></p:sp>`;

async function read(shapes: string, others: Record<string, string> = {}) {
  return outline(await parsePptx(pptx(shapes, others), parseOptions()));
}

describe('a presentation', () => {
  test.each([
    ['pptx', parsePptx],
    ['odp', parseOdp],
  ])('as .%s has a page for each slide, with title, list, table, group and notes', async (ending, parse) => {
    const document = await parse(readFileSync(new URL(`review.${ending}`, OFFICE)), parseOptions());
    expect(outline(document)).toEqual([
      'h1 Half-year review',
      'paragraph Mill Lane Books, July 2024',
      'h2 Notes',
      'paragraph Welcome everybody and name the new colleagues.',
      'h1 Orders and returns',
      '• Orders grew by a seventh',
      expect.stringMatching(/^ {2}\S Most of it in the north$/),
      '• Returns fell',
      'h2 Notes',
      'paragraph Say why the north grew: the shop in Leith.',
      'h1 By quarter',
      'table [["Quarter","Orders","Returns"],["Q1","1,204","31"],["Q2","1,377","28"]]',
      'paragraph Source: till records',
      'paragraph Q3 follows in October',
      'h1 Slide 4',
      'paragraph Thank you',
    ]);
    expect(document.blocks.map(({ page }) => page)).toEqual([1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4]);
    expect(document).toMatchObject({ title: 'Half-year review', author: 'Ida Moss', pages: 4, warnings: [] });
  });

  test('numbers its lists, keeps line breaks, and leaves out what is about the slide', async () => {
    const numbered = (level = 0) => `<a:pPr lvl="${level}"><a:buAutoNum type="alphaLcParenR"/></a:pPr>`;
    const list = [
      paragraph('first', numbered()),
      paragraph('inner', numbered(1)),
      paragraph('second', numbered()),
      `<a:p>${run('plain')}<a:br/>${run('line')}</a:p>`,
    ];
    expect(
      await read(
        shape(list.join('')) +
          shape(paragraph('7'), '<p:ph type="sldNum"/>') +
          shape(paragraph('The title'), '<p:ph type="ctrTitle"/>'),
      ),
    ).toEqual(['h1 The title', 'a) first', '  a) inner', 'b) second', 'paragraph plain\nline']);
  });

  test('takes the bullets of its layout and of its master', async () => {
    const layout = `<p:sldLayout ${NAMESPACES}><p:sp><p:nvPr><p:ph type="body" idx="1"/></p:nvPr>
      <a:lstStyle><a:lvl1pPr><a:buNone/></a:lvl1pPr></a:lstStyle></p:sp></p:sldLayout>`;
    const master = `<p:sldMaster ${NAMESPACES}><p:txStyles><p:titleStyle><a:lvl2pPr><a:buNone/></a:lvl2pPr></p:titleStyle>
      <p:bodyStyle><a:lvl1pPr><a:buChar char="•"/></a:lvl1pPr><a:lvl2pPr><a:buChar char="–"/></a:lvl2pPr></p:bodyStyle>
      </p:txStyles></p:sldMaster>`;
    const others = {
      'ppt/slides/_rels/slide1.xml.rels': relations(['l', 'slideLayout', '../slideLayouts/slideLayout1.xml']),
      'ppt/slideLayouts/slideLayout1.xml': layout,
      'ppt/slideLayouts/_rels/slideLayout1.xml.rels': relations(['m', 'slideMaster', '../slideMasters/m.xml']),
      'ppt/slideMasters/m.xml': master,
    };
    const text = paragraph('lead') + paragraph('point', '<a:pPr lvl="1"/>');
    expect(await read(shape(text, '<p:ph type="body" idx="1"/>') + shape(text, '<p:ph idx="2"/>'), others)).toEqual([
      'h1 Slide 1',
      'paragraph lead',
      '  • point',
      '• lead',
      '  • point',
    ]);
  });

  test('alternative texts of pictures stand where the picture is; names of files are none', async () => {
    const picture = (description: string) =>
      `<p:pic><p:nvPicPr><p:cNvPr id="4" name="Picture 3" descr="${description}"/></p:nvPicPr></p:pic>`;
    const shapes = shape(paragraph('Before')) + picture('A chart of tides') + picture('quay.png') + picture('');
    expect(await read(shapes + shape(paragraph('After')))).toEqual([
      'h1 Slide 1',
      'paragraph Before',
      'caption A chart of tides',
      'paragraph After',
    ]);
  });

  test('reads a diagram in the order of its points, and merged cells once', async () => {
    const point = (id: string, text: string) => `<dgm:pt modelId="${id}"><dgm:t>${paragraph(text)}</dgm:t></dgm:pt>`;
    const link = (from: string, to: string, order: number) =>
      `<dgm:cxn srcId="${from}" destId="${to}" srcOrd="${order}"/>`;
    const others = {
      'ppt/slides/_rels/slide1.xml.rels': relations(['d', 'diagramData', '../diagrams/data1.xml']),
      'ppt/diagrams/data1.xml': `<dgm:dataModel ${NAMESPACES}><dgm:ptLst><dgm:pt modelId="0" type="doc"/>
        ${point('2', 'press')}${point('1', 'pick')}${point('3', 'by hand')}</dgm:ptLst><dgm:cxnLst>
        ${link('0', '2', 1)}${link('0', '1', 0)}${link('1', '3', 0)}${link('3', '1', 0)}</dgm:cxnLst></dgm:dataModel>`,
    };
    const table = `<a:tbl><a:tr><a:tc gridSpan="2"><a:txBody>${paragraph('wide')}</a:txBody></a:tc>
      <a:tc hMerge="1"><a:txBody>${paragraph('wide')}</a:txBody></a:tc></a:tr><a:tr><a:tc/><a:tc><a:txBody>
      ${paragraph('one')}${paragraph('two')}</a:txBody></a:tc></a:tr></a:tbl>`;
    const frame = (content: string) => `<p:graphicFrame><a:graphic>${content}</a:graphic></p:graphicFrame>`;
    expect(await read(frame('<dgm:relIds r:dm="d"/>') + frame(table), others)).toEqual([
      'h1 Slide 1',
      '• pick',
      '  • by hand',
      '• press',
      'table [["wide",""],["","one\\ntwo"]]',
    ]);
  });

  test('keeps merged cells of tables, within the table', async () => {
    const cells = (...tags: string[]) => `<a:tr>${tags.join('')}</a:tr>`;
    const cell = (text: string, attributes = '') =>
      `<a:tc ${attributes}><a:txBody>${paragraph(text)}</a:txBody></a:tc>`;
    const table = [
      cells(cell('Port', 'rowSpan="2"'), cell('Depth', 'gridSpan="2"'), cell('', 'hMerge="1"')),
      cells(cell('', 'vMerge="1"'), cell('low'), cell('high', 'gridSpan="900000000" rowSpan="900000000"')),
    ].join('');
    const frame = `<p:graphicFrame><a:graphic><a:tbl>${table}</a:tbl></a:graphic></p:graphicFrame>`;
    const { blocks } = await parsePptx(pptx(frame), parseOptions());
    expect(blocks.at(-1)).toMatchObject({
      spans: [
        { row: 0, column: 0, rows: 2, columns: 1 },
        { row: 0, column: 1, rows: 1, columns: 2 },
      ],
    });
  });

  test('reads a chart as its title and the table of its values', async () => {
    const points = (texts: string[]) => texts.map((text, at) => `<c:pt idx="${at}"><c:v>${text}</c:v></c:pt>`).join('');
    const series = (
      name: string,
      values: string[],
    ) => `<c:ser><c:tx><c:strRef><c:strCache>${points([name])}</c:strCache>
      </c:strRef></c:tx><c:cat><c:strRef><c:strCache>${points(['Q1', 'Q2'])}</c:strCache></c:strRef></c:cat>
      <c:val><c:numRef><c:numCache>${points(values)}</c:numCache></c:numRef></c:val></c:ser>`;
    const others = {
      'ppt/slides/_rels/slide1.xml.rels': relations(['c', 'chart', '../charts/chart1.xml']),
      'ppt/charts/chart1.xml': `<c:chartSpace ${NAMESPACES}><c:chart><c:title><c:tx><c:rich>${paragraph('Orders')}</c:rich>
        </c:tx></c:title><c:plotArea><c:barChart>${series('North', ['4.3', '2.5000000000000004'])}
        ${series('South', ['2.4'])}</c:barChart><c:valAx><c:title>${paragraph('Thousands')}</c:title></c:valAx>
        </c:plotArea></c:chart></c:chartSpace>`,
    };
    const frame =
      '<p:graphicFrame><a:graphic><a:graphicData><c:chart r:id="c"/></a:graphicData></a:graphic></p:graphicFrame>';
    expect(await read(frame, others)).toEqual([
      'h1 Slide 1',
      'caption Orders\nThousands',
      'table [["","North","South"],["Q1","4.3","2.4"],["Q2","2.5",""]]',
    ]);
  });

  test('says which slides are hidden, and keeps comments on request', async () => {
    const others = {
      'ppt/slides/_rels/slide1.xml.rels': relations(['c', 'comments', '../comments/comment1.xml']),
      'ppt/commentAuthors.xml': `<p:cmAuthorLst ${NAMESPACES}><p:cmAuthor id="0" name="Ida"/></p:cmAuthorLst>`,
      'ppt/comments/comment1.xml': `<p:cmLst ${NAMESPACES}><p:cm authorId="0" dt="2024-07-01T10:00:00">
        <p:text>Round this.</p:text></p:cm></p:cmLst>`,
    };
    const bytes = pptx(shape(paragraph('Costs'), '<p:ph type="title"/>'), others, 'show="0"');
    const document = await parsePptx(bytes, parseOptions({ includeComments: true }));
    expect(document.warnings).toEqual(['Slide 1 is hidden in the show; the text has it too.']);
    expect(document.comments).toEqual([
      { author: 'Ida', date: '2024-07-01T10:00:00', text: 'Round this.', anchor: null },
    ]);
  });

  test('that is damaged or hostile ends with a clear error', async () => {
    const codeOf = (bytes: Buffer) =>
      parsePptx(bytes, parseOptions()).then(
        () => 'read',
        (error: { code?: string }) => error.code,
      );
    expect(await codeOf(pptx('<p:grpSp>'.repeat(600) + '</p:grpSp>'.repeat(600)))).toBe('source_too_large');
    expect(await codeOf(pptx('<p:sp>'))).toBe('corrupt_input');
    expect(await codeOf(Buffer.from(zipSync({ 'ppt/x.xml': strToU8('<x/>') })))).toBe('unsupported_media');
    const missing = pptx('', { 'ppt/_rels/presentation.xml.rels': relations(['s', 'slide', 'slides/none.xml']) });
    expect(await codeOf(missing)).toBe('corrupt_input');
  });
});
