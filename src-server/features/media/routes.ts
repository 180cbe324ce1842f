import { z } from 'zod';
import { type EnvironmentName, EnvironmentQuery } from '../../operation.ts';
import { QuarryError } from '../../platform/errors.ts';
import { streamProgress, wantsEvents } from '../../platform/http/event-stream.ts';
import { BODY_ERRORS, jsonAnswer, routesOf } from '../../platform/http/route.ts';
import { DownloadProgress } from '../../platform/net/download.ts';
import { say } from '../../platform/text/say.ts';
import { Digest } from '../fields/schema.ts';
import type { LateDigests, TalkJob } from './late-digest.ts';
import { Speaker } from './schema.ts';
import type { SpeakerNames } from './speaker-names.ts';
import type { ToolRelease } from './tool-release.ts';
import type { ToolFacts } from './tools.ts';
import type { WhisperCliInstall } from './whisper-cli-install.ts';

const Tool = z
  .object({
    name: z.enum(['node-av', 'ffmpeg', 'whisper-cli', 'yt-dlp']),
    state: z
      .enum(['ready', 'installable', 'missing'])
      .describe('`installable`: absent, and the appliance can install it.'),
    purpose: z.string(),
    version: z.string().nullable(),
    from: z.string().nullable().describe('`included`, `setting`, `data-folder`, `ffmpeg-static` or `path`.'),
    advice: z.string().nullable().describe('How to install it where it is missing.'),
  })
  .meta({ id: 'MediaTool' });

const ReleaseView = z.object({
  fetchedVersion: z.string().nullable().describe('The version that this appliance fetched.'),
  fetchedAt: z.string().nullable(),
  lastSuccessAt: z.string().nullable().describe('When the program last did its work, as far as it is recorded.'),
  download: DownloadProgress.nullable(),
});

const WhisperCliQuery = z.object({
  from: z
    .enum(['release', 'source'])
    .default('release')
    .describe('`release`: the program that whisper.cpp publishes. `source`: compiled here, with make and g++.'),
});

export interface AdminMediaDeps {
  tools(): Promise<readonly ToolFacts[]>;
  whisperCli: WhisperCliInstall;
  ytDlp: ToolRelease;
  ffmpeg: ToolRelease;
}

const route = routesOf<AdminMediaDeps>();

const common = { scope: 'owner', tag: 'Media', auth: 'owner' } as const;

/** Routes of a program that the appliance fetches. */
function releaseRoutes(tool: { key: 'ytDlp' | 'ffmpeg'; name: string; id: string; which: string }) {
  const { key, name, id, which } = tool;
  return [
    route(
      {
        ...common,
        method: 'post',
        path: `/media/${name}/install`,
        operationId: `install${id}`,
        summary: `Fetch ${name}`,
        description: which,
        answers: { 202: jsonAnswer('The progress.', DownloadProgress) },
        errors: [],
      },
      (deps, { reply }) => reply(202, deps[key].installRelease()),
    ),
    route(
      {
        ...common,
        method: 'get',
        path: `/media/${name}/progress`,
        operationId: `get${id}Progress`,
        summary: `Progress of the download of ${name}`,
        description: 'JSON, or server-sent events named `progress` for a client that accepts them.',
        answers: { 200: jsonAnswer('The progress.', DownloadProgress) },
        errors: ['not_found'],
      },
      (deps, { context, reply }) => {
        const progress = deps[key].releaseProgress();
        if (progress === null) throw new QuarryError('not_found', `No download of ${name} was begun. Begin one first.`);
        if (!wantsEvents(context)) return reply(200, progress);
        return streamProgress(context, {
          progress: () => deps[key].releaseProgress(),
          watch: (onChange) => deps[key].watchRelease(onChange),
        });
      },
    ),
    route(
      {
        ...common,
        method: 'delete',
        path: `/media/${name}`,
        operationId: `remove${id}`,
        summary: `Remove the fetched ${name}`,
        description: 'Copies that the appliance did not fetch stay.',
        answers: { 204: { description: 'Removed.' } },
        errors: ['not_found', 'conflict'],
      },
      async (deps, { end }) => {
        await deps[key].removeRelease();
        return end(204);
      },
    ),
  ];
}

/** Programs that media work needs. Mounted under `/admin`, behind the owner check. */
export const ADMIN_MEDIA_ROUTES = [
  route(
    {
      ...common,
      method: 'get',
      path: '/media',
      operationId: 'listMediaTools',
      summary: 'List the programs',
      description: 'State and version of each.',
      answers: {
        200: jsonAnswer('All of them.', z.object({ tools: z.array(Tool), ytDlp: ReleaseView, ffmpeg: ReleaseView })),
      },
      errors: [],
    },
    async ({ tools, ytDlp, ffmpeg }, { reply }) =>
      reply(200, {
        tools: await tools(),
        ytDlp: await ytDlp.viewToolRelease(),
        ffmpeg: await ffmpeg.viewToolRelease(),
      }),
  ),
  ...releaseRoutes({
    key: 'ytDlp',
    name: 'yt-dlp',
    id: 'YtDlp',
    which: 'Fetches the newest release, also over an older one.',
  }),
  ...releaseRoutes({
    key: 'ffmpeg',
    name: 'ffmpeg',
    id: 'Ffmpeg',
    which: 'Fetches the build that ffmpeg-static publishes, also over an older one.',
  }),
  route(
    {
      ...common,
      method: 'post',
      path: '/media/whisper-cli/install',
      operationId: 'installWhisperCli',
      summary: 'Install whisper-cli',
      description: 'Fetches the published program, or builds one. Speech models in ggml format need it.',
      query: WhisperCliQuery,
      answers: { 202: jsonAnswer('The progress.', DownloadProgress) },
      errors: ['invalid_request', 'engine_unavailable'],
    },
    async ({ whisperCli }, { query, reply }) => reply(202, await whisperCli.startWhisperCliInstall(query().from)),
  ),
  route(
    {
      ...common,
      method: 'get',
      path: '/media/whisper-cli/progress',
      operationId: 'getWhisperCliProgress',
      summary: 'Progress of the installation of whisper-cli',
      description: 'JSON, or server-sent events named `progress` for a client that accepts them.',
      answers: { 200: jsonAnswer('The progress.', DownloadProgress) },
      errors: ['not_found'],
    },
    ({ whisperCli }, { context, reply }) => {
      const progress = whisperCli.whisperCliProgress();
      if (progress === null) throw new QuarryError('not_found', 'No installation of whisper-cli was started.');
      if (!wantsEvents(context)) return reply(200, progress);
      return streamProgress(context, {
        progress: () => whisperCli.whisperCliProgress(),
        watch: (onChange) => whisperCli.watchWhisperCli(onChange),
      });
    },
  ),
  route(
    {
      ...common,
      method: 'post',
      path: '/media/whisper-cli/cancel',
      operationId: 'cancelWhisperCli',
      summary: 'Cancel the installation of whisper-cli',
      description: 'What is there already is kept for the next try.',
      answers: { 204: { description: 'Cancelled.' } },
      errors: ['not_found'],
    },
    async ({ whisperCli }, { end }) => {
      await whisperCli.cancelWhisperCliInstall();
      return end(204);
    },
  ),
];

const SPEAKER_NAME_CHARS_MAX = 100;

const SpeakerName = z
  .string()
  .trim()
  .min(1)
  .max(SPEAKER_NAME_CHARS_MAX)
  .refine((name) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name), say`Give a name in one line.`);

const SpeakerNamesRequest = z
  .strictObject({
    names: z
      .record(z.string().max(SPEAKER_NAME_CHARS_MAX), SpeakerName)
      .refine((names) => Object.keys(names).length > 0, say`Give at least one name.`)
      .describe('New names by present ones. Speakers with the same name become one.'),
  })
  .meta({ id: 'SpeakerNamesRequest' });

export type AdminSpeakerDeps = Record<
  EnvironmentName,
  { speakerNames: SpeakerNames; lateDigests: LateDigests; service: { jobs: { row(jobId: string): TalkJob } } }
>;

const speakerRoute = routesOf<AdminSpeakerDeps>();

/** Names of speakers, and digests, of finished jobs. Mounted under `/admin`, behind the owner check. */
export const ADMIN_SPEAKER_ROUTES = [
  speakerRoute(
    {
      ...common,
      method: 'patch',
      path: '/jobs/{jobId}/speakers',
      forDevices: true,
      operationId: 'nameSpeakers',
      summary: 'Name the speakers of a job',
      description: 'Changes the result, the transcript files, the captions, the chunks and the search index.',
      params: { jobId: z.string().describe('Identifier of the job.') },
      query: EnvironmentQuery,
      request: { schema: SpeakerNamesRequest, example: { names: { 'Speaker 1': 'Maya Lindqvist' } } },
      answers: { 200: jsonAnswer('The speakers.', z.object({ speakers: z.array(Speaker) })) },
      errors: [...BODY_ERRORS, 'not_found', 'job_expired', 'conflict'],
    },
    async (environments, { context, param, query, body, reply }) => {
      const { speakerNames, service } = environments[query().environment];
      const jobId = param('jobId');
      service.jobs.row(jobId);
      const { names } = await body();
      return reply(200, { speakers: await speakerNames.renameSpeakers(jobId, names, context.req.raw.signal) });
    },
  ),
  speakerRoute(
    {
      ...common,
      method: 'post',
      path: '/jobs/{jobId}/digest',
      forDevices: true,
      operationId: 'makeDigest',
      summary: 'Summarise a finished recording',
      description:
        'Makes title, summary, chapters and action items as the option `digest` does, without listening again. The ' +
        'answer comes when they are made, which takes minutes for a long talk; closing the connection cancels it.',
      params: { jobId: z.string().describe('Identifier of the job.') },
      query: EnvironmentQuery,
      answers: { 200: jsonAnswer('The digest, which is now part of the result.', Digest) },
      errors: ['not_found', 'job_expired', 'conflict', 'model_not_installed', 'engine_unavailable', 'engine_failed'],
    },
    async (environments, { context, param, query, reply }) => {
      const { lateDigests, service } = environments[query().environment];
      return reply(200, await lateDigests.makeLateDigest(service.jobs.row(param('jobId')), context.req.raw.signal));
    },
  ),
];
