import type { EnvironmentName } from '../../operation.ts';
import { jsonAnswer, routesOf } from '../../platform/http/route.ts';
import { AlertList } from './schema.ts';
import type { Alerts } from './service.ts';

const route = routesOf<Record<EnvironmentName, { alerts: Alerts }>>();

/** What the owner must mend. Mounted under `/admin`, behind the owner check. */
export const ADMIN_ALERT_ROUTES = [
  route(
    {
      scope: 'owner',
      tag: 'Overview',
      auth: 'owner',
      method: 'get',
      path: '/alerts',
      operationId: 'listAlerts',
      summary: 'List the alerts',
      description: `What the owner must mend, in both environments: open alerts, and the newest that were cleared. An
alert is raised once and cleared once. The owner's webhooks with the events \`alert.raised\` and \`alert.cleared\` are
sent the same object.`,
      answers: { 200: jsonAnswer('The alerts.', AlertList) },
      errors: [],
    },
    async (environments, { reply }) => {
      const lists = await Promise.all(Object.values(environments).map(({ alerts }) => alerts.readAlertList()));
      const newestUpdateFirst = (one: { updatedAt: string }, other: { updatedAt: string }) =>
        other.updatedAt.localeCompare(one.updatedAt);
      return reply(200, {
        open: lists.flatMap(({ open }) => open).sort(newestUpdateFirst),
        recent: lists.flatMap(({ recent }) => recent).sort(newestUpdateFirst),
      });
    },
  ),
];
