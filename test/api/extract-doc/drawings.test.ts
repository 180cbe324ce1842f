/** Charts, diagrams and text boxes of Office files: each text once, at its place, and in the account. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeDocx, p, r } from '../../documents/make-docx.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { readDocument } from '../../harness/read-document.ts';
import { zipTexts } from '../../harness/zip-texts.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

const DRAWING = 'http://schemas.openxmlformats.org/drawingml/2006';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const NAMESPACES =
  `xmlns:a="${DRAWING}/main" xmlns:c="${DRAWING}/chart" xmlns:dgm="${DRAWING}/diagram" xmlns:r="${OFFICE}" ` +
  'xmlns:cx="http://schemas.microsoft.com/office/drawing/2014/chartex" ' +
  'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"';

async function read(content: Uint8Array, name = 'file.docx') {
  const answer = await readDocument(appliance, content, name);
  expect(answer.error).toBeNull();
  return answer;
}

const drawn = (content: string) =>
  `<w:r><w:drawing ${NAMESPACES}><wp:inline><a:graphic><a:graphicData>${content}</a:graphicData></a:graphic>` +
  '</wp:inline></w:drawing></w:r>';
const rich = (text: string) => `<c:tx><c:rich><a:p><a:r><a:t>${text}</a:t></a:r></a:p></c:rich></c:tx>`;
const pointsOf = (texts: readonly string[], tag = 'c:pt') =>
  texts
    .map((text, at) =>
      tag === 'c:pt' ? `<c:pt idx="${at}"><c:v>${text}</c:v></c:pt>` : `<cx:pt idx="${at}">${text}</cx:pt>`,
    )
    .join('');
const strings = (texts: readonly string[]) => `<c:strRef><c:strCache>${pointsOf(texts)}</c:strCache></c:strRef>`;
const numbers = (texts: readonly string[], format = 'General') =>
  `<c:numRef><c:numCache><c:formatCode>${format}</c:formatCode>${pointsOf(texts)}</c:numCache></c:numRef>`;
const chart = (plot: string, title = '') =>
  `<c:chartSpace ${NAMESPACES}><c:chart>${title === '' ? '' : `<c:title>${rich(title)}</c:title>`}<c:plotArea>${plot}</c:plotArea></c:chart></c:chartSpace>`;
const bars = (name: string, categories: string, values: string, labels = '') =>
  `<c:ser><c:tx>${strings([name])}</c:tx>${labels}<c:cat>${categories}</c:cat><c:val>${values}</c:val></c:ser>`;

const LABEL = `<c:dLbls><c:dLbl><c:tx><c:strRef><c:strCache>${pointsOf(['not a name'])}</c:strCache></c:strRef></c:tx></c:dLbl>
  <c:dLbl>${rich('Storm')}</c:dLbl></c:dLbls>`;
const CATCH = chart(
  `<c:barChart>${bars('Cod', strings(['North', 'South']), numbers(['0.25', '0.5'], '0%'), LABEL)}
   ${bars('Ling', strings(['North', 'South']), numbers(['0.75'], '0%'))}</c:barChart>
   <c:catAx><c:axPos val="b"/><c:title>${rich('Port')}</c:title></c:catAx>
   <c:valAx><c:axPos val="l"/><c:title>${rich('Share')}</c:title></c:valAx>`,
  'Catch by port',
);
const CATCH_TABLE = '| Port | Cod | Ling |\n| --- | --- | --- |\n| North | 25% | 75% |\n| South | 50% |  |';

/** A Word document with drawings of these parts, at the places that `body` gives them. */
function withParts(body: string, parts: Record<string, [type: string, xml: string]>): Buffer {
  const entries = Object.entries(parts);
  return makeDocx({
    body,
    relationships: entries.map(([id, [type]]) => ({ id, type, target: `parts/${id}.xml` })),
    files: Object.fromEntries(entries.map(([id, [, xml]]) => [`word/parts/${id}.xml`, xml])),
  });
}

describe('a chart in a Word document', () => {
  test('is its title, those of its axes, and the table of its values, after its paragraph', async () => {
    const body = `<w:p>${r('Above.')}${drawn('<c:chart r:id="one"/>')}</w:p>${p('Below.')}`;
    const { markdown, warnings, result } = await read(withParts(body, { one: ['chart', CATCH] }));
    expect(markdown).toBe(`Above.\n\nCatch by port\\\nShare\n\n${CATCH_TABLE}\n\nStorm\n\nBelow.\n`);
    expect(warnings).toEqual([]);
    expect(result.account).toMatchObject({ unexplained: 0, leftOut: [] });
  });

  test('keeps outer categories as merged cells, and series with other places apart', async () => {
    const level = (texts: Record<number, string>) =>
      `<c:lvl>${Object.entries(texts).map(([at, text]) => `<c:pt idx="${at}"><c:v>${text}</c:v></c:pt>`)}</c:lvl>`;
    const inner = level({ 0: 'Spring', 1: 'Autumn', 2: 'Winter' });
    const levels = `<c:multiLvlStrRef><c:multiLvlStrCache>${inner}${level({ 0: 'Tarn', 2: 'Lough' })}</c:multiLvlStrCache></c:multiLvlStrRef>`;
    const scatter = (x: string[], y: string[]) =>
      `<c:ser><c:xVal>${numbers(x)}</c:xVal><c:yVal>${numbers(y)}</c:yVal></c:ser>`;
    const parts = {
      one: ['chart', chart(`<c:barChart>${bars('2024', levels, numbers(['7', '8', '9']))}</c:barChart>`)],
      two: ['chart', chart(`<c:scatterChart>${scatter(['1'], ['10'])}${scatter(['2'], ['20'])}</c:scatterChart>`)],
    } satisfies Record<string, [string, string]>;
    const body = `<w:p>${drawn('<c:chart r:id="one"/>')}${drawn('<c:chart r:id="two"/>')}</w:p>`;
    const { markdown, result } = await read(withParts(body, parts));
    expect(markdown.split('\n')).toEqual([
      '<table>',
      '<tr><th></th><th></th><th>2024</th></tr>',
      '<tr><td rowspan="2">Tarn</td><td>Spring</td><td>7</td></tr>',
      '<tr><td>Autumn</td><td>8</td></tr>',
      '<tr><td>Lough</td><td>Winter</td><td>9</td></tr>',
      '</table>',
      '',
      '|  | Series 1 |',
      '| --- | --- |',
      '| 1 | 10 |',
      '',
      '|  | Series 2 |',
      '| --- | --- |',
      '| 2 | 20 |',
      '',
    ]);
    expect(result.account).toMatchObject({ unexplained: 0 });
  });

  test('of Office 2016 has its values, and not the text of its stand-in', async () => {
    const data = `<cx:chartData><cx:data id="0"><cx:strDim type="cat"><cx:lvl>${pointsOf(['Landed', 'Lost'], 'cx:pt')}</cx:lvl></cx:strDim>
      <cx:numDim type="val"><cx:lvl formatCode="#,##0">${pointsOf(['1200', '-30'], 'cx:pt')}</cx:lvl></cx:numDim></cx:data></cx:chartData>`;
    const name = (text: string) => `<cx:tx><cx:txData><cx:v>${text}</cx:v></cx:txData></cx:tx>`;
    const xml = `<cx:chartSpace ${NAMESPACES}>${data}<cx:chart><cx:title>${name('Season')}<cx:txPr><a:p><a:r><a:t>Season</a:t></a:r></a:p></cx:txPr></cx:title>
      <cx:plotArea><cx:plotAreaRegion><cx:series layoutId="waterfall">${name('Tons')}<cx:dataId val="0"/></cx:series>
      </cx:plotAreaRegion></cx:plotArea></cx:chart></cx:chartSpace>`;
    const box = `<w:r><w:pict><v:textbox><w:txbxContent>${p('This chart is not available.')}</w:txbxContent></v:textbox></w:pict></w:r>`;
    const body = `<w:p><mc:AlternateContent><mc:Choice Requires="cx1">${drawn('<cx:chart r:id="one"/>')}</mc:Choice>
      <mc:Fallback>${box}</mc:Fallback></mc:AlternateContent></w:p>`;
    const { markdown, result } = await read(withParts(body, { one: ['chartEx', xml] }));
    expect(markdown).toBe('Season\n\n|  | Tons |\n| --- | --- |\n| Landed | 1,200 |\n| Lost | -30 |\n');
    expect(result.account).toMatchObject({ unexplained: 0 });
  });

  test('that no text shows, or that lacks its values, is said', async () => {
    const empty = chart(`<c:barChart><c:ser><c:val><c:numRef><c:f>A1:A9</c:f></c:numRef></c:val></c:ser></c:barChart>`);
    const body = `<w:p>${drawn('<c:chart r:id="one"/>')}${drawn('<c:chart r:id="none"/>')}${r('Text.')}</w:p>`;
    const { text, warnings } = await read(withParts(body, { one: ['chart', empty] }));
    expect(text).toBe('Text.');
    expect(warnings).toEqual([
      'A chart has no stored values. Open and save the document again.',
      'A chart or diagram is missing in the file: open and save it again.',
    ]);
    const unused = makeDocx({ body: p('Text.'), files: { 'word/charts/chart1.xml': CATCH } });
    expect((await read(unused)).result.account).toMatchObject({
      leftOut: [{ reason: 'unsupported-part', where: 'word/charts/chart1.xml' }],
      unexplained: 0,
    });
  });
});

const points = (...texts: string[]) =>
  texts.map(
    (text, at) => `<dgm:pt modelId="${at + 1}"><dgm:t><a:p><a:r><a:t>${text}</a:t></a:r></a:p></dgm:t></dgm:pt>`,
  );
const diagram =
  `<dgm:dataModel ${NAMESPACES}><dgm:ptLst><dgm:pt modelId="0" type="doc"/>${points('Hull', 'Keel', 'Mast', 'carries')}</dgm:ptLst>
  <dgm:cxnLst><dgm:cxn srcId="0" destId="1" srcOrd="0"/><dgm:cxn srcId="1" destId="2" srcOrd="0"/>
  <dgm:cxn srcId="0" destId="3" srcOrd="1"/></dgm:cxnLst></dgm:dataModel>`.replace(
    'modelId="4"',
    'modelId="4" type="sibTrans"',
  );

test('a diagram in a Word document is a list, also in a cell; one in a header is said', async () => {
  const shown = `<w:p>${drawn('<dgm:relIds r:dm="one"/>')}</w:p>`;
  const cell = (content: string) => `<w:tc>${content}</w:tc>`;
  const body = `${p('Parts:')}${shown}<w:tbl><w:tr>${cell(p('Boat'))}${cell(shown)}</w:tr></w:tbl>`;
  const { markdown, warnings, result } = await read(withParts(body, { one: ['diagramData', diagram] }));
  expect(markdown).toBe(
    'Parts:\n\n- Hull\n  - Keel\n- Mast\n- carries\n\n| Boat | • Hull<br>• Keel<br>• Mast<br>• carries |\n| --- | --- |\n',
  );
  expect(warnings).toEqual([]);
  expect(result.account).toMatchObject({ unexplained: 0 });
  const furniture = makeDocx({
    body: `${p('Text.')}<w:sectPr><w:headerReference r:id="pheader"/></w:sectPr>`,
    parts: { header: `<w:p>${r('Head')}${drawn('<c:chart r:id="x"/>')}</w:p>` },
  });
  expect((await read(furniture)).warnings).toEqual(['A chart or diagram in a header, footer or note was not read.']);
});

const relations = (...all: [id: string, type: string, target: string][]) =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${all
    .map(([id, type, target]) => `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`)
    .join('')}</Relationships>`;
test('a workbook has its charts, diagrams and shapes after the cells of their sheet, and no stand-ins', async () => {
  const sheet = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
  const shape = (text: string) => `<xdr:sp><xdr:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></xdr:txBody></xdr:sp>`;
  const book = zipTexts({
    '_rels/.rels': relations(['r', 'officeDocument', 'xl/workbook.xml']),
    'xl/workbook.xml': `<workbook ${sheet} xmlns:r="${OFFICE}"><sheets><sheet name="Catch" r:id="s"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations(['s', 'worksheet', 'worksheets/sheet1.xml']),
    'xl/worksheets/sheet1.xml': `<worksheet ${sheet}><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>Only cell</t></is></c></row></sheetData></worksheet>`,
    'xl/worksheets/_rels/sheet1.xml.rels': relations(['d', 'drawing', '../drawings/drawing1.xml']),
    'xl/drawings/drawing1.xml': `<xdr:wsDr ${NAMESPACES} xmlns:xdr="${DRAWING}/spreadsheetDrawing">${shape('Note')}
      <mc:AlternateContent><mc:Choice Requires="cx1"><xdr:graphicFrame><c:chart r:id="c"/></xdr:graphicFrame></mc:Choice>
      <mc:Fallback>${shape('This chart is not available.')}</mc:Fallback></mc:AlternateContent>
      <xdr:graphicFrame><dgm:relIds r:dm="g"/></xdr:graphicFrame></xdr:wsDr>`,
    'xl/drawings/_rels/drawing1.xml.rels': relations(
      ['c', 'chart', '../charts/chart1.xml'],
      ['g', 'diagramData', '../diagrams/data1.xml'],
    ),
    'xl/charts/chart1.xml': CATCH,
    'xl/diagrams/data1.xml': diagram,
  });
  const { markdown, warnings, result } = await read(book, 'catch.xlsx');
  expect(markdown).toBe(
    `# Catch\n\nOnly cell\n\nNote\n\nCatch by port\\\nShare\n\n${CATCH_TABLE}\n\nStorm\n\n- Hull\n  - Keel\n- Mast\n- carries\n`,
  );
  expect(warnings).toEqual([]);
  expect(result.account).toMatchObject({ unit: 'cells', source: 1, delivered: 1, unexplained: 0 });
});

const SHAPES =
  'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" ' +
  'xmlns:wpg="http://schemas.microsoft.com/office/word/2010/wordprocessingGroup"';
const content = (text: string) => `<w:txbxContent>${text}</w:txbxContent>`;
const boxes = (...texts: string[]) =>
  `<w:drawing ${SHAPES}><wp:anchor><wpg:wgp>${texts
    .map((text) => `<wps:wsp><wps:txbx>${content(text)}</wps:txbx></wps:wsp>`)
    .join('')}</wpg:wgp></wp:anchor></w:drawing>`;
const oldBoxes = (...texts: string[]) =>
  `<w:pict><v:group>${texts.map((text) => `<v:shape><v:textbox>${content(text)}</v:textbox></v:shape>`).join('')}</v:group></w:pict>`;
/** A group of text boxes, and its copy for old programs. */
const group = (...texts: string[]) =>
  `<w:r><mc:AlternateContent><mc:Choice Requires="wpg">${boxes(...texts)}</mc:Choice>
    <mc:Fallback>${oldBoxes(...texts)}</mc:Fallback></mc:AlternateContent></w:r>`;

test('text boxes stand once, after their paragraph: in groups, boxes, cells, headers, footers and notes', async () => {
  const cell = (text: string) => `<w:tc>${text}</w:tc>`;
  const table = `<w:tbl><w:tr>${cell(p('c1'))}${cell(p('c2'))}</w:tr></w:tbl>`;
  const body =
    `<w:p>${r('One ')}${group(p('A'), p('B') + p('C'))}${r('line')}</w:p>` +
    `<w:tbl><w:tr>${cell(`<w:p>${r('Cell')}${group(p('D'))}</w:p>`)}${cell(p('Other'))}</w:tr></w:tbl>` +
    `<w:p>${r('Table')}${group(p('Lead') + table + p('Tail'))}</w:p>` +
    `<w:p>${group(`${p('Outer')}<w:p>${group(p('Inner'))}</w:p>`)}</w:p>` +
    `<w:p>${r('Old')}<w:r>${oldBoxes(p('V1'), p('V2'))}</w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p>` +
    '<w:sectPr><w:headerReference r:id="pheader1"/><w:footerReference r:id="pfooter1"/></w:sectPr>';
  const parts = {
    header1: `<w:p>${r('Head')}${group(p('E'))}</w:p>`,
    footer1: `<w:p>${group(p('F'))}</w:p>`,
    footnotes: `<w:footnote w:id="2"><w:p>${r('Note')}${group(p('G'))}</w:p></w:footnote>`,
  };
  const { text, warnings, result } = await read(makeDocx({ body, parts }));
  expect(text.split(/\n+/)).toEqual([
    ...['One line', 'A', 'B', 'C', 'Cell D | Other', 'Table', 'Lead', 'c1 | c2', 'Tail', 'Outer', 'Inner', 'Old[1]'],
    ...['V1', 'V2', '[1] Note', 'G', 'Head', 'E', 'F'],
  ]);
  expect(warnings).toEqual([]);
  expect(result.account).toMatchObject({ unexplained: 0, leftOut: [] });
});

test('content controls show their values: repeated items and rows, lists, dates, boxes, bound values', async () => {
  const control = (properties: string, inner: string) =>
    `<w:sdt xmlns:w15="w15" xmlns:w14="w14"><w:sdtPr>${properties}</w:sdtPr><w:sdtContent>${inner}</w:sdtContent></w:sdt>`;
  const empty = (text: string) => control('<w:showingPlcHdr/><w:comboBox/>', r(text));
  const item = (inner: string) => control('<w15:repeatingSectionItem/>', inner);
  const cell = (text: string) => `<w:tc>${text}</w:tc>`;
  const list = '<w:dropDownList w:lastValue="b"><w:listItem w:displayText="Red" w:value="a"/></w:dropDownList>';
  const tick = (mark: string) => control('<w14:checkbox><w14:checked w14:val="1"/></w14:checkbox>', r(mark));
  const rows = ['R1', 'R2'].map((name) =>
    item(`<w:tr>${cell(p(name))}${control('', cell(`<w:p>${empty('Value')}</w:p>`))}</w:tr>`),
  );
  const body =
    control('<w15:repeatingSection/>', item(p('Item one')) + item(p('Item two'))) +
    `<w:p>${r('Colour: ')}${control(list, r('Blue'))}${r(', ')}${control('<w:date w:fullDate="2024-05-01T00:00:00Z"/>', r('1 May'))}</w:p>` +
    `<w:p>${tick('☒')}${r(' Agreed ')}${tick('☐')}${r(' Refused ')}${empty('Choose an item.')}</w:p>` +
    `<w:tbl>${control('<w15:repeatingSection/>', rows.join(''))}</w:tbl>` +
    `<w:p>${control('<w:dataBinding w:xpath="/x"/>', r('Bound'))}</w:p>`;
  const { text, result } = await read(makeDocx({ body }));
  expect(text).toBe('Item one\n\nItem two\n\nColour: Blue, 1 May\n\n☒ Agreed ☐ Refused\n\nR1 | \nR2 | \n\nBound');
  expect(result.account).toMatchObject({ unexplained: 0, leftOut: [{ reason: 'hidden', count: 22 }] });
});
