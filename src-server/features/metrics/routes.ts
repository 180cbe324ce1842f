import { Hono, type MiddlewareHandler } from 'hono';
import type { ScopedAddress } from '../../feature.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import type { Metrics } from './service.ts';

/** Prometheus sends a named key as its bearer token. */
export const METRICS_ADDRESSES: readonly ScopedAddress[] = [{ method: 'GET', path: '/metrics', keyScope: 'read' }];

export function metricsRoutes(metrics: Metrics, ownerOnly: MiddlewareHandler<HttpEnv>): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  routes.get('/metrics', ownerOnly, async (context) => {
    const { text, contentType } = await metrics.metricsText();
    context.header('Content-Type', contentType);
    context.header('Cache-Control', 'no-store');
    return context.body(text);
  });
  return routes;
}
