import type { ReadJsonBodyInput, ReadJsonBodyOutput } from '../src-server/platform/http/json-body.ts';
import type { AudioTaskMap } from './audio/tasks.ts';
import type {
  AssemblePdfInput,
  DrawnPage,
  DrawPageInput,
  ExtractDocumentInput,
  ExtractDocumentOutput,
  ParsePdfInput,
  ParsePdfOutput,
  RechunkDocumentInput,
  RechunkDocumentOutput,
  RecognizedText,
  RecognizeTextInput,
} from './documents/tasks.ts';
import type { CallbackTaskMap } from './json/canonical-result.ts';
import type { MediaTaskMap } from './media/tasks.ts';
import type { CrawlTaskMap } from './pages/tasks.ts';

/**
 * What the pool can be asked: task name → input and output, plain data that crosses a thread by structured clone. Large
 * content travels as file paths.
 */
export interface TaskMap extends AudioTaskMap, CallbackTaskMap, CrawlTaskMap, MediaTaskMap {
  'read-json-body': { input: ReadJsonBodyInput; output: ReadJsonBodyOutput };
  'extract-document': { input: ExtractDocumentInput; output: ExtractDocumentOutput };
  'rechunk-document': { input: RechunkDocumentInput; output: RechunkDocumentOutput };
  'parse-pdf': { input: ParsePdfInput; output: ParsePdfOutput };
  'recognize-text': { input: RecognizeTextInput; output: RecognizedText };
  'draw-page': { input: DrawPageInput; output: DrawnPage };
  'assemble-pdf': { input: AssemblePdfInput; output: ExtractDocumentOutput };
}

export type TaskName = keyof TaskMap;
