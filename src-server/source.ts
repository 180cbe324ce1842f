import { z } from 'zod';

/** What a source is, judged by its bytes, never by its name or declared type (decisions 7). */
export const FILE_KINDS = [
  'docx',
  'doc',
  'odt',
  'rtf',
  'pdf',
  'html',
  'text',
  'markdown',
  'image',
  'audio',
  'video',
  'archive',
  'ole',
  'old-word',
  'empty',
  'unknown',
] as const;
export type FileKind = (typeof FILE_KINDS)[number];

/**
 * A file received with a request, already on disk. It stands in the stored request's `file` as `upload:<sha256>`, so
 * that a request can be fingerprinted and parsed again without its bytes.
 */
export interface Upload {
  /** Absolute path; never shown. */
  path: string;
  /** The client's own name for it, for display and as a hint between formats whose bytes look alike (.md and .txt). */
  fileName: string | null;
  sizeBytes: number;
  sha256: string;
  kind: FileKind;
}

/** A source ready to be read by an engine: uploaded, or fetched from `sourceUrl`. */
export interface LocalSource {
  path: string;
  fileName: string | null;
  sizeBytes: number;
  kind: FileKind;
}

/** Signed addresses are long. */
const MAX_SOURCE_URL_CHARS = 8192;
const MAX_WEBHOOK_URL_CHARS = 2048;

/** Fields every extraction request shares. `options` differs per operation and has a default of its own. */
export function extractionRequest<Options extends z.ZodType>(options: Options) {
  return z.strictObject({
    sourceUrl: httpUrl(MAX_SOURCE_URL_CHARS)
      .optional()
      .describe('HTTPS or signed URL of the source. Required when file is absent.'),
    file: z
      .string()
      .optional()
      .describe('The content itself: a multipart field named file, or a data URI data:<mime>;base64,<data> in JSON.'),
    sourceName: z.string().min(1).max(300).optional().describe('A label stored with the result.'),
    options,
    webhookUrl: webhookUrl().optional(),
  });
}

export function webhookUrl() {
  return httpUrl(MAX_WEBHOOK_URL_CHARS).describe('HTTPS URL that is called when the job has finished.');
}

/** An address on the web. Who may name a plain http one is decided where it is known who asks. */
export function httpUrl(maxChars: number) {
  // Of a field that is missing, no text or too long the general sentences say more.
  const error: z.core.$ZodErrorMap = ({ code }) =>
    code === 'invalid_format' ? 'Give an absolute https URL.' : undefined;
  return z
    .url({ protocol: /^https?$/, error })
    .max(maxChars)
    .refine(namesHost, 'Give a URL with a host after its //.');
}

/**
 * `https:///files/a.pdf` is what is left where a client's host is empty. Parsers made for browsers take `files` for the
 * host; it names none (RFC 9110, section 4.2), and nobody pays for a look at that one.
 */
function namesHost(address: string): boolean {
  return !/^https?:\/\/[\\/]/i.test(address.replace(/[\t\n\r]/g, '').trim());
}

/** ISO 639-1 or 639-3 code, with an optional region or script: en, eng, pt-BR, zh-Hant. */
export function languageHint() {
  return z
    .string()
    .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,2}$/, 'Give an ISO language code such as en, eng or pt-BR.')
    .describe('ISO language hint.');
}

/** `transcriptionModel`, where words are heard. */
export function speechModelName() {
  return z
    .string()
    .min(1)
    .max(200)
    .meta({ examples: ['auto', 'whisper-large-v3'] })
    .describe('A speech model’s name, for example whisper-large-v3; auto or none is the best installed one.');
}

/** Target characters per chunk. The bounds keep a chunk useful and an answer finite. */
export function segmentLength(byDefault: number) {
  return z.int().min(50).max(20_000).default(byDefault).describe('Target characters per chunk.');
}
