import { z } from 'zod';
import { BODY_ERRORS, jsonAnswer, routesOf } from '../../platform/http/route.ts';
import { DeviceAccess, DoorChange, LinkCode } from './schema.ts';
import type { Devices } from './service.ts';

const route = routesOf<{ devices: Devices }>();

/** A key that opens this door, or links a device, would outlive itself. */
const owner = { scope: 'owner', tag: 'Devices', auth: 'owner', keyScope: 'owner' } as const;

/** Phones and other computers. Mounted under `/admin`, behind the owner check. */
export const ADMIN_DEVICE_ROUTES = [
  route(
    {
      ...owner,
      method: 'get',
      path: '/devices',
      operationId: 'getDeviceAccess',
      summary: 'Read where devices connect, and which are linked',
      description: 'The listener for phones and other computers of the network is off by default.',
      answers: { 200: jsonAnswer('The listener and the devices.', DeviceAccess) },
    },
    ({ devices }, { context, reply }) => {
      context.header('Cache-Control', 'no-store');
      return reply(200, devices.deviceAccessView());
    },
  ),
  route(
    {
      ...owner,
      method: 'patch',
      path: '/devices',
      operationId: 'changeDeviceAccess',
      summary: 'Let devices of the network in, or not',
      description:
        'Opens or closes the listener at once, also after a restart. Where it cannot be opened, all stays as it was. ' +
        'Closing it keeps the devices linked.',
      request: { schema: DoorChange, example: { on: true } },
      answers: { 200: jsonAnswer('The listener and the devices.', DeviceAccess) },
      errors: [...BODY_ERRORS, 'conflict'],
    },
    async ({ devices }, { context, body, reply }) => {
      const change = await body();
      context.set('audited', { target: Object.keys(change).join(' ') });
      return reply(200, await devices.changeDeviceDoor(change));
    },
  ),
  route(
    {
      ...owner,
      method: 'post',
      path: '/devices/codes',
      operationId: 'createLinkCode',
      summary: 'Create a code that links one device',
      description: 'It is valid once, for two minutes. The links carry it in their fragment, which no browser sends.',
      answers: { 201: jsonAnswer('The code.', LinkCode) },
      errors: ['conflict'],
    },
    ({ devices }, { context, reply }) => {
      context.header('Cache-Control', 'no-store');
      return reply(201, devices.createCode());
    },
  ),
  route(
    {
      ...owner,
      method: 'delete',
      path: '/devices/{deviceId}',
      operationId: 'signOutDevice',
      summary: 'Sign a device out',
      description: 'Takes effect at once, and ends what is being sent to it. Its jobs run on.',
      params: { deviceId: z.string().describe('Identifier of the device.') },
      answers: { 204: { description: 'Signed out.' } },
      errors: ['not_found'],
    },
    ({ devices }, { param, end }) => {
      devices.signOut(param('deviceId'));
      return end(204);
    },
  ),
];
