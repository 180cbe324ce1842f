/**
 * CPU of a page of a PDF that has formulas, and what of it they take: reading the glyphs and finding the formulas, alone
 * on the same page. `npm run bench -- formula-cpu <folder of PDFs>`; pages without formulas are left out.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFormulas } from '../workers/documents/pdf/formulas.ts';
import { readGlyphs } from '../workers/documents/pdf/math-glyphs.ts';
import { mupdf } from '../workers/documents/pdf/open-pdf.ts';
import { readPageText } from '../workers/documents/pdf/page-text.ts';
import { shown } from './figures.ts';
import { openPdfSubject } from './pdf-subject.ts';

const ROUNDS = 8;

const cpuMs = (before: NodeJS.CpuUsage) => {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};

/** The pages with formulas, each as a PDF of its own. */
function pagesWithFormulas(path: string): Uint8Array[] {
  const document = mupdf.Document.openDocument(readFileSync(path), 'application/pdf');
  if (!(document instanceof mupdf.PDFDocument)) return [];
  return Array.from({ length: document.countPages() }, (_, index) => index).flatMap((index) => {
    if (!readPageText(document.loadPage(index)).raw.hasMath) return [];
    const single = new mupdf.PDFDocument();
    single.graftPage(-1, document, index);
    return [Buffer.from(single.saveToBuffer('compress').asUint8Array())];
  });
}

/** The middle of some rounds, after one to warm up. */
async function medianCpu(work: () => Promise<void> | void): Promise<number> {
  await work();
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = process.cpuUsage();
    await work();
    times.push(cpuMs(before));
  }
  return times.sort((one, other) => one - other)[Math.floor(ROUNDS / 2)] ?? 0;
}

const [folder = ''] = process.argv.slice(2);
const work = mkdtempSync(join(tmpdir(), 'quarry formulas '));
const subject = openPdfSubject(work);
let [whole, ofFormulas, count] = [0, 0, 0];
for (const name of readdirSync(folder).filter((one) => one.endsWith('.pdf'))) {
  for (const [at, bytes] of pagesWithFormulas(join(folder, name)).entries()) {
    const path = join(work, `${at} ${name}`);
    writeFileSync(path, bytes);
    const page = mupdf.Document.openDocument(bytes, 'application/pdf').loadPage(0) as InstanceType<
      typeof mupdf.PDFPage
    >;
    const { raw } = readPageText(page);
    const total = await medianCpu(async () => void (await subject.extract(path)));
    const formulas = await medianCpu(() => {
      const glyphs = readGlyphs(page);
      const lines = raw.lines.map((line) => ({ ...line }));
      if (glyphs !== null) findFormulas(lines, glyphs, raw.vectors);
    });
    whole += total;
    ofFormulas += formulas;
    count += 1;
    process.stdout.write(`${name}, ${at}: ${shown(total)} ms, of which formulas ${shown(formulas)}\n`);
  }
}
const rest = whole - ofFormulas;
process.stdout.write(
  `${count} pages: ${shown(whole / count)} ms, ${shown(rest / count)} without formulas: ${shown(whole / rest)} times\n`,
);
await subject.close();
rmSync(work, { recursive: true, force: true });
