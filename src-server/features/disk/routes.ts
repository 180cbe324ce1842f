import { type EnvironmentName, EnvironmentQuery } from '../../operation.ts';
import { jsonAnswer, routesOf } from '../../platform/http/route.ts';
import { DiskUse } from './schema.ts';
import type { Disk, JobOwners } from './service.ts';

export interface DiskDeps extends JobOwners {
  disk: Disk;
}

const route = routesOf<Record<EnvironmentName, DiskDeps>>();

/** Mounted under `/admin`. */
export const DISK_ROUTES = [
  route(
    {
      scope: 'owner',
      auth: 'owner',
      tag: 'Disk',
      method: 'get',
      path: '/disk',
      operationId: 'getDiskUse',
      summary: 'What takes room on the disk',
      description: `By kind, so that the parts add up to what the data folder takes. Items, callers' results and
watches are those of the environment; what belongs to the other one is a part of its own.`,
      query: EnvironmentQuery,
      answers: { 200: jsonAnswer('The parts.', DiskUse) },
      errors: ['invalid_request'],
    },
    async (environments, { query, reply }) => {
      const { environment } = query();
      const { disk, ...owners } = environments[environment];
      return reply(200, await disk.diskUse(environment, owners));
    },
  ),
];
