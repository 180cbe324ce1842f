/** OpenAI's transcription endpoint, on extract/video. */

import { deflateSync } from 'node:zlib';
import type { Context } from 'hono';
import { z } from 'zod';
import { readRequestBody } from '../../platform/http/body.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { sendFile } from '../../platform/http/file-response.ts';
import { ignoreField } from '../../platform/http/ignored-fields.ts';
import { inTermsOf, parseWithSchema } from '../../platform/http/validate.ts';
import { tell } from '../../platform/text/say.ts';
import { MIB } from '../../platform/units.ts';
import type { JobService } from '../jobs/service.ts';
import { acceptCall } from '../jobs/service.ts';
import type { TranscriptResult } from '../media/schema.ts';
import { checkOthers, refuseField } from './errors.ts';

const TranscriptionFields = z.looseObject({
  model: z.string().min(1),
  language: z.string().optional(),
  prompt: z.string().optional(),
  /** Speech is recognised without chance. */
  temperature: z.coerce.number().min(0).max(1).optional(),
  /** Pauses part the recording. */
  chunking_strategy: z.unknown().optional(),
  response_format: z.enum(['json', 'text', 'srt', 'vtt', 'verbose_json']).default('json'),
});

/**
 * Timestamp units. `segment` is always present, `word` when the model times words. Form fields use brackets for lists.
 */
const GRANULARITIES = ['timestamp_granularities', 'timestamp_granularities[]'] as const;

const Granularities = z.preprocess(
  (given) => (typeof given === 'string' ? [given] : given),
  z.array(z.enum(['segment', 'word'])).optional(),
);

/** OpenAI's default model names. Here they select the best installed model. */
const DEFAULT_NAMES = new Set(['whisper-1', 'auto']);

const KNOWN = { ...TranscriptionFields.shape, file: true, [GRANULARITIES[0]]: true, [GRANULARITIES[1]]: true };

const TERM_CHARS_MAX = 60;

/** The most that extract/video takes. */
const TERMS_MAX = 100;

/** @param translate the language to write, whatever is spoken */
export async function answerTranscription(
  service: JobService,
  context: Context<HttpEnv>,
  translate?: 'en',
): Promise<Response> {
  const { videoLimitMb, jsonLimitMb } = service.settings();
  const rules = { allowsFile: true, maxFileBytes: videoLimitMb * MIB, maxJsonBytes: jsonLimitMb * MIB };
  const { value, upload } = await readRequestBody(context.env.incoming, rules, service.body);
  try {
    const sent = setFieldsOf(value);
    const fields = parseWithSchema(TranscriptionFields, sent);
    const timing = timingOf(sent);
    checkOthers(context, sent, KNOWN);
    for (const field of ['temperature', 'chunking_strategy'] as const) {
      if (fields[field] !== undefined && !NEUTRAL.has(fields[field])) ignoreField(context, field);
    }
    if (upload === null) throw refuseField('file', tell`Send the sound as the multipart field file.`);
    const terms = vocabularyTerms(context, fields.prompt ?? '');
    const options = {
      transcriptionModel: DEFAULT_NAMES.has(fields.model) ? undefined : fields.model,
      language: fields.language,
      vocabulary: terms.length === 0 ? undefined : terms,
      translate,
    };
    const call = acceptCall(service, {
      operationId: 'extract/video',
      principal: context.get('principal'),
      value: { file: value.file, options },
      upload,
      signal: context.req.raw.signal,
    });
    const accepted = await inTermsOf(OPTION_NAMES, call);
    const result = await accepted.result<Transcript>();
    context.header('X-Quarry-Job-Id', accepted.jobId);
    const format = fields.response_format;
    if (format === 'srt' || format === 'vtt') {
      const name = `transcript.${format}`;
      return sendFile(context, service.filePathOf(accepted.jobId, name), name);
    }
    const text = result.segments.map((segment) => segment.text.trim()).join(' ');
    if (format === 'text') return context.text(`${text}\n`);
    // Whether a model takes the terms of a prompt is known only after the transcription.
    const warnings = terms.length === 0 || result.warnings.length === 0 ? {} : { warnings: result.warnings };
    if (format === 'json') return context.json({ text, ...warnings });
    const words = timing.units.includes('word') ? openAiTimedWords(result, timing.field) : {};
    return context.json({ ...verboseTranscript(result), ...words, text, ...warnings });
  } finally {
    // An accepted upload has moved to its job. Anything left is unused.
    if (upload !== null) await service.body.uploads.discard(upload);
  }
}

const OPTION_NAMES = {
  'options.transcriptionModel': 'model',
  'options.translate': 'model',
  'options.language': 'language',
  'options.vocabulary': 'prompt',
};

const NEUTRAL: ReadonlySet<unknown> = new Set([0, 'auto']);

/** Names and terms to expect. Sentences are a hint of style, which no model here follows. */
function vocabularyTerms(context: Context<HttpEnv>, prompt: string): string[] {
  const parts = prompt.split(/[,;\n]/).map((term) => term.trim().replace(/\.$/, ''));
  const terms = parts.filter((term) => term.length <= TERM_CHARS_MAX);
  if (terms.length < parts.length) ignoreField(context, 'prompt');
  return [...new Set(terms)].filter((term) => term !== '').slice(0, TERMS_MAX);
}

/** The fields that are set: missing, false and null values are dropped, as in a form. */
function setFieldsOf(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, content]) => !isNothing(content)));
}

function isNothing(content: unknown): boolean {
  if (typeof content === 'string') return content === '' || content.toLowerCase() === 'false';
  return content === null || content === false || (Array.isArray(content) && content.length === 0);
}

/** The requested timestamp units, and the field that named them. */
function timingOf(sent: Record<string, unknown>): { field: string; units: readonly string[] } {
  const field: string = GRANULARITIES.find((name) => Object.hasOwn(sent, name)) ?? GRANULARITIES[0];
  const { [field]: units } = parseWithSchema(z.looseObject({ [field]: Granularities }), sent);
  return { field, units: units ?? [] };
}

type Transcript = z.infer<typeof TranscriptResult>;

function verboseTranscript({ segments, media, transcript }: Transcript) {
  return {
    task: transcript.translatedTo === null ? 'transcribe' : 'translate',
    language: transcript.translatedTo ?? transcript.language,
    duration: media.durationSeconds,
    segments: segments.map(verboseSegment),
  };
}

const SEEKS_PER_SECOND = 100;

/**
 * A segment with every field of OpenAI's, which strict clients ask for. `tokens` are those of OpenAI's own model, so
 * there are none; `avg_logprob` is 0 where the model states no confidence; a segment that was written had speech.
 */
function verboseSegment({ start, end, text, confidence }: Transcript['segments'][number], id: number) {
  return {
    id,
    seek: Math.round(start * SEEKS_PER_SECOND),
    start,
    end,
    text,
    tokens: [],
    temperature: 0,
    avg_logprob: confidence === undefined ? 0 : Math.log(Math.max(CONFIDENCE_LEAST, confidence)),
    compression_ratio: Buffer.byteLength(text) / deflateSync(text, SMALL).length,
    no_speech_prob: 0,
  };
}

/** Texts of a sentence need no large window. */
const SMALL = { memLevel: 1, windowBits: 9 };

/** The logarithm of 0 is no number in JSON. */
const CONFIDENCE_LEAST = 1e-6;

/** The words with their times. Whether the model times words is known only after the transcription. */
function openAiTimedWords({ segments, transcript }: Transcript, field: string) {
  if (segments.length > 0 && (!transcript.wordTimes || transcript.wordTimesEstimated)) {
    const message = tell`The model ${transcript.model ?? ''} times no words.
      Ask for segment, or name a whisper.cpp model.`;
    throw refuseField(field, message);
  }
  const words = segments.flatMap((segment) => segment.words ?? []);
  return { words: words.map(({ text, start, end }) => ({ word: text, start, end })) };
}
