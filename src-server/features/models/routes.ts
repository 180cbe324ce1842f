import { z } from 'zod';
import { isDevice } from '../../context.ts';
import { QuarryError } from '../../platform/errors.ts';
import { streamProgress, wantsEvents } from '../../platform/http/event-stream.ts';
import { jsonAnswer, routesOf } from '../../platform/http/route.ts';
import type { Need } from '../../platform/install-choice.ts';
import { DownloadProgress } from '../../platform/net/download.ts';
import { keyOfPrincipal } from '../accounts/service.ts';
import type { InstallNeeds } from './needs.ts';
import { Machine, ModelView, NeedView } from './schema.ts';
import type { Models } from './service.ts';

const route = routesOf<{ models: Models }>();

const common = { scope: 'owner', tag: 'Models', auth: 'owner' } as const;

const params = { name: z.string().describe('Name of the model.') };

/** The owner's models. Mounted under `/admin`, behind the owner check. */
export const ADMIN_MODEL_ROUTES = [
  route(
    {
      ...common,
      method: 'get',
      path: '/models',
      forDevices: true,
      operationId: 'listModels',
      summary: 'List the models',
      description: 'Those of the catalogue and those that lie in the models folder.',
      answers: {
        200: jsonAnswer('All of them.', z.object({ models: z.array(ModelView), diskUseBytes: z.int().min(0) })),
      },
      errors: [],
    },
    async ({ models }, { reply }) =>
      reply(200, { models: await models.listModelViews(), diskUseBytes: await models.diskUseBytes() }),
  ),
  route(
    {
      ...common,
      method: 'post',
      path: '/models/{name}/install',
      operationId: 'installModel',
      summary: 'Download a model',
      description: 'One download at a time per model.',
      params,
      answers: { 202: jsonAnswer('The progress.', DownloadProgress) },
      errors: ['not_found', 'conflict'],
    },
    async ({ models }, { param, reply }) => reply(202, await models.startModelDownload(param('name'))),
  ),
  route(
    {
      ...common,
      method: 'get',
      path: '/models/{name}/progress',
      operationId: 'getModelProgress',
      summary: 'Progress of a download',
      description: 'JSON, or server-sent events named `progress` for a client that accepts them.',
      params,
      answers: { 200: jsonAnswer('The progress.', DownloadProgress) },
      errors: ['not_found'],
    },
    ({ models }, { context, param, reply }) => {
      const name = param('name');
      const progress = progressOf(models, name);
      if (!wantsEvents(context)) return reply(200, progress);
      return streamProgress(context, {
        progress: () => models.modelDownloadProgress(name),
        watch: (onChange) => models.watchModelDownload(name, onChange),
      });
    },
  ),
  route(
    {
      ...common,
      method: 'get',
      path: '/models/{name}/sample',
      operationId: 'getModelSample',
      summary: 'Hear a voice before it is installed',
      description: 'A few seconds as .mp3 or .wav. Each request fetches them from the publisher; nothing is stored.',
      params,
      answers: { 200: { description: 'The sound.', content: { mediaType: '*/*', schema: null } } },
      errors: ['not_found', 'source_unreachable', 'corrupt_input'],
    },
    async ({ models }, { context, param }) => {
      const { bytes, mediaType } = await models.fetchVoiceSample(param('name'), context.req.raw.signal);
      context.header('Content-Type', mediaType);
      context.header('Cache-Control', 'private, max-age=86400');
      return context.body(new Uint8Array(bytes));
    },
  ),
  route(
    {
      ...common,
      method: 'post',
      path: '/models/{name}/cancel',
      operationId: 'cancelModelDownload',
      summary: 'Cancel a download',
      description: 'What is there already is kept for the next try.',
      params,
      answers: { 204: { description: 'Cancelled.' } },
      errors: ['not_found'],
    },
    async ({ models }, { param, end }) => {
      await models.stopModelDownload(param('name'));
      return end(204);
    },
  ),
  route(
    {
      ...common,
      method: 'delete',
      path: '/models/{name}',
      operationId: 'removeModel',
      summary: 'Remove a model',
      description: 'Its files are deleted.',
      params,
      answers: { 204: { description: 'Removed.' } },
      errors: ['not_found', 'conflict'],
    },
    async ({ models }, { param, end }) => {
      await models.removeInstalledModel(param('name'));
      return end(204);
    },
  ),
];

interface NeedDeps {
  needs: Pick<InstallNeeds, 'machine' | 'list'>;
  /** The jobs of each environment that wait for an installation. */
  waiting: readonly { look(): Promise<unknown>; countFor(need: Need): number }[];
}

const needRoute = routesOf<NeedDeps>();

/** What each kind of work needs on this machine. Mounted under `/admin`, behind the owner check. */
export const ADMIN_NEED_ROUTES = [
  needRoute(
    {
      ...common,
      method: 'get',
      path: '/needs',
      forDevices: true,
      operationId: 'listNeeds',
      summary: 'List what work needs',
      description:
        'What is ready, and for the rest what to install. A choice is installed with `POST ' +
        '/admin/models/{name}/install`, or for a job that waits with `POST /admin/jobs/{jobId}/install`.',
      answers: { 200: jsonAnswer('All needs.', z.object({ machine: Machine, needs: z.array(NeedView) })) },
      errors: [],
    },
    async ({ needs, waiting }, { context, reply }) => {
      await Promise.all(waiting.map((jobs) => jobs.look()));
      const waitingJobs = (need: Need) => waiting.reduce((sum, jobs) => sum + jobs.countFor(need), 0);
      const all = await needs.list(waitingJobs);
      // Programs are named with their path, which is the owner's.
      const shown = isDevice(keyOfPrincipal(context.get('principal'))) ? all.map(withoutPath) : all;
      return reply(200, { machine: await needs.machine(), needs: shown });
    },
  ),
];

function withoutPath(need: NeedView): NeedView {
  return { ...need, installed: need.installed?.replace(/ \(.*\)$/, '') ?? null };
}

function progressOf(models: Models, name: string): DownloadProgress {
  const progress = models.modelDownloadProgress(name);
  if (progress === null) throw new QuarryError('not_found', 'No download of this model was started. Start one.');
  return progress;
}
