import type { Context } from 'hono';
import { z } from 'zod';
import { type EnvironmentName, EnvironmentQuery } from '../../operation.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { jsonAnswer, routesOf } from '../../platform/http/route.ts';
import { tell } from '../../platform/text/say.ts';
import { type JobService, jobSourceOf } from '../jobs/service.ts';

/** Waveforms of a job never change. */
const KEPT_FOR = 'private, max-age=86400, immutable';

/** What chooses one of several audio tracks. */
const TrackAsked = z.object({
  options: z.object({ language: z.string().optional(), audioTrack: z.number().optional() }),
});

interface WaveformRouteDeps {
  service: JobService;
  /**
   * The waveform of a job's recording, of the audio track that the request asks for. Errors: `unsupported_media`,
   * `corrupt_input`, `timeout`.
   */
  soundPeaks(
    jobId: string,
    wish: { language?: string | undefined; audioTrack?: number | undefined },
    signal: AbortSignal,
  ): Promise<{ peaks: number[] }>;
}

const route = routesOf<Record<EnvironmentName, WaveformRouteDeps>>();

const ofOne = {
  scope: 'owner',
  tag: 'Jobs',
  auth: 'owner',
  params: { jobId: z.string().describe('Identifier of the job.') },
} as const;

/** Mounted under `/admin`, behind the owner check. */
export const ADMIN_WAVEFORM_ROUTES = [
  route(
    {
      ...ofOne,
      method: 'get',
      path: '/jobs/{jobId}/peaks',
      forDevices: true,
      operationId: 'getJobPeaks',
      summary: 'The shape of the recording a job was made from',
      description: 'At most 400 numbers from 0 to 1.',
      query: EnvironmentQuery,
      answers: { 200: jsonAnswer('The shape.', z.object({ peaks: z.array(z.number()) })) },
      errors: [
        'invalid_request',
        'not_found',
        'job_expired',
        'engine_failed',
        'engine_unavailable',
        'timeout',
        'corrupt_input',
        'cancelled',
      ],
    },
    async (environments, { context, param, query, reply }) => {
      const { service, soundPeaks } = environments[query().environment];
      const job = await service.jobs.row(param('jobId'));
      const kind = jobSourceOf(job)?.kind;
      if (kind !== 'audio' && kind !== 'video') {
        throw new QuarryError('not_found', 'This job was not made from a recording.');
      }
      const wish = TrackAsked.safeParse(JSON.parse(job.request)).data?.options ?? {};
      const shape = await soundPeaks(job.id, wish, departureOf(context));
      context.header('Cache-Control', KEPT_FOR);
      return reply(200, shape);
    },
  ),
];

/** Aborts when the client disconnects, also before this is called. */
function departureOf(context: Context<HttpEnv>): AbortSignal {
  const left = new AbortController();
  const onLeft = () => left.abort(new QuarryError('cancelled', tell`Nobody waits for the shape any more.`));
  const { signal } = context.req.raw;
  if (signal.aborted) onLeft();
  signal.addEventListener('abort', onLeft, { once: true });
  return left.signal;
}
