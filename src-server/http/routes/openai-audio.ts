import type { Context } from 'hono';
import { z } from 'zod';
import type { AudioResult, TranscriptResult, VoiceSlug } from '../../contract/index.ts';
import { MIB } from '../../lib/units.ts';
import { readRequestBody } from '../body.ts';
import type { HttpEnv } from '../context.ts';
import { sendFile } from '../file-response.ts';
import { acceptCall } from '../run-operation.ts';
import type { Service } from '../service.ts';
import { parseWithSchema } from '../validate.ts';
import { refuseField } from './openai-errors.ts';

/** Speech and transcriptions as the operations generate/audio and extract/video. */

/** Names that OpenAI's clients send, by the voice here that comes nearest. */
const VOICE_NAMES: Readonly<Record<string, z.infer<typeof VoiceSlug>>> = {
  alloy: 'clara',
  ash: 'rowan',
  ballad: 'angus',
  cedar: 'rowan',
  coral: 'clara',
  echo: 'rowan',
  fable: 'angus',
  marin: 'clara',
  nova: 'clara',
  onyx: 'marcus',
  sage: 'luna',
  shimmer: 'luna',
  verse: 'rowan',
};
/** Speech is made whole here, so it may be as long as one request can ask for. */
const SPEECH_SECONDS = 300;

const SpeechRequest = z.looseObject({
  model: z.string().min(1),
  input: z.string().min(1),
  voice: z.string().min(1),
  response_format: z.enum(['mp3', 'wav'], 'Give mp3 or wav.').default('mp3'),
  speed: z.literal(1, 'Speech is made at speed 1 only; choose another voice for another pace.').optional(),
});

export async function speech(
  service: Service,
  context: Context<HttpEnv>,
  body: Record<string, unknown>,
): Promise<Response> {
  const request = parseWithSchema(SpeechRequest, body);
  if (request.stream_format !== undefined && request.stream_format !== 'audio') {
    throw refuseField('stream_format', 'Speech is sent as audio only.');
  }
  const voice = VOICE_NAMES[request.voice] ?? request.voice;
  const accepted = await acceptCall(service, {
    operationId: 'generate/audio',
    principal: context.get('principal'),
    value: { prompt: request.input, voice, durationSeconds: SPEECH_SECONDS },
    signal: context.req.raw.signal,
  });
  const result = (await accepted.result()) as unknown as AudioResult;
  if (result.omitted !== null) {
    throw refuseField('input', `The text is longer than ${SPEECH_SECONDS} seconds of speech. Send it in parts.`);
  }
  const name = `audio.${request.response_format}`;
  context.header('X-Quarry-Job-Id', accepted.jobId);
  return sendFile(context, service.filePathOf(accepted.jobId, name), name);
}

const TranscriptionFields = z.looseObject({
  model: z.string().min(1),
  language: z.string().optional(),
  response_format: z.enum(['json', 'text', 'srt', 'vtt', 'verbose_json']).default('json'),
});
/** OpenAI's own name of its model; here it means the best that is installed. */
const DEFAULT_NAMES = new Set(['whisper-1', 'auto']);
const UNSUPPORTED = ['prompt', 'stream', 'timestamp_granularities[]', 'include[]'];

export async function transcription(service: Service, context: Context<HttpEnv>): Promise<Response> {
  const { videoLimitMb, jsonLimitMb } = service.settings();
  const rules = { allowsFile: true, maxFileBytes: videoLimitMb * MIB, maxJsonBytes: jsonLimitMb * MIB };
  const { value, upload } = await readRequestBody(context.env.incoming, rules, service.body);
  try {
    const fields = parseWithSchema(TranscriptionFields, value);
    for (const field of UNSUPPORTED) {
      if (fields[field] !== undefined && fields[field] !== 'false' && fields[field] !== '') {
        throw refuseField(field, `${field} is not supported. Leave it out.`);
      }
    }
    if (upload === null) throw refuseField('file', 'Send the sound as the multipart field file.');
    const options = {
      ...(DEFAULT_NAMES.has(fields.model) ? {} : { transcriptionModel: fields.model }),
      ...(fields.language === undefined ? {} : { language: fields.language }),
    };
    const accepted = await acceptCall(service, {
      operationId: 'extract/video',
      principal: context.get('principal'),
      value: { file: value.file, options },
      upload,
      signal: context.req.raw.signal,
    });
    const result = (await accepted.result()) as unknown as z.infer<typeof TranscriptResult>;
    context.header('X-Quarry-Job-Id', accepted.jobId);
    const format = fields.response_format;
    if (format === 'srt' || format === 'vtt') {
      const name = `transcript.${format}`;
      return sendFile(context, service.filePathOf(accepted.jobId, name), name);
    }
    const text = result.segments.map((segment) => segment.text.trim()).join(' ');
    if (format === 'text') return context.text(`${text}\n`);
    return context.json(format === 'json' ? { text } : { ...verbose(result), text });
  } finally {
    // What became a job's file has moved away by now; whatever is still there belongs to nobody.
    if (upload !== null) await service.body.uploads.discard(upload);
  }
}

function verbose({ segments, media, transcript }: z.infer<typeof TranscriptResult>) {
  return {
    task: 'transcribe',
    language: transcript.language,
    duration: media.durationSeconds,
    segments: segments.map(({ start, end, text }, id) => ({ id, start, end, text })),
  };
}
