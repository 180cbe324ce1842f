import { QuarryError } from '../../src-server/contract/index.ts';
import { rasterizeImage, rasterizePage } from '../documents/ocr/raster.ts';
import { recognize } from '../documents/ocr/recognizer.ts';
import type { RecognizedText, RecognizeTextInput, TaskContext } from '../tasks.ts';

const STAGE = 'recognizing';
/** Drawing takes little of the time; the rest is one call that says nothing meanwhile. */
const DRAWN_PERCENT = 5;

/**
 * Reads the text of one picture. Errors: `corrupt_input`, `encrypted_input`, `source_too_large`, `out_of_memory`,
 * `model_not_installed`, `engine_failed`, `cancelled`.
 */
export async function recognizeText(input: RecognizeTextInput, context: TaskContext): Promise<RecognizedText> {
  const { source, model, layout } = input;
  const raster =
    source.kind === 'pdf-page' ? await rasterizePage(source.path, source.page) : await rasterizeImage(source.path);
  context.progress(DRAWN_PERCENT, STAGE, 'Reading the picture');
  context.signal.throwIfAborted();
  const { width, height } = raster.image;
  const recognized = await recognize(raster.image, model, layout);
  if (raster.damaged && recognized.lines.length === 0) {
    throw new QuarryError('corrupt_input', 'The picture is damaged and no text was found in it. Send an intact copy.');
  }
  return { width, height, scale: raster.scale, ...recognized };
}
