/** What a secret of Standard Webhooks begins with; its key is the base64 behind it. */
export const STANDARD_PREFIX = 'whsec_';
/** With or without padding, at least one byte. */
const BASE64 = /^(?=..)(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

/** The base64 of a Standard Webhooks secret; null for any other text, whose UTF-8 bytes are the key. */
export function standardBase64(secret: string): string | null {
  if (!secret.startsWith(STANDARD_PREFIX)) return null;
  const encoded = secret.slice(STANDARD_PREFIX.length);
  return BASE64.test(encoded) ? encoded : null;
}
