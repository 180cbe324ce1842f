import { Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEnvironment } from '../../api/client.ts';
import { FileDrop } from '../../components/file-drop.tsx';
import { Failure, Panel } from '../../components/page-elements.tsx';
import { texts } from '../../texts.ts';
import { jobIdOf, sendAsOwner, useWayToJob } from '../run/send.ts';

/** What a file is sent to: the server judges by its bytes and says so if it is something else. */
function operationFor(file: File): string {
  return /^(audio|video)\//.test(file.type) ? 'extract/video' : 'extract/doc';
}

/** The shortest way to a first result: a file that is dropped here is a job at once. */
export function QuickDrop() {
  const environment = useEnvironment();
  const way = useWayToJob();
  const t = texts.overview.drop;
  const send = useMutation({
    mutationFn: (file: File) => {
      const form = new FormData();
      form.append('file', file, file.name);
      return sendAsOwner(environment, operationFor(file), form);
    },
    onSuccess: ({ answer }) => {
      const jobId = jobIdOf(answer);
      if (jobId !== null) way.made(jobId);
    },
    onError: way.refused,
  });
  return (
    <Panel title={t.title} about={t.about}>
      <FileDrop
        file={send.isPending ? (send.variables ?? null) : null}
        onFile={(file) => send.mutate(file)}
        error={undefined}
      />
      {send.isPending && (
        <Text size="sm" mt="xs" role="status">
          {texts.run.working}
        </Text>
      )}
      {send.isError && <Failure error={send.error} />}
    </Panel>
  );
}
