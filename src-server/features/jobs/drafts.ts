/** From a body to a job that may be inserted: the same checks for every interface. */

import { isDevice, PRIVATE_NETWORK_SCOPE, type Principal } from '../../context.ts';
import { type Operation, ofOperation } from '../../operation.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { Upload } from '../../platform/files/uploads.ts';
import { newId } from '../../platform/ids.ts';
import type { InstallChoice } from '../../platform/install-choice.ts';
import { PrivateHost } from '../../platform/net/private-host.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import { saidElsewhere } from '../../platform/text/say.ts';
import { keyOfPrincipal, refuseCallbacksOfDevices, requireScope } from '../accounts/service.ts';
import type { Jobs } from './jobs.ts';
import { operationFor, parseRequest, priorityOf, targetsOf } from './request-checks.ts';
import type { JobDraft, WebhookMaker } from './schema.ts';
import type { InstallPreference } from './waiting.ts';

interface DraftService {
  operations: readonly Operation[];
  jobs: Jobs;
  checkTargets(maker: WebhookMaker, targets: readonly { path: string; url: string }[]): Promise<void>;
  admitWebhook(maker: WebhookMaker, request: Record<string, unknown>): Promise<void>;
  admit(operation: Operation, request: Record<string, unknown>, accountId: string): Promise<() => void>;
  dedupeKey(operation: Operation, request: Record<string, unknown>, accountId: string): Promise<string | null>;
  deterministicId(prefix: string, accountId: string, request: Record<string, unknown>): string;
}

/**
 * Validates the body. Errors: `invalid_request`, those of the file's kind, `rate_limited` for a key.
 *
 * @param givenId id of the job where the caller chose it; ids of deterministic jobs follow from the request
 */
export async function jobDraftOf(
  service: DraftService,
  operation: Operation,
  principal: Principal,
  parsed: { value: Record<string, unknown>; upload: Upload | null },
  givenId?: string,
): Promise<JobDraft> {
  const request = parseRequest(operation, parsed.value, principal);
  const targets = targetsOf(request);
  const urls = targets.map(({ path, draft }) => ({ path, url: draft.url }));
  const key = keyOfPrincipal(principal);
  if (urls.length > 0) {
    refuseCallbacksOfDevices(key);
    await service.checkTargets(principal, urls);
  }
  if (operation.receivesJobs === true) {
    requireScope(key, ['read']);
    await service.admitWebhook(principal, request);
  }
  const target = parsed.upload ? operationFor(operation, parsed.upload, service.operations) : operation;
  const { idPrefix, inline } = target;
  const maxAgeSeconds = target.maxAgeSeconds?.(ofOperation(request)) ?? null;
  const jobId =
    inline?.jobId === 'deterministic'
      ? service.deterministicId(idPrefix, principal.accountId, request)
      : (givenId ?? newId(idPrefix));
  return {
    jobId,
    operationId: target.id,
    accountId: principal.accountId,
    request,
    upload: parsed.upload,
    priority: priorityOf(request),
    dedupeKey: await service.dedupeKey(target, request, principal.accountId),
    ...omitUndefined({
      maxAgeSeconds: maxAgeSeconds ?? undefined,
      key:
        key === undefined ? undefined : { id: key.id, name: key.name, openJobs: key.openJobs, isDevice: isDevice(key) },
    }),
    privateHost: namedPrivateHost(principal, request),
    subscriptions: targets.map(({ draft }) => draft),
  };
}

/** The host of the request's address, if the caller may reach private hosts that it names. */
function namedPrivateHost(principal: Principal, { sourceUrl, url }: Record<string, unknown>): string | null {
  if (principal.kind !== 'owner') return null;
  if (principal.key !== undefined && !principal.key.scopes.includes(PRIVATE_NETWORK_SCOPE)) return null;
  return PrivateHost.privateHostOf(String(sourceUrl ?? url ?? ''))?.host ?? null;
}

/**
 * Admits the request. For the owner who prefers it, the job waits for what is missing; for all others the error lists
 * what the owner can install.
 */
export async function admitOrWait(
  service: DraftService,
  operation: Operation,
  draft: JobDraft,
  preference: InstallPreference | null,
): Promise<() => void> {
  const { waiting } = service.jobs;
  // An operation that answers at once can wait only before its run.
  if (preference !== null && !operation.inline) draft.install = { onMissing: waiting.onMissing(preference) };
  try {
    return await service.admit(operation, draft.request, draft.accountId);
  } catch (error) {
    const lack = await waiting.lackOfError(error);
    if (lack === null) throw error;
    const wait = preference === null ? null : waiting.newWait(lack, preference);
    if (wait === null) throw withChoices(error as QuarryError, lack.choices);
    draft.install = { onMissing: wait.onMissing, wait };
    return () => {};
  }
}

function withChoices(error: QuarryError, choices: readonly InstallChoice[]): QuarryError {
  const { code, message, retryable, missing } = error;
  return new QuarryError(code, saidElsewhere(message), {
    cause: error,
    retryable,
    choices,
    ...omitUndefined({ missing: missing || undefined }),
  });
}
