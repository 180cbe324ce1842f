import { Hono } from 'hono';
import type { HttpEnv } from './env.ts';

export interface HealthDeps {
  version: string;
  uptimeSeconds(): number;
  /** Checks by name. An error explains the fault in one public sentence. */
  checks: Record<string, () => Promise<void>>;
  isStopping(): boolean;
}

/** `/health`: the process runs. `/ready`: it accepts work (503 with the failing checks otherwise). */
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
    // Reported as soon as the server stops, before the first request is refused. Otherwise the check is absent.
    if (deps.isStopping()) checks.running = { ok: false, message: 'Quarry is stopping.' };
    const ready = Object.values(checks).every(({ ok }) => ok);
    context.header('Cache-Control', 'no-store');
    if (!ready) context.header('Retry-After', '10');
    return context.json({ ready, checks }, ready ? 200 : 503);
  });

  return routes;
}
