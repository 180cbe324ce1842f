import { defineFeature } from '../../feature.ts';
import { jobs } from '../jobs/feature.ts';
import { models } from '../models/feature.ts';
import { webhooks } from '../webhooks/feature.ts';
import { createAlerts } from './migrations.ts';
import { ADMIN_ALERT_ROUTES } from './routes.ts';
import { Alerts } from './service.ts';

/** What the owner must mend. */
export const alerts = defineFeature({
  name: 'alerts',
  uses: { jobs, models, webhooks },
  migrations: { '038-alerts': { up: createAlerts } },
  open(environment, { jobs: { jobs, events }, models: { needs }, webhooks: { webhooks, listeners } }) {
    const { name } = environment;
    // Both environments share the disk: production looks at it.
    const freeDisk = name === 'production' ? environment.freeDisk : null;
    const alerts = new Alerts({ ...environment, environment: name, needs, freeDisk, jobs, webhooks });
    events.on('ended', (tx, job, _result, missing) => alerts.jobEnded(tx, job, missing));
    events.on('removed', (tx, jobId) => alerts.jobRemoved(tx, jobId));
    listeners.endpoints.push(alerts);
    listeners.presenters.push((ids) => alerts.presentAlertBodies(ids));
    return {
      service: { alerts },
      start: () => alerts.startAlerts(),
      stop: () => alerts.closeAlerts(),
    };
  },
  routes: { owner: ADMIN_ALERT_ROUTES },
});
