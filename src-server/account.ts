/**
 * Who a request acts for (decisions 1). `accountId` is `owner`, a payer's wallet address in lower-case hex, or
 * `ip:<address>` for a caller who proved nothing (IPv6 by its /64).
 */
export type Principal =
  | { kind: 'owner'; accountId: 'owner' }
  | { kind: 'payer'; accountId: `0x${string}` }
  | { kind: 'anonymous'; accountId: `ip:${string}` };

export const OWNER: Principal = { kind: 'owner', accountId: 'owner' };

/** The two environments: same code, separate databases, files, limits and webhooks. */
export const ENVIRONMENTS = ['production', 'staging'] as const;
export type EnvironmentName = (typeof ENVIRONMENTS)[number];

export const BASE_PATHS: Record<EnvironmentName, string> = { production: '/v1', staging: '/staging/v1' };
