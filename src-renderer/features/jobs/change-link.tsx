import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { JobRecord } from '../../api/generated/owner.ts';
import type { Job } from '../../api/generated/public.ts';
import { workOf, workOfOperation } from '../../components/work.ts';
import { MAKE_KINDS } from '../../pages.ts';

interface ChangeLinkProps {
  job: Job;
  record: JobRecord | undefined;
  /** With its choices alone, for another source. */
  other?: boolean;
}

/**
 * Leads to where the request of a job can be changed and sent again: to Add for a source, to Make for what is made, and
 * for all others to the form of the API.
 */
export function ChangeLink({ job, record, other = false, ...props }: ChangeLinkProps): ReactNode {
  const { jobId, jobType } = job;
  if (workOfOperation(jobType).takes !== null) {
    return <Link {...props} to="/add" search={other ? { from: jobId, other } : { from: jobId }} />;
  }
  const { group } = workOf({ ...job, variant: record?.variant });
  const kind = MAKE_KINDS.find((one) => one === group);
  if (kind !== undefined) return <Link {...props} to="/make/$kind" params={{ kind }} search={{ from: jobId }} />;
  return <Link {...props} to="/service/api/$" params={{ _splat: jobType }} search={{ from: jobId }} />;
}
