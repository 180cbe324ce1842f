/** What an alert says to the owner. */

import type { EnvironmentName, Operation } from '../../operation.ts';
import { toIsoTime } from '../../platform/clock.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import { describeBytes } from '../../platform/units.ts';
import { offerOf } from '../models/schema.ts';
import type { Alert, AlertFacts, DiskLow, EndpointFailing, InstallNeeded, JobsFailing } from './schema.ts';
import type { AlertRow } from './store.ts';

interface AlertView {
  environment: EnvironmentName;
  operations: readonly Operation[];
  isInstalling(name: string): boolean;
}

export function presentAlert(row: AlertRow, { environment, operations, isInstalling }: AlertView): Alert {
  const facts = parseOwnJson<AlertFacts>(row.facts);
  const { title, message, page } = alertWordsOf(facts, operations);
  const install = 'choice' in facts ? facts.choice : null;
  return {
    alertId: row.id,
    environment,
    kind: row.kind,
    subject: row.subject,
    status: row.cleared_at === null ? 'open' : 'cleared',
    title,
    message,
    page: inEnvironment(page, environment),
    waitingJobs: facts.kind === 'install-needed' ? facts.waitingJobs : 0,
    jobId: 'jobId' in facts ? facts.jobId : null,
    install,
    installing: install !== null && row.cleared_at === null && isInstalling(install.name),
    raisedAt: toIsoTime(row.raised_at),
    updatedAt: toIsoTime(row.updated_at),
    clearedAt: row.cleared_at === null ? null : toIsoTime(row.cleared_at),
  };
}

interface Words {
  title: string;
  message: string;
  page: string;
}

function alertWordsOf(facts: AlertFacts, operations: readonly Operation[]): Words {
  switch (facts.kind) {
    case 'jobs-failing':
      return ofJobs(facts, operations);
    case 'endpoint-failing':
      return ofEndpoint(facts);
    case 'disk-low':
      return ofDisk(facts);
    case 'install-needed':
      return ofInstallation(facts);
    case 'backup-failed':
      return { title: 'The backup failed', message: facts.reason, page: '/settings' };
  }
}

function ofJobs(
  { operationId, failures, jobId, jobName, reason }: JobsFailing,
  operations: readonly Operation[],
): Words {
  if (failures === 1) return { title: `${jobName} failed`, message: reason, page: `/jobs/${jobId}` };
  const query = new URLSearchParams({ status: 'failed', jobType: operationId });
  const kind = operations.find(({ id }) => id === operationId)?.words.plural ?? operationId;
  const title = `${failures} jobs failed: ${kind}`;
  return { title, message: `${jobName}: ${reason}`, page: `/jobs?${query}` };
}

function ofEndpoint({ webhookId, name, url, notice, responseStatus, errorClass }: EndpointFailing): Words {
  const last = responseStatus === null ? `did not answer (${errorClass})` : `answered ${responseStatus}`;
  return {
    title: `${name ?? URL.parse(url)?.host ?? url} is not answering`,
    message:
      notice ?? `The last call of ${url} ${last}. Repair the receiving program; failed deliveries can be sent again.`,
    page: `/webhooks?${new URLSearchParams({ tab: 'deliveries', webhookId })}`,
  };
}

function ofDisk({ freeBytes, limitBytes }: DiskLow): Words {
  const [free, limit] = [describeBytes(freeBytes), describeBytes(limitBytes)];
  const space = `The disk of the data folder has ${free} left, less than ${limit}.`;
  return {
    title: 'Disk space is low',
    message: `${space} Delete models or jobs, or shorten the time that results are kept.`,
    page: '/settings',
  };
}

function ofInstallation({ reason, waitingJobs, forNode, jobId, jobName, choice }: InstallNeeded): Words {
  const many = waitingJobs > 1 ? `${waitingJobs} jobs wait` : `${jobName} waits`;
  const what = forNode ? 'a node' : 'an installation';
  const title = waitingJobs > 0 ? `${many} for ${what}` : `${jobName} needs an installation`;
  const offer = choice === null ? '' : ` Install ${offerOf(choice)}.`;
  return { title, message: `${reason}${offer}`, page: `/jobs/${jobId}` };
}

/** The window shows production unless its address says otherwise. */
function inEnvironment(page: string, environment: EnvironmentName): string {
  if (environment === 'production') return page;
  return `${page}${page.includes('?') ? '&' : '?'}environment=${environment}`;
}
