import { QuarryError } from '../../platform/errors.ts';
import { BODY_ERRORS, jsonAnswer, routesOf } from '../../platform/http/route.ts';
import { BackupsView, RestoreRequest } from './schema.ts';
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
  route(
    {
      ...common,
      keyScope: 'owner',
      path: '/backups/restore',
      method: 'post',
      operationId: 'startRestore',
      summary: 'Bring a backup back',
      description: `It is copied and checked beside the data, which goes on being used. It takes the place of the data
when Quarry starts again; what is replaced then is kept in a folder beside.`,
      request: { schema: RestoreRequest, example: { name: 'quarry-2026-11-28T21-00-00-000Z' } },
      answers: { 202: jsonAnswer('Begun.', BackupsView) },
      errors: [...BODY_ERRORS, 'not_found', 'conflict'],
    },
    async (environments, { body, reply }) => {
      const backups = backupsOf(environments);
      await backups.startRestore((await body()).name);
      return reply(202, await backups.backupsView());
    },
  ),
  route(
    {
      ...common,
      keyScope: 'owner',
      path: '/backups/restore',
      method: 'delete',
      operationId: 'cancelRestore',
      summary: 'Do not bring the backup back',
      description: 'Before Quarry starts again. The data stays as it is.',
      answers: { 200: jsonAnswer('Cancelled.', BackupsView) },
      errors: ['not_found', 'conflict'],
    },
    async (environments, { reply }) => {
      const backups = backupsOf(environments);
      backups.cancelRestore();
      return reply(200, await backups.backupsView());
    },
  ),
];
