import { z } from 'zod';
import { jsonAnswer, routesOf } from './route.ts';

export interface HealthDeps {
  version: string;
  uptimeSeconds(): number;
  /** Checks by name. An error explains the fault in one public sentence. */
  checks: Record<string, () => Promise<void>>;
  isStopping(): boolean;
}

const Health = z.object({ status: z.literal('ok'), version: z.string(), uptimeSeconds: z.number().min(0) });

const Readiness = z.object({
  ready: z.boolean(),
  checks: z.record(
    z.string(),
    z.object({ ok: z.boolean(), message: z.string().optional().describe('What is wrong, and what to do.') }),
  ),
});

const route = routesOf<HealthDeps>();

const common = { method: 'get', scope: 'origin', tag: 'Service', auth: 'none' } as const;

export const HEALTH_ROUTES = [
  route(
    {
      ...common,
      path: '/health',
      forDevices: true,
      operationId: 'getHealth',
      summary: 'Check that the server runs',
      description: 'Succeeds while the process runs. Checks nothing else.',
      answers: { 200: jsonAnswer('It runs.', Health, { status: 'ok', version: '0.1.0', uptimeSeconds: 42 }) },
    },
    ({ version, uptimeSeconds }, { context, reply }) => {
      context.header('Cache-Control', 'no-store');
      return reply(200, { status: 'ok', version, uptimeSeconds: uptimeSeconds() });
    },
  ),
  route(
    {
      ...common,
      path: '/ready',
      forDevices: true,
      operationId: 'getReadiness',
      summary: 'Check that the server accepts work',
      description: 'Each check by name. A failed check has a sentence on what to do.',
      answers: {
        200: jsonAnswer('Ready.', Readiness, { ready: true, checks: { storage: { ok: true } } }),
        503: {
          ...jsonAnswer('Not ready.', Readiness, {
            ready: false,
            checks: { storage: { ok: false, message: 'The database cannot be written: free some disk space.' } },
          }),
          headers: [{ name: 'Retry-After', description: 'Seconds to wait before asking again.', example: '10' }],
        },
      },
    },
    async (deps, { context, reply }) => {
      const checks = await outcomesOf(deps);
      const ready = Object.values(checks).every(({ ok }) => ok);
      context.header('Cache-Control', 'no-store');
      if (!ready) context.header('Retry-After', '10');
      return reply(ready ? 200 : 503, { ready, checks });
    },
  ),
];

async function outcomesOf({ checks, isStopping }: HealthDeps): Promise<z.input<typeof Readiness>['checks']> {
  const outcomes: z.input<typeof Readiness>['checks'] = {};
  for (const [name, check] of Object.entries(checks)) {
    outcomes[name] = await check().then(
      () => ({ ok: true }),
      (error: unknown) => ({ ok: false, message: error instanceof Error ? error.message : 'The check failed.' }),
    );
  }
  // A stopping server says so before it refuses the first request. No other check sees it.
  if (isStopping()) outcomes.running = { ok: false, message: 'Quarry is stopping.' };
  return outcomes;
}
