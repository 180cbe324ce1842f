import { Button, Group, NumberInput, Popover, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { apiPath, ask } from '../../api/client.ts';
import { useEnvironment } from '../../api/environment.tsx';
import type { Chunk, Job } from '../../api/types.ts';
import { Failure } from '../../components/page-elements.tsx';
import { texts } from '../../components/texts.ts';

const USUAL_LENGTH = 1000;

interface RechunkProps {
  job: Job;
  isRecut: boolean;
  onCut: (chunks: readonly Chunk[] | null) => void;
}

/** Cuts a document into chunks of another length, without reading it again. The job keeps its own. */
export function Rechunk({ job, isRecut, onCut }: RechunkProps) {
  const environment = useEnvironment();
  const [open, setOpen] = useState(false);
  const [segmentLength, setSegmentLength] = useState<number | string>(USUAL_LENGTH);
  const t = texts.jobs.rechunk;
  const cut = useMutation({
    mutationFn: () =>
      ask<{ chunks: Chunk[] }>(apiPath(environment, `/jobs/${job.jobId}/chunks`), {
        method: 'POST',
        body: { segmentLength: Number(segmentLength) },
      }),
    onSuccess: ({ chunks }) => {
      onCut(chunks);
      setOpen(false);
    },
  });
  if (isRecut) {
    return (
      <Button size="xs" variant="default" onClick={() => onCut(null)}>
        {t.back}
      </Button>
    );
  }
  return (
    <Popover opened={open} onChange={setOpen} trapFocus withArrow position="bottom-end" width={300}>
      <Popover.Target>
        <Button size="xs" variant="default" onClick={() => setOpen(!open)}>
          {t.open}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            cut.mutate();
          }}
        >
          <Group align="flex-end" gap="xs" wrap="nowrap">
            <NumberInput
              label={t.length}
              value={segmentLength}
              onChange={setSegmentLength}
              min={1}
              step={100}
              clampBehavior="none"
              data-autofocus
            />
            <Button type="submit" loading={cut.isPending}>
              {t.cut}
            </Button>
          </Group>
        </form>
        <Text size="xs" c="dimmed" mt="xs">
          {t.hint}
        </Text>
        {cut.isError && <Failure error={cut.error} />}
      </Popover.Dropdown>
    </Popover>
  );
}
