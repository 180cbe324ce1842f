/**
 * What may be registered as a target. The threat is a webhook as a key to the inside of somebody's network: what can be
 * told from the URL is refused here, in words; what only shows when the name is resolved is refused by the guarded
 * client, at each attempt.
 */
import { type FieldError, QuarryError } from '../../contract/index.ts';
import { remember } from '../../platform/memoize.ts';
import { namesPrivateHost } from '../../platform/net/private-host.ts';
import type { TargetPolicy, WebhookParts } from './ports.ts';

/** Of the targets of one batch most are the same few. */
const MAX_KEPT_URLS = 1000;
const parsed = remember((target) => URL.parse(target), MAX_KEPT_URLS);

/** What is wrong with a target, or null. */
export function targetProblem(
  target: string,
  policy: TargetPolicy,
  isPublicAddress: WebhookParts['isPublicAddress'],
): string | null {
  const url = parsed(target);
  if (url === null) return 'Give an absolute https URL.';
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && policy.allowHttp)) {
    return 'Give an https URL: http is taken from the owner of the appliance only.';
  }
  if (url.username !== '' || url.password !== '') return 'Give a URL without user name and password.';
  if (policy.allowPrivateNetworks || !namesPrivateHost(url, isPublicAddress)) return null;
  return 'Give a public address: private networks are open to the owner of the appliance only.';
}

export function refuseTarget(path: string, message: string): QuarryError {
  const fields: FieldError[] = [{ path, message }];
  return new QuarryError('invalid_request', `${path}: ${message}`, { fields });
}
