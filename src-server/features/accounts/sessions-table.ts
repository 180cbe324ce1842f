/** A browser that is signed in as the owner. */
export interface SessionsTable {
  id: string;
  /** SHA-256 of the cookie's value, as hex. */
  cookie_hash: string;
  /** SHA-256 of the secret that the dashboard's origin stores, as hex. */
  secret_hash: string;
  user_agent: string;
  created_at: number;
  /** Written at most once every few minutes. */
  last_used_at: number;
}
