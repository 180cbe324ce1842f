import type { RecognitionFacts } from '../../src-server/features/documents/schema.ts';
import { QuarryError } from '../../src-server/platform/errors.ts';
import { say } from '../../src-server/platform/text/say.ts';
import { recognizeText } from './ocr/recognize-text.ts';
import { type FileOptions, picturesOf } from './parts.ts';
import type { RecognizedPage, RecognizeTextInput } from './tasks.ts';

/**
 * Recognises one page or picture. Null once the job has recognised as many as it may. Errors: those of recognizeText,
 * and `model_not_installed` if the language of the request has no trained data.
 */
export async function recognizePage(
  number: number,
  source: RecognizeTextInput['source'],
  options: FileOptions,
): Promise<RecognizedPage | null> {
  const { model } = picturesOf(options);
  if (model === null) {
    const message = say`Text in pictures needs trained data for the language ${options.language ?? 'und'}, which is
      not installed.`;
    throw new QuarryError('model_not_installed', message);
  }
  if (!options.budget.takeRecognizedPage()) return null;
  const { signal, startChild } = options.task;
  const reportPageRecognition = () => options.progress(0, say`Recognising page ${number}`);
  return {
    number,
    ...(await recognizeText(
      { source, model, layout: 'page' },
      { signal, startChild, progress: reportPageRecognition },
    )),
  };
}

export function recognitionFacts(pages: readonly RecognizedPage[], options: FileOptions): RecognitionFacts {
  let words = 0;
  let sum = 0;
  for (const { lines, confidence } of pages) {
    const count = lines.reduce((total, line) => total + line.words.length, 0);
    words += count;
    sum += count * (confidence ?? 0);
  }
  return {
    pages: pages.map(({ number }) => number),
    meanConfidence: words === 0 ? null : Math.round((sum / words) * 10) / 10,
    language: picturesOf(options).model?.name ?? '',
  };
}

/** Named in warnings. */
export const RECOGNITION_LIMIT = say`A job recognises at most 100 pages and pictures.`;
