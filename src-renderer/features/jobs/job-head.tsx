import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useChange } from '../../api/changes.ts';
import { api, owner, queryIn, useEnvironment } from '../../api/client.ts';
import type { JobRecord } from '../../api/generated/owner.ts';
import type { Job } from '../../api/generated/public.ts';
import { askFirst } from '../../components/confirm.tsx';
import { Icon } from '../../components/icon.tsx';
import { jobName } from '../../components/job-words.ts';
import { JobHead } from '../../components/page-elements.tsx';
import { unlessUndone } from '../../components/toast.tsx';
import { KINDS, kindOf } from '../../components/work.ts';
import { texts } from '../../texts.ts';
import { mayHelpAgain, runAgain } from '../run/run-again.ts';
import { useJobOpener } from '../run/send.ts';

interface JobHeadingProps {
  job: Job;
  record: JobRecord | undefined;
}

/** Job heading with actions. */
export function JobHeading({ job, record }: JobHeadingProps) {
  const ended = job.status === 'completed' || job.status === 'failed';
  const repeatable = ended && job.jobType !== 'webhooks';
  const name = jobName({ ...job, label: record?.label });
  return (
    <JobHead kind={kindOf(job)} title={name} facts={[KINDS[kindOf(job)].noun]}>
      {mayHelpAgain(job) && record !== undefined && <Retry job={job} record={record} />}
      {repeatable && (
        <Button
          variant="default"
          leftSection={<Icon name="play" size={16} />}
          renderRoot={(props) => (
            <Link {...props} to="/run/$" params={{ _splat: job.jobType }} search={{ from: job.jobId }} />
          )}
        >
          {texts.jobs.again}
        </Button>
      )}
      {ended ? <Remove job={job} name={name} /> : <Cancel job={job} />}
    </JobHead>
  );
}

/** Sends the same request again without the form. */
function Retry({ job, record }: { job: Job; record: JobRecord }) {
  const environment = useEnvironment();
  const opener = useJobOpener();
  const retry = useMutation({
    mutationFn: () => runAgain(environment, record, job.jobType),
    onSuccess: opener.open,
    onError: (error) => notifications.show({ color: 'red', message: error.message }),
  });
  return (
    <Button leftSection={<Icon name="rotate-cw" size={16} />} loading={retry.isPending} onClick={() => retry.mutate()}>
      {texts.jobs.retry}
    </Button>
  );
}

function Remove({ job, name }: { job: Job; name: string }) {
  const environment = useEnvironment();
  const navigate = useNavigate();
  const remove = () => {
    unlessUndone({
      id: `remove ${job.jobId}`,
      message: texts.jobs.removing(name),
      apply: () => api[environment].DELETE('/jobs/{jobId}', { params: { path: { jobId: job.jobId } } }),
    });
    void navigate({ to: '/jobs', search: {} });
  };
  return (
    <Button color="red" variant="outline" leftSection={<Icon name="trash-2" size={16} />} onClick={remove}>
      {texts.jobs.remove}
    </Button>
  );
}

function Cancel({ job }: { job: Job }) {
  const environment = useEnvironment();
  const params = { path: { jobId: job.jobId }, query: queryIn(environment, {}) };
  const cancel = useChange(() => owner.POST('/admin/jobs/{jobId}/cancel', { params }));
  const certain = () =>
    askFirst({
      title: texts.jobs.cancelTitle,
      about: texts.jobs.cancelAbout,
      yes: texts.jobs.cancel,
      no: texts.jobs.letRun,
      onYes: () => cancel.mutate(),
    });
  return (
    <Button
      color="red"
      variant="outline"
      leftSection={<Icon name="square" size={16} />}
      loading={cancel.isPending}
      onClick={certain}
    >
      {texts.jobs.cancel}
    </Button>
  );
}
