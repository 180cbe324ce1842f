import { defineFeature } from '../../feature.ts';
import { alerts } from '../alerts/feature.ts';
import { ScheduledBackups } from './service.ts';

/** Backups at intervals, of the whole data folder. Production tells of their failures. */
export const backup = defineFeature({
  name: 'backup',
  uses: { alerts },
  open({ name, context, workerEntry }, { alerts: { alerts } }) {
    if (name !== 'production') return { service: {} };
    const { dataDir, clock, log, settings } = context;
    const onOutcome = (failure: string | null) => alerts.backupEnded(failure);
    const backups = new ScheduledBackups({ dataDir, clock, log, settings, workerEntry, onOutcome });
    return { service: {}, start: () => backups.startScheduledBackups(), stop: () => backups.closeScheduledBackups() };
  },
});
