import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
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
