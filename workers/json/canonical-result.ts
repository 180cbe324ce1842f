import type { TaskContext } from '../../src-server/platform/pool/worker-pool.ts';
import { canonicalText } from '../../src-server/platform/text/canonical-json.ts';

/** Converts a stored result to the form a webhook sends: files as URLs, RFC 8785. Errors: `cancelled`. */
export async function canonicalResult(
  input: CanonicalResultInput,
  context: TaskContext,
): Promise<CanonicalResultOutput> {
  const stored = Buffer.from(input.bytes.buffer, input.bytes.byteOffset, input.bytes.byteLength).toString('utf8');
  const canonical = canonicalText(stored.replaceAll(input.fileUrls.from, input.fileUrls.to));
  context.signal.throwIfAborted();
  // Shared memory, so that the server's thread does not copy the answer.
  const bytes = Buffer.from(new SharedArrayBuffer(Buffer.byteLength(canonical)));
  bytes.write(canonical);
  return { bytes: new Uint8Array(bytes.buffer) };
}

/** A stored result that is too large to parse on the server's thread. */
export interface CanonicalResultInput {
  /** JSON as UTF-8. */
  bytes: Uint8Array;
  /** Placeholder for file URLs in the stored result, and its replacement. */
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
