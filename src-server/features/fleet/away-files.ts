import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Operation } from '../../operation.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { JobFolders } from '../../platform/files/job-folders.ts';
import { tell } from '../../platform/text/say.ts';
import type { RunOutcome } from '../jobs/service.ts';
import { type Ended, type FileRef, RESULT_MAX_BYTES } from './messages.ts';
import { fileDigestOf, filesIn, fleetFileSizeOf, incomingFolder, takeFiles } from './run-files.ts';

/** Name of the result among the files of a run. It is not one of the job. */
export const RESULT_FILE = 'result.json';

/** Takes the files of a run, and checks its result. Errors: `engine_failed` for one that is not what it claims. */
export async function awayOutcomeOf(
  folders: JobFolders,
  operation: Operation,
  ended: Extract<Ended, { kind: 'completed' }>,
): Promise<RunOutcome> {
  const incoming = incomingFolder(folders, ended);
  if (ended.result.sizeBytes > RESULT_MAX_BYTES) {
    throw new QuarryError('engine_failed', tell`The node sent a result of ${ended.result.sizeBytes} bytes.`);
  }
  const stranger = ended.files.find(({ name }) => folders.servedJobFilePath(ended.jobId, name) === null);
  if (stranger !== undefined)
    throw new QuarryError('engine_failed', tell`A job's file cannot be called ${stranger.name}.`);
  const result = { ...ended.result, name: RESULT_FILE };
  const files = [...filesIn(folders.filesFolderPath(ended.jobId), ended.files), ...filesIn(incoming, [result])];
  await takeFiles(incoming, files);
  const parsed = operation.result.safeParse(awayResultJson(await readFile(join(incoming, RESULT_FILE), 'utf8')));
  if (!parsed.success) {
    throw new QuarryError('engine_failed', tell`The node sent a result of another shape.`, { retryable: true });
  }
  await rm(folders.workFolderPath(ended.jobId), { recursive: true, force: true });
  const stored = { body: JSON.stringify(parsed.data), chunksBytes: ended.chunksBytes };
  return { result: stored, furtherEvent: ended.furtherEvent, sourceBytes: ended.sourceBytes };
}

/** The checkpoints in a work folder, by the names that the operation keeps. */
export async function checkpointsOf(folder: string, patterns: readonly RegExp[]): Promise<FileRef[]> {
  if (patterns.length === 0) return [];
  const found: FileRef[] = [];
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(folder.length + 1).replaceAll('\\', '/');
    if (!patterns.some((pattern) => pattern.test(name))) continue;
    const sizeBytes = await fleetFileSizeOf(path);
    if (sizeBytes !== null) found.push({ name, sha256: await fileDigestOf(path), sizeBytes });
  }
  return found;
}

function awayResultJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
