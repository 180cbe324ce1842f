import { Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEnvironment } from '../../api/client.ts';
import { FileDrop } from '../../components/file-drop.tsx';
import { Failure, Panel } from '../../components/page-elements.tsx';
import { texts } from '../../texts.ts';
import { jobIdOf, sendAsOwner, useJobOpener } from '../run/send.ts';

/** The operation for a file. The server checks the bytes and reports other kinds. */
function operationFor(file: File): string {
  return /^(audio|video)\//.test(file.type) ? 'extract/video' : 'extract/doc';
}

/** Uploads a dropped file as a job at once. */
export function QuickDrop() {
  const environment = useEnvironment();
  const opener = useJobOpener();
  const t = texts.overview.drop;
  const send = useMutation({
    mutationFn: (file: File) => {
      const form = new FormData();
      form.append('file', file, file.name);
      return sendAsOwner(environment, operationFor(file), form);
    },
    onSuccess: ({ answer }) => {
      const jobId = jobIdOf(answer);
      if (jobId !== null) opener.open(jobId);
    },
    onError: opener.fail,
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
