/**
 * Who has used the service, and the plan the owner gave them. `plan` is null while nobody decided: the default applies.
 */
export interface AccountsTable {
  account_id: string;
  plan: 'studio' | 'production' | 'enterprise' | null;
  /** Set for the enterprise plan only. */
  requests_per_minute: number | null;
  /** Set for the enterprise plan only. */
  concurrency: number | null;
  first_seen: number;
  /** Written at most once per few minutes and account: a hint for people, not a measurement. */
  last_seen: number;
}
