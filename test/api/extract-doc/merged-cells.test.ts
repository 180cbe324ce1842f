import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { zipOf } from '../../harness/hostile-documents.ts';
import { readDocument } from '../../harness/read-document.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

const NAMESPACES = ['office', 'text', 'table', 'draw', 'presentation']
  .map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name === 'draw' ? 'drawing' : name}:1.0"`)
  .join(' ');

function cell(text: string, attributes = ''): string {
  return `<table:table-cell ${attributes}><text:p>${text}</text:p></table:table-cell>`;
}

const TABLE = `<table:table><table:table-row>${cell('Port', 'table:number-rows-spanned="2"')}
  ${cell('Depth', 'table:number-columns-spanned="2"')}<table:covered-table-cell/></table:table-row>
  <table:table-row><table:covered-table-cell/>${cell('low')}${cell('high')}</table:table-row>
  <table:table-row>${cell('Kiel', 'table:number-columns-spanned="4000000"')}${cell('9.5')}${cell('12')}</table:table-row>
  </table:table>`;

function flat(kind: string, body: string): string {
  return `<?xml version="1.0"?><office:document ${NAMESPACES}
    office:mimetype="application/vnd.oasis.opendocument.${kind}"><office:body>${body}</office:body></office:document>`;
}

test.each([
  ['text', flat('text', `<office:text>${TABLE}</office:text>`)],
  [
    'presentation',
    flat(
      'presentation',
      `<office:presentation><draw:page><draw:frame>${TABLE}</draw:frame></draw:page></office:presentation>`,
    ),
  ],
])('merged cells of a flat OpenDocument %s stay merged, within the table', async (_, content) => {
  const { markdown, result } = await readDocument(appliance, content, 'table');
  expect(markdown).toContain('<th rowspan="2">Port</th><th colspan="2">Depth</th>');
  expect(markdown).toContain('<td>Kiel</td><td>9.5</td><td>12</td>');
  expect(result.account).toMatchObject({ unexplained: 0 });
});

/** A workbook with inline texts by their cells, and merged ranges. */
function workbook(rows: readonly Record<string, string>[], merged: readonly string[]): Buffer {
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const packages = 'http://schemas.openxmlformats.org/package/2006';
  const cells = (row: Record<string, string>) =>
    Object.entries(row)
      .map(([place, said]) => `<c r="${place}" t="inlineStr"><is><t>${said}</t></is></c>`)
      .join('');
  const data = rows.map((row, at) => `<row r="${at + 1}">${cells(row)}</row>`).join('');
  const ranges = merged.map((range) => `<mergeCell ref="${range}"/>`).join('');
  const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
  const files = {
    '[Content_Types].xml': `<Types xmlns="${packages}/content-types"><Default Extension="rels"
      ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml"
      ContentType="${type}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml"
      ContentType="${type}.worksheet+xml"/></Types>`,
    '_rels/.rels': `<Relationships xmlns="${packages}/relationships"><Relationship Id="a" Type="${office}/officeDocument"
      Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${office}"><sheets><sheet name="A" sheetId="1" r:id="b"/>
      </sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${packages}/relationships"><Relationship Id="b"
      Type="${office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    'xl/worksheets/sheet1.xml': `<worksheet xmlns="${main}"><sheetData>${data}</sheetData><mergeCells>${ranges}
      </mergeCells></worksheet>`,
  };
  return zipOf(Object.fromEntries(Object.entries(files).map(([name, xml]) => [name, Buffer.from(xml)])));
}

test('cells of a workbook that reach over columns without text stay merged, unless they double the table', async () => {
  const rows = [
    { A1: 'Ship', B1: 'Cargo', D1: 'Tons' },
    { A2: 'Heron', B2: 'salt', D2: '12' },
    { A3: 'Crane and Heron together', D3: '40' },
  ];
  const { markdown, result } = await readDocument(appliance, workbook(rows, ['B1:C1', 'B2:C2', 'A3:C3']), 'a.xlsx');
  expect(markdown).toContain('<th>Ship</th><th colspan="2">Cargo</th><th>Tons</th>');
  expect(markdown).toContain('<td>Heron</td><td colspan="2">salt</td><td>12</td>');
  expect(markdown).toContain('<td colspan="3">Crane and Heron together</td><td>40</td>');
  expect(result.account).toMatchObject({ unexplained: 0 });
  const pair = [
    { A1: 'Package', D1: 'Number', H1: 'Rev.' },
    { A2: '13156', D2: '144564', H2: 'A' },
  ];
  const form = await readDocument(appliance, workbook(pair, ['A2:C2', 'D2:G2']), 'a.xlsx');
  expect(form.markdown).toContain('<td colspan="3">13156</td><td colspan="4">144564</td><td>A</td>');
  const wide = await readDocument(appliance, workbook(rows, ['A3:ZZ3', 'D1:XFD1']), 'a.xlsx');
  expect(wide.markdown).toContain('| Ship | Cargo | Tons |');
});
