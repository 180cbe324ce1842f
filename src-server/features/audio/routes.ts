import { z } from 'zod';
import { QuarryError } from '../../platform/errors.ts';
import { ORIGIN } from '../../platform/http/examples.ts';
import { FILE_ANSWERS, FILE_HEADERS, sendFile } from '../../platform/http/file-response.ts';
import { BODY_ERRORS, jsonAnswer, routesOf } from '../../platform/http/route.ts';
import { InstallChoice, type Missing } from '../../platform/install-choice.ts';
import { voiceSampleText } from './samples.ts';
import { PROMPT_CHARS_MAX, Voice } from './schema.ts';

type VoiceFacts = Omit<Voice, 'sampleUrl' | 'sampleText' | 'tones' | 'aliases'> &
  Record<'tones' | 'aliases', readonly string[]>;

export interface VoiceRouteDeps {
  voices(): Promise<readonly VoiceFacts[]>;
  /** Path of a voice sample. Errors: `not_found`. */
  samplePath(slug: string): Promise<string>;
  /** Absolute; ends with the version prefix. */
  baseUrl(): string;
}

const SAMPLE_NAME = /^([a-z][a-z0-9-]{0,79})\.wav$/;

const EXAMPLE: Voice = {
  slug: 'clara',
  name: 'Clara',
  language: 'en-US',
  kind: 'built-in',
  gender: 'female',
  model: null,
  recommended: false,
  aliases: ['luna', 'iris'],
  description: 'A built-in woman’s voice: clear and even, but mechanical.',
  tones: ['friendly', 'warm'],
  sampleUrl: `${ORIGIN}/v1/voices/samples/clara.wav`,
  sampleText: 'Hello, my name is Clara. The tide turns at noon, and the boats come home.',
};

const route = routesOf<VoiceRouteDeps>();

const common = { method: 'get', scope: 'environment', tag: 'Voices', auth: 'none' } as const;

/** The voices of `POST /generate/audio` and their samples. Free and public. */
export const VOICE_ROUTES = [
  route(
    {
      ...common,
      path: '/voices',
      operationId: 'listVoices',
      summary: 'List the voices',
      description: 'The values of `voice` in `POST /generate/audio`, each with a sample; natural voices first.',
      answers: { 200: jsonAnswer('All of them.', z.array(Voice), [EXAMPLE]) },
      errors: [],
    },
    async ({ voices, baseUrl }, { reply }) =>
      reply(
        200,
        (await voices()).map((voice) => ({
          slug: voice.slug,
          name: voice.name,
          language: voice.language,
          kind: voice.kind,
          gender: voice.gender,
          model: voice.model,
          recommended: voice.recommended,
          aliases: [...voice.aliases],
          description: voice.description,
          tones: [...voice.tones],
          sampleUrl: `${baseUrl()}/voices/samples/${voice.slug}.wav`,
          sampleText: voiceSampleText(voice),
        })),
      ),
  ),
  route(
    {
      ...common,
      path: '/voices/samples/{sample}',
      operationId: 'getVoiceSample',
      summary: 'Get a voice sample',
      description: 'A few seconds as .wav.',
      params: { sample: z.string().describe('The voice’s slug and `.wav`.').meta({ example: 'clara.wav' }) },
      headers: FILE_HEADERS,
      answers: FILE_ANSWERS,
      errors: ['not_found', 'range_not_satisfiable'],
    },
    async ({ samplePath }, { context, param }) => {
      const slug = SAMPLE_NAME.exec(param('sample'))?.[1];
      if (slug === undefined) throw new QuarryError('not_found', 'There is no such voice. GET /voices lists them.');
      context.header('Cross-Origin-Resource-Policy', 'cross-origin');
      return sendFile(context, await samplePath(slug), `${slug}.wav`);
    },
  ),
];

export interface VoiceOfferDeps {
  missingVoice(text: string): Promise<Missing | null>;
  choicesFor(missing: Missing): Promise<readonly InstallChoice[]>;
}

const VoiceOfferRequest = z
  .strictObject({ text: z.string().max(PROMPT_CHARS_MAX).describe('The text to speak.') })
  .meta({ id: 'VoiceOfferRequest' });

const VoiceOffer = z
  .object({
    language: z.string().nullable().describe('BCP 47 tag of the text; null when unknown.'),
    choices: z.array(InstallChoice).describe('Voices of this language, the recommended one first; empty for none.'),
  })
  .meta({ id: 'VoiceOffer' });

const offerRoute = routesOf<VoiceOfferDeps>();

/** Mounted under `/admin`, behind the owner check. */
export const ADMIN_VOICE_ROUTES = [
  offerRoute(
    {
      method: 'post',
      path: '/voices/offer',
      scope: 'owner',
      tag: 'Voices',
      auth: 'owner',
      keyScope: 'admin',
      operationId: 'offerVoices',
      summary: 'Offer natural voices for a text',
      description: 'Voices to install that speak the language of the text; none where an installed one does.',
      request: { schema: VoiceOfferRequest, example: { text: 'Guten Morgen, wie geht es dir heute?' } },
      answers: { 200: jsonAnswer('What to install.', VoiceOffer) },
      errors: BODY_ERRORS,
    },
    async ({ missingVoice, choicesFor }, { body, reply }) => {
      const { text } = await body();
      // Nothing to detect, or markup that is not finished: the general offer.
      const missing = await missingVoice(text).catch((error: unknown) => {
        if (error instanceof QuarryError && error.code === 'invalid_request') return missingVoice('Hello.');
        throw error;
      });
      if (missing === null) return reply(200, { language: null, choices: [] });
      return reply(200, { language: missing.language, choices: [...(await choicesFor(missing))] });
    },
  ),
];
