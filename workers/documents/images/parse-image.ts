/**
 * Pictures as documents: each frame is a page, recognised as a scanned page of a PDF is. Threat: a picture of a few
 * bytes that claims billions of pixels; sizes are read before decoding.
 */

import { QuarryError } from '../../../src-server/platform/errors.ts';
import { type Said, say } from '../../../src-server/platform/text/say.ts';
import type { FileOptions, FileParser } from '../parts.ts';
import { withTemporaryFile } from '../parts.ts';
import { assembleDocument, withRecognizedText } from '../pdf/assemble-pdf.ts';
import { RECOGNITION_LIMIT, recognitionFacts, recognizePage } from '../recognize-page.ts';
import type { RecognizedPage } from '../tasks.ts';
import { heifFrames } from './heif.ts';
import type { Frame } from './pixels.ts';
import { tiffFrames } from './tiff.ts';
import { webpFrames } from './webp.ts';

const SCALED = say`The image was scaled down before recognition. Small letters may be lost.`;

/** Text recognised in each frame. Errors: `corrupt_input`, `source_too_large`, and those of recognizePage. */
export const parseImage: FileParser = async (bytes, options) => {
  const frames = await readImageFrames(bytes);
  const pages: RecognizedPage[] = [];
  const warnings: Said[] = [];
  for (const [index, frame] of frames.entries()) {
    options.signal.throwIfAborted();
    const number = index + 1;
    options.progress((index / frames.length) * 100, say`Recognising frame ${number} of ${frames.length}`);
    const page = await recognizeFrame(number, frame, frames.length > 1 ? warnings : null, options);
    if (page === null) {
      if (pages.length === 0) throw new QuarryError('source_too_large', RECOGNITION_LIMIT);
      warnings.push(say`Frames from ${number} on were not recognised. ${RECOGNITION_LIMIT}`);
      break;
    }
    if (page === 'damaged') continue;
    if (page.scale < 1 && !warnings.includes(SCALED)) warnings.push(SCALED);
    pages.push(page);
  }
  if (pages.length === 0) throw unreadableImage(warnings[0]);
  const drawn = pages.map((page) => withRecognizedText(emptyPage(page), page));
  const facts = { pageCount: frames.length, title: null, author: null, language: null, repaired: false, outline: [] };
  return {
    ...assembleDocument(drawn, { facts, includeComments: false, warnings, ledger: options.ledger }),
    format: 'image',
    ocr: recognitionFacts(pages, options),
  };
};

/** The reason is appended to `warnings`; a picture with one frame throws it. */
async function recognizeFrame(
  number: number,
  frame: Frame,
  warnings: Said[] | null,
  options: FileOptions,
): Promise<RecognizedPage | 'damaged' | null> {
  try {
    return await withTemporaryFile(options, await frame(), (path) =>
      recognizePage(number, { kind: 'image', path }, options),
    );
  } catch (error) {
    const isOfFrame = error instanceof QuarryError && /^(?:corrupt_input|source_too_large)$/.test(error.code);
    if (warnings === null || !isOfFrame) throw error;
    warnings.push(say`Frame ${number}: ${error.message}`);
    return 'damaged';
  }
}

function unreadableImage(reason = 'The image has no frame.'): QuarryError {
  return new QuarryError('corrupt_input', say`No frame of the image could be read. ${reason}`);
}

function emptyPage({ number, width, height, scale }: RecognizedPage) {
  return { number, width: width / scale, height: height / scale, parts: [], comments: [] };
}

async function readImageFrames(bytes: Buffer): Promise<Frame[]> {
  const start = bytes.toString('latin1', 0, 12);
  if (start.startsWith('RIFF')) return webpFrames(bytes);
  if (start.startsWith('ftyp', 4)) return heifFrames(bytes);
  if (start.startsWith('II*\0') || start.startsWith('MM\0*')) return tiffFrames(bytes);
  return [async () => bytes];
}
