/**
 * Tesseract, driven directly, with one instance per thread that stays loaded: loading costs as much as a short page. A
 * large instance is replaced, so that one huge picture does not keep its memory.
 */

import { readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { gunzipSync } from 'node:zlib';
import type {
  RecognitionModel,
  RecognizedLine,
  RecognizedText,
  RecognizedWord,
} from '../../../src-server/features/documents/schema.ts';
import { QuarryError } from '../../../src-server/platform/errors.ts';
import { say } from '../../../src-server/platform/text/say.ts';
import { MIB } from '../../../src-server/platform/units.ts';
import { type BoundedModule, boundedModule } from '../wasm-memory.ts';
import type { GreyImage } from './grey-image.ts';
import { isUnlikely } from './judge.ts';
import { joinRows } from './rows.ts';

/** The core without SIMD takes 4.5 times as long; every V8 since 2021 supports SIMD. Relaxed SIMD gains nothing. */
const CORE = 'tesseract.js-core/tesseract-core-simd-lstm';

const MEMORY_MAX_BYTES = 1024 * MIB;

/** An instance with more memory is dropped after its picture. */
const MEMORY_KEPT_BYTES = 384 * MIB;

/** Tesseract's page segmentation modes: automatic, and sparse text. */
const SEGMENTATION = { page: '3', frame: '11' } as const;

const LSTM_ONLY = 1;

const INPUT = '/input';

/** The part of tesseract.js-core that is used. */
interface TesseractCore {
  FS: { writeFile(path: string, data: Uint8Array): void; unlink(path: string): void };
  TessBaseAPI: new () => TesseractApi;
}

interface TesseractApi {
  Init(dataPath: string, language: string, engineMode: number): number;
  SetVariable(name: string, value: string): boolean;
  /** Returns 1 if the file cannot be read as a picture. */
  SetImageFile(exifOrientation: number, angle: number): number;
  Recognize(monitor: null): number;
  GetTSVText(page: number): string;
  Clear(): void;
  End(): void;
}

type CoreFactory = (options: object) => Promise<TesseractCore>;

interface Loaded {
  core: TesseractCore;
  api: TesseractApi;
  bounded: BoundedModule;
}

let loaded: Promise<Loaded> | null = null;

let loadedKey = '';

/** Errors: `model_not_installed`, `out_of_memory`, `engine_failed`. */
export async function recognizeWithTesseract(
  image: GreyImage,
  model: RecognitionModel,
  layout: 'page' | 'frame',
): Promise<Reading> {
  const engine = await loadTesseract(model);
  engine.bounded.takeRefusal();
  try {
    engine.core.FS.writeFile(INPUT, toPgm(image));
    engine.api.SetVariable('tessedit_pageseg_mode', SEGMENTATION[layout]);
    engine.api.SetVariable('user_defined_dpi', String(Math.round(image.dotsPerInch)));
    if (engine.api.SetImageFile(1, 0) === 1) throw new TypeError('The engine rejected the raster.');
    engine.api.Recognize(null);
    const tsv = engine.api.GetTSVText(0);
    engine.api.Clear();
    engine.core.FS.unlink(INPUT);
    if (engine.bounded.memoryBytes() > MEMORY_KEPT_BYTES) forgetTesseract();
    const lines = parseTsv(tsv);
    return readingOf(layout === 'page' ? joinUprightRows(lines, image) : lines, model.name);
  } catch (cause) {
    // The state of a failed instance is undefined, so the next picture gets a new one.
    forgetTesseract();
    if (engine.bounded.takeRefusal()) {
      const message = say`The picture needs more memory than the limit of a job. Send a smaller one.`;
      throw new QuarryError('out_of_memory', message, { cause });
    }
    throw new QuarryError('engine_failed', say`Text recognition failed on a picture. Send the document again.`, {
      cause,
      retryable: true,
    });
  }
}

async function loadTesseract(model: RecognitionModel): Promise<Loaded> {
  const key = `${model.name}|${model.path}`;
  if (loaded === null || loadedKey !== key) {
    forgetTesseract();
    loadedKey = key;
    loaded = startTesseract(model);
  }
  try {
    return await loaded;
  } catch (error) {
    loaded = null;
    throw error;
  }
}

function forgetTesseract(): void {
  loaded = null;
}

async function startTesseract(model: RecognitionModel): Promise<Loaded> {
  const require = createRequire(import.meta.url);
  const data = await readTrainedData(model);
  const bounded = boundedModule(await readFile(require.resolve(`${CORE}.wasm`)), MEMORY_MAX_BYTES);
  const core = await (require(`${CORE}.js`) as CoreFactory)({
    ...bounded,
    print: discardConsoleOutput,
    printErr: discardConsoleOutput,
  });
  const file = `/${model.name}.traineddata`;
  core.FS.writeFile(file, data);
  const api = new core.TessBaseAPI();
  if (api.Init('/', model.name, LSTM_ONLY) !== 0) throw unusableModel(model.name, 'Tesseract refused the file.');
  core.FS.unlink(file);
  return { core, api, bounded };
}

/** Discards tesseract's console output; results carry all that matters. */
function discardConsoleOutput(): void {}

function toPgm({ width, height, samples }: GreyImage): Uint8Array {
  const header = Buffer.from(`P5\n${width} ${height}\n255\n`, 'latin1');
  const pgm = new Uint8Array(header.length + width * height);
  pgm.set(header);
  pgm.set(samples.subarray(0, width * height), header.length);
  return pgm;
}

/** TSV columns: level, page, block, paragraph, line, word, left, top, width, height, confidence, text. */
const COLUMNS = 12;

const WORD_LEVEL = '5';

/** Converts tesseract's word table to lines. Words without text (misread drawings) are left out. */
function parseTsv(tsv: string): RecognizedLine[] {
  const lines: RecognizedLine[] = [];
  let openKey = '';
  for (const row of tsv.split('\n')) {
    const fields = row.split('\t');
    if (fields.length < COLUMNS || fields[0] !== WORD_LEVEL) continue;
    const [, , block, paragraph, line, , left, top, width, height, confidence] = fields.map(Number) as number[];
    const text = fields
      .slice(COLUMNS - 1)
      .join(' ')
      .normalize('NFC')
      .trim();
    if (text === '') continue;
    const box = boxFromSize(left, top, width, height);
    const word: RecognizedWord = { text, confidence: confidence ?? 0, box };
    const key = `${block}|${paragraph}|${line}`;
    const open = lines.at(-1);
    if (open !== undefined && key === openKey) open.words.push(word);
    else lines.push({ ...word, block: block ?? 0, paragraph: paragraph ?? 0, words: [word] });
    openKey = key;
  }
  for (const line of lines) finishLine(line);
  return lines;
}

function readingOf(lines: RecognizedLine[], language: string): Reading {
  for (const line of lines) if (isUnlikely(line, language)) line.unlikely = true;
  const words = lines.flatMap((line) => line.words);
  return { text: joinRecognizedLines(lines), confidence: words.length === 0 ? null : meanWordConfidence(words), lines };
}

function boxFromSize(left = 0, top = 0, width = 0, height = 0): RecognizedWord['box'] {
  return [left, top, left + width, top + height];
}

/** Takes text, confidence and box of a line from its words. */
export function finishLine(line: RecognizedLine): void {
  line.text = line.words.map((word) => word.text).join(' ');
  line.confidence = meanWordConfidence(line.words);
  line.box = boxAroundWords(line.words);
}

/** The smallest box around words. */
export function boxAroundWords(words: readonly Pick<RecognizedWord, 'box'>[]): RecognizedWord['box'] {
  const around: RecognizedWord['box'] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 0, 0];
  for (const { box } of words) {
    around[0] = Math.min(around[0], box[0]);
    around[1] = Math.min(around[1], box[1]);
    around[2] = Math.max(around[2], box[2]);
    around[3] = Math.max(around[3], box[3]);
  }
  return around;
}

function meanWordConfidence(words: readonly RecognizedWord[]): number {
  const sum = words.reduce((total, { confidence }) => total + confidence, 0);
  return Math.round((sum / words.length) * 10) / 10;
}

function joinRecognizedLines(lines: readonly RecognizedLine[]): string {
  let text = '';
  let before: RecognizedLine | null = null;
  for (const line of lines) {
    if (before !== null) text += before.block === line.block && before.paragraph === line.paragraph ? '\n' : '\n\n';
    text += line.text;
    before = line;
  }
  return text;
}

/** Five times the largest trained data published (Tamil and Chinese, best quality). */
const TRAINED_DATA_MAX_BYTES = 100 * MIB;

/** The trained data to load. Errors: `model_not_installed`. */
async function readTrainedData({ name, path }: RecognitionModel): Promise<Uint8Array> {
  try {
    const { size } = await stat(path);
    if (size > TRAINED_DATA_MAX_BYTES) throw new RangeError(`${size} bytes are no trained data.`);
    const bytes = await readFile(path);
    return path.endsWith('.gz') ? gunzipSync(bytes, { maxOutputLength: TRAINED_DATA_MAX_BYTES }) : bytes;
  } catch (cause) {
    throw unusableModel(name, cause);
  }
}

function unusableModel(name: string, cause: unknown): QuarryError {
  const message = say`The recognition data of the language ${name} cannot be read. Install it again on the Models
    page.`;
  return new QuarryError('model_not_installed', message, { cause });
}

// Pages scanned sideways or upside down. Tesseract's orientation detection needs 10 MB more of trained data. It finds
// and reads vertical lines without it; only upside-down text becomes nonsense, with low confidence.

/** Tesseract's result for a picture. */
export type Reading = Pick<RecognizedText, 'text' | 'confidence' | 'lines' | 'tables'>;

/**
 * Mean word confidence from which a page counts as upright: clean pages reach 94 to 97, the same pages upside down 23
 * to 51.
 */
const SURE_CONFIDENCE = 65;

/** Whether the picture may be upside down. A picture without any word is not: turning it does not help. */
export function isDoubtful({ confidence }: Reading): boolean {
  return confidence !== null && confidence < SURE_CONFIDENCE;
}

/** Amount and confidence of a reading; the upright one has the highest value. */
export function readingScore({ lines }: Reading): number {
  let worth = 0;
  for (const { words } of lines) for (const { text, confidence } of words) worth += text.length * confidence ** 2;
  return worth;
}

/** The picture rotated by 180 degrees. */
export function upsideDown(image: GreyImage): GreyImage {
  return { ...image, samples: image.samples.slice().reverse() };
}

/**
 * Converts sizes and boxes to the upright page. If lines run down the picture (as rotated by `turn`), the top of the
 * page is on the right.
 */
export function uprightReading(
  reading: Reading,
  { width, height }: GreyImage,
  turn: 0 | 180,
): Reading & Pick<RecognizedText, 'width' | 'height' | 'turned'> {
  if (!runsDown(reading)) return { width, height, turned: turn, ...reading };
  const lines = reading.lines.map((line) => withTurnedBoxes(line, (box) => turnUpright(box, width)));
  return { width: height, height: width, turned: turn === 0 ? 270 : 90, ...reading, lines };
}

/** The place on the upright page of a box on a picture of that width whose lines run down. */
function turnUpright([left, top, right, bottom]: RecognizedWord['box'], width: number): RecognizedWord['box'] {
  return [top, width - right, bottom, width - left];
}

/** The way back of `turnUpright`. */
function turnDown([left, top, right, bottom]: RecognizedWord['box'], width: number): RecognizedWord['box'] {
  return [width - bottom, left, width - top, right];
}

function withTurnedBoxes(
  line: RecognizedLine,
  turn: (box: RecognizedWord['box']) => RecognizedWord['box'],
): RecognizedLine {
  return { ...line, box: turn(line.box), words: line.words.map((word) => ({ ...word, box: turn(word.box) })) };
}

/** Joins rows of texts and values, on a picture whose lines run down, too. */
function joinUprightRows(lines: readonly RecognizedLine[], { width }: GreyImage): RecognizedLine[] {
  if (!runsDown({ lines })) return joinRows(lines);
  const upright = lines.map((line) => withTurnedBoxes(line, (box) => turnUpright(box, width)));
  return joinRows(upright).map((line) => withTurnedBoxes(line, (box) => turnDown(box, width)));
}

/** Lines of several words are wider than high, even with few letters. */
function runsDown({ lines }: { lines: readonly RecognizedLine[] }): boolean {
  let down = 0;
  let across = 0;
  for (const { box, words } of lines) {
    if (words.length < 2) continue;
    const [left, top, right, bottom] = box;
    if (bottom - top > right - left) down += 1;
    else across += 1;
  }
  return down > across;
}
