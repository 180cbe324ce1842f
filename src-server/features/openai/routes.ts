import { type Context, Hono, type MiddlewareHandler } from 'hono';
import type { ScopedAddress } from '../../feature.ts';
import { readRequestBody } from '../../platform/http/body.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { logFailure, publicError } from '../../platform/http/problem.ts';
import { MIB } from '../../platform/units.ts';
import { onlyDeclared } from '../accounts/service.ts';
import type { ModelKind } from '../models/schema.ts';
import type { PlainEmbeddings } from '../search/schema.ts';
import { answerTranscription } from './audio.ts';
import { answerCompletion, chatCompletion } from './chat.ts';
import { createEmbeddings } from './embeddings.ts';
import { openaiErrorResponse } from './errors.ts';
import { createResponse } from './responses.ts';
import { answerSpeech, type SpeechDeps } from './speech.ts';

/**
 * An OpenAI-compatible API on the same operations. Clients change their base URL to `/openai/v1` and use a named key or
 * the owner's token. It is limited to them, since such clients cannot pay per request.
 */
export interface OpenaiDeps extends SpeechDeps {
  /** Refuses callers other than the owner. */
  ownerOnly: MiddlewareHandler<HttpEnv>;
  textModels(): Promise<{ name: string }[]>;
  installed(kind: ModelKind): Promise<{ name: string }[]>;
  embeddings(): Promise<PlainEmbeddings>;
}

/** What a named key needs for each address. */
export const OPENAI_ADDRESSES: readonly ScopedAddress[] = (
  [
    ['GET', 'models', 'read'],
    ['GET', 'models/:id{.+}', 'read'],
    ['POST', 'chat/completions', 'run:generate/text'],
    ['POST', 'completions', 'run:generate/text'],
    ['POST', 'responses', 'run:generate/text'],
    ['POST', 'embeddings', 'read'],
    ['POST', 'audio/speech', 'run:generate/audio'],
    ['POST', 'audio/transcriptions', 'run:extract/video'],
    ['POST', 'audio/translations', 'run:extract/video'],
  ] as const
).map(([method, path, keyScope]) => ({ method, path: `/openai/v1/${path}`, keyScope }));

/** The longest prompt and its JSON envelope. */
const BODY_BYTES_MAX = 4 * MIB;

/** One model name for speech, for all voices. */
const SPEECH_MODEL = 'quarry-speech';

const NOT_HERE =
  "Of OpenAI's interface there are models, chat/completions, completions, responses, embeddings, audio/speech, " +
  'audio/transcriptions and audio/translations here. /reference/guides/openai says what they take.';

export function openaiRoutes(deps: OpenaiDeps): Hono<HttpEnv> {
  const { service, ownerOnly, textModels, installed, embeddings } = deps;
  const routes = new Hono<HttpEnv>();
  const nowSeconds = () => Math.floor(service.jobs.currentJobsTime() / 1000);
  const rules = { allowsFile: false, maxFileBytes: 0, maxJsonBytes: BODY_BYTES_MAX };
  const readOpenAiBody = async (context: Context<HttpEnv>) =>
    (await readRequestBody(context.env.incoming, rules, service.body)).value;
  routes.onError((error, context) => {
    const shown = publicError(error);
    logFailure(context, shown);
    return openaiErrorResponse(context, shown);
  });
  routes.use('*', onlyDeclared(OPENAI_ADDRESSES, NOT_HERE), ownerOnly);

  const listOpenAiModels = async () => {
    const names = [...(await textModels()), ...(await installed('speech')), ...(await installed('embedding'))].map(
      ({ name }) => name,
    );
    return [...new Set([...names, SPEECH_MODEL])].map((id) => ({
      id,
      object: 'model',
      created: nowSeconds(),
      owned_by: 'quarry',
    }));
  };
  routes.get('/models', async (context) => context.json({ object: 'list', data: await listOpenAiModels() }));
  // Model names may contain slashes, which some clients do not encode.
  routes.get('/models/:id{.+}', async (context) => {
    const found = (await listOpenAiModels()).find(({ id }) => id === context.req.param('id'));
    if (found !== undefined) return context.json(found);
    const message = 'There is no such model. GET /openai/v1/models lists them.';
    return context.json(
      { error: { message, type: 'invalid_request_error', param: null, code: 'model_not_found' } },
      404,
    );
  });

  routes.post('/chat/completions', async (context) =>
    chatCompletion(service, context, await readOpenAiBody(context), nowSeconds),
  );
  routes.post('/completions', async (context) =>
    answerCompletion(service, context, await readOpenAiBody(context), nowSeconds),
  );
  routes.post('/responses', async (context) =>
    createResponse(service, context, await readOpenAiBody(context), nowSeconds),
  );
  routes.post('/embeddings', async (context) =>
    createEmbeddings(await embeddings(), context, await readOpenAiBody(context)),
  );
  routes.post('/audio/speech', async (context) => answerSpeech(deps, context, await readOpenAiBody(context)));
  routes.post('/audio/transcriptions', (context) => answerTranscription(service, context));
  routes.post('/audio/translations', (context) => answerTranscription(service, context, 'en'));
  return routes;
}
