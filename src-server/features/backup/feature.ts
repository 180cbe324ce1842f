import { defineFeature, type Opened } from '../../feature.ts';
import { alerts } from '../alerts/feature.ts';
import { BACKUP_ROUTES, type BackupDeps } from './routes.ts';
import { ScheduledBackups } from './service.ts';

/** Backups at intervals and on demand, of the whole data folder. Production tells of their failures. */
export const backup = defineFeature({
  name: 'backup',
  uses: { alerts },
  open({ name, context, workerEntry }, { alerts: { alerts } }): Opened<BackupDeps> {
    if (name !== 'production') return { service: { backups: null } };
    const { dataDir, clock, log, settings } = context;
    const onOutcome = (failure: string | null) => alerts.backupEnded(failure);
    const backups = new ScheduledBackups({ dataDir, clock, log, settings, workerEntry, onOutcome });
    return {
      service: { backups },
      start: () => backups.startScheduledBackups(),
      stop: () => backups.closeScheduledBackups(),
    };
  },
  routes: { owner: BACKUP_ROUTES },
});
