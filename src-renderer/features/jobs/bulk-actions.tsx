import { Button, Group, Progress, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { useEnvironment } from '../../api/environment.tsx';
import type { JobFilter } from '../../api/queries.ts';
import type { ListedJob } from '../../api/types.ts';
import { askFirst } from '../../components/confirm.tsx';
import { number } from '../../components/format.ts';
import { texts } from '../../components/texts.ts';
import { mayHelpAgain } from '../run/run-again.ts';
import { type BulkKind, type BulkProgress, gather, SELECTION_CEILING, type Selection, useBulk } from './bulk.ts';
import { jobName } from './job-list-item.tsx';

const NOTHING: Selection = new Map();
/** Names that a question gives as a sample of what it is about. */
const SAMPLE = 5;

interface BulkBarProps {
  filter: JobFilter;
  selection: Selection;
  setSelection: (selection: Selection) => void;
  shown: string;
  /** Nothing matches, or it is not known yet. */
  nothing: boolean;
}

/** Acts on what is selected: counted, named in part, and asked about first. What arrives later is never touched. */
export function BulkBar({ filter, selection, setSelection, shown, nothing }: BulkBarProps) {
  const environment = useEnvironment();
  const [counting, setCounting] = useState<number | null>(null);
  const { progress, apply, stop } = useBulk(environment);
  const jobs = [...selection.values()];
  const ended = jobs.filter(({ status }) => status === 'completed' || status === 'failed');
  const running = jobs.filter(({ status }) => status === 'queued' || status === 'processing');
  const failed = jobs.filter(mayHelpAgain);
  const selectAll = async () => {
    if (counting !== null) return;
    setCounting(0);
    try {
      const found = await gather(environment, filter, setCounting);
      setSelection(found.selection);
      if (found.cut) notifications.show({ message: texts.jobs.ceiling(number(SELECTION_CEILING)) });
    } catch (error) {
      notifications.show({ color: 'red', message: (error as Error).message });
    } finally {
      setCounting(null);
    }
  };
  const carryOut = async (kind: BulkKind, chosen: readonly ListedJob[]) => {
    const { done, left, why } = await apply(kind, chosen);
    // What is left can be tried again.
    setSelection(new Map(left.map((job) => [job.jobId, job])));
    const counts = [number(done), number(left.length)] as const;
    if (left.length === 0) notifications.show({ message: texts.jobs.bulkDone(counts[0]) });
    else if (why === null) notifications.show({ message: texts.jobs.bulkStopped(...counts) });
    else notifications.show({ color: 'orange', title: texts.jobs.bulkPartly(...counts), message: why.message });
  };
  if (progress !== null) return <Working progress={progress} onStop={stop} />;
  return (
    <Group className="bulk-bar panel-head" px="md" justify="space-between" gap="sm" wrap="wrap">
      <Text size="sm" c="dimmed" role="status">
        {counting !== null ? texts.jobs.gathering(number(counting)) : null}
        {counting === null && (selection.size > 0 ? texts.jobs.selected(number(selection.size)) : shown)}
      </Text>
      <Group gap="xs">
        {/* One button for both, and never off while it counts: it would lose the focus with each press. */}
        <Button
          size="xs"
          variant="default"
          disabled={nothing && selection.size === 0}
          aria-busy={counting !== null}
          onClick={selection.size === 0 ? () => void selectAll() : () => setSelection(NOTHING)}
        >
          {selection.size === 0 ? texts.jobs.selectAll : texts.jobs.drop}
        </Button>
        <BulkButton kind="retry" jobs={failed} onApply={carryOut} />
        <BulkButton kind="cancel" jobs={running} onApply={carryOut} />
        <BulkButton kind="remove" jobs={ended} onApply={carryOut} />
      </Group>
    </Group>
  );
}

/** While it is done nothing else can be begun with the same jobs, but it can be stopped. */
function Working({ progress: { done, all }, onStop }: { progress: BulkProgress; onStop: () => void }) {
  const said = texts.jobs.working(number(done), number(all));
  return (
    <Group className="bulk-bar panel-head" px="md" justify="space-between" gap="sm" wrap="wrap">
      <Text size="sm" c="dimmed">
        {said}
      </Text>
      <Progress flex={1} value={(100 * done) / all} aria-label={said} />
      <Button size="xs" variant="default" onClick={onStop}>
        {texts.jobs.stopWorking}
      </Button>
    </Group>
  );
}

interface BulkButtonProps {
  kind: BulkKind;
  jobs: readonly ListedJob[];
  onApply: (kind: BulkKind, jobs: readonly ListedJob[]) => Promise<void>;
}

function BulkButton({ kind, jobs, onApply }: BulkButtonProps) {
  const t = texts.jobs.bulk[kind];
  const label = t.button(jobs.length === 0 ? '' : number(jobs.length));
  const gentle = kind === 'retry';
  const ask = () => {
    const named = jobs.slice(0, SAMPLE).map(jobName).join(', ');
    const sample = jobs.length > SAMPLE ? texts.jobs.andMore(named, number(jobs.length - SAMPLE)) : named;
    askFirst({
      title: t.confirm(number(jobs.length)),
      about: `${sample}. ${t.about}`,
      yes: label,
      no: texts.jobs.keep,
      onYes: () => void onApply(kind, jobs),
      gentle,
    });
  };
  return (
    <Button
      size="xs"
      {...(gentle ? { variant: 'default' } : { variant: 'outline', color: 'red' })}
      disabled={jobs.length === 0}
      onClick={ask}
    >
      {label}
    </Button>
  );
}
