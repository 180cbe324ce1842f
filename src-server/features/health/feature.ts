import { defineFeature, type Mounted, type ServerContext } from '../../feature.ts';
import type { Storage } from '../../platform/db/database.ts';
import { checkDataFolder } from '../../platform/files/data-folder.ts';
import { HEALTH_ROUTES } from '../../platform/http/health.ts';
import { mountRoutes } from '../../platform/http/route.ts';
import { MIB } from '../../platform/units.ts';
import { VERSION } from '../../platform/version.ts';
import { payments } from '../payments/feature.ts';
import type { Payments } from '../payments/service.ts';

/** With less free space the server is not ready. */
const FREE_DISK_MIN_BYTES = 200 * MIB;

/** Whether the server runs, and is ready for work. */
export const health = defineFeature({
  name: 'health',
  uses: { payments },
  open: (_environment, { payments: { payments } }) => ({ service: { payments } }),
  routes: { described: { public: HEALTH_ROUTES } },
  mount: ({ server, environments }) => healthRoutes(server, environments.production.payments),
  mountAtDoor: ({ server, environments }) => healthRoutes(server, environments.production.payments),
});

function healthRoutes(server: ServerContext, payments: Payments): Mounted[] {
  const { dataDir, storage, disk, uptimeSeconds, isStopping } = server;
  const checks = {
    database: async () => checkDatabase(storage),
    disk: () => checkDataFolder(dataDir).then(async () => checkDisk(await disk())),
    settlement: () => checkSettlement(payments),
  };
  return [{ path: '/', routes: mountRoutes(HEALTH_ROUTES, { version: VERSION, uptimeSeconds, checks, isStopping }) }];
}

function checkDatabase({ db }: Storage): void {
  db.queryAll(db.selectFrom('settings').select('name').limit(1));
}

async function checkSettlement(payments: Payments): Promise<void> {
  const { checks } = await payments.settlementStatus();
  const failing = checks.find(({ ok }) => !ok);
  if (failing) throw new Error(failing.detail);
}

function checkDisk({ freeBytes }: { freeBytes: number }): void {
  if (freeBytes < FREE_DISK_MIN_BYTES) throw new Error('The disk of the data folder is almost full: free some space.');
}
