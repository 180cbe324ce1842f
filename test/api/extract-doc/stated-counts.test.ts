/** Files that lie about their own counts: what they hold is read, and nothing is added. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { strToU8, unzipSync, zipSync } from 'fflate';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SourceAccount } from '../../../src-server/platform/source-account.ts';
import { makeDocx, p } from '../../documents/make-docx.ts';
import { text, writePdf } from '../../documents/pdf-writer.ts';
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
  text: string;
  pages: number;
  account: SourceAccount;
  warnings: string[];
}

async function read(bytes: Uint8Array, name: string): Promise<Read> {
  const operation = name.endsWith('.pdf') ? 'pdf' : 'doc';
  const answer = await appliance.owner(`/v1/extract/${operation}`, { method: 'POST', body: fileForm(bytes, name) });
  const job = await finished(appliance.owner, ((await answer.json()) as { jobId: string }).jobId);
  expect(job.error, JSON.stringify(job.error)).toBeUndefined();
  const { chunks, document, account, warnings } = job.result as unknown as {
    chunks: { text: string }[];
    document: { pages: number };
    account: SourceAccount;
    warnings: string[];
  };
  return { text: chunks.map((chunk) => chunk.text).join('\n'), pages: document.pages, account, warnings };
}

/** Overwrites a field of the entry's headers, the local one and that of the directory, by the offset in each. */
function lie(zip: Uint8Array, [local, central]: readonly [number, number], size: number): Buffer {
  const bytes = Buffer.from(zip);
  for (let at = bytes.indexOf('PK\x03\x04'); at !== -1; at = bytes.indexOf('PK\x03\x04', at + 1)) {
    bytes.writeUInt32LE(size, at + local);
  }
  for (let at = bytes.indexOf('PK\x01\x02'); at !== -1; at = bytes.indexOf('PK\x01\x02', at + 1)) {
    bytes.writeUInt32LE(size, at + central);
  }
  return bytes;
}

const UNPACKED = [22, 24] as const;
const word = () => makeDocx({ body: p('Harbour report of June') });
const pdf = (count: number) => {
  const pages = ['First page of the report', 'Second page of it', 'Third and last page'].map((line) =>
    text(72, 92, [line]),
  );
  const written = writePdf({ pages }).toString('latin1');
  return Buffer.from(written.replace('/Count 3', `/Count ${count}`), 'latin1');
};

async function workbook(change: (xml: string, name: string) => string): Promise<Uint8Array> {
  const files = unzipSync(await readFile(join(FIXTURES, 'office/harvest.xlsx')));
  return zipSync(
    Object.fromEntries(
      Object.entries(files).map(([name, bytes]) => {
        return [name, /\.xml$/.test(name) ? strToU8(change(Buffer.from(bytes).toString(), name)) : bytes];
      }),
    ),
  );
}

const dimension = (area: string) => (xml: string, name: string) =>
  name.startsWith('xl/worksheets/')
    ? xml.replace(/<dimension[^>]*>/, '').replace('<sheetData', `<dimension ref="${area}"/><sheetData`)
    : xml;
const sharedCount = (count: number) => (xml: string, name: string) =>
  name === 'xl/sharedStrings.xml'
    ? xml.replace(/ (?:uniqueC|c)ount="\d+"/g, '').replace('<sst ', `<sst count="${count}" uniqueCount="${count}" `)
    : xml;
const mail = (length: number) =>
  [
    'From ann@mail.example Mon Mar  2 10:00:00 2026',
    'From: ann@mail.example',
    'Subject: First',
    `Content-Length: ${length}`,
    `Lines: ${length}`,
    '',
    'The boats leave at noon.',
    '',
    'From bo@mail.example Mon Mar  2 11:00:00 2026',
    'From: bo@mail.example',
    'Subject: Second',
    '',
    'The tide turns at one.\n',
  ].join('\n');

/** A text document with an own count of its pages. */
function stating(kind: string, pages: number, words: string): Uint8Array {
  if (kind === 'rtf') return strToU8(`{\\rtf1{\\info{\\nofpages${pages}}}${words}}`);
  if (kind === 'docx') {
    const parts = unzipSync(makeDocx({ body: p(words) }));
    return zipSync({
      ...parts,
      'docProps/app.xml': strToU8(`<Properties xmlns="${APP}"><Pages>${pages}</Pages></Properties>`),
    });
  }
  return zipSync({
    mimetype: strToU8('application/vnd.oasis.opendocument.text'),
    'content.xml': strToU8(
      `<office:document-content ${ODF}><office:body><office:text><text:p>${words}</text:p></office:text></office:body></office:document-content>`,
    ),
    'meta.xml': strToU8(
      `<office:document-meta ${ODF}><office:meta><meta:document-statistic meta:page-count="${pages}"/></office:meta></office:document-meta>`,
    ),
  });
}

const APP = 'http://schemas.openxmlformats.org/officeDocument/2006/extended-properties';
const ODF = ['office', 'text', 'meta']
  .map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
  .join(' ');

test.each(['docx', 'odt', 'rtf'])('believes the page count of a .%s only where its text can fill it', async (kind) => {
  const words = 'The harbour was dredged in spring. '.repeat(40);
  expect(await read(stating(kind, 3, words), `a.${kind}`)).toMatchObject({ pages: 3, warnings: [] });
  expect(await read(stating(kind, 90_000, words), `a.${kind}`)).toMatchObject({
    pages: 1,
    warnings: ['The file states 90,000 pages, more than its text can fill; it has no page break.'],
  });
});

const same = (bytes: Uint8Array) => async () => bytes;

test.each<[string, string, () => Promise<Uint8Array>, () => Promise<Uint8Array>]>([
  ['a zip that states too small parts', 'a.docx', same(word()), same(lie(word(), UNPACKED, 3))],
  ['a zip that states too large parts', 'a.docx', same(word()), same(lie(word(), UNPACKED, 3_000_000))],
  ['a PDF that states one of its three pages', 'a.pdf', same(pdf(3)), same(pdf(1))],
  ['a PDF that states no page', 'a.pdf', same(pdf(3)), same(pdf(0))],
  ['a PDF that states 30 pages', 'a.pdf', same(pdf(3)), same(pdf(30))],
  ['a PDF that states less than no page', 'a.pdf', same(pdf(3)), same(pdf(-3))],
  ['a sheet that states one cell', 'a.xlsx', () => workbook((xml) => xml), () => workbook(dimension('A1'))],
  ['a sheet that states all cells', 'a.xlsx', () => workbook((xml) => xml), () => workbook(dimension('A1:XFD1048576'))],
  ['a workbook that states one text', 'a.xlsx', () => workbook((xml) => xml), () => workbook(sharedCount(1))],
  ['a workbook that states many', 'a.xlsx', () => workbook((xml) => xml), () => workbook(sharedCount(4_000_000_000))],
  ['a mailbox with too short lengths', 'a.mbox', same(strToU8(mail(26))), same(strToU8(mail(3)))],
  ['a mailbox with too long lengths', 'a.mbox', same(strToU8(mail(26))), same(strToU8(mail(9999)))],
  [
    'an RTF that states other words and letters',
    'a.rtf',
    same(strToU8('{\\rtf1 Harbour report of June}')),
    same(strToU8('{\\rtf1{\\info{\\nofwords0}{\\nofchars1}}Harbour report of June}')),
  ],
])('%s', async (_, name, honest, lying) => {
  const right = await read(await honest(), name);
  const wrong = await read(await lying(), name);
  expect(right.text).not.toBe('');
  expect(wrong.text).toBe(right.text);
  expect(wrong.pages).toBe(right.pages);
  expect({ ...wrong.account, unexplained: 0 }).toEqual({ ...right.account, unexplained: 0 });
  expect(wrong.account.unexplained).toBe(0);
});
