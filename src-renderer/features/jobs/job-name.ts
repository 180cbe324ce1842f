import type { JobRecord } from '../../api/generated/owner.ts';
import type { Job } from '../../api/generated/public.ts';
import { jobName } from '../../components/job-words.ts';
import { workOfOperation } from '../../components/work.ts';

/** The title of a job: the name of its source, and of a site its host. */
export function jobTitle(job: Job, record: JobRecord | undefined): string {
  const name = jobName({ ...job, label: record?.label });
  const url = workOfOperation(job.jobType).takes === 'site' ? URL.parse(name) : null;
  return url === null ? name : `${url.host}${url.pathname === '/' ? '' : url.pathname}`;
}
