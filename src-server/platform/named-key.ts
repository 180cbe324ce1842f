/** A named key that acts for the owner. Where it is accepted, its scopes were checked (features/accounts/scopes.ts). */
export interface KeyIdentity {
  id: string;
  name: string;
  scopes: readonly string[];
  /** Null for no limit. */
  requestsPerMinute: number | null;
  /** Jobs of the key that may be unfinished at once; null for no limit. */
  openJobs: number | null;
}

/**
 * The mark of a linked device among scopes. A device acts for the owner as a key does, at the addresses that are
 * declared `forDevices`; no key of the owner has this mark.
 */
export const DEVICE_MARK = 'device';

export function isDevice(key: KeyIdentity | undefined): boolean {
  return key?.scopes.includes(DEVICE_MARK) ?? false;
}

/** A key as what it made shows it. */
export type KeyMark = Pick<KeyIdentity, 'id' | 'name'>;

/** Null for a key that was revoked or has expired. */
export type FindKey = (keyId: string) => KeyIdentity | null;
