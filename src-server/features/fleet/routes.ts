import { z } from 'zod';
import { BODY_ERRORS, jsonAnswer, routesOf } from '../../platform/http/route.ts';
import { FleetChange, FleetNode, FleetView, NewNode, NodeCopy } from './schema.ts';
import type { FleetService } from './service.ts';

const route = routesOf<{ fleet: FleetService }>();

/** A key cannot admit machines. */
const owner = { scope: 'owner', tag: 'Nodes', auth: 'owner', keyScope: 'owner' } as const;

const ofOne = { ...owner, params: { nodeId: z.string().describe('Identifier of the node.') } } as const;

const ofModel = {
  ...owner,
  params: { ...ofOne.params, name: z.string().describe('Name of the model.') },
} as const;

/** Other machines that run jobs of this one. Mounted under `/admin`. */
export const ADMIN_FLEET_ROUTES = [
  route(
    {
      ...owner,
      method: 'get',
      path: '/fleet',
      operationId: 'getFleet',
      summary: 'Read the fleet and its nodes',
      description: 'Nodes are other machines that run heavy jobs of this one.',
      answers: { 200: jsonAnswer('The fleet.', FleetView) },
    },
    async ({ fleet }, { context, reply }) => {
      context.header('Cache-Control', 'no-store');
      return reply(200, await fleet.fleetView());
    },
  ),
  route(
    {
      ...owner,
      method: 'patch',
      path: '/fleet',
      operationId: 'changeFleet',
      summary: 'Turn the fleet on or off, or change it',
      description:
        'Starts the broker, nats-server, or connects to yours. Jobs on nodes run again when the fleet is turned off ' +
        'or moved. Without nats-server the answer is 503 and says how to install it.',
      request: { schema: FleetChange, example: { enabled: true, host: '192.168.1.20' } },
      answers: { 200: jsonAnswer('The fleet.', FleetView) },
      errors: [...BODY_ERRORS, 'engine_unavailable', 'conflict'],
    },
    async ({ fleet }, { body, reply }) => {
      const fields = await body();
      const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
      return reply(200, await fleet.changeFleetChoices(given));
    },
  ),
  route(
    {
      ...owner,
      method: 'post',
      path: '/fleet/nodes',
      operationId: 'createNode',
      summary: 'Create a node',
      description:
        'The answer holds the address that the node joins with, which cannot be read again: ' +
        '`quarry work --join <address>` on the other machine.',
      request: { schema: NewNode, example: { name: 'tower' } },
      answers: {
        201: jsonAnswer('The node.', z.object({ node: FleetNode, join: z.string().describe('Secret.') })),
      },
      errors: [...BODY_ERRORS, 'conflict'],
    },
    async ({ fleet }, { context, body, reply }) => {
      context.header('Cache-Control', 'no-store');
      return reply(201, await fleet.addFleetNode((await body()).name));
    },
  ),
  route(
    {
      ...ofOne,
      method: 'patch',
      path: '/fleet/nodes/{nodeId}',
      operationId: 'changeNode',
      summary: 'Drain a node, or use it again',
      description: 'A draining node ends its jobs and gets no more.',
      request: { schema: z.strictObject({ draining: z.boolean() }), example: { draining: true } },
      answers: { 204: { description: 'Changed.' } },
      errors: [...BODY_ERRORS, 'not_found'],
    },
    async ({ fleet }, { param, body, end }) => {
      await fleet.drainFleetNode(param('nodeId'), (await body()).draining);
      return end(204);
    },
  ),
  route(
    {
      ...ofOne,
      method: 'delete',
      path: '/fleet/nodes/{nodeId}',
      operationId: 'removeNode',
      summary: 'Remove a node',
      description: 'Its key is refused from now on. Its jobs run again elsewhere.',
      answers: { 204: { description: 'Removed.' } },
      errors: ['not_found'],
    },
    async ({ fleet }, { param, end }) => {
      await fleet.removeFleetNode(param('nodeId'));
      return end(204);
    },
  ),
  route(
    {
      ...ofModel,
      method: 'put',
      path: '/fleet/nodes/{nodeId}/models/{name}',
      operationId: 'copyModelToNode',
      summary: 'Copy a model to a node',
      description:
        'The node fetches the files of a model that is installed here, verifies them by their checksums and puts ' +
        'them into its models folder. A copy that was interrupted or cancelled goes on where it stopped. ' +
        '`GET /admin/fleet` shows how far it is.',
      answers: { 202: jsonAnswer('The copy.', NodeCopy) },
      errors: ['not_found', 'conflict'],
    },
    async ({ fleet }, { param, reply }) => reply(202, await fleet.copyModel(param('nodeId'), param('name'))),
  ),
  route(
    {
      ...ofModel,
      method: 'delete',
      path: '/fleet/nodes/{nodeId}/models/{name}',
      operationId: 'cancelModelCopy',
      summary: 'Cancel the copy of a model',
      description: 'What the node has of it is kept for the next try. One that failed is not listed any more.',
      answers: { 204: { description: 'Cancelled.' } },
      errors: ['not_found'],
    },
    ({ fleet }, { param, end }) => {
      fleet.cancelCopy(param('nodeId'), param('name'));
      return end(204);
    },
  ),
];
