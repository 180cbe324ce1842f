/** Formulas nested 1,000 deep: read to a bound, or refused clearly, with all letters accounted for. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeDocx, p } from '../../documents/make-docx.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { readDocument } from '../../harness/read-document.ts';
import { zipTexts } from '../../harness/zip-texts.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

const DEPTH = 1000;
const DEEP = 'A formula nests more than 100 levels deep; its innermost parts are plain characters.';

const nested = (open: string, close: string, inner: string, depth = DEPTH) =>
  open.repeat(depth) + inner + close.repeat(depth);
const run = (text: string) => `<m:r><m:t>${text}</m:t></m:r>`;
const office = (depth = DEPTH) =>
  `<m:oMath>${nested(`<m:f><m:num>${run('1')}</m:num><m:den>`, '</m:den></m:f>', run('z'), depth)}</m:oMath>`;
const mathml = (depth = DEPTH) =>
  `<math xmlns="http://www.w3.org/1998/Math/MathML">${nested('<msup><mi>a</mi><mrow>', '</mrow></msup>', '<mi>z</mi>', depth)}</math>`;

const OASIS = 'urn:oasis:names:tc:opendocument:xmlns';
const odt = (depth: number) =>
  zipTexts({
    mimetype: 'application/vnd.oasis.opendocument.text',
    'content.xml': `<office:document-content xmlns:office="${OASIS}:office:1.0" xmlns:text="${OASIS}:text:1.0"
      xmlns:draw="${OASIS}:drawing:1.0" xmlns:xlink="http://www.w3.org/1999/xlink"><office:body><office:text>
      <text:p>Before.</text:p><text:p><draw:frame><draw:object xlink:href="./Object 1"/></draw:frame></text:p>
      </office:text></office:body></office:document-content>`,
    'Object 1/content.xml': mathml(depth),
  });

const FORMATS = 'http://schemas.openxmlformats.org';
const relation = (id: string, type: string, target: string) =>
  `<Relationships xmlns="${FORMATS}/package/2006/relationships"><Relationship Id="${id}"
    Type="${FORMATS}/officeDocument/2006/relationships/${type}" Target="${target}"/></Relationships>`;
const pptx = (depth: number) =>
  zipTexts({
    '_rels/.rels': relation('r', 'officeDocument', 'ppt/presentation.xml'),
    'ppt/presentation.xml': `<p:presentation xmlns:p="${FORMATS}/presentationml/2006/main"
      xmlns:r="${FORMATS}/officeDocument/2006/relationships"><p:sldIdLst><p:sldId r:id="s"/></p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relation('s', 'slide', 'slides/slide1.xml'),
    'ppt/slides/slide1.xml': `<p:sld xmlns:p="${FORMATS}/presentationml/2006/main" xmlns:a="${FORMATS}/drawingml/2006/main"
      xmlns:m="${FORMATS}/officeDocument/2006/math"><p:sp><p:txBody><a:p>${office(depth)}</a:p></p:txBody></p:sp></p:sld>`,
  });

const page = (depth: number) => `<html><body><p>Before.</p><p>${mathml(depth)}</p></body></html>`;

const whole = (markdown: string, letter: string, count: number) =>
  expect(markdown.match(new RegExp(letter, 'g'))).toHaveLength(count);

test('Word: to 100 levels as a formula, the rest as its characters, and said', async () => {
  const source = makeDocx({ body: `${p('Up.')}<w:p>${office()}</w:p>` });
  const { markdown, warnings, result } = await readDocument(appliance, source, 'a.docx');
  whole(markdown, '1', DEPTH);
  expect(markdown).toMatch(/^Up\.\n\n\$\$\\frac\{1\}\{\\frac\{1\}/);
  expect(warnings).toEqual([DEEP]);
  expect(result.account).toMatchObject({ unexplained: 0, leftOut: [] });
});

test.each([
  ['a page', page(200), 'a.html'],
  ['a text of OpenDocument', odt(120), 'a.odt'],
  ['a slide', pptx(120), 'a.pptx'],
])('%s: beyond 100 levels said, and refused beyond the nesting of its format', async (_what, content, name) => {
  const { warnings, result, error } = await readDocument(appliance, content, name);
  expect(error).toBeNull();
  expect(warnings).toEqual([DEEP]);
  expect(result.account).toMatchObject({ unexplained: 0, leftOut: [] });
  const deeper = { 'a.html': page(DEPTH), 'a.odt': odt(DEPTH), 'a.pptx': pptx(DEPTH) }[name] ?? '';
  const refused = await readDocument(appliance, deeper, name);
  expect(refused.error).toMatchObject({
    code: 'source_too_large',
    message: expect.stringContaining('nests too deeply'),
  });
});

test('LaTeX in Markdown stays as it is', async () => {
  const [fraction, root] = [nested('\\frac{1}{', '}', 'z'), nested('\\sqrt{', '}', 'z', 100)];
  const source = `Before.\n\n$$${fraction}$$\n\nIn $${root}$ text.\n`;
  const { markdown, warnings, result } = await readDocument(appliance, source, 'a.md');
  expect(markdown).toBe(source);
  expect(warnings).toEqual([]);
  expect(result.account).toMatchObject({ unexplained: 0, leftOut: [] });
});

test('a formula of a slide is LaTeX in Markdown', async () => {
  const { markdown, text } = await readDocument(appliance, pptx(2), 'a.pptx');
  expect(markdown).toBe('# Slide 1\n\n$$\\frac{1}{\\frac{1}{z}}$$\n');
  expect(text).toBe('Slide 1\n\n1/(1/z)');
});
