/**
 * Secrets of requests, such as passwords of files. They stay in memory: requests, jobs, logs and files hold a reference
 * instead, which says nothing without this process. After a restart the secret is gone, and a job that still needs it
 * fails with an error that says so; a secret on disk would outlive its use.
 */
import { createHmac, randomBytes } from 'node:crypto';

const KEY = randomBytes(32);

/** The oldest ones are forgotten. */
const SECRETS_MAX = 10_000;

const REFERENCE = /^memory:[\w-]{43}$/;

const secrets = new Map<string, string>();

/** Keeps a secret and returns its reference: the same for the same secret, so that equal requests stay equal. */
export function keepSecret(secret: string): string {
  // A stored request that is sent again has its reference.
  if (REFERENCE.test(secret)) return secret;
  const reference = `memory:${createHmac('sha256', KEY).update(secret).digest('base64url')}`;
  secrets.delete(reference);
  secrets.set(reference, secret);
  const [oldest] = secrets.keys();
  if (secrets.size > SECRETS_MAX && oldest !== undefined) secrets.delete(oldest);
  return reference;
}

/** Null for a secret of another process, such as the one before a restart. */
export function secretOf(reference: string): string | null {
  return secrets.get(reference) ?? null;
}
