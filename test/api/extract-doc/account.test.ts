import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { strToU8, zipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SourceAccount } from '../../../src-server/platform/source-account.ts';
import { makeDocx, p } from '../../documents/make-docx.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { wordDocumentOf } from '../../harness/documents.ts';
import { fileForm, finished } from '../../harness/jobs.ts';

const FIXTURES = fileURLToPath(new URL('../../fixtures/documents', import.meta.url));

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(async () => {
  await appliance.close();
});

interface Result {
  chunks: { text: string }[];
  account: SourceAccount;
  warnings: string[];
}

async function read(bytes: Uint8Array | string, name: string, options: object = {}): Promise<Result> {
  const operation = name.endsWith('.pdf') ? 'extract/pdf' : 'extract/doc';
  const body = fileForm(bytes, name, { options: JSON.stringify(options) });
  const answer = await appliance.owner(`/v1/${operation}`, { method: 'POST', body });
  expect([200, 202]).toContain(answer.status);
  const job = await finished(appliance.owner, ((await answer.json()) as { jobId: string }).jobId);
  return job.result as unknown as Result;
}

/** What is delivered, left out by reason, and unexplained. */
function told({ account }: Result) {
  const left = Object.fromEntries(account.leftOut.map(({ reason, count }) => [reason, count]));
  return { unit: account.unit, source: account.source, left, unexplained: account.unexplained };
}

const names = (await readdir(FIXTURES, { recursive: true })).filter((name) => {
  // Pictures, and files that need their passwords, have tests of their own.
  return /\.(?!md|json|txt|py)[a-z]+$/.test(name) && !/^(images|locked)/.test(name);
});

describe('the account of a document', () => {
  test.each(names)('%s has no letter without explanation, and outputs that agree', async (name) => {
    const result = await read(await readFile(join(FIXTURES, name)), basename(name));
    const { source, delivered, leftOut, unexplained } = result.account;
    expect(unexplained).toBe(0);
    expect(delivered + leftOut.reduce((sum, { count }) => sum + count, 0)).toBe(source);
    expect(source).toBeGreaterThan(0);
    expect(result.warnings.join(' ')).not.toMatch(/not in the result|does not hold|other files of the result/);
  });

  test('tells what tracked changes delete, and what is repeated', async () => {
    const result = await read(
      wordDocumentOf(
        '<w:p><w:r><w:t>Tide tables</w:t></w:r><w:del w:id="1" w:author="A"><w:r><w:delText>of June</w:delText></w:r></w:del></w:p>',
      ),
      'tide.docx',
    );
    expect(told(result)).toEqual({
      unit: 'letters',
      source: 16,
      left: { 'deleted-by-tracked-changes': 6 },
      unexplained: 0,
    });
    expect(result.account.leftOut[0]).toMatchObject({ where: 'word/document.xml', sample: 'of June' });
  });

  test('warns of a part with text that is not read', async () => {
    const body = p('Catch by month');
    const plain = makeDocx({ body });
    const chart = `<c:chartSpace xmlns:c="x"><c:v>Herring in tonnes</c:v><c:v>January and February</c:v></c:chartSpace>`;
    const { unzipSync } = await import('fflate');
    const bytes = zipSync({ ...unzipSync(plain), 'word/charts/chart1.xml': strToU8(chart) });
    const result = await read(bytes, 'catch.docx');
    expect(told(result)).toMatchObject({ left: { 'unsupported-part': 33 }, unexplained: 0 });
    expect(result.warnings.join(' ')).toContain('word/charts/chart1.xml');
  });

  test('counts the files inside an archive, and cells of workbooks alone', async () => {
    const inside = zipSync({
      'a.txt': strToU8('Harbour'),
      'b.docx': wordDocumentOf(p('Lighthouse')),
      'c.csv': strToU8('Berth,Boat\n1,Anna\n'),
    });
    expect(told(await read(inside, 'all.zip'))).toEqual({ unit: 'letters', source: 31, left: {}, unexplained: 0 });
    const workbook = await readFile(join(FIXTURES, 'office/harvest.xlsx'));
    expect(told(await read(workbook, 'harvest.xlsx'))).toMatchObject({ unit: 'cells', left: { hidden: 2 } });
  });

  test('reads files of one name in an archive, and names hidden ones', async () => {
    const files = { 'log1.txt': strToU8('Harbour'), 'log2.txt': strToU8('Lighthouse'), 'LOG1.TXT': strToU8('Pier') };
    const hidden = { '.notes/today.txt': strToU8('Kept back'), '.DS_Store': strToU8('of the system') };
    const packed = Buffer.from(zipSync({ ...files, ...hidden }))
      .toString('latin1')
      .replaceAll('log2', 'log1');
    const result = await read(Buffer.from(packed, 'latin1'), 'logs.zip');
    expect(told(result)).toEqual({ unit: 'letters', source: 21, left: {}, unexplained: 0 });
    expect(result.warnings).toEqual([expect.stringMatching(/^Not read, because hidden: \.notes\/today\.txt\. Send/)]);
  });

  test('names a part that is twice in a document', async () => {
    const { unzipSync } = await import('fflate');
    const parts = unzipSync(makeDocx({ body: p('Lighthouse') }));
    const bytes = zipSync({ ...parts, 'word/Document.xml': strToU8('<w:document/>') });
    const result = await read(bytes, 'twice.docx');
    expect(told(result)).toEqual({ unit: 'letters', source: 10, left: {}, unexplained: 0 });
    expect(result.warnings).toEqual([expect.stringContaining('word/Document.xml is in the file twice')]);
  });

  test('refuses a document of one file with too many parts', async () => {
    const part = (name: string, content: string) =>
      `<pkg:part pkg:name="/${name}"><pkg:xmlData>${content}</pkg:xmlData></pkg:part>`;
    const office = 'http://schemas.microsoft.com/office/2006/xmlPackage';
    const main = part(
      'word/document.xml',
      '<w:document><w:body><w:p><w:r><w:t>Pier</w:t></w:r></w:p></w:body></w:document>',
    );
    const parts = `${main}${part('a.xml', '<a/>').repeat(5000)}`;
    const page = `<?xml version="1.0"?><pkg:package xmlns:pkg="${office}">${parts}</pkg:package>`;
    const body = fileForm(page, 'many.xml', { options: '{}' });
    const answer = await appliance.owner('/v1/extract/doc', { method: 'POST', body });
    const { jobId } = (await answer.json()) as { jobId: string };
    expect(await finished(appliance.owner, jobId)).toMatchObject({
      status: 'failed',
      error: { code: 'source_too_large' },
    });
  });

  test('tells what a page has for other browsers, in frames and in pictures', async () => {
    const page = `<p>Seen<noscript><style>p{}</style>No script</noscript><svg><style>a{}</style><text>Chart</text></svg>
      <template><p>Never</template><canvas>Fallback</canvas><iframe srcdoc="<p>Frame &amp;lt;d"></iframe>`;
    const shadow = '<x-sign><template shadowrootmode="open"><p>Closed</p></template></x-sign>';
    const result = await read(page, 'page.html');
    expect(result.account.leftOut[0]).toMatchObject({ where: 'whole file', sample: 'No script' });
    expect(told(result)).toEqual({
      unit: 'letters',
      source: 31,
      left: { hidden: 8, 'embedded-picture': 5, 'unsupported-part': 14 },
      unexplained: 0,
    });
    const signs = await read(`<p>Seen</p>${shadow}`, 'sign.html');
    expect(told(signs)).toEqual({ unit: 'letters', source: 10, left: {}, unexplained: 0 });
  });

  test('shows the shadow roots of a page, and no other template', async () => {
    const root = (inner: string) => `<x-sign><TEMPLATE ShadowRootMode=closed>${inner}</TEMPLATE></x-sign>`;
    const page = `<p>Seen</p><script>"<template shadowrootmode=open>"</script><!-- <template> -->
      <template><p>Never</p>${root('<p>Nor this</p>')}</template>
      ${root(`<p>Outer</p><template id="row"><td>Row</td></template><slot></slot>${root('<p>Inner</p>')}`)}
      <template data-for="shadowrootmode"><p>Nor that</p></template><p>Last</p>`;
    const result = await read(page, 'signs.html');
    expect(
      result.chunks
        .map(({ text }) => text)
        .join(' ')
        .split(/\s+/),
    ).toEqual(['Seen', 'Outer', 'Inner', 'Last']);
    expect(result.account.unexplained).toBe(0);
  });

  test('tells the text of cells that a merged cell covers', async () => {
    const cell = (text: string, properties = '') => `<w:tc><w:tcPr>${properties}</w:tcPr>${p(text)}</w:tc>`;
    const rows = [
      `<w:tr>${cell('Pier', '<w:vMerge w:val="restart"/>')}${cell('North')}</w:tr>`,
      `<w:tr>${cell('Covered words', '<w:vMerge/>')}${cell('South')}</w:tr>`,
    ];
    const bytes = makeDocx({ body: `<w:tbl><w:tblGrid/>${rows.join('')}</w:tbl>` });
    const result = await read(bytes, 'piers.docx');
    expect(told(result)).toEqual({ unit: 'letters', source: 26, left: { hidden: 12 }, unexplained: 0 });
  });

  test.each([
    [
      'a definition that is used',
      '\\newcommand{\\boat}{Herring drifter}\nThe \\boat{} sailed.',
      'The Herring drifter sailed.',
    ],
    ['parameters', '\\newcommand \\at [2] {#1 at #2}\nMoored \\at{Pier}{noon}.', 'Moored Pier at noon.'],
    [
      'a parameter with a default',
      '\\newcommand{\\tide}[2][High]{#1 tide at #2}\n\\tide{six}, \\tide[Low]{nine}',
      'High tide at six, Low tide at nine',
    ],
    ['plain TeX', '\\def\\port#1{port of #1}\nThe \\port{Kolberg}', 'The port of Kolberg'],
    [
      'a definition that is half an environment',
      '\\newcommand{\\bq}{\\begin{equation}}\\newcommand{\\eq}{\\end{equation}}\nBefore\\bq a+b \\eq after',
      'a+b',
    ],
    [
      'comments of a table',
      '\\begin{tabular}{ll}Pier & Boat\\\\%Old & Wreck of no name\\\\\nNorth & Anna\\end{tabular}',
      'North',
    ],
    ['spanned columns', '\\begin{tabular}{lll}\\multicolumn{2}{c}{Piers} & Depth\\\\ a & b & c\\end{tabular}', 'Piers'],
    ['signs of code', '\\begin{verbatim}\nrate = 50 % 7 $each\n\\end{verbatim}', 'rate = 50 % 7 $each'],
    ['a title of a theorem', '\\begin{Def}[Slack water]The tide turns.\\end{Def}', 'Slack water'],
    ['a size without braces', 'Done \\vrule height7pt width4pt depth1pt here', 'Done here'],
    [
      'definitions that define each other',
      '\\def\\aa#1{\\bb\\bb}\\def\\qa{\\qb\\qb}\\def\\qb{\\qa}\nText \\qa end',
      'Text',
    ],
  ])('counts a .tex with %s', async (_, source, delivered) => {
    const result = await read(`\\documentclass{article}\n\\begin{document}\n${source}\n\\end{document}`, 'harbour.tex');
    expect(result.account.unexplained).toBe(0);
    expect(result.warnings).toEqual([]);
    const text = (result as unknown as { chunks: { text: string }[] }).chunks.map((chunk) => chunk.text).join('\n');
    expect(text.replace(/\s+/g, ' ')).toContain(delivered);
    expect(text).not.toMatch(/Wreck|7pt|2c/);
  });

  test('counts an .rtf by the code page of each font', async () => {
    const fonts = '{\\fonttbl{\\f0\\fcharset238 Calibri;}{\\f1\\fcharset204 Arial;}}';
    const body = "\\f0 p\\'f8\\'edstav a lo\\'ef \\f1 \\'d3\\'e2\\'e0\\'e6\\'e0\\'e5\\'ec\\'fb\\'e9";
    const result = await read(`{\\rtf1\\ansi\\ansicpg1252\\deff0${fonts}${body}\\par}`, 'harbour.rtf');
    expect(result.warnings).toEqual([]);
    expect(told(result)).toEqual({ unit: 'letters', source: 20, left: {}, unexplained: 0 });
  });

  test('counts notes of an .rtf that programs without notes skip', async () => {
    const body = 'Tide{\\super\\chftn}{\\*\\footnote\\chftn\\~At noon.} on.\\par';
    const result = await read(`{\\rtf1\\ansi ${body}}`, 'tide.rtf');
    expect(result.warnings).toEqual([]);
    expect(told(result)).toEqual({ unit: 'letters', source: 12, left: {}, unexplained: 0 });
  });

  test.each(['utf16le', 'utf-16be with a mark'])('counts a mail in %s', async (encoding) => {
    const mail = 'From: a@b.c\r\nSubject: Tide\r\nDate: Mon, 1 Jun 2026 10:00:00 +0000\r\n\r\nHigh water at noon.\r\n';
    const little = Buffer.from(encoding === 'utf16le' ? mail : `\ufeff${mail}`, 'utf16le');
    const result = await read(encoding === 'utf16le' ? little : little.swap16(), 'tide.eml');
    expect(result.warnings).toEqual([]);
    expect(told(result)).toMatchObject({ source: 22, unexplained: 0 });
  });

  test('reads a package in one XML file, and lists its damaged parts', async () => {
    const { unzipSync } = await import('fflate');
    const note = `<w:footnote w:id="2">${p('Measured at low water')}</w:footnote>`;
    const body = `${p('Harbour')}<w:p><w:r><w:footnoteReference w:id="2"/></w:r></w:p>`;
    const flat = (damage: (text: string) => string) => {
      const parts = Object.entries(unzipSync(makeDocx({ body, parts: { footnotes: note } }))).map(([name, bytes]) => {
        const text = Buffer.from(bytes).toString('utf8');
        const content = name === 'word/footnotes.xml' ? damage(text) : text;
        return `<pkg:part pkg:name="/${name}" pkg:contentType="x"><pkg:xmlData>${content}</pkg:xmlData></pkg:part>`;
      });
      const root = 'xmlns:pkg="http://schemas.microsoft.com/office/2006/xmlPackage"';
      return `<?xml version="1.0"?><?mso-application progid="Word.Document"?><pkg:package ${root}>${parts.join('')}</pkg:package>`;
    };
    const whole = await read(
      flat((text) => text),
      'harbour.xml',
    );
    expect(whole.warnings).toEqual([]);
    expect(told(whole)).toMatchObject({ source: 25, left: {}, unexplained: 0 });
    const cut = await read(
      flat((text) => text.replace('low', '<low')),
      'harbour.xml',
    );
    expect(cut.warnings.join(' ')).toContain('word/footnotes.xml is damaged');
    expect(cut.account).toMatchObject({
      unexplained: 0,
      leftOut: [{ reason: 'damaged', where: 'word/footnotes.xml' }],
    });
  });
});
