import { QuarryError } from '../../platform/errors.ts';
import { jsonAnswer, routesOf } from '../../platform/http/route.ts';
import { BackupsView } from './schema.ts';
import type { ScheduledBackups } from './service.ts';

export interface BackupDeps {
  /** Of production, which backs up both environments. */
  backups: ScheduledBackups | null;
}

const route = routesOf<Record<'production' | 'staging', BackupDeps>>();

const common = { scope: 'owner', auth: 'owner', tag: 'Backup', path: '/backups' } as const;

function backupsOf({ production: { backups } }: Record<'production', BackupDeps>): ScheduledBackups {
  if (backups === null) throw new QuarryError('not_found', 'There are no backups here.');
  return backups;
}

export const BACKUP_ROUTES = [
  route(
    {
      ...common,
      method: 'get',
      operationId: 'listBackups',
      summary: 'List the backups',
      description: 'Those in the backup folder, and whether one is being made.',
      answers: { 200: jsonAnswer('The backups.', BackupsView) },
      errors: ['not_found'],
    },
    async (environments, { reply }) => reply(200, await backupsOf(environments).backupsView()),
  ),
  route(
    {
      ...common,
      method: 'post',
      operationId: 'startBackup',
      summary: 'Back up now',
      description: 'Into the folder of the settings. It goes on after the answer; the list says when it is there.',
      answers: { 202: jsonAnswer('Begun.', BackupsView) },
      errors: ['not_found', 'conflict'],
    },
    async (environments, { reply }) => {
      const backups = backupsOf(environments);
      backups.startBackup();
      return reply(202, await backups.backupsView());
    },
  ),
];
