/** OpenAI's speech endpoint, on generate/audio. */

import type { Context } from 'hono';
import { z } from 'zod';
import type { HttpEnv } from '../../platform/http/env.ts';
import { eventStream } from '../../platform/http/event-stream.ts';
import { sendFile } from '../../platform/http/file-response.ts';
import { inTermsOf, parseWithSchema } from '../../platform/http/validate.ts';
import { newId } from '../../platform/ids.ts';
import { byName } from '../../platform/records.ts';
import { tell } from '../../platform/text/say.ts';
import type { AudioResult, VoiceSlug } from '../audio/schema.ts';
import type { AudioEngine, LiveFormat, LivePart } from '../audio/service.ts';
import type { JobService } from '../jobs/service.ts';
import { acceptCall } from '../jobs/service.ts';
import type { EncodeSound } from '../media/service.ts';
import { openaiError, refuseField } from './errors.ts';

/** OpenAI's voice names and the closest voice of this server. */
const VOICE_NAMES: Readonly<Record<string, z.infer<typeof VoiceSlug>>> = byName({
  alloy: 'clara',
  ash: 'rowan',
  ballad: 'angus',
  cedar: 'rowan',
  coral: 'clara',
  echo: 'rowan',
  fable: 'angus',
  marin: 'clara',
  nova: 'clara',
  onyx: 'rowan',
  sage: 'clara',
  shimmer: 'clara',
  verse: 'rowan',
});

/** The longest speech of a request. It also bounds the sound that waits for a slow client. */
const SPEECH_SECONDS = 300;

/** Sent sentence by sentence. */
const LIVE_TYPES: Readonly<Record<LiveFormat, string>> = { mp3: 'audio/mpeg', wav: 'audio/wav', pcm: 'audio/pcm' };

/** Encoded once the speech is finished. */
const WHOLE_FORMATS = ['opus', 'aac', 'flac'] as const;

type WholeFormat = (typeof WHOLE_FORMATS)[number];

const FORMATS = ['mp3', 'wav', 'pcm', ...WHOLE_FORMATS] as const;

const SpeechRequest = z.looseObject({
  model: z.string().min(1),
  input: z.string().min(1),
  voice: z.string().min(1),
  response_format: z.enum(FORMATS, `Give one of ${FORMATS.join(', ')}.`).nullish(),
  speed: z.number().min(0.5, tell`Give a speed of 0.5 to 2.`).max(2, tell`Give a speed of 0.5 to 2.`).nullish(),
  instructions: z
    .literal('', 'instructions are not supported: no voice here follows them. Use speed, or SSML in input.')
    .nullish(),
  stream_format: z.enum(['audio', 'sse'], 'Give audio or sse.').nullish(),
});

export interface SpeechDeps {
  service: JobService;
  speaker(): Promise<Pick<AudioEngine, 'hear'>>;
  soundEncoder(): Promise<EncodeSound>;
}

export async function answerSpeech(
  deps: SpeechDeps,
  context: Context<HttpEnv>,
  body: Record<string, unknown>,
): Promise<Response> {
  const request = parseWithSchema(SpeechRequest, body);
  const format = request.response_format ?? 'mp3';
  const asEvents = request.stream_format === 'sse';
  const voice = Object.hasOwn(VOICE_NAMES, request.voice) ? VOICE_NAMES[request.voice] : request.voice;
  const value = { prompt: request.input, voice, durationSeconds: SPEECH_SECONDS, speed: request.speed ?? 1 };
  const gone = new AbortController();
  context.req.raw.signal.addEventListener('abort', () => gone.abort(), { once: true });
  if (isWhole(format)) {
    if (asEvents) throw refuseField('stream_format', tell`${format} is sent whole. With sse, ask for mp3, wav or pcm.`);
    return wholeSpeech(deps, context, { value, format, signal: gone.signal });
  }
  const sound = await openSpeech(deps, context, { value, format, gone });
  if (asEvents) return sendEvents(context, sound, gone);
  context.header('Content-Type', LIVE_TYPES[format]);
  context.header('X-Content-Type-Options', 'nosniff');
  context.header('Cache-Control', 'no-store');
  return context.body(sound);
}

function isWhole(format: (typeof FORMATS)[number]): format is WholeFormat {
  return WHOLE_FORMATS.some((whole) => whole === format);
}

interface Call {
  value: Record<string, unknown>;
  jobId?: string;
  signal: AbortSignal;
}

/** Accepts the job. The returned function waits for its end. Errors: `invalid_request` for a text that is too long. */
async function acceptSpeechJob({ service }: SpeechDeps, context: Context<HttpEnv>, call: Call) {
  const asked = { operationId: 'generate/audio', principal: context.get('principal'), ...call };
  const { jobId, result } = await inTermsOf({ prompt: 'input' }, acceptCall(service, asked));
  context.header('X-Quarry-Job-Id', jobId);
  const waitForSpeechEnd = async () => {
    const { omitted } = await result<AudioResult>();
    if (omitted === null) return;
    throw refuseField('input', tell`The text is longer than ${SPEECH_SECONDS} seconds of speech. Send it in parts.`);
  };
  return { jobId, end: waitForSpeechEnd };
}

async function wholeSpeech(
  deps: SpeechDeps,
  context: Context<HttpEnv>,
  { format, ...call }: Call & { format: WholeFormat },
): Promise<Response> {
  const { jobId, end } = await acceptSpeechJob(deps, context, call);
  await end();
  const name = `audio.${format}`;
  const [path, targetPath] = ['audio.wav', name].map((file) => deps.service.filePathOf(jobId, file));
  if (path == null || targetPath == null) throw new Error(`A job cannot have a file called ${name}.`);
  const encode = await deps.soundEncoder();
  await encode({ path, targetPath, format, tags: {}, chapters: [] }, call.signal);
  return sendFile(context, targetPath, name);
}

interface LiveCall {
  value: Record<string, unknown>;
  format: LiveFormat;
  gone: AbortController;
}

/**
 * The sound while it is spoken. Resolves with the first sentence, so that an earlier failure is an ordinary error. A
 * later one breaks the stream. To cancel the stream is to leave.
 */
async function openSpeech(
  deps: SpeechDeps,
  context: Context<HttpEnv>,
  { value, format, gone }: LiveCall,
): Promise<ReadableStream<Uint8Array>> {
  const jobId = newId('job');
  const { stream, add, close, fail } = soundStream(() => gone.abort());
  const stop = (await deps.speaker()).hear(jobId, { format, onPart: add });
  try {
    const { end } = await acceptSpeechJob(deps, context, { value, jobId, signal: gone.signal });
    void end().then(close, fail).finally(stop);
  } catch (error) {
    stop();
    throw error;
  }
  const reader = stream.getReader();
  const first = await reader.read();
  return new ReadableStream<Uint8Array>({
    start: (controller) => (first.done ? controller.close() : controller.enqueue(first.value)),
    async pull(controller) {
      const { done, value: bytes } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(bytes);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** A stream of parts in their order. A job that runs again repeats parts, which are sent once. */
function soundStream(onCancel: () => void) {
  let controller: ReadableStreamDefaultController<Uint8Array>;
  let next = 0;
  let isOpen = true;
  const stream = new ReadableStream<Uint8Array>({
    start: (given) => {
      controller = given;
    },
    cancel: () => {
      isOpen = false;
      onCancel();
    },
  });
  return {
    stream,
    add({ number, bytes }: LivePart): void {
      if (!isOpen || number < next) return;
      next = number + 1;
      if (bytes.length > 0) controller.enqueue(bytes);
    },
    close: () => isOpen && controller.close(),
    fail: (error: unknown) => isOpen && controller.error(error),
  };
}

/** No voice here counts tokens. */
const USAGE = { input_tokens: 0, output_tokens: 0, total_tokens: 0 };

function sendEvents(context: Context<HttpEnv>, sound: ReadableStream<Uint8Array>, gone: AbortController): Response {
  return eventStream(context, async (events) => {
    events.onAbort(() => gone.abort());
    const sendSpeechEvent = (event: object) => events.writeSSE({ data: JSON.stringify(event) });
    try {
      for await (const bytes of sound) {
        await sendSpeechEvent({ type: 'speech.audio.delta', audio: Buffer.from(bytes).toString('base64') });
      }
      await sendSpeechEvent({ type: 'speech.audio.done', usage: USAGE });
    } catch (error) {
      await sendSpeechEvent(openaiError(error).body);
    }
  });
}
