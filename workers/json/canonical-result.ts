import { canonicalText } from '../../src-server/platform/text/canonical-text.ts';
import type { TaskContext } from '../tasks.ts';
import type { CanonicalResultInput, CanonicalResultOutput } from './callback-tasks.ts';

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
