import { z } from 'zod';
import { type EnvironmentName, EnvironmentQuery } from '../../operation.ts';
import { followChanges, wantsEvents } from '../../platform/http/event-stream.ts';
import { BODY_ERRORS, jsonAnswer, routesOf } from '../../platform/http/route.ts';
import { Warnings } from '../../platform/warnings.ts';
import { isSubtitledVideoUnderWay, type JobSubtitles } from './job-subtitles.ts';
import { SubtitledVideo, SubtitleOptions } from './schema.ts';
import { VideoForm } from './subtitled-video.ts';

const SubtitlesWritten = z
  .object({
    files: z.array(z.string()).describe('Names of the files that were written.'),
    cues: z.int().min(0).describe('How many subtitles there are.'),
    warnings: Warnings.describe('What the options ask for and the speech does not allow.'),
  })
  .meta({ id: 'SubtitlesWritten' });

const SubtitledVideoRequest = z
  .strictObject({
    form: VideoForm.describe(
      '`track-mp4`, `track-mkv`: the streams of the source as they are, with a track that players can turn off. ' +
        '`burned-in`: the text is part of the pictures, which are encoded again as .mp4.',
    ),
  })
  .meta({ id: 'SubtitledVideoRequest' });

type AdminSubtitleDeps = Record<
  EnvironmentName,
  { subtitles: JobSubtitles; service: { jobs: { row(jobId: string): unknown } } }
>;

const route = routesOf<AdminSubtitleDeps>();

const common = {
  ...({ scope: 'owner', tag: 'Media', auth: 'owner' } as const),
  params: { jobId: z.string().describe('Identifier of the job.') },
  query: EnvironmentQuery,
};

const PROGRESS_INTERVAL_MS = 250;

/** Subtitles of finished jobs. Mounted under `/admin`, behind the owner check. */
export const ADMIN_SUBTITLE_ROUTES = [
  route(
    {
      ...common,
      method: 'post',
      path: '/jobs/{jobId}/subtitles',
      forDevices: true,
      operationId: 'writeSubtitles',
      summary: 'Write the subtitles of a job again',
      description: 'Replaces its .srt and .vtt files, from its transcript. Nothing is transcribed again.',
      request: { schema: SubtitleOptions, example: { preset: 'netflix' } },
      answers: { 200: jsonAnswer('The files.', SubtitlesWritten) },
      errors: [...BODY_ERRORS, 'not_found', 'job_expired', 'conflict'],
    },
    async (environments, { context, param, query, body, reply }) => {
      const { subtitles, service } = environments[query().environment];
      const jobId = param('jobId');
      await service.jobs.row(jobId);
      return reply(200, await subtitles.rewriteJobSubtitles(jobId, await body(), context.req.raw.signal));
    },
  ),
  route(
    {
      ...common,
      method: 'post',
      path: '/jobs/{jobId}/video',
      forDevices: true,
      operationId: 'makeSubtitledVideo',
      summary: 'Make a video with the subtitles of a job',
      description: 'Needs ffmpeg. The video becomes a file of the job and expires with it.',
      request: { schema: SubtitledVideoRequest, example: { form: 'track-mp4' } },
      answers: { 202: jsonAnswer('The progress.', SubtitledVideo) },
      errors: [...BODY_ERRORS, 'not_found', 'job_expired', 'conflict', 'engine_unavailable'],
    },
    async (environments, { param, query, body, reply }) => {
      const { subtitles, service } = environments[query().environment];
      const jobId = param('jobId');
      await service.jobs.row(jobId);
      const { form } = await body();
      return reply(202, await subtitles.startSubtitledVideo(jobId, form));
    },
  ),
  route(
    {
      ...common,
      method: 'get',
      path: '/jobs/{jobId}/video',
      forDevices: true,
      operationId: 'getSubtitledVideo',
      summary: 'Videos with the subtitles of a job',
      description: 'JSON, or server-sent events named `progress` for a client that accepts them.',
      answers: { 200: jsonAnswer('The progress, and the files that are there.', SubtitledVideo) },
      errors: ['invalid_request', 'not_found', 'job_expired'],
    },
    async (environments, { context, param, query, reply }) => {
      const { subtitles, service } = environments[query().environment];
      const jobId = param('jobId');
      await service.jobs.row(jobId);
      if (!wantsEvents(context)) return reply(200, await subtitles.viewSubtitledVideo(jobId));
      return followChanges(context, {
        watch: (onChange) => subtitles.watchSubtitledVideo(jobId, onChange),
        intervalMs: PROGRESS_INTERVAL_MS,
        send: async (stream) => {
          const view = await subtitles.viewSubtitledVideo(jobId);
          await stream.writeSSE({ event: 'progress', data: JSON.stringify(view) });
          return isSubtitledVideoUnderWay(view) ? 'wait' : 'end';
        },
      });
    },
  ),
  route(
    {
      ...common,
      method: 'delete',
      path: '/jobs/{jobId}/video',
      forDevices: true,
      operationId: 'cancelSubtitledVideo',
      summary: 'Cancel the video that is being made',
      description: 'Videos that are finished stay.',
      answers: { 204: { description: 'Cancelled.' } },
      errors: ['invalid_request', 'not_found', 'job_expired'],
    },
    async (environments, { param, query, end }) => {
      const { subtitles, service } = environments[query().environment];
      const jobId = param('jobId');
      await service.jobs.row(jobId);
      subtitles.stopSubtitledVideo(jobId);
      return end(204);
    },
  ),
];
