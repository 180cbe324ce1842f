/** Cells of the lists of what became a job: files, entries, items. */
import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
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

/** A state with the error below it. */
export function EntryState({ tone, word, error }: { tone: Tone; word: string; error: { message: string } | null }) {
  return <TwoLines first={<State tone={tone}>{word}</State>} second={error?.message ?? null} />;
}
