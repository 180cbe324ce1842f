import { z } from 'zod';
import { isDevice, type KeyIdentity, PRIVATE_NETWORK_SCOPE } from '../../context.ts';
import type { ServerContext } from '../../feature.ts';
import { type EnvironmentName, EnvironmentQuery } from '../../operation.ts';
import { QuarryError } from '../../platform/errors.ts';
import { BODY_ERRORS, jsonAnswer, routesOf } from '../../platform/http/route.ts';
import { TimeZone, UTC } from '../../platform/time-zone.ts';
import { VERSION } from '../../platform/version.ts';
import { keyOfPrincipal } from '../accounts/service.ts';
import type { Jobs } from '../jobs/service.ts';
import type { Payments } from '../payments/service.ts';
import type { SearchFeature } from '../search/service.ts';
import { activityOf } from './activity.ts';
import { ACTIVITY_RANGES, Activity, Overview, Settings, SettingsChange } from './schema.ts';

interface AdminDeps {
  name: EnvironmentName;
  server: ServerContext;
  jobs: Jobs;
  payments: Payments;
  search: SearchFeature;
}

const ActivityQuery = EnvironmentQuery.extend({
  timeZone: TimeZone.default(UTC).describe('Whose days are counted, such as `Europe/Berlin`.'),
  range: z.enum(ACTIVITY_RANGES).default('month').describe('The last 24 hours, or the last 30 days.'),
});

const route = routesOf<Record<EnvironmentName, AdminDeps>>();

const common = { scope: 'owner', auth: 'owner' } as const;

/** The overview and the settings. Mounted under `/admin`, behind the owner check. */
export const ADMIN_ROUTES = [
  route(
    {
      ...common,
      method: 'get',
      path: '/overview',
      forDevices: true,
      operationId: 'getOverview',
      tag: 'Overview',
      summary: 'Health and figures',
      description: 'Queues, threads, memory, search and disk.',
      answers: { 200: jsonAnswer('The figures.', Overview) },
      errors: [],
    },
    async (environments, { context, reply }) => {
      const { server } = environments.production;
      const { folder, ...disk } = await server.disk();
      const { rss, heapUsed } = process.memoryUsage();
      const all = Object.values(environments);
      const [queues, search] = await Promise.all([
        Promise.all(all.map(async ({ name, jobs }) => ({ environment: name, ...(await jobs.jobFigures()) }))),
        Promise.all(all.map(async ({ name, search }) => ({ environment: name, ...(await search.figures()) }))),
      ]);
      return reply(200, {
        version: VERSION,
        uptimeSeconds: server.uptimeSeconds(),
        queues,
        pool: server.pool.figures(),
        memory: { residentBytes: rss, heapBytes: heapUsed },
        search,
        disk: isDevice(keyOfPrincipal(context.get('principal'))) ? disk : { folder, ...disk },
      });
    },
  ),
  route(
    {
      ...common,
      method: 'get',
      path: '/activity',
      operationId: 'getActivity',
      tag: 'Overview',
      summary: 'Jobs and earnings over time',
      description: "Jobs that ended, without the owner's own searches, and payments that settled.",
      query: ActivityQuery,
      answers: { 200: jsonAnswer('The course.', Activity) },
    },
    (environments, { query, reply }) => {
      const { environment, range, timeZone } = query();
      return reply(200, activityOf(environments[environment], range, timeZone));
    },
  ),
  route(
    {
      ...common,
      method: 'get',
      path: '/settings',
      operationId: 'getSettings',
      tag: 'Settings',
      summary: 'Read the settings',
      description: 'Every field has a default.',
      answers: { 200: jsonAnswer('All settings.', Settings) },
      errors: [],
    },
    ({ production: { server } }, { reply }) => reply(200, server.settings()),
  ),
  route(
    {
      ...common,
      method: 'patch',
      path: '/settings',
      operationId: 'changeSettings',
      tag: 'Settings',
      summary: 'Change settings',
      description: 'Fields that are left out stay as they are. A change applies without a restart.',
      request: { schema: SettingsChange },
      answers: { 200: jsonAnswer('All settings.', Settings) },
      errors: [...BODY_ERRORS, 'forbidden'],
    },
    async ({ production: { server } }, { context, body, readBody, reply }) => {
      const given = (await readBody()) as Record<string, unknown>;
      const parsed = await body();
      // Defaults belong to reading: a field that is not named stays as it is.
      const fields: Partial<Settings> = Object.fromEntries(
        Object.entries(parsed).filter(([name]) => Object.hasOwn(given, name)),
      );
      context.set('audited', { target: Object.keys(fields).join(' ') });
      const key = keyOfPrincipal(context.get('principal'));
      refuseServers(key, fields);
      // The keys of servers stay with the addresses that they were given for.
      const { textServerUrl, speechServerUrl } = fields;
      const { text, speech } = server.serverKeys;
      if (textServerUrl !== undefined) text.bindToNamedAddress(textServerUrl, key !== undefined);
      if (speechServerUrl !== undefined) speech.bindToNamedAddress(speechServerUrl, key !== undefined);
      return reply(200, server.settingsStore.changeStoredSettings(fields));
    },
  ),
];

/** Settings with the address of a server that this one calls: it may lie in the private network. */
const SERVERS = ['modelMirrorUrl', 'textServerUrl', 'speechServerUrl'] as const;

/** Errors: `forbidden` for a key that may not name private hosts. */
function refuseServers(key: KeyIdentity | undefined, fields: Partial<Settings>): void {
  const named = SERVERS.find((name) => typeof fields[name] === 'string');
  if (named === undefined || key === undefined || key.scopes.includes(PRIVATE_NETWORK_SCOPE)) return;
  throw new QuarryError(
    'forbidden',
    `This key may not set ${named}: it also needs ${PRIVATE_NETWORK_SCOPE}. Set it in the settings of the window.`,
  );
}
