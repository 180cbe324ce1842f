import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Job } from '../../../src-server/features/jobs/schema.ts';
import { scanPdf } from '../../documents/pdf-writer.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { CHROMIUM_ARGS, chromiumFile } from '../../harness/chromium.ts';
import { fileForm } from '../../harness/jobs.ts';

/** PDFs as people make them: printed by a browser, with its header and footer. */
const chromium = chromiumFile();
const PRINT_LIMIT_MS = 600_000;

let appliance: Appliance;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quarry print '));
  appliance = await startAppliance();
});
afterAll(async () => {
  await appliance.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Without blocking this thread, which the appliance shares: it could not tell its clients that it hung up. */
async function print(name: string, body: string, args: readonly string[] = []): Promise<Buffer> {
  const [page, pdf] = [join(folder, `${name}.html`), join(folder, `${name}.pdf`)];
  writeFileSync(page, `<!doctype html><html lang="en"><head><title>The shop</title></head><body>${body}</body></html>`);
  const more = ['--headless', `--user-data-dir=${join(folder, 'browser')}`, `--print-to-pdf=${pdf}`];
  await promisify(execFile)(chromium as string, [...CHROMIUM_ARGS, ...more, ...args, pathToFileURL(page).href], {
    timeout: PRINT_LIMIT_MS,
  });
  return readFileSync(pdf);
}

interface Read {
  text: string;
  markdown: string;
  recognized: number[] | undefined;
}

async function read(pdf: Uint8Array): Promise<Read> {
  const init = { method: 'POST', body: fileForm(pdf, 'printed.pdf'), headers: { prefer: 'wait=60' } };
  const job = (await (await appliance.owner('/v1/extract/pdf', init)).json()) as Job;
  expect(job).toMatchObject({ status: 'completed' });
  const result = job.result as { document: { ocr?: { pages: number[] } }; files: { name: string; url: string }[] };
  const served = async (name: string) => {
    const url = result.files.find((file) => file.name === name)?.url ?? '';
    return (await appliance.anonymous(new URL(url).pathname)).text();
  };
  return {
    text: await served('document.txt'),
    markdown: await served('document.md'),
    recognized: result.document.ocr?.pages,
  };
}

const columns = (gap: string) =>
  `<div style="columns: 2; column-gap: ${gap}; font-size: 14px">${['left', 'right']
    .map(
      (side) =>
        `<p style="break-after: column">${`The ${side} column has this sentence. `.repeat(12)}End of ${side}.</p>`,
    )
    .join('')}</div>`;
const ROWS = [
  ['Name', 'Count', 'Note'],
  ['Apples', '12', 'red'],
  ['Pears', '7', 'green'],
  ['Plums', '9', 'blue'],
];
const TABLE = `<table>${ROWS.map((row) => `<tr>${row.map((cell) => `<td style="padding: 2px 24px">${cell}</td>`).join('')}</tr>`).join('')}</table>`;

describe.skipIf(chromium === null)('POST /extract/pdf of what a browser printed', () => {
  test('reads two columns one after the other', async () => {
    const { text } = await read(await print('columns', columns('1em')));
    expect(text.lastIndexOf('left column')).toBeLessThan(text.indexOf('right column'));
    expect(text.match(/column has this sentence/g)).toHaveLength(24);
  });

  test.each([
    ['with tags', []],
    ['without tags', ['--disable-pdf-tagging']],
  ])('keeps the footer of the page out of the table above it, %s', async (_how, args) => {
    const { markdown } = await read(
      await print('table', `<h1>Prices</h1><p>All of them, in a table.</p>${TABLE}`, args),
    );
    const rows = markdown.split('\n').filter((line) => line.startsWith('|'));
    const cells = rows.map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
    expect(cells.filter(([first]) => !/^:?-+:?$/.test(first ?? ''))).toEqual(ROWS);
  });

  test('reads a page that is nothing but its picture, columns one after the other', async () => {
    // Columns that are as near as in print, a letter's width apart, tesseract reads as one in some browsers' output.
    const { text, recognized } = await read(scanPdf(await print('scan', columns('2em'))));
    expect(recognized).toEqual([1]);
    const words = text.replace(/\s+/g, ' ');
    expect(words.lastIndexOf('left column')).toBeLessThan(words.indexOf('right column'));
    expect(words).toMatch(/End of left\..*End of right\./);
  });
});
