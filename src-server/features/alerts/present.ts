/** What an alert says to the owner. */

import type { EnvironmentName, Operation } from '../../operation.ts';
import { toIsoTime } from '../../platform/clock.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import { type Said, saidElsewhere, saidTogether, say } from '../../platform/text/say.ts';
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
  title: Said;
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
      return { title: say`The backup failed`, message: facts.reason, page: '/settings' };
  }
}

function ofJobs(
  { operationId, failures, jobId, jobName, reason }: JobsFailing,
  operations: readonly Operation[],
): Words {
  if (failures === 1) return { title: say`${jobName} failed`, message: reason, page: `/jobs/${jobId}` };
  const query = new URLSearchParams({ status: 'failed', jobType: operationId });
  const kind = operations.find(({ id }) => id === operationId)?.words.plural ?? operationId;
  const title = say`${failures} jobs failed: ${kind}`;
  return { title, message: say`${jobName}: ${reason}`, page: `/jobs?${query}` };
}

function ofEndpoint({ webhookId, name, url, notice, responseStatus, errorClass }: EndpointFailing): Words {
  const last =
    responseStatus === null
      ? say`The last call of ${url} was not answered (${errorClass ?? ''}).`
      : say`The last call of ${url} was answered with ${responseStatus}.`;
  const next = say`Repair the receiving program; failed deliveries can be sent again.`;
  return {
    title: say`${name ?? URL.parse(url)?.host ?? url} is not answering`,
    message: notice ?? saidTogether([last, next]),
    page: `/webhooks?${new URLSearchParams({ tab: 'deliveries', webhookId })}`,
  };
}

function ofDisk({ freeBytes, limitBytes }: DiskLow): Words {
  const [free, limit] = [describeBytes(freeBytes), describeBytes(limitBytes)];
  const space = say`The disk of the data folder has ${free} left, less than ${limit}.`;
  const next = say`Delete models or jobs, or shorten the time that results are kept.`;
  return { title: say`Disk space is low`, message: saidTogether([space, next]), page: '/settings' };
}

function ofInstallation(facts: InstallNeeded): Words {
  const { reason, jobId, choice } = facts;
  const sentences = [saidElsewhere(reason), ...(choice === null ? [] : [say`Install it: ${offerOf(choice)}.`])];
  return { title: installationTitle(facts), message: saidTogether(sentences), page: `/jobs/${jobId}` };
}

function installationTitle({ waitingJobs, forNode, jobName }: InstallNeeded): Said {
  if (waitingJobs === 0) return say`${jobName} needs an installation`;
  if (waitingJobs === 1) return forNode ? say`${jobName} waits for a node` : say`${jobName} waits for an installation`;
  return forNode ? say`${waitingJobs} jobs wait for a node` : say`${waitingJobs} jobs wait for an installation`;
}

/** The window shows production unless its address says otherwise. */
function inEnvironment(page: string, environment: EnvironmentName): string {
  if (environment === 'production') return page;
  return `${page}${page.includes('?') ? '&' : '?'}environment=${environment}`;
}
