import { Hono } from 'hono';
import type { HttpEnv } from './env.ts';

export interface HealthDeps {
  version: string;
  uptimeSeconds(): number;
  /** Each check by name; an error says in one public sentence what is wrong. */
  checks: Record<string, () => Promise<void>>;
  isStopping(): boolean;
}

/** `/health`: the process lives. `/ready`: it can take work (503 with the failing checks when it cannot). */
export function healthRoutes(deps: HealthDeps): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();

  routes.get('/health', (context) => {
    context.header('Cache-Control', 'no-store');
    return context.json({ status: 'ok', version: deps.version, uptimeSeconds: deps.uptimeSeconds() });
  });

  routes.get('/ready', async (context) => {
    const checks: Record<string, { ok: boolean; message?: string }> = {};
    for (const [name, check] of Object.entries(deps.checks)) {
      checks[name] = await check().then(
        () => ({ ok: true }),
        (error: unknown) => ({ ok: false, message: error instanceof Error ? error.message : 'The check failed.' }),
      );
    }
    // Who asks whether work may be sent here must hear it before the first is refused. There is no such check else.
    if (deps.isStopping()) checks.running = { ok: false, message: 'Quarry is stopping.' };
    const ready = Object.values(checks).every(({ ok }) => ok);
    context.header('Cache-Control', 'no-store');
    if (!ready) context.header('Retry-After', '10');
    return context.json({ ready, checks }, ready ? 200 : 503);
  });

  return routes;
}
