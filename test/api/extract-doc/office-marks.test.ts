/** Links and emphasis of slides, workbooks and old Word documents in the result. */
import { strToU8, zipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { readDocument } from '../../harness/read-document.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

const zipped = (files: Record<string, string>) =>
  zipSync(Object.fromEntries(Object.entries(files).map(([name, content]) => [name, strToU8(content)])));

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
    const content = zipped({
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
      <a:tr>${cell('Arden', 'b="1"')}${cell('12')}</a:tr><a:tr>${cell('Brill', 'b="1"')}${cell('7', 'i="1"')}</a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>`;
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
    const content = zipped({
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
