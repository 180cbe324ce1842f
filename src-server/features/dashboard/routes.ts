import { z } from 'zod';
import { isDevice } from '../../context.ts';
import { EnvironmentQuery } from '../../operation.ts';
import { BODY_ERRORS, json, routesOf } from '../../platform/http/route.ts';
import { keyOfPrincipal } from '../accounts/service.ts';
import type { Jobs } from '../jobs/service.ts';
import type { Payments } from '../payments/service.ts';
import { activityOf } from './activity.ts';
import { ACTIVITY_RANGES, Activity, Overview, Settings, SettingsChange } from './schema.ts';

/** The data folder and the free space of its disk. */
export interface DiskView {
  folder: string;
  freeBytes: number;
  totalBytes: number;
}

export interface AdminDeps {
  version: string;
  uptimeSeconds(): number;
  environments: readonly { name: string; jobs: Jobs; payments: Payments }[];
  pool(): { threads: number; busy: number; waiting: number };
  /** Chunks without vectors, where an embedding model is installed, and the progress of an index that is rebuilt. */
  search(): Promise<
    { environment: string; model: string | null; waitingChunks: number; rebuiltPercent: number | null }[]
  >;
  disk(): Promise<DiskView>;
  settings(): Readonly<Settings>;
  /** @param isByTool a named key changes them, not the owner */
  changeSettings(fields: Partial<Settings>, isByTool: boolean): Settings;
}

const ActivityQuery = EnvironmentQuery.extend({
  range: z.enum(ACTIVITY_RANGES).default('month').describe('The last 24 hours, or the last 30 days.'),
});

const route = routesOf<AdminDeps>();

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
      answers: { 200: json('The figures.', Overview) },
      errors: [],
    },
    async (deps, { context, reply }) => {
      const { folder, ...disk } = await deps.disk();
      const queues = await Promise.all(
        deps.environments.map(async ({ name, jobs }) => ({ environment: name, ...(await jobs.figures()) })),
      );
      const { rss, heapUsed } = process.memoryUsage();
      return reply(200, {
        version: deps.version,
        uptimeSeconds: deps.uptimeSeconds(),
        queues,
        pool: deps.pool(),
        memory: { residentBytes: rss, heapBytes: heapUsed },
        search: await deps.search(),
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
      answers: { 200: json('The course.', Activity) },
    },
    ({ environments }, { query, reply }) => {
      const { environment, range } = query();
      const [found] = environments.filter(({ name }) => name === environment);
      if (found === undefined) throw new Error(`There is no environment ${environment}.`);
      return reply(200, activityOf(found, range));
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
      answers: { 200: json('All settings.', Settings) },
      errors: [],
    },
    ({ settings }, { reply }) => reply(200, settings()),
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
      answers: { 200: json('All settings.', Settings) },
      errors: BODY_ERRORS,
    },
    async ({ changeSettings }, { context, body, readBody, reply }) => {
      const given = (await readBody()) as Record<string, unknown>;
      const parsed = await body();
      // Defaults belong to reading: a field that is not named stays as it is.
      const fields = Object.fromEntries(Object.entries(parsed).filter(([name]) => Object.hasOwn(given, name)));
      context.set('audited', { target: Object.keys(fields).join(' ') });
      return reply(200, await changeSettings(fields, keyOfPrincipal(context.get('principal')) !== undefined));
    },
  ),
];
