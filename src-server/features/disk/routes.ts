import { type EnvironmentName, EnvironmentQuery } from '../../operation.ts';
import { BODY_ERRORS, jsonAnswer, routesOf } from '../../platform/http/route.ts';
import type { Places } from './places.ts';
import { DiskUse, MoveRequest, Places as PlacesView } from './schema.ts';
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

const placeRoute = routesOf<{ places: Places }>();

const ofOwner = { scope: 'owner', auth: 'owner', tag: 'Disk' } as const;

/** They name folders of this machine, and write there: no key may. Mounted under `/admin`. */
export const PLACE_ROUTES = [
  placeRoute(
    {
      ...ofOwner,
      method: 'get',
      path: '/places',
      operationId: 'getPlaces',
      summary: 'Where data and models live',
      description: 'The folders, the move that the next start carries out, and copies that moves left.',
      answers: { 200: jsonAnswer('The places.', PlacesView) },
    },
    async ({ places }, { reply }) => reply(200, await places.placesView()),
  ),
  placeRoute(
    {
      ...ofOwner,
      keyScope: 'owner',
      method: 'post',
      path: '/places/move',
      operationId: 'moveFolder',
      summary: 'Move data or models at the next start',
      description: `The folder is tried at once, and filled when Quarry starts again, before a database opens: each
file is copied and compared (on the same disk it gets a second name). Only then is the new folder in force. A move
that fails or is killed changes nothing; the next start tries again, or says why not.`,
      request: { schema: MoveRequest, example: { what: 'models', to: '/mnt/large/models' } },
      answers: { 202: jsonAnswer('Asked for.', PlacesView) },
      errors: [...BODY_ERRORS, 'conflict'],
    },
    async ({ places }, { body, reply }) => {
      await places.askForMove(await body());
      return reply(202, await places.placesView());
    },
  ),
  placeRoute(
    {
      ...ofOwner,
      keyScope: 'owner',
      method: 'delete',
      path: '/places/move',
      operationId: 'cancelMove',
      summary: 'Do not move',
      description: 'Before Quarry starts again; also forgets why a move failed.',
      answers: { 200: jsonAnswer('Cancelled.', PlacesView) },
    },
    async ({ places }, { reply }) => {
      places.cancelMove();
      return reply(200, await places.placesView());
    },
  ),
  placeRoute(
    {
      ...ofOwner,
      keyScope: 'owner',
      method: 'delete',
      path: '/places/former',
      operationId: 'deleteFormerCopies',
      summary: 'Delete what moves left',
      description: 'Only what was moved goes from the former folders; what else lies there stays.',
      answers: { 200: jsonAnswer('Deleted.', PlacesView) },
    },
    async ({ places }, { reply }) => {
      await places.removeFormerCopies();
      return reply(200, await places.placesView());
    },
  ),
];
