import { queryOptions } from '@tanstack/react-query';
import { adminPath, errorOf, fetchApi } from '../../api/client.ts';
import type { JobRecord } from '../../api/generated/owner.ts';
import type { Job } from '../../api/generated/public.ts';
import { JOB_ERRORS } from '../../api/generated/tables.ts';
import type { EnvironmentName } from '../../api/names.ts';
import { workOfOperation } from '../../components/work.ts';
import { type Body, jobIdOf, sendAsOwner } from './send.ts';

/** Larger files are not copied by the window. The user chooses the file again. */
const SOURCE_MAX_BYTES = 200_000_000;

/** The source file of a job; null if there is none or it is too large to copy. */
async function sourceFileOf(environment: EnvironmentName, record: JobRecord): Promise<File | null> {
  const { source } = record;
  if (source === null || record.request.sourceUrl !== undefined || source.sizeBytes > SOURCE_MAX_BYTES) return null;
  const answer = await fetchApi(adminPath(environment, `/jobs/${record.jobId}/source`));
  if (!answer.ok) throw await errorOf(answer);
  return new File([await answer.blob()], source.fileName ?? record.label);
}

/** The source file of a job, for a form that sends it again. */
export const sourceFileQuery = (environment: EnvironmentName, record: JobRecord | undefined) =>
  queryOptions({
    queryKey: ['source', environment, record?.jobId],
    queryFn: () => (record === undefined ? null : sourceFileOf(environment, record)),
    // A file can be large, so drop it when the form closes.
    gcTime: 0,
    retry: false,
  });

/** Whether the same request may now succeed. If not, the user must change the form. */
export function mayHelpAgain({ status, jobType, error }: Pick<Job, 'status' | 'jobType' | 'error'>): boolean {
  if (status !== 'failed' || !workOfOperation(jobType).isRepeatable || error === undefined) return false;
  const { fault } = JOB_ERRORS[error.code];
  // The owner may have installed something on this computer since.
  return error.retryable || fault === 'installation' || fault === 'nothing';
}

/** Whether the file that a job was made from is not kept any more. */
export function isSourceGone({ source, request }: JobRecord): boolean {
  return source === null && request.file !== undefined;
}

/**
 * Sends the same request again as the owner. Returns the ID of the new job. Rejects with ApiError.
 *
 * @param chosen in place of a file that is not kept any more
 */
export async function runAgain(
  environment: EnvironmentName,
  record: JobRecord,
  jobType: string,
  chosen?: File,
): Promise<string> {
  const { file: _, ...stored } = record.request;
  // Without an age, a crawl that was made lately would be the answer.
  const request = workOfOperation(jobType).takes === 'site' ? { ...stored, maxAge: 0 } : stored;
  const file = chosen ?? (await sourceFileOf(environment, record));
  const { answer } = await sendAsOwner(environment, jobType, file === null ? request : resubmissionForm(request, file));
  const jobId = jobIdOf(answer);
  if (jobId === null) throw new Error('The response contains no job ID.');
  return jobId;
}

function resubmissionForm(request: Record<string, unknown>, file: File): Body {
  const form = new FormData();
  for (const [name, value] of Object.entries(request)) {
    form.append(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  form.append('file', file, file.name);
  return form;
}
