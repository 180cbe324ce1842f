import { z } from 'zod';
import { toIsoTime } from '../../platform/clock.ts';
import { BODY_ERRORS, jsonAnswer, routesOf } from '../../platform/http/route.ts';
import { type DeviceIdentity, sendPage, signInPage } from '../accounts/service.ts';
import type { Devices } from './service.ts';

const LinkBody = z.strictObject({ code: z.string().min(1).max(200) });

const PAGE = signInPage({
  title: 'Link to Quarry',
  path: 'link',
  field: 'code',
  doing: 'Linking this device…',
  absent: 'This address links no device. On the computer, open Settings, "Open on your phone", and scan the code.',
  refused: 'This code was used or has expired. Scan the new one on the computer.',
});

interface LinkDeps {
  devices: Devices;
  identity: DeviceIdentity;
}

const route = routesOf<LinkDeps>();

const common = { scope: 'origin', tag: 'Devices', path: '/link' } as const;

/** How a device signs in and out. They exist at the listener for devices only, so no document describes them. */
export const LINK_ROUTES = [
  route(
    {
      ...common,
      method: 'get',
      auth: 'none',
      operationId: 'getLinkPage',
      summary: 'The page that links a device',
      description: 'It takes the code from the fragment of its address.',
      answers: { 200: { description: 'The page.', content: { mediaType: 'text/html', schema: null } } },
    },
    (_, { context }) => sendPage(context, PAGE),
  ),
  route(
    {
      ...common,
      method: 'post',
      auth: 'none',
      operationId: 'linkDevice',
      summary: 'Link the device that asks',
      description: 'Sets the cookie of its session, and replaces the session that it has.',
      request: { schema: LinkBody },
      answers: {
        200: jsonAnswer('The second secret of the session.', z.object({ secret: z.string(), expiresAt: z.string() })),
      },
      errors: [...BODY_ERRORS, 'unauthorized', 'rate_limited'],
    },
    async ({ devices, identity }, { context, body, reply }) => {
      const { code } = await body();
      const { session, cookie, secret } = devices.linkDeviceByCode(code, {
        address: context.get('clientAddress'),
        userAgent: context.req.header('user-agent') ?? '',
        replaced: identity.sessionOfCookie(context.env.incoming)?.id ?? null,
      });
      context.set('actor', {});
      context.set('audited', { target: session.id });
      identity.setSessionCookie(context, cookie);
      context.header('Cache-Control', 'no-store');
      return reply(200, { secret, expiresAt: toIsoTime(devices.sessions.expiresAt(session)) });
    },
  ),
];

/** Behind the check of the device. */
export const UNLINK_ROUTES = [
  route(
    {
      ...common,
      method: 'delete',
      auth: 'owner',
      forDevices: true,
      operationId: 'unlinkDevice',
      summary: 'Sign the device out that asks',
      description: 'Its session ends at once.',
      answers: { 204: { description: 'Signed out.' } },
    },
    ({ devices, identity }, { context, end }) => {
      const current = context.get('session');
      devices.sessions.revokeSessions((session) => session === current, context.env.outgoing);
      identity.clearSessionCookie(context);
      return end(204);
    },
  ),
];
