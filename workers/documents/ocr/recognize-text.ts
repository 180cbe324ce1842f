import { readFile, stat } from 'node:fs/promises';
import type { PDFDocument, PDFPage, Pixmap } from 'mupdf';
import type { RecognizedText, RecognizedWord } from '../../../src-server/features/documents/schema.ts';
import { QuarryError } from '../../../src-server/platform/errors.ts';
import type { TaskContext } from '../../../src-server/platform/pool/worker-pool.ts';
import { say } from '../../../src-server/platform/text/say.ts';
import { MIB } from '../../../src-server/platform/units.ts';
import { choosePaper, onPaper } from '../images/paper.ts';
import { metDamage, mupdf, RASTER_PIXELS_MAX, tookTooMuchMemory, withPdf } from '../pdf/open-pdf.ts';
import type { Box } from '../pdf/page-content.ts';
import { readPageText } from '../pdf/page-text.ts';
import { areasToRecognize } from '../pdf/recognition.ts';
import type { RecognizeTextInput } from '../tasks.ts';
import { CONFIDENCE_MIN } from './confidence.ts';
import { deskewImage, estimateSkew, type MapBox } from './deskew.ts';
import { flattenPage, type PageView, unchangedBox } from './flatten-page.ts';
import type { GreyImage } from './grey-image.ts';
import { connectedInkPieces, findInk, lettersAmong, reduceImage } from './ink.ts';
import { countReadInk, unreadShareOf } from './judge.ts';
import {
  findPictureRules,
  mayBeGrid,
  type PictureRules,
  paintOverRules,
  tablesOfLines,
  turnRules,
} from './scanned-tables.ts';
import {
  boxAroundWords,
  isDoubtful,
  type Reading,
  readingScore,
  recognizeWithTesseract,
  uprightReading,
  upsideDown,
} from './tesseract.ts';

const STAGE = 'recognizing';

/** Share of drawing in the work; the rest is one call without progress. */
const DRAWN_PERCENT = 5;

/**
 * Recognises the text of one picture. Errors: `corrupt_input`, `encrypted_input`, `source_too_large`, `out_of_memory`,
 * `model_not_installed`, `engine_failed`, `cancelled`.
 */
export async function recognizeText(input: RecognizeTextInput, context: TaskContext): Promise<RecognizedText> {
  const { source } = input;
  const raster =
    source.kind === 'pdf-page'
      ? await rasterizePage(source.path, source.page, source.password)
      : await rasterizeImage(source.path);
  context.progress(DRAWN_PERCENT, STAGE, say`Reading the picture`);
  context.signal.throwIfAborted();
  const recognized = await recognizeUpright(raster.image, input, context);
  if (raster.damaged && recognized.lines.length === 0) {
    throw new QuarryError(
      'corrupt_input',
      say`The picture is damaged and no text was found in it. Send an intact copy.`,
    );
  }
  return { scale: raster.scale, language: input.model.name, ...recognized };
}

type Recognized = Omit<RecognizedText, 'scale' | 'language'>;

/** The text of a picture. A photographed page is read as a scan would show it. Frames of a video are read as filmed. */
async function recognizeUpright(
  image: GreyImage,
  input: RecognizeTextInput,
  context: TaskContext,
): Promise<Recognized> {
  if (input.layout === 'frame') {
    const reading = await recognizeWithTesseract(image, input.model, input.layout);
    return { width: image.width, height: image.height, turned: 0, skew: 0, unreadShare: 0, ...reading };
  }
  const reduced = reduceImage(image);
  const flattened = flattenPage(image, reduced);
  const plain = { image, reduced, mapBox: unchangedBox, skew: 0 };
  const first = await recognizeView(flattened ?? plain, image, input, context);
  if (isMostlyDark(reduced)) return await orNegative(first, image, input, context);
  if (flattened === null || (!isDoubtful(first) && first.lines.length > 0 && first.unreadShare === 0)) return first;
  context.signal.throwIfAborted();
  const second = await recognizeView(plain, image, input, context);
  return readingScore(second) > readingScore(first) ? second : first;
}

/** Levels below it are dark, and share of them in a picture with light letters. */
const DARK = 96;

const DARK_SHARE_MIN = 0.6;

function isMostlyDark({ samples }: Pick<GreyImage, 'samples'>): boolean {
  let dark = 0;
  for (const level of samples) if (level < DARK) dark += 1;
  return dark >= DARK_SHARE_MIN * samples.length;
}

/** The better of a reading and that of the negative. Tesseract turns single lines, and often not small letters. */
async function orNegative(
  first: Recognized,
  image: GreyImage,
  input: RecognizeTextInput,
  context: TaskContext,
): Promise<Recognized> {
  context.signal.throwIfAborted();
  const negative = { ...image, samples: image.samples.map((level) => WHITE - level) };
  const view = { image: negative, reduced: reduceImage(negative), mapBox: unchangedBox, skew: 0 };
  const second = await recognizeView(view, negative, input, context);
  return readingScore(second) > readingScore(first) ? second : first;
}

/** A view without its skew, and what of it looks like letters. Boxes are those of the picture. */
async function recognizeView(
  view: PageView,
  picture: GreyImage,
  input: RecognizeTextInput,
  context: TaskContext,
): Promise<Recognized> {
  const ink = findInk(view.reduced);
  const pieces = connectedInkPieces(ink);
  const letters = lettersAmong(pieces);
  const skew = estimateSkew(ink, letters);
  const level = skew === 0 ? { image: view.image, mapBox: unchangedBox } : deskewImage(view.image, skew);
  const rules = pieces.some(mayBeGrid) ? findPictureRules(level.image) : null;
  const clear = rules === null ? level.image : paintOverRules(level.image, rules);
  const { reading: whole, turn } = await recognizeEitherWay(clear, input, context);
  const reading = rules === null ? whole : withTables(whole, turn === 0 ? rules : turnRules(rules, level.image));
  const shown = skew === 0 ? reading : withBoxes(reading, level.mapBox);
  const places = wordPlaces(shown, view.image, turn, ink.reduced);
  const unreadShare = unreadShareOf(countReadInk(letters, places));
  return {
    ...showOnPicture(shown, view, picture, turn),
    skew: Math.round((view.skew + skew) * 100) / 100,
    unreadShare,
  };
}

/** Retries a low-confidence page upside down. */
async function recognizeEitherWay(
  image: GreyImage,
  { model, layout }: RecognizeTextInput,
  { progress, signal }: TaskContext,
): Promise<{ reading: Reading; turn: 0 | 180 }> {
  const reading = await recognizeWithTesseract(image, model, layout);
  if (!isDoubtful(reading)) return { reading, turn: 0 };
  progress(DRAWN_PERCENT, STAGE, say`Reading the picture upside down`);
  signal.throwIfAborted();
  const other = await recognizeWithTesseract(upsideDown(image), model, layout);
  return readingScore(other) > readingScore(reading) ? { reading: other, turn: 180 } : { reading, turn: 0 };
}

function withBoxes(reading: Reading, mapBox: MapBox): Reading {
  const lines = reading.lines.map((line) => {
    const words = line.words.map((word) => ({ ...word, box: mapBox(word.box) }));
    return { ...line, words, box: boxAroundWords(words) };
  });
  return { ...reading, lines };
}

function withTables(reading: Reading, rules: PictureRules): Reading {
  return { ...reading, ...tablesOfLines(reading.lines, rules) };
}

/** The reading with its boxes on the picture that the view was made of. */
function showOnPicture(reading: Reading, { image, mapBox }: PageView, picture: GreyImage, turn: 0 | 180) {
  if (mapBox === unchangedBox) return uprightReading(reading, picture, turn);
  const mapped = withBoxes(reading, (box) => turnBox(mapBox(turnBox(box, image, turn)), picture, turn));
  return uprightReading(mapped, picture, turn);
}

/** A box of a picture on the same picture turned by 0 or 180 degrees. */
function turnBox(
  [left, top, right, bottom]: RecognizedWord['box'],
  { width, height }: GreyImage,
  turn: 0 | 180,
): RecognizedWord['box'] {
  return turn === 0 ? [left, top, right, bottom] : [width - right, height - bottom, width - left, height - top];
}

/** The boxes of words on the ink. Lines that are dropped later for their confidence count as not read. */
function wordPlaces({ lines }: Reading, image: GreyImage, turn: 0 | 180, reduced: number) {
  const words = lines.flatMap((line) => (line.confidence < CONFIDENCE_MIN ? [] : line.words));
  return words.map(({ box }) => turnBox(box, image, turn).map((place) => place / reduced) as RecognizedWord['box']);
}

// Pictures for recognition. Threat: an image of a few bytes can claim billions of pixels, and a page can be a mile
// wide. Sizes are read before decoding, and no raster exceeds RASTER_PIXELS_MAX.

/** At this resolution ten-point characters are 28 pixels high, tesseract's optimum; more is only slower. */
const PAGE_DPI = 200;

const POINTS_PER_INCH = 72;

/** A picture smaller than this on both sides is enlarged: ten-pixel letters are too small to read. */
const SMALL_SIDE_PIXELS = 1000;

const ENLARGE = 2;

const IMAGE_BYTES_MAX = 100 * MIB;

/** A compressed picture is decoded whole before scaling, so larger ones are refused. */
const DECODED_PIXELS_MAX = 100_000_000;

/** Assumed resolution of a picture that states none: a screen at double scale. */
const IMAGE_DPI = 144;

const WHITE = 255;

export interface Raster {
  image: GreyImage;
  /** Raster pixels per point of a page or per pixel of an image. */
  scale: number;
  /** True if the picture was truncated or damaged and only part of it was decoded. */
  damaged: boolean;
}

/**
 * Draws the areas of a page of a PDF (from 1) that need recognition, upright, without text whose characters the file
 * states. Errors: those of withPdf, and `corrupt_input`.
 */
export function rasterizePage(path: string, number: number, password?: string): Promise<Raster> {
  const drawPage = (document: PDFDocument): Raster => {
    metDamage();
    const page = document.loadPage(number - 1) as PDFPage;
    try {
      const [left, top, right, bottom] = page.getBounds();
      const area = Math.max(1, (right - left) * (bottom - top));
      const scale = Math.min(PAGE_DPI / POINTS_PER_INCH, Math.sqrt(RASTER_PIXELS_MAX / area));
      const pixmap = page.toPixmap([scale, 0, 0, scale, 0, 0], mupdf.ColorSpace.DeviceGray, false, true);
      const text = readPageText(page);
      const image = keepOnlyAreas(takeSamples(pixmap, scale * POINTS_PER_INCH), areasToRecognize(page, text), scale);
      for (const box of text.known) blankImageBox(image, box, scale);
      return { image, scale, damaged: metDamage() };
    } catch (cause) {
      if (cause instanceof QuarryError) throw cause;
      throw new QuarryError('corrupt_input', say`Page ${number} of the PDF is damaged and cannot be drawn.`, { cause });
    } finally {
      page.destroy();
    }
  };
  return withPdf(path, drawPage, password);
}

/** Reads an image file (PNG, JPEG, TIFF, GIF, BMP, PNM, JPEG 2000). Errors: `corrupt_input`, `source_too_large`. */
export async function rasterizeImage(path: string): Promise<Raster> {
  const { size } = await stat(path);
  if (size > IMAGE_BYTES_MAX) throw imageTooLarge();
  const bytes = await readFile(path);
  if (bytes.length === 0) throw new QuarryError('corrupt_input', say`The image is empty. Send the image itself.`);
  tookTooMuchMemory();
  metDamage();
  try {
    return scaledGrey(bytes);
  } catch (cause) {
    if (cause instanceof QuarryError) throw cause;
    if (tookTooMuchMemory()) throw imageTooLarge(cause);
    throw new QuarryError('corrupt_input', say`The image is damaged or of an unknown format. Send a PNG or JPEG.`, {
      cause,
    });
  } finally {
    mupdf.emptyStore();
  }
}

function scaledGrey(bytes: Uint8Array): Raster {
  const image = new mupdf.Image(bytes);
  try {
    const width = image.getWidth();
    const height = image.getHeight();
    if (width * height > DECODED_PIXELS_MAX) throw imageTooLarge();
    const enlarge = Math.max(width, height) < SMALL_SIDE_PIXELS ? ENLARGE : 1;
    const scale = Math.min(enlarge, Math.sqrt(RASTER_PIXELS_MAX / (width * height)));
    const target: [number, number, number, number] = [0, 0, Math.ceil(width * scale), Math.ceil(height * scale)];
    const pixmap = new mupdf.Pixmap(mupdf.ColorSpace.DeviceGray, target, true);
    pixmap.clear();
    const device = new mupdf.DrawDevice([width * scale, 0, 0, height * scale, 0, 0], pixmap);
    try {
      device.fillImage(image, [1, 0, 0, 1, 0, 0], 1);
      device.close();
      return { image: takeClearSamples(pixmap, IMAGE_DPI * scale), scale, damaged: metDamage() };
    } finally {
      device.destroy();
    }
  } finally {
    image.destroy();
  }
}

/** The picture with the areas as they are and white between them. */
function keepOnlyAreas(image: GreyImage, areas: readonly Box[], scale: number): GreyImage {
  const samples = new Uint8Array(image.samples.length).fill(WHITE);
  for (const area of areas) {
    for (const [from, to] of pixelRowRanges(image, area, scale)) samples.set(image.samples.subarray(from, to), from);
  }
  return { ...image, samples };
}

function blankImageBox(image: GreyImage, box: Box, scale: number): void {
  for (const [from, to] of pixelRowRanges(image, box, scale)) image.samples.fill(WHITE, from, to);
}

/** The samples of each row of a box. */
function* pixelRowRanges({ width, height }: GreyImage, { left, top, right, bottom }: Box, scale: number) {
  const [from, to] = [Math.max(0, Math.floor(left * scale)), Math.min(width, Math.ceil(right * scale))];
  const end = Math.min(height, Math.ceil(bottom * scale));
  for (let row = Math.max(0, Math.floor(top * scale)); row < end && from < to; row += 1) {
    yield [row * width + from, row * width + to] as const;
  }
}

/** Puts a picture with opacity on paper. Its grey levels are multiplied by their opacity. */
function takeClearSamples(pixmap: Pixmap, dotsPerInch: number): GreyImage {
  try {
    const [width, height, pixels] = [pixmap.getWidth(), pixmap.getHeight(), pixmap.getPixels()];
    const opacityAt = (pixel: number) => pixels[pixel * 2 + 1] ?? WHITE;
    const greyAt = (pixel: number) => ((pixels[pixel * 2] ?? 0) * WHITE) / Math.max(1, opacityAt(pixel));
    const paper = choosePaper({ width, height, greyAt, opacityAt });
    const samples = new Uint8Array(width * height);
    for (let pixel = 0; pixel < samples.length; pixel += 1) {
      samples[pixel] = onPaper(greyAt(pixel), opacityAt(pixel), paper);
    }
    return { width, height, samples, dotsPerInch };
  } finally {
    pixmap.destroy();
  }
}

/** Copies the samples out of the engine's memory and frees it there. */
function takeSamples(pixmap: Pixmap, dotsPerInch: number): GreyImage {
  try {
    const width = pixmap.getWidth();
    const height = pixmap.getHeight();
    return { width, height, samples: pixmap.getPixels().slice(0, width * height), dotsPerInch };
  } finally {
    pixmap.destroy();
  }
}

function imageTooLarge(cause?: unknown): QuarryError {
  return new QuarryError('source_too_large', say`The image has too many pixels. Send a smaller one.`, { cause });
}
