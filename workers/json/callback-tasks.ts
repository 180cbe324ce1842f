/** What the pool does for webhooks. */
export interface CallbackTaskMap {
  'canonical-result': { input: CanonicalResultInput; output: CanonicalResultOutput };
}

/** A stored result too large to be parsed on the server's thread, to be made what a callback carries. */
export interface CanonicalResultInput {
  /** JSON as UTF-8. */
  bytes: Uint8Array;
  /** How the result names its files, and what stands there instead. */
  fileUrls: { from: string; to: string };
}
export interface CanonicalResultOutput {
  /** RFC 8785 JSON as UTF-8. */
  bytes: Uint8Array;
}
