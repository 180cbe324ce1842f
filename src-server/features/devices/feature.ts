import { networkInterfaces } from 'node:os';
import { type Door, defineFeature } from '../../feature.ts';
import { mountRoutes } from '../../platform/http/route.ts';
import { accounts } from '../accounts/feature.ts';
import { dashboardRoutes } from '../dashboard/feature.ts';
import { LINK_ROUTES, UNLINK_ROUTES } from './link-routes.ts';
import { createNetworkDoor } from './migrations.ts';
import { ADMIN_DEVICE_ROUTES } from './routes.ts';
import { Devices } from './service.ts';

declare module '../../context.ts' {
  interface FeatureOptions {
    /** Test hook: IPv4 addresses of this computer in its networks. */
    networkAddresses?: () => readonly string[];
  }
}

const DOOR_ROUTES = [...LINK_ROUTES, ...UNLINK_ROUTES];

/** The window on phones and other computers of the network, at a listener of its own. */
export const devices = defineFeature({
  name: 'devices',
  uses: { accounts },
  migrations: { '051-devices': { up: createNetworkDoor } },
  openShared(server, { accounts: { deviceSessions: sessions, identifyDevices } }) {
    const { storage, clock, log, options, address, openDoor } = server;
    const identityAt = ({ place }: Pick<Door, 'place'>) => identifyDevices(place.port, DOOR_ROUTES);
    const devices = new Devices({
      storage,
      clock,
      log,
      sessions,
      addresses: options.networkAddresses ?? addressesInNetworks,
      ownPort: () => address().port,
      openDoor: (place) => {
        const { identify, isLinked } = identityAt({ place });
        return openDoor({ place, identify, isOwner: isLinked, routes: DOOR_ROUTES });
      },
    });
    return {
      service: { devices, identityAt },
      start: () => devices.startDevices(),
      stop: () => devices.closeDevices(),
    };
  },
  routes: { shared: ADMIN_DEVICE_ROUTES },
  // Strangers get the window's files, which hold no data, and the page that links a device.
  guard: (app, { door, server, shared: { devices, identityAt } }) => {
    if (door === null) return;
    const linking = { devices, identity: identityAt(door) };
    app.route('/', mountRoutes(LINK_ROUTES, linking, server.readBody));
    app.route('/', dashboardRoutes(server.rendererFolder, server.basePath, true));
  },
  mountAtDoor: ({ door, shared: { devices, identityAt } }) =>
    door === null ? [] : [{ path: '/', routes: mountRoutes(UNLINK_ROUTES, { devices, identity: identityAt(door) }) }],
});

/** IPv4 addresses of this computer that others of its networks can reach. */
function addressesInNetworks(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.flatMap(({ address, family, internal }) => (family === 'IPv4' && !internal ? [address] : []));
}
