/** Cells of the lists of what became a job: files, entries, items. */
import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { texts } from '../texts.ts';
import { type FailedWith, failureText } from './failure-text.ts';
import { State, type Tone } from './state.tsx';

/** A cell of two lines. */
export function TwoLines({ first, second, c = 'dimmed' }: { first: ReactNode; second: ReactNode; c?: string }) {
  return (
    <>
      <Text size="sm" component="div">
        {first}
      </Text>
      {second !== null && (
        <Text size="xs" c={c}>
          {second}
        </Text>
      )}
    </>
  );
}

/** A name that leads to the job, while the job is kept. */
export function JobLink({ name, jobId, jobKept = true }: { name: string; jobId: string | null; jobKept?: boolean }) {
  if (jobId === null || !jobKept) {
    return (
      <Text size="sm" className="break">
        {name}
      </Text>
    );
  }
  return (
    <Anchor
      size="sm"
      className="break"
      renderRoot={(props) => <Link {...props} to="/jobs/$jobId" params={{ jobId }} />}
    >
      {name}
    </Anchor>
  );
}

const TONES = {
  waiting: 'idle',
  processing: 'busy',
  completed: 'good',
  failed: 'bad',
  skipped: 'idle',
  cancelled: 'idle',
} as const satisfies Record<string, Tone>;

/** A state, with the error of what failed below it. */
export function EntryState({ status, error }: { status: keyof typeof TONES; error: FailedWith | null }) {
  const state = <State tone={TONES[status]}>{texts.entryStates[status]}</State>;
  return <TwoLines first={state} second={status === 'failed' && error !== null ? failureText(error) : null} />;
}
