/**
 * Tesseract, one instance for each thread, driven directly and kept loaded: loading costs as much as a short page. The
 * instance is made anew when its memory has grown large, so that one huge picture does not stay in memory for ever.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { QuarryError } from '../../../src-server/platform/errors.ts';
import { MIB } from '../../../src-server/platform/units.ts';
import type { RecognitionModel } from '../../tasks.ts';
import { type BoundedModule, boundedModule } from '../wasm-memory.ts';
import type { Reading } from './orientation.ts';
import { parseTsv } from './parse-tsv.ts';
import { readTrainedData, unusableModel } from './trained-data.ts';

/** The core without SIMD takes 4.5 times as long; every V8 since 2021 has SIMD, and its relaxed form gains nothing. */
const CORE = 'tesseract.js-core/tesseract-core-simd-lstm';
const MEMORY_MAX_BYTES = 1024 * MIB;
/** Memory beyond which an instance is dropped after its picture. */
const MEMORY_KEPT_BYTES = 384 * MIB;
/** Tesseract's page segmentation modes: fully automatic, and sparse text in no order. */
const SEGMENTATION = { page: '3', frame: '11' } as const;
const LSTM_ONLY = 1;
const INPUT = '/input';

/** The part of tesseract.js-core's interface that is used. */
interface TesseractCore {
  FS: { writeFile(path: string, data: Uint8Array): void; unlink(path: string): void };
  TessBaseAPI: new () => TesseractApi;
}
interface TesseractApi {
  Init(dataPath: string, language: string, engineMode: number): number;
  SetVariable(name: string, value: string): boolean;
  /** 1 means that the file could not be read as a picture. */
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

/** A picture in shades of grey, one byte a pixel, rows from the top. */
export interface GreyImage {
  width: number;
  height: number;
  samples: Uint8Array | Uint8ClampedArray;
  /** Resolution that tesseract judges sizes by. */
  dotsPerInch: number;
}

let loaded: Promise<Loaded> | null = null;
let loadedKey = '';

/** Errors: `model_not_installed`, `out_of_memory`, `engine_failed`. */
export async function recognize(image: GreyImage, model: RecognitionModel, layout: 'page' | 'frame'): Promise<Reading> {
  const engine = await load(model);
  engine.bounded.takeRefusal();
  try {
    engine.core.FS.writeFile(INPUT, toPgm(image));
    engine.api.SetVariable('tessedit_pageseg_mode', SEGMENTATION[layout]);
    engine.api.SetVariable('user_defined_dpi', String(Math.round(image.dotsPerInch)));
    if (engine.api.SetImageFile(1, 0) === 1) throw new TypeError('The raster was not taken.');
    engine.api.Recognize(null);
    const tsv = engine.api.GetTSVText(0);
    engine.api.Clear();
    engine.core.FS.unlink(INPUT);
    if (engine.bounded.memoryBytes() > MEMORY_KEPT_BYTES) forget();
    return parseTsv(tsv);
  } catch (cause) {
    // An instance that failed inside may hold anything: the next picture gets a new one.
    forget();
    if (engine.bounded.takeRefusal()) {
      const message = 'The picture needs more memory to be read than one job may have. Send it smaller.';
      throw new QuarryError('out_of_memory', message, { cause });
    }
    throw new QuarryError('engine_failed', 'Text recognition failed on a picture. Send the document again.', {
      cause,
      retryable: true,
    });
  }
}

async function load(model: RecognitionModel): Promise<Loaded> {
  const key = `${model.name}|${model.path}`;
  if (loaded === null || loadedKey !== key) {
    forget();
    loadedKey = key;
    loaded = start(model);
  }
  try {
    return await loaded;
  } catch (error) {
    loaded = null;
    throw error;
  }
}

function forget(): void {
  loaded = null;
}

async function start(model: RecognitionModel): Promise<Loaded> {
  const require = createRequire(import.meta.url);
  const data = await readTrainedData(model);
  const bounded = boundedModule(await readFile(require.resolve(`${CORE}.wasm`)), MEMORY_MAX_BYTES);
  const core = await (require(`${CORE}.js`) as CoreFactory)({ ...bounded, print: silent, printErr: silent });
  const file = `/${model.name}.traineddata`;
  core.FS.writeFile(file, data);
  const api = new core.TessBaseAPI();
  if (api.Init('/', model.name, LSTM_ONLY) !== 0) throw unusableModel(model.name, 'Tesseract refused the file.');
  core.FS.unlink(file);
  return { core, api, bounded };
}

/** Tesseract remarks on pictures to the console; what matters comes back as a result. */
function silent(): void {}

function toPgm({ width, height, samples }: GreyImage): Uint8Array {
  const header = Buffer.from(`P5\n${width} ${height}\n255\n`, 'latin1');
  const pgm = new Uint8Array(header.length + width * height);
  pgm.set(header);
  pgm.set(samples.subarray(0, width * height), header.length);
  return pgm;
}
