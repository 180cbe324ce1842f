import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseOwnJson } from '../../src-server/platform/own-json.ts';
import type { TaskContext } from '../../src-server/platform/pool/worker-pool.ts';
import { digestMarkdown } from '../../src-server/platform/text/digest-markdown.ts';
import type { Said } from '../../src-server/platform/text/say.ts';
import type { AddDigestInput, AddDigestOutput, NamedFile } from './tasks.ts';

/** Puts a digest into a result, in place of an earlier one, and writes its file. */
export async function addDigest(
  { folder, result, digest, warnings, warningPrefix, file }: AddDigestInput,
  { signal }: TaskContext,
): Promise<AddDigestOutput> {
  const before = parseOwnJson<{ files: NamedFile[]; warnings: Said[] }>(result);
  const path = join(folder, file.name);
  await writeFile(`${path}.part`, digestMarkdown(digest), { signal });
  await rename(`${path}.part`, path);
  const after = {
    ...before,
    digest,
    files: [...before.files.filter(({ name }) => name !== file.name), file],
    warnings: [...before.warnings.filter((warning) => !warning.startsWith(warningPrefix)), ...warnings],
  };
  return { result: JSON.stringify(after) };
}
