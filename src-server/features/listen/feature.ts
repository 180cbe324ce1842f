import { defineFeature } from '../../feature.ts';
import { audio } from '../audio/feature.ts';
import { devices } from '../devices/feature.ts';
import { library } from '../library/feature.ts';
import { FeedKeys } from './feed-keys.ts';
import { DEVICE_PACE, FEED_PACE, FeedLimit } from './feed-limit.ts';
import { feedRoutes } from './feed-routes.ts';
import { createListening } from './migrations.ts';
import { LISTEN_ROUTES } from './routes.ts';
import { Listening } from './service.ts';

/** Items of the library, read aloud; and a feed of them for podcast apps. */
export const listen = defineFeature({
  name: 'listen',
  uses: { audio, devices, library },
  migrations: { '056-listen': { up: createListening } },
  open(environment, { audio: { engine }, devices: { devices }, library: { library, textOf } }) {
    const { context } = environment;
    const listening = new Listening({
      ...environment,
      runTask: context.pool.run,
      readItem: (itemId) => library.readItem(itemId),
      textOf,
      audio: engine,
      encoder: async () => (await import('../media/service.ts')).soundEncoderOf(context),
    });
    const origins = () => [context.origin() + context.basePath(), ...devices.deviceAccessView().urls];
    const keys = new FeedKeys({ ...environment, origins });
    return {
      service: { listening, keys },
      start: () => listening.startListening(),
      close: () => listening.closeListening(),
    };
  },
  routes: { environment: LISTEN_ROUTES },
  // Podcast apps are strangers, let in by the address alone.
  guard: (app, { environments, server, door }) => {
    const places = [environments.production, environments.staging];
    const atDoor = (host: string) => `http://${host}`;
    const originOf = (host: string) => (door === null ? server.origin() + server.basePath() : atDoor(host));
    const limits = { byDevice: new FeedLimit(DEVICE_PACE), byFeed: new FeedLimit(FEED_PACE) };
    app.route(
      '/',
      feedRoutes({ places, limits, clock: server.clock, originOf: ({ req }) => originOf(req.header('host') ?? '') }),
    );
  },
});
