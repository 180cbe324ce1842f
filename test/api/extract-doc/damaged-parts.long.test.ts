import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { strToU8, unzipSync, zipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SourceAccount } from '../../../src-server/platform/source-account.ts';
import { makeDocx, p, r } from '../../documents/make-docx.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { fileForm, finished } from '../../harness/jobs.ts';

const FIXTURES = fileURLToPath(new URL('../../fixtures/documents', import.meta.url));

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(async () => {
  await appliance.close();
});

interface Read {
  /** Null if the file is refused. */
  text: string | null;
  says: string;
  account?: SourceAccount;
}

async function read(files: Record<string, Uint8Array>, name: string): Promise<Read> {
  const body = fileForm(zipSync(files, { level: 1 }), name, { options: JSON.stringify({ includeComments: true }) });
  const answer = await appliance.owner('/v1/extract/doc', { method: 'POST', body });
  if (answer.status >= 400) {
    expect(answer.status).toBeLessThan(500);
    return { text: null, says: ((await answer.json()) as { detail: string }).detail };
  }
  const job = await finished(appliance.owner, ((await answer.json()) as { jobId: string }).jobId);
  if (job.status === 'failed') {
    expect(['corrupt_input', 'unsupported_media']).toContain(job.error?.code);
    return { text: null, says: job.error?.message ?? '' };
  }
  const { chunks, warnings, account } = job.result as unknown as {
    chunks: { text: string }[];
    warnings: string[];
    account: SourceAccount;
  };
  return { text: chunks.map((chunk) => chunk.text).join('\n'), says: warnings.join('\n'), account };
}

const utf8 = (bytes: Uint8Array) => Buffer.from(bytes).toString('utf8');

const DAMAGES: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  truncated: (bytes) => bytes.subarray(0, Math.floor(bytes.length / 2)),
  'no XML': () => strToU8('No <markup at all & more'),
  empty: () => new Uint8Array(),
  'cut inside a letter': (bytes) => Buffer.concat([bytes.subarray(0, Math.floor(bytes.length / 3)), Buffer.of(0xc3)]),
  'in 16 bits': (bytes) => Buffer.from(utf8(bytes).replace(/^\ufeff/, ''), 'utf16le'),
};

/** The parts without which a file says nothing, or none of its pages is found. */
const MAIN =
  /^(?:word\/document\.xml|ppt\/(?:_rels\/)?presentation\.xml(?:\.rels)?|xl\/(?:_rels\/)?workbook\.xml(?:\.rels)?|content\.xml|OEBPS\/book\.opf)$/;

const SLIDE = /^ppt\/slides\/slide\d+\.xml$/;

/** Whether nothing can be read without the part. */
function isNeeded(part: string, files: Record<string, Uint8Array>): boolean {
  const isOnlySlide = SLIDE.test(part) && Object.keys(files).filter((name) => SLIDE.test(name)).length === 1;
  return isOnlySlide || MAIN.test(part);
}

function wordFile(): Record<string, Uint8Array> {
  const reference = (type: string, id: string) => `<w:r><w:${type} w:id="${id}"/></w:r>`;
  const note = (type: string, text: string) => `<w:${type} w:id="2">${p(text)}</w:${type}>`;
  const formula =
    '<m:oMath><m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:r><m:t>b</m:t></m:r></m:den></m:f></m:oMath>';
  const type = (name: string) => ({ id: name, type: name, target: `${name}1.xml` });
  const bytes = makeDocx({
    body:
      p('Harbour report', '<w:pStyle w:val="Heading1"/>') +
      p('First berth', '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>') +
      `<w:p>${r('Depth')}${formula}${reference('footnoteReference', '2')}${reference('endnoteReference', '2')}` +
      `${reference('commentReference', '2')}</w:p><w:altChunk r:id="chunk"/>` +
      '<w:sectPr><w:headerReference r:id="header" w:type="default"/><w:footerReference r:id="footer" w:type="default"/></w:sectPr>',
    parts: {
      footnotes: note('footnote', 'Measured at low water'),
      endnotes: note('endnote', 'By the harbour office'),
      comments: `<w:comment w:id="2" w:author="Anna">${p('Check the depth')}</w:comment>`,
      header1: p('Harbour office, Kolberg'),
      footer1: p('Printed in June'),
      styles: '<w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style>',
      numbering:
        '<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum>' +
        '<w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>',
    },
    relationships: [type('header'), type('footer'), { id: 'chunk', type: 'aFChunk', target: 'tide.html' }],
    files: {
      'word/tide.html': '<html><body><p>The tide turns at noon.</p></body></html>',
      'word/theme/theme1.xml': '<a:theme xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"/>',
      'word/charts/chart1.xml': '<c:chart xmlns:c="x"><c:v>Herring landed by month and pier</c:v></c:chart>',
      'docProps/core.xml': '<c xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Harbour</dc:title></c>',
      'docProps/app.xml': '<Properties><Pages>1</Pages></Properties>',
      'word/media/image1.png': 'no picture',
    },
  });
  return unzipSync(bytes);
}

function bookFile(): Record<string, Uint8Array> {
  const page = (text: string) => `<html xmlns="http://www.w3.org/1999/xhtml"><body><p>${text}</p></body></html>`;
  const item = (id: string, href: string, type = 'application/xhtml+xml') =>
    `<item id="${id}" href="${href}" media-type="${type}"/>`;
  const files = {
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>',
    'OEBPS/book.opf':
      '<package xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>Tides</dc:title></metadata><manifest>' +
      `${item('a', 'a.xhtml')}${item('b', 'b.xhtml')}${item('t', 'toc.ncx', 'application/x-dtbncx+xml')}</manifest>` +
      '<spine toc="t"><itemref idref="a"/><itemref idref="b"/></spine></package>',
    'OEBPS/a.xhtml': page('The tide turns at noon and the boats leave the harbour.'),
    'OEBPS/b.xhtml': page('Herring is landed in June, and cod in winter.'),
    'OEBPS/toc.ncx':
      '<ncx><navMap><navPoint><navLabel><text>Noon</text></navLabel><content src="a.xhtml"/></navPoint></navMap></ncx>',
  };
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)]));
}

const packed = async (path: string) => unzipSync(await readFile(join(FIXTURES, path)));

const SOURCES: readonly [name: string, open: () => Record<string, Uint8Array> | Promise<Record<string, Uint8Array>>][] =
  [
    ['report.docx', wordFile],
    ['book.epub', bookFile],
    ['review.pptx', () => packed('office/review.pptx')],
    ['visual.pptx', () => packed('cases/visual.pptx')],
    ['harvest.xlsx', () => packed('office/harvest.xlsx')],
    ['harbour.odt', () => packed('harbour/harbour.odt')],
    ['harvest.ods', () => packed('office/harvest.ods')],
    ['review.odp', () => packed('office/review.odp')],
  ];

describe('a damaged part of a package', () => {
  test.each(SOURCES)('refuses nothing else of %s, and is named', async (name, open) => {
    const files = await open();
    const whole = await read(files, name);
    expect(whole.text).not.toBe('');
    const wrong: string[] = [];
    for (const part of Object.keys(files).filter((one) => !one.endsWith('/'))) {
      for (const [damage, apply] of Object.entries(DAMAGES)) {
        const result = await read({ ...files, [part]: apply(files[part] ?? new Uint8Array()) }, name);
        const isNamed = result.says.includes(part.split('/').at(-1) ?? part);
        const isUnchanged = result.text === whole.text && result.says === whole.says;
        // Text is what a document embeds too.
        if (part === 'word/tide.html' && damage === 'no XML') continue;
        const isFine = result.text === null ? isNamed && isNeeded(part, files) : isNamed || isUnchanged;
        if (!isFine || (result.account?.unexplained ?? 0) > 0) wrong.push(`${part}, ${damage}: ${result.says}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  test('leaves an unreadable formula of an .odt out, with its place', async () => {
    const files = await packed('harbour/harbour.odt');
    const xlink = 'xmlns:xlink="http://www.w3.org/1999/xlink"';
    const frame = `<draw:frame><draw:object ${xlink} xlink:href="./Object 9"/></draw:frame>`;
    const content = utf8(files['content.xml'] ?? new Uint8Array()).replace('</text:p>', `${frame}</text:p>`);
    const broken = strToU8('<math xmlns="http://www.w3.org/1998/Math/MathML"><mi>depth</mi><mo>=<mi>tide</mi></math>');
    const result = await read({ ...files, 'content.xml': strToU8(content), 'Object 9/content.xml': broken }, 'a.odt');
    const { text } = await read(files, 'a.odt');
    expect(result.text).toContain(text?.slice(0, 20));
    expect(result.says).toContain('Object 9/content.xml is damaged');
    expect(result.account?.leftOut).toContainEqual(
      expect.objectContaining({ reason: 'damaged', where: 'Object 9/content.xml' }),
    );
  });

  test('tells cells whose shared text is lost', async () => {
    const files = await packed('office/harvest.xlsx');
    const result = await read({ ...files, 'xl/sharedStrings.xml': strToU8('<sst') }, 'harvest.xlsx');
    expect(result.says).toMatch(/\d+ cells name texts that are not in the file/);
    const lost = result.account?.leftOut.filter(({ reason, count }) => reason === 'damaged' && count > 0);
    expect(lost?.length).toBeGreaterThan(0);
    expect(result.account?.unexplained).toBe(0);
  });
});
