import { z } from 'zod';
import type { Settings } from '../../config.ts';
import type { Principal } from '../../context.ts';
import { type Operation, PRIORITIES, type Priority } from '../../operation.ts';
import { QuarryError } from '../../platform/errors.ts';
import { describeKind, type FileKind, remedyFor } from '../../platform/files/kinds.ts';
import type { Upload } from '../../platform/files/uploads.ts';
import { invalidRequest, parseWithSchema } from '../../platform/http/validate.ts';
import { keepSecret } from '../../platform/memory-secrets.ts';
import { isPublicAddress, namesPrivateHost } from '../../platform/net/address-policy.ts';
import { say } from '../../platform/text/say.ts';
import { MIB } from '../../platform/units.ts';
import type { SubscriptionDraft } from './schema.ts';

/** Checks that depend on the caller and on the bytes, which a schema cannot make. */
const NO_QUERY = z.strictObject({});

/** The operation checks the value of `stream`. */
const INLINE_QUERY = z.strictObject({ stream: z.string().optional() });

/** A misspelt query parameter would be ignored silently. Errors: `invalid_request`. */
export function checkQuery(operation: Operation, query: Record<string, string>): void {
  parseWithSchema(operation.inline ? INLINE_QUERY : NO_QUERY, query);
}

/**
 * Parses the body. An operation that reads a source needs exactly one of `file` and `sourceUrl`. A password becomes the
 * reference to one that is in memory.
 */
export function parseRequest(operation: Operation, value: unknown, principal: Principal) {
  const request = parseWithSchema(operation.request, value) as Record<string, unknown>;
  if (operation.source) checkSourceFields(request);
  checkSourceUrl(request, 'sourceUrl', principal);
  if (operation.addressField !== undefined) checkSourceUrl(request, operation.addressField, principal);
  return withoutPassword(request);
}

function withoutPassword(request: Record<string, unknown>): Record<string, unknown> {
  const password = passwordOf(request);
  if (password === null) return request;
  return { ...request, options: { ...(request.options as object), password: keepSecret(password) } };
}

/** The password in the options of a request; null without one. */
export function passwordOf({ options }: Record<string, unknown>): string | null {
  if (typeof options !== 'object' || options === null || !('password' in options)) return null;
  return typeof options.password === 'string' ? options.password : null;
}

function checkSourceFields(request: Record<string, unknown>): void {
  const hasFile = request.file !== undefined;
  const hasUrl = request.sourceUrl !== undefined;
  if (hasFile && hasUrl) {
    throw invalidRequest([{ path: 'file', message: say`Give either file or sourceUrl, not both.` }]);
  }
  if (!hasFile && !hasUrl) {
    throw invalidRequest([{ path: 'sourceUrl', message: say`Give sourceUrl, or the content in file.` }]);
  }
}

/**
 * Only the owner may fetch plain-http and private URLs (decisions 7). What the URL shows is refused before payment;
 * what only its DNS lookup shows fails the job. URLs with credentials are refused, since credentials are never sent.
 */
function checkSourceUrl(request: Record<string, unknown>, path: 'sourceUrl' | 'url', principal: Principal): void {
  const address = request[path];
  const url = typeof address === 'string' ? URL.parse(address) : null;
  if (url === null) return;
  if (url.protocol === 'http:' && principal.kind !== 'owner') {
    throw invalidRequest([{ path, message: say`Give an https URL.` }]);
  }
  if (url.username !== '' || url.password !== '') {
    throw invalidRequest([{ path, message: say`Give a URL without user name and password.` }]);
  }
  if (principal.kind !== 'owner' && namesPrivateHost(url, isPublicAddress)) {
    const message = say`Give a public address: private networks are open to the owner of the appliance only.`;
    throw invalidRequest([{ path, message }]);
  }
}

/** The operation for a source of this kind. Errors: `corrupt_input`, `encrypted_input`, `unsupported_media` (422). */
export function operationFor(
  operation: Operation,
  source: { kind: FileKind; label?: string; isFetched?: boolean },
  operations: readonly Operation[],
): Operation {
  const rule = operation.source;
  if (!rule) return operation;
  const target = rule.reroutes?.[source.kind];
  const rerouted = target === undefined ? undefined : operations.find(({ id }) => id === target);
  if (rerouted) return rerouted;
  if (rule.kinds.includes(source.kind)) return operation;
  if (source.isFetched === true && rule.fetchedKinds?.includes(source.kind)) return operation;
  if (source.kind === 'empty') {
    throw new QuarryError('corrupt_input', say`The file is empty (0 bytes). Send a file with content.`);
  }
  const what = source.label ?? describeKind(source.kind);
  const other = operations.find(({ source: its }) => its?.urlIsPage !== true && its?.kinds.includes(source.kind));
  const fetching = operations.find(({ source: its }) => its?.fetchedKinds?.includes(source.kind));
  const elsewhere =
    (other && `Send it to POST /${other.id}.`) ??
    (fetching && `Send its address to POST /${fetching.id} as sourceUrl.`);
  const remedy = rule.sizeLimit === 'document' ? remedyFor(what) : null;
  const advice = elsewhere ?? remedy ?? `POST /${operation.id} takes: ${rule.kinds.join(', ')}.`;
  const code = source.kind === 'encrypted' ? 'encrypted_input' : 'unsupported_media';
  throw new QuarryError(code, say`By its bytes this is ${what}. ${advice}`);
}

export function uploadLimitBytes(operation: Operation, settings: Settings): number {
  const limitMb = operation.source?.sizeLimit === 'video' ? settings.videoLimitMb : settings.documentLimitMb;
  return limitMb * MIB;
}

export function priorityOf(request: Record<string, unknown>): number {
  const priority = request.priority as Priority | undefined;
  return priority === undefined ? PRIORITIES.indexOf('normal') : PRIORITIES.indexOf(priority);
}

/** Webhook targets named in the request itself, by field: `webhookUrl` and a crawl's `notify`. */
export function targetsOf(request: Record<string, unknown>): { path: string; draft: SubscriptionDraft }[] {
  const targets: { path: string; draft: SubscriptionDraft }[] = [];
  if (typeof request.webhookUrl === 'string') {
    targets.push({ path: 'webhookUrl', draft: { url: request.webhookUrl, events: [], secret: null } });
  }
  const notify = request.notify as { url: string; events?: string[] } | undefined;
  if (notify) {
    targets.push({ path: 'notify.url', draft: { url: notify.url, events: notify.events ?? [], secret: null } });
  }
  return targets;
}

/** Identity of a request: the operation and the parsed fields, files by their digest. */
export function fingerprintOf(operation: Operation, request: Record<string, unknown>, upload: Upload | null) {
  return { operation: operation.id, request, file: upload?.sha256 ?? null };
}
