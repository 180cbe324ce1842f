import { Hono } from 'hono';
import type { ReadSmallJson } from '../../platform/http/body.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { parseWithSchema } from '../../platform/http/validate.ts';
import type { Jobs } from '../jobs/service.ts';
import { Settings } from './schema.ts';

/** The data folder and the free space of its disk. */
export interface DiskView {
  folder: string;
  freeBytes: number;
  totalBytes: number;
}

export interface AdminDeps {
  version: string;
  uptimeSeconds(): number;
  environments: readonly { name: string; jobs: Jobs }[];
  pool(): { threads: number; busy: number; waiting: number };
  /** Chunks without vectors, where an embedding model is installed, and the progress of an index that is rebuilt. */
  search(): Promise<
    { environment: string; model: string | null; waitingChunks: number; rebuiltPercent: number | null }[]
  >;
  disk(): Promise<DiskView>;
  settings(): Readonly<Settings>;
  changeSettings(fields: Partial<Settings>): Settings;
  readBody: ReadSmallJson;
}

const SettingsChange = Settings.partial().strict();

/** Overview for the dashboard: health, queues, memory, disk, settings. */
export function adminRoutes(deps: AdminDeps): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();

  routes.get('/overview', async (context) => {
    const queues = deps.environments.map(({ name, jobs }) => ({ environment: name, ...jobs.figures() }));
    const { rss, heapUsed } = process.memoryUsage();
    return context.json({
      version: deps.version,
      uptimeSeconds: deps.uptimeSeconds(),
      queues,
      pool: deps.pool(),
      memory: { residentBytes: rss, heapBytes: heapUsed },
      search: await deps.search(),
      disk: await deps.disk(),
    });
  });

  routes.get('/settings', (context) => context.json(deps.settings()));

  routes.patch('/settings', async (context) => {
    const body = await deps.readBody(context);
    const parsed = parseWithSchema(SettingsChange, body);
    // Ignores schema defaults: fields missing from the body keep their value.
    const fields = Object.fromEntries(Object.entries(parsed).filter(([name]) => Object.hasOwn(body, name)));
    return context.json(deps.changeSettings(fields));
  });

  return routes;
}
