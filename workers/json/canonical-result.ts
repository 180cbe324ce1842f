import type { TaskContext } from '../../src-server/platform/pool/worker-pool.ts';
import { canonicalText } from '../../src-server/platform/text/canonical-json.ts';

/** Makes a stored result the text that a callback carries: its files by URL, in RFC 8785 form. Errors: `cancelled`. */
export async function canonicalResult(
  input: CanonicalResultInput,
  context: TaskContext,
): Promise<CanonicalResultOutput> {
  const stored = Buffer.from(input.bytes.buffer, input.bytes.byteOffset, input.bytes.byteLength).toString('utf8');
  const canonical = canonicalText(stored.replaceAll(input.fileUrls.from, input.fileUrls.to));
  context.signal.throwIfAborted();
  // Memory that threads share: the answer is then not copied where requests are answered.
  const bytes = Buffer.from(new SharedArrayBuffer(Buffer.byteLength(canonical)));
  bytes.write(canonical);
  return { bytes: new Uint8Array(bytes.buffer) };
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

declare module '../../src-server/platform/pool/worker-pool.ts' {
  interface TaskMap {
    'canonical-result': { input: CanonicalResultInput; output: CanonicalResultOutput };
  }
}
