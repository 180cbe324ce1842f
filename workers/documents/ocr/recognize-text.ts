import { QuarryError } from '../../../src-server/platform/errors.ts';
import type { RecognizedText, RecognizeTextInput, TaskContext } from '../../tasks.ts';
import { held, isDoubtful, upsideDown, worthOf } from './orientation.ts';
import { rasterizeImage, rasterizePage } from './raster.ts';
import { type GreyImage, recognize } from './tesseract.ts';

const STAGE = 'recognizing';
/** Drawing takes little of the time; the rest is one call that says nothing meanwhile. */
const DRAWN_PERCENT = 5;

/**
 * Reads the text of one picture. Errors: `corrupt_input`, `encrypted_input`, `source_too_large`, `out_of_memory`,
 * `model_not_installed`, `engine_failed`, `cancelled`.
 */
export async function recognizeText(input: RecognizeTextInput, context: TaskContext): Promise<RecognizedText> {
  const { source } = input;
  const raster =
    source.kind === 'pdf-page' ? await rasterizePage(source.path, source.page) : await rasterizeImage(source.path);
  context.progress(DRAWN_PERCENT, STAGE, 'Reading the picture');
  context.signal.throwIfAborted();
  const recognized = await recognizeUpright(raster.image, input, context);
  if (raster.damaged && recognized.lines.length === 0) {
    throw new QuarryError('corrupt_input', 'The picture is damaged and no text was found in it. Send an intact copy.');
  }
  return { scale: raster.scale, ...recognized };
}

/** A page of which tesseract is unsure is tried upside down, too; the frames of a video lie as they were filmed. */
async function recognizeUpright(
  image: GreyImage,
  { model, layout }: RecognizeTextInput,
  { progress, signal }: TaskContext,
): Promise<Omit<RecognizedText, 'scale'>> {
  const reading = await recognize(image, model, layout);
  if (layout === 'frame') return { width: image.width, height: image.height, turned: 0, ...reading };
  if (!isDoubtful(reading)) return held(reading, image, 0);
  progress(DRAWN_PERCENT, STAGE, 'Reading the picture upside down');
  signal.throwIfAborted();
  const other = await recognize(upsideDown(image), model, layout);
  return worthOf(other) > worthOf(reading) ? held(other, image, 180) : held(reading, image, 0);
}
