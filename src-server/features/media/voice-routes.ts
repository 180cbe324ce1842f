import { z } from 'zod';
import { type EnvironmentName, EnvironmentQuery } from '../../operation.ts';
import { BODY_ERRORS, jsonAnswer, routesOf } from '../../platform/http/route.ts';
import type { RememberedVoices } from './remembered-voices.ts';
import { RememberedVoice } from './schema.ts';

const RememberVoiceRequest = z
  .strictObject({ speaker: z.string().min(1).max(100).describe('The name of a speaker of the job, not `Speaker 1`.') })
  .meta({ id: 'RememberVoiceRequest' });

type RememberedVoiceDeps = Record<
  EnvironmentName,
  { voices: RememberedVoices; service: { jobs: { row(jobId: string): { id: string; account_id: string } } } }
>;

const route = routesOf<RememberedVoiceDeps>();

const common = { scope: 'owner', tag: 'Media', auth: 'owner', query: EnvironmentQuery } as const;

/** Voices that the owner remembers. Mounted under `/admin`, behind the owner check. */
export const ADMIN_REMEMBERED_VOICE_ROUTES = [
  route(
    {
      ...common,
      method: 'post',
      path: '/jobs/{jobId}/remembered-voices',
      forDevices: true,
      operationId: 'rememberVoice',
      summary: 'Remember the voice of a speaker',
      description:
        'Later jobs of the owner with `speakers` recognise it. It is read from the recording of the job, which takes ' +
        'seconds. A name that is remembered already gets a further sample.',
      params: { jobId: z.string().describe('Identifier of the job.') },
      request: { schema: RememberVoiceRequest, example: { speaker: 'Maya Lindqvist' } },
      answers: { 200: jsonAnswer('The voice.', RememberedVoice) },
      errors: [
        ...BODY_ERRORS,
        ...(['not_found', 'job_expired', 'conflict', 'model_not_installed', 'engine_unavailable'] as const),
        ...(['engine_failed', 'corrupt_input', 'timeout'] as const),
      ],
    },
    async (environments, { context, param, query, body, reply }) => {
      const { voices, service } = environments[query().environment];
      const job = service.jobs.row(param('jobId'));
      const { speaker } = await body();
      return reply(200, await voices.rememberSpeakerVoice(job, speaker, context.req.raw.signal));
    },
  ),
  route(
    {
      ...common,
      method: 'get',
      path: '/remembered-voices',
      forDevices: true,
      operationId: 'listRememberedVoices',
      summary: 'List the remembered voices',
      description: 'By name. Voices of one environment are not used in the other.',
      answers: { 200: jsonAnswer('All of them.', z.object({ voices: z.array(RememberedVoice) })) },
      errors: ['invalid_request'],
    },
    (environments, { query, reply }) =>
      reply(200, { voices: environments[query().environment].voices.rememberedVoiceList() }),
  ),
  route(
    {
      ...common,
      method: 'delete',
      path: '/remembered-voices/{voiceId}',
      operationId: 'forgetVoice',
      summary: 'Forget a voice',
      description: 'Deletes it. Names in finished jobs stay.',
      params: { voiceId: z.string().describe('Identifier of the voice.') },
      answers: { 204: { description: 'Forgotten.' } },
      errors: ['invalid_request', 'not_found'],
    },
    (environments, { param, query, end }) => {
      environments[query().environment].voices.forgetRememberedVoice(param('voiceId'));
      return end(204);
    },
  ),
];
