/**
 * Text recognition beside native tesseract: pages per second with as many workers as cores (tesseract as processes of
 * one thread each), and the share of characters that each gets wrong, on pages rendered at 200 dpi. Both use the
 * trained data that comes with the product, which is also what Debian gives tesseract.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inParallel } from '../src-server/platform/concurrency.ts';
import { createWorkerPool } from '../src-server/platform/pool/worker-pool.ts';
import { GIB, MINUTE_MS } from '../src-server/platform/units.ts';
import { mupdf } from '../workers/documents/pdf/open-pdf.ts';
import { expectTarget, printTable, shown } from './figures.ts';
import { bookPdf } from './pdf-inputs.ts';

const PAGES = 12;
const ROUND_PAGES = 4;
const SPEED_MIN = 0.8;
const DPI = 200;
const DATA_FOLDER = fileURLToPath(new URL('../resources/ocr', import.meta.url));
const threads = availableParallelism();
const signal = new AbortController().signal;
const numbers = Array.from({ length: PAGES }, (_, index) => index + 1);
const folder = mkdtempSync(join(tmpdir(), 'quarry bench '));

/** Each page as a picture, for tesseract, and its true text. */
function render(pdf: Buffer): string[] {
  const document = mupdf.Document.openDocument(pdf, 'application/pdf');
  return numbers.map((number) => {
    const page = document.loadPage(number - 1);
    const scale = DPI / 72;
    const pixmap = page.toPixmap([scale, 0, 0, scale, 0, 0], mupdf.ColorSpace.DeviceGray, false, true);
    const header = Buffer.from(`P5\n${pixmap.getWidth()} ${pixmap.getHeight()}\n255\n`);
    writeFileSync(pictureOf(number), Buffer.concat([header, new Uint8Array(pixmap.getPixels())]));
    return page.toStructuredText('').asText();
  });
}

function pictureOf(number: number): string {
  return join(folder, `page-${number}.pgm`);
}

interface Measured {
  seconds: number;
  cpuSeconds: number;
  texts: string[];
}

function openEngine(pdfPath: string) {
  const entry = new URL('../workers/entry.ts', import.meta.url);
  const pool = createWorkerPool({ entry, threads, memoryLimitBytes: 16 * GIB });
  const recognize = async (page: number) => {
    const source = { kind: 'pdf-page', path: pdfPath, page } as const;
    const input = {
      source,
      model: { name: 'eng', path: join(DATA_FOLDER, 'eng.traineddata') },
      layout: 'page',
    } as const;
    return (await pool.run('recognize-text', input, { accountId: 'owner', timeLimitMs: 5 * MINUTE_MS })).text;
  };
  return {
    close: () => pool.close(),
    async measure(pages: number[]): Promise<Measured> {
      const started = performance.now();
      const cpu = process.cpuUsage();
      const texts = await inParallel(pages, threads, signal, recognize);
      const { user, system } = process.cpuUsage(cpu);
      return { seconds: (performance.now() - started) / 1000, cpuSeconds: (user + system) / 1e6, texts };
    },
  };
}

async function measureNative(pages: number[]): Promise<Measured> {
  const started = performance.now();
  let cpuSeconds = 0;
  const texts = await inParallel(pages, threads, signal, async (number) => {
    // As low in rank as the pool's threads, so that a busy machine slows both alike.
    // The shell's `time` is the one that tells a child's CPU time; all that is put into the command is our own.
    const command =
      'TIMEFORMAT="%U %S"; time nice -n 10 tesseract "$1" - --tessdata-dir "$2" --psm 3 --dpi "$3" 2>/dev/null';
    const child = spawn('bash', ['-c', command, 'bash', pictureOf(number), DATA_FOLDER, `${DPI}`], {
      env: { ...process.env, OMP_THREAD_LIMIT: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [text, times] = await Promise.all([textOf(child.stdout), textOf(child.stderr)]);
    for (const part of times.trim().split(' ')) cpuSeconds += Number(part);
    return text;
  });
  return { seconds: (performance.now() - started) / 1000, cpuSeconds, texts };
}

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

/** Share of characters to insert, delete or change, white space counted as one space. */
function errorRate(truths: string[], texts: string[]): number {
  let errors = 0;
  let characters = 0;
  for (const [index, truth] of truths.entries()) {
    const expected = truth.replace(/\s+/g, ' ').trim();
    errors += distance(expected, (texts[index] ?? '').replace(/\s+/g, ' ').trim());
    characters += expected.length;
  }
  return errors / characters;
}

function distance(a: string, b: string): number {
  let previous = Uint32Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row += 1) {
    const current = new Uint32Array(b.length + 1);
    current[0] = row;
    for (let column = 1; column <= b.length; column += 1) {
      const changed = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current[column] = Math.min(changed, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1);
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}

async function compare(pdfPath: string, truths: string[]): Promise<void> {
  const engine = openEngine(pdfPath);
  await engine.measure(numbers.slice(0, threads));
  const own: Measured = { seconds: 0, cpuSeconds: 0, texts: [] };
  const native: Measured = { seconds: 0, cpuSeconds: 0, texts: [] };
  // In turns, so that whatever else the machine does meets both alike.
  for (let at = 0; at < numbers.length; at += ROUND_PAGES) {
    const pages = numbers.slice(at, at + ROUND_PAGES);
    add(own, await engine.measure(pages));
    add(native, await measureNative(pages));
  }
  await engine.close();
  const [ownWrong, nativeWrong] = [errorRate(truths, own.texts), errorRate(truths, native.texts)];
  printTable([row('quarry', own, ownWrong), row('tesseract', native, nativeWrong)]);
  const ratio = native.seconds / own.seconds;
  const cpuRatio = native.cpuSeconds / own.cpuSeconds;
  process.stdout.write(`${threads} cores, load ${loadavg().map(shown).join(' ')}; per CPU second ${shown(cpuRatio)}\n`);
  expectTarget(
    `quarry reads ${shown(ratio)} of tesseract's pages per second; at least ${SPEED_MIN}`,
    ratio >= SPEED_MIN,
  );
  expectTarget('quarry gets no more characters wrong', ownWrong <= nativeWrong);
}

function add(sum: Measured, part: Measured): void {
  sum.seconds += part.seconds;
  sum.cpuSeconds += part.cpuSeconds;
  sum.texts.push(...part.texts);
}

function row(name: string, { seconds, cpuSeconds }: Measured, wrong: number) {
  return {
    reader: name,
    'pages/s': PAGES / seconds,
    'CPU s a page': cpuSeconds / PAGES,
    'characters wrong, %': wrong * 100,
  };
}

const pdf = bookPdf(PAGES);
const pdfPath = join(folder, 'book.pdf');
writeFileSync(pdfPath, pdf);
const truths = render(pdf);
await compare(pdfPath, truths);
rmSync(folder, { recursive: true, force: true });
