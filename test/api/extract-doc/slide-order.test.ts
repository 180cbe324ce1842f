import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { readDocument } from '../../harness/read-document.ts';
import { zipTexts } from '../../harness/zip-texts.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const NAMES =
  'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="' +
  `${OFFICE}" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"`;

const relations = (...list: [id: string, type: string, target: string][]) =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${list
    .map(([id, type, target]) => `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`)
    .join('')}</Relationships>`;

const frame = (x: number, y: number, width: number, height: number) =>
  `<a:off x="${x}" y="${y}"/><a:ext cx="${width}" cy="${height}"/>`;

const body = (text: string) => `<p:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody>`;

/** A text box of 30 by 8. */
const box = (text: string, x: number, y: number) =>
  `<p:sp><p:nvSpPr><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm>${frame(x, y, 30, 8)}</a:xfrm></p:spPr>${body(text)}</p:sp>`;

/** A placeholder whose place the layout states. */
const holder = (text: string, index: string) =>
  `<p:sp><p:nvSpPr><p:nvPr><p:ph type="body" idx="${index}"/></p:nvPr></p:nvSpPr><p:spPr/>${body(text)}</p:sp>`;

const placeless = (text: string) => `<p:sp><p:nvSpPr><p:nvPr/></p:nvSpPr><p:spPr/>${body(text)}</p:sp>`;

/** A group at a place, whose members count from 0 in half size. */
const group = (x: number, y: number, members: string) =>
  `<p:grpSp><p:grpSpPr><a:xfrm>${frame(x, y, 40, 40)}<a:chOff x="0" y="0"/><a:chExt cx="80" cy="80"/></a:xfrm></p:grpSpPr>
   ${members}</p:grpSp>`;

const LAYOUT = `<p:sldLayout ${NAMES}><p:cSld><p:spTree>
  <p:sp><p:nvSpPr><p:nvPr><p:ph type="body" idx="1"/></p:nvPr></p:nvSpPr><p:spPr><a:xfrm>${frame(0, 60, 90, 20)}</a:xfrm></p:spPr></p:sp>
  <p:sp><p:nvSpPr><p:nvPr><p:ph type="body" idx="2"/></p:nvPr></p:nvSpPr><p:spPr><a:xfrm>${frame(0, 10, 90, 20)}</a:xfrm></p:spPr></p:sp>
  </p:spTree></p:cSld></p:sldLayout>`;

async function textOf(shapes: string): Promise<string[]> {
  const parts = {
    '_rels/.rels': relations(['a', 'officeDocument', 'ppt/presentation.xml']),
    'ppt/presentation.xml': `<p:presentation ${NAMES}><p:sldIdLst><p:sldId id="256" r:id="s"/></p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relations(['s', 'slide', 'slides/slide1.xml']),
    'ppt/slides/slide1.xml': `<p:sld ${NAMES}><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`,
    'ppt/slides/_rels/slide1.xml.rels': relations(['l', 'slideLayout', '../slideLayouts/slideLayout1.xml']),
    'ppt/slideLayouts/slideLayout1.xml': LAYOUT,
  };
  const bytes = zipTexts(parts);
  const { text } = await readDocument(appliance, bytes, 'slides.pptx');
  return text.split(/\s+/).slice(2);
}

test('a slide is read by place: visual.pptx', async () => {
  const bytes = await readFile(new URL('../../fixtures/documents/cases/visual.pptx', import.meta.url));
  const { text } = await readDocument(appliance, bytes, 'visual.pptx');
  expect(text.split('\n\n')).toEqual([
    'Deck title',
    'First subheading',
    'Bullet under first',
    'Second subheading',
    'Bullet under second',
  ]);
});

test.each([
  ['rows from above', [box('C', 0, 50), box('A', 0, 0), box('B', 0, 25)], 'A B C'],
  ['columns, each from above', [box('L1', 0, 0), box('L2', 0, 10), box('R1', 50, 0), box('R2', 50, 10)], 'L1 L2 R1 R2'],
  [
    'rows of two, as the file has them',
    [box('a', 0, 0), box('1', 50, 0), box('b', 0, 10), box('2', 50, 10)],
    'a 1 b 2',
  ],
  ['columns below a line', [box('R', 50, 20), box('L', 0, 20), box('Top', 20, 0)], 'Top L R'],
  [
    'a group as a whole',
    [group(50, 0, box('G2', 0, 40) + box('G1', 0, 0)), box('A', 0, 0), box('B', 0, 12)],
    'A B G1 G2',
  ],
  ['placeholders where the layout has them', [holder('Low', '1'), holder('High', '2')], 'High Low'],
  ['overlapping boxes as the file has them', [box('Z', 1, 1), box('Y', 0, 0)], 'Z Y'],
  ['shapes without a place as the file has them', [box('B', 0, 50), placeless('?'), box('A', 0, 0)], 'B ? A'],
])('reads %s', async (_what, shapes, words) => {
  expect((await textOf(shapes.join(''))).join(' ')).toBe(words);
});
