import { ADMIN_SESSION_ROUTES, LOGIN_ROUTES } from './features/accounts/routes.ts';
import { VOICE_ROUTES } from './features/audio/routes.ts';
import { ADMIN_CONTRIBUTION_ROUTES, CONTRIBUTION_ROUTES } from './features/contributions/routes.ts';
import { ADMIN_EVENT_ROUTES } from './features/dashboard/events.ts';
import { ADMIN_ROUTES } from './features/dashboard/routes.ts';
import { ADMIN_JOB_ROUTES } from './features/jobs/admin-routes.ts';
import { JOB_ROUTES } from './features/jobs/routes.ts';
import { ADMIN_LIMIT_EVENT_ROUTES, ADMIN_LIMIT_ROUTES } from './features/limits/routes.ts';
import { ADMIN_MEDIA_ROUTES } from './features/media/routes.ts';
import { ADMIN_MODEL_ROUTES } from './features/models/routes.ts';
import { ADMIN_PAYMENT_ROUTES, FACILITATOR_ROUTES } from './features/payments/routes.ts';
import { DOCUMENT_ROUTES, OWNER_DOCUMENT_ROUTES } from './features/reference/routes.ts';
import { ADMIN_WEBHOOK_ROUTES, WEBHOOK_ROUTES } from './features/webhooks/routes.ts';
import { HEALTH_ROUTES } from './platform/http/health.ts';
import type { RouteDescription } from './platform/http/route.ts';

/** Fixed routes that the public document describes. */
export const PUBLIC_ROUTES: readonly RouteDescription[] = [
  ...JOB_ROUTES,
  ...WEBHOOK_ROUTES,
  ...CONTRIBUTION_ROUTES,
  ...VOICE_ROUTES,
  ...FACILITATOR_ROUTES,
  ...HEALTH_ROUTES,
  ...DOCUMENT_ROUTES,
];

/** Fixed routes that the owner's document describes. */
export const OWNER_ROUTES: readonly RouteDescription[] = [
  ...ADMIN_ROUTES,
  ...ADMIN_EVENT_ROUTES,
  ...LOGIN_ROUTES,
  ...ADMIN_SESSION_ROUTES,
  ...ADMIN_JOB_ROUTES,
  ...ADMIN_LIMIT_ROUTES,
  ...ADMIN_LIMIT_EVENT_ROUTES,
  ...ADMIN_MODEL_ROUTES,
  ...ADMIN_MEDIA_ROUTES,
  ...ADMIN_WEBHOOK_ROUTES,
  ...ADMIN_CONTRIBUTION_ROUTES,
  ...ADMIN_PAYMENT_ROUTES,
  ...OWNER_DOCUMENT_ROUTES,
];
